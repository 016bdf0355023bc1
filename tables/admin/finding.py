"""Findings: what the feed's reader saw that is not as the rules say."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import (
    PresenceFilter,
    TableFilter,
    choice_filter,
    date_range_filter,
    related_filter,
)
from tables.admin.record import Crumb, Fact, Facts, Record, link, list_url, table_link
from tables.admin.round_sheets import hold_badge, say_details
from tables.models import Finding
from tables.templatetags.felt import moment


class HeldFilter(PresenceFilter):
    """Filter by what a finding did to its round."""

    title = gettext_lazy("hold")
    parameter_name = "held"
    words: ClassVar = words.HOLD_STATES
    conditions: ClassVar = {
        "open": {"hold__isnull": False, "hold__lifted_at__isnull": True},
        "lifted": {"hold__lifted_at__isnull": False},
        "noted": {"hold__isnull": True},
    }


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    list_display = ("name", "state", "table_code", "round_name", "details", "found")
    list_filter = (
        date_range_filter("found_at"),
        TableFilter,
        HeldFilter,
        choice_filter(gettext_lazy("finding"), "code", words.FINDINGS),
        related_filter(gettext_lazy("shoe"), "shoe"),
    )
    newest_by = ("found_at", "id")
    prefix_fields = ("round__public_id",)
    search_words = gettext_lazy("Round ID starts with")
    related = ("table", "round", "shoe", "hold")
    list_lead = gettext_lazy(
        "What is wrong is never settled silently: where money may change, the finding holds its round."
    )
    empty_heading = gettext_lazy("Nothing found")
    empty_words = gettext_lazy(
        "Every event of a feed is checked while it is read: cards against the drawing table, the burn, the "
        "blue card, bets after the bell, the table's result against ours. What does not fit appears here."
    )

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("finding"))
    def name(self, found: Finding) -> str:
        return words.spoken(words.FINDINGS, found.code)

    @column(gettext_lazy("state"))
    def state(self, found: Finding) -> SafeString:
        return hold_badge(getattr(found, "hold", None))

    @column(gettext_lazy("table"))
    def table_code(self, found: Finding) -> str:
        return found.table.code

    @column(gettext_lazy("round"))
    def round_name(self, found: Finding) -> SafeString | str:
        return link("round", found.round_id, found.round.public_id, is_id=True) if found.round else ""

    @column(gettext_lazy("details"))
    def details(self, found: Finding) -> str:
        text = say_details(found.data)
        return text if len(text) <= 120 else text[:119] + "…"

    @column(gettext_lazy("found"), is_number=True)
    def found(self, found: Finding) -> SafeString:
        return moment(found.found_at, found.table.zone)

    def record(self, request: HttpRequest, found: Any) -> Record:
        zone = found.table.zone
        facts = [Fact(_("Table"), table_link(found.table))]
        if found.shoe:
            facts.append(Fact(_("Shoe"), link("shoe", found.shoe_id, found.shoe.public_id, is_id=True)))
        if found.round:
            facts.append(Fact(_("Round"), link("round", found.round_id, found.round.public_id, is_id=True)))
        facts += [
            Fact(_("Time at the table"), moment(found.at, zone)),
            Fact(_("Found"), moment(found.found_at, zone)),
            Fact(_("May change money"), _("yes") if found.may_change_money else _("no")),
        ]
        hold = getattr(found, "hold", None)
        if hold is not None:
            facts.append(Fact(_("Hold placed"), moment(hold.placed_at, zone)))
            if hold.lifted_at:
                facts.append(Fact(_("Hold lifted"), moment(hold.lifted_at, zone)))
                facts.append(Fact(_("Lifted by"), hold.lifted_by))
        title = words.spoken(words.FINDINGS, found.code)
        details = [
            Fact(words.spoken(words.DETAILS, name), say_details(value, name))
            for name, value in found.data.items()
        ]
        return Record(
            title=title,
            is_id=False,
            crumbs=[Crumb(_("Findings"), list_url("finding")), Crumb(title)],
            badges=[hold_badge(hold)],
            main=[Facts(_("Details"), details or [Fact(_("Details"), "–")])],
            side=[Facts(_("Where and when"), facts)],
        )
