"""The drawing rules against the published tables, which stand here as text."""

import pytest

from tables.rules.cards import Card
from tables.rules.drawing import Coup, IllegalCoup, Outcome, Place, arrange, due_next, read_coup

PLAYER_TABLE = """
total  does
0      draw
1      draw
2      draw
3      draw
4      draw
5      draw
6      stand
7      stand
"""

# D draws, S stands; the first column is a Player who stood, the others the value of the Player's third card.
BANKER_TABLE = """
total  stood  0 1 2 3 4 5 6 7 8 9
0      D      D D D D D D D D D D
1      D      D D D D D D D D D D
2      D      D D D D D D D D D D
3      D      D D D D D D D D S D
4      D      S S D D D D D D S S
5      D      S S S S D D D D S S
6      S      S S S S S S D D S S
7      S      S S S S S S S S S S
"""

WORTH = {0: "K", 1: "A", **{value: str(value) for value in range(2, 10)}}


def hand(total: int, suit: str) -> list[Card]:
    """Two cards of a total that are no pair, save for 0."""
    return [Card("10", suit), Card(WORTH[total], suit)]


def banker_cells() -> list[tuple[int, int | None, bool]]:
    lines = [line.split() for line in BANKER_TABLE.strip().splitlines()]
    thirds = [None, *map(int, lines[0][2:])]
    return [
        (int(line[0]), third, letter == "D")
        for line in lines[1:]
        for third, letter in zip(thirds, line[1:], strict=True)
    ]


def test_the_published_table_has_all_its_cells():
    assert len(banker_cells()) == 88
    assert sum(draws for _, _, draws in banker_cells()) == 57


@pytest.mark.parametrize("line", PLAYER_TABLE.strip().splitlines()[1:])
@pytest.mark.parametrize("banker_total", range(8))
def test_the_player_draws_as_published(line, banker_total):
    total, does = line.split()
    due = due_next(hand(int(total), "S"), hand(banker_total, "H"))
    assert (due is Place.P3) == (does == "draw")


@pytest.mark.parametrize(("banker_total", "third", "draws"), banker_cells())
def test_the_banker_draws_as_published(banker_total, third, draws):
    player = hand(6 if third is None else 2, "S")
    if third is not None:
        player.append(Card(WORTH[third], "D"))
    assert due_next(player, hand(banker_total, "H")) is (Place.B3 if draws else None)


@pytest.mark.parametrize("natural", [8, 9])
@pytest.mark.parametrize("other", range(10))
def test_nobody_draws_against_a_natural(natural, other):
    assert due_next(hand(natural, "S"), hand(other, "H")) is None
    assert due_next(hand(other, "S"), hand(natural, "H")) is None


def test_the_first_four_cards_go_to_the_sides_in_turn():
    player, banker, places = [], [], []
    for card in ["6S", "KH", "6D", "5C"]:
        places.append(due_next(player, banker))
        (player if places[-1] in (Place.P1, Place.P2) else banker).append(Card.parse(card))
    assert places == [Place.P1, Place.B1, Place.P2, Place.B2]


@pytest.mark.parametrize(("player", "banker"), [(0, 1), (2, 0), (3, 1), (4, 2), (1, 2), (3, 4)])
def test_hands_that_no_deal_has_are_refused(player, banker):
    with pytest.raises(ValueError, match="no deal has"):
        due_next([Card("2", "S")] * player, [Card("3", "S")] * banker)


COUPS = """
# dealt                  player    banker     totals  outcome
6S KH 6D 5C 4H 7S        6S,6D,4H  KH,5C,7S   6 2     player
6H 4H 4C 6S KH 10H       6H,4C,KH  4H,6S,10H  0 0     tie
9H 4H KC 6S              9H,KC     4H,6S      9 0     player
KH 4H KC 5S              KH,KC     4H,5S      0 9     banker
9H 8H KC KS              9H,KC     8H,KS      9 8     player
9H 9D KC KS              9H,KC     9D,KS      9 9     tie
6H 5H KC KS 2D           6H,KC     5H,KS,2D   6 7     banker
7H 7D KC KS              7H,KC     7D,KS      7 7     tie
2H 3H KC KS 8D           2H,KC,8D  3H,KS      0 3     banker
2H 6H KC KS 5D           2H,KC,5D  6H,KS      7 6     player
"""


@pytest.mark.parametrize("line", [line for line in COUPS.strip().splitlines() if line[0] != "#"])
def test_lawful_coups_are_read(line):
    *dealt, player, banker, player_total, banker_total, outcome = line.split()
    coup = read_coup(dealt)
    assert ",".join(map(str, coup.player)) == player
    assert ",".join(map(str, coup.banker)) == banker
    assert (coup.player_total, coup.banker_total) == (int(player_total), int(banker_total))
    assert coup.outcome is Outcome(outcome)
    assert [str(card) for card in coup.cards] == dealt
    assert arrange(coup.placed) == coup


def test_naturals_pairs_and_margin():
    coup = read_coup(["9H", "4H", "KC", "4S"])
    assert (coup.player_natural, coup.banker_natural) == (True, True)
    assert (coup.player_pair, coup.banker_pair) == (False, True)
    assert coup.margin == 1
    three_card_nine = read_coup(["2H", "7H", "KC", "KS", "7D"])
    assert (three_card_nine.player_total, three_card_nine.player_natural) == (9, False)


def test_ten_and_king_are_no_pair():
    coup = read_coup(["10H", "KH", "KC", "KS", "9D", "AS"])
    assert (coup.player_pair, coup.banker_pair) == (False, True)


ILLEGAL = """
# cards                    code                   position  due
-                          missing_initial_cards  1         P1
9H                         missing_initial_cards  2         B1
9H 4H KC                   missing_initial_cards  4         B2
2H 5H KC KS                missing_player_third   5         P3
2H 5H KC KS 4S             missing_banker_third   6         B3
6H 5H KC KS                missing_banker_third   5         B3
9H 4H KC 6S 2S             extra_card             5         -
4H 9H KC KS 2S             extra_card             5         -
6H 6C KC KS 2S             extra_card             5         -
6H 5H KC KS 4S 6S          extra_card             6         -
2H 6H KC KS 5D 5S          extra_card             6         -
2H 5H KC KS 4S 6S 6D       extra_card             7         -
1S 5H KC KS                unknown_card           1         P1
2H 5H KC KS 4s 6S          unknown_card           5         P3
2H 5H KC KS 4S 14S         unknown_card           6         B3
2H ?? KC                   unknown_card           2         B1
9H 4H KC 6S ??             extra_card             5         -
"""


@pytest.mark.parametrize("line", [line for line in ILLEGAL.strip().splitlines() if line[0] != "#"])
def test_unlawful_coups_name_the_first_wrong_card_and_what_was_due(line):
    *cards, code, position, due = line.split()
    with pytest.raises(IllegalCoup) as refused:
        read_coup([] if cards == ["-"] else cards)
    error = refused.value
    assert (error.code.value, error.position) == (code, int(position))
    assert error.due == (None if due == "-" else Place(due))
    assert str(error).startswith(f"{code}: card {position} ")


def test_the_words_of_an_unlawful_coup():
    with pytest.raises(IllegalCoup) as refused:
        read_coup(["2H", "5H", "KC", "KS"])
    assert str(refused.value) == (
        "missing_player_third: card 5 is missing; the Player's third card was due "
        "(Player 2, Banker 5 after four cards)"
    )
    with pytest.raises(IllegalCoup) as refused:
        read_coup(["2H", "6H", "KC", "KS", "5D", "5S"])
    assert str(refused.value) == (
        "extra_card: card 6 (5S) should not have been dealt; nothing more was due "
        "(Player 2, Banker 6 after four cards, Player's third worth 5)"
    )


def test_more_copies_than_the_decks_hold():
    with pytest.raises(IllegalCoup) as refused:
        read_coup(["9H", "4H", "9H", "4S"], decks=1)
    assert str(refused.value).startswith("too_many_copies: card 3 (9H) ")
    assert read_coup(["9H", "4H", "9H", "4S"], decks=2).player_total == 8
    with pytest.raises(IllegalCoup) as refused:
        read_coup(["6H"] * 9)
    assert str(refused.value) == (
        "too_many_copies: card 9 (6H) is one copy more than the 8 decks hold; another card, or none, was due"
    )
    with pytest.raises(IllegalCoup, match=r"^extra_card: card 7 "):
        read_coup(["6H"] * 8)
    with pytest.raises(IllegalCoup, match=r"^too_many_copies: card 2 "):
        arrange({Place.P1: Card("9", "H"), Place.B1: Card("9", "H")}, decks=1)


P = {place.value: place for place in Place}


@pytest.mark.parametrize(
    ("placed", "code", "position"),
    [
        ("P1=2H B1=5H P2=KC", "missing_initial_cards", 4),
        ("P1=2H P2=5H B2=KC", "missing_initial_cards", 2),
        ("P1=2H B1=5H P2=KC B2=KS B3=4S", "missing_player_third", 5),
        ("P1=2H B1=5H P2=KC B2=KS P3=4S", "missing_banker_third", 6),
        ("P1=6H B1=5H P2=KC B2=KS P3=4S", "extra_card", 5),
        ("P1=6H B1=5H P2=KC B2=KS P3=4S B3=2D", "extra_card", 5),
        ("P1=9H B1=5H P2=KC B2=KS B3=4S", "extra_card", 5),
    ],
)
def test_cards_in_the_wrong_places(placed, code, position):
    cards = {P[place]: Card.parse(card) for place, card in (pair.split("=") for pair in placed.split())}
    with pytest.raises(IllegalCoup) as refused:
        arrange(cards)
    assert (refused.value.code.value, refused.value.position) == (code, position)


def test_the_same_cards_the_other_way_round_are_another_coup():
    """The fifth and sixth card of a round keyed in each other's place."""
    first_four = {
        P[place]: Card.parse(card) for place, card in {"P1": "6S", "B1": "KH", "P2": "6D", "B2": "5C"}.items()
    }
    right = arrange({**first_four, Place.P3: Card.parse("4H"), Place.B3: Card.parse("7S")})
    swapped = arrange({**first_four, Place.P3: Card.parse("7S"), Place.B3: Card.parse("4H")})
    assert (right.player_total, right.banker_total, right.outcome) == (6, 2, Outcome.PLAYER)
    assert (swapped.player_total, swapped.banker_total, swapped.outcome) == (9, 9, Outcome.TIE)


def test_a_coup_is_a_value():
    coup = read_coup(["9H", "4H", "KC", "6S"])
    assert coup == Coup(
        (Card("9", "H"), Card("K", "C")), (Card("4", "H"), Card("6", "S")), player_total=9, banker_total=0
    )
    with pytest.raises(AttributeError):
        coup.player_total = 8
