"""The shoe: burn, blue card, the account of its cards, and cards that should not be there."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.rules.cards import ALL_CARDS, Card
from tables.rules.shoe import (
    BlueCardMoment,
    BlueCardRule,
    BurnBy,
    BurnRule,
    ShoeLedger,
    Whereabouts,
    burn_due,
    cards_until_blue_card,
    excess_copies,
    is_unshuffled,
    last_round,
    longest_factory_run,
    order_fingerprint,
)

FIRST_CARD_BURNS = """
A 1   2 2   3 3   4 4   5 5   6 6   7 7   8 8   9 9   10 10   J 10   Q 10   K 10
"""


def first_card_cases() -> list[tuple[str, int]]:
    words = FIRST_CARD_BURNS.split()
    return list(zip(words[::2], map(int, words[1::2]), strict=True))


@pytest.mark.parametrize(("rank", "burned"), first_card_cases())
def test_as_many_cards_are_burned_as_the_first_one_says(rank, burned):
    assert burn_due(BurnRule(BurnBy.FIRST_CARD), Card(rank, "S"), 8) == burned


def test_an_ace_may_burn_eleven():
    rule = BurnRule(BurnBy.FIRST_CARD, ace=11)
    assert burn_due(rule, Card("A", "H"), 8) == 11
    assert burn_due(rule, Card("2", "H"), 8) == 2


@pytest.mark.parametrize(
    ("rule", "decks", "burned"),
    [
        (BurnRule(BurnBy.DECKS, by_decks={6: 6, 8: 8}), 6, 6),
        (BurnRule(BurnBy.DECKS, by_decks={6: 6, 8: 8}), 8, 8),
        (BurnRule(BurnBy.FIXED, count=5), 8, 5),
        (BurnRule(BurnBy.NONE), 8, 0),
    ],
)
def test_other_houses_burn_whatever_the_first_card_is(rule, decks, burned):
    assert burn_due(rule, Card("K", "S"), decks) == burned
    assert burn_due(rule, None, decks) == burned


def test_a_burn_by_the_first_card_needs_one():
    with pytest.raises(ValueError, match="first card"):
        burn_due(BurnRule(BurnBy.FIRST_CARD), None, 8)


BLUE_CARD = """
# rule                  moment         round  last
this_round              during_round   41     41
this_round              as_discard     41     41
this_round              as_first_card  41     41
one_more                during_round   41     42
one_more                as_discard     41     43
one_more                as_first_card  41     43
one_more_unless_first   during_round   41     42
one_more_unless_first   as_discard     41     42
one_more_unless_first   as_first_card  41     42
this_round              during_round   1      1
this_round              as_discard     0      0
"""


@pytest.mark.parametrize("line", [line for line in BLUE_CARD.strip().splitlines() if line[0] != "#"])
def test_which_round_is_the_last_one(line):
    rule, moment, round_number, last = line.split()
    assert last_round(BlueCardRule(rule), BlueCardMoment(moment), int(round_number)) == int(last)


@pytest.mark.parametrize(("moment", "number"), [("during_round", 0), ("as_discard", -1)])
def test_a_blue_card_during_no_round_is_refused(moment, number):
    with pytest.raises(ValueError, match="no round"):
        last_round(BlueCardRule.THIS_ROUND, BlueCardMoment(moment), number)


def test_how_far_the_blue_card_is():
    assert cards_until_blue_card(8, 14, 381) == 21  # 416 - 14 = 402 before it, 381 of them out
    assert cards_until_blue_card(8, 14, 402) == 0
    assert cards_until_blue_card(8, 14, 410) == 0
    assert cards_until_blue_card(6, 14, 0) == 298


def picture_ledger() -> ShoeLedger:
    """The account of the shoe in the pictures: 1 + 6 + 308 + 4 + 62 + 35 left = 416."""
    places = (
        [Whereabouts.TURNED]
        + [Whereabouts.BURNED] * 6
        + [Whereabouts.IN_ROUND] * 308
        + [Whereabouts.DEAD_DEAL] * 4
        + [Whereabouts.DISCARD] * 62
    )
    return ShoeLedger.of(8, places)


def test_the_account_of_a_shoe():
    ledger = picture_ledger()
    assert ledger.left == 35
    assert ledger.lines() == (
        ("turned", 1),
        ("burned", 6),
        ("in_round", 308),
        ("dead_deal", 4),
        ("discard", 62),
        ("exposed", 0),
        ("extra", 0),
        ("dropped", 0),
        ("left", 35),
    )


def test_a_re_deal_moves_cards_and_a_correction_takes_them_back():
    ledger = picture_ledger().moved(Whereabouts.IN_ROUND, Whereabouts.DEAD_DEAL, 6)
    assert dict(ledger.lines())["in_round"] == 302
    assert dict(ledger.lines())["dead_deal"] == 10
    assert ledger.left == 35
    assert ledger.with_cards(Whereabouts.DROPPED).left == 34
    assert ledger.with_cards(Whereabouts.IN_ROUND, -1).left == 36


@given(st.lists(st.tuples(st.sampled_from(Whereabouts), st.integers(0, 6)), max_size=60))
def test_the_account_adds_up_at_every_moment(moves):
    ledger = ShoeLedger.of(8, [])
    for place, count in moves:
        if ledger.left >= count:
            ledger = ledger.with_cards(place, count)
        assert sum(count for _, count in ledger.lines()) == 416


def test_more_cards_than_a_shoe_holds_are_refused():
    full = ShoeLedger.of(6, [Whereabouts.IN_ROUND] * 312)
    assert full.left == 0
    with pytest.raises(ValueError, match="313 cards out of a shoe of 312"):
        full.with_cards(Whereabouts.DISCARD)
    with pytest.raises(ValueError, match="less than no card"):
        full.with_cards(Whereabouts.DISCARD, -1)


def test_a_ninth_seven_of_hearts_is_named_with_its_place():
    seven, other = Card("7", "H"), Card("7", "D")
    cards = [seven, None, *[seven] * 7, other, seven, *[other] * 7, seven]
    excess = excess_copies(cards, 8)
    assert [(found.position, str(found.card), found.copy) for found in excess] == [
        (11, "7H", 9),
        (19, "7H", 10),
    ]
    assert excess_copies(cards[:10], 8) == ()
    assert len(excess_copies(cards[:10], 6)) == 2


def test_a_whole_shoe_has_no_excess():
    assert excess_copies(list(ALL_CARDS) * 8, 8) == ()
    assert len(excess_copies([*ALL_CARDS * 8, Card("A", "S")], 8)) == 1


def cards(text: str) -> list[Card | None]:
    return [None if word == "?" else Card.parse(word) for word in text.split()]


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("", 0),
        ("7H", 1),
        ("7H 7H", 1),
        ("7H 8H 9H KD", 3),
        ("9H 8H 7H", 3),
        ("QH KH AS 2S", 4),
        ("2S AS KH QH", 4),
        ("QH KH AH", 2),  # the suit has to change after the king
        ("7H 8S", 1),
        ("7H ? 9H 10H", 3),  # three faces seen of four cards in order
        ("QH ? AS", 2),
        ("7H ? 8H", 1),
        ("7H 8H 7H 8H", 2),
    ],
)
def test_how_long_a_run_of_factory_order_is(text, run):
    assert longest_factory_run(cards(text)) == run


def test_a_shoe_never_shuffled_is_noticed_even_if_cut_and_partly_unseen():
    factory = list(ALL_CARDS) * 8
    assert is_unshuffled(factory)
    assert is_unshuffled(factory[::-1])
    cut = factory[200:] + factory[:200]
    hidden = [None if place % 6 == 5 or 1 <= place <= 10 else card for place, card in enumerate(cut)]
    assert is_unshuffled(hidden[:40])


@pytest.mark.parametrize("seed", range(200))
def test_a_shuffled_shoe_is_not_accused(seed):
    shoe = list(ALL_CARDS) * 8
    random.Random(seed).shuffle(shoe)
    assert not is_unshuffled(shoe)


def test_the_same_order_has_the_same_fingerprint_whatever_was_burned_unseen():
    shoe = list(ALL_CARDS) * 8
    random.Random(7).shuffle(shoe)
    hidden = [shoe[0], *[None] * 6, *shoe[7:]]
    again = [shoe[0], *[None] * 6, *shoe[7:60], None, *shoe[61:]]
    assert order_fingerprint(hidden) == order_fingerprint(again)
    swapped = [shoe[0], *[None] * 6, shoe[8], shoe[7], *shoe[9:]]
    assert shoe[7] != shoe[8]
    assert order_fingerprint(swapped) != order_fingerprint(hidden)


def test_a_fingerprint_waits_for_26_faces():
    shoe = list(ALL_CARDS)
    assert order_fingerprint(shoe[:25]) is None
    assert order_fingerprint([*shoe[:25], None, None]) is None
    assert order_fingerprint(shoe[:26]) == order_fingerprint(shoe)
