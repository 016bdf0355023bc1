"""The shoe: what is burned at its start, which round is its last, and what becomes of every card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tables.rules.cards import Card


class BurnBy(StrEnum):
    """What decides how many cards are burned besides the first one turned up."""

    FIRST_CARD = "first_card"
    DECKS = "decks"
    FIXED = "fixed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BurnRule:
    """How a new shoe is started."""

    by: BurnBy
    ace: int = 1  # by the first card: what an ace counts, 1 or 11
    court: int = 10  # by the first card: what jack, queen and king count
    count: int = 0  # fixed: this many
    by_decks: Mapping[int, int] = field(default_factory=dict)  # by the number of decks: decks -> cards


class BlueCardRule(StrEnum):
    """Which round is the last one once the blue card has come out."""

    THIS_ROUND = "this_round"
    ONE_MORE = "one_more"
    ONE_MORE_UNLESS_FIRST = "one_more_unless_first"


def burn_due(rule: BurnRule, first_card: Card | None, decks: int) -> int:
    """Say how many cards are to be burned besides the first one turned up.

    :raises ValueError: if the first card decides and none is given.
    """
    match rule.by:
        case BurnBy.NONE:
            return 0
        case BurnBy.FIXED:
            return rule.count
        case BurnBy.DECKS:
            return rule.by_decks[decks]
        case BurnBy.FIRST_CARD:
            if first_card is None:
                raise ValueError("the first card decides the burn, and none is given")
            if first_card.rank == "A":
                return rule.ace
            return rule.court if first_card.rank in ("J", "Q", "K") else int(first_card.rank)
