"""Dead letters: wallet messages that were given up, why, what waits behind them, and what a person can do."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.dead_letter_actions import action_urls
from tables.admin.filters import ChoiceFilter, TableFilter, date_range_filter, related_filter
from tables.admin.record import (
    Column,
    Crumb,
    Fact,
    Facts,
    Record,
    Rows,
    all_of,
    link,
    list_url,
    table_link,
)
from tables.models import DeliveryStatus, WalletDelivery
from tables.models.wallet import UNFINISHED
from tables.queries.dead_letters import dead_letters, waiting_behind
from tables.queries.people import reference_of
from tables.templatetags.felt import delivery_badge, difference, moment, whole, with_currency

BEHIND_SHOWN = 20


class RoundTableFilter(TableFilter):
    """Filter by the table at which the money was won or lost."""

    column = "transaction__settlement__round__table__code"


NO_ANSWER = "none"


class WhyFilter(ChoiceFilter):
    """Filter by what the wallet answered; no answer at all is a choice too."""

    title = gettext_lazy("why")
    parameter_name = "answer"
    words: ClassVar = {code or NO_ANSWER: word for code, word in words.GIVEN_UP_BECAUSE.items()}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value not in self.words:
            return queryset
        return queryset.filter(answer="" if value == NO_ANSWER else value)


@admin.register(WalletDelivery)
class DeadLetterAdmin(ReadOnlyAdmin):
    list_display = ("key", "player_name", "amount", "why", "behind", "since")
    list_filter = (
        date_range_filter("answered_at"),
        RoundTableFilter,
        WhyFilter,
        related_filter(gettext_lazy("player"), "player"),
    )
    newest_by = ("answered_at", "pk")
    prefix_fields = ("transaction__key", "player__identity__reference")
    search_words = gettext_lazy("Round ID or player starts with")
    related = ("transaction__settlement__round__table", "transaction__receivable", "player__identity")
    list_lead = gettext_lazy(
        "Wallet messages that were given up. Later messages to the same player wait behind each of them."
    )
    empty_heading = gettext_lazy("No message waits for a person")
    empty_words = gettext_lazy(
        "What the wallet refuses for good, or does not answer in 24 hours of trying, appears here."
    )

    def get_urls(self) -> list[URLPattern]:
        return [*action_urls(self), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """List what waits for a person; a page is there for every message, so that links to it last."""
        name = request.resolver_match.url_name if request.resolver_match else ""
        if "changelist" in (name or ""):
            return dead_letters().select_related(*self.related)
        return super().get_queryset(request)

    def older_than(self, pk: int) -> Q:
        pivot = WalletDelivery.objects.filter(pk=pk).values_list("answered_at", flat=True).first()
        if pivot is None:
            return Q(pk__lt=pk)
        return Q(answered_at__lt=pivot) | Q(answered_at=pivot, pk__lt=pk)

    @column(gettext_lazy("key"))
    def key(self, found: WalletDelivery) -> str:
        return found.transaction.key

    @column(gettext_lazy("player"))
    def player_name(self, found: WalletDelivery) -> SafeString:
        return link("player", found.player_id, reference_of(found.player), is_id=True)

    @column(gettext_lazy("amount"), is_number=True)
    def amount(self, found: WalletDelivery) -> SafeString:
        moved = found.transaction
        return with_currency(difference(moved.amount_minor, moved.currency), moved.currency)

    @column(gettext_lazy("why"))
    def why(self, found: WalletDelivery) -> str:
        return words.spoken(words.GIVEN_UP_BECAUSE, found.answer)

    @column(gettext_lazy("waiting behind"), is_number=True)
    def behind(self, found: Any) -> str:
        return whole(found.behind_count)

    @column(gettext_lazy("given up"), is_number=True)
    def since(self, found: WalletDelivery) -> SafeString:
        return moment(found.answered_at, found.transaction.settlement.round.table.zone)

    def record(self, request: HttpRequest, found: WalletDelivery) -> Record:
        moved = found.transaction
        round_ = moved.settlement.round
        zone = round_.table.zone
        is_dead = found.status == DeliveryStatus.DEAD
        why = [
            Fact(_("State"), delivery_badge(moved)),
            Fact(_("Why"), words.spoken(words.GIVEN_UP_BECAUSE, found.answer) if is_dead else "–"),
            Fact(_("What the wallet said"), found.last_error or "–"),
            Fact(_("Attempts"), whole(found.attempts)),
            Fact(_("Given up") if is_dead else _("Answered"), moment(found.answered_at, zone) or "–"),
        ]
        about = [
            Fact(
                pgettext("person", "Player"),
                link("player", found.player_id, reference_of(found.player), is_id=True),
            ),
            Fact(_("Amount"), difference(moved.amount_minor, moved.currency)),
            Fact(_("Currency"), moved.currency),
            Fact(_("Round"), link("round", round_.pk, round_.public_id, is_id=True)),
            Fact(_("Revision"), moved.settlement.revision),
            Fact(_("Wallet transaction"), link("wallettransaction", moved.pk, moved.key, is_id=True)),
            Fact(_("Table"), table_link(round_.table)),
            Fact(
                _("When the wallet is short"),
                words.spoken(words.DEBIT_POLICIES, found.debit_policy or round_.table.debit_policy),
            ),
        ]
        if self.may_see(request, "journalentry"):
            query = f"subject_type=wallettransaction&subject_id={moved.pk}"
            journal = format_html(
                '<a class="bc-link" href="{}">{}</a>', list_url("journalentry", query), _("What was done")
            )
            about.append(Fact(_("Journal"), journal))
        return Record(
            title=moved.key,
            crumbs=[Crumb(_("Dead letters"), list_url("walletdelivery")), Crumb(moved.key)],
            badges=[delivery_badge(moved)],
            main=[Facts(_("The message"), why), _rows_behind(found, zone)],
            side=[Facts(_("What it is about"), about)],
        )


def _rows_behind(found: WalletDelivery, zone: str) -> Rows:
    """Show the messages that wait behind a message that is not through yet."""
    waiting = waiting_behind(found) if found.status in UNFINISHED else WalletDelivery.objects.none()
    count = waiting.count()
    return Rows(
        _("Waiting behind it"),
        [Column(_("Key")), Column(_("Amount"), True), Column(_("State")), Column(_("Booked"), True)],
        [
            (
                link("wallettransaction", one.pk, one.transaction.key, is_id=True),
                with_currency(
                    difference(one.transaction.amount_minor, one.transaction.currency),
                    one.transaction.currency,
                ),
                words.DELIVERY_STATES[one.status].word,
                moment(one.transaction.created_at, zone),
            )
            for one in waiting[:BEHIND_SHOWN]
        ],
        note=ngettext("%(count)s message", "%(count)s messages", count) % {"count": whole(count)},
        more=all_of(list_url("wallettransaction", f"player={found.player_id}&delivery__status=waiting")),
        empty=_("No later message to this player waits."),
    )
