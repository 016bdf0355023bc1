"""The feed is checked while it is read: what is wrong is found, and holds the round if money may change."""

import pytest

from tables.models import Card, Finding, Hold, Settlement, Shoe
from tables.rules.cards import ALL_CARDS
from tables.services.settlement import settle_round
from tests.tables.feed.telling import claim, deal_raw, found, only_finding, why_it_waits
from tests.tables.playing import Platform, cards_of, lines_of, make_table

pytestmark = pytest.mark.django_db


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
