"""Players as the platform refers to them, with their latest bets and money."""

from collections.abc import Iterable

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url, over
from tables.admin.round_sheets import say_bet
from tables.house import house_zone
from tables.models import Bet, Player, SettlementLine, WalletTransaction
from tables.queries.people import reference_of
from tables.templatetags.felt import delivery_badge, difference, moment, money, with_currency, word

ROWS_SHOWN = 20


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    list_display = ("reference", "number", "first_seen")
    prefix_fields = ("identity__reference",)
    no_filter_because = "of a player nothing is kept but the reference and the first day"
    search_words = gettext_lazy("Reference starts with")
    related = ("identity",)
    list_lead = gettext_lazy(
        "Players by the platform's reference. What is recorded for ever names them by number only."
    )
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("No player yet")
    empty_words = gettext_lazy("A player appears with the first bet the platform sends.")

    @column(gettext_lazy("reference"))
    def reference(self, found: Player) -> str:
        return reference_of(found)

    @column(gettext_lazy("number"), is_number=True)
    def number(self, found: Player) -> str:
        return f"#{found.pk}"

    @column(gettext_lazy("first seen"), is_number=True)
    def first_seen(self, found: Player) -> SafeString:
        return moment(found.first_seen_at, house_zone().key)

    def record(self, request: HttpRequest, found: Player) -> Record:
        name = reference_of(found)
        main = []
        if self.may_see(request, "bet"):
            main.append(self._bets(found, with_results=self.may_see(request, "settlement")))
        if self.may_see(request, "wallettransaction"):
            main.append(self._money(found))
        facts = [
            Fact(_("Number"), f"#{found.pk}"),
            Fact(_("First seen"), moment(found.first_seen_at, house_zone().key)),
        ]
        return Record(
            title=name,
            crumbs=[Crumb(pgettext("person", "Players"), list_url("player")), Crumb(name)],
            main=main,
            side=[Facts(_("The player"), facts)],
        )

    def _bets(self, found: Player, *, with_results: bool) -> Rows:
        latest = Bet.objects.filter(player=found).select_related("round__table").order_by("-id")
        bets = list(latest[:ROWS_SHOWN])
        lines = newest_lines(bets) if with_results else {}
        return Rows(
            _("Latest bets"),
            [
                Column(_("Bet")),
                Column(_("Kind")),
                Column(_("Stake"), True),
                Column(_("Placed"), True),
            ],
            [
                (
                    over(
                        link("bet", bet.pk, bet.platform_bet_id, is_id=True),
                        link("round", bet.round_id, bet.round.public_id, is_id=True),
                    ),
                    over(say_bet(bet), _state(bet, lines.get(bet.pk))),
                    over(
                        with_currency(
                            money(bet.stake_minor, bet.round.table.currency), bet.round.table.currency
                        ),
                        _returned(bet, lines.get(bet.pk)),
                    ),
                    moment(bet.placed_at, bet.round.table.zone),
                )
                for bet in bets
            ],
            empty=_("This player has made no bet."),
            more=all_of(list_url("bet", f"player={found.pk}")),
        )

    def _money(self, found: Player) -> Rows:
        sent = WalletTransaction.objects.filter(player=found)
        sent = sent.select_related("delivery", "receivable", "settlement__round__table").order_by("-id")[
            :ROWS_SHOWN
        ]
        return Rows(
            _("Latest money"),
            [Column(_("Key")), Column(_("Amount"), True), Column(_("Message"))],
            [
                (
                    over(
                        link("wallettransaction", one.pk, one.key, is_id=True),
                        moment(one.created_at, one.settlement.round.table.zone),
                    ),
                    with_currency(difference(one.amount_minor, one.currency), one.currency),
                    delivery_badge(one),
                )
                for one in sent
            ],
            empty=_("No money has moved for this player."),
            more=all_of(list_url("wallettransaction", f"player={found.pk}")),
        )


def newest_lines(bets: Iterable[Bet]) -> dict[int, SettlementLine]:
    """Return what each of some bets got by the newest revision of its round, in one query."""
    lines = SettlementLine.objects.filter(bet__in=[bet.pk for bet in bets]).select_related("settlement")
    return {line.bet_id: line for line in lines.order_by("settlement__revision")}


def _state(bet: Bet, line: SettlementLine | None) -> SafeString:
    """Say how a bet ended, or while it has not, whether it was taken."""
    return word("BET_STATES", bet.status) if line is None else word("RESULT_STATES", line.result)


def _returned(bet: Bet, line: SettlementLine | None) -> str:
    if line is None:
        return ""
    return _("returned %(sum)s") % {"sum": money(line.returned_minor, bet.round.table.currency)}
