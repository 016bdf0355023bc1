"""Settlements: the immutable revisions of what rounds paid."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import PresenceFilter, date_range_filter, gaming_date_filter, related_filter
from tables.admin.panels import authorities_of
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url, over
from tables.admin.round_sheets import say_bet
from tables.models import Settlement, SettlementLine
from tables.queries.people import reference_of
from tables.queries.timeline import outcome_of
from tables.templatetags.felt import (
    difference,
    disc,
    moment,
    money,
    version_words,
    whole,
    with_currency,
    word,
)

LINES_SHOWN = 50


class MadeByFilter(PresenceFilter):
    """Filter by who made a revision: the engine its first, a ruling every other."""

    title = gettext_lazy("made by")
    parameter_name = "by"
    words: ClassVar = {"engine": gettext_lazy("the engine"), "ruling": gettext_lazy("a ruling")}
    conditions: ClassVar = {
        "engine": {"authority__isnull": True},
        "ruling": {"authority__isnull": False},
    }


@admin.register(Settlement)
class SettlementAdmin(ReadOnlyAdmin):
    list_display = ("round_name", "number", "result", "bets", "staked", "returned", "kept", "made")
    list_filter = (
        date_range_filter("created_at"),
        MadeByFilter,
        related_filter(gettext_lazy("round"), "round"),
        gaming_date_filter("round__shoe__gaming_date"),
    )
    prefix_fields = ("round__public_id",)
    search_words = gettext_lazy("Round ID starts with")
    newest_by = ("created_at", "id")
    related = ("round__table", "round__shoe", "rulebook")
    list_lead = gettext_lazy(
        "Each revision is computed from nothing and never changed; money moves by the difference."
    )
    empty_heading = gettext_lazy("Nothing is settled yet")
    empty_words = gettext_lazy("The worker settles a round as soon as it has a result and nothing holds it.")

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("round"))
    def round_name(self, found: Settlement) -> str:
        return found.round.public_id

    @column(gettext_lazy("revision"), is_number=True)
    def number(self, found: Settlement) -> int:
        return found.revision

    @column(gettext_lazy("result"))
    def result(self, found: Settlement) -> SafeString:
        return disc(outcome_of(found), not outcome_of(found))

    @column(gettext_lazy("bets"), is_number=True)
    def bets(self, found: Settlement) -> str:
        return whole(found.bets_count)

    @column(gettext_lazy("staked"), is_number=True)
    def staked(self, found: Settlement) -> str:
        return money(found.stakes_minor, found.round.table.currency)

    @column(gettext_lazy("returned"), is_number=True)
    def returned(self, found: Settlement) -> str:
        return money(found.returned_minor, found.round.table.currency)

    @column(gettext_lazy("kept by the house"), is_number=True)
    def kept(self, found: Settlement) -> SafeString:
        currency = found.round.table.currency
        return with_currency(difference(found.kept_minor, currency), currency)

    @column(gettext_lazy("settled"), is_number=True)
    def made(self, found: Settlement) -> SafeString:
        return moment(found.created_at, found.round.table.zone)

    def record(self, request: HttpRequest, found: Settlement) -> Record:
        table = found.round.table
        name = _("%(round)s, revision %(number)s") % {
            "round": found.round.public_id,
            "number": found.revision,
        }
        facts = [
            Fact(_("Round"), link("round", found.round_id, found.round.public_id, is_id=True)),
            Fact(_("Rulebook"), link("rulebook", found.rulebook_id, version_words(found.rulebook))),
            Fact(_("Authority"), _authority_of(request, found)),
            Fact(_("Settled"), moment(found.created_at, table.zone)),
            Fact(_("Bets"), whole(found.bets_count)),
            Fact(pgettext("person", "Players"), whole(found.players_count)),
            Fact(
                _("SHA-256 of the lines"),
                format_html('<span class="bc-id">{}</span>', bytes(found.lines_digest).hex()),
            ),
        ]
        sums = [
            Fact(_("Staked"), money(found.stakes_minor, table.currency)),
            Fact(_("Returned"), money(found.returned_minor, table.currency)),
            Fact(_("Kept by the house"), difference(found.kept_minor, table.currency)),
            Fact(_("Moved by this revision"), difference(found.moved_minor, table.currency)),
        ]
        return Record(
            title=name,
            crumbs=[Crumb(_("Settlements"), list_url("settlement")), Crumb(name)],
            badges=[disc(outcome_of(found), not outcome_of(found))],
            main=[self._lines(request, found)],
            side=[Facts(_("Money"), sums, note=table.currency), Facts(_("How it came about"), facts)],
        )

    def _lines(self, request: HttpRequest, found: Settlement) -> Rows:
        currency = found.round.table.currency
        lines = (
            SettlementLine.objects.filter(settlement=found)
            .select_related("bet__player__identity")
            .order_by("bet_id")[:LINES_SHOWN]
            if self.may_see(request, "bet")
            else []
        )
        return Rows(
            _("Lines"),
            [
                Column(_("Bet")),
                Column(_("Kind")),
                Column(_("Stake"), True),
                Column(_("Returned"), True),
                Column(_("Moved"), True),
            ],
            [
                (
                    over(
                        link("bet", line.bet_id, line.bet.platform_bet_id, is_id=True),
                        link("player", line.bet.player_id, reference_of(line.bet.player), is_id=True),
                    ),
                    say_bet(line.bet),
                    money(line.bet.stake_minor, currency),
                    over(money(line.returned_minor, currency), word("RESULT_STATES", line.result)),
                    difference(line.moved_minor, currency),
                )
                for line in lines
            ],
            note=_("the first %(shown)s of %(all)s")
            % {"shown": min(LINES_SHOWN, found.bets_count), "all": whole(found.bets_count)},
            empty=_("This revision has no lines to show."),
            more=all_of(reverse("admin:tables_round_revisions", args=[found.round_id])),
        )


def _authority_of(request: HttpRequest, found: Settlement) -> Any:
    """Say by what a revision was made; by its bare identifier only where nobody may say more."""
    if found.authority is None:
        return _("the engine")
    return authorities_of(request, [found.authority]).get(found.authority, found.authority)
