"""What is read in one batch is what is read event by event; and a batch asks the database less."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from casino.runtime.places import ROOT
from tables.feed.reader import read_lines
from tables.models import Bet, Card, Deal, Finding, Hold, InsuranceOffer, Round, Shoe
from tables.services.actors import Actor
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

EXAMPLE = ROOT / "docs" / "examples" / "day-B01.jsonl"
FACTS: dict[Any, tuple[str, ...]] = {
    Shoe: ("public_id", "status", "cards_out", "burn_due", "burn_done", "last_round_number"),
    Round: ("public_id", "platform_id", "window_number", "status", "outcome", "rulebook__code", "claimed"),
    Deal: ("round__public_id", "number", "status"),
    Card: ("position", "place", "rank", "suit", "round__public_id", "deal__number", "source"),
    Bet: ("platform_bet_id", "kind", "phase", "status", "refusal", "odds_offered", "deal__number"),
    InsuranceOffer: ("deal__round__public_id", "phase", "offered", "shown", "closed_at"),
    Finding: ("code", "round__public_id", "may_change_money", "data"),
    Hold: ("round__public_id", "reason", "lifted_by"),
}


class Undo(Exception):
    """Ends a transaction whose traces nobody wants."""


def read(batches: Iterable[list[bytes]]) -> dict[str, list[Any]]:
    """Read batches, and return all that was recorded, which is then undone."""
    recorded: dict[str, list[Any]] = {}
    try:
        with transaction.atomic():
            for batch in batches:
                at = NOON + timedelta(days=1)
                read_lines("B01", batch, actor=Actor.of_table("B01"), received_at=at)
            for model, names in FACTS.items():
                rows = model.objects.order_by("pk").values_list(*names)
                recorded[model.__name__] = [repr(row) for row in rows]
            raise Undo
    except Undo:
        return recorded


def check_same(lines: list[bytes]) -> dict[str, list[Any]]:
    at_once = read([lines])
    one_by_one = read([line] for line in lines)
    for name, rows in one_by_one.items():
        # Findings and holds of a batch are written together, after its cards.
        assert sorted(at_once[name]) == sorted(rows), name
    return at_once


def test_the_example_day_is_the_same_at_once_and_event_by_event() -> None:
    make_table()
    found = check_same(EXAMPLE.read_bytes().splitlines())
    assert len(found["Round"]) == 11
    assert len(found["Bet"]) == 318


def scripted(rulebook: str) -> Platform:
    """Provide the sender of a table that writes events without sending them."""
    platform = Platform(make_table(rulebook=rulebook))
    for type_, facts in (
        ("table_opened", {}),
        ("shoe_started", {"shoe": "S-1"}),
        ("cut_card_placed", {"from_back": 14}),
        ("burned", {"turned": "2S", "count": 2}),
    ):
        platform.event(type_, **facts)
    return platform


def bets(*placed: tuple[str, str, str, int]) -> list[dict[str, Any]]:
    return [
        {"id": name, "player": player, "bet": kind, "stake": stake} for name, player, kind, stake in placed
    ]


def test_bets_stand_when_a_round_is_dealt_again_in_one_batch() -> None:
    platform = scripted("insurance")
    say = platform.event
    say("betting_opened", round="R1", number=1)
    say("bets", round="R1", bets=bets(("b1", "P-1", "player", 1000), ("b2", "P-2", "banker", 1000)))
    say("betting_closed", round="R1")
    for place, card in (("P1", "6H"), ("B1", "4H"), ("P2", "KC"), ("B2", "KS")):
        say("card", round="R1", place=place, card=card)
    insured = [{**one, "phase": "four_cards"} for one in bets(("i1", "P-1", "player_insurance", 100))]
    say("insurance_opened", round="R1", phase="four_cards")
    say("bets", round="R1", bets=insured)
    say("redeal_started", round="R1", decision="R-0001")
    for place, card in (("P1", "6D"), ("B1", "4D"), ("P2", "KH"), ("B2", "KD")):
        say("card", round="R1", place=place, card=card)
    say("insurance_opened", round="R1", phase="four_cards")
    again = [{**one, "phase": "four_cards"} for one in bets(("i2", "P-1", "player_insurance", 400))]
    over = [{**one, "phase": "four_cards"} for one in bets(("i3", "P-1", "player_insurance", 100))]
    say("bets", round="R1", bets=again)
    say("bets", round="R1", bets=over)
    found = check_same(platform.sent)["Bet"]
    # 400 x 5/2 is all that 1,000 on the Player may insure: the main bet counts on, dead insurance does not.
    assert [row for row in found if "'i2'" in row and "'accepted', '', '5/2', 2" in row]
    assert [row for row in found if "'i3'" in row and "'refused', 'insurance_over_cap', '5/2', 2" in row]


def test_a_cancelled_bet_frees_its_side_in_one_batch() -> None:
    platform = scripted("commission")
    say = platform.event
    say("betting_opened", round="R1", number=1)
    say("bets", round="R1", bets=bets(("b1", "P-1", "player", 1000), ("b2", "P-1", "tie", 100)))
    say("bets", round="R1", bets=bets(("b3", "P-1", "banker", 1000)))
    say("bets_cancelled", bets=["b1", "b9"])
    say("bets", round="R1", bets=bets(("b4", "P-1", "banker", 1000), ("b9", "P-2", "banker", 500)))
    found = check_same(platform.sent)["Bet"]
    states = [row.split(", ")[0].strip("(") + row.split(", ")[3] for row in found]
    assert states == [
        "'b1''cancelled'",
        "'b2''accepted'",
        "'b3''refused'",
        "'b4''accepted'",
        "'b9''cancelled'",
    ]


def test_late_bets_of_the_round_before_see_its_bets_in_one_batch() -> None:
    platform = scripted("commission")
    say = platform.event
    say("betting_opened", round="R1", number=1)
    say("bets", round="R1", bets=bets(("b1", "P-1", "player", 1000)))
    say("betting_opened", round="R2", number=2)
    say("bets", round="R1", bets=bets(("b2", "P-1", "banker", 1000)))
    found = check_same(platform.sent)["Bet"]
    assert "'both_sides'" in found[1]


def test_a_round_in_a_batch_takes_few_questions() -> None:
    make_table()
    lines = EXAMPLE.read_bytes().splitlines()
    with CaptureQueriesContext(connection) as asked:
        read([lines])
    # Hardly more than what has to be written: of a round its row in each state, deal, bets, offers.
    assert len(asked) < 23 * 11
