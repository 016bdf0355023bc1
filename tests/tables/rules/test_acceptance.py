"""Which bets are taken: windows, both sides, main bets, insurance and its cap, stakes and limits."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.acceptance import Refusal, Situation, refusal, stage_of
from tables.rules.rulebook import BothSides, CapMeasure, CapShare, InsuranceCap, Rulebook

INSURANCE = ("insurance", "insurance-no-commission")
ONE_SIDE_ONLY = ("commission", "no-commission")
LIVE = ("live-commission", "live-no-commission")


def put(
    book: Rulebook,
    *bets: tuple[str, str, int],
    round_number: int = 1,
    animation: bool = False,
    offers: dict[tuple[str, str], Fraction] | None = None,
    limits: dict[str, tuple[int, int]] | None = None,
) -> list[Refusal | None]:
    """Put one player's bets one after the other."""
    situation = Situation(round_number, animation, offers or {}, limits)
    accepted: dict[tuple[str, str], int] = {}
    answers = []
    for kind, phase, stake in bets:
        answer = refusal(book, situation, accepted, kind, phase, stake)
        answers.append(answer)
        if answer is None:
            accepted[kind, phase] = accepted.get((kind, phase), 0) + stake
    return answers


def one(book: str, kind: str, **about: object) -> Refusal | None:
    return put(load_shipped(book), (kind, "", 100), **about)[0]  # type: ignore[arg-type]


FIRST_30 = ("big", "small")
FIRST_60 = (
    "player_pair",
    "banker_pair",
    "player_natural_8",
    "player_natural_9",
    "banker_natural_8",
    "banker_natural_9",
    "super_6_plus",
)


@pytest.mark.parametrize("book", INSURANCE)
@pytest.mark.parametrize("kind", FIRST_30)
def test_big_and_small_close_after_round_30(book: str, kind: str) -> None:
    assert one(book, kind, round_number=30) is None
    assert one(book, kind, round_number=31) is Refusal.OUTSIDE_WINDOW
    assert one(book, kind, round_number=31, animation=True) is None


@pytest.mark.parametrize("book", INSURANCE)
@pytest.mark.parametrize("kind", FIRST_60)
def test_pairs_naturals_and_super_six_close_after_round_60(book: str, kind: str) -> None:
    assert one(book, kind, round_number=60) is None
    assert one(book, kind, round_number=61) is Refusal.OUTSIDE_WINDOW
    assert one(book, kind, round_number=61, animation=True) is None


@pytest.mark.parametrize("book", SHIPPED)
def test_all_other_bets_are_open_to_the_end_of_the_shoe(book: str) -> None:
    closing = {*FIRST_30, *FIRST_60} if book in INSURANCE else set()
    for kind in load_shipped(book).bets.keys() - closing:
        assert one(book, kind, round_number=85) is None


@pytest.mark.parametrize("book", ONE_SIDE_ONLY)
@pytest.mark.parametrize(("first", "second"), [("player", "banker"), ("banker", "player")])
def test_the_second_side_is_refused(book: str, first: str, second: str) -> None:
    bets = [(first, "", 100), (second, "", 100), (first, "", 50), ("tie", "", 10), ("player_pair", "", 10)]
    assert put(load_shipped(book), *bets) == [None, Refusal.BOTH_SIDES, None, None, None]


@pytest.mark.parametrize("book", ONE_SIDE_ONLY)
def test_a_refused_main_bet_is_no_main_bet(book: str) -> None:
    assert put(load_shipped(book), ("player", "", 0), ("banker", "", 100)) == [Refusal.BAD_STAKE, None]


@pytest.mark.parametrize("book", [*INSURANCE, *LIVE])
def test_both_sides_are_taken_elsewhere(book: str) -> None:
    assert put(load_shipped(book), ("player", "", 100), ("banker", "", 100)) == [None, None]


FOUR = ("player_insurance", "four_cards")
THIRD = ("player_insurance", "player_third")
BANKER_FOUR = ("banker_insurance", "four_cards")
OFFERS = {FOUR: Fraction(5, 2), THIRD: Fraction(3, 2), BANKER_FOUR: Fraction(4)}


@pytest.mark.parametrize("book", INSURANCE)
def test_insurance_needs_a_bet_on_its_side_and_none_on_the_other(book: str) -> None:
    rules = load_shipped(book)
    assert put(rules, (*FOUR, 10), offers=OFFERS) == [Refusal.NO_MAIN_BET]
    assert put(rules, ("banker", "", 100), (*FOUR, 10), offers=OFFERS) == [None, Refusal.NO_MAIN_BET]
    assert put(rules, ("tie", "", 100), (*FOUR, 10), offers=OFFERS) == [None, Refusal.NO_MAIN_BET]
    assert put(rules, ("player", "", 100), (*FOUR, 10), offers=OFFERS) == [None, None]
    assert put(rules, ("banker", "", 100), (*BANKER_FOUR, 10), offers=OFFERS) == [None, None]
    both = put(rules, ("player", "", 100), ("banker", "", 1), (*FOUR, 10), (*BANKER_FOUR, 1), offers=OFFERS)
    assert both == [None, None, Refusal.BOTH_SIDES, Refusal.BOTH_SIDES]


@pytest.mark.parametrize("book", INSURANCE)
def test_insurance_is_refused_where_it_is_not_offered(book: str) -> None:
    answers = put(load_shipped(book), ("player", "", 100), (*FOUR, 10), offers={THIRD: Fraction(3, 2)})
    assert answers == [None, Refusal.INSURANCE_NOT_OFFERED]


@pytest.mark.parametrize(
    ("main", "odds", "largest"),
    [
        (100_000, Fraction(5, 2), 40_000),
        (100_000, Fraction(3, 2), 66_666),  # 66,666 x 1.5 = 99,999; one more would be 100,000.5
        (100_000, Fraction(4), 25_000),
        (100_000, Fraction(10), 10_000),
        (100_000, Fraction(6), 16_666),
        (1, Fraction(3, 2), 0),
        (10**15, Fraction(5, 2), 4 * 10**14),
    ],
)
def test_insurance_may_pay_the_main_bet_and_not_one_unit_more(
    main: int, odds: Fraction, largest: int
) -> None:
    rules = load_shipped("insurance")
    if largest:
        assert put(rules, ("player", "", main), (*FOUR, largest), offers={FOUR: odds}) == [None, None]
    over = put(rules, ("player", "", main), (*FOUR, largest + 1), offers={FOUR: odds})
    assert over == [None, Refusal.INSURANCE_OVER_CAP]


def test_main_bets_are_summed_and_a_phase_shares_its_cap_in_order() -> None:
    answers = put(
        load_shipped("insurance"),
        ("player", "", 60_000),
        ("player", "", 40_000),
        (*FOUR, 30_000),
        (*FOUR, 10_001),  # over: 40,001 x 2.5 > 100,000
        (*FOUR, 10_000),
        (*FOUR, 1),  # nothing is left
        (*THIRD, 66_666),  # the other phase has its own cap
        (*THIRD, 1),
        offers=OFFERS,
    )
    over = Refusal.INSURANCE_OVER_CAP
    assert answers == [None, None, None, over, None, over, None, over]


def with_cap(measure: CapMeasure, share: Fraction, shared_in: CapShare) -> Rulebook:
    rules = load_shipped("insurance")
    assert rules.insurance is not None
    cap = InsuranceCap(measure, share, shared_in, rules.insurance.passage)
    return replace(rules, insurance=replace(rules.insurance, cap=cap))


def test_a_cap_for_the_round_counts_both_phases() -> None:
    rules = with_cap(CapMeasure.WINNINGS, Fraction(1), CapShare.ROUND)
    # 20,000 x 2.5 = 50,000 leaves 50,000: at 1.5 that is 33,333.
    bets = [("player", "", 100_000), (*FOUR, 20_000), (*THIRD, 33_334), (*THIRD, 33_333)]
    assert put(rules, *bets, offers=OFFERS) == [None, None, Refusal.INSURANCE_OVER_CAP, None]


def test_a_cap_on_the_stake_is_half_the_main_bet_here() -> None:
    rules = with_cap(CapMeasure.STAKE, Fraction(1, 2), CapShare.PHASE)
    bets = [("player", "", 101), (*FOUR, 51), (*FOUR, 50)]
    assert put(rules, *bets, offers=OFFERS) == [None, Refusal.INSURANCE_OVER_CAP, None]


def test_another_house_may_insure_players_on_both_sides() -> None:
    rules = replace(load_shipped("insurance"), both_sides=BothSides.ALLOWED)
    bets = [("player", "", 100), ("banker", "", 100), (*FOUR, 40)]
    assert put(rules, *bets, offers=OFFERS) == [None, None, None]


def test_a_side_bet_may_want_a_main_bet_first() -> None:
    shipped = load_shipped("live-commission")
    tiger = replace(shipped.bets["tiger"], needs_one_of=("player", "banker", "tie"))
    rules = replace(shipped, bets={**shipped.bets, "tiger": tiger})
    assert put(rules, ("tiger", "", 10)) == [Refusal.NO_MAIN_BET]
    assert put(rules, ("player_pair", "", 10), ("tiger", "", 10)) == [None, Refusal.NO_MAIN_BET]
    assert put(rules, ("tie", "", 10), ("tiger", "", 10)) == [None, None]
    assert [stage_of(rules, kind) for kind in ("player", "big_tiger", "tiger", "player_insurance")] == [
        0,
        0,
        1,
        2,
    ]


@pytest.mark.parametrize("stake", [0, -1, 10**15 + 1, 10**30])
def test_a_stake_out_of_range_is_named_first(stake: int) -> None:
    answers = put(load_shipped("insurance"), ("no_such_bet", "", stake), ("big", "", stake), round_number=99)
    assert answers == [Refusal.BAD_STAKE, Refusal.BAD_STAKE]


def test_the_largest_and_the_smallest_stake_are_taken() -> None:
    assert put(load_shipped("commission"), ("player", "", 1), ("player", "", 10**15)) == [None, None]


@pytest.mark.parametrize(
    ("book", "kind", "phase"),
    [
        ("commission", "big", ""),
        ("no-commission", "tiger", ""),
        ("live-commission", "super_6_plus", ""),
        ("insurance", "dragon_player", ""),
        ("insurance", "lucky_seven", ""),
        *[(book, "player_insurance", "four_cards") for book in (*ONE_SIDE_ONLY, *LIVE)],
    ],
)
def test_a_bet_of_another_rulebook_is_refused(book: str, kind: str, phase: str) -> None:
    assert put(load_shipped(book), ("player", "", 1000), (kind, phase, 10), offers=OFFERS) == [
        None,
        Refusal.BET_NOT_IN_RULEBOOK,
    ]


def test_limits_hold_per_bet_below_and_per_player_above() -> None:
    limits = {"player": (100, 500), "player_insurance": (10, 40)}
    answers = put(
        load_shipped("insurance"),
        ("player", "", 99),
        ("player", "", 501),
        ("player", "", 300),
        ("player", "", 201),
        ("player", "", 200),
        ("banker_pair", "", 1),  # no limit named
        (*FOUR, 9),
        (*FOUR, 41),
        (*FOUR, 40),
        offers=OFFERS,
        limits=limits,
    )
    outside = Refusal.OUTSIDE_LIMITS
    assert answers == [outside, outside, None, outside, None, None, outside, outside, None]


def test_accepted_bets_are_only_read() -> None:
    accepted = {("player", ""): 100}
    refusal(load_shipped("commission"), Situation(1, False, {}), accepted, "player", "", 50)
    assert accepted == {("player", ""): 100}
