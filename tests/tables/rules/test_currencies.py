"""Money written for people."""

import pytest

from tables.rules.currencies import decimals_of, read_money, write_money


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


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("1,619.50", "THB", 161_950),
        ("1619.5", "THB", 161_950),
        (" 100 ", "THB", 10_000),
        ("0", "THB", 0),
        ("1,000,000", "JPY", 1_000_000),
        ("1.005", "KWD", 1_005),
        ("0.0001", "CLF", 1),
    ],
)
def test_a_sum_that_was_typed_is_read_in_minor_units(text: str, currency: str, minor: int) -> None:
    assert read_money(text, currency) == minor


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1.005", "1.", ".5", "1,5", "1,0000", "1e3", "1 000", "NaN", "٣", "1,,000", "9" * 21],
)
def test_what_is_no_sum_of_baht_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no sum of THB with at most 2 decimals"):
        read_money(text, "THB")
