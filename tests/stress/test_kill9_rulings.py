"""`kill -9` at named points of a ruling: before the lock, after the lines, after COMMIT before the
acknowledgement, and between the outbox and the wallet's answer. Afterwards every round is void once, every
player has exactly the stake back, and nothing is left waiting.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from audit.models import RulingKind
from tables.models import Round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, make_user
from tests.stress.house import House
from tests.stress.stops import BEFORE_ANSWER_KEPT, RULING_AFTER_COMMIT, RULING_POINTS

pytestmark = pytest.mark.slow

ROUNDS = 3
REPETITIONS = range(1, 51)
#: At 19 to 20 the Banker won: 19,501 and 390 were returned. Void, every stake comes back instead.
VOID_LINES = {"b1": ("void", 10_001), "b2": ("void", 500), "b3": ("void", 7_000), "b4": ("void", 200)}
#: `lek` staked 10,001 and 500 and got 19,501; `noi` staked 7,000 and got nothing; `ting` 200, and got 390.
MOVED = {"lek": -9_000, "noi": 7_000, "ting": -190}


@pytest.fixture(scope="module")
def people(house: House) -> tuple[User, User]:
    house.open_table()  # publishes the rulebook: once two persons are there, it takes both
    return make_user("asker", *SUPERVISES), make_user("decider", *MANAGES)


def settled_rounds(house: House) -> list[int]:
    """Play rounds and let the worker settle and pay them."""
    house.ensure_worker()
    rounds = house.feed_rounds(ROUNDS)

    def is_paid() -> bool:
        # The last test's worker may have been killed with their bells in hand.
        house.time_passes()
        house.leases_run_out()
        house.sweep()
        return waiting(house, rounds) == 0 and revisions(house, rounds) == ROUNDS

    house.wait_for("the rounds are settled and paid", is_paid, look_seconds=0.5)
    return rounds


def revisions(house: House, rounds: list[int]) -> int:
    return int(house.one("SELECT count(*) FROM tables_settlement WHERE round_id = ANY(%s)", rounds))


def waiting(house: House, rounds: list[int]) -> int:
    return int(
        house.one(
            "SELECT count(*) FROM tables_walletdelivery d JOIN tables_wallettransaction t"
            " ON t.id = d.transaction_id JOIN tables_settlement s ON s.id = t.settlement_id"
            " WHERE s.round_id = ANY(%s) AND d.status <> 'delivered'",
            rounds,
        )
    )


def stop_while_ruling(house: House, people: tuple[User, User], point: str) -> tuple[list[int], int, int]:
    """Void settled rounds in one ruling that stops at the point; return them, the ruling, and who stopped."""
    rounds = settled_rounds(house)
    house.stop_at(point, from_round=rounds[0])
    asker, decider = people
    played = list(
        Round.objects.filter(pk__in=rounds).select_related("table__rulebook", "shoe").order_by("pk")
    )
    now = timezone.now()
    ruling = approve(decider, ask(asker, RulingKind.VOID_RANGE, played, at=now), at=now)
    pid = house.stopped_at(point)
    assert house.worker is not None and os.getpgid(pid) == house.worker.pid
    done = revisions(house, rounds) - ROUNDS
    assert done >= 1 if point in (RULING_AFTER_COMMIT, BEFORE_ANSWER_KEPT) else done < ROUNDS
    return rounds, ruling.pk, pid


def finish(house: House, rounds: list[int], ruling: int) -> None:
    """Let the time pass that a clock would need, and ring as it does, until the ruling is done and paid."""

    def is_done() -> bool:
        status = house.one("SELECT status FROM audit_ruling WHERE id = %s", ruling)
        left = house.one("SELECT count(*) FROM tables_outbox")
        if status == "applied" and left == 0 and waiting(house, rounds) == 0:
            return True
        house.time_passes()
        house.leases_run_out()
        house.sweep()
        return False

    house.wait_for("the ruling is carried out and paid", is_done, look_seconds=0.5)


def assert_exact(house: House, rounds: list[int], ruling: int) -> None:
    for round_id in rounds:
        found = house.query(
            "SELECT r.status, s.revision, s.stakes_minor::bigint, s.returned_minor::bigint,"
            " s.moved_minor::bigint, s.authority = x.uuid FROM tables_round r"
            " JOIN tables_settlement s ON s.round_id = r.id JOIN audit_ruling x ON x.id = %s"
            " WHERE r.id = %s AND s.revision > 1",
            ruling,
            round_id,
        )
        assert found == [("voided", 2, 17_701, 17_701, -2_190, True)]
        lines = house.query(
            "SELECT right(b.platform_bet_id, 2), l.result, l.returned_minor, ("
            " SELECT sum(leg.moved_minor)::bigint FROM tables_settlementline leg WHERE leg.bet_id = b.id)"
            " FROM tables_settlementline l JOIN tables_bet b ON b.id = l.bet_id"
            " JOIN tables_settlement s ON s.id = l.settlement_id WHERE b.round_id = %s AND s.revision = 2",
            round_id,
        )
        assert {bet: (result, returned) for bet, result, returned, _ in lines} == VOID_LINES
        # The legs of every bet add up to what its newest revision returned.
        assert all(legs == returned for _, _, returned, legs in lines) and len(lines) == len(VOID_LINES)
    owed = house.query(
        "SELECT s.round_id, i.reference, t.amount_minor::bigint, t.kind, t.key"
        " FROM tables_wallettransaction t"
        " JOIN tables_settlement s ON s.id = t.settlement_id"
        " JOIN tables_playeridentity i ON i.player_id = t.player_id"
        " WHERE s.round_id = ANY(%s) AND s.revision = 2",
        rounds,
    )
    expected = [(round_id, *moved, "cancel") for round_id in rounds for moved in MOVED.items()]
    assert sorted(row[:4] for row in owed) == sorted(expected)
    keys = {row[4] for row in owed}
    booked = [(row["key"], row["amount_minor"]) for row in house.wallet.booked() if row["key"] in keys]
    assert sorted(booked) == sorted((key, amount) for _, _, amount, _, key in owed)
    once = "SELECT count(*) FROM {} WHERE ruling_id = %s"
    assert house.one(once.format("audit_notice"), ruling) == len(MOVED) * ROUNDS
    assert house.one(once.format("audit_tabledecision"), ruling) == ROUNDS
    steps = house.query(
        "SELECT action, count(*) FROM tables_journalentry WHERE subject_type = 'ruling' AND subject_id = %s"
        " GROUP BY action ORDER BY action",
        ruling,
    )
    assert steps == [("ruling.applied", 1), ("ruling.approved", 1), ("ruling.requested", 1)]


# --- the kills --------------------------------------------------------------------------------------


def kill_pool_child(house: House, people: tuple[User, User], point: str) -> None:
    rounds, ruling, pid = stop_while_ruling(house, people, point)
    os.kill(pid, signal.SIGKILL)
    house.forget_stops()
    finish(house, rounds, ruling)
    assert_exact(house, rounds, ruling)


def kill_worker(house: House, people: tuple[User, User], point: str) -> None:
    rounds, ruling, _ = stop_while_ruling(house, people, point)
    house.kill_worker()
    house.start_worker()
    finish(house, rounds, ruling)
    assert_exact(house, rounds, ruling)


def kill_postgres(house: House, people: tuple[User, User], point: str) -> None:
    rounds, ruling, _ = stop_while_ruling(house, people, point)
    house.kill_postgres()
    house.let_go(point)
    finish(house, rounds, ruling)
    assert_exact(house, rounds, ruling)


VICTIMS: dict[str, Callable[[House, tuple[User, User], str], None]] = {
    "pool child": kill_pool_child,
    "worker": kill_worker,
    "PostgreSQL": kill_postgres,
}


@pytest.mark.parametrize("point", RULING_POINTS)
def test_after_kill_9_of_the_worker_a_ruling_has_its_exact_effects(
    house: House, people: tuple[User, User], point: str
) -> None:
    kill_worker(house, people, point)


@pytest.mark.stress
@pytest.mark.parametrize("repetition", REPETITIONS)
@pytest.mark.parametrize("point", RULING_POINTS)
@pytest.mark.parametrize("victim", VICTIMS)
def test_fifty_times(
    house: House, people: tuple[User, User], victim: str, point: str, repetition: int
) -> None:
    VICTIMS[victim](house, people, point)
