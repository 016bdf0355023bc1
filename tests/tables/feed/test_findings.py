"""The feed is checked while it is read: what is wrong is found, and holds the round if money may change."""

from typing import Any

import pytest

from tables.models import Bet, Card, Finding, Hold, Round, RoundStatus, Settlement, Shoe
from tables.rules.cards import ALL_CARDS
from tables.services.settlement import Waits, settle_round
from tests.tables.playing import Platform, cards_of, lines_of, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def found(platform: Platform) -> list[tuple[str, bool]]:
    return list(Finding.objects.order_by("pk").values_list("code", "may_change_money"))


def only_finding() -> dict[str, Any]:
    return Finding.objects.get().data


def deal_raw(platform: Platform, name: str, *placed: tuple[str, str]) -> None:
    platform.say("betting_closed", round=name)
    for place, card in placed:
        platform.say("card", round=name, place=place, card=card)


def claim(platform: Platform, name: str, outcome: str, player: int, banker: int) -> None:
    platform.say("round_result", round=name, outcome=outcome, player_total=player, banker_total=banker)


def why_it_waits(platform: Platform, name: str) -> tuple[str, ...]:
    answer = settle_round(round_id=platform.round(name).pk, now=platform.at)
    assert isinstance(answer, Waits)
    return answer.reasons


# --- The start of a shoe (rules.md section 5: n + 1 cards leave the shoe) ---


@pytest.mark.parametrize(
    ("turned", "due"),
    [
        *(("AS", 1), ("2H", 2), ("3D", 3), ("4C", 4), ("5S", 5), ("6H", 6), ("7D", 7), ("8C", 8), ("9S", 9)),
        *(("10H", 10), ("JD", 10), ("QC", 10), ("KS", 10)),
    ],
)
def test_the_first_card_says_how_many_are_burned(turned: str, due: int) -> None:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start(turned=turned, burn=due)
    assert found(platform) == []
    assert Shoe.objects.get().cards_out == due + 1


def test_a_wrong_burn_is_found() -> None:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start(turned="6S", burn=5)
    assert found(platform) == [("burn_differs", False)]
    data = only_finding()
    assert (data["due"], data["done"], data["turned"]) == (6, 5, "6S")


def test_a_burn_nobody_recorded_is_found_with_the_first_round() -> None:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start(burn=None)
    platform.open_round()
    assert found(platform) == [("burn_not_recorded", False)]


def test_no_blue_card_goes_in_after_the_first_round(platform: Platform) -> None:
    platform.open_round()
    assert platform.say("cut_card_placed", from_back=10).error == (
        "from_back: the blue card is cut in before the first round (shoe/blue-card)"
    )


def test_the_rulebook_says_how_many_decks() -> None:
    platform = Platform(make_table(rulebook="commission"))
    answer = platform.say("shoe_started", shoe="S", decks=6)
    assert answer.error == "decks: 6 decks; the rulebook plays with 8 (commission/decks)"


# --- Cards ---


def test_a_card_the_tableau_did_not_ask_for_says_what_was_due(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "banker", 100))
    # Player 5 draws; the Banker's third came out first.
    deal_raw(platform, name, ("P1", "2H"), ("B1", "KD"), ("P2", "3C"), ("B2", "6S"), ("B3", "9H"))
    assert found(platform) == [("illegal_card", True)]
    assert only_finding() == {"place": "B3", "card": "9H", "due": "P3"}
    claim(platform, name, "banker", 5, 5)
    assert why_it_waits(platform, name) == ("illegal_card", "illegal_coup")
    assert not Settlement.objects.exists()


def test_a_card_after_a_natural_was_not_due(platform: Platform) -> None:
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "9H"), ("B1", "KD"), ("P2", "KC"), ("B2", "6S"), ("P3", "9C"))
    assert only_finding() == {"place": "P3", "card": "9C", "due": None}


def test_two_cards_in_one_place_are_refused(platform: Platform) -> None:
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "9H"))
    assert platform.say("card", round=name, place="P1", card="9C").error == (
        "place: P1 holds 9H already (round/places)"
    )


def test_cards_put_right_before_the_result_settle(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    deal_raw(platform, name, ("P1", "2H"), ("B1", "KD"), ("P2", "3C"), ("B2", "7S"), ("B3", "4H"))
    platform.say("card_corrected", round=name, place="B3", to="P3", source="keyed")
    claim(platform, name, "player", 9, 7)
    round_ = platform.round(name)
    assert isinstance(settle_round(round_id=round_.pk, now=platform.at), Settlement)
    assert lines_of(round_) == {"b1": ("won", 200)}
    assert cards_of(round_.deals.get()) == {"P1": "2H", "B1": "KD", "P2": "3C", "B2": "7S", "P3": "4H"}
    assert Card.objects.filter(place="B3").get().superseded_by.place == "P3"


def test_a_correction_after_the_result_moves_no_money(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.deal(name, "9H 2D KC QS")
    settle_round(round_id=platform.round(name).pk, now=platform.at)
    platform.say("card_corrected", round=name, place="P1", card="AH")
    assert found(platform) == [("corrected_after_result", True)]
    assert lines_of(platform.round(name)) == {"b1": ("won", 200)}
    assert cards_of(platform.round(name).deals.get())["P1"] == "9H"


def test_a_ninth_copy_is_found(platform: Platform) -> None:
    for _ in range(4):
        name = platform.open_round()
        deal_raw(platform, name, ("P1", "7H"), ("B1", "KD"), ("P2", "7H"), ("B2", "6S"))
        claim(platform, name, "banker", 4, 6)
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "7H"))
    assert ("too_many_copies", True) in found(platform)
    assert Finding.objects.get(code="too_many_copies").data == {"card": "7H", "copies": 9}


def test_the_table_must_come_to_our_result(platform: Platform) -> None:
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "9H"), ("B1", "2D"), ("P2", "KC"), ("B2", "QS"))
    claim(platform, name, "banker", 9, 2)
    assert found(platform) == [("claim_differs", True)]
    assert only_finding() == {
        "claimed": {"outcome": "banker", "player_total": 9, "banker_total": 2},
        "ours": {"outcome": "player", "player_total": 9, "banker_total": 2},
    }
    assert why_it_waits(platform, name) == ("claim_differs",)


def test_a_failed_scan_is_noted_and_a_rescan_goes_on(platform: Platform) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("scan_failed", round=name, place="P1", device="scanner 2")
    platform.say("card", round=name, place="P1", card="9H", source="rescan")
    assert found(platform) == [("scan_failed", False)]
    assert Card.objects.get(place="P1").source == "rescan"


# `insurance`: a card that fell and was seen goes on in play; not seen it voids; exposed it is decided about.
@pytest.mark.parametrize(
    ("reason", "face", "holds"),
    [("dropped", "7H", False), ("dropped", None, True), ("exposed", "7H", True), ("exposed", None, True)],
)
def test_a_card_out_of_place_holds_the_round_that_runs_where_its_rule_may_change_money(
    platform: Platform, reason: str, face: str | None, holds: bool
) -> None:
    name = platform.open_round()
    platform.say("card_out", reason=reason, card=face)
    assert found(platform) == [(f"card_{reason}", holds)]
    assert Hold.objects.filter(round=platform.round(name)).exists() is holds


def test_a_discard_between_rounds_is_no_finding(platform: Platform) -> None:
    platform.say("card_out", reason="discard", card=None)
    assert found(platform) == []
    assert Shoe.objects.get().cards_out == 4


# --- The blue card and the last round ---


def test_a_blue_card_in_a_round_makes_it_the_last(platform: Platform) -> None:
    name = platform.open_round()
    deal_raw(platform, name, ("P1", "9H"))
    platform.say("blue_card")
    assert Shoe.objects.get().last_round_number == 1
    for place, card in (("B1", "2D"), ("P2", "KC"), ("B2", "QS")):
        platform.say("card", round=name, place=place, card=card)
    claim(platform, name, "player", 9, 2)
    assert isinstance(settle_round(round_id=platform.round(name).pk, now=platform.at), Settlement)
    beyond = platform.open_round()
    assert Finding.objects.get(code="dealt_past_last_round").data == {"last_round": 1}
    platform.deal(beyond, "9H 2D KC QS")
    assert why_it_waits(platform, beyond) == ("dealt_past_last_round",)


@pytest.mark.parametrize("betting_is_open", [False, True])
def test_a_blue_card_that_comes_first_ends_the_shoe_with_the_round_before(
    platform: Platform, betting_is_open: bool
) -> None:
    platform.play("9H 2D KC QS")
    if betting_is_open:
        name = platform.open_round()
        platform.say("blue_card")
    else:
        platform.say("blue_card")
        name = platform.open_round()
    assert Shoe.objects.get().last_round_number == 1
    assert Hold.objects.get(round=platform.round(name)).reason == "dealt_past_last_round"


def test_a_blue_card_where_it_was_not_cut_is_found(platform: Platform) -> None:
    platform.say("blue_card")  # cut 14 from the back: due after 402 cards, 3 are out
    assert only_finding() == {"expected": 402, "out_before": 3}


def test_the_blue_card_comes_out_once(platform: Platform) -> None:
    platform.say("blue_card")
    assert platform.say("blue_card").status == "refused"


# --- The shoe as a whole ---


def test_a_shoe_that_ends_with_cards_missing_is_found(platform: Platform) -> None:
    platform.say("shoe_ended", left=412)
    assert only_finding() == {"left": 412, "counted": 413}


def test_a_shoe_in_deck_order_and_one_seen_before_are_found() -> None:
    platform = Platform(make_table(rulebook="no-commission"))
    for shoe in ("S-1", "S-2"):
        platform.say("table_opened")
        platform.say("shoe_started", shoe=shoe)
        for card in ALL_CARDS[:30]:
            platform.say("card_out", reason="discard", card=str(card))
        platform.say("shoe_ended")
    codes = [code for code, _ in found(platform)]
    assert codes == ["deck_order_not_shuffled", "deck_order_not_shuffled", "deck_order_repeated"]
    assert Finding.objects.get(code="deck_order_repeated").data == {"earlier_shoe": "B01-20261129-01"}


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


# --- Rounds and incidents ---


def test_a_round_left_without_result_waits(platform: Platform) -> None:
    first = platform.open_round()
    platform.open_round()
    assert Hold.objects.get(round=platform.round(first)).reason == "round_without_result"


def test_an_incident_of_the_catalogue_holds_by_its_remedy(platform: Platform) -> None:
    name = platform.open_round()
    platform.say("incident", code="misdeal", round=name)
    platform.say("incident", code="dealt_before_insurance_closed", round=name)
    assert found(platform) == [("incident_reported", True), ("incident_reported", False)]
    answer = platform.say("incident", code="meteor", round=name)
    assert answer.error is not None and answer.error.startswith("code: meteor is not in the catalogue")


def test_a_closed_table_begins_no_round() -> None:
    platform = Platform(make_table(rulebook="commission"))
    platform.say("shoe_started", shoe="S")
    assert platform.say("betting_opened", round="r", number=1).error == (
        "table: B01 is closed; open it first (table/open)"
    )
