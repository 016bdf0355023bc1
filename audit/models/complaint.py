"""A player's complaint about a round. Who complained, and what was typed, lies apart and can be erased."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import id_field, one_of


class ComplaintStatus(StrEnum):
    RECEIVED = "received"
    WAITING = "waiting"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNDER_REVIEW = "under_review"
    UPHELD = "upheld"
    REJECTED = "rejected"
    CLOSED = "closed"


# What may follow what; a trigger holds the same table. Into `closed` before a decision only by a merger.
COMPLAINT_FLOW: dict[ComplaintStatus, frozenset[ComplaintStatus]] = {
    ComplaintStatus.RECEIVED: frozenset(
        {
            ComplaintStatus.WAITING,
            ComplaintStatus.ACCEPTED,
            ComplaintStatus.REFUSED,
            ComplaintStatus.CLOSED,
        }
    ),
    ComplaintStatus.WAITING: frozenset(
        {ComplaintStatus.RECEIVED, ComplaintStatus.REFUSED, ComplaintStatus.CLOSED}
    ),
    ComplaintStatus.ACCEPTED: frozenset({ComplaintStatus.UNDER_REVIEW, ComplaintStatus.CLOSED}),
    ComplaintStatus.UNDER_REVIEW: frozenset(
        {ComplaintStatus.UPHELD, ComplaintStatus.REJECTED, ComplaintStatus.CLOSED}
    ),
    ComplaintStatus.UPHELD: frozenset({ComplaintStatus.CLOSED}),
    ComplaintStatus.REJECTED: frozenset({ComplaintStatus.CLOSED}),
    ComplaintStatus.REFUSED: frozenset({ComplaintStatus.RECEIVED, ComplaintStatus.ACCEPTED}),
    ComplaintStatus.CLOSED: frozenset({ComplaintStatus.UNDER_REVIEW}),
}
#: Somebody still has to do something; the clock of the answer runs until a decided one has its answer.
RUNNING_STATUSES = (
    ComplaintStatus.RECEIVED,
    ComplaintStatus.WAITING,
    ComplaintStatus.ACCEPTED,
    ComplaintStatus.UNDER_REVIEW,
    ComplaintStatus.UPHELD,
    ComplaintStatus.REJECTED,
)


class ComplaintRefusal(StrEnum):
    """Why a complaint is not taken; a late one gets no further explanation."""

    INCOMPLETE = "incomplete"
    UNKNOWN_ROUND = "unknown_round"
    LATE = "late"
    BY_AGENT = "by_agent"


class DisputedEvent(StrEnum):
    """What the time for complaining runs from: each void and each correction is a new event."""

    RESULT = "result"
    VOID = "void"
    CORRECTION = "correction"


class ComplaintSource(StrEnum):
    PERSON = "person"
    API = "api"


class ComplaintChannel(StrEnum):
    """How the player reached the house, and is answered."""

    CHAT = "chat"
    MAIL = "mail"
    PHONE = "phone"
    DESK = "desk"


class Complaint(models.Model):
    """One complaint: which round, where it stands, and its clocks. The player is an internal number here."""

    append_only = True
    updatable_columns = (
        "version", "status", "refusal", "outcome", "table", "round", "player", "event_kind", "event_at",
        "window_ends_at", "answer_due_at", "checks", "owner", "escalated_at", "answered_at", "closed_at",
        "merged_into", "admission",
    )  # fmt: skip

    number = models.CharField(_("complaint"), max_length=12, unique=True)
    version = models.PositiveIntegerField(_("version"), default=1)
    status = models.CharField(_("state"), max_length=12)
    refusal = models.CharField(_("refused because"), max_length=16, blank=True)
    outcome = models.CharField(_("outcome"), max_length=8, blank=True)
    table = models.ForeignKey(
        "tables.GameTable", on_delete=models.PROTECT, null=True, related_name="complaints"
    )
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, null=True, related_name="complaints")
    player = models.ForeignKey(
        "tables.Player", on_delete=models.PROTECT, null=True, related_name="complaints"
    )
    event_kind = models.CharField(_("disputed event"), max_length=10, blank=True)
    event_at = models.DateTimeField(_("end of the disputed event"), null=True)
    received_at = models.DateTimeField(_("received"))
    window_ends_at = models.DateTimeField(_("could be received until"), null=True)
    answer_due_at = models.DateTimeField(_("answer due"))
    checks = models.JSONField(_("compared with the record"), default=dict)
    source = models.CharField(_("source"), max_length=8)
    channel = models.CharField(_("reached us by"), max_length=8)
    language = models.CharField(_("answer in"), max_length=2)
    filed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    escalated_at = models.DateTimeField(_("escalated"), null=True)
    answered_at = models.DateTimeField(_("answered"), null=True)  # since it was decided
    closed_at = models.DateTimeField(_("closed"), null=True)
    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="merged")
    admission = models.ForeignKey("audit.Consent", on_delete=models.PROTECT, null=True, related_name="+")
    sender = id_field(_("sender"), 24, blank=True)
    idempotency_key = id_field(_("idempotency key"), blank=True)

    class Meta:
        verbose_name = _("complaint")
        verbose_name_plural = _("complaints")
        default_permissions = ("view",)
        permissions = [
            ("handle_complaint", "Take, answer and close complaints"),
            ("decide_complaint", "Uphold or reject a complaint"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status=ComplaintStatus.REFUSED.value) | Q(refusal__gt=""),
                name="complaint_refused_says_why",
            ),
            # A late one is refused, or a second person has let it in.
            models.CheckConstraint(
                condition=Q(window_ends_at__isnull=True)
                | Q(received_at__lte=F("window_ends_at"))
                | Q(status__in=[ComplaintStatus.REFUSED.value, ComplaintStatus.CLOSED.value])
                | Q(admission__isnull=False),
                name="complaint_late_is_refused",
            ),
            models.CheckConstraint(
                condition=Q(event_at__isnull=True, event_kind="", window_ends_at__isnull=True)
                | Q(event_at__isnull=False, event_kind__gt="", window_ends_at__isnull=False),
                name="complaint_event_is_whole",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[ComplaintStatus.UPHELD.value, ComplaintStatus.REJECTED.value])
                | Q(outcome=F("status")),
                name="complaint_decided_has_outcome",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=False, status=ComplaintStatus.CLOSED.value)
                | (Q(closed_at__isnull=True) & ~Q(status=ComplaintStatus.CLOSED.value)),
                name="complaint_closed_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(status=ComplaintStatus.CLOSED.value)
                | Q(outcome__gt="")
                | Q(merged_into__isnull=False),
                name="complaint_closed_is_decided",
            ),
            models.CheckConstraint(
                condition=~Q(
                    status__in=[
                        ComplaintStatus.ACCEPTED.value,
                        ComplaintStatus.UNDER_REVIEW.value,
                        ComplaintStatus.UPHELD.value,
                        ComplaintStatus.REJECTED.value,
                    ]
                )
                | Q(round__isnull=False),
                name="complaint_taken_names_a_round",
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("id")),
                name="complaint_not_merged_into_itself",
            ),
            models.UniqueConstraint(
                fields=["sender", "idempotency_key"],
                condition=Q(idempotency_key__gt=""),
                name="complaint_once_per_key",
            ),
            one_of("status", ComplaintStatus, "complaint_status_known"),
            one_of("source", ComplaintSource, "complaint_source_known"),
            one_of("channel", ComplaintChannel, "complaint_channel_known"),
            models.CheckConstraint(
                condition=Q(refusal__in=["", *(one.value for one in ComplaintRefusal)]),
                name="complaint_refusal_known",
            ),
            models.CheckConstraint(
                condition=Q(event_kind__in=["", *(one.value for one in DisputedEvent)]),
                name="complaint_event_known",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["", "upheld", "rejected"]), name="complaint_outcome_known"
            ),
            models.CheckConstraint(condition=Q(language__in=["en", "th"]), name="complaint_language_known"),
        ]
        indexes = [
            models.Index(fields=["-received_at", "-id"], name="complaint_newest"),
            models.Index(
                fields=["answer_due_at", "id"],
                condition=Q(
                    status__in=[status.value for status in RUNNING_STATUSES], answered_at__isnull=True
                ),
                name="complaint_running",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def is_waited_for(self) -> bool:
        """Say whether the clock of its answer runs."""
        return self.status in RUNNING_STATUSES and self.answered_at is None


class ComplaintAction(StrEnum):
    """What was done to a complaint."""

    FILED = "filed"
    INFORMATION = "information"
    WAITED = "waited"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    REVIEWED = "reviewed"
    UPHELD = "upheld"
    REJECTED = "rejected"
    CLOSED = "closed"
    REOPENED = "reopened"
    ADMITTED = "admitted"
    MERGED = "merged"
    NOTED = "noted"
    ASSIGNED = "assigned"
    ESCALATED = "escalated"
    ANSWERED = "answered"


class ComplaintEvent(models.Model):
    """One thing done to a complaint; it makes the version that it names. Codes only, no free text."""

    append_only = True

    complaint = models.ForeignKey(Complaint, on_delete=models.PROTECT, related_name="events", db_index=False)
    version = models.PositiveIntegerField(_("version"))
    action = models.CharField(_("action"), max_length=12)
    from_status = models.CharField(max_length=12, blank=True)
    to_status = models.CharField(max_length=12)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    actor_label = models.CharField(_("actor"), max_length=120)
    at = models.DateTimeField(_("time"))
    data = models.JSONField(_("details"), default=dict)

    class Meta:
        verbose_name = _("event of a complaint")
        verbose_name_plural = _("events of complaints")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["complaint", "version"], name="complaintevent_one_per_version"),
            one_of("action", ComplaintAction, "complaintevent_action_known"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.complaint_id}.{self.version}"


class ComplaintWords(models.Model):
    """What the player said, as it was taken down: the erasable half of a filing or of later information.

    `salt` hides the text behind the commitment that the event and the journal hold.
    """

    event = models.OneToOneField(
        ComplaintEvent, on_delete=models.PROTECT, primary_key=True, related_name="words"
    )
    played_at = models.DateTimeField(_("time of play"), null=True)
    zone = models.CharField(_("time zone"), max_length=64, blank=True)
    table_text = models.CharField(_("table"), max_length=40, blank=True)
    dealer_text = models.CharField(_("dealer's name"), max_length=80, blank=True)
    round_text = models.CharField(_("round"), max_length=60, blank=True)
    player_text = models.CharField(_("player"), max_length=64, blank=True)
    bet_text = models.CharField(_("bet"), max_length=64, blank=True)
    disputed = models.TextField(_("what is disputed"), blank=True)
    contact = models.CharField(_("contact"), max_length=200, blank=True)
    salt = models.BinaryField(max_length=16)
    erased_at = models.DateTimeField(_("erased"), null=True)

    class Meta:
        verbose_name = _("words of a complaint")
        verbose_name_plural = _("words of complaints")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"words of {self.event_id}"


class ComplaintText(models.Model):
    """A note, a reason or an answer as sent: free text, erasable."""

    event = models.OneToOneField(
        ComplaintEvent, on_delete=models.PROTECT, primary_key=True, related_name="text"
    )
    text = models.TextField(_("text"))
    salt = models.BinaryField(max_length=16)
    erased_at = models.DateTimeField(_("erased"), null=True)

    class Meta:
        verbose_name = _("text on a complaint")
        verbose_name_plural = _("texts on complaints")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(text__gt="") | Q(erased_at__isnull=False), name="complainttext_says_something"
            )
        ]

    def __str__(self) -> str:
        return f"text of {self.event_id}"
