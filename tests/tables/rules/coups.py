"""Coups for tests, written as the cards in the order dealt: P1 B1 P2 B2, then P3 and B3 where drawn."""

from tables.rules.drawing import Coup, read_coup


def deal(cards: str) -> Coup:
    """Read a coup such as `6H 4H 4C 6S KH 10H`."""
    return read_coup(cards.split())
