"""Every bet of every rulebook against coups whose totals stand beside them, worked out by hand."""

import pytest

from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.bets import Result, Verdict, returned_minor, verdicts
from tables.rules.money import Rounding
from tests.tables.rules.coups import deal

INSURANCE = ("insurance", "insurance-no-commission")
LIVE = ("live-commission", "live-no-commission")
COMMISSION = ("insurance", "commission", "live-commission")
NO_COMMISSION = ("insurance-no-commission", "live-no-commission", "no-commission")

# name -> cards in the order dealt; the comment gives Player : Banker and what matters
COUPS = {
    "player 7:6": "4H 2S 3C 4D",  # four cards
    "banker two-card 6:5": "2H 2S 3C 4D KH",  # 5 : 6, the Banker stands on a third worth 0
    "banker three-card 6:5": "10H 10S 2C 2D 3H 4C",  # 5 : 6, six cards
    "banker 4:3": "KH 10S 2C 4D AH",  # 3 : 4, the Banker stands on a third worth 1
    "tie 6": "2H KS 4C 6D",  # 6 : 6, both stand
    "tie 0": "6H 4H 4C 6S KH 10H",  # 0 : 0, six cards
    "tie of naturals 8": "3H KS 5C 8D",
    "player 9 over 8": "4H KS 5C 8D",  # natural 9 : natural 8
    "banker 9 over 8": "3H KS 5C 9D",  # natural 8 : natural 9
    "player natural 8:3": "3H KS 5C 3D",
    "banker natural 8:6": "3H KS 3C 8D",  # 6 : 8; the Player has a pair of threes
    "player three-card 8:2": "10H KS 3C 2D 5H KC",
    "player pair": "8H 2S 8C 5D",  # 6 : 7, eights
    "banker pair": "4H KS 3C KD 5S",  # 7 : 5, kings
    "ten and king": "10H 2S KC 5D 4S",  # 4 : 7, no pair
    "two pairs": "KH 2S KC 2D 9H",  # 9 : 4, kings and twos
    "twin pairs": "JH JS JC JD 3H 5C",  # 3 : 5, jacks on both sides
    "player by 3": "10H KS AC 6D 8H",  # 9 : 6
    "player by 4": "10H KS AC 5D 8H",  # 9 : 5
    "player by 5": "10H KS AC 4D 8H",
    "player by 6": "10H KS AC 3D 8H",
    "player by 7": "10H KS AC 2D 8H 10C",
    "player by 8": "10H KS AC AD 8H 10C",
    "player by 9": "10H KS AC QD 8H 10C",
    "banker by 3": "10H KS 6C 2D 7C",  # 6 : 9
    "banker by 4": "10H KS 5C 2D KH 7C",  # 5 : 9
    "banker by 5": "10H KS 4C 2D KH 7C",
    "banker by 6": "10H KS 3C 2D KH 7C",
    "banker by 7": "10H KS 2C 2D KH 7C",
    "banker by 8": "10H KS AC 2D KH 7C",
    "banker by 9": "10H KS QC 2D KH 7C",
}

# rulebooks, bet, and what it does in each coup: odds when it wins, or push or lost
CASES = [
    (
        SHIPPED,
        "player",
        {"player 7:6": "1", "banker 4:3": "lost", "tie 6": "push", "tie of naturals 8": "push"},
    ),
    (
        COMMISSION,
        "banker",
        {
            "banker 4:3": "19/20",
            "banker two-card 6:5": "19/20",
            "banker three-card 6:5": "19/20",
            "banker 9 over 8": "19/20",
            "player 7:6": "lost",
            "tie 0": "push",
        },
    ),
    (
        NO_COMMISSION,
        "banker",
        {
            "banker 4:3": "1",
            "banker two-card 6:5": "1/2",
            "banker three-card 6:5": "1/2",
            "banker 9 over 8": "1",
            "player 7:6": "lost",
            "tie 6": "push",
        },
    ),
    (
        SHIPPED,
        "tie",
        {"tie 0": "8", "tie 6": "8", "tie of naturals 8": "8", "player 7:6": "lost", "banker 4:3": "lost"},
    ),
    (
        SHIPPED,
        "player_pair",
        {"player pair": "11", "twin pairs": "11", "banker pair": "lost", "ten and king": "lost"},
    ),
    (
        SHIPPED,
        "banker_pair",
        {"banker pair": "11", "twin pairs": "11", "player pair": "lost", "tie 6": "lost"},
    ),
    (
        INSURANCE,
        "big",
        {"banker two-card 6:5": "1/2", "banker three-card 6:5": "1/2", "tie 0": "1/2", "player 7:6": "lost"},
    ),
    (
        INSURANCE,
        "small",
        {
            "player 7:6": "3/2",
            "tie 6": "3/2",
            "tie of naturals 8": "3/2",
            "banker 4:3": "lost",
            "tie 0": "lost",
        },
    ),
    (
        INSURANCE,
        "player_natural_8",
        {
            "player natural 8:3": "8",
            "banker 9 over 8": "lost",
            "tie of naturals 8": "lost",
            "player 9 over 8": "lost",
            "player three-card 8:2": "lost",
        },
    ),
    (
        INSURANCE,
        "player_natural_9",
        {"player 9 over 8": "8", "player natural 8:3": "lost", "player by 4": "lost"},
    ),
    (
        INSURANCE,
        "banker_natural_8",
        {
            "banker natural 8:6": "8",
            "player 9 over 8": "lost",
            "tie of naturals 8": "lost",
            "banker 4:3": "lost",
        },
    ),
    (
        INSURANCE,
        "banker_natural_9",
        {"banker 9 over 8": "8", "banker by 4": "lost", "banker natural 8:6": "lost"},
    ),
    (
        INSURANCE,
        "super_6_plus",
        {
            "banker two-card 6:5": "12",
            "banker three-card 6:5": "18",
            "tie 6": "lost",
            "banker 4:3": "lost",
            "player 7:6": "lost",
        },
    ),
    (
        LIVE,
        "dragon_player",
        {
            "player 9 over 8": "1",
            "player natural 8:3": "1",
            "tie of naturals 8": "push",
            "tie 6": "lost",
            "player by 3": "lost",
            "player by 4": "1",
            "player by 5": "2",
            "player by 6": "4",
            "player by 7": "6",
            "player by 8": "10",
            "player by 9": "30",
            "banker by 9": "lost",
            "banker 9 over 8": "lost",
        },
    ),
    (
        LIVE,
        "dragon_banker",
        {
            "banker 9 over 8": "1",
            "banker natural 8:6": "1",
            "tie of naturals 8": "push",
            "tie 0": "lost",
            "banker by 3": "lost",
            "banker by 4": "1",
            "banker by 5": "2",
            "banker by 6": "4",
            "banker by 7": "6",
            "banker by 8": "10",
            "banker by 9": "30",
            "player by 9": "lost",
        },
    ),
    (
        LIVE,
        "fortune_six",
        {"banker two-card 6:5": "12", "banker three-card 6:5": "20", "tie 6": "lost", "banker 4:3": "lost"},
    ),
    (
        LIVE,
        "tiger",
        {"banker two-card 6:5": "12", "banker three-card 6:5": "20", "tie 6": "lost", "player pair": "lost"},
    ),
    (LIVE, "big_tiger", {"banker three-card 6:5": "50", "banker two-card 6:5": "lost", "tie 6": "lost"}),
    (LIVE, "small_tiger", {"banker two-card 6:5": "22", "banker three-card 6:5": "lost", "tie 6": "lost"}),
    (LIVE, "tiger_tie", {"tie 6": "35", "tie 0": "lost", "banker two-card 6:5": "lost"}),
    (
        LIVE,
        "tiger_pair",
        {
            "player pair": "4",
            "banker pair": "4",
            "two pairs": "20",
            "twin pairs": "100",
            "ten and king": "lost",
        },
    ),
]

SPELLED_OUT = [
    pytest.param(rulebook, kind, coup, expected, id=f"{rulebook}-{kind}-{coup}")
    for rulebooks, kind, outcomes in CASES
    for rulebook in rulebooks
    for coup, expected in outcomes.items()
]


@pytest.mark.parametrize(("rulebook", "kind", "coup", "expected"), SPELLED_OUT)
def test_bet_pays_as_the_rules_say(rulebook: str, kind: str, coup: str, expected: str) -> None:
    result, odds = verdicts(load_shipped(rulebook), deal(COUPS[coup]))[kind, ""]
    assert (str(odds) if odds is not None else result.value) == expected
    assert (odds is not None) == (result is Result.WON)


@pytest.mark.parametrize(
    ("rulebooks", "kinds"),
    [
        (INSURANCE, 12),
        (("commission", "no-commission"), 5),
        (LIVE, 13),
    ],
)
def test_every_bet_of_a_rulebook_stands_in_the_table_above(rulebooks: tuple[str, ...], kinds: int) -> None:
    for rulebook in rulebooks:
        tested = {kind for books, kind, _ in CASES if rulebook in books}
        assert len(tested) == kinds
        assert tested == set(load_shipped(rulebook).bets)


@pytest.mark.parametrize(
    ("rulebook", "cards", "returned"),
    [
        # The two examples of the no-commission rules: 1,000 baht on Banker.
        ("no-commission", "2H 2S 3C 4D KH", 150_000),  # 6 against 5: 1,500 baht back
        ("no-commission", "KH 10S 2C 4D AH", 200_000),  # 4 against 3: 2,000 baht back
        ("commission", "KH 10S 2C 4D AH", 195_000),
    ],
)
def test_worked_examples_of_banker(rulebook: str, cards: str, returned: int) -> None:
    book = load_shipped(rulebook)
    verdict = verdicts(book, deal(cards))["banker", ""]
    assert returned_minor(100_000, verdict, book.rounding) == returned


@pytest.mark.parametrize(
    ("result", "returned"),
    [(Result.LOST, 0), (Result.OPEN, 0), (Result.PUSH, 7), (Result.VOID, 7)],
)
def test_what_goes_back_without_a_win(result: Result, returned: int) -> None:
    assert returned_minor(7, Verdict(result), Rounding.DOWN) == returned


def test_a_stake_below_one_minor_unit_is_no_stake() -> None:
    with pytest.raises(ValueError, match="below one minor unit"):
        returned_minor(0, Verdict(Result.PUSH), Rounding.DOWN)
