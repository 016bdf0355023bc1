"""What the page of a round is told, from play whose every card is written here."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Bet, Round
from tables.queries.round_money import BetOrder
from tables.queries.round_page import RoundPage, read_round_page
from tables.queries.shoe_page import read_shoe_page
from tables.queries.timeline import Happening
from tables.rules.drawing import Place
from tables.rules.shoe import Whereabouts
from tests.tables.playing import Platform, make_table

PLAYER_WINS = "6S KH 6D 5C 4H 7S"  # 2 and 5 after four cards; Player 6, Banker 2


@pytest.fixture
def platform(db: Any) -> Platform:
    platform = Platform(make_table("B03", "commission"))
    platform.start(turned="3S", burn=3)
    return platform


def page_of(round_: Round, order: BetOrder = BetOrder.LARGEST) -> RoundPage:
    fresh = Round.objects.select_related("table", "shoe", "dealer", "rulebook").get(pk=round_.pk)
    return read_round_page(fresh, order=order, with_money=True, with_journal=True)


def test_the_cards_lie_in_their_places_in_the_order_dealt(platform: Platform) -> None:
    live = page_of(platform.play(PLAYER_WINS)).live
    assert live is not None
    assert [(card.place.value, str(card.face), card.ordinal, card.position) for card in live.cards] == [
        ("P1", "6S", 1, 5),
        ("B1", "KH", 2, 6),
        ("P2", "6D", 3, 7),
        ("B2", "5C", 4, 8),
        ("P3", "4H", 5, 9),
        ("B3", "7S", 6, 10),
    ]
    assert live.coup is not None
    assert (live.coup.player_total, live.coup.banker_total) == (6, 2)
    assert [reason.code for reason in live.reasons] == [
        "no_natural",
        "player_draws",
        "banker_draws_after_third",
    ]


def test_a_banker_third_without_a_player_third_is_the_fifth_card(platform: Platform) -> None:
    live = page_of(platform.play("KS 2H 6D 3C 4S")).live  # Player 6 stands, Banker 5 draws
    assert live is not None
    assert [(card.place.value, card.ordinal) for card in live.cards][-1] == ("B3", 5)


def test_what_each_player_got_and_what_is_on_its_way(platform: Platform) -> None:
    round_ = platform.play(
        PLAYER_WINS,
        ("b1", "P-1", "player", 20_000),
        ("b2", "P-1", "player_pair", 500),
        ("b3", "P-2", "banker", 30_000),
    )
    rows = {row.player: row for row in page_of(round_).money.players}
    assert (rows["P-1"].staked_minor, rows["P-1"].returned_minor) == (20_500, 46_000)  # 40,000 and 500 × 12
    assert rows["P-1"].transaction is not None
    assert rows["P-1"].transaction.amount_minor == 46_000
    assert (rows["P-2"].returned_minor, rows["P-2"].transaction) == (0, None)


def test_the_largest_stakes_come_first_and_refused_bets_apart(platform: Platform) -> None:
    round_ = platform.play(
        PLAYER_WINS,
        ("small", "P-1", "player", 100),
        ("large", "P-2", "banker", 90_000),
        ("too-large", "P-3", "banker", 100_000_001),
    )
    page = page_of(round_)
    assert [row.bet.platform_bet_id for row in page.money.bets] == ["large", "small"]
    assert [row.difference_minor for row in page.money.bets] == [-90_000, 100]
    assert (page.money.accepted, page.money.refused) == (2, 1)
    refused = page_of(round_, BetOrder.REFUSED).money.bets
    assert [row.bet.platform_bet_id for row in refused] == ["too-large"]


def test_the_timeline_goes_from_the_opening_to_the_settlement(platform: Platform) -> None:
    page = page_of(platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100)))
    assert [moment.what for moment in page.timeline] == [
        Happening.BETTING_OPENED,
        Happening.BELL,
        Happening.CARDS,
        Happening.CARDS,
        Happening.CARDS,
        Happening.RESULT,
        Happening.SETTLED,
    ]
    first_four = page.timeline[2].values["cards"]
    assert [str(card.face) for card in first_four] == ["6S", "KH", "6D", "5C"]


def test_a_card_corrected_before_the_result_shows_what_was_there(platform: Platform) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "9S"), ("B1", "KC"), ("P2", "2D")):
        platform.say("card", round=name, place=place, card=card)
    platform.say("card_corrected", round=name, place="P2", card="JD", source="keyed")
    live = page_of(platform.round(name)).live
    assert live is not None
    assert [str(card.face) for card in live.cards] == ["9S", "KC", "JD"]
    assert [str(card.face) for card in live.first_cards] == ["9S", "KC", "2D"]
    [change] = live.corrections
    assert (change.ordinal, str(change.was), str(change.now)) == (3, "2D", "JD")
    assert live.due is Place.B2


def test_the_place_in_the_shoe(platform: Platform) -> None:
    first = platform.play("9S KH KD 5C")  # Player, pair of none
    second = platform.play("KS 9H KD 9C")  # Banker natural 8 with a pair; Player's two kings a pair
    third = platform.play("9H 9D KS QC")  # tie
    page = page_of(second)
    assert [(bead.number, bead.outcome, bead.player_pair, bead.banker_pair) for bead in page.place.beads] == [
        (1, "player", False, False),
        (2, "banker", True, True),
    ]
    assert page.place.before is not None
    assert page.place.after is not None
    assert (page.place.before.pk, page.place.after.pk) == (first.pk, third.pk)
    progress = page.place.progress
    assert (progress.cards, progress.first, progress.last, progress.blue_card_after) == (416, 9, 12, 402)


def test_a_round_asks_the_database_as_often_for_sixty_bets_as_for_three(platform: Platform) -> None:
    few = platform.play(PLAYER_WINS, *[(f"a{i}", f"P-{i}", "player", 100) for i in range(3)])
    many = platform.play(PLAYER_WINS, *[(f"b{i}", f"P-{i}", "player", 100) for i in range(60)])
    counts = []
    for round_ in (few, many):
        with CaptureQueriesContext(connection) as asked:
            page = page_of(round_)
        counts.append(len(asked))
        assert len(page.money.bets) == min(12, Bet.objects.filter(round=round_).count())
    assert counts[0] == counts[1]
    assert counts[0] <= 25


def test_a_shoe_page_accounts_for_every_card_in_as_many_queries_as_rounds_come(platform: Platform) -> None:
    counts = []
    for _times in range(2):
        platform.play("9S KH KD 5C")
        shoe = platform.play("9H 9D KS QC").shoe
        with CaptureQueriesContext(connection) as asked:
            page = read_shoe_page(shoe)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 4
    assert page.ledger.out[Whereabouts.TURNED] == 1
    assert page.ledger.out[Whereabouts.BURNED] == 3
    assert page.ledger.out[Whereabouts.IN_ROUND] == 16
    assert page.ledger.left == 396
    assert [len(row) for row in page.strip] == [52] * 8
    assert str(page.turned) == "3S"
    assert [card.round_number for card in page.strip[0] if card.opens_round] == [1, 2, 3, 4]
