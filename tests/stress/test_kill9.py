"""`kill -9` of a pool child, of the whole worker and of PostgreSQL with the broker in it, at named points of
settling; and the loss of every message. Afterwards each round is settled once, and nothing is left waiting.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.stress.house import BETS, LINES, PAID, QUEUE, House, kill_group
from tests.stress.stops import AFTER_COMMIT, AFTER_LINES, BEFORE_LOCK, POINTS

pytestmark = pytest.mark.slow

ROUNDS = 3  # in one message: the one that is killed at has neighbours
REPETITIONS = range(1, 51)
#: How many of the rounds are settled when the first process stops at the point.
SETTLED_AT = {BEFORE_LOCK: 0, AFTER_LINES: 0, AFTER_COMMIT: 1}


# --- what holds afterwards --------------------------------------------------------------------------


def settled(house: House, rounds: list[int]) -> int:
    return int(
        house.one("SELECT count(DISTINCT round_id) FROM tables_settlement WHERE round_id = ANY(%s)", rounds)
    )


def sweep_until_settled(house: House, rounds: list[int]) -> None:
    """Let the time pass that a clock would need, and ring as it does."""

    def look() -> bool:
        if is_all_done(house, rounds):
            return True
        house.time_passes()
        house.sweep()
        return False

    house.wait_for("every round is settled and nothing waits", look, look_seconds=0.5)


def is_all_done(house: House, rounds: list[int]) -> bool:
    return settled(house, rounds) == len(rounds) and not house.one("SELECT count(*) FROM tables_outbox")


def assert_settled_once(house: House, rounds: list[int]) -> None:
    for round_id in rounds:
        found = house.query(
            "SELECT r.status, s.revision, s.bets_count, s.stakes_minor::bigint, s.returned_minor::bigint,"
            " s.kept_minor::bigint, s.moved_minor::bigint FROM tables_round r"
            " LEFT JOIN tables_settlement s ON s.round_id = r.id WHERE r.id = %s",
            round_id,
        )
        assert found == [("settled", 1, len(BETS), 17_701, 19_891, -2_190, 19_891)]
        lines = house.query(
            "SELECT right(b.platform_bet_id, 2), l.result, l.returned_minor FROM tables_settlementline l"
            " JOIN tables_bet b ON b.id = l.bet_id WHERE b.round_id = %s",
            round_id,
        )
        assert len(lines) == len(LINES)
        assert {bet: (result, returned) for bet, result, returned in lines} == LINES
        journal = "SELECT count(*) FROM tables_journalentry WHERE action = %s AND subject_id = %s"
        assert house.one(journal, "round.settled", round_id) == 1
    owed = house.query(
        "SELECT s.round_id, i.reference, t.amount_minor::bigint FROM tables_wallettransaction t"
        " JOIN tables_settlement s ON s.id = t.settlement_id"
        " JOIN tables_playeridentity i ON i.player_id = t.player_id WHERE s.round_id = ANY(%s)",
        rounds,
    )
    expected = [(round_id, player, amount) for round_id in rounds for player, amount in PAID.items()]
    assert sorted(owed) == sorted(expected)
    assert house.one("SELECT count(*) FROM tables_outbox") == 0


def assert_paid_once(house: House, rounds: list[int]) -> None:
    """Look into the wallet's own books: every transaction of these rounds stands there once."""
    keys = [
        key
        for (key,) in house.query(
            "SELECT t.key FROM tables_wallettransaction t JOIN tables_settlement s ON s.id = t.settlement_id"
            " WHERE s.round_id = ANY(%s)",
            rounds,
        )
    ]

    def is_delivered() -> bool:
        waiting = (
            "SELECT count(*) FROM tables_walletdelivery d JOIN tables_wallettransaction t"
            " ON t.id = d.transaction_id WHERE t.key = ANY(%s) AND d.status <> 'delivered'"
        )
        if house.one(waiting, keys) == 0:
            return True
        house.leases_run_out()
        house.sweep()
        return False

    house.wait_for("the wallet has every message", is_delivered, look_seconds=0.5)
    booked = [row["key"] for row in house.wallet.booked() if row["key"] in set(keys)]
    assert sorted(booked) == sorted(keys)


# --- the kills --------------------------------------------------------------------------------------


def stop_while_settling(house: House, point: str) -> tuple[list[int], int]:
    """Feed rounds whose settling stops at a point; return them and the pid of the process that stopped."""
    house.ensure_worker()
    house.stop_at(point)
    rounds = house.feed_rounds(ROUNDS)
    pid = house.stopped_at(point)
    # Who settles is a child of the worker.
    assert house.worker is not None and os.getpgid(pid) == house.worker.pid
    assert settled(house, rounds) == SETTLED_AT[point]
    return rounds, pid


def kill_pool_child(house: House, point: str) -> None:
    rounds, pid = stop_while_settling(house, point)
    os.kill(pid, signal.SIGKILL)
    house.forget_stops()
    # Nobody sweeps here: the worker notices its child's death and has the task done again.
    house.wait_for("every round is settled", lambda: is_all_done(house, rounds))
    assert_settled_once(house, rounds)
    assert_paid_once(house, rounds)


def kill_worker(house: House, point: str) -> None:
    rounds, _ = stop_while_settling(house, point)
    house.kill_worker()
    assert settled(house, rounds) == SETTLED_AT[point]
    house.start_worker()
    sweep_until_settled(house, rounds)
    assert_settled_once(house, rounds)
    assert_paid_once(house, rounds)


def kill_postgres(house: House, point: str) -> None:
    rounds, _ = stop_while_settling(house, point)
    house.kill_postgres()
    assert settled(house, rounds) == SETTLED_AT[point]
    house.let_go(point)
    sweep_until_settled(house, rounds)
    assert_settled_once(house, rounds)
    assert_paid_once(house, rounds)


VICTIMS: dict[str, Callable[[House, str], None]] = {
    "pool child": kill_pool_child,
    "worker": kill_worker,
    "PostgreSQL": kill_postgres,
}


def test_nothing_is_settled_while_no_worker_runs(house: House) -> None:
    house.kill_worker()
    rounds = house.feed_rounds(ROUNDS)
    # The table has its answer, the bell has rung, and everything else waits for somebody else's process.
    assert house.query("SELECT DISTINCT status FROM tables_round WHERE id = ANY(%s)", rounds) == [
        ("resulted",)
    ]
    assert house.messages() == 1
    assert house.one("SELECT count(*) FROM tables_outbox") == ROUNDS
    assert settled(house, rounds) == 0
    house.start_worker()
    house.wait_for("every round is settled", lambda: is_all_done(house, rounds))
    assert_settled_once(house, rounds)
    assert_paid_once(house, rounds)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("victim", VICTIMS)
def test_after_kill_9_every_round_is_settled_once(house: House, victim: str, point: str) -> None:
    VICTIMS[victim](house, point)


def test_after_the_loss_of_every_message_the_clock_rings_again(house: House) -> None:
    lose_every_message(house)


def lose_every_message(house: House) -> None:
    house.kill_worker()
    rounds = house.feed_rounds(ROUNDS)
    assert house.one("SELECT pgmq.purge_queue(%s)", QUEUE) >= 1
    assert house.messages() == 0
    house.start_worker()
    house.time_passes()
    clock = house.start("-A", "casino", "beat")
    try:
        house.wait_for("every round is settled", lambda: is_all_done(house, rounds))
    finally:
        kill_group(clock)
    assert_settled_once(house, rounds)
    assert_paid_once(house, rounds)


# --- at length --------------------------------------------------------------------------------------


@pytest.mark.stress
@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("victim", VICTIMS)
def test_fifty_times(house: House, victim: str, point: str, repetition: int) -> None:
    VICTIMS[victim](house, point)


@pytest.mark.stress
@pytest.mark.parametrize("repetition", REPETITIONS)
def test_the_loss_of_every_message_fifty_times(house: House, repetition: int) -> None:
    lose_every_message(house)
