"""How money that does not divide is rounded: whole minor units, integers only.

The same modes are written once more in SQL for settling; a property test holds the two equal.
"""

from __future__ import annotations

from enum import StrEnum


class Rounding(StrEnum):
    """What becomes of a part of a minor unit."""

    DOWN = "down"
    UP = "up"
    HALF_UP = "half_up"
    HALF_DOWN = "half_down"
    HALF_EVEN = "half_even"

    def apply(self, numerator: int, denominator: int = 1) -> int:
        """Round the fraction numerator/denominator to a whole number.

        :raises ValueError: if the numerator is negative or the denominator is below 1.
        """
        if numerator < 0 or denominator < 1:
            raise ValueError(f"no amount to round: {numerator}/{denominator}")
        whole, rest = divmod(numerator, denominator)
        if rest == 0:
            return whole
        match self:
            case Rounding.DOWN:
                return whole
            case Rounding.UP:
                return whole + 1
            case Rounding.HALF_UP:
                return whole + (2 * rest >= denominator)
            case Rounding.HALF_DOWN:
                return whole + (2 * rest > denominator)
            case Rounding.HALF_EVEN:
                return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))
