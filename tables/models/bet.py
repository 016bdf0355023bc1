"""A bet as the platform sent it, with the answer it got."""

from enum import StrEnum

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MAX_STAKE_MINOR, id_field, one_of


class BetStatus(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    CANCELLED = "cancelled"


class Bet(models.Model):
    """A stake of one player on one bet of one round. The platform took the stake before it came here.

    The only change a bet knows is accepted → cancelled, before the bell.
    """

    append_only = True
    updatable_columns = ("status",)

    platform_bet_id = id_field(_("bet"))
    round = models.ForeignKey(
        "tables.Round", on_delete=models.PROTECT, related_name="bets", verbose_name=_("round")
    )
    player = models.ForeignKey(
        "tables.Player", on_delete=models.PROTECT, related_name="bets", verbose_name=_("player")
    )
    kind = models.CharField(_("kind"), max_length=32)
    phase = models.CharField(_("phase"), max_length=16, blank=True)
    deal = models.ForeignKey(
        "tables.Deal",
        on_delete=models.PROTECT,
        null=True,
        related_name="bets",
        db_index=False,
        verbose_name=_("deal"),
    )
    stake_minor = models.BigIntegerField(_("stake"))
    odds_offered = models.CharField(_("odds by the rulebook"), max_length=16, blank=True)
    odds_shown = models.CharField(_("odds shown"), max_length=16, blank=True)
    status = models.CharField(_("state"), max_length=9)
    refusal = models.CharField(_("refused because"), max_length=32, blank=True)
    placed_at = models.DateTimeField(_("placed"))
    event = models.ForeignKey(
        "tables.FeedEvent", on_delete=models.PROTECT, related_name="bets", db_index=False
    )

    class Meta:
        verbose_name = _("bet")
        verbose_name_plural = _("bets")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["platform_bet_id"], name="bet_id_once"),
            models.CheckConstraint(
                condition=Q(stake_minor__gte=1, stake_minor__lte=MAX_STAKE_MINOR), name="bet_stake_in_range"
            ),
            models.CheckConstraint(
                condition=Q(status=BetStatus.REFUSED.value, refusal__gt="")
                | (~Q(status=BetStatus.REFUSED.value) & Q(refusal="")),
                name="bet_refused_says_why",
            ),
            models.CheckConstraint(
                condition=Q(phase="", deal__isnull=True) | Q(phase__gt=""),
                name="bet_insurance_alone_has_phase",
            ),
            one_of("status", BetStatus, "bet_status_known"),
        ]

    def __str__(self) -> str:
        return self.platform_bet_id


class BetCancellation(models.Model):
    """The platform's word that a bet is cancelled, kept also when the bet has not come yet."""

    append_only = True

    platform_bet_id = id_field(_("bet"))
    event = models.ForeignKey("tables.FeedEvent", on_delete=models.PROTECT, related_name="+", db_index=False)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("cancellation of a bet")
        verbose_name_plural = _("cancellations of bets")
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["platform_bet_id"], name="betcancellation_bet_once")]

    def __str__(self) -> str:
        return self.platform_bet_id
