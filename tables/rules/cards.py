"""Cards as the rules see them: a rank, a suit and what the card is worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("S", "H", "D", "C")
CARDS_IN_DECK: Final = 52

SUIT_SYMBOLS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
VALUE_OF_RANK: Final = {rank: min(place, 10) % 10 for place, rank in enumerate(RANKS, start=1)}


class Card(NamedTuple):
    """One face: rank `A 2 … 10 J Q K` and suit `S H D C`."""

    rank: str
    suit: str

    @property
    def value(self) -> int:
        """Points of the card: ace 1, 2 to 9 as printed, 10 and the court cards 0."""
        return VALUE_OF_RANK[self.rank]

    @property
    def face(self) -> str:
        """The card as people read it, for instance `10♥`."""
        return self.rank + SUIT_SYMBOLS[self.suit]

    def __str__(self) -> str:
        return self.rank + self.suit

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card such as `10H`.

        :raises ValueError: if the text is no card; the message repeats the text.
        """
        card = CARD_BY_TEXT.get(text)
        if card is None:
            raise ValueError(f"not a card: {text!r} (rank A 2-10 J Q K, then suit S H D C)")
        return card


ALL_CARDS: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
CARD_BY_TEXT: Final[dict[str, Card]] = {str(card): card for card in ALL_CARDS}


def hand_total(cards: Iterable[Card]) -> int:
    """Add up a hand the way baccarat counts: the sum of the values modulo 10."""
    total = 0
    for card in cards:
        total += VALUE_OF_RANK[card.rank]
    return total % 10
