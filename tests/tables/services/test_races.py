"""Many at once: each round settled once, each event read once, each bet taken once.

What a lock protects has a twin without the lock: the twin goes wrong, and a constraint of the database
is what then refuses.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from tables import locks
from tables.feed import reader
from tables.feed.reader import FeedAnswer, read_lines
from tables.models import (
    Bet,
    FeedEvent,
    Hold,
    JournalEntry,
    Outbox,
    PlayerIdentity,
    Round,
    RoundStatus,
    Settlement,
    SettlementLine,
    TableState,
    WalletTransaction,
)
from tables.services import bets as bet_services
from tables.services.actors import Actor
from tables.services.settlement import Waits, settle_round
from tests.tables.playing import Platform, lines_of, make_table
from tests.tables.services.together import PATIENCE_SECONDS, together

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 32
BANKER_WINS_2_TO_0 = "KS 2H QD KH KC 10H"


def ready_to_settle(code: str = "B01", rulebook: str = "commission") -> tuple[Platform, Round]:
    """Play a round up to its result: three players, of whom two are owed something."""
    platform = Platform(make_table(code, rulebook=rulebook))
    platform.start()
    name = platform.open_round()
    platform.bet(
        name,
        ("b1", "P-1", "banker", 10_001),
        ("b2", "P-1", "tie", 500),
        ("b3", "P-2", "player", 7_000),
        ("b4", "P-3", "banker", 200),
    )
    platform.deal(name, BANKER_WINS_2_TO_0)
    return platform, platform.round(name)


def assert_settled_once(round_: Round) -> None:
    round_.refresh_from_db()
    assert round_.status == RoundStatus.SETTLED
    settlement = Settlement.objects.get(round=round_)
    assert (settlement.stakes_minor, settlement.returned_minor, settlement.moved_minor) == (
        17_701,
        19_891,
        19_891,
    )
    assert lines_of(round_) == {
        "b1": ("won", 19_501),
        "b2": ("lost", 0),
        "b3": ("lost", 0),
        "b4": ("won", 390),
    }
    assert SettlementLine.objects.count() == 4
    assert sorted(WalletTransaction.objects.values_list("amount_minor", flat=True)) == [390, 19_501]
    assert JournalEntry.objects.filter(action="round.settled").count() == 1
    assert Outbox.objects.count() == 0


def constraint_of(problem: BaseException) -> str | None:
    """Name the constraint that the database refused by."""
    cause = problem.__cause__
    assert isinstance(cause, psycopg.Error)
    return cause.diag.constraint_name


# --- settling ---------------------------------------------------------------------------------------


def test_thirty_two_settle_the_same_round_and_one_does() -> None:
    platform, round_ = ready_to_settle()
    answers = together(*[partial(settle_round, round_id=round_.pk, now=platform.at)] * THREADS)
    settlements = [answer for answer in answers if isinstance(answer, Settlement)]
    assert len(settlements) == 1
    assert [answer for answer in answers if answer is not settlements[0]] == [None] * 31
    assert_settled_once(round_)


def test_twin_without_the_lock_all_believe_they_are_first_and_the_database_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    platform, round_ = ready_to_settle()
    all_have_read = threading.Barrier(THREADS, timeout=PATIENCE_SECONDS)

    def read_without_lock(round_id: int, *_read_with: str) -> Round:
        found = Round.objects.get(pk=round_id)
        all_have_read.wait()
        return found

    monkeypatch.setattr(locks, "lock_round", read_without_lock)
    answers = together(*[partial(settle_round, round_id=round_.pk, now=platform.at)] * THREADS)
    refused = [answer for answer in answers if isinstance(answer, IntegrityError)]
    # Nobody was told "settled already": 31 did the whole work for nothing, and only the constraint saw it.
    assert len([answer for answer in answers if isinstance(answer, Settlement)]) == 1
    assert len(refused) == 31
    # Who looked for an earlier revision before the first one's COMMIT wrote another first; who looked after
    # it wrote a second one, which nobody had decided.
    assert {constraint_of(problem) for problem in refused} <= {
        "settlement_revision_once",
        "settlement_later_revision_has_authority",
    }
    assert_settled_once(round_)


def test_a_hold_placed_while_another_waits_for_the_lock_is_seen() -> None:
    """The state is looked at after the lock: who had to wait does not act on what was there before."""
    platform, round_ = ready_to_settle()
    answers: list[Any] = []
    settle = partial(settle_round, round_id=round_.pk, now=platform.at)
    thread = threading.Thread(target=lambda: answers.extend(together(settle)))
    with transaction.atomic():
        locks.lock_round(round_.pk)
        thread.start()
        wait_until_somebody_waits_for_a_lock()
        Hold.objects.create(round=round_, reason="incident", placed_at=platform.at)
    thread.join(PATIENCE_SECONDS)
    assert answers == [Waits(("incident",))]
    assert not Settlement.objects.exists()


def wait_until_somebody_waits_for_a_lock() -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waited for the lock")


# --- reading ----------------------------------------------------------------------------------------


def a_batch(platform: Platform) -> list[bytes]:
    """Write a shoe and three rounds, without sending them."""
    lines = [
        platform.event("table_opened"),
        platform.event("shoe_started", shoe="S-1"),
        platform.event("cut_card_placed", from_back=14),
        platform.event("burned", turned="2S", count=2),
    ]
    for number in (1, 2, 3):
        name = f"R-{number}"
        stakes = [
            {"id": f"bet-{number}-{place}", "player": f"P-{place}", "bet": "banker", "stake": 100}
            for place in range(5)
        ]
        lines += [
            platform.event("betting_opened", round=name, number=number),
            platform.event("bets", round=name, bets=stakes),
            platform.event("betting_closed", round=name),
        ]
        for place, card in zip(("P1", "B1", "P2", "B2"), ("9H", "2D", "KC", "QS"), strict=True):
            lines.append(platform.event("card", round=name, place=place, card=card))
        result = {"outcome": "player", "player_total": 9, "banker_total": 2}
        lines.append(platform.event("round_result", round=name, **result))
    return lines


def send_at_once(platform: Platform, lines: list[bytes], senders: int) -> list[FeedAnswer]:
    actor = Actor.of_table(platform.table.code)
    received = platform.at + timedelta(milliseconds=50)
    send = partial(read_lines, platform.table.code, lines, actor=actor, received_at=received)
    answers = together(*[send] * senders)
    for answer in answers:
        assert isinstance(answer, FeedAnswer), answer
    return [answer for answer in answers if isinstance(answer, FeedAnswer)]


def assert_read_once(lines: list[bytes]) -> None:
    assert FeedEvent.objects.count() == len(lines) == 28
    assert list(FeedEvent.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, 29))
    assert FeedEvent.objects.filter(status="accepted").count() == 28
    assert (Round.objects.count(), Bet.objects.count(), Outbox.objects.count()) == (3, 15, 3)
    assert PlayerIdentity.objects.count() == 5


def test_feeds_that_send_the_same_batch_at_once_are_read_once() -> None:
    platform = Platform(make_table())
    lines = a_batch(platform)
    answers = send_at_once(platform, lines, senders=4)
    for place in range(len(lines)):
        statuses = Counter(answer.events[place].status for answer in answers)
        assert statuses == {"accepted": 1, "repeat": 3}
    assert {answer.next_seq for answer in answers} == {29}
    assert_read_once(lines)


def test_twin_without_the_lock_two_read_the_same_and_the_database_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    platform = Platform(make_table())
    lines = a_batch(platform)
    both_have_read = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    refusals: list[str | None] = []
    saw: list[int] = []

    def read_without_lock(table_id: int) -> TableState:
        state = TableState.objects.get(pk=table_id)
        saw.append(state.next_seq)
        if len(saw) <= 2:
            both_have_read.wait()
        return state

    read_chunk = reader._read_chunk

    def note_refusal(*arguments: Any) -> Any:
        try:
            return read_chunk(*arguments)
        except IntegrityError as problem:
            refusals.append(constraint_of(problem))
            raise

    monkeypatch.setattr(locks, "lock_table_state", read_without_lock)
    monkeypatch.setattr(reader, "_read_chunk", note_refusal)
    send_at_once(platform, lines, senders=2)
    # Both began at the first event, and one did all its work against a constraint.
    assert saw[:2] == [1, 1]
    assert refusals
    assert_read_once(lines)


# --- two tables -------------------------------------------------------------------------------------


def two_tables() -> list[tuple[Platform, str]]:
    made = []
    for table in (make_table("B01", rulebook="commission"), make_table("B02", rulebook="no-commission")):
        platform = Platform(table)
        platform.start()
        made.append((platform, platform.open_round()))
    return made


def meet_after_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let both tables look for known bets before either writes one."""
    both_have_looked = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    meetings: list[int] = []
    know_players = bet_services._know_players

    def know_players_after_meeting(*arguments: Any) -> None:
        meetings.append(1)
        if len(meetings) <= 2:
            both_have_looked.wait()
        know_players(*arguments)

    monkeypatch.setattr(bet_services, "_know_players", know_players_after_meeting)


def test_the_same_bet_id_from_two_tables_at_once_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = two_tables()
    meet_after_looking(monkeypatch)
    answers = together(
        *[partial(platform.bet, name, ("bet-1", "P-1", "banker", 100)) for platform, name in tables]
    )
    assert [getattr(answer, "status", answer) for answer in answers] == ["accepted", "accepted"]
    refused = [[(bet.id, bet.reason) for bet in answer.refused_bets] for answer in answers]
    assert sorted(refused) == [[], [("bet-1", "duplicate_bet_id")]]
    assert Bet.objects.count() == 1
    assert PlayerIdentity.objects.get().reference == "P-1"


def test_two_tables_that_meet_the_same_new_players_in_opposite_orders_both_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each event learns its players; two events in one transaction could wait for each other for ever."""
    tables = two_tables()
    batches = []
    for (platform, name), order in zip(tables, (("P-1", "P-2"), ("P-2", "P-1")), strict=True):
        lines = [
            platform.event(
                "bets",
                round=name,
                bets=[
                    {
                        "id": f"{platform.table.code}-{player}",
                        "player": player,
                        "bet": "banker",
                        "stake": 100,
                    }
                ],
            )
            for player in order
        ]
        batches.append(partial(platform.send, *lines))
    first_known = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    known: list[int] = []
    know_players = bet_services._know_players

    def know_players_and_meet(*arguments: Any) -> None:
        know_players(*arguments)
        known.append(1)
        if len(known) <= 2:
            first_known.wait()

    monkeypatch.setattr(bet_services, "_know_players", know_players_and_meet)
    answers = together(*batches)
    for answer in answers:
        assert isinstance(answer, FeedAnswer), answer
        assert [event.status for event in answer.events] == ["accepted", "accepted"]
    assert Bet.objects.count() == 4
    assert sorted(PlayerIdentity.objects.values_list("reference", flat=True)) == ["P-1", "P-2"]


# --- cancelling -------------------------------------------------------------------------------------


def test_a_late_cancellation_does_not_reach_a_bet_that_is_settled() -> None:
    """It was sent in time by the table's clock and came after the money had moved."""
    platform, round_ = ready_to_settle()
    settle_round(round_id=round_.pk, now=platform.at)
    line = platform.event("bets_cancelled", bets=["b3"], at=round_.betting_closed_at.isoformat())
    answer = platform.send(line).events[0]
    assert [(bet.id, bet.reason) for bet in answer.refused_bets] == [("b3", "after_result")]
    assert Bet.objects.get(platform_bet_id="b3").status == "accepted"
    assert_settled_once(round_)
