"""Which bets of the feed are taken, and which insurance is sold: by limits, windows, caps and odds."""

from typing import Any

import pytest

from tables.models import Bet, Round, RoundStatus
from tables.services.settlement import settle_round
from tests.tables.feed.telling import claim, deal_raw, found, only_finding
from tests.tables.playing import Platform, lines_of, make_table

pytestmark = pytest.mark.django_db


# --- Bets ---


def refusals(platform: Platform, name: str, *bets: tuple[Any, ...]) -> dict[str, str]:
    return {bet.id: bet.reason for bet in platform.bet(name, *bets).refused_bets}


def test_table_limits_are_held(platform: Platform) -> None:
    name = platform.open_round()
    assert refusals(
        platform,
        name,
        ("b1", "P-1", "player", 99),
        ("b2", "P-1", "player", 100),
        ("b3", "P-1", "player", 99_999_900),
        ("b4", "P-1", "player", 100),
    ) == {"b1": "outside_limits", "b4": "outside_limits"}
    assert found(platform) == [("bets_outside_limits", False)]


def test_limits_may_change_and_differ_by_bet(platform: Platform) -> None:
    platform.say("limits_changed", default={"min": 500, "max": 1000}, bets={"tie": {"min": 10, "max": 50}})
    name = platform.open_round()
    assert refusals(
        platform, name, ("b1", "P-1", "player", 499), ("b2", "P-1", "tie", 10), ("b3", "P-2", "tie", 51)
    ) == {"b1": "outside_limits", "b3": "outside_limits"}
    assert platform.say("limits_changed", default={"min": 500, "max": 100}).status == "refused"


def test_a_window_closes_with_its_round(platform: Platform) -> None:
    platform.round_number = 30
    name = platform.open_round()  # round 31 by its number, the first that counts for windows
    assert refusals(platform, name, ("b1", "P-1", "big", 100)) == {}
    assert Round.objects.get().window_number == 1


def test_the_same_bet_id_twice_is_taken_once(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    assert refusals(platform, name, ("b1", "P-2", "player", 100), ("b2", "P-2", "tie", 100)) == {
        "b1": "duplicate_bet_id"
    }
    assert Bet.objects.count() == 2


def test_bets_for_a_round_that_is_over_are_refused(platform: Platform) -> None:
    name = platform.open_round()
    platform.deal(name, "9H 2D KC QS")
    assert refusals(platform, name, ("b1", "P-1", "player", 100)) == {"b1": "after_result"}
    assert found(platform) == [("bets_after_result", False)]


def test_bets_for_an_unknown_round_are_a_bad_event(platform: Platform) -> None:
    answer = platform.bet("nowhere", ("b1", "P-1", "player", 100))
    assert answer.error == "round: B01 has no round nowhere (round/unknown)"


def test_a_cancelled_bet_is_not_settled_even_when_the_cancel_came_first(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-1", "tie", 100))
    platform.say("bets_cancelled", bets=["b1", "b3"])
    platform.bet(name, ("b3", "P-1", "player", 100))
    platform.deal(name, "9H 2D KC QS")
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    assert lines_of(round_) == {"b2": ("lost", 0)}
    late = platform.say("bets_cancelled", bets=["b2"])
    assert [(bet.id, bet.reason) for bet in late.refused_bets] == [("b2", "after_bell")]


def test_a_confirmed_bet_cannot_be_taken_back_and_an_unconfirmed_one_does_not_count() -> None:
    platform = Platform(make_table(rulebook="live-commission"))
    platform.start(burn=None)
    name = platform.open_round()
    assert refusals(
        platform, name, ("b1", "P-1", "player", 100), ("b2", "P-1", "player", 100, {"confirmed": False})
    ) == {"b2": "not_confirmed"}
    answer = platform.say("bets_cancelled", bets=["b1"])
    assert [(bet.id, bet.reason) for bet in answer.refused_bets] == [("b1", "confirmed_bet_stands")]


# --- Insurance ---


def insured_round(platform: Platform) -> str:
    """Deal Player 7 against Banker 5: Player insurance at 4, Banker insurance on 5 only to 0-4, so none."""
    name = platform.open_round()
    platform.bet(name, ("m1", "P-1", "player", 1000), ("m2", "P-2", "banker", 1000))
    deal_raw(platform, name, ("P1", "7H"), ("B1", "5D"), ("P2", "KC"), ("B2", "KS"))
    return name


def insure(platform: Platform, name: str, bet: str, player: str, kind: str, stake: int) -> dict[str, str]:
    return refusals(platform, name, (bet, player, kind, stake, {"phase": "four_cards", "odds": "4"}))


def test_insurance_is_sold_to_its_cap_and_paid_when_the_side_loses(platform: Platform) -> None:
    name = insured_round(platform)
    platform.say("insurance_opened", round=name, phase="four_cards", shown={"player_insurance": "4"})
    assert insure(platform, name, "i1", "P-1", "player_insurance", 200) == {}
    assert insure(platform, name, "i2", "P-1", "player_insurance", 100) == {"i2": "insurance_over_cap"}
    assert insure(platform, name, "i3", "P-2", "banker_insurance", 100) == {"i3": "insurance_not_offered"}
    assert insure(platform, name, "i4", "P-3", "player_insurance", 100) == {"i4": "no_main_bet"}
    platform.say("insurance_closed", round=name, phase="four_cards")
    assert insure(platform, name, "i5", "P-1", "player_insurance", 50) == {"i5": "after_bell"}
    platform.say("card", round=name, place="B3", card="3H")
    claim(platform, name, "banker", 7, 8)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    # Banker 8 wins: 1,000 at 0.95; the insured Player bet lost 1,000 and its 200 at 4 return 1,000.
    assert lines_of(round_) == {"m1": ("lost", 0), "m2": ("won", 1950), "i1": ("won", 1000)}


def test_odds_shown_wrongly_pay_by_the_rulebook(platform: Platform) -> None:
    name = insured_round(platform)
    platform.say("insurance_opened", round=name, phase="four_cards", shown={"player_insurance": "10"})
    assert found(platform) == [("insurance_odds_wrong", False)]
    assert only_finding() == {"bet": "player_insurance", "shown": "10", "due": "4"}
    refusals(platform, name, ("i1", "P-1", "player_insurance", 200, {"phase": "four_cards", "odds": "10"}))
    platform.say("insurance_closed", round=name, phase="four_cards")
    platform.say("card", round=name, place="B3", card="3H")
    claim(platform, name, "banker", 7, 8)
    settle_round(round_id=platform.round(name).pk, now=platform.at)
    assert lines_of(platform.round(name))["i1"] == ("won", 1000)


def test_a_dealer_who_does_not_wait_for_insurance_lets_the_round_stand(platform: Platform) -> None:
    name = insured_round(platform)
    platform.say("insurance_opened", round=name, phase="four_cards", shown={"player_insurance": "4"})
    platform.say("card", round=name, place="B3", card="3H")
    assert found(platform) == [("dealt_before_insurance_closed", False)]
    assert platform.round(name).status == RoundStatus.DEALING


@pytest.mark.parametrize(
    ("place", "card", "codes"),
    [("P1", "2S", [("insurance_on_wrong_card", True)]), ("P3", "3S", [])],
)
def test_a_card_put_right_after_insurance_was_sold_on_it_holds_the_round(
    platform: Platform, place: str, card: str, codes: list[tuple[str, bool]]
) -> None:
    name = platform.open_round()
    platform.bet(name, ("m1", "P-1", "player", 400))
    platform.say("betting_closed", round=name)
    for lies, face in (("P1", "AS"), ("B1", "KS"), ("P2", "4C"), ("B2", "4D")):  # 5 to 4: insured at 3/2
        platform.say("card", round=name, place=lies, card=face)
    platform.say("insurance_opened", round=name, phase="four_cards")
    platform.say("insurance_closed", round=name, phase="four_cards")
    platform.say("card", round=name, place="P3", card="2S")
    platform.say("card_corrected", round=name, place=place, card=card)
    assert found(platform) == codes


def test_insurance_nobody_is_offered_is_found(platform: Platform) -> None:
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "9H"), ("B1", "2D"), ("P2", "KC"), ("B2", "QS"))
    platform.say("insurance_opened", round=name, phase="four_cards")
    assert found(platform) == [("insurance_not_due", False)]


def test_a_rulebook_without_insurance_opens_none() -> None:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    assert platform.say("insurance_opened", round=name, phase="four_cards").error == (
        "phase: insurance has no phase four_cards; known: none (commission/insurance)"
    )
