"""Which named actions a table's page leads to, for this person and at this moment, and their addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from tables.admin.action_page import ActionPage
from tables.admin.keyed_actions import KeyBurn, KeyCard, KeyCoup, KeyCut, KeyShoe
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import list_url
from tables.admin.table_actions import (
    AcceptGap,
    ChangeBetLimits,
    ChangeCamera,
    ChangeDebitPolicy,
    ChangeLimits,
    ChangeRulebook,
    CloseTable,
    OpenTable,
    SetUpTable,
)
from tables.models import GameTable, TableStatus
from tables.queries.table_now import TableNow, read_now

ON_A_TABLE: dict[str, type[ActionPage]] = {
    "shoe": KeyShoe,
    "cut": KeyCut,
    "burn": KeyBurn,
    "coup": KeyCoup,
    "card": KeyCard,
    "gap": AcceptGap,
    "limits": ChangeLimits,
    "bet-limits": ChangeBetLimits,
    "rulebook": ChangeRulebook,
    "debit": ChangeDebitPolicy,
    "camera": ChangeCamera,
    "open": OpenTable,
    "close": CloseTable,
}
ICONS = {
    "shoe": "shoe",
    "cut": "pencil",
    "burn": "pencil",
    "coup": "cards",
    "card": "cards",
    "gap": "feed",
    "limits": "chips",
    "bet-limits": "chips",
    "rulebook": "book",
    "debit": "wallet",
    "camera": "play",
    "open": "signal",
    "close": "lock",
}


def _address(name: str) -> str:
    return f"tables_gametable_do_{name.replace('-', '_')}"


def action_urls(model_admin: Any) -> list[URLPattern]:
    """Give the addresses of the actions on tables."""
    wrap = model_admin.admin_site.admin_view
    urls = [
        path(
            f"<int:pk>/do/{name}/",
            wrap(page.as_view(model_admin=model_admin)),
            name=_address(name),
        )
        for name, page in ON_A_TABLE.items()
    ]
    set_up = wrap(SetUpTable.as_view(model_admin=model_admin))
    return [path("do/set-up/", set_up, name="tables_gametable_set_up"), *urls]


def buttons_of(request: HttpRequest, table: GameTable) -> list[HeadButton]:
    """List the actions that make sense at a table now and that this person may do, the likeliest first."""
    if not hasattr(table, "state"):
        return []
    sensible = _sensible(read_now(table), is_open=table.status == TableStatus.OPEN)
    names = [name for name in sensible if request.user.has_perm(ON_A_TABLE[name].permission)]
    buttons = [
        HeadButton(
            ON_A_TABLE[name].title,
            reverse(f"admin:{_address(name)}", args=[table.pk]),
            ICONS[name],
            tone="main" if number == 0 else "",
        )
        for number, name in enumerate(names)
    ]
    if request.user.has_perm("tables.manage_api_keys"):
        buttons.append(HeadButton(_("API keys"), list_url("apikey", f"table={table.code}"), "key"))
    return buttons


def _sensible(now: TableNow, *, is_open: bool) -> Iterator[str]:
    if now.gap_seen_seq:
        yield "gap"
    if not is_open:
        yield "open"
    yield from _sensible_to_play(now)
    if is_open:
        yield "close"


def _sensible_to_play(now: TableNow) -> Iterator[str]:
    if now.shoe is None:
        yield from ("shoe", "limits", "bet-limits", "rulebook", "debit", "camera")
        return
    if now.round is None:
        if now.shoe.cut_from_back is None:
            yield "cut"
        if now.shoe.burn_done is None:
            yield "burn"
    if now.is_dealing:
        yield "card"
    yield from ("coup", "limits", "bet-limits", "debit", "camera")


def list_buttons(request: HttpRequest) -> list[HeadButton]:
    """List the actions that the list of tables leads to."""
    if not request.user.has_perm(SetUpTable.permission):
        return []
    return [HeadButton(SetUpTable.title, reverse("admin:tables_gametable_set_up"), "table", tone="main")]


add_head_buttons("gametable", buttons_of)
