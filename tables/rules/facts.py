"""The closed list of facts about a coup that a rulebook's bets may ask for.

A bet pays by rows of conditions on these facts. Whatever a row can ask follows from six things, so two coups
that agree in those six pay the same under every rulebook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tables.rules.cards import RANKS
from tables.rules.drawing import Coup

# A value of a fact; None where the coup has no such thing (the rank of a pair that is none).
Value = int | str | bool | None


class Facts(NamedTuple):
    """The six things about a coup that every fact is read from."""

    player_total: int
    banker_total: int
    player_cards: int
    banker_cards: int
    player_pair_rank: str | None
    banker_pair_rank: str | None


def facts_of(coup: Coup) -> Facts:
    """Read the facts of a complete coup."""
    player, banker = coup.player, coup.banker
    return Facts(
        coup.player_total,
        coup.banker_total,
        len(player),
        len(banker),
        player[0].rank if player[0].rank == player[1].rank else None,
        banker[0].rank if banker[0].rank == banker[1].rank else None,
    )


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a row may ask for: its possible values, how it is read, and what it means."""

    name: str
    values: tuple[Value, ...]
    read: Callable[[Facts], Value]
    meaning: str

    @property
    def is_number(self) -> bool:
        return type(self.values[0]) is int

    @property
    def is_yes_or_no(self) -> bool:
        return type(self.values[0]) is bool


def _winner(facts: Facts) -> str:
    if facts.player_total > facts.banker_total:
        return "player"
    return "banker" if facts.banker_total > facts.player_total else "tie"


def _is_tie(facts: Facts) -> bool:
    return facts.player_total == facts.banker_total


def _player_natural(facts: Facts) -> bool:
    return facts.player_cards == 2 and facts.player_total >= 8


def _banker_natural(facts: Facts) -> bool:
    return facts.banker_cards == 2 and facts.banker_total >= 8


def _winning_cards(facts: Facts) -> Value:
    if _is_tie(facts):
        return None
    return facts.player_cards if facts.player_total > facts.banker_total else facts.banker_cards


def _winning_natural(facts: Facts) -> bool:
    if _is_tie(facts):
        return False
    return _player_natural(facts) if facts.player_total > facts.banker_total else _banker_natural(facts)


def _pairs(facts: Facts) -> int:
    return (facts.player_pair_rank is not None) + (facts.banker_pair_rank is not None)


def _same_pairs(facts: Facts) -> bool:
    return facts.player_pair_rank is not None and facts.player_pair_rank == facts.banker_pair_rank


_TOTALS: Final = tuple(range(10))
_BOTH: Final = (False, True)

_LIST: Final = (
    Fact("winner", ("player", "banker", "tie"), _winner, "the side with the higher total, or tie"),
    Fact("player_total", _TOTALS, lambda f: f.player_total, "the Player's final total"),
    Fact("banker_total", _TOTALS, lambda f: f.banker_total, "the Banker's final total"),
    Fact(
        "winning_total",
        tuple(range(1, 10)),
        lambda f: None if _is_tie(f) else max(f.player_total, f.banker_total),
        "the winner's total; no value on a tie",
    ),
    Fact(
        "losing_total",
        tuple(range(9)),
        lambda f: None if _is_tie(f) else min(f.player_total, f.banker_total),
        "the loser's total; no value on a tie",
    ),
    Fact(
        "tie_total",
        _TOTALS,
        lambda f: f.player_total if _is_tie(f) else None,
        "the total both sides tie at; no value unless it is a tie",
    ),
    Fact(
        "margin",
        _TOTALS,
        lambda f: abs(f.player_total - f.banker_total),
        "points between the sides, 0 on a tie",
    ),
    Fact("cards", (4, 5, 6), lambda f: f.player_cards + f.banker_cards, "cards dealt in all"),
    Fact("player_cards", (2, 3), lambda f: f.player_cards, "cards of the Player"),
    Fact("banker_cards", (2, 3), lambda f: f.banker_cards, "cards of the Banker"),
    Fact("winning_cards", (2, 3), _winning_cards, "cards of the winner; no value on a tie"),
    Fact("player_natural", _BOTH, _player_natural, "the Player has 8 or 9 with two cards"),
    Fact("banker_natural", _BOTH, _banker_natural, "the Banker has 8 or 9 with two cards"),
    Fact("winning_natural", _BOTH, _winning_natural, "the winner wins by a natural; no on a tie"),
    Fact(
        "naturals",
        (0, 1, 2),
        lambda f: _player_natural(f) + _banker_natural(f),
        "how many sides have a natural",
    ),
    Fact(
        "player_pair",
        _BOTH,
        lambda f: f.player_pair_rank is not None,
        "the Player's first two cards are of equal rank",
    ),
    Fact(
        "banker_pair",
        _BOTH,
        lambda f: f.banker_pair_rank is not None,
        "the Banker's first two cards are of equal rank",
    ),
    Fact("pairs", (0, 1, 2), _pairs, "how many sides have a pair"),
    Fact("pairs_same_rank", _BOTH, _same_pairs, "both sides have a pair, and of the same rank"),
    Fact("player_pair_rank", RANKS, lambda f: f.player_pair_rank, "the rank of the Player's pair, if any"),
    Fact("banker_pair_rank", RANKS, lambda f: f.banker_pair_rank, "the rank of the Banker's pair, if any"),
)

FACTS: Final[Mapping[str, Fact]] = {fact.name: fact for fact in _LIST}


@dataclass(frozen=True, slots=True)
class Condition:
    """All of these facts must have one of their values; no facts at all is always true."""

    wanted: tuple[tuple[str, frozenset[Value]], ...] = ()

    def holds(self, facts: Facts) -> bool:
        """Tell whether a coup with these facts meets the condition."""
        return all(FACTS[name].read(facts) in values for name, values in self.wanted)
