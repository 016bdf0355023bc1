"""Tags and filters for everything that is drawn: cards, badges, discs, money, moments."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext as _

from tables import words
from tables.models import DeliveryStatus, Rulebook, WalletTransaction
from tables.queries.shoe_page import ShoeProgress
from tables.rules.cards import Card as Face
from tables.rules.currencies import write_money
from tables.rules.drawing import Reason
from tables.rules.sentences import Language, heading, sentence
from tables.templatetags.cardface import SUIT_COLOURS, SUIT_SIGNS, back_svg, face_svg, slot_svg
from tables.templatetags.icons import icon_svg

register = template.Library()

#: Whole minor units; sums come from the database as decimals without decimals.
Minor = int | Decimal

_FACE_IN_TEXT = re.compile(r"(10|[2-9AJQK])([♠♥♦♣])")
_RED_SIGNS = frozenset("♥♦")
# U+FE0E keeps a suit from being shown as a coloured emoji.
_AS_TEXT = "\N{VARIATION SELECTOR-15}"


def spoken_language() -> Language:
    """Return the language of this request as the rules know it."""
    return "th" if (get_language() or "en").startswith("th") else "en"


@register.simple_tag
def icon(name: str) -> SafeString:
    """Draw an icon of ours."""
    return mark_safe(icon_svg(name))


@register.simple_tag
def badge(states: str, code: str, note: str = "") -> SafeString:
    """Show a state as icon + word + colour; `states` names a table of `words`, as in `ROUND_STATES`."""
    known: Mapping[str, words.State] = getattr(words, states)
    return state_badge(known.get(code) or words.State("void", "info", words.spoken({}, code)), note)


def state_badge(state: words.State, note: str = "") -> SafeString:
    """Draw the badge of a state, with words after its own if given."""
    text = f"{state.word}, {note}" if note else state.word
    return format_html('<span class="bc-badge is-{}">{}{}</span>', state.tone, icon(state.icon), text)


@register.simple_tag
def word(states: str, code: str) -> SafeString:
    """Show a state in a table's cell: its word in its colour, without the pill."""
    known: Mapping[str, words.State] = getattr(words, states)
    state = known.get(code)
    if state is None:
        return format_html('<span class="bc-word">{}</span>', words.spoken({}, code))
    return format_html('<span class="bc-word is-{}">{}</span>', state.tone, state.word)


@register.simple_tag
def named(table: str, code: str) -> str:
    """Return the word for a code from a table of `words`, as in `BET_KINDS`."""
    return words.spoken(getattr(words, table), code)


@register.simple_tag
def disc(outcome: str, is_void: bool = False) -> SafeString:
    """Draw an outcome: a letter in a disc."""
    if is_void or outcome not in words.OUTCOMES:
        label = _("Void") if is_void else _("no outcome yet")
        return format_html('<span class="bc-disc bc-disc-void" role="img" aria-label="{}">–</span>', label)
    return format_html(
        '<span class="bc-disc bc-disc-{}" role="img" aria-label="{}">{}</span>',
        outcome,
        words.OUTCOMES[outcome],
        words.OUTCOME_LETTERS[outcome],
    )


def say_card(face: Face | None) -> str:
    """Say a card as a screen reader should: six of spades."""
    if face is None:
        return _("face unseen")
    rank = words.spoken(words.RANKS, face.rank) if face.rank in words.RANKS else face.rank
    return _("%(rank)s of %(suit)s") % {"rank": rank, "suit": words.SUITS[face.suit]}


@register.simple_tag
def card_face(face: Face | None, is_sideways: bool = False) -> SafeString:
    """Draw a card, or its back when nobody saw its face."""
    label = say_card(face)
    if face is None:
        return mark_safe(back_svg(label=label, is_sideways=is_sideways))
    return mark_safe(face_svg(face.rank, face.suit, label=label, is_sideways=is_sideways))


@register.simple_tag
def card_slot(place: str) -> SafeString:
    """Draw the empty place of the card that is due."""
    is_third = place in ("P3", "B3")
    return mark_safe(slot_svg("…", label=gettext("this card is due"), is_sideways=is_third))


@register.filter
def card_text(face: Face | None) -> SafeString:
    """Write a card in a line of text, red for hearts and diamonds."""
    if face is None:
        return format_html('<span class="bc-card-text" title="{}">?</span>', _("face unseen"))
    red = " is-red" if SUIT_COLOURS[face.suit] != SUIT_COLOURS["S"] else ""
    sign = SUIT_SIGNS[face.suit] + _AS_TEXT
    return format_html('<span class="bc-card-text{}">{}{}</span>', red, face.rank, sign)


@register.filter
def card_chip(face: Face | None) -> SafeString:
    """Write a card as a small card in a line of text."""
    return format_html('<span class="bc-card-chip">{}</span>', card_text(face))


@register.filter
def with_cards(text: str) -> SafeString:
    """Mark the cards inside a sentence, everything else escaped."""
    parts: list[tuple[str, SafeString | str]] = []
    end = 0
    for match in _FACE_IN_TEXT.finditer(text):
        red = " is-red" if match[2] in _RED_SIGNS else ""
        shown = format_html('<span class="bc-card-text{}">{}{}</span>', red, match[1], match[2] + _AS_TEXT)
        parts.append((text[end : match.start()], shown))
        end = match.end()
    return format_html("{}{}", format_html_join("", "{}{}", parts), text[end:])


@register.filter
def reason_heading(reason: Reason) -> str:
    """Say a reason in a few words in the language of this request."""
    return heading(reason, spoken_language())


@register.filter
def reason_sentence(reason: Reason) -> SafeString:
    """Say a reason in a sentence in the language of this request, its cards marked."""
    return with_cards(sentence(reason, spoken_language()))


@register.filter
def money(minor: Minor | None, currency: str) -> str:
    """Write a sum of minor units; nothing where there is none."""
    return "" if minor is None else write_money(int(minor), currency)


@register.filter
def difference(minor: Minor | None, currency: str) -> SafeString:
    """Write a difference of money with its sign, green up, red down, grey at zero."""
    if minor is None:
        return mark_safe("")
    tone = "bc-zero" if minor == 0 else "bc-gain" if minor > 0 else "bc-loss"
    text = write_money(int(minor), currency, is_difference=True)
    return format_html('<span class="{}">{}</span>', tone, text)


def with_currency(shown: SafeString | str, currency: str) -> SafeString:
    """Write the currency behind a sum, where the rows of a list may be of several."""
    return format_html('{} <span class="bc-currency">{}</span>', shown, currency)


@register.filter
def clock_text(at: datetime | None, zone: str) -> str:
    """Write a moment as hh:mm:ss in a table's zone, as text alone."""
    return "" if at is None else at.astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")


@register.filter
def clock(at: datetime | None, zone: str) -> SafeString:
    """Show a moment as hh:mm:ss in a table's zone, with UTC for whoever points at it."""
    return mark_safe("") if at is None else time_element(at, clock_text(at, zone))


def fill_in(said: str, **values: Any) -> SafeString:
    """Put values into a sentence of ours, as in `%(time)s`: each escaped, but for what is drawn already."""
    return format_html(said % {name: f"{{{name}}}" for name in values}, **values)


def time_element(at: datetime, shown: SafeString | str, classes: str = "") -> SafeString:
    """Draw a moment as machines read it too, with UTC for whoever points at it."""
    utc = at.astimezone(UTC)
    return format_html(
        '<time{} datetime="{}" title="{} UTC">{}</time>',
        format_html(' class="{}"', classes) if classes else "",
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        utc.strftime("%Y-%m-%d %H:%M:%S"),
        shown,
    )


@register.filter
def zone_name(zone: str) -> str:
    """Name a zone shortly, by its city: `Asia/Bangkok` is Bangkok, in Thai กรุงเทพฯ."""
    return str(words.ZONE_CITIES.get(zone) or zone.rsplit("/", 1)[-1].replace("_", " "))


@register.filter
def version_words(rulebook: Rulebook) -> str:
    """Name a version of a rulebook: `insurance, version 1`."""
    return _("%(code)s, version %(version)s") % {"code": rulebook.code, "version": rulebook.version}


@register.filter
def millis(at: datetime) -> str:
    """Write the part of a moment behind the seconds, as in `.104`."""
    return f".{at.microsecond // 1000:03}"


@register.filter
def into_video(at: datetime, round_: Any) -> str:
    """Write how far into a round's video a moment is, as in `0:41`; nothing outside it.

    The video begins when betting opens and ends with the result.
    """
    begins, ends = round_.betting_opened_at, round_.resulted_at
    if at < begins or (ends is not None and at > ends):
        return ""
    minutes, seconds = divmod(int((at - begins).total_seconds()), 60)
    return f"{minutes}:{seconds:02}"


@register.filter
def day(at: datetime | None, zone: str) -> str:
    """Write the day of a moment in a table's zone, the year in the calendar of the language."""
    return "" if at is None else write_day(at.astimezone(ZoneInfo(zone)))


def write_day(at: Any) -> str:
    """Write a day as `29 Nov 2026`, in Thai with the Buddhist year."""
    text = date_format(at, "j M")
    return f"{text} {at.year + 543 if spoken_language() == 'th' else at.year}"


@register.filter
def moment(at: datetime | None, zone: str) -> SafeString:
    """Write a moment with its day, for a list whose rows lie on many days."""
    if at is None:
        return mark_safe("")
    shown = format_html("<span>{}</span> <span>{}</span>", day(at, zone), clock_text(at, zone))
    return time_element(at, shown, "bc-moment bc-num")


@register.simple_tag
def shoe_bar(progress: ShoeProgress) -> SafeString:
    """Draw how far a shoe has got: what came before, this round, the blue card."""
    bars = [format_html('<rect class="ground" width="{}" height="12" rx="4"/>', progress.cards)]
    first, last = progress.first, progress.last
    before = first - 1 if first else progress.out
    bars.append(format_html('<rect class="before" width="{}" height="12" rx="4"/>', before))
    if first and last:
        width = max(last - first + 1, 4)
        bars.append(format_html('<rect class="here" x="{}" width="{}" height="12"/>', first - 1, width))
    if progress.blue_card_after is not None:
        bars.append(
            format_html('<rect class="blue" x="{}" width="4" height="12"/>', progress.blue_card_after)
        )
    label = _("%(out)s of %(cards)s cards are out") % {"out": progress.out, "cards": progress.cards}
    return format_html(
        '<svg class="bc-shoe-bar" viewBox="0 0 {} 12" preserveAspectRatio="none" role="img" aria-label="{}">'
        "{}</svg>",
        progress.cards,
        label,
        format_html_join("", "{}", ((bar,) for bar in bars)),
    )


@register.filter
def dense_class(count: int) -> str:
    """Choose how large the beads of a plate are, so that as many columns as they need still fit."""
    columns = (count + 5) // 6
    return "" if columns <= 8 else "is-dense" if columns <= 10 else "is-denser"


@register.filter
def blanks(count: int) -> range:
    """Count the empty cells that fill up the last column of a bead plate."""
    return range(-count % 6)


@register.filter
def whole(number: int) -> str:
    """Write a whole number with commas."""
    return f"{int(number):,}"


@register.simple_tag
def delivery_badge(transaction: WalletTransaction) -> SafeString:
    """Show how far the message of a wallet transaction has got; a delivered debit was taken back."""
    delivery = getattr(transaction, "delivery", None)
    receivable = getattr(transaction, "receivable", None)
    if receivable is not None:
        owed = money(receivable.amount_minor, receivable.currency)
        return state_badge(words.State("waits", "clock", _("%(sum)s owed") % {"sum": owed}))
    if delivery is None or delivery.status == DeliveryStatus.WAITING:
        return state_badge(words.DELIVERY_STATES["waiting"])
    if delivery.status in (DeliveryStatus.DEAD, DeliveryStatus.CLOSED):
        return state_badge(words.DELIVERY_STATES[delivery.status])
    if delivery.is_forced:
        return state_badge(words.DELIVERY_STATES["forced"])
    return state_badge(words.DELIVERY_STATES["credited" if transaction.amount_minor > 0 else "taken_back"])


@register.filter
def card_stacked(face: Face) -> SafeString:
    """Write a card as rank over suit, for a strip of many."""
    red = " is-red" if SUIT_COLOURS[face.suit] != SUIT_COLOURS["S"] else ""
    return format_html(
        '<span class="bc-stacked{}">{}<br>{}</span>', red, face.rank, SUIT_SIGNS[face.suit] + _AS_TEXT
    )
