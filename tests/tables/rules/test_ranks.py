"""Ranks against expectation: thirteenths that are exact, and a chance worked out apart."""

from decimal import Decimal
from fractions import Fraction

import pytest

from tables.rules.cards import RANKS
from tables.rules.ranks import count_ranks, write_tenths

# Those of the shoe in the pictures: 313 faces, 24.1 expected of each, p = 0.35.
PICTURE = dict(zip(RANKS, (23, 23, 21, 23, 26, 24, 23, 24, 21, 24, 30, 23, 28), strict=True))


def faces(counts: dict[str, int]) -> list[str]:
    return [rank for rank, count in counts.items() for _ in range(count)]


def test_the_ranks_of_the_shoe_in_the_picture():
    counts = count_ranks(faces(PICTURE), 8)
    assert counts.faces == 313
    assert counts.expected == Fraction(313, 13)
    assert write_tenths(counts.expected) == "24.1"
    differences = [write_tenths(one.differs, is_difference=True) for one in counts.ranks]
    assert differences == "−1.1 −1.1 −3.1 −1.1 +1.9 −0.1 −1.1 −0.1 −3.1 −0.1 +5.9 −1.1 +3.9".split()
    assert sum(one.differs for one in counts.ranks) == 0
    assert counts.chance is not None
    assert round(counts.chance, 2) == Decimal("0.35")
    assert not counts.is_unusual


def test_a_rank_that_never_came_is_unusual():
    """26 of each rank but no king: Pearson's sum is 26, times 415 / (416 − 312), halved: 51.875."""
    counts = count_ranks(faces(dict.fromkeys(RANKS[:-1], 26)), 8)
    assert [one.differs for one in counts.ranks[-2:]] == [Fraction(2), Fraction(-24)]
    assert counts.chance is not None
    # exp(−51.875) = 2.96e-23, times 1 + 51.875 + 51.875² / 2 + … + 51.875⁵ / 120 = 3.46e6
    assert Decimal("1.0e-16") < counts.chance < Decimal("1.1e-16")
    assert counts.is_unusual


@pytest.mark.parametrize("seen", [0, 64, 416])
def test_nothing_is_said_of_few_faces_or_of_all(seen):
    assert count_ranks(faces(dict.fromkeys(RANKS, 32))[:seen], 8).chance is None


def test_more_faces_than_cards_are_refused():
    with pytest.raises(ValueError, match="417 faces of a shoe of 416"):
        count_ranks(["A"] * 417, 8)


@pytest.mark.parametrize(
    ("value", "text", "difference"),
    [
        (Fraction(0), "0.0", "0.0"),
        (Fraction(1, 13), "0.1", "+0.1"),
        (Fraction(-1, 20), "0.0", "0.0"),  # half a tenth goes to the even neighbour
        (Fraction(-14, 13), "−1.1", "−1.1"),
        (Fraction(32), "32.0", "+32.0"),
    ],
)
def test_how_a_fraction_is_written(value, text, difference):
    assert write_tenths(value) == text
    assert write_tenths(value, is_difference=True) == difference
