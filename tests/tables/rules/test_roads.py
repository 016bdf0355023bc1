"""The roads of the shoe in the pictures, and the shapes a display must draw."""

import pytest

from tables.rules.drawing import Outcome
from tables.rules.roads import (
    Regularity,
    bead_plate,
    big_eye_boy,
    big_road,
    cockroach_road,
    draw_derived,
    small_road,
)

SHOE = "TPTTBBTPBBPBPTPBBPBBBBPPPPBBBPTBPPTPPPPPPBPPPPPBBBPPTPPPPBBBPB"
BIG_EYE = "UUUUUURUURRUURRURRRRRRUURURRRRRRUUURRRURRURRURRURRUU"
SMALL = "RRRRUUUUUURURUURRURRUUUURRRRRRURRRRRUURURRRRUURRRU"
COCKROACH = "UUURRRUURRURURURUURUUURRURRRRURURRRURRUURRRRURRUU"

LETTER = {"P": Outcome.PLAYER, "B": Outcome.BANKER, "T": Outcome.TIE}


def outcomes(letters: str) -> list[Outcome]:
    return [LETTER[letter] for letter in letters]


def marks(road: tuple[Regularity, ...]) -> str:
    return "".join("R" if mark is Regularity.REGULAR else "U" for mark in road)


def picture(cells) -> list[str]:
    """Draw cells as rows of letters, dots where nothing lies."""
    rows = [["."] * (1 + max(cell.column for cell in cells)) for _ in range(6)]
    for cell in cells:
        mark = cell.mark if isinstance(cell.mark, str) else cell.mark.winner
        assert rows[cell.row][cell.column] == "."
        rows[cell.row][cell.column] = mark.value[0].upper()
    return ["".join(row) for row in rows]


def test_the_derived_roads_of_the_shoe_in_the_picture():
    assert marks(big_eye_boy(outcomes(SHOE))) == BIG_EYE
    assert marks(small_road(outcomes(SHOE))) == SMALL
    assert marks(cockroach_road(outcomes(SHOE))) == COCKROACH


def test_the_bead_plate_goes_down_in_columns_of_six():
    assert picture(bead_plate(outcomes(SHOE))) == [
        "TTPBPTPPBPP",
        "PPTBPBPPBPB",
        "TBPBBPPPPP.",
        "TBBBBPPPPB.",
        "BPBPBTPPTB.",
        "BBPPPPBBPB.",
    ]


def test_the_big_road_of_the_shoe_in_the_picture():
    assert picture(big_road(outcomes(SHOE)).cells) == [
        "PBPBPBPBPBPBPBPBPBPBPB",
        ".B.B..PB.BPB..P.PBPB..",
        ".........BPB..P.PBPB..",
        ".........BP...P.P.P...",
        "..............P.P.P...",
        "..............PPP.P...",
    ]


def test_ties_mark_the_entry_before_them():
    road = big_road(outcomes(SHOE))
    assert road.leading_ties == 1
    ties = {cell.index: cell.mark.ties for cell in road.cells if cell.mark.ties}
    assert ties == {1: 2, 5: 1, 12: 1, 29: 1, 33: 1, 51: 1}
    assert len(road.cells) + road.leading_ties + sum(ties.values()) == 62


@pytest.mark.parametrize("road", [big_eye_boy, small_road, cockroach_road])
def test_derived_roads_do_not_see_ties(road):
    assert road(outcomes(SHOE)) == road(outcomes(SHOE.replace("T", "")))


def test_a_long_run_turns_right_and_the_next_one_starts_under_nothing():
    """The dragon's tail; a second dragon turns before it meets the first."""
    assert picture(big_road(outcomes("PPPPPPPPPBBBBBBBBPP")).cells) == [
        "PBP..",
        "PBP..",
        "PB...",
        "PB...",
        "PBBBB",
        "PPPP.",
    ]


def test_a_tail_is_not_written_over():
    cells = big_road(outcomes("P" * 9 + "B" * 8 + "P" * 7)).cells
    assert len({(cell.column, cell.row) for cell in cells}) == 24
    assert all(0 <= cell.row <= 5 for cell in cells)


@pytest.mark.parametrize(
    ("letters", "eye", "small", "cockroach"),
    [
        ("", "", "", ""),
        ("TTT", "", "", ""),
        ("PPPP", "", "", ""),
        ("PB", "", "", ""),  # the second column has only its first entry
        ("PBB", "U", "", ""),  # passes the first column's end by one
        ("PPBB", "R", "", ""),
        ("PBBB", "UR", "", ""),  # passes it by two: nothing beside it and nothing above that
        ("PPBBP", "RR", "", ""),
        ("PBBP", "UU", "", ""),
        ("PBPB", "RR", "R", ""),
        ("PBPBP", "RRR", "RR", "R"),
        # Runs of eight turn along the bottom of the display; the derived roads go by their full length.
        ("PPPPPPPPBBBBBBBBP", "RRRRRRRR", "", ""),
        ("PPPPPPPPBBBBBBBP", "RRRRRRU", "", ""),
        ("PPPPPPPPBBBBBBBBBBP", "RRRRRRRURU", "", ""),
        # Columns of 2, 1, 3, 2: each mark worked out on paper.
        ("PPBPPPBB", "UURUR", "RUUU", "R"),
    ],
)
def test_where_the_derived_roads_begin(letters, eye, small, cockroach):
    drawn = outcomes(letters)
    assert marks(big_eye_boy(drawn)) == eye
    assert marks(small_road(drawn)) == small
    assert marks(cockroach_road(drawn)) == cockroach


def test_an_empty_shoe_has_empty_roads():
    assert bead_plate([]) == ()
    assert big_road([]).cells == ()
    assert draw_derived(()) == ()


def test_derived_marks_are_laid_out_like_the_big_road():
    cells = draw_derived(big_eye_boy(outcomes(SHOE)))
    assert picture(cells)[0].startswith("BRBRBRBRB")
    assert len(cells) == 52
    assert [cell.index for cell in cells] == list(range(52))


def test_what_the_picture_says_of_its_roads():
    """29 regular and 23 broken of the big eye boy, 29 and 21 of the small road, 27 and 22 of the third."""
    counts = [
        [marks(road(outcomes(SHOE))).count(letter) for letter in "RU"]
        for road in (big_eye_boy, small_road, cockroach_road)
    ]
    assert counts == [[29, 23], [29, 21], [27, 22]]
