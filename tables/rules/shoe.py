"""The shoe: what is burned at its start, which round is its last, and what becomes of every card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from itertools import islice, pairwise
from typing import Final, NamedTuple

from tables.rules.cards import CARDS_IN_DECK, RANKS, Card


class BurnBy(StrEnum):
    """What decides how many cards are burned besides the first one turned up."""

    FIRST_CARD = "first_card"
    DECKS = "decks"
    FIXED = "fixed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BurnRule:
    """How a new shoe is started (`insurance/start`)."""

    by: BurnBy
    ace: int = 1  # by the first card: what an ace counts, 1 or 11
    court: int = 10  # by the first card: what jack, queen and king count
    count: int = 0  # fixed: this many
    by_decks: Mapping[int, int] = field(default_factory=dict)  # by the number of decks: decks -> cards
    first_card_turned_up: bool = True  # always where the first card decides


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


class BlueCardMoment(StrEnum):
    """When the blue card came out."""

    DURING_ROUND = "during_round"  # after the round's first card
    AS_DISCARD = "as_discard"  # as the discard dealt to open the next round
    AS_FIRST_CARD = "as_first_card"  # in place of the next round's first card


# How many rounds after the one running, or else after the one just finished, may still be dealt. Where a
# house deals one more, a blue card that came first belongs to the round about to start; where the round just
# finished was the last, it closes the shoe at once, in place of a first card or of the discard alike.
_ROUNDS_LEFT: Final[Mapping[tuple[BlueCardRule, bool], int]] = {
    (BlueCardRule.THIS_ROUND, False): 0,
    (BlueCardRule.THIS_ROUND, True): 0,
    (BlueCardRule.ONE_MORE, False): 1,
    (BlueCardRule.ONE_MORE, True): 2,
    (BlueCardRule.ONE_MORE_UNLESS_FIRST, False): 1,
    (BlueCardRule.ONE_MORE_UNLESS_FIRST, True): 1,
}


def last_round(rule: BlueCardRule, moment: BlueCardMoment, round_number: int) -> int:
    """Say which round of the shoe is the last one (`insurance/blue-card`); what is dealt after it is void.

    `round_number` is the round running when the blue card came out, or the one just finished when it came
    between rounds; 0 when it came before the first.

    :raises ValueError: if the number does not fit the moment.
    """
    came_first = moment is not BlueCardMoment.DURING_ROUND
    if round_number < (0 if came_first else 1):
        raise ValueError(f"no round {round_number} for a blue card {moment.value}")
    return round_number + _ROUNDS_LEFT[rule, came_first]


def cards_until_blue_card(decks: int, cut_from_back: int, cards_out: int) -> int:
    """Count the cards still before the blue card, which lies `cut_from_back` from the back; at least 0."""
    return max(0, decks * CARDS_IN_DECK - cut_from_back - cards_out)


class Whereabouts(StrEnum):
    """What became of a card that left the shoe."""

    TURNED = "turned"
    BURNED = "burned"
    IN_ROUND = "in_round"
    DEAD_DEAL = "dead_deal"
    DISCARD = "discard"
    EXPOSED = "exposed"
    EXTRA = "extra"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ShoeLedger:
    """The account of a shoe: how many cards went where, which with those left is always 52 a deck."""

    decks: int
    out: Mapping[Whereabouts, int]

    def __post_init__(self) -> None:
        if any(count < 0 for count in self.out.values()):
            raise ValueError(f"a shoe's account cannot hold less than no card: {dict(self.out)}")
        if self.cards_out > self.cards:
            raise ValueError(f"{self.cards_out} cards out of a shoe of {self.cards}")

    @classmethod
    def of(cls, decks: int, places: Iterable[Whereabouts]) -> ShoeLedger:
        """Count where each card that left the shoe went.

        :raises ValueError: if they are more than the decks hold.
        """
        counts = Counter(places)
        return cls(decks, {place: counts[place] for place in Whereabouts})

    @property
    def cards(self) -> int:
        return self.decks * CARDS_IN_DECK

    @property
    def cards_out(self) -> int:
        return sum(self.out.values())

    @property
    def left(self) -> int:
        return self.cards - self.cards_out

    def with_cards(self, place: Whereabouts, count: int = 1) -> ShoeLedger:
        """Give the account after `count` more cards went to a place (fewer when negative: a correction)."""
        return ShoeLedger(self.decks, {**self.out, place: self.out.get(place, 0) + count})

    def moved(self, place: Whereabouts, to: Whereabouts, count: int = 1) -> ShoeLedger:
        """Give the account after cards changed their place, as when a re-deal makes a deal dead."""
        return ShoeLedger(
            self.decks, {**self.out, place: self.out.get(place, 0) - count, to: self.out.get(to, 0) + count}
        )

    def lines(self) -> tuple[tuple[str, int], ...]:
        """List the account in the order of a shoe's life, ending with what is left; it adds up to `cards`."""
        return (*((place.value, self.out.get(place, 0)) for place in Whereabouts), ("left", self.left))


class ExcessCopy(NamedTuple):
    """A card of which the shoe has more copies than decks, at its number in the shoe."""

    position: int
    card: Card
    copy: int


def excess_copies(cards: Iterable[Card | None], decks: int) -> tuple[ExcessCopy, ...]:
    """Name each copy beyond what the decks hold, as a ninth seven of hearts; None is a face nobody saw."""
    seen: Counter[Card] = Counter()
    found = []
    for position, card in enumerate(cards, start=1):
        if card is None:
            continue
        seen[card] += 1
        if seen[card] > decks:
            found.append(ExcessCopy(position, card, seen[card]))
    return tuple(found)


# Shuffled, less than one shoe of 416 in a hundred million has a run this long.
FACTORY_RUN: Final = 8


def longest_factory_run(cards: Sequence[Card | None]) -> int:
    """Count the cards of the longest stretch that lies as a deck leaves the factory, in suits and by rank.

    Ranks rise (or fall) by one a card and the suit changes only between king and ace. Cards not seen
    (None) are bridged when those around them fit.
    """
    seen = [(position, card) for position, card in enumerate(cards) if card is not None]
    longest = min(len(seen), 1)
    for step in (1, -1):
        run = 1
        for (position, card), (next_position, next_card) in pairwise(seen):
            run = run + 1 if _follows(card, next_card, step * (next_position - position)) else 1
            longest = max(longest, run)
    return longest


def is_unshuffled(cards: Sequence[Card | None]) -> bool:
    """Tell whether a shoe shows a stretch of factory order that a shuffle does not leave."""
    return longest_factory_run(cards) >= FACTORY_RUN


def _follows(card: Card, next_card: Card, distance: int) -> bool:
    turns, rank = divmod(RANKS.index(card.rank) + distance, len(RANKS))
    return RANKS[rank] == next_card.rank and (card.suit == next_card.suit) == (turns == 0)


FINGERPRINT_CARDS: Final = 26


def order_fingerprint(cards: Iterable[Card | None]) -> str | None:
    """Digest the first 26 faces seen of a shoe, or give None while there are fewer.

    Two shoes with the same digest lie in the same order: chance alone does this once in 10^44.
    """
    faces = [str(card) for card in islice((card for card in cards if card is not None), FINGERPRINT_CARDS)]
    if len(faces) < FINGERPRINT_CARDS:
        return None
    return sha256(" ".join(faces).encode("ascii")).hexdigest()
