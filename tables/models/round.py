"""A round (coup), its deals, and what keeps it from being settled."""

from enum import StrEnum

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import id_field, one_of


class RoundStatus(StrEnum):
    BETTING = "betting"
    DEALING = "dealing"
    INSURANCE = "insurance"
    RESULTED = "resulted"
    SETTLED = "settled"
    VOIDED = "voided"


# What may follow what; the trigger of migration 0002 holds the same table.
ROUND_FLOW: dict[RoundStatus, frozenset[RoundStatus]] = {
    RoundStatus.BETTING: frozenset({RoundStatus.DEALING, RoundStatus.VOIDED}),
    RoundStatus.DEALING: frozenset({RoundStatus.INSURANCE, RoundStatus.RESULTED, RoundStatus.VOIDED}),
    RoundStatus.INSURANCE: frozenset({RoundStatus.DEALING, RoundStatus.VOIDED}),
    RoundStatus.RESULTED: frozenset({RoundStatus.SETTLED, RoundStatus.DEALING, RoundStatus.VOIDED}),
    RoundStatus.SETTLED: frozenset({RoundStatus.DEALING, RoundStatus.VOIDED}),
    RoundStatus.VOIDED: frozenset({RoundStatus.DEALING, RoundStatus.RESULTED, RoundStatus.SETTLED}),
}


class IllegalTransition(Exception):
    """A state was asked to go where its table of transitions does not lead."""

    def __init__(self, subject: str, now: str, wanted: str) -> None:
        super().__init__(f"{subject} is {now}; it cannot become {wanted}")
        self.now, self.wanted = now, wanted


def require_transition(now: str, wanted: RoundStatus) -> None:
    """Raise unless a round that is `now` may become `wanted`.

    :raises IllegalTransition: naming both states.
    """
    if wanted not in ROUND_FLOW[RoundStatus(now)]:
        raise IllegalTransition("the round", now, wanted.value)


class DealStatus(StrEnum):
    LIVE = "live"
    DEAD = "dead"


class Round(models.Model):
    """One round of play, from the opening of betting to its settlement."""

    public_id = id_field(_("round"), 24)
    platform_id = id_field(_("platform's ID"))
    table = models.ForeignKey(
        "tables.GameTable",
        on_delete=models.PROTECT,
        related_name="rounds",
        db_index=False,
        verbose_name=_("table"),
    )
    shoe = models.ForeignKey(
        "tables.Shoe", on_delete=models.PROTECT, related_name="rounds", db_index=False, verbose_name=_("shoe")
    )
    rulebook = models.ForeignKey(
        "tables.Rulebook",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("rulebook"),
    )
    dealer = models.ForeignKey(
        "tables.Dealer",
        on_delete=models.PROTECT,
        null=True,
        related_name="rounds",
        db_index=False,
        verbose_name=_("dealer"),
    )
    camera = models.CharField(_("camera"), max_length=24, default="", db_default="")
    number = models.PositiveSmallIntegerField(_("number"))
    window_number = models.PositiveSmallIntegerField(_("number for bet windows"))
    status = models.CharField(_("state"), max_length=12, default=RoundStatus.BETTING.value)
    betting_opened_at = models.DateTimeField(_("betting opened"))
    betting_closed_at = models.DateTimeField(_("bell"), null=True)
    resulted_at = models.DateTimeField(_("result"), null=True)
    settled_at = models.DateTimeField(_("settled"), null=True)
    outcome = models.CharField(_("outcome"), max_length=6, null=True)  # noqa: DJ001  null = none yet
    player_total = models.PositiveSmallIntegerField(_("Player's total"), null=True)
    banker_total = models.PositiveSmallIntegerField(_("Banker's total"), null=True)
    claimed = models.JSONField(_("the table's own claim"), null=True)

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="round_public_id_once"),
            models.UniqueConstraint(fields=["shoe", "number"], name="round_number_once_per_shoe"),
            models.UniqueConstraint(fields=["table", "platform_id"], name="round_platform_id_once_per_table"),
            models.CheckConstraint(condition=Q(number__gte=1, number__lte=999), name="round_number_in_range"),
            models.CheckConstraint(condition=Q(window_number__gte=1), name="round_window_number_positive"),
            models.CheckConstraint(
                condition=~Q(status=RoundStatus.SETTLED.value)
                | Q(outcome__isnull=False, player_total__isnull=False, banker_total__isnull=False),
                name="round_settled_has_outcome",
            ),
            models.CheckConstraint(
                condition=Q(outcome__isnull=True) | Q(outcome__in=["player", "banker", "tie"]),
                name="round_outcome_known",
            ),
            models.CheckConstraint(
                condition=(Q(player_total__isnull=True) | Q(player_total__lte=9))
                & (Q(banker_total__isnull=True) | Q(banker_total__lte=9)),
                name="round_totals_in_range",
            ),
            models.CheckConstraint(
                condition=(
                    Q(betting_closed_at__isnull=True) | Q(betting_closed_at__gte=F("betting_opened_at"))
                )
                & (
                    Q(resulted_at__isnull=True)
                    | Q(betting_closed_at__isnull=False, resulted_at__gte=F("betting_closed_at"))
                ),
                name="round_times_ordered",
            ),
            one_of("status", RoundStatus, "round_status_known"),
        ]
        indexes = [
            models.Index(fields=["-betting_opened_at", "-id"], name="round_newest"),
            models.Index(fields=["table", "-betting_opened_at"], name="round_newest_of_table"),
            models.Index(fields=["dealer", "-betting_opened_at"], name="round_newest_of_dealer"),
            models.Index(fields=["platform_id"], name="round_platform_id"),
            models.Index(
                fields=["resulted_at"],
                condition=Q(status=RoundStatus.RESULTED.value),
                name="round_waits_to_settle",
            ),
            # Nearly all rounds are settled: the few of another state are found without passing those by.
            models.Index(
                fields=["status", "-betting_opened_at", "-id"],
                condition=~Q(status=RoundStatus.SETTLED.value),
                name="round_newest_not_settled",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class Deal(models.Model):
    """One dealing of a round's cards. A re-deal kills the deal that lives and starts another."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="deals", db_index=False)
    number = models.PositiveSmallIntegerField(_("deal"), default=1)
    status = models.CharField(_("state"), max_length=8, default=DealStatus.LIVE.value)
    started_at = models.DateTimeField(_("started"))
    authority = models.UUIDField(_("authority"), null=True)
    died_at = models.DateTimeField(_("killed"), null=True)

    class Meta:
        verbose_name = _("deal")
        verbose_name_plural = _("deals")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="deal_number_once_per_round"),
            models.UniqueConstraint(
                fields=["round"], condition=Q(status=DealStatus.LIVE.value), name="deal_one_live_per_round"
            ),
            models.CheckConstraint(
                condition=Q(status=DealStatus.LIVE.value, died_at__isnull=True)
                | Q(status=DealStatus.DEAD.value, died_at__isnull=False),
                name="deal_dead_has_time",
            ),
            one_of("status", DealStatus, "deal_status_known"),
        ]

    def __str__(self) -> str:
        return f"deal {self.number}"


class InsuranceOffer(models.Model):
    """One opening of insurance in a deal, with what the rulebook offers and what the table showed."""

    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="insurance_offers", db_index=False)
    phase = models.CharField(_("phase"), max_length=16)
    offered = models.JSONField(_("offered by the rulebook"))
    shown = models.JSONField(_("shown at the table"), default=dict)
    opened_at = models.DateTimeField(_("opened"))
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("insurance offer")
        verbose_name_plural = _("insurance offers")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["deal", "phase"], name="insurance_phase_once_per_deal"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(closed_at__gte=F("opened_at")),
                name="insurance_times_ordered",
            ),
        ]

    def __str__(self) -> str:
        return self.phase


class Finding(models.Model):
    """Something the feed's reader saw that is not as the rules say."""

    append_only = True

    table = models.ForeignKey(
        "tables.GameTable", on_delete=models.PROTECT, related_name="findings", verbose_name=_("table")
    )
    shoe = models.ForeignKey(
        "tables.Shoe", on_delete=models.PROTECT, null=True, related_name="findings", verbose_name=_("shoe")
    )
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, related_name="findings", verbose_name=_("round")
    )
    code = models.CharField(_("finding"), max_length=40)
    may_change_money = models.BooleanField(_("may change money"))
    data = models.JSONField(_("details"), default=dict)
    at = models.DateTimeField(_("time at the table"))
    found_at = models.DateTimeField(_("found"))

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings")
        default_permissions = ("view",)
        indexes = [models.Index(fields=["-found_at", "-id"], name="finding_newest")]

    def __str__(self) -> str:
        return self.code


class Hold(models.Model):
    """A reason not to settle a round. While one is open the round waits."""

    append_only = True
    updatable_columns = ("lifted_at", "lifted_by")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="holds")
    finding = models.OneToOneField(Finding, on_delete=models.PROTECT, null=True, related_name="hold")
    reason = models.CharField(_("reason"), max_length=40)
    authority = models.UUIDField(_("authority"), null=True)
    placed_at = models.DateTimeField(_("placed"))
    lifted_at = models.DateTimeField(_("lifted"), null=True)
    lifted_by = models.CharField(_("lifted by"), max_length=120, blank=True)

    class Meta:
        verbose_name = _("hold")
        verbose_name_plural = _("holds")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True) | Q(lifted_at__gte=F("placed_at")),
                name="hold_times_ordered",
            )
        ]
        indexes = [models.Index(fields=["placed_at"], condition=Q(lifted_at__isnull=True), name="hold_open")]

    def __str__(self) -> str:
        return self.reason
