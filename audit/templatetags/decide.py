"""Tags and filters of the pages of decisions: time left, a hash to read aloud, a bar of money."""

from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from audit.queries.ruling_money import PlayerLine
from audit.words import RULING_KINDS
from tables.queries.wallet_balances import Balances
from tables.words import OUTCOMES, spoken

register = template.Library()

HALF = 60  # of a bar, in its own units


@register.filter
def minutes(span: timedelta | None) -> str:
    """Write a span of time as m:ss, or h:mm:ss from an hour on."""
    if span is None:
        return ""
    seconds = max(0, int(span.total_seconds()))
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


@register.filter
def hash_groups(text: str) -> SafeString:
    """Write a hash in groups of eight, so that two people can compare it."""
    return format_html_join(" ", "<span>{}</span>", ((text[i : i + 8],) for i in range(0, len(text), 8)))


@register.filter
def moved_of(row: Any) -> int | Decimal:
    """Return what a round of a ruling moves to players in all."""
    return row.given_minor - row.taken_minor


@register.filter
def opposite(minor: int | Decimal) -> int | Decimal:
    """Return the same sum seen from the other side: what players get, the house gives."""
    return -minor


@register.simple_tag
def move_bar(moved_minor: int, largest_minor: int) -> SafeString:
    """Draw a difference as a bar from the middle: right what players get, left what they give."""
    width = HALF * abs(int(moved_minor)) / largest_minor if largest_minor else 0
    left = HALF if moved_minor >= 0 else HALF - width
    tone = "gain" if moved_minor >= 0 else "loss"
    return format_html(
        '<svg class="bc-move-bar" viewBox="0 0 {} 10" width="{}" height="10" aria-hidden="true">'
        '<rect x="{}" width="1" height="10" class="middle"/>'
        '<rect x="{}" width="{}" height="10" rx="2" class="{}"/></svg>',
        2 * HALF + 1,
        2 * HALF + 1,
        HALF,
        f"{left:.1f}",
        f"{width:.1f}",
        tone,
    )


@register.simple_tag
def place_word(place: str) -> str:
    """Name a place of the layout: `Player 3`."""
    return f"{OUTCOMES['player' if place[0] == 'P' else 'banker']} {place[1]}"


@register.filter
def kind_word(ruling: Any) -> str:
    """Say what a ruling decided."""
    return spoken(RULING_KINDS, ruling.kind)


class AtTheWallet(NamedTuple):
    """What one player has there, and how much too little that is for what is taken back."""

    balance_minor: int | None
    short_minor: int


@register.filter
def at_the_wallet(row: PlayerLine, balances: Balances) -> AtTheWallet:
    """Hold what is taken back from a player against what the wallet says the player has."""
    balance = balances.found.get(row.reference)
    if balance is None or row.moved_minor >= 0:
        return AtTheWallet(None, 0)
    return AtTheWallet(balance, max(0, -row.moved_minor - max(0, balance)))
