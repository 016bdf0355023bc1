"""Bets: what the platform sent, what it was answered, what it got."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter, related_filter
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, link, list_url
from tables.admin.round_sheets import say_bet, write_odds
from tables.models import Bet, SettlementLine
from tables.queries.people import reference_of
from tables.templatetags.felt import difference, moment, money, state_badge, with_currency, word


@admin.register(Bet)
class BetAdmin(ReadOnlyAdmin):
    list_display = (
        "platform_bet_id",
        "state",
        "kind_name",
        "stake",
        "player_name",
        "round_id_shown",
        "placed",
    )
    list_filter = (
        choice_filter(gettext_lazy("state"), "status", words.BET_STATES),
        related_filter(gettext_lazy("round"), "round"),
        related_filter(gettext_lazy("player"), "player"),
    )
    prefix_fields = ("platform_bet_id",)
    search_words = gettext_lazy("Bet ID starts with")
    related = ("round__table", "player__identity")
    list_lead = gettext_lazy(
        "Every bet as the platform sent it, newest first. A refused stake is the platform's to return."
    )
    empty_heading = gettext_lazy("No bet yet")
    empty_words = gettext_lazy(
        "Bets come with a table's feed while betting is open, up to 5,000 in one event."
    )

    @column(gettext_lazy("state"))
    def state(self, found: Bet) -> SafeString:
        note = words.spoken(words.REFUSALS, found.refusal) if found.refusal else ""
        return state_badge(words.BET_STATES[found.status], note)

    @column(gettext_lazy("kind"))
    def kind_name(self, found: Bet) -> str:
        return say_bet(found)

    @column(gettext_lazy("stake"), is_number=True)
    def stake(self, found: Bet) -> SafeString:
        currency = found.round.table.currency
        return with_currency(money(found.stake_minor, currency), currency)

    @column(gettext_lazy("player"))
    def player_name(self, found: Bet) -> SafeString:
        return link("player", found.player_id, reference_of(found.player), is_id=True)

    @column(gettext_lazy("round"))
    def round_id_shown(self, found: Bet) -> SafeString:
        return link("round", found.round_id, found.round.public_id, is_id=True)

    @column(gettext_lazy("placed"), is_number=True)
    def placed(self, found: Bet) -> SafeString:
        return moment(found.placed_at, found.round.table.zone)

    def record(self, request: HttpRequest, found: Bet) -> Record:
        table = found.round.table
        facts = [
            Fact(
                pgettext("person", "Player"),
                link("player", found.player_id, reference_of(found.player), is_id=True),
            ),
            Fact(_("Kind"), say_bet(found)),
            Fact(_("Stake"), f"{money(found.stake_minor, table.currency)} {table.currency}"),
            Fact(_("Placed"), moment(found.placed_at, table.zone)),
            Fact(_("Round"), link("round", found.round_id, found.round.public_id, is_id=True)),
        ]
        if request.user.has_perm("tables.view_feedevent"):
            facts.append(Fact(_("Came with event"), link("feedevent", found.event_id, _("open"))))
        if found.phase:
            facts.append(Fact(_("Odds by the rulebook"), write_odds(found.odds_offered) or "–"))
            facts.append(Fact(_("Odds shown"), write_odds(found.odds_shown) or "–"))
        if found.refusal:
            facts.append(Fact(_("Refused because"), words.spoken(words.REFUSALS, found.refusal)))
        return Record(
            title=found.platform_bet_id,
            crumbs=[Crumb(_("Bets"), list_url("bet")), Crumb(found.platform_bet_id)],
            badges=[state_badge(words.BET_STATES[found.status])],
            main=[Facts(_("The bet"), facts)],
            side=[self._results(request, found)],
        )

    def _results(self, request: HttpRequest, found: Bet) -> Rows:
        currency = found.round.table.currency
        lines: Any = SettlementLine.objects.none()
        if self.may_see(request, "settlement"):
            lines = SettlementLine.objects.filter(bet=found).select_related("settlement")
        return Rows(
            _("What it got"),
            [
                Column(_("Revision")),
                Column(_("Result")),
                Column(_("Returned"), True),
                Column(_("Moved"), True),
            ],
            [
                (
                    link("settlement", line.settlement_id, str(line.settlement.revision)),
                    word("RESULT_STATES", line.result),
                    money(line.returned_minor, currency),
                    difference(line.moved_minor, currency),
                )
                for line in lines.order_by("settlement__revision")
            ],
            note=_("stake included"),
            empty=_("Nothing yet: its round is not settled, or the bet was not taken."),
        )
