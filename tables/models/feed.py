"""Every event a table sent, accepted or refused, exactly once."""

from enum import StrEnum

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import id_field, one_of


class EventStatus(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"


class FeedEvent(models.Model):
    """One event of a table's feed. A refused one keeps its sequence number."""

    append_only = True

    table = models.ForeignKey(
        "tables.GameTable",
        on_delete=models.PROTECT,
        related_name="events",
        db_index=False,
        verbose_name=_("table"),
    )
    event_id = id_field(_("event"))
    seq = models.BigIntegerField(_("sequence number"))
    type = models.CharField(_("type"), max_length=24)
    at = models.DateTimeField(_("time at the table"), null=True)
    received_at = models.DateTimeField(_("received"))
    is_late = models.BooleanField(_("late"), default=False)
    status = models.CharField(_("state"), max_length=8)
    error = models.CharField(_("refused because"), max_length=500, blank=True)
    supersedes = models.CharField(_("supersedes"), max_length=64, blank=True)
    round = models.ForeignKey(
        "tables.Round",
        on_delete=models.PROTECT,
        null=True,
        related_name="events",
        db_index=False,
        verbose_name=_("round"),
    )
    body_hash = models.BinaryField(_("SHA-256 of the body"), max_length=32)
    body = models.BinaryField(_("body"))

    class Meta:
        verbose_name = _("feed event")
        verbose_name_plural = _("feed events")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["table", "event_id"], name="feedevent_id_once"),
            models.UniqueConstraint(fields=["table", "seq"], name="feedevent_seq_once"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="feedevent_seq_positive"),
            models.CheckConstraint(
                condition=Q(status=EventStatus.REFUSED.value, error__gt="")
                | Q(status=EventStatus.ACCEPTED.value, error=""),
                name="feedevent_refused_says_why",
            ),
            one_of("status", EventStatus, "feedevent_status_known"),
        ]
        indexes = [
            models.Index(
                fields=["round", "seq"], condition=Q(round__isnull=False), name="feedevent_of_round"
            ),
            models.Index(fields=["-received_at", "-id"], name="feedevent_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.seq}"


class AcceptedGap(models.Model):
    """Sequence numbers a manager declared lost, with the reason."""

    append_only = True

    table = models.ForeignKey("tables.GameTable", on_delete=models.PROTECT, related_name="accepted_gaps")
    first_seq = models.BigIntegerField(_("first"))
    last_seq = models.BigIntegerField(_("last"))
    reason = models.CharField(_("reason"), max_length=300)
    accepted_by = models.CharField(_("accepted by"), max_length=120)
    accepted_at = models.DateTimeField(_("accepted"))

    class Meta:
        verbose_name = _("accepted gap")
        verbose_name_plural = _("accepted gaps")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(last_seq__gte=models.F("first_seq")), name="acceptedgap_ordered"
            ),
            models.CheckConstraint(condition=Q(reason__gt=""), name="acceptedgap_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.first_seq}–{self.last_seq}"


class ApiKey(models.Model):
    """A machine's key. Only its SHA-256 is kept."""

    label = models.CharField(_("label"), max_length=80)
    prefix = models.CharField(_("prefix"), max_length=12, unique=True)
    secret_hash = models.CharField(_("SHA-256 of the key"), max_length=64)
    table = models.ForeignKey(
        "tables.GameTable",
        on_delete=models.PROTECT,
        null=True,
        related_name="api_keys",
        verbose_name=_("table"),
    )
    scopes = models.JSONField(_("scopes"))
    created_at = models.DateTimeField(_("made"))
    revoked_at = models.DateTimeField(_("revoked"), null=True)
    #: To some minutes: a busy machine does not write at every request.
    last_used_at = models.DateTimeField(_("last used"), null=True)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        default_permissions = ("view",)
        permissions = [("manage_api_keys", "Make and revoke API keys")]

    def __str__(self) -> str:
        return self.label
