"""Reading a rulebook: YAML text in, frozen `Rulebook` out, every problem with its line.

`docs/rulebooks.md` describes the format. Bets and insurance are read in `document_bets`, incidents in
`document_incidents`; here are the frame and the small sections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from tables.rules.document_bets import read_bets, read_insurance
from tables.rules.document_checks import check_rows, warn_of_gifts
from tables.rules.document_incidents import read_incidents
from tables.rules.document_passages import Passages, read_passages, read_sources, read_text
from tables.rules.fields import Field, Problem, Report, Severity, Unreadable, compose
from tables.rules.money import Rounding
from tables.rules.rulebook import BothSides, ComplaintField, Complaints, Passage, Rulebook, Windows
from tables.rules.shoe import BlueCardRule, BurnBy, BurnRule

__all__ = ["Problem", "RulebookError", "Severity", "check_rulebook", "parse_rulebook"]

FORMAT: Final = 1
DECKS: Final = (6, 8)
_ID: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SECTIONS: Final = (
    "format",
    "id",
    "version",
    "title",
    "passages",
    "cards",
    "drawing",
    "rounding",
    "windows",
    "both_sides",
    "confirmation",
    "shoe",
    "bets",
    "incidents",
    "complaints",
)
_BURN_OPTIONS: Final = ("ace", "court", "count", "by_decks", "first_card_turned_up")
_OPTIONAL_SECTIONS: Final = ("sources", "insurance")


class RulebookError(ValueError):
    """A document that is no rulebook; `problems` says what is wrong and on which lines."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@lru_cache(maxsize=64)
def parse_rulebook(text: str, *, check_every_row: bool = True) -> Rulebook:
    """Read a rulebook from YAML text.

    Without `check_every_row` rows that can never apply and insurance that overlaps go unnoticed: for
    documents that have passed the check before.

    :raises RulebookError: with every problem found.
    """
    rulebook, report = _read_text(text)
    if rulebook is not None and check_every_row:
        check_rows(rulebook, report)
    if rulebook is None or report.has_errors:
        raise RulebookError(report.in_order())
    return rulebook


def check_rulebook(text: str) -> list[Problem]:
    """List everything that is wrong with a document, or that whoever publishes it should know.

    Beyond what `parse_rulebook` refuses there are warnings, which take a second: bets and insurance that
    favour the player.
    """
    rulebook, report = _read_text(text)
    if rulebook is not None:
        check_rows(rulebook, report)
        if not report.has_errors:
            warn_of_gifts(rulebook, report)
    return report.in_order()


def _read_text(text: str) -> tuple[Rulebook | None, Report]:
    report = Report()
    try:
        return _read(compose(text, report), report), report
    except Unreadable:
        return None, report


def _read(document: Field, report: Report) -> Rulebook:
    fields = document.mapping(_SECTIONS, _OPTIONAL_SECTIONS)
    if fields["format"].text() != str(FORMAT):
        fields["format"].fail(f"only format {FORMAT} is known")
    rulebook_id = fields["id"].matching(_ID, "an id such as no-commission")
    sources = read_sources(fields.get("sources"))
    passages = read_passages(fields["passages"], rulebook_id, sources)
    read = _Sections(fields, passages)
    parts: dict[str, object] = {}
    readers: dict[str, Callable[[], dict[str, object]]] = {
        "version": lambda: {"version": fields["version"].whole(1, 999_999)},
        "title": lambda: {"title": read_text(fields["title"])},
        "cards": read.cards,
        "drawing": read.drawing,
        "rounding": read.rounding,
        "windows": read.windows,
        "both_sides": read.both_sides,
        "confirmation": read.confirmation,
        "shoe": read.shoe,
        "bets": lambda: {"bets": read_bets(fields["bets"], passages)},
        "insurance": lambda: {"insurance": read_insurance(fields.get("insurance"), passages)},
        "incidents": lambda: {"incidents": read_incidents(fields["incidents"], passages)},
        "complaints": read.complaints,
    }
    for reader in readers.values():
        with report.going_on():
            parts |= reader()
    if report.has_errors:
        raise Unreadable
    return Rulebook(
        id=rulebook_id,
        sources=MappingProxyType(sources),
        passages=MappingProxyType(passages.by_id),
        **parts,  # type: ignore[arg-type]  # each reader gives the fields of its section
    )


class _Sections:
    """Reads the small sections; each gives the fields of `Rulebook` it decides."""

    def __init__(self, fields: Mapping[str, Field], passages: Passages) -> None:
        self.fields = fields
        self.passages = passages

    def cards(self) -> dict[str, object]:
        fields = self.fields["cards"].mapping(["decks", "passage"])
        return {"decks": self.decks(), "decks_passage": self._cited(fields)}

    def decks(self) -> int:
        field = self.fields["cards"].mapping(["decks", "passage"])["decks"]
        decks = field.whole(0, 999)
        if decks not in DECKS:
            field.fail(f"{decks} decks: a shoe holds 6 or 8")
        return decks

    def drawing(self) -> dict[str, object]:
        return {"drawing_passage": self._cited(self.fields["drawing"].mapping(["passage"]))}

    def rounding(self) -> dict[str, object]:
        fields = self.fields["rounding"].mapping(["mode", "passage"])
        return {"rounding": fields["mode"].choice(Rounding), "rounding_passage": self._cited(fields)}

    def windows(self) -> dict[str, object]:
        fields = self.fields["windows"].mapping(
            ["void_rounds_count", "lifted_on_animation_tables", "passage"], ["void_rounds_on_roads"]
        )
        on_roads = fields.get("void_rounds_on_roads")
        windows = Windows(
            void_rounds_count=fields["void_rounds_count"].yes_or_no(),
            lifted_on_animation_tables=fields["lifted_on_animation_tables"].yes_or_no(),
            passage=self._cited(fields),
            void_rounds_on_roads=on_roads.yes_or_no() if on_roads is not None else False,
        )
        return {"windows": windows}

    def both_sides(self) -> dict[str, object]:
        fields = self.fields["both_sides"].mapping(["rule", "passage"])
        return {"both_sides": fields["rule"].choice(BothSides), "both_sides_passage": self._cited(fields)}

    def confirmation(self) -> dict[str, object]:
        fields = self.fields["confirmation"].mapping(["required", "passage"])
        return {
            "must_confirm_bets": fields["required"].yes_or_no(),
            "confirmation_passage": self._cited(fields),
        }

    def shoe(self) -> dict[str, object]:
        fields = self.fields["shoe"].mapping(["burn", "discards_between_rounds", "blue_card"])
        burn = fields["burn"].mapping(["by", "passage"], _BURN_OPTIONS)
        discards = fields["discards_between_rounds"].mapping(["allowed", "passage"])
        blue_card = fields["blue_card"].mapping(["rule", "passage"])
        return {
            "burn": _read_burn(burn, self.decks()),
            "burn_passage": self._cited(burn),
            "discards_between_rounds": discards["allowed"].yes_or_no(),
            "discards_passage": self._cited(discards),
            "blue_card": blue_card["rule"].choice(BlueCardRule),
            "blue_card_passage": self._cited(blue_card),
        }

    def complaints(self) -> dict[str, object]:
        fields = self.fields["complaints"].mapping(["needs", "within_hours", "video_hours", "passage"])
        complaints = Complaints(
            needs=tuple(item.choice(ComplaintField) for item in fields["needs"].items()),
            within_hours=fields["within_hours"].whole(1, 8760),
            video_hours=fields["video_hours"].whole(1, 8760),
            passage=self._cited(fields),
        )
        return {"complaints": complaints}

    def _cited(self, fields: Mapping[str, Field]) -> Passage:
        return self.passages.cited(fields["passage"])


_BURN_FIELDS: Final[Mapping[BurnBy, frozenset[str]]] = {
    BurnBy.FIRST_CARD: frozenset({"ace", "court"}),
    BurnBy.DECKS: frozenset({"by_decks"}),
    BurnBy.FIXED: frozenset({"count"}),
    BurnBy.NONE: frozenset(),
}


def _read_burn(fields: Mapping[str, Field], decks: int) -> BurnRule:
    by = fields["by"].choice(BurnBy)
    given = fields.keys() - {"by", "passage"}
    possible = _BURN_FIELDS[by] | (set() if by is BurnBy.FIRST_CARD else {"first_card_turned_up"})
    for name in sorted(given - possible):
        fields[name].note(f"has no meaning when the burn goes by {by.value}")
    missing = sorted(_BURN_FIELDS[by] - given)
    if missing:
        fields["by"].fail(f"a burn by {by.value} needs {', '.join(missing)}")
    turned_up = fields["first_card_turned_up"].yes_or_no() if "first_card_turned_up" in given else True
    match by:
        case BurnBy.FIRST_CARD:
            ace = fields["ace"].whole(0, 99)
            if ace not in (1, 11):
                fields["ace"].fail(f"an ace burns 1 or 11 cards, not {ace}")
            return BurnRule(by, ace=ace, court=fields["court"].whole(0, 10))
        case BurnBy.DECKS:
            by_decks = _read_burn_by_decks(fields["by_decks"], decks)
            return BurnRule(by, by_decks=by_decks, first_card_turned_up=turned_up)
        case BurnBy.FIXED:
            return BurnRule(by, count=fields["count"].whole(1, 52), first_card_turned_up=turned_up)
        case BurnBy.NONE:
            return BurnRule(by, first_card_turned_up=turned_up)


def _read_burn_by_decks(field: Field, decks: int) -> Mapping[int, int]:
    entries = field.entries()
    for name, entry in entries.items():
        if name not in map(str, DECKS):
            entry.fail(f"{name} decks: a shoe holds 6 or 8")
    if str(decks) not in entries:
        field.fail(f"says nothing about {decks} decks, which this rulebook plays with")
    return MappingProxyType({int(name): entry.whole(0, 52) for name, entry in entries.items()})
