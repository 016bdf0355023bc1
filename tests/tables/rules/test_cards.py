"""Cards: what they are worth and how they are written."""

import pytest

from tables.rules.cards import ALL_CARDS, Card, hand_total

WORTH = """
A 1   2 2   3 3   4 4   5 5   6 6   7 7   8 8   9 9   10 0   J 0   Q 0   K 0
"""


def test_every_rank_is_worth_what_the_rules_say():
    words = WORTH.split()
    expected = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert len(expected) == 13
    assert {card.rank: card.value for card in ALL_CARDS} == expected


def test_a_deck_has_52_cards_each_written_and_read_back():
    assert len(set(ALL_CARDS)) == 52
    assert [Card.parse(str(card)) for card in ALL_CARDS] == list(ALL_CARDS)


def test_a_card_is_written_for_machines_and_for_people():
    card = Card.parse("10H")
    assert (card.rank, card.suit, str(card), card.face) == ("10", "H", "10H", "10♥")


@pytest.mark.parametrize("text", ["", "1H", "11S", "H10", "10h", "10", "H", " 9S", "9S ", "TH", "0C", "๗S"])
def test_what_is_no_card_is_refused_by_name(text):
    with pytest.raises(ValueError, match="not a card") as refused:
        Card.parse(text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize(
    ("hand", "total"),
    [("4S 2H 6D", 2), ("5S 6H 8D", 9), ("7S 3H", 0), ("10S 10H 10D", 0), ("AS KH", 1), ("9C 9D 9H", 7)],
)
def test_a_total_is_the_sum_modulo_ten(hand, total):
    assert hand_total([Card.parse(text) for text in hand.split()]) == total
