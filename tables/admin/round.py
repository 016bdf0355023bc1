"""Rounds: the list, and the page that shows one as it was dealt and what it paid."""

from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

from django.contrib import admin
from django.db.models import Case, Exists, F, Model, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.coup_view import CoupView, describe_outcome, view_coup
from tables.admin.filters import (
    ChoiceFilter,
    TableFilter,
    choice_filter,
    date_range_filter,
    gaming_date_filter,
    related_filter,
)
from tables.admin.panels import panels_of, round_lines_of
from tables.admin.record import Crumb, list_url
from tables.admin.round_history import history_page
from tables.admin.round_sheets import bet_context, finding_lines
from tables.models import Hold, Round, RoundStatus, Settlement
from tables.queries.round_money import BetOrder, Moves
from tables.queries.round_page import RoundPage, read_round_page
from tables.queries.timeline import outcome_of
from tables.rules.round_id import BadRoundId, make_round_id, parse_round_id
from tables.templatetags.felt import disc, moment, money, state_badge, whole, zone_name
from tables.timeline_words import timeline_lines


class Banner(NamedTuple):
    """A line over the coup that says what is unusual about this round."""

    tone: str
    icon: str
    heading: str
    words: SafeString | str


class DeadCoup(NamedTuple):
    title: str
    badge: SafeString
    coup: CoupView


class HoldFilter(ChoiceFilter):
    """Filter by what an open hold makes of a round, whoever placed it."""

    title = gettext_lazy("hold")
    parameter_name = "hold"
    words: ClassVar = {code: words.ROUND_STATES[code] for code in ("held", "disputed")}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in self.words:
            return queryset
        # Open holds are few: rounds are found by them, not each round asked whether it has one.
        held = Hold.objects.filter(lifted_at__isnull=True).values("round")
        return queryset.filter(pk__in=held, shown_state=self.value())


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "state", "result", "table_code", "number_in_shoe", "dealer_name", "opened")
    list_filter = (
        date_range_filter("betting_opened_at"),
        TableFilter,
        choice_filter(
            gettext_lazy("state"),
            "status",
            {k: v for k, v in words.ROUND_STATES.items() if k not in words.ROUND_STATES_OF_A_HOLD},
        ),
        HoldFilter,
        related_filter(gettext_lazy("shoe"), "shoe"),
        related_filter(gettext_lazy("dealer"), "dealer"),
        gaming_date_filter("shoe__gaming_date"),
    )
    prefix_fields = ("public_id", "platform_id")
    search_words = gettext_lazy("Round ID or the platform's ID starts with")
    newest_by = ("betting_opened_at", "id")
    related = ("table", "shoe", "dealer")
    record_template = "bluecard/round.html"
    list_lead = gettext_lazy("Every round that was opened for betting, newest first.")
    empty_heading = gettext_lazy("No round has been played yet")
    empty_words = gettext_lazy(
        "A round appears when a table's feed sends that betting has opened. Until then, check that the "
        "tables are open and that their feed is heard."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return with_holds(super().get_queryset(request))

    def clean_search(self, column: str, text: str) -> str:
        return text.upper() if column == "public_id" else text

    @column(gettext_lazy("state"))
    def state(self, found: Any) -> SafeString:
        return state_badge(words.ROUND_STATES[found.shown_state])

    @column(gettext_lazy("result"))
    def result(self, found: Round) -> SafeString | str:
        return disc(found.outcome or "", found.status == RoundStatus.VOIDED) if found.outcome else ""

    @column(gettext_lazy("table"))
    def table_code(self, found: Round) -> str:
        return found.table.code

    @column(gettext_lazy("number"), is_number=True)
    def number_in_shoe(self, found: Round) -> int:
        return found.number

    @column(gettext_lazy("dealer"))
    def dealer_name(self, found: Round) -> str:
        return found.dealer.name if found.dealer else ""

    @column(gettext_lazy("betting opened"), is_number=True)
    def opened(self, found: Round) -> SafeString:
        return moment(found.betting_opened_at, found.table.zone)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Find a round by its key or, so that an address can be read aloud, by its public ID."""
        if object_id.isdigit():
            return super().get_object(request, object_id, from_field)
        try:
            public_id = make_round_id(*parse_round_id(object_id))
        except BadRoundId:
            return None
        return self.get_queryset(request).filter(public_id=public_id).first()

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(self.revisions)
        return [path("<path:object_id>/revisions/", page, name="tables_round_revisions"), *super().get_urls()]

    def revisions(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show all revisions of a round side by side."""
        return history_page(self, request, object_id)

    def page_context(self, request: HttpRequest, found: Round) -> dict[str, Any]:
        may_see_bets = self.may_see(request, "bet") and self.may_see(request, "settlement")
        may_see_journal = self.may_see(request, "journalentry")
        page = read_round_page(
            found,
            order=_order(request.GET.get("bets", "")),
            with_money=may_see_bets,
            with_journal=may_see_journal,
        )
        outcomes = {s.pk: _outcome_of(s, page) for s in page.settlements}
        live = page.live
        return {
            "round": found,
            "page": page,
            "zone": found.table.zone,
            "zone_name": zone_name(found.table.zone),
            "currency": found.table.currency,
            "crumbs": crumbs_of(found),
            "badges": badges_of(page),
            "banners": banners_of(page),
            "revisions_url": reverse("admin:tables_round_revisions", args=[found.pk])
            if may_see_bets and len(page.settlements) > 1
            else "",
            "coup": view_coup(live) if live and (live.cards or live.due) else None,
            "dead_coups": [
                DeadCoup(
                    _("Deal %(number)s") % {"number": dead.number},
                    state_badge(words.State("void", "struck", _("Dead, dealt again"))),
                    view_coup(dead),
                )
                for dead in page.dead
            ],
            "timeline": sorted(
                [*timeline_lines(page.timeline, outcomes), *round_lines_of(request, found)],
                key=attrgetter("at"),
            ),
            "counts": [(outcome, page.place.count(outcome)) for outcome in words.OUTCOMES],
            "may_see_bets": may_see_bets,
            "may_see_wallet": self.may_see(request, "wallettransaction"),
            "may_see_findings": self.may_see(request, "finding"),
            "may_see_journal": may_see_journal,
            "findings": finding_lines(page),
            "panels": panels_of(request, found),
            **bet_context(page, outcomes),
        }


def _order(text: str) -> BetOrder:
    return BetOrder(text) if text in set(BetOrder) else BetOrder.LARGEST


def with_holds(rounds: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate rounds with the state to show: under an open hold held or disputed, else their own."""
    held = Hold.objects.filter(round=OuterRef("pk"), lifted_at__isnull=True)
    is_settled, is_void = Q(status=RoundStatus.SETTLED.value), Q(status=RoundStatus.VOIDED.value)
    return rounds.annotate(
        shown_state=Case(
            When(is_settled & Exists(held), then=Value("disputed")),
            When(~is_settled & ~is_void & Exists(held), then=Value("held")),
            default=F("status"),
        )
    )


def state_of_hold(round_: Round, is_held: bool) -> str:
    """Name what an open hold makes of a round: held before it is settled, disputed after; else nothing."""
    if not is_held or round_.status == RoundStatus.VOIDED:
        return ""
    return "disputed" if round_.status == RoundStatus.SETTLED else "held"


def crumbs_of(round_: Round) -> list[Crumb]:
    """Lead from all rounds over the table and the shoe to this round."""
    return [
        Crumb(_("Rounds"), list_url("round")),
        Crumb(
            _("Table %(code)s") % {"code": round_.table.code}, list_url("round", f"table={round_.table.code}")
        ),
        Crumb(
            _("Shoe %(number)02d") % {"number": round_.shoe.number},
            list_url("round", f"shoe={round_.shoe_id}"),
        ),
        Crumb(_("Round %(number)s") % {"number": round_.number}),
    ]


def badges_of(page: RoundPage) -> list[SafeString]:
    """Show a round's state, and its revision when it is not the first."""
    under_hold = state_of_hold(page.round, bool(page.open_holds))
    states = [under_hold, page.round.status] if under_hold else [page.round.status]
    shown = [state_badge(words.ROUND_STATES[state]) for state in states]
    if page.newest and page.newest.revision > 1:
        revision = _("revision %(number)s") % {"number": page.newest.revision}
        shown.append(state_badge(words.State("corrected", "pencil", _("By ruling")), revision))
    return shown


def banners_of(page: RoundPage) -> list[Banner]:
    """Say why a round waits, and what its newest revision changed."""
    found = []
    if page.open_holds:
        reasons = [words.spoken(words.FINDINGS, hold.reason) for hold in page.open_holds]
        settled = page.newest is not None
        heading = (
            _("Disputed: held after it was settled.")
            if settled
            else _("Held: this round waits to be settled.")
        )
        found.append(Banner("waits", "pause", heading, "; ".join(dict.fromkeys(reasons)) + "."))
    elif page.round.status == RoundStatus.RESULTED and page.newest is None:
        found.append(
            Banner("running", "clock", _("Settling."), _("The worker settles this round in a moment."))
        )
    if page.newest and page.before:
        words_of_both = {"was": _outcome_of(page.before, page), "now": _outcome_of(page.newest, page)}
        heading = _("Was %(was)s, is %(now)s.") % words_of_both
        found.append(
            Banner("corrected", "pencil", heading, _say_moves(page.moves, page.round.table.currency))
        )
    return found


def _say_moves(moves: Moves | None, currency: str) -> str:
    if moves is None:
        return ""
    gained = ngettext("%(count)s player gained %(sum)s", "%(count)s players gained %(sum)s", moves.gaining)
    gave = ngettext("%(count)s gave back %(sum)s", "%(count)s gave back %(sum)s", moves.losing)
    return "{}, {}.".format(
        gained % {"count": whole(moves.gaining), "sum": money(moves.gained_minor, currency)},
        gave % {"count": whole(moves.losing), "sum": money(moves.lost_minor, currency)},
    )


def _outcome_of(settlement: Settlement, page: RoundPage) -> str:
    """Say how a revision ended, with the totals of the cards it was computed from where they are known."""
    outcome = outcome_of(settlement)
    live = page.live
    for coup in (live.coup, live.first_coup) if live else ():
        if coup is not None and coup.outcome == outcome:
            return describe_outcome(outcome, coup.player_total, coup.banker_total)
    return describe_outcome(outcome, None, None)
