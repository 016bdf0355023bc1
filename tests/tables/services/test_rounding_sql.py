"""Rounding stands once in Python and once in SQL: here the two are held equal, in every mode."""

from __future__ import annotations

import pytest
from django.db import DataError, connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.models.fields import MAX_STAKE_MINOR
from tables.rules.money import Rounding

pytestmark = pytest.mark.django_db

MODES = tuple(Rounding)
LARGEST_PART = 1_000  # of odds: the rulebook checker refuses more

stakes = st.integers(1, MAX_STAKE_MINOR) | st.integers(1, 2_000)
stakes |= st.integers(MAX_STAKE_MINOR - 2_000, MAX_STAKE_MINOR)
parts = st.integers(1, LARGEST_PART)
odds = st.tuples(parts, parts)
# A half is rare among random odds, and it is where four of the five modes part: stake an odd number of
# times half the denominator.
halves = st.tuples(st.integers(0, 10**11), st.integers(1, LARGEST_PART // 2)).map(
    lambda drawn: ((2 * drawn[0] + 1) * drawn[1], 1, 2 * drawn[1])
)
cases = st.tuples(stakes, odds).map(lambda drawn: (drawn[0], *drawn[1])) | halves


def winnings(case: tuple[int, int, int]) -> list[int]:
    """Ask the database in every mode at once, in the order of MODES."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT bluecard_winnings(%s, %s, %s, mode) FROM unnest(%s::text[]) WITH ORDINALITY AS m(mode, n)"
            " ORDER BY n",
            [*case, [mode.value for mode in MODES]],
        )
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize(
    ("case", "down_up_half_up_half_down_half_even"),
    [
        ((1, 1, 2), (0, 1, 1, 0, 0)),
        ((3, 1, 2), (1, 2, 2, 1, 2)),
        ((5, 1, 2), (2, 3, 3, 2, 2)),
        ((1, 19, 20), (0, 1, 1, 1, 1)),
        ((10_001, 19, 20), (9_500, 9_501, 9_501, 9_501, 9_501)),  # 9,500.95
        ((1, 1, 3), (0, 1, 0, 0, 0)),
        ((2, 1, 3), (0, 1, 1, 1, 1)),
        ((7, 8, 1), (56, 56, 56, 56, 56)),
        ((10**15, 1_000, 1), (10**18,) * 5),
        ((10**15 - 1, 999, 1_000), (998_999_999_999_999, 999_000_000_000_000, *(998_999_999_999_999,) * 3)),
        ((10**15, 1, 999), (1_001_001_001_001, 1_001_001_001_002, *(1_001_001_001_001,) * 3)),
    ],
)
def test_by_hand(case: tuple[int, int, int], down_up_half_up_half_down_half_even: tuple[int, ...]) -> None:
    assert tuple(mode.value for mode in MODES) == ("down", "up", "half_up", "half_down", "half_even")
    assert tuple(winnings(case)) == down_up_half_up_half_down_half_even
    assert tuple(mode.apply(case[0] * case[1], case[2]) for mode in MODES) == (
        down_up_half_up_half_down_half_even
    )


def test_a_mode_nobody_knows_gives_no_amount() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT bluecard_winnings(1, 1, 2, 'bankers')")
        assert cursor.fetchone() == (None,)


def test_what_passes_the_column_is_refused_and_not_wrapped() -> None:
    with pytest.raises(DataError, match="out of range"), transaction.atomic():
        winnings((MAX_STAKE_MINOR * 10, LARGEST_PART, 1))


def agree(case: tuple[int, int, int]) -> None:
    stake, numerator, denominator = case
    assert winnings(case) == [mode.apply(stake * numerator, denominator) for mode in MODES]


@given(cases)
@settings(max_examples=200, deadline=None)
def test_sql_and_python_agree_in_every_mode(case: tuple[int, int, int]) -> None:
    agree(case)


@pytest.mark.stress
@given(cases)
@settings(max_examples=50_000, deadline=None)
def test_sql_and_python_agree_in_every_mode_at_length(case: tuple[int, int, int]) -> None:
    agree(case)
