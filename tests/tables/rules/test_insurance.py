"""The published insurance schedule as text, against every total it can be asked about; then how it ends."""

import itertools

import pytest

from tables.rulebooks import load_shipped
from tables.rules.bets import verdicts
from tables.rules.cards import Card
from tables.rules.insurance import offers, offers_of_coup
from tests.tables.rules.coups import deal

BOOKS = ("insurance", "insurance-no-commission")
WITHOUT = ("commission", "live-commission", "live-no-commission", "no-commission")

# Rows: the insured side's own total; columns: the other side's, 0 to 9. "-" is no offer.
FOUR_CARDS = {
    "player_insurance": """
        5   -   -   -   -   3/2 -   -   -   -   -
        6   5/2 5/2 5/2 5/2 5/2 5/2 -   -   -   -
        7   4   4   4   4   4   4   -   -   -   -
    """,
    "banker_insurance": """
        4   3/2 3/2 3/2 3/2 -   -   -   -   -   -
        5   3/2 3/2 3/2 3/2 3/2 -   -   -   -   -
        6   5/2 5/2 5/2 5/2 5/2 5/2 -   -   -   -
        7   4   4   4   4   4   4   -   -   -   -
    """,
}
PLAYER_THIRD = {
    "player_insurance": """
        5   3/2 3/2 3/2 3/2 3/2 -   -   -   -   -
        6   5/2 5/2 5/2 5/2 5/2 5/2 -   -   -   -
        7   4   4   4   4   4   4   4   -   -   -
        8   10  10  10  10  10  10  10  -   -   -
        9   10  10  10  10  10  10  10  -   -   -
    """,
    "banker_insurance": """
        1   10  6   -   -   -   -   -   -   -   -
        2   10  10  -   -   -   -   -   -   -   -
        3   10  10  4   -   -   -   -   -   -   -
        4   10  10  4   5/2 -   -   -   -   -   -
        5   10  10  4   -   -   -   -   -   -   -
        6   10  10  4   -   -   -   -   -   -   -
    """,
}
# On which worths of the Player's third card the Banker draws, by its two-card total.
BANKER_DRAWS_ON = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}


def schedule(table: str) -> dict[tuple[int, int], str]:
    rows = [line.split() for line in table.strip().splitlines()]
    return {
        (int(own), other): odds for own, *cells in rows for other, odds in enumerate(cells) if odds != "-"
    }


def hand(total: int) -> tuple[Card, Card]:
    return Card("10", "S"), Card("K" if total == 0 else "A" if total == 1 else str(total), "H")


def third(worth: int) -> Card:
    return Card("Q" if worth == 0 else "A" if worth == 1 else str(worth), "D")


@pytest.mark.parametrize("book", BOOKS)
def test_offers_after_four_cards(book: str) -> None:
    tables = {kind: schedule(table) for kind, table in FOUR_CARDS.items()}
    offered = 0
    for player, banker in itertools.product(range(10), range(10)):
        expected = {}
        if (player, banker) in tables["player_insurance"]:
            expected["player_insurance", "four_cards"] = tables["player_insurance"][player, banker]
        if (banker, player) in tables["banker_insurance"]:
            expected["banker_insurance", "four_cards"] = tables["banker_insurance"][banker, player]
        found = offers(load_shipped(book), hand(player), hand(banker))
        assert {key: str(odds) for key, odds in found.items()} == expected, (player, banker)
        offered += len(found)
    assert offered == 13 + 21


@pytest.mark.parametrize("book", BOOKS)
def test_offers_after_the_players_third_card_only_when_the_banker_draws(book: str) -> None:
    tables = {kind: schedule(table) for kind, table in PLAYER_THIRD.items()}
    offered = 0
    for start, worth, banker in itertools.product(range(6), range(10), range(8)):
        player = (start + worth) % 10
        expected = {}
        if str(worth) in BANKER_DRAWS_ON[banker]:
            if (player, banker) in tables["player_insurance"]:
                expected["player_insurance", "player_third"] = tables["player_insurance"][player, banker]
            if (banker, player) in tables["banker_insurance"]:
                expected["banker_insurance", "player_third"] = tables["banker_insurance"][banker, player]
        found = offers(load_shipped(book), (*hand(start), third(worth)), hand(banker))
        assert {key: str(odds) for key, odds in found.items()} == expected, (start, worth, banker)
        offered += len(found)
    assert offered > 200


@pytest.mark.parametrize(
    ("player", "banker", "why"),
    [
        ("", "", "no cards"),
        ("10H 7S", "10D", "three cards"),
        ("10H 7S", "10D 2C 9C", "the Banker has drawn"),
        ("10H 8S", "10D 2C", "the Player has a natural"),
        ("10H 2S", "10D 9C", "the Banker has a natural"),
        ("10H 7S", "10D 6C", "both stand"),
    ],
)
def test_nothing_is_offered_when_no_card_is_to_come(player: str, banker: str, why: str) -> None:
    cards = [[Card.parse(text) for text in side.split()] for side in (player, banker)]
    assert offers(load_shipped("insurance"), *cards) == {}, why


@pytest.mark.parametrize("book", WITHOUT)
def test_other_rulebooks_sell_none(book: str) -> None:
    assert offers(load_shipped(book), hand(7), hand(2)) == {}
    assert [key for key in verdicts(load_shipped(book), deal("4H KS 3C 2D 7C")) if key[1]] == []


# kind, phase, cards in the order dealt, odds when it is paid or else push or lost
ENDINGS = [
    # after four cards, Player insured: 5 against 4
    ("player_insurance", "four_cards", "2H KS 3C 4D 8H", "3/2"),  # 3 : 4, the Banker stands on 8
    ("player_insurance", "four_cards", "2H KS 3C 4D KH", "lost"),  # 5 : 4
    ("player_insurance", "four_cards", "2H KS 3C 4D 9H", "push"),  # 4 : 4
    # 6 against 2
    ("player_insurance", "four_cards", "2H KS 4C 2D 7C", "5/2"),  # 6 : 9
    ("player_insurance", "four_cards", "2H KS 4C 2D KC", "lost"),  # 6 : 2
    ("player_insurance", "four_cards", "2H KS 4C 2D 4C", "push"),  # 6 : 6
    # 7 against 2
    ("player_insurance", "four_cards", "4H KS 3C 2D 7C", "4"),  # 7 : 9
    ("player_insurance", "four_cards", "4H KS 3C 2D KC", "lost"),  # 7 : 2
    ("player_insurance", "four_cards", "4H KS 3C 2D 5C", "push"),  # 7 : 7
    # after four cards, Banker insured: 4 against 2, 5 against 4, 6 and 7 against 4
    ("banker_insurance", "four_cards", "10H KS 2C 4D 7H 3C", "3/2"),  # 9 : 7
    ("banker_insurance", "four_cards", "10H KS 2C 4D 8H", "lost"),  # 0 : 4
    ("banker_insurance", "four_cards", "10H KS 2C 4D 7H 5C", "push"),  # 9 : 9
    ("banker_insurance", "four_cards", "10H KS 4C 5D 3H", "3/2"),  # 7 : 5
    ("banker_insurance", "four_cards", "10H KS 4C 5D 8H", "lost"),  # 2 : 5
    ("banker_insurance", "four_cards", "10H KS 4C 6D 5H", "5/2"),  # 9 : 6
    ("banker_insurance", "four_cards", "10H KS 4C 6D 2H", "push"),  # 6 : 6
    ("banker_insurance", "four_cards", "10H KS 4C 7D 5H", "4"),  # 9 : 7
    ("banker_insurance", "four_cards", "10H KS 4C 7D KH", "lost"),  # 4 : 7
    ("banker_insurance", "four_cards", "10H KS 4C 7D 3H", "push"),  # 7 : 7
    # a tie at 0 returns what was bought after four cards
    ("banker_insurance", "four_cards", "10H KS 3C 4D 7H 6C", "push"),  # 0 : 0
    # after the Player's third card, Player insured: 5, 6, 7, 8 against 2
    ("player_insurance", "player_third", "10H KS 2C 2D 3H 7C", "3/2"),  # 5 : 9
    ("player_insurance", "player_third", "10H KS 2C 2D 3H KC", "lost"),  # 5 : 2
    ("player_insurance", "player_third", "10H KS 2C 2D 3H 3C", "push"),  # 5 : 5
    ("player_insurance", "player_third", "10H KS 2C 2D 4H 7C", "5/2"),  # 6 : 9
    ("player_insurance", "player_third", "10H KS 2C 2D 5H 7C", "4"),  # 7 : 9
    ("player_insurance", "player_third", "10H KS 2C 2D 6H 7C", "10"),  # 8 : 9
    ("player_insurance", "player_third", "10H KS 2C 2D 6H 6C", "push"),  # 8 : 8
    ("player_insurance", "player_third", "10H KS 2C 2D 6H KC", "lost"),  # 8 : 2
    # 9 *: paid on 9-9 and lost on everything else
    ("player_insurance", "player_third", "10H KS 2C 4D 7H 5C", "10"),  # 9 : 9
    ("player_insurance", "player_third", "10H KS 2C 4D 7H 3C", "lost"),  # 9 : 7
    # Banker insured, 4 against 0 *: paid on 0-0 and lost on everything else
    ("banker_insurance", "player_third", "10H KS 4C 4D 6H 6C", "10"),  # 0 : 0
    ("banker_insurance", "player_third", "10H KS 4C 4D 6H KC", "lost"),  # 0 : 4
    ("banker_insurance", "player_third", "10H KS AC AD 9H 9C", "10"),  # 1 against 0, 0 : 0
    # 1 against 1
    ("banker_insurance", "player_third", "10H KS 2C AD 9H 9C", "6"),  # 1 : 0
    ("banker_insurance", "player_third", "10H KS 2C AD 9H KC", "push"),  # 1 : 1
    ("banker_insurance", "player_third", "10H KS 2C AD 9H 2C", "lost"),  # 1 : 3
    # 2 against 1, 6 against 1
    ("banker_insurance", "player_third", "10H KS 2C 2D 9H 8C", "10"),  # 1 : 0
    ("banker_insurance", "player_third", "10H KS 5C 6D 6H 4C", "10"),  # 1 : 0
    # 3 and 6 against 2
    ("banker_insurance", "player_third", "10H KS 5C 3D 7H 7C", "4"),  # 2 : 0
    ("banker_insurance", "player_third", "10H KS 5C 6D 7H 5C", "4"),  # 2 : 1
    ("banker_insurance", "player_third", "10H KS 5C 6D 7H 6C", "push"),  # 2 : 2
    # 4 against 3
    ("banker_insurance", "player_third", "10H KS KC 4D 3H 8C", "5/2"),  # 3 : 2
    ("banker_insurance", "player_third", "10H KS KC 4D 3H 9C", "push"),  # 3 : 3
    ("banker_insurance", "player_third", "10H KS KC 4D 3H KC", "lost"),  # 3 : 4
]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("kind", "phase", "cards", "expected"), ENDINGS)
def test_how_insurance_ends(book: str, kind: str, phase: str, cards: str, expected: str) -> None:
    result, odds = verdicts(load_shipped(book), deal(cards))[kind, phase]
    assert (str(odds) if odds is not None else result.value) == expected


def test_a_coup_shows_what_was_offered_at_both_phases() -> None:
    # Player 2, Banker 4 after four cards; the Player draws 7 to 9; the Banker draws 5 to 9.
    found = offers_of_coup(load_shipped("insurance"), deal("10H KS 2C 4D 7H 5C"))
    assert {key: str(odds) for key, odds in found.items()} == {
        ("banker_insurance", "four_cards"): "3/2",
        ("player_insurance", "player_third"): "10",
    }


def test_insurance_not_offered_by_a_coup_has_no_verdict() -> None:
    settled = verdicts(load_shipped("insurance"), deal("6H 4H 4C 6S KH 10H"))
    assert [key for key in settled if key[1]] == []
