"""Tags that draw the roads of a shoe and the ranks seen of it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables import words
from tables.queries.shoe_page import Bead, StripCard
from tables.rules.drawing import Outcome
from tables.rules.ranks import write_tenths
from tables.rules.roads import (
    ROWS,
    Cell,
    Entry,
    Regularity,
    big_eye_boy,
    big_road,
    cockroach_road,
    draw_derived,
    small_road,
)
from tables.templatetags.felt import card_stacked, say_card

register = template.Library()

BIG_CELL: Final = 24
BIG_COLUMNS: Final = 27
SMALL_CELL: Final = 10
SMALL_COLUMNS: Final = 30

DERIVED: Final[dict[str, Callable[[Sequence[Outcome]], tuple[Regularity, ...]]]] = {
    "eye": big_eye_boy,
    "small": small_road,
    "cockroach": cockroach_road,
}
#: A mark of each derived road in a cell of ten by ten; a broken one differs in shape, not only in colour.
SHAPES: Final[dict[tuple[str, Regularity], SafeString]] = {
    ("eye", Regularity.REGULAR): mark_safe('<circle cx="5" cy="5" r="3.4"/>'),
    ("eye", Regularity.BROKEN): mark_safe(
        '<circle cx="5" cy="5" r="3.4"/><circle class="core" cx="5" cy="5" r="1"/>'
    ),
    ("small", Regularity.REGULAR): mark_safe('<circle cx="5" cy="5" r="4"/>'),
    ("small", Regularity.BROKEN): mark_safe('<circle cx="5" cy="5" r="4"/><path class="gap" d="M2.5 5h5"/>'),
    ("cockroach", Regularity.REGULAR): mark_safe('<path d="M1.5 8.5l7-7"/>'),
    ("cockroach", Regularity.BROKEN): mark_safe('<path d="M1.5 8.5l2.6-2.6M5.9 4.1l2.6-2.6"/>'),
}


class DerivedRoad(NamedTuple):
    """A derived road drawn, and what stands in words under it."""

    drawing: SafeString
    regular: int
    broken: int
    last: Regularity | None

    @property
    def is_last_regular(self) -> bool:
        return self.last is Regularity.REGULAR


@register.simple_tag
def draw_big_road(beads: Sequence[Bead]) -> SafeString:
    """Draw the big road of a shoe, each entry leading to its round."""
    road = big_road(_outcomes(beads))
    columns = max([BIG_COLUMNS, *(cell.column + 1 for cell in road.cells)])
    marks = (
        (_entry(cell, beads[cell.index], cell.mark.ties + (road.leading_ties if place == 0 else 0)),)
        for place, cell in enumerate(road.cells)
    )
    return format_html(
        '<svg class="bc-big-road" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="group" '
        'aria-label="{2}">{3}{4}</svg>',
        columns * BIG_CELL + 1,
        ROWS * BIG_CELL + 1,
        _("Big road"),
        _grid(columns, BIG_CELL),
        format_html_join("", "{}", marks),
    )


@register.simple_tag
def derived_road(kind: str, beads: Sequence[Bead]) -> DerivedRoad:
    """Draw a derived road: `eye`, `small` or `cockroach`."""
    marks = DERIVED[kind](_outcomes(beads))
    cells = draw_derived(marks)
    columns = max([SMALL_COLUMNS, *(cell.column + 1 for cell in cells)])
    shapes = (
        (cell.mark.value, cell.column * SMALL_CELL, cell.row * SMALL_CELL, SHAPES[kind, cell.mark])
        for cell in cells
    )
    drawing = format_html(
        '<svg class="bc-derived is-{0}" viewBox="0 0 {1} {2}" aria-hidden="true">{3}{4}</svg>',
        kind,
        columns * SMALL_CELL,
        ROWS * SMALL_CELL,
        _grid(columns, SMALL_CELL),
        format_html_join("", '<g class="is-{}" transform="translate({} {})">{}</g>', shapes),
    )
    regular = sum(1 for mark in marks if mark is Regularity.REGULAR)
    return DerivedRoad(drawing, regular, len(marks) - regular, marks[-1] if marks else None)


@register.simple_tag
def rank_bar(seen: int, expected: Fraction, most: int) -> SafeString:
    """Draw how often a rank was seen, and where the expectation lies; `most` is the rank seen most."""
    high = (max(Fraction(most), expected) * 11 / 10) or Fraction(1)
    return format_html(
        '<svg class="bc-rank-bar" viewBox="0 0 10 110" preserveAspectRatio="none" aria-hidden="true">'
        '<rect y="{}" width="10" height="{}"/><path d="M-2 {}h14"/></svg>',
        write_tenths(110 - seen * 110 / high),
        write_tenths(seen * 110 / high),
        write_tenths(110 - expected * 110 / high),
    )


@register.simple_tag
def draw_strip(rows: Sequence[Sequence[StripCard]]) -> SafeString:
    """Draw the positions of a shoe, each card of a round leading to it.

    One address is looked up and the others are made from it: four hundred look-ups take longer than the page.
    """
    pattern = reverse("admin:tables_round_change", args=[0]).replace("/0/", "/{}/")
    said = _("Round %(number)s, card %(position)s: %(card)s")
    return format_html_join("", "{}", ((_position(card, pattern, said),) for row in rows for card in row))


def _position(card: StripCard, pattern: str, said: str) -> SafeString:
    marks = {
        "is-even": card.is_even_round,
        "is-void": card.is_void,
        "has-correction": card.is_corrected,
        "is-after-blue": card.is_blue_card_next,
    }
    where = card.whereabouts.value if card.whereabouts else "to-come"
    classes = " ".join([f"is-{where}", *(name for name, is_so in marks.items() if is_so)])
    number = format_html(' data-round="{}"', card.round_number) if card.opens_round else ""
    face = card_stacked(card.face) if card.face else ""
    link: SafeString | str = ""
    if card.round_id:
        values = {"number": card.round_number, "position": card.position, "card": say_card(card.face)}
        url = pattern.format(card.round_id)
        link = format_html('<a tabindex="-1" href="{}" title="{}"></a>', url, said % values)
    return format_html('<li class="{}"{}>{}{}</li>', classes, number, face, link)


@register.filter
def tenths(value: Fraction) -> str:
    """Write a fraction with one decimal."""
    return write_tenths(value)


@register.filter
def tenths_difference(value: Fraction) -> str:
    """Write a difference with its sign and one decimal."""
    return write_tenths(value, is_difference=True)


def _outcomes(beads: Sequence[Bead]) -> list[Outcome]:
    return [Outcome(bead.outcome) for bead in beads]


def _entry(cell: Cell[Entry], bead: Bead, ties: int) -> SafeString:
    classes = [f"is-{bead.outcome}", "is-void" if bead.is_void else "", "is-ruled" if bead.is_ruled else ""]
    parts = [
        _("Round %(number)s") % {"number": bead.number},
        str(words.OUTCOMES[bead.outcome]),
        ngettext("%(count)s tie after it", "%(count)s ties after it", ties) % {"count": ties} if ties else "",
        _("void") if bead.is_void else "",
        _("by ruling") if bead.is_ruled else "",
    ]
    said = ", ".join(part for part in parts if part)
    return format_html(
        '<a class="{}" href="{}" tabindex="-1" aria-label="{}" transform="translate({} {})">'
        '<title>{}</title>{}<circle cx="12.5" cy="12.5" r="8.5"/><text x="12.5" y="15.8">{}</text>{}</a>',
        " ".join(name for name in classes if name),
        reverse("admin:tables_round_change", args=[bead.round_id]),
        said,
        cell.column * BIG_CELL,
        cell.row * BIG_CELL,
        said,
        mark_safe('<rect x="1.5" y="1.5" width="22" height="22" rx="3"/>') if bead.is_ruled else "",
        words.OUTCOME_LETTERS[bead.outcome],
        _ties(ties),
    )


def _ties(count: int) -> SafeString | str:
    if not count:
        return ""
    number = format_html('<text class="ties" x="20.5" y="23">{}</text>', count) if count > 1 else ""
    return format_html('<path d="M6 19l13-13"/>{}', number)


def _grid(columns: int, cell: int) -> SafeString:
    wide, high = columns * cell, ROWS * cell
    across = "".join(f"M0 {row * cell + 0.5}h{wide}" for row in range(ROWS + 1))
    down = "".join(f"M{column * cell + 0.5} 0v{high}" for column in range(columns + 1))
    return format_html('<path class="grid" d="{}"/>', across + down)
