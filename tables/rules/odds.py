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
from itertools import combinations_with_replacement, product
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
    by_facts: Counter[tuple[int, int, int, int, str | None, str | None]] = Counter()
    after_four: Counter[tuple[int, int, int, int]] = Counter()
    after_five: Counter[tuple[int, int, int, int]] = Counter()
    for hands in _first_four(decks):
        for ending, rest in _endings(hands).items():
            player_total, banker_total, player_cards, banker_cards = ending
            for pairs, orders in hands.orders_by_pairs.items():
                by_facts[(*ending, *pairs)] += orders * rest
            orders = hands.orders * rest
            if player_cards + banker_cards > 4:
                after_four[hands.player_total, hands.banker_total, player_total, banker_total] += orders
            if player_cards + banker_cards == 6:
                after_five[player_total, hands.banker_total, player_total, banker_total] += orders
    by_visible: defaultdict[Visible, Counter[Outcome]] = defaultdict(Counter)
    for phase, counts in ((Phase.FOUR_CARDS, after_four), (Phase.PLAYER_THIRD, after_five)):
        for (player_seen, banker_seen, player_total, banker_total), count in counts.items():
            outcome = _outcome(player_total, banker_total)
            by_visible[Visible(phase, player_seen, banker_seen)][outcome] += count
    combinations = perm(decks * CARDS_IN_DECK, 6)
    return Enumeration(decks, combinations, {Facts(*key): n for key, n in by_facts.items()}, by_visible)


_Pairs = tuple[str | None, str | None]
_Ending = tuple[int, int, int, int]  # both totals and numbers of cards


@dataclass(frozen=True, slots=True)
class _Hands:
    """The first two cards of both sides by value: the totals, what is left, and the ranks they may have."""

    player_total: int
    banker_total: int
    left: tuple[int, ...]  # cards left in the shoe by value 0 to 9
    orders_by_pairs: Mapping[_Pairs, int]  # ranks of the pairs -> orders of four cards

    @property
    def orders(self) -> int:
        return sum(self.orders_by_pairs.values())


def _first_four(decks: int) -> Iterator[_Hands]:
    copies = decks * SUITS_OF_RANK
    orders: defaultdict[tuple[int, ...], Counter[_Pairs]] = defaultdict(Counter)
    hands = tuple(combinations_with_replacement(RANKS, 2))
    for player, banker in product(hands, hands):
        ways = (1 if player[0] == player[1] else 2) * (1 if banker[0] == banker[1] else 2)
        for dealt in Counter(player + banker).values():
            ways *= perm(copies, dealt)
        pairs = player[0] if player[0] == player[1] else None, banker[0] if banker[0] == banker[1] else None
        orders[tuple(VALUE_OF_RANK[rank] for rank in player + banker)][pairs] += ways
    full = Counter(VALUE_OF_RANK[rank] for rank in RANKS for _ in range(copies))
    for values, by_pairs in orders.items():
        dealt_values = Counter(values)
        left = tuple(full[value] - dealt_values[value] for value in range(10))
        yield _Hands(sum(values[:2]) % 10, sum(values[2:]) % 10, left, by_pairs)


def _endings(hands: _Hands) -> Counter[_Ending]:
    """Deal the third cards the tableau asks for: each ending with the orders of the fifth and sixth card."""
    player, banker, left = hands.player_total, hands.banker_total, hands.left
    fifth = sum(left)
    sixth = fifth - 1  # the choices for a card that is not dealt count as well
    if player in NATURALS or banker in NATURALS:
        return Counter({(player, banker, 2, 2): fifth * sixth})
    line = BANKER_TABLEAU[banker]
    endings: Counter[_Ending] = Counter()
    if player in PLAYER_DRAWS_ON:
        for third, copies in enumerate(left):
            player_total = (player + third) % 10
            if third not in line.draws_on_third:
                endings[player_total, banker, 3, 2] += copies * sixth
                continue
            for value, others in enumerate(left):
                endings[player_total, (banker + value) % 10, 3, 3] += copies * (others - (value == third))
    elif line.draws_after_stand:
        for value, copies in enumerate(left):
            endings[player, (banker + value) % 10, 2, 3] += copies * sixth
    else:
        endings[player, banker, 2, 2] = fifth * sixth
    return endings


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
