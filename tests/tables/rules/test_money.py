"""Rounding in every mode, at and around the half, and against an independent definition."""

from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.rules.bets import Result, Verdict, returned_minor
from tables.rules.money import Rounding


@pytest.mark.parametrize(
    ("mode", "rounded"),
    [
        #                       0  1/4  1/2  3/4  1  5/4  3/2  7/4  5/2
        (Rounding.DOWN, [0, 0, 0, 0, 1, 1, 1, 1, 2]),
        (Rounding.UP, [0, 1, 1, 1, 1, 2, 2, 2, 3]),
        (Rounding.HALF_UP, [0, 0, 1, 1, 1, 1, 2, 2, 3]),
        (Rounding.HALF_DOWN, [0, 0, 0, 1, 1, 1, 1, 2, 2]),
        (Rounding.HALF_EVEN, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
    ],
)
def test_quarters(mode: Rounding, rounded: list[int]) -> None:
    assert [mode.apply(quarters, 4) for quarters in (0, 1, 2, 3, 4, 5, 6, 7, 10)] == rounded


@pytest.mark.parametrize(("numerator", "denominator"), [(-1, 2), (1, 0), (1, -2)])
def test_what_cannot_be_rounded_is_refused(numerator: int, denominator: int) -> None:
    with pytest.raises(ValueError, match="no amount to round"):
        Rounding.DOWN.apply(numerator, denominator)


DECIMAL_MODE = {
    Rounding.DOWN: ROUND_DOWN,
    Rounding.UP: ROUND_UP,
    Rounding.HALF_UP: ROUND_HALF_UP,
    Rounding.HALF_DOWN: ROUND_HALF_DOWN,
    Rounding.HALF_EVEN: ROUND_HALF_EVEN,
}


@given(
    mode=st.sampled_from(Rounding),
    numerator=st.integers(0, 10**18),
    denominator=st.sampled_from(
        [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 100, 125, 200, 250, 400, 500, 625, 1000]
    ),
)
def test_agrees_with_decimal_where_the_fraction_is_a_finite_decimal(
    mode: Rounding, numerator: int, denominator: int
) -> None:
    exact = Context(prec=60).divide(Decimal(numerator), Decimal(denominator))
    expected = exact.quantize(Decimal(1), rounding=DECIMAL_MODE[mode], context=Context(prec=60))
    assert mode.apply(numerator, denominator) == expected


@given(mode=st.sampled_from(Rounding), numerator=st.integers(0, 10**18), denominator=st.integers(1, 1000))
def test_is_within_one_unit_and_exact_where_it_divides(
    mode: Rounding, numerator: int, denominator: int
) -> None:
    rounded = mode.apply(numerator, denominator)
    assert abs(rounded - Fraction(numerator, denominator)) < 1
    assert mode.apply(numerator * denominator, denominator) == numerator


@pytest.mark.parametrize(
    ("stake", "odds", "mode", "returned"),
    [
        (1, Fraction(19, 20), Rounding.DOWN, 1),  # 0.95 of a unit is nothing
        (1, Fraction(19, 20), Rounding.UP, 2),
        (10, Fraction(19, 20), Rounding.HALF_EVEN, 20),  # 9.5 -> 10
        (30, Fraction(19, 20), Rounding.HALF_EVEN, 58),  # 28.5 -> 28
        (30, Fraction(19, 20), Rounding.HALF_UP, 59),
        (30, Fraction(19, 20), Rounding.HALF_DOWN, 58),
        (333, Fraction(3, 2), Rounding.DOWN, 832),  # 499.5 -> 499
        (10**15, Fraction(1000), Rounding.DOWN, 1_001_000_000_000_000_000),  # still below 2^63
    ],
)
def test_winnings_are_rounded_and_the_stake_is_not(
    stake: int, odds: Fraction, mode: Rounding, returned: int
) -> None:
    assert returned_minor(stake, Verdict(Result.WON, odds), mode) == returned
