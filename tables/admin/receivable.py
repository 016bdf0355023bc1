"""Receivables: what the wallet could not take back."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import TableFilter, choice_filter, date_range_filter, related_filter
from tables.admin.receivable_actions import action_urls
from tables.admin.record import Crumb, Fact, Facts, Record, link, list_url, table_link
from tables.models import Receivable
from tables.queries.people import reference_of
from tables.queries.receivables import owed_by_currency
from tables.templatetags.felt import difference, moment, money, state_badge, with_currency


class RoundTableFilter(TableFilter):
    """Filter by the table at which the money was lost."""

    column = "transaction__settlement__round__table__code"


@admin.register(Receivable)
class ReceivableAdmin(ReadOnlyAdmin):
    list_display = ("key", "state", "player_name", "owed", "round_name", "booked")
    list_filter = (
        choice_filter(gettext_lazy("how it ended"), "closing__how", words.RECEIVABLE_ENDS),
        date_range_filter("booked_at"),
        RoundTableFilter,
        related_filter(gettext_lazy("player"), "player"),
    )
    newest_by = ("booked_at", "pk")
    prefix_fields = ("transaction__key", "player__identity__reference")
    search_words = gettext_lazy("Round ID or player starts with")
    related = (
        "transaction__settlement__round__table",
        "transaction__delivery",
        "player__identity",
        "closing",
    )
    list_lead = gettext_lazy("What the wallet could not take back, because the player had too little.")
    empty_heading = gettext_lazy("Nothing is owed")
    empty_words = gettext_lazy(
        "When a debit finds too little money and the table takes what is there, the rest appears here."
    )

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Say in the head what is owed in all, for each currency."""
        sums = [f"{money(minor, currency)} {currency}" for currency, minor in owed_by_currency()]
        totals = _("In all %(sums)s.") % {"sums": ", ".join(sums)} if sums else ""
        return super().changelist_view(request, {"list_totals": totals, **(extra_context or {})})

    @column(gettext_lazy("key"))
    def key(self, found: Receivable) -> str:
        return found.transaction.key

    @column(gettext_lazy("state"))
    def state(self, found: Receivable) -> SafeString:
        return receivable_badge(found)

    def get_urls(self) -> list[URLPattern]:
        return [*action_urls(self), *super().get_urls()]

    @column(gettext_lazy("player"))
    def player_name(self, found: Receivable) -> SafeString:
        return link("player", found.player_id, reference_of(found.player), is_id=True)

    @column(gettext_lazy("owed"), is_number=True)
    def owed(self, found: Receivable) -> SafeString:
        return with_currency(money(found.amount_minor, found.currency), found.currency)

    @column(gettext_lazy("round"))
    def round_name(self, found: Receivable) -> SafeString:
        round_ = found.transaction.settlement.round
        return link("round", round_.pk, round_.public_id, is_id=True)

    @column(gettext_lazy("booked"), is_number=True)
    def booked(self, found: Receivable) -> SafeString:
        return moment(found.booked_at, found.transaction.settlement.round.table.zone)

    def record(self, request: HttpRequest, found: Receivable) -> Record:
        moved = found.transaction
        round_ = moved.settlement.round
        asked, owed = moved.amount_minor, found.amount_minor
        facts = [
            Fact(
                pgettext("person", "Player"),
                link("player", found.player_id, reference_of(found.player), is_id=True),
            ),
            Fact(_("To be taken back"), difference(asked, found.currency)),
            Fact(_("Taken"), difference(asked + owed, found.currency)),
            Fact(_("Still owed"), money(owed, found.currency)),
            Fact(_("Currency"), found.currency),
            Fact(_("Booked"), moment(found.booked_at, round_.table.zone)),
            *_end_of(found, round_.table.zone),
        ]
        about = [
            Fact(_("Wallet transaction"), link("wallettransaction", moved.pk, moved.key, is_id=True)),
            Fact(_("Round"), link("round", round_.pk, round_.public_id, is_id=True)),
            Fact(_("Revision"), moved.settlement.revision),
            Fact(_("Table"), table_link(round_.table)),
        ]
        return Record(
            title=moved.key,
            badges=[receivable_badge(found)],
            crumbs=[Crumb(_("Receivables"), list_url("receivable")), Crumb(moved.key)],
            main=[Facts(_("The receivable"), facts)],
            side=[Facts(_("What it is about"), about)],
        )


def receivable_badge(found: Receivable) -> SafeString:
    """Show whether something is still owed."""
    closing = getattr(found, "closing", None)
    return state_badge(words.RECEIVABLE_ENDS[closing.how] if closing else words.STILL_OWED)


def _end_of(found: Receivable, zone: str) -> list[Fact]:
    closing = getattr(found, "closing", None)
    return [Fact(_("Ended"), moment(closing.closed_at, zone))] if closing else []
