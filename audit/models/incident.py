"""Something that went wrong at a table, and the remedy the house's rules give for it."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import one_of


class IncidentStatus(StrEnum):
    """`open` waits for a decision; `ruled` has one that was carried out; `closed` needed none."""

    OPEN = "open"
    RULED = "ruled"
    CLOSED = "closed"


class IncidentSource(StrEnum):
    PERSON = "person"
    API = "api"
    FEED = "feed"
    FINDING = "finding"


class Incident(models.Model):
    """An incident of the rulebook's catalogue, with the facts that decide its remedy."""

    number = models.CharField(_("incident"), max_length=12, unique=True)
    table = models.ForeignKey("tables.GameTable", on_delete=models.PROTECT, related_name="incidents")
    shoe = models.ForeignKey("tables.Shoe", on_delete=models.PROTECT, null=True, related_name="incidents")
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, null=True, related_name="incidents")
    rulebook = models.ForeignKey("tables.Rulebook", on_delete=models.PROTECT, related_name="+")
    finding = models.OneToOneField(
        "tables.Finding", on_delete=models.PROTECT, null=True, related_name="incident"
    )
    hold = models.OneToOneField("tables.Hold", on_delete=models.PROTECT, null=True, related_name="incident")
    code = models.CharField(_("what happened"), max_length=40)
    facts = models.JSONField(_("facts that decide"), default=dict)
    remedies = models.JSONField(_("remedies"), default=list)
    passage = models.CharField(_("passage"), max_length=80)
    note = models.TextField(_("note"), blank=True)
    report_id = models.CharField(_("the reporter's own ID"), max_length=64, blank=True)
    source = models.CharField(_("source"), max_length=8)
    status = models.CharField(_("state"), max_length=6, default=IncidentStatus.OPEN.value)
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reported_at = models.DateTimeField(_("reported"))
    escalated_at = models.DateTimeField(_("escalated"), null=True)
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        default_permissions = ("view",)
        permissions = [
            ("report_incident", "Report an incident"),
            ("export_reports", "Read the reports and take them away"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=IncidentStatus.OPEN.value, closed_at__isnull=True)
                | (~Q(status=IncidentStatus.OPEN.value) & Q(closed_at__isnull=False)),
                name="incident_closed_has_time",
            ),
            models.UniqueConstraint(
                fields=["table", "report_id"],
                condition=Q(report_id__gt=""),
                name="incident_reported_once",
            ),
            one_of("status", IncidentStatus, "incident_status_known"),
            one_of("source", IncidentSource, "incident_source_known"),
        ]
        indexes = [
            models.Index(fields=["-reported_at", "-id"], name="incident_newest"),
            models.Index(
                fields=["reported_at"], condition=Q(status=IncidentStatus.OPEN.value), name="incident_open"
            ),
        ]

    def __str__(self) -> str:
        return self.number
