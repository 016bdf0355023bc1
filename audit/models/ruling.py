"""A decision about rounds, a shoe or a table: asked, approved by a second person, and carried out."""

from enum import StrEnum
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MinorSumField, one_of


class RulingKind(StrEnum):
    """What can be decided."""

    STAND = "stand"
    VOID_ROUND = "void_round"
    VOID_KINDS = "void_kinds"
    RE_DEAL = "re_deal"
    CORRECT = "correct"
    VOID_RANGE = "void_range"
    VOID_SHOE = "void_shoe"
    REPLACE_SHOE = "replace_shoe"
    RESHUFFLE = "reshuffle"
    CANCEL_SHOE = "cancel_shoe"
    CLOSE_TABLE = "close_table"
    REINSTATE = "reinstate"


class RulingStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    APPLYING = "applying"
    STOPPED = "stopped"
    APPLIED = "applied"
    REFUSED = "refused"
    EXPIRED = "expired"
    STALE = "stale"
    WITHDRAWN = "withdrawn"


RULING_FLOW: dict[RulingStatus, frozenset[RulingStatus]] = {
    RulingStatus.REQUESTED: frozenset(
        {
            RulingStatus.APPROVED,
            RulingStatus.REFUSED,
            RulingStatus.EXPIRED,
            RulingStatus.STALE,
            RulingStatus.WITHDRAWN,
        }
    ),
    RulingStatus.APPROVED: frozenset({RulingStatus.APPLYING, RulingStatus.STALE, RulingStatus.REFUSED}),
    RulingStatus.APPLYING: frozenset({RulingStatus.APPLIED, RulingStatus.STOPPED, RulingStatus.STALE}),
    RulingStatus.STOPPED: frozenset({RulingStatus.APPLYING}),
    RulingStatus.APPLIED: frozenset(),
    RulingStatus.REFUSED: frozenset(),
    RulingStatus.EXPIRED: frozenset(),
    RulingStatus.STALE: frozenset(),
    RulingStatus.WITHDRAWN: frozenset(),
}
#: A ruling in these states keeps its rounds: no second one may be open on them.
OPEN_STATUSES = (
    RulingStatus.REQUESTED,
    RulingStatus.APPROVED,
    RulingStatus.APPLYING,
    RulingStatus.STOPPED,
)


class Ruling(models.Model):
    """One decision. What was asked never changes; its state and who decided do, along the table above."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    number = models.CharField(_("ruling"), max_length=12, unique=True)
    kind = models.CharField(_("decision"), max_length=16)
    table = models.ForeignKey("tables.GameTable", on_delete=models.PROTECT, related_name="rulings")
    shoe = models.ForeignKey("tables.Shoe", on_delete=models.PROTECT, null=True, related_name="rulings")
    incident = models.ForeignKey(
        "audit.Incident", on_delete=models.PROTECT, null=True, related_name="rulings"
    )
    complaint = models.ForeignKey(
        "audit.Complaint", on_delete=models.PROTECT, null=True, related_name="rulings"
    )
    reinstates = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="reinstated_by")
    facts = models.JSONField(_("what exactly"), default=dict)
    passage = models.CharField(_("passage"), max_length=80)
    is_proposed_by_rule = models.BooleanField(_("proposed by the rule"))
    reason = models.TextField(_("reason"))
    status = models.CharField(_("state"), max_length=9, default=RulingStatus.REQUESTED.value)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_by_person = models.ForeignKey("audit.Person", on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(_("asked"))
    expires_at = models.DateTimeField(_("expires"))
    preview_hash = models.CharField(_("hash of the preview"), max_length=64)
    rounds_count = models.PositiveIntegerField(_("rounds"))
    bets_count = models.PositiveIntegerField(_("bets"))
    players_count = models.PositiveIntegerField(_("players"))
    given_minor = MinorSumField(_("given back"))
    taken_minor = MinorSumField(_("taken back"))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_by_person = models.ForeignKey(
        "audit.Person", on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    decision_reason = models.TextField(_("reason of the decision"), blank=True)
    wants_stop = models.BooleanField(_("to be stopped"), default=False)
    outcome_note = models.CharField(_("what became of it"), max_length=300, blank=True)
    started_at = models.DateTimeField(_("started"), null=True)
    going_since = models.DateTimeField(_("going without a pause since"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("ruling")
        verbose_name_plural = _("rulings")
        default_permissions = ("view",)
        permissions = [
            ("request_ruling", "Ask for a ruling"),
            ("approve_ruling", "Approve or refuse a ruling"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(reason__gt=""), name="ruling_says_why"),
            models.CheckConstraint(
                condition=Q(preview_hash__regex=r"^[0-9a-f]{64}$"), name="ruling_preview_hash_form"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("requested_at")), name="ruling_times_ordered"
            ),
            one_of("kind", RulingKind, "ruling_kind_known"),
            one_of("status", RulingStatus, "ruling_status_known"),
        ]
        indexes = [
            models.Index(fields=["-requested_at", "-id"], name="ruling_newest"),
            models.Index(
                fields=["expires_at"],
                condition=Q(status__in=[status.value for status in OPEN_STATUSES]),
                name="ruling_open",
            ),
        ]

    def __str__(self) -> str:
        return self.number


class RulingRoundStatus(StrEnum):
    WAITING = "waiting"
    APPLIED = "applied"


class RulingRound(models.Model):
    """One round a ruling is about: the revision it was decided on, and the difference that was approved."""

    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, related_name="rounds", db_index=False)
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, related_name="ruling_rounds")
    base_revision = models.PositiveSmallIntegerField(_("on revision"))
    preview_digest = models.CharField(_("digest of the bets before and after"), max_length=64)
    bets_count = models.PositiveIntegerField(_("bets"))
    given_minor = MinorSumField(_("given back"))
    taken_minor = MinorSumField(_("taken back"))
    before_minor = MinorSumField(_("returned before"))
    after_minor = MinorSumField(_("returned after"))
    status = models.CharField(_("state"), max_length=8, default=RulingRoundStatus.WAITING.value)
    is_open = models.BooleanField(default=True)
    is_in_force = models.BooleanField(default=False)
    applied_at = models.DateTimeField(_("applied"), null=True)
    failures = models.PositiveSmallIntegerField(_("tries that failed"), default=0)
    last_error = models.CharField(_("last error"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("round of a ruling")
        verbose_name_plural = _("rounds of rulings")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["ruling", "round"], name="rulinground_once_per_ruling"),
            models.UniqueConstraint(
                fields=["round"], condition=Q(is_open=True), name="ruling_one_open_per_round"
            ),
            one_of("status", RulingRoundStatus, "rulinground_status_known"),
        ]

    def __str__(self) -> str:
        return f"{self.ruling_id} on {self.round_id}"


class SignIn(models.Model):
    """That a person signed in again just to decide something, for sums above the second threshold."""

    append_only = True

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, related_name="sign_ins")
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("sign-in for a decision")
        verbose_name_plural = _("sign-ins for decisions")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.user_id} for {self.ruling_id}"
