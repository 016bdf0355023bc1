"""What the format of rulebooks can say: the guide's example house, and variations of the shipped ones."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from tables.rulebooks import shipped_text
from tables.rules.bets import verdicts
from tables.rules.document import check_rulebook, parse_rulebook
from tables.rules.insurance import offers_of_coup
from tables.rules.money import Rounding
from tables.rules.rulebook import BothSides, CapMeasure, CapShare, Phase, Rulebook, WrongOdds
from tables.rules.shoe import BlueCardRule, BurnBy
from tests.tables.rules.coups import deal
from tests.tables.rules.rulebook_texts import SMALL, swap

GUIDE = (Path(__file__).parents[3] / "docs" / "rulebooks.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)[1]  # type: ignore[index]


@pytest.fixture(scope="module")
def example() -> Rulebook:
    return parse_rulebook(EXAMPLE)


def test_the_example_of_the_guide_is_a_rulebook_without_warnings() -> None:
    assert check_rulebook(EXAMPLE) == []


def test_the_example_says_what_other_houses_do(example: Rulebook) -> None:
    assert (example.id, example.version, example.decks) == ("riverside", 3, 6)
    assert example.rounding is Rounding.HALF_UP
    assert (example.burn.by, example.burn.by_decks, example.burn.first_card_turned_up) == (
        BurnBy.DECKS,
        {6: 6, 8: 8},
        False,
    )
    assert example.blue_card is BlueCardRule.ONE_MORE_UNLESS_FIRST
    assert example.both_sides is BothSides.ALLOWED
    assert not example.void_counts_for_windows
    assert example.insurance is not None
    assert example.insurance.phases == (Phase.FOUR_CARDS,)
    assert example.insurance.wrong_odds is WrongOdds.SHOWN
    cap = example.insurance.cap
    assert (cap.measure, cap.share, cap.shared_in) == (CapMeasure.STAKE, Fraction(1, 2), CapShare.ROUND)
    assert example.passages["riverside/both-sides"].is_reading


@pytest.mark.parametrize(
    ("cards", "kind", "expected"),
    [
        ("10H KS 4C 2D 2H 5C", "banker", "push"),  # 6 : 7 with three cards
        ("10H KS 4C 2D 2H 5C", "dragon_7", "40"),
        ("10H KS 6C 7D", "banker", "1"),  # 6 : 7 with two cards
        ("10H KS 6C 7D", "dragon_7", "lost"),
        ("2H 2S 3C 4D KH", "banker", "1"),  # Banker 6 is nothing special there
        ("4H KS 5C 8D", "lucky_win", "19/20"),  # by a natural, whatever the margin
        ("10H KS AC 3D 8H", "lucky_win", "19/4"),  # 9 : 3
        ("10H KS AC 4D 8H", "lucky_win", "19/10"),  # 9 : 4
        ("10H KS AC 2D 8H 10C", "lucky_win", "19/10"),  # 9 : 2, margin 7
        ("10H KS AC 5D 8H", "lucky_win", "lost"),  # 9 : 5
        ("3H KS 5C 8D", "lucky_win", "push"),
        ("JH JS JC JD 3H 5C", "royal_pair", "200"),
        ("KH JS KC JD 3H 5C", "royal_pair", "20"),
        ("4H KS 3C KD 5S", "royal_pair", "20"),
        ("8H 2S 8C 5D", "royal_pair", "lost"),
    ],
)
def test_the_bets_of_the_example(example: Rulebook, cards: str, kind: str, expected: str) -> None:
    result, odds = verdicts(example, deal(cards))[kind, ""]
    assert (str(odds) if odds is not None else result.value) == expected


def test_the_insurance_of_the_example_is_sold_once(example: Rulebook) -> None:
    # Player 4, Banker 7: the Player draws 3 to 7 and ties; at this house Banker insurance on 7 is lost then.
    tie_at_seven = deal("10H KS 4C 7D 3H")
    assert offers_of_coup(example, tie_at_seven) == {("banker_insurance", "four_cards"): Fraction(3)}
    assert verdicts(example, tie_at_seven)["banker_insurance", "four_cards"].result == "lost"
    # Player 7 stands, Banker 2 draws 5 to 7: Player insurance comes back.
    assert verdicts(example, deal("4H KS 3C 2D 5C"))["player_insurance", "four_cards"].result == "push"
    # Player 2, Banker 2: nothing, also not after the Player's third card.
    assert offers_of_coup(example, deal("10H KS 2C 2D 5H 7C")) == {}


def test_odds_are_exact_however_they_are_written() -> None:
    for written in ("0.95", "19/20", "0.950", "95/100"):
        text = swap(SMALL, f"{{when: {{cards: 4}}, odds: {written}}}")
        assert parse_rulebook(text).bets["small"].rows[0].verdict.odds == Fraction(19, 20)


def test_a_half_a_full_and_no_payment_on_banker_six() -> None:
    no_commission = shipped_text("no-commission")
    half = "{when: {winner: banker, banker_total: 6}, odds: 0.5}"
    six = deal("2H 2S 3C 4D KH")
    for instead, expected in (
        ("odds: 0.5}", "1/2"),
        ("odds: 0.6}", "3/5"),
        ("odds: 0}", "0"),
        ("result: push}", "push"),
        ("result: lost}", "lost"),
    ):
        text = swap(half, half.replace("odds: 0.5}", instead), no_commission)
        result, odds = verdicts(parse_rulebook(text), six)["banker", ""]
        assert (str(odds) if odds is not None else result.value) == expected


@pytest.mark.parametrize(
    ("burn", "by"),
    [
        ("by: none", BurnBy.NONE),
        ("by: fixed, count: 10", BurnBy.FIXED),
        ("by: first_card, ace: 11, court: 10", BurnBy.FIRST_CARD),
    ],
)
def test_other_ways_to_burn(burn: str, by: BurnBy) -> None:
    assert parse_rulebook(swap("by: first_card, ace: 1, court: 10", burn)).burn.by is by


def test_a_house_may_add_incidents_of_its_own() -> None:
    added = "  power_cut:\n    title: {en: Power cut, th: ไฟดับ}\n    cases: [{do: void, passage: misdeal}]\n"
    rulebook = parse_rulebook(swap("incidents:\n", "incidents:\n" + added))
    assert rulebook.incidents["power_cut"].remedy({}).remedies == ("void",)
