"""A round settled whole: lines, wallet transactions, messages, journal; once, however often it is asked."""

import pytest
from django.db import IntegrityError, connection

from tables.models import JournalEntry, Outbox, RoundStatus, Settlement, WalletDelivery, WalletTransaction
from tables.services.settlement import Waits, settle_round
from tests.tables.playing import Platform, lines_of, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


BANKER_WINS_2_TO_0 = "KS 2H QD KH KC 10H"  # 0 and 2 after four cards; K and 10 drawn


def test_a_round_pays_each_bet_by_the_rulebook(platform: Platform) -> None:
    round_ = platform.play(
        BANKER_WINS_2_TO_0,
        ("b1", "P-10001", "banker", 10_001),
        ("b2", "P-10001", "tie", 500),
        ("b3", "P-10002", "player", 7_000),
        ("b4", "P-10003", "banker_pair", 300),
    )
    # 10,001 at 19/20 is 9,500.95: the winnings are rounded down.
    assert lines_of(round_) == {
        "b1": ("won", 19_501),
        "b2": ("lost", 0),
        "b3": ("lost", 0),
        "b4": ("lost", 0),
    }
    assert round_.status == RoundStatus.SETTLED
    assert (round_.outcome, round_.player_total, round_.banker_total) == ("banker", 0, 2)
    settlement = Settlement.objects.get(round=round_)
    assert (settlement.revision, settlement.bets_count, settlement.players_count) == (1, 4, 3)
    assert (settlement.stakes_minor, settlement.returned_minor, settlement.kept_minor) == (
        17_801,
        19_501,
        -1_700,
    )
    assert settlement.moved_minor == 19_501


def test_only_players_whose_money_moves_get_a_transaction(platform: Platform) -> None:
    round_ = platform.play(
        BANKER_WINS_2_TO_0, ("b1", "P-10001", "banker", 200), ("b2", "P-10002", "player", 200)
    )
    transaction = WalletTransaction.objects.get()
    assert transaction.key == f"{round_.public_id}/1/{transaction.player_id}"
    assert (transaction.kind, transaction.amount_minor, transaction.currency) == ("credit", 390, "THB")
    assert transaction.bet_ids == [transaction.settlement.lines.get(bet__platform_bet_id="b1").bet_id]
    assert WalletDelivery.objects.get().status == "waiting"


def test_settling_again_changes_nothing(platform: Platform) -> None:
    round_ = platform.play(BANKER_WINS_2_TO_0, ("b1", "P-10001", "banker", 200))
    before = (Settlement.objects.count(), WalletTransaction.objects.count(), JournalEntry.objects.count())
    assert settle_round(round_id=round_.pk, now=platform.at) is None
    assert (
        Settlement.objects.count(),
        WalletTransaction.objects.count(),
        JournalEntry.objects.count(),
    ) == before
    assert Outbox.objects.count() == 0


def test_a_round_without_bets_is_settled_too(platform: Platform) -> None:
    round_ = platform.play(BANKER_WINS_2_TO_0)
    settlement = Settlement.objects.get(round=round_)
    assert (settlement.bets_count, settlement.returned_minor) == (0, 0)


def test_a_tie_pushes_both_sides(platform: Platform) -> None:
    round_ = platform.play(
        "9H 9D KC QS", ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 100), ("b3", "P-2", "tie", 100)
    )
    assert lines_of(round_) == {"b1": ("push", 100), "b2": ("push", 100), "b3": ("won", 900)}


def test_a_held_round_waits_and_says_why(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.send(
        *[platform.event("betting_closed", round=name)],
        *[
            platform.event("card", round=name, place=place, card=card)
            for place, card in zip(("P1", "B1", "P2", "B2"), ("9H", "2D", "KC", "QS"), strict=True)
        ],
        platform.event("round_result", round=name, outcome="banker", player_total=9, banker_total=2),
    )
    round_ = platform.round(name)
    assert settle_round(round_id=round_.pk, now=platform.at) == Waits(("claim_differs",))
    assert not Settlement.objects.exists()


def test_what_was_settled_cannot_be_changed(platform: Platform) -> None:
    round_ = platform.play(BANKER_WINS_2_TO_0, ("b1", "P-10001", "banker", 200))
    line = Settlement.objects.get(round=round_).lines.get()
    with pytest.raises(Exception, match=r"append-only|permission denied"):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE tables_settlementline SET returned_minor = 1 WHERE bet_id = %s", [line.bet_id]
            )


def test_the_sums_of_a_settlement_must_add_up(platform: Platform) -> None:
    round_ = platform.play(BANKER_WINS_2_TO_0)
    settlement = Settlement.objects.get(round=round_)
    with pytest.raises(IntegrityError, match="settlement_adds_up"):
        Settlement.objects.create(
            round=round_,
            revision=2,
            rulebook=settlement.rulebook,
            authority="00000000-0000-0000-0000-000000000001",
            verdicts=[],
            bets_count=0,
            players_count=0,
            stakes_minor=1,
            returned_minor=1,
            kept_minor=1,
            moved_minor=0,
            lines_digest=b"",
            created_at=platform.at,
        )
