"""A table: where it stands, what it plays by, and where its feed has got to."""

import re
from enum import StrEnum

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MAX_STAKE_MINOR, one_of
from tables.rules.shortage import DebitPolicy

# Letters that look like others (I, L, O, U) are left out, as in the round ID that begins with the code.
TABLE_CODE = r"^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{1,5}$"
TABLE_CODE_PATTERN = re.compile(TABLE_CODE)


class TableStatus(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    CLOSED_BY_FAULT = "closed_by_fault"


class GameTable(models.Model):
    """A live baccarat table. Set up and changed by named actions only."""

    code = models.CharField(_("code"), max_length=6, unique=True, validators=[RegexValidator(TABLE_CODE)])
    name = models.CharField(_("name"), max_length=80)
    currency = models.CharField(_("currency"), max_length=3)
    zone = models.CharField(_("time zone"), max_length=64, default="Asia/Bangkok")
    gaming_day_starts_hour = models.PositiveSmallIntegerField(_("gaming day starts, hour"), default=6)
    is_animation = models.BooleanField(_("animation table"), default=False)
    rulebook = models.ForeignKey(
        "tables.Rulebook", on_delete=models.PROTECT, related_name="tables", verbose_name=_("rulebook")
    )
    min_stake_minor = models.BigIntegerField(_("lowest stake"))
    max_stake_minor = models.BigIntegerField(_("highest stake"))
    second_person_minor = models.BigIntegerField(_("two persons above"), default=5_000_000)
    sign_in_again_minor = models.BigIntegerField(_("sign in again above"), default=50_000_000)
    debit_policy = models.CharField(
        _("when the wallet is short"), max_length=8, default=DebitPolicy.RECEIVABLE.value
    )
    camera = models.CharField(_("camera"), max_length=24, blank=True, default="", db_default="")
    bet_limits = models.JSONField(_("limits of single bets"), default=dict, blank=True)
    status = models.CharField(_("state"), max_length=16, default=TableStatus.CLOSED.value)

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        default_permissions = ("view",)
        permissions = [
            ("set_up_table", "Set up tables, limits and rulebooks of tables"),
            ("open_table", "Open and close tables"),
            ("key_play", "Key in play that no scanner saw"),
            ("accept_gap", "Accept a gap in a table's feed"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(code__regex=TABLE_CODE), name="gametable_code_form"),
            models.CheckConstraint(
                condition=Q(currency__regex=r"^[A-Z]{3}$"), name="gametable_currency_form"
            ),
            models.CheckConstraint(
                condition=Q(gaming_day_starts_hour__gte=0, gaming_day_starts_hour__lte=23),
                name="gametable_hour_of_day",
            ),
            models.CheckConstraint(
                condition=Q(min_stake_minor__gte=1, max_stake_minor__lte=MAX_STAKE_MINOR)
                & Q(max_stake_minor__gte=F("min_stake_minor")),
                name="gametable_limits_in_range",
            ),
            one_of("status", TableStatus, "gametable_status_known"),
            one_of("debit_policy", DebitPolicy, "gametable_debit_policy_known"),
            models.CheckConstraint(
                condition=Q(second_person_minor__gte=0)
                & Q(sign_in_again_minor__gte=F("second_person_minor")),
                name="gametable_thresholds_ordered",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class TableState(models.Model):
    """What lies on a table now and where its feed has got to. All play on a table locks this row."""

    table = models.OneToOneField(
        GameTable, on_delete=models.PROTECT, primary_key=True, related_name="state", verbose_name=_("table")
    )
    next_seq = models.BigIntegerField(_("next sequence number"), default=1)
    gap_seen_seq = models.BigIntegerField(_("sequence number seen beyond a gap"), null=True)
    last_event_at = models.DateTimeField(_("last event"), null=True)
    last_heartbeat_at = models.DateTimeField(_("last heartbeat"), null=True)
    dealer = models.ForeignKey("tables.Dealer", on_delete=models.PROTECT, null=True, related_name="+")
    shoe = models.ForeignKey("tables.Shoe", on_delete=models.PROTECT, null=True, related_name="+")
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = _("state of a table")
        verbose_name_plural = _("states of tables")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(next_seq__gte=1), name="tablestate_next_seq_positive")
        ]

    def __str__(self) -> str:
        return f"{self.table_id} next {self.next_seq}"
