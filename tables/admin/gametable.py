"""Tables: what each plays by, and what lies on it now."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url
from tables.admin.round import with_holds
from tables.admin.table_buttons import action_urls, list_buttons
from tables.admin.table_sheets import rulebook_sheet, shifts_sheet, shoes_sheet
from tables.models import GameTable, Round, RoundStatus
from tables.templatetags.felt import (
    badge,
    disc,
    moment,
    money,
    state_badge,
    version_words,
    whole,
    with_currency,
)

ROUNDS_SHOWN = 12


@admin.register(GameTable)
class GameTableAdmin(ReadOnlyAdmin):
    list_display = ("code", "name", "status_badge", "plays_by", "limits", "now", "heard")
    list_filter = (choice_filter(gettext_lazy("state"), "status", words.TABLE_STATES),)
    prefix_fields = ("code",)
    search_words = gettext_lazy("Code starts with")
    newest_by = ("code",)
    related = ("rulebook", "state__shoe", "state__round", "state__dealer")
    list_lead = gettext_lazy(
        "The tables of the house. They are set up and changed by named actions, each in the journal."
    )
    empty_heading = gettext_lazy("No table is set up")
    empty_words = gettext_lazy(
        "A table needs a published rulebook, a currency and limits before its feed is heard."
    )

    def get_urls(self) -> list[URLPattern]:
        return [*action_urls(self), *super().get_urls()]

    def get_ordering(self, request: HttpRequest) -> list[str]:
        return ["code"]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(
            request, {"head_buttons": list_buttons(request), **(extra_context or {})}
        )

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("state"))
    def status_badge(self, found: GameTable) -> SafeString:
        return state_badge(words.TABLE_STATES[found.status])

    @column(gettext_lazy("rulebook"))
    def plays_by(self, found: GameTable) -> SafeString:
        return link("rulebook", found.rulebook_id, version_words(found.rulebook))

    @column(gettext_lazy("limits"), is_number=True)
    def limits(self, found: GameTable) -> SafeString:
        return with_currency(write_limits(found), found.currency)

    @column(gettext_lazy("round now"))
    def now(self, found: GameTable) -> SafeString | str:
        round_ = state_of(found, "round")
        return link("round", round_.pk, round_.public_id, is_id=True) if round_ else ""

    @column(gettext_lazy("last event"), is_number=True)
    def heard(self, found: GameTable) -> SafeString:
        return moment(state_of(found, "last_event_at"), found.zone)

    def record(self, request: HttpRequest, found: GameTable) -> Record:
        facts = [
            Fact(_("Rulebook"), link("rulebook", found.rulebook_id, version_words(found.rulebook))),
            Fact(_("Limits"), f"{write_limits(found)} {found.currency}"),
            Fact(_("Two persons above"), _write_sum(found, found.second_person_minor)),
            Fact(
                _("Sign in again above"),
                _write_sum(found, found.sign_in_again_minor),
            ),
            Fact(_("Time zone"), found.zone),
            Fact(_("Gaming day starts"), f"{found.gaming_day_starts_hour:02}:00"),
            Fact(_("When the wallet is short"), words.spoken(words.DEBIT_POLICIES, found.debit_policy)),
            Fact(_("Camera"), found.camera or found.code),
            Fact(_("Animation table"), _("yes") if found.is_animation else _("no")),
        ]
        for kind, limit in sorted(found.bet_limits.items()):
            facts.append(Fact(words.spoken(words.BET_KINDS, kind), _write_limit(limit, found.currency)))
        return Record(
            title=_("Table %(code)s") % {"code": found.code},
            is_id=False,
            crumbs=[Crumb(_("Tables"), list_url("gametable")), Crumb(found.code)],
            badges=[state_badge(words.TABLE_STATES[found.status])],
            lead=[Fact(_("Name"), found.name)],
            main=[
                self._rounds(request, found),
                *([shoes_sheet(found)] if self.may_see(request, "shoe") else []),
                *([shifts_sheet(found)] if self.may_see(request, "dealer") else []),
                *([rulebook_sheet(found)] if self.may_see(request, "rulebook") else []),
            ],
            side=[self._now(found), Facts(_("Set-up"), facts)],
        )

    def _now(self, found: GameTable) -> Facts:
        shoe, round_, dealer = (state_of(found, name) for name in ("shoe", "round", "dealer"))
        facts = [
            Fact(_("Shoe"), link("shoe", shoe.pk, shoe.public_id, is_id=True) if shoe else "–"),
            Fact(_("Round"), link("round", round_.pk, round_.public_id, is_id=True) if round_ else "–"),
            Fact(_("Dealer"), dealer.name if dealer else "–"),
            Fact(_("Last event"), moment(state_of(found, "last_event_at"), found.zone) or "–"),
            Fact(_("Next sequence number"), whole(state_of(found, "next_seq") or 1)),
        ]
        gap = state_of(found, "gap_seen_seq")
        if gap:
            facts.append(Fact(_("Gap in the feed"), _("number %(seq)s came early") % {"seq": whole(gap)}))
        return Facts(_("Now"), facts)

    def _rounds(self, request: HttpRequest, found: GameTable) -> Rows:
        rounds: list[Any] = []
        if self.may_see(request, "round"):
            newest = Round.objects.filter(table=found)
            rounds = list(with_holds(newest).order_by("-betting_opened_at")[:ROUNDS_SHOWN])
        return Rows(
            _("Latest rounds"),
            [
                Column(_("Round")),
                Column(_("State")),
                Column(_("Result")),
                Column(_("Betting opened"), True),
            ],
            [
                (
                    link("round", one.pk, one.public_id, is_id=True),
                    badge("ROUND_STATES", one.shown_state),
                    disc(one.outcome, one.status == RoundStatus.VOIDED) if one.outcome else "",
                    moment(one.betting_opened_at, found.zone),
                )
                for one in rounds
            ],
            empty=_("No round has been played at this table."),
            more=all_of(list_url("round", f"table={found.code}")),
        )


def state_of(table: GameTable, name: str) -> Any:
    """Read a column of a table's state, which a table that never played has not."""
    return getattr(getattr(table, "state", None), name, None)


def write_limits(table: GameTable) -> str:
    """Write a table's lowest and highest stake."""
    low, high = money(table.min_stake_minor, table.currency), money(table.max_stake_minor, table.currency)
    return f"{low} – {high}"


def _write_sum(table: GameTable, minor: int) -> str:
    return f"{money(minor, table.currency)} {table.currency}"


def _write_limit(limit: Any, currency: str) -> str:
    if isinstance(limit, dict):
        limit = (limit.get("min"), limit.get("max"))
    return " – ".join(money(part, currency) for part in limit)
