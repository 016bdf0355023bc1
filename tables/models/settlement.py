"""What a round paid: immutable revisions, a line for every bet."""

from enum import StrEnum

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MinorSumField, one_of


class LineResult(StrEnum):
    WON = "won"
    LOST = "lost"
    PUSH = "push"
    VOID = "void"
    OPEN = "open"


class Settlement(models.Model):
    """One revision of what a round paid. `returned = stakes − kept` holds in the database."""

    append_only = True

    round = models.ForeignKey(
        "tables.Round",
        on_delete=models.PROTECT,
        related_name="settlements",
        db_index=False,
        verbose_name=_("round"),
    )
    revision = models.PositiveSmallIntegerField(_("revision"))
    deal = models.ForeignKey(
        "tables.Deal", on_delete=models.PROTECT, null=True, related_name="settlements", db_index=False
    )
    rulebook = models.ForeignKey(
        "tables.Rulebook",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("rulebook"),
    )
    authority = models.UUIDField(_("authority"), null=True)
    outcome = models.CharField(_("outcome"), max_length=6, blank=True)
    verdicts = models.JSONField(_("verdicts"))
    overlay = models.JSONField(_("what rulings lay over the verdicts"), default=dict)
    bets_count = models.PositiveIntegerField(_("bets"))
    players_count = models.PositiveIntegerField(_("players"))
    stakes_minor = MinorSumField(_("stakes"))
    returned_minor = MinorSumField(_("returned"))
    kept_minor = MinorSumField(_("kept by the house"))
    moved_minor = MinorSumField(_("moved by this revision"))
    lines_digest = models.BinaryField(_("SHA-256 of the lines"), max_length=32)
    lines_format = models.PositiveSmallIntegerField(_("format of the lines"), default=1, db_default=1)
    created_at = models.DateTimeField(_("settled"))

    class Meta:
        verbose_name = _("settlement")
        verbose_name_plural = _("settlements")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["round", "revision"], name="settlement_revision_once"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="settlement_revision_positive"),
            models.CheckConstraint(
                condition=Q(stakes_minor=F("returned_minor") + F("kept_minor")), name="settlement_adds_up"
            ),
            models.CheckConstraint(
                condition=Q(revision=1) | Q(authority__isnull=False),
                name="settlement_later_revision_has_authority",
            ),
        ]
        indexes = [models.Index(fields=["-created_at", "-id"], name="settlement_newest")]

    def __str__(self) -> str:
        return f"revision {self.revision}"


class SettlementLine(models.Model):
    """What one bet got by one revision; `returned_minor` includes the stake."""

    append_only = True

    pk = models.CompositePrimaryKey("settlement_id", "bet_id")
    settlement = models.ForeignKey(Settlement, on_delete=models.PROTECT, related_name="lines", db_index=False)
    bet = models.ForeignKey("tables.Bet", on_delete=models.PROTECT, related_name="lines")
    result = models.CharField(_("result"), max_length=4)
    returned_minor = models.BigIntegerField(_("returned"))
    moved_minor = models.BigIntegerField(_("moved"))

    class Meta:
        verbose_name = _("line of a settlement")
        verbose_name_plural = _("lines of settlements")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(returned_minor__gte=0)
                & (~Q(result__in=[LineResult.LOST.value, LineResult.OPEN.value]) | Q(returned_minor=0)),
                name="line_returned_in_range",
            ),
            one_of("result", LineResult, "line_result_known"),
        ]

    def __str__(self) -> str:
        return f"{self.result} {self.returned_minor}"
