"""Exact odds: every coup a fresh shoe can deal, counted in integers, and what a rulebook's bets make of them.

Suits decide nothing, so ranks are enumerated; pairs need them, for 10 and K are both worth 0 and are no pair.
A combination is an order in which six cards can leave the shoe (416 · 415 · 414 · 413 · 412 · 411 of eight
decks); a coup of four or five cards stands for all orders of the cards that were not dealt.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import perm
from typing import Final, NamedTuple

from tables.rules.bets import ended_for
from tables.rules.cards import CARDS_IN_DECK, RANKS, VALUE_OF_RANK
from tables.rules.drawing import BANKER_TABLEAU, NATURALS, PLAYER_DRAWS_ON, Outcome
from tables.rules.facts import Facts
from tables.rules.rulebook import Bet, InsuranceRow, Phase, Rulebook, Side
from tables.rules.verdict import Result, Verdict

SUITS_OF_RANK: Final = 4


class Visible(NamedTuple):
    """What lies open when insurance may be sold: the moment and both totals."""

    phase: Phase
    player_total: int
    banker_total: int


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All coups of a fresh shoe, by what can matter to a bet and by what lay open on the way."""

    decks: int
    combinations: int
    by_facts: Mapping[Facts, int]
    by_visible: Mapping[Visible, Mapping[Outcome, int]]

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """Count the combinations each side wins and those that tie."""
        counts = dict.fromkeys(Outcome, 0)
        for facts, count in self.by_facts.items():
            counts[_outcome(facts.player_total, facts.banker_total)] += count
        return counts


@cache
def enumerate_shoe(decks: int) -> Enumeration:
    """Count every coup that a fresh shoe of so many decks can deal."""
    by_facts: defaultdict[Facts, int] = defaultdict(int)
    by_visible: defaultdict[Visible, defaultdict[Outcome, int]] = defaultdict(lambda: defaultdict(int))
    for hands in _first_four(decks):
        for player_third, banker_third, orders in _thirds(hands):
            player_total = (hands.player_total + (player_third or 0)) % 10
            banker_total = (hands.banker_total + (banker_third or 0)) % 10
            player_cards = 2 if player_third is None else 3
            banker_cards = 2 if banker_third is None else 3
            outcome = _outcome(player_total, banker_total)
            by_facts[
                Facts(
                    player_total,
                    banker_total,
                    player_cards,
                    banker_cards,
                    hands.player_pair,
                    hands.banker_pair,
                )
            ] += orders
            if player_cards + banker_cards > 4:
                four = Visible(Phase.FOUR_CARDS, hands.player_total, hands.banker_total)
                by_visible[four][outcome] += orders
            if player_cards + banker_cards == 6:
                five = Visible(Phase.PLAYER_THIRD, player_total, hands.banker_total)
                by_visible[five][outcome] += orders
    return Enumeration(decks, perm(decks * CARDS_IN_DECK, 6), dict(by_facts), by_visible)


class _Hands(NamedTuple):
    """The first two cards of both sides by rank, however dealt, and what is left by value."""

    player_total: int
    banker_total: int
    player_pair: str | None
    banker_pair: str | None
    orders: int  # in which four cards of the shoe make these hands
    left: tuple[int, ...]  # cards left in the shoe by value 0 to 9


def _first_four(decks: int) -> Iterator[_Hands]:
    copies = decks * SUITS_OF_RANK
    left_of_value = Counter(VALUE_OF_RANK[rank] for rank in RANKS for _ in range(copies))
    hands = tuple(combinations_with_replacement(RANKS, 2))
    for player in hands:
        for banker in hands:
            orders = 1 if player[0] == player[1] else 2
            orders *= 1 if banker[0] == banker[1] else 2
            left = [left_of_value[value] for value in range(10)]
            for rank, dealt in Counter(player + banker).items():
                orders *= perm(copies, dealt)
                left[VALUE_OF_RANK[rank]] -= dealt
            yield _Hands(
                player_total=sum(VALUE_OF_RANK[rank] for rank in player) % 10,
                banker_total=sum(VALUE_OF_RANK[rank] for rank in banker) % 10,
                player_pair=player[0] if player[0] == player[1] else None,
                banker_pair=banker[0] if banker[0] == banker[1] else None,
                orders=orders,
                left=tuple(left),
            )


def _thirds(hands: _Hands) -> Iterator[tuple[int | None, int | None, int]]:
    """Go through the third cards the tableau asks for: both values (None where not drawn) and the orders."""
    left, orders = hands.left, hands.orders
    cards_left = sum(left)
    not_dealt = cards_left - 1  # the choices for a sixth card after a fifth that settles the coup
    if hands.player_total in NATURALS or hands.banker_total in NATURALS:
        yield None, None, orders * cards_left * not_dealt
        return
    line = BANKER_TABLEAU[hands.banker_total]
    if hands.player_total not in PLAYER_DRAWS_ON:
        if not line.draws_after_stand:
            yield None, None, orders * cards_left * not_dealt
            return
        for value, copies in enumerate(left):
            yield None, value, orders * copies * not_dealt
        return
    for third, copies in enumerate(left):
        if third not in line.draws_on_third:
            yield third, None, orders * copies * not_dealt
            continue
        for value, others in enumerate(left):
            yield third, value, orders * copies * (others - (value == third))


def _outcome(player_total: int, banker_total: int) -> Outcome:
    if player_total == banker_total:
        return Outcome.TIE
    return Outcome.PLAYER if player_total > banker_total else Outcome.BANKER


@dataclass(frozen=True, slots=True)
class BetOdds:
    """What a bet brings per unit staked, over all combinations."""

    returns: Mapping[Fraction, int]  # net result per unit -> combinations, rising
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class InsuranceOdds:
    """One situation in which insurance is on sale, and what it is worth there."""

    side: Side
    visible: Visible
    odds: Fraction
    combinations: int
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class RulebookOdds:
    rulebook_id: str
    shoe: Enumeration
    bets: Mapping[str, BetOdds]
    insurance: tuple[InsuranceOdds, ...]


def odds_of(rulebook: Rulebook) -> RulebookOdds:
    """Work out every bet of a rulebook, and its insurance in each situation it is sold in."""
    shoe = enumerate_shoe(rulebook.decks)
    coarse = _without_ranks(shoe.by_facts)
    bets = {
        kind: _bet_odds(bet, shoe.by_facts if _asks_for_a_rank(bet) else coarse)
        for kind, bet in rulebook.bets.items()
    }
    return RulebookOdds(rulebook.id, shoe, bets, tuple(_insurance_odds(rulebook, shoe)))


def _asks_for_a_rank(bet: Bet) -> bool:
    return any(fact.endswith("_pair_rank") for row in bet.rows for fact, _ in row.condition.wanted)


def _without_ranks(by_facts: Mapping[Facts, int]) -> Mapping[Facts, int]:
    """Merge the coups that differ only in the ranks of their pairs; two pairs stay equal or unequal."""
    merged: defaultdict[Facts, int] = defaultdict(int)
    for facts, count in by_facts.items():
        player, banker = facts.player_pair_rank, facts.banker_pair_rank
        merged[
            facts._replace(
                player_pair_rank=player and RANKS[0],
                banker_pair_rank=banker and (RANKS[1] if player and player != banker else RANKS[0]),
            )
        ] += count
    return merged


def _bet_odds(bet: Bet, by_facts: Mapping[Facts, int]) -> BetOdds:
    counts: defaultdict[Verdict, int] = defaultdict(int)
    for facts, count in by_facts.items():
        counts[bet.verdict(facts)] += count
    return _odds_from(counts)


def _insurance_odds(rulebook: Rulebook, shoe: Enumeration) -> Iterator[InsuranceOdds]:
    rows = rulebook.insurance.rows if rulebook.insurance is not None else ()
    for side in Side:
        for visible in sorted(shoe.by_visible):
            for row in rows:
                if row.side is side and _is_sold(row, visible):
                    yield _situation(row, visible, shoe.by_visible[visible])


def _is_sold(row: InsuranceRow, visible: Visible) -> bool:
    own, other = visible.player_total, visible.banker_total
    if row.side is Side.BANKER:
        own, other = other, own
    return row.phase is visible.phase and own in row.own_totals and other in row.other_totals


def _situation(row: InsuranceRow, visible: Visible, by_outcome: Mapping[Outcome, int]) -> InsuranceOdds:
    counts: defaultdict[Verdict, int] = defaultdict(int)
    for outcome, count in by_outcome.items():
        counts[row.verdict(ended_for(row.side, outcome))] += count
    worth = _odds_from(counts)
    return InsuranceOdds(row.side, visible, row.odds, sum(counts.values()), worth.house_edge)


def _odds_from(counts: Mapping[Verdict, int]) -> BetOdds:
    returns: defaultdict[Fraction, int] = defaultdict(int)
    for verdict, count in counts.items():
        returns[_net(verdict)] += count
    expected = sum((net * count for net, count in returns.items()), Fraction(0))
    return BetOdds(dict(sorted(returns.items())), -expected / sum(returns.values()))


def _net(verdict: Verdict) -> Fraction:
    match verdict.result:
        case Result.WON:
            return verdict.odds or Fraction(0)
        case Result.LOST:
            return Fraction(-1)
    return Fraction(0)
