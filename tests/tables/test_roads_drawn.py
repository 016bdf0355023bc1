"""The derived roads as a page draws them: each mark in its place, its shape and its colour."""

import re

import pytest

from casino.runtime.places import ROOT
from tables.queries.shoe_page import Bead
from tables.templatetags.roads import DERIVED, derived_road
from tests.tables.rules.test_roads import BIG_EYE, COCKROACH, SHOE, SMALL

OUTCOMES = {"P": "player", "B": "banker", "T": "tie"}
LETTERS = {"regular": "R", "broken": "U"}
MARK = re.compile(r'<g class="is-(\w+)" transform="translate\((\d+) (\d+)\)">(.*?)</g>')


def drawn(kind: str, letters: str) -> list[tuple[str, int, int, str]]:
    """Return each mark's letter, column, row and shape, in the order in which they came."""
    beads = [
        Bead(number, number, OUTCOMES[letter], False, False, False, False)
        for number, letter in enumerate(letters, start=1)
    ]
    found = MARK.findall(derived_road(kind, beads).drawing)
    return [(LETTERS[name], int(x) // 10, int(y) // 10, shape) for name, x, y, shape in found]


def picture(kind: str, letters: str) -> list[str]:
    marks = drawn(kind, letters)
    rows = [["."] * (1 + max(column for _, column, _, _ in marks)) for _ in range(6)]
    for letter, column, row, _ in marks:
        rows[row][column] = letter
    return ["".join(row) for row in rows]


@pytest.mark.parametrize(("kind", "marks"), [("eye", BIG_EYE), ("small", SMALL), ("cockroach", COCKROACH)])
def test_the_marks_of_the_pictures_shoe_are_drawn_in_their_order(kind: str, marks: str) -> None:
    assert "".join(letter for letter, *_ in drawn(kind, SHOE)) == marks


def test_a_mark_of_the_other_kind_opens_a_column_and_a_long_run_turns_right() -> None:
    # Eight and eight: the second run goes beside the first all the way, and the next one begins as long.
    assert picture("eye", "PPPPPPPPBBBBBBBBP") == ["R..", "R..", "R..", "R..", "R..", "RRR"]
    # One shorter than the first: the next run opens where nothing lies beside.
    assert picture("eye", "PPPPPPPPBBBBBBBP") == ["RU", "R.", "R.", "R.", "R.", "R."]
    assert picture("small", "PPBPPPBB") == ["RU", ".U", ".U", "..", "..", ".."]


@pytest.mark.parametrize("kind", DERIVED)
def test_regular_is_red_and_broken_is_blue_and_of_another_shape(kind: str) -> None:
    shapes = {letter: shape for letter, *_, shape in drawn(kind, SHOE)}
    assert shapes["R"] != shapes["U"]
    css = " ".join((ROOT / "static" / "bluecard" / "css" / "roads.css").read_text(encoding="utf-8").split())
    filled = "fill" if kind == "small" else "stroke"
    which = ".bc-derived.is-small g" if kind == "small" else ".bc-derived g"
    assert re.search(re.escape(which) + r" \{[^}]*" + filled + r": var\(--bc-road-red\)", css)
    assert f"{which}.is-broken {{ {filled}: var(--bc-road-blue); }}" in css
