"""A shuffled shoe dealt out beforehand: what is burned, discarded and dealt, and where the blue card lies."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from casino.counterparts.platform.chance import Chance
from tables.rules.cards import ALL_CARDS, CARDS_IN_DECK, Card
from tables.rules.drawing import Place, due_next
from tables.rules.rulebook import Rulebook
from tables.rules.shoe import BlueCardMoment, BurnBy, burn_due, last_round

MOST_CARDS_OF_A_ROUND: Final = 6
CUT_FROM_BACK: Final = (14, 36)  # where dealers cut a blue card in


class BlueAt(StrEnum):
    """Where the blue card comes out."""

    IN_ROUND = "in_round"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class DealtRound:
    """One round's cards in the order dealt, and the card discarded before it."""

    discard: Card | None
    cards: tuple[tuple[Place, Card], ...]
    out_before: int  # cards out of the shoe before the first card of the coup

    @property
    def out_after(self) -> int:
        return self.out_before + len(self.cards)

    def blue_before(self, blue_position: int) -> int | None:
        """Say before which card of the coup (from 0) the blue card comes; None if it comes in none."""
        place = blue_position - self.out_before
        return place if 0 < place < len(self.cards) else None


@dataclass(frozen=True, slots=True)
class DealtShoe:
    """Everything that will come out of one shoe, in order."""

    decks: int
    turned: Card | None
    burned: tuple[Card, ...]
    blue_position: int  # cards out before the blue card
    rounds: tuple[DealtRound, ...]

    @property
    def cut_from_back(self) -> int:
        return self.decks * CARDS_IN_DECK - self.blue_position

    @property
    def left(self) -> int:
        """Count the cards still in the shoe after its last round."""
        return self.decks * CARDS_IN_DECK - self.rounds[-1].out_after

    def copies(self) -> dict[Card, int]:
        """Count how often each face comes out."""
        out = [card for round_ in self.rounds for _, card in round_.cards]
        out += [round_.discard for round_ in self.rounds if round_.discard]
        out += [*self.burned, *([self.turned] if self.turned else [])]
        return {card: out.count(card) for card in ALL_CARDS}


def deal_shoe(chance: Chance, rulebook: Rulebook, *, blue: BlueAt, rounds: int | None = None) -> DealtShoe:
    """Shuffle a shoe, deal it out by the tableau, and cut the blue card in so that it comes where wanted.

    `rounds` makes a short shoe: the blue card comes in, or after, the round of that number.
    """
    cards = list(ALL_CARDS) * rulebook.decks
    chance.shuffle(cards)
    turned = cards[0] if rulebook.burn.by is BurnBy.FIRST_CARD else None
    burn = burn_due(rulebook.burn, turned, rulebook.decks)
    first = burn + (turned is not None)
    dealt = _deal_out(cards, first, discards=rulebook.discards_between_rounds)
    marked, position = _cut(chance, dealt, len(cards), blue, rounds)
    moment = BlueCardMoment.DURING_ROUND if blue is BlueAt.IN_ROUND else BlueCardMoment.AS_DISCARD
    last = last_round(rulebook.blue_card, moment, marked)
    burned = tuple(cards[first - burn : first])
    return DealtShoe(rulebook.decks, turned, burned, position, tuple(dealt[:last]))


def _deal_out(cards: list[Card], first: int, *, discards: bool) -> list[DealtRound]:
    dealt: list[DealtRound] = []
    at = first
    while len(cards) - at > MOST_CARDS_OF_A_ROUND:
        discard = None
        if discards and dealt:
            discard = cards[at]
            at += 1
        round_ = DealtRound(discard, _coup(cards[at : at + MOST_CARDS_OF_A_ROUND]), at)
        dealt.append(round_)
        at = round_.out_after
    return dealt


def _coup(cards: list[Card]) -> tuple[tuple[Place, Card], ...]:
    placed: list[tuple[Place, Card]] = []
    hands: dict[str, list[Card]] = {"P": [], "B": []}
    while (due := due_next(hands["P"], hands["B"])) is not None:
        card = cards[len(placed)]
        placed.append((due, card))
        hands[due.value[0]].append(card)
    return tuple(placed)


def _cut(
    chance: Chance, dealt: list[DealtRound], cards: int, blue: BlueAt, rounds: int | None
) -> tuple[int, int]:
    """Choose the number of the round in or after which the blue card comes, and the cards out before it."""
    within = dealt[:-2]  # a house may play on, by two rounds at most
    if rounds is not None:
        marked = min(rounds, len(within))
    else:
        low, high = CUT_FROM_BACK
        fitting = [n for n, round_ in enumerate(within, 1) if low <= cards - round_.out_after <= high]
        marked = chance.one_of(fitting)
    round_ = dealt[marked - 1]
    if blue is BlueAt.BETWEEN:
        return marked, round_.out_after
    return marked, round_.out_before + chance.between(1, len(round_.cards) - 1)
