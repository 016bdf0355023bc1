"""Shoes: how far each has got, where its cards went, its rounds."""

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import TableFilter, choice_filter, date_range_filter
from tables.admin.record import Crumb, list_url
from tables.admin.round import with_holds
from tables.admin.round_sheets import hold_badge, say_details
from tables.models import Round, Shoe
from tables.queries.shoe_page import progress_of, read_shoe_page
from tables.templatetags.felt import moment, shoe_bar, state_badge, zone_name

ROUNDS_SHOWN = 100


@admin.register(Shoe)
class ShoeAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "state", "table_code", "progress", "cards", "burn", "started")
    list_filter = (
        date_range_filter("started_at"),
        TableFilter,
        choice_filter(gettext_lazy("state"), "status", words.SHOE_STATES),
    )
    prefix_fields = ("public_id", "card_set")
    search_words = gettext_lazy("Shoe or card set starts with")
    newest_by = ("started_at", "id")
    related = ("table", "rulebook")
    record_template = "bluecard/shoe.html"
    list_lead = gettext_lazy("Shoes, newest first. The cards of each add up at every moment.")
    empty_heading = gettext_lazy("No shoe has been started")
    empty_words = gettext_lazy("A shoe appears when a table's feed, or a supervisor by keyboard, starts one.")

    def clean_search(self, column: str, text: str) -> str:
        return text.upper() if column == "public_id" else text

    @column(gettext_lazy("state"))
    def state(self, found: Shoe) -> SafeString:
        return state_badge(words.SHOE_STATES[found.status])

    @column(gettext_lazy("table"))
    def table_code(self, found: Shoe) -> str:
        return found.table.code

    @column(gettext_lazy("cards out"))
    def progress(self, found: Shoe) -> SafeString:
        return shoe_bar(progress_of(found))

    @column(gettext_lazy("of"), is_number=True)
    def cards(self, found: Shoe) -> str:
        return f"{found.cards_out} / {found.decks * 52}"

    @column(gettext_lazy("burned"), is_number=True)
    def burn(self, found: Shoe) -> str:
        return write_burn(found)

    @column(gettext_lazy("started"), is_number=True)
    def started(self, found: Shoe) -> SafeString:
        return moment(found.started_at, found.table.zone)

    def page_context(self, request: HttpRequest, found: Shoe) -> dict[str, Any]:
        page = read_shoe_page(found)
        zone = found.table.zone
        rounds = []
        if self.may_see(request, "round"):
            ordered = (
                with_holds(Round.objects.filter(shoe=found)).select_related("dealer").order_by("-number")
            )
            rounds = list(ordered[:ROUNDS_SHOWN])
        return {
            "shoe": found,
            "page": page,
            "zone": zone,
            "zone_name": zone_name(zone),
            "crumbs": [
                Crumb(_("Tables"), list_url("gametable")),
                Crumb(found.table.code, list_url("shoe", f"table={found.table.code}")),
                Crumb(_("Shoe %(number)02d") % {"number": found.number}),
            ],
            "badges": [state_badge(words.SHOE_STATES[found.status])],
            "ending": words.spoken(words.SHOE_ENDINGS, found.end_reason),
            "burn": write_burn(found),
            "until_blue": _until_blue(found, page.progress.blue_card_after),
            "ledger": [(words.WHEREABOUTS[place], count) for place, count in page.ledger.lines() if count],
            "adds_up": page.ledger.left + page.ledger.cards_out == page.progress.cards
            and page.ledger.cards_out == found.cards_out,
            "counts": [
                (outcome, sum(1 for bead in page.beads if bead.outcome == outcome))
                for outcome in words.OUTCOMES
            ],
            "chance": write_chance(page.ranks.chance),
            "most_seen": max(one.seen for one in page.ranks.ranks),
            "rounds": rounds,
            "may_see_findings": self.may_see(request, "finding"),
            "findings": [
                (
                    finding,
                    words.spoken(words.FINDINGS, finding.code),
                    say_details(finding.data),
                    _hold_of(finding),
                )
                for finding in page.findings
            ],
        }


def write_chance(chance: Decimal | None) -> str:
    """Write a probability with two decimals, or that it is below the least of them; nothing for none."""
    if chance is None:
        return ""
    return "p < 0.01" if chance < Decimal("0.01") else f"p = {chance:.2f}"


def write_burn(shoe: Shoe) -> str:
    """Write how many cards were burned of how many were due."""
    if shoe.burn_due is None and shoe.burn_done is None:
        return "–"
    done = 0 if shoe.burn_done is None else shoe.burn_done
    due = "?" if shoe.burn_due is None else shoe.burn_due
    return _("%(done)s of %(due)s") % {"done": done, "due": due}


def _until_blue(shoe: Shoe, blue_card_after: int | None) -> str:
    if shoe.blue_card_at is not None:
        return _("is out")
    if blue_card_after is None:
        return "–"
    return str(max(0, blue_card_after - shoe.cards_out))


def _hold_of(finding: Any) -> SafeString:
    return hold_badge(getattr(finding, "hold", None))
