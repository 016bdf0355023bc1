"""The ranks seen of a shoe against what chance lets expect of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import factorial
from typing import Final

from tables.rules.cards import CARDS_IN_DECK, RANKS

#: Below five expected of each rank the approximation behind `chance` is not worth saying.
FEWEST_TO_JUDGE: Final = 5 * len(RANKS)
UNUSUAL_BELOW: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class RankCount:
    """How often a rank was seen, and how far that is from what was to be expected."""

    rank: str
    seen: int
    differs: Fraction


@dataclass(frozen=True, slots=True)
class RankCounts:
    """The ranks of the faces seen, each against the same expectation."""

    ranks: tuple[RankCount, ...]
    faces: int
    expected: Fraction  # of each rank
    chance: Decimal | None  # of differing as much or more; None while too few faces were seen to say

    @property
    def is_unusual(self) -> bool:
        return self.chance is not None and self.chance < UNUSUAL_BELOW


def count_ranks(ranks: Iterable[str], decks: int) -> RankCounts:
    """Count ranks seen against a thirteenth of them each, which a shoe shuffled well leads to.

    :raises ValueError: if more faces are given than the decks hold.
    """
    seen = Counter(ranks)
    faces, cards = seen.total(), decks * CARDS_IN_DECK
    if faces > cards:
        raise ValueError(f"{faces} faces of a shoe of {cards}")
    expected = Fraction(faces, len(RANKS))
    counts = tuple(RankCount(rank, seen[rank], seen[rank] - expected) for rank in RANKS)
    return RankCounts(counts, faces, expected, _chance(counts, expected, faces, cards))


def _chance(counts: Iterable[RankCount], expected: Fraction, faces: int, cards: int) -> Decimal | None:
    """Give the chance of counts as uneven as these: Pearson's sum, for cards that are not put back.

    Faces drawn from a finite shoe spread less than throws of a die, by (cards − faces) / (cards − 1). For an
    even number of degrees of freedom (12) the tail of the distribution is a finite sum.
    """
    if not FEWEST_TO_JUDGE <= faces < cards:
        return None
    uneven = sum((count.differs**2 for count in counts), Fraction()) / expected
    half = uneven * Fraction(cards - 1, cards - faces) / 2
    x = Decimal(half.numerator) / Decimal(half.denominator)
    terms = (x**k / factorial(k) for k in range((len(RANKS) - 1) // 2))
    return (-x).exp() * sum(terms, Decimal())


def write_tenths(value: Fraction, *, is_difference: bool = False) -> str:
    """Write a fraction with one decimal, half to even; a difference with its sign and a true minus."""
    tenths = round(value * 10)
    whole, part = divmod(abs(tenths), 10)
    sign = "−" if tenths < 0 else "+" if is_difference and tenths > 0 else ""
    return f"{sign}{whole}.{part}"
