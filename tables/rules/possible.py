"""What can happen at all: the facts a coup may have, and how insured rounds may end.

The checker of rulebooks asks here whether a row can ever apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final

from tables.rules.cards import RANKS, VALUE_OF_RANK, Card
from tables.rules.drawing import Place, due_next
from tables.rules.facts import FACTS, Condition, Facts, Value
from tables.rules.rulebook import Phase

_TOTALS: Final = range(10)
# One card for each worth, and two unequal cards for each total.
_CARD_WORTH: Final = tuple(Card(rank, "S") for rank in ("K", *RANKS[:9]))
_HAND_OF: Final = {total: (Card("10", "S"), _CARD_WORTH[total]) for total in _TOTALS}


def _endings(player: tuple[Card, ...], banker: tuple[Card, ...]) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Deal on from these cards in every way the drawing table allows, one card for each worth."""
    match due_next(player, banker):
        case None:
            yield player, banker
        case Place.P3:
            for card in _CARD_WORTH:
                yield from _endings((*player, card), banker)
        case _:
            for card in _CARD_WORTH:
                yield player, (*banker, card)


def _total(cards: tuple[Card, ...]) -> int:
    return sum(card.value for card in cards) % 10


@cache
def _shapes(player_total: int, banker_total: int) -> frozenset[tuple[int, int, int, int]]:
    """Final totals and numbers of cards that two-card totals can lead to."""
    return frozenset(
        (_total(player), _total(banker), len(player), len(banker))
        for player, banker in _endings(_HAND_OF[player_total], _HAND_OF[banker_total])
    )


@cache
def possible_facts() -> tuple[Facts, ...]:
    """List the facts of every coup that can be dealt."""
    hands: list[tuple[int, str | None]] = [(total, None) for total in _TOTALS]
    hands += [(2 * VALUE_OF_RANK[rank] % 10, rank) for rank in RANKS]
    return tuple(
        dict.fromkeys(
            Facts(*shape, player_rank, banker_rank)
            for (player_total, player_rank), (banker_total, banker_rank) in product(hands, hands)
            for shape in _shapes(player_total, banker_total)
        )
    )


@cache
def _having(name: str) -> Mapping[Value, int]:
    """Sort the possible facts by one fact's value; bit n of a number stands for the n-th of them."""
    masks: dict[Value, int] = {}
    read = FACTS[name].read
    for place, facts in enumerate(possible_facts()):
        masks.setdefault(read(facts), 0)
        masks[read(facts)] |= 1 << place
    return masks


def coups_meeting(condition: Condition) -> int:
    """Give the possible facts that meet a condition, as a number with one bit for each; 0 when none does."""
    meeting = (1 << len(possible_facts())) - 1
    for name, values in condition.wanted:
        meeting &= sum(mask for value, mask in _having(name).items() if value in values)
    return meeting


@cache
def insured_endings(phase: Phase) -> Mapping[tuple[int, int], frozenset[tuple[int, int]]]:
    """Give, for the totals (Player, Banker) at which a card is to come, the final totals they can lead to."""
    endings: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for player_total, banker_total in product(_TOTALS, _TOTALS):
        banker = _HAND_OF[banker_total]
        for player in _open_hands(phase, player_total, banker):
            if due_next(player, banker) is not None:
                found = endings.setdefault((_total(player), banker_total), set())
                found |= {(_total(p), _total(b)) for p, b in _endings(player, banker)}
    return {totals: frozenset(found) for totals, found in endings.items()}


def _open_hands(phase: Phase, player_total: int, banker: tuple[Card, ...]) -> list[tuple[Card, ...]]:
    player = _HAND_OF[player_total]
    if phase is Phase.FOUR_CARDS:
        return [player]
    if due_next(player, banker) is not Place.P3:
        return []
    return [(*player, card) for card in _CARD_WORTH]
