"""What the table and the players are told of a decision."""

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MinorSumField, one_of


class DecisionKind(StrEnum):
    """What a table can be told."""

    HOLD = "hold"
    STAND = "stand"
    VOID = "void"
    VOID_KINDS = "void_kinds"
    RE_DEAL = "re_deal"
    CORRECTED = "corrected"
    SHOE_REPLACED = "shoe_replaced"
    TABLE_CLOSED = "table_closed"
    TABLE_OPENED = "table_opened"
    RESUME = "resume"


class TableDecision(models.Model):
    """One thing a table is told, in order. It asks for what comes after the last it knows, or is called."""

    append_only = True
    updatable_columns = ("attempts", "due_at", "acknowledged_at", "last_error")

    table = models.ForeignKey("tables.GameTable", on_delete=models.PROTECT, related_name="decisions")
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, null=True, related_name="decisions")
    shoe = models.ForeignKey("tables.Shoe", on_delete=models.PROTECT, null=True, related_name="decisions")
    ruling = models.ForeignKey("audit.Ruling", on_delete=models.PROTECT, null=True, related_name="decisions")
    kind = models.CharField(_("told"), max_length=16)
    data = models.JSONField(_("details"), default=dict)
    created_at = models.DateTimeField(_("decided"))
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due"), null=True)
    acknowledged_at = models.DateTimeField(_("acknowledged"), null=True)
    last_error = models.CharField(_("last error"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("decision told to a table")
        verbose_name_plural = _("decisions told to tables")
        default_permissions = ("view",)
        constraints = [one_of("kind", DecisionKind, "tabledecision_kind_known")]
        indexes = [
            models.Index(fields=["table", "id"], name="tabledecision_of_table"),
            models.Index(
                fields=["table", "id"],
                condition=models.Q(acknowledged_at__isnull=True),
                name="tabledecision_unheard",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Notice(models.Model):
    """What one player is told about one round, in both languages, with or before the money."""

    append_only = True

    player = models.ForeignKey("tables.Player", on_delete=models.PROTECT, related_name="notices")
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, related_name="notices")
    ruling = models.ForeignKey("audit.Ruling", on_delete=models.PROTECT, related_name="notices")
    text_en = models.TextField(_("in English"))
    text_th = models.TextField(_("in Thai"))
    moved_minor = MinorSumField(_("moved"))
    created_at = models.DateTimeField(_("written"))

    class Meta:
        verbose_name = _("notice to a player")
        verbose_name_plural = _("notices to players")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["ruling", "round", "player"], name="notice_once"),
        ]

    def __str__(self) -> str:
        return self.text_en[:60]
