"""The roads that baccarat tables show: the same outcomes of a shoe, drawn in five ways.

A big-road entry opens a column when the winner changes and otherwise goes below the one before it. Columns
are six cells deep on the display; a longer run turns right along the bottom (the dragon's tail), but the
derived roads look at its full length.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Generic, NamedTuple, TypeVar

from tables.rules.drawing import Outcome

ROWS: Final = 6

Mark = TypeVar("Mark", bound=Hashable)


class Regularity(StrEnum):
    """What a derived road says of a big-road entry."""

    REGULAR = "regular"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Cell(Generic[Mark]):
    """One mark on the display; column and row count from 0, `index` is its place in the sequence drawn."""

    column: int
    row: int
    mark: Mark
    index: int


class Entry(NamedTuple):
    """A decided round of the big road: who won, its place among all rounds, and the ties that followed."""

    winner: Outcome
    position: int
    ties: int


@dataclass(frozen=True, slots=True)
class BigRoad:
    cells: tuple[Cell[Entry], ...]
    leading_ties: int  # ties before the first winner, which have no entry to mark


def bead_plate(outcomes: Sequence[Outcome]) -> tuple[Cell[Outcome], ...]:
    """Place every outcome, ties too, down columns of six."""
    return tuple(Cell(index // ROWS, index % ROWS, outcome, index) for index, outcome in enumerate(outcomes))


def big_road(outcomes: Sequence[Outcome]) -> BigRoad:
    """Draw the big road: a column for each run of one winner, ties marking the entry before them."""
    entries, leading_ties = _entries(outcomes)
    places = _lay_out([entry.winner for entry in entries])
    cells = (
        Cell(column, row, entry, entry.position) for (column, row), entry in zip(places, entries, strict=True)
    )
    return BigRoad(tuple(cells), leading_ties)


def big_eye_boy(outcomes: Sequence[Outcome]) -> tuple[Regularity, ...]:
    """Derive the big eye boy, which compares a column of the big road with the one before it."""
    return _derived(outcomes, 1)


def small_road(outcomes: Sequence[Outcome]) -> tuple[Regularity, ...]:
    """Derive the small road, which looks one column further back."""
    return _derived(outcomes, 2)


def cockroach_road(outcomes: Sequence[Outcome]) -> tuple[Regularity, ...]:
    """Derive the cockroach road, which looks two columns further back."""
    return _derived(outcomes, 3)


def draw_derived(marks: Sequence[Regularity]) -> tuple[Cell[Regularity], ...]:
    """Place the marks of a derived road on the display, as the big road's are."""
    places = _lay_out(marks)
    return tuple(
        Cell(column, row, mark, index)
        for index, ((column, row), mark) in enumerate(zip(places, marks, strict=True))
    )


def _entries(outcomes: Sequence[Outcome]) -> tuple[list[Entry], int]:
    entries: list[Entry] = []
    leading_ties = 0
    for index, outcome in enumerate(outcomes):
        if outcome is not Outcome.TIE:
            entries.append(Entry(outcome, index, 0))
        elif entries:
            entries[-1] = entries[-1]._replace(ties=entries[-1].ties + 1)
        else:
            leading_ties += 1
    return entries, leading_ties


def _runs(marks: Iterable[Mark]) -> list[list[Mark]]:
    runs: list[list[Mark]] = []
    for mark in marks:
        if runs and runs[-1][-1] == mark:
            runs[-1].append(mark)
        else:
            runs.append([mark])
    return runs


def _lay_out(marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Give the display cell of each mark: down while there is room, then to the right."""
    places: list[tuple[int, int]] = []
    taken: set[tuple[int, int]] = set()
    head = -1
    for run in _runs(marks):
        head += 1
        while (head, 0) in taken:  # a tail that ran along the top row
            head += 1
        column, row = head, 0
        turned = False
        for position in range(len(run)):
            if position > 0:
                turned = turned or row + 1 == ROWS or (column, row + 1) in taken
                column, row = (column + 1, row) if turned else (column, row + 1)
            taken.add((column, row))
            places.append((column, row))
    return places


def _derived(outcomes: Sequence[Outcome], back: int) -> tuple[Regularity, ...]:
    """Compare each big-road entry with the columns before it.

    An entry that opens a column is regular when the two columns before it, `back` apart, are equally long.
    Any other is regular unless it passes the end of the column `back` before its own by exactly one.
    """
    lengths = [len(run) for run in _runs(entry.winner for entry in _entries(outcomes)[0])]
    marks = []
    for column, length in enumerate(lengths):
        for row in range(length):
            if row == 0:
                if column <= back:
                    continue
                regular = lengths[column - 1] == lengths[column - 1 - back]
            else:
                if column < back:
                    continue
                regular = lengths[column - back] != row
            marks.append(Regularity.REGULAR if regular else Regularity.BROKEN)
    return tuple(marks)
