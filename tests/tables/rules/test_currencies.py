"""Money written for people."""

import pytest

from tables.rules.currencies import decimals_of, write_money


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (0, "THB", "0.00"),
        (5, "THB", "0.05"),
        (161_950_00, "THB", "161,950.00"),
        (-9_000_00, "THB", "−9,000.00"),
        (1_234_567, "JPY", "1,234,567"),
        (1_234_567, "KWD", "1,234.567"),
        (-1, "KWD", "−0.001"),
        (10**15, "THB", "10,000,000,000,000.00"),
        (12_345, "CLF", "1.2345"),
    ],
)
def test_money_is_written_with_the_decimals_of_its_currency(minor: int, currency: str, text: str) -> None:
    assert write_money(minor, currency) == text


@pytest.mark.parametrize(("minor", "text"), [(50_000_00, "+50,000.00"), (-1, "−0.01"), (0, "0.00")])
def test_a_difference_carries_its_sign_and_zero_has_none(minor: int, text: str) -> None:
    assert write_money(minor, "THB", is_difference=True) == text


@pytest.mark.parametrize(
    ("currency", "decimals"), [("HUF", 2), ("IQD", 3), ("IRR", 2), ("KRW", 0), ("XYZ", 2)]
)
def test_currencies_on_which_libraries_differ_follow_the_standard(currency: str, decimals: int) -> None:
    assert decimals_of(currency) == decimals
