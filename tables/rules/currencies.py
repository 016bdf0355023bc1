"""How many decimals a currency's minor unit has (ISO 4217), from a table of our own.

Only the exceptions stand here: everything else has two. Libraries differ for HUF, IQD and IRR, which by the
standard have 2, 3 and 2.
"""

import re
from typing import Final

_NO_DECIMALS: Final = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split())
_THREE_DECIMALS: Final = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
_FOUR_DECIMALS: Final = frozenset("CLF UYW".split())

MINUS: Final = "−"

_MONEY: Final = re.compile(r"(\d{1,20}|\d{1,3}(?:,\d{3}){1,6})(?:\.(\d{1,4}))?", re.ASCII)


def decimals_of(currency: str) -> int:
    """Return the decimals of a currency's minor unit: THB 2, JPY 0, KWD 3."""
    if currency in _NO_DECIMALS:
        return 0
    if currency in _THREE_DECIMALS:
        return 3
    return 4 if currency in _FOUR_DECIMALS else 2


def write_money(minor: int, currency: str, *, is_difference: bool = False) -> str:
    """Write whole minor units for people: 161950 THB as `1,619.50`, with a true minus.

    A difference carries its sign also when positive; zero never does.
    """
    decimals = decimals_of(currency)
    whole, part = divmod(abs(minor), 10**decimals)
    text = f"{whole:,}.{part:0{decimals}}" if decimals else f"{whole:,}"
    if minor < 0:
        return MINUS + text
    return f"+{text}" if is_difference and minor > 0 else text


def read_money(text: str, currency: str) -> int:
    """Read a sum that a person typed, as `1,619.50` or `1619.5` THB, in minor units.

    :raises ValueError: if it is no sum, or has more decimals than the currency.
    """
    match = _MONEY.fullmatch(text.strip())
    decimals = decimals_of(currency)
    part = (match[2] or "") if match else ""
    if match is None or len(part) > decimals:
        raise ValueError(f"{text[:40]!r} is no sum of {currency} with at most {decimals} decimals")
    return int(match[1].replace(",", "") + part.ljust(decimals, "0"))
