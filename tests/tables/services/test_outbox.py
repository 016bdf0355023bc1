"""A promise is a row; the bell for it names its subjects, and rings again until the promise is fulfilled."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tables import tasks
from tables.models import Bell, Hold, Outbox
from tables.services import outbox
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

Rung = list[tuple[str, list[Any]]]


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Rung:
    """Listen instead of the broker: what is rung, and for whom."""
    heard: Rung = []

    class Ears:
        @staticmethod
        def send_task(name: str, args: list[Any], **how: Any) -> None:
            # Only what names nobody may lapse: it is rung every few seconds.
            assert how == ({} if args else {"expires": 60}), name
            heard.append((name, args))

    monkeypatch.setattr(outbox, "current_app", Ears)
    return heard


def two_resulted(callbacks: Any) -> list[int]:
    """Play two rounds up to their results in one batch."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    lines = []
    for number in (1, 2):
        lines += [
            platform.event("betting_opened", round=f"R-{number}", number=number),
            platform.event("betting_closed", round=f"R-{number}"),
        ]
        for place, card in zip(("P1", "B1", "P2", "B2"), ("9H", "2D", "KC", "QS"), strict=True):
            lines.append(platform.event("card", round=f"R-{number}", place=place, card=card))
        result = {"outcome": "player", "player_total": 9, "banker_total": 2}
        lines.append(platform.event("round_result", round=f"R-{number}", **result))
    with callbacks(execute=True):
        platform.send(*lines)
    return [platform.round(f"R-{number}").pk for number in (1, 2)]


def test_a_batch_of_the_feed_rings_once_for_all_its_rounds(
    rung: Rung, django_capture_on_commit_callbacks: Any
) -> None:
    rounds = two_resulted(django_capture_on_commit_callbacks)
    assert rung == [("tables.settle_rounds", [rounds])]
    assert sorted(Outbox.objects.values_list("subject_id", flat=True)) == rounds


def test_a_promise_rings_again_after_thirty_seconds_and_not_before(rung: Rung) -> None:
    outbox.promise(Bell.SETTLE, [7, 8], at=NOON)
    assert outbox.ring_again(now=NOON + timedelta(seconds=30)) == 0
    assert outbox.ring_again(now=NOON + timedelta(seconds=30, microseconds=1)) == 2
    assert [(name, sorted(subjects)) for name, [subjects] in rung] == [("tables.settle_rounds", [7, 8])]
    # The thirty seconds begin anew.
    assert outbox.ring_again(now=NOON + timedelta(seconds=60)) == 0


def test_what_is_promised_already_is_promised_once(rung: Rung) -> None:
    outbox.promise(Bell.SETTLE, [7], at=NOON)
    outbox.promise(Bell.SETTLE, [7, 8], at=NOON + timedelta(hours=1))
    assert sorted(Outbox.objects.values_list("subject_id", "created_at")) == [
        (7, NOON),
        (8, NOON + timedelta(hours=1)),
    ]


# --- the clock's task -------------------------------------------------------------------------------


@pytest.fixture
def rounds(rung: Rung, django_capture_on_commit_callbacks: Any) -> list[int]:
    rounds = two_resulted(django_capture_on_commit_callbacks)
    rung.clear()
    return rounds


@pytest.fixture
def sweep_after(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> Callable[[timedelta], None]:
    """Return a function that sweeps as long after the rounds."""

    def sweep(passed: timedelta) -> None:
        monkeypatch.setattr(tasks, "timezone", SimpleNamespace(now=lambda: NOON + passed))
        with django_capture_on_commit_callbacks(execute=True):
            tasks.sweep()

    return sweep


def test_a_sweep_promises_anew_what_nobody_promised(
    rung: Rung, rounds: list[int], sweep_after: Callable[[timedelta], None]
) -> None:
    first, second = rounds
    outbox.fulfil(Bell.SETTLE, second)
    sweep_after(timedelta(minutes=1))
    assert sorted(Outbox.objects.values_list("subject_id", flat=True)) == rounds
    assert sorted(rung) == [
        ("tables.deliver_wallet", []),
        ("tables.settle_rounds", [[first]]),
        ("tables.settle_rounds", [[second]]),
    ]
    rung.clear()
    # Both were rung just now: the next sweep, five seconds later, has nothing to say of them.
    sweep_after(timedelta(minutes=1, seconds=5))
    assert rung == [("tables.deliver_wallet", [])]


def test_a_sweep_leaves_a_held_round_alone(
    rung: Rung, rounds: list[int], sweep_after: Callable[[timedelta], None]
) -> None:
    held, other = rounds
    for round_id in rounds:
        outbox.fulfil(Bell.SETTLE, round_id)
    Hold.objects.create(round_id=held, reason="incident", placed_at=NOON)
    sweep_after(timedelta(minutes=1))
    assert sorted(rung) == [("tables.deliver_wallet", []), ("tables.settle_rounds", [[other]])]


@pytest.mark.django_db(transaction=True)
def test_rounds_settled_in_a_row_ring_for_the_wallet_once(rung: Rung) -> None:
    rounds = two_resulted(lambda execute: nullcontext())
    rung.clear()
    tasks.settle_rounds(rounds)
    assert not Outbox.objects.exists()
    assert rung == [("tables.deliver_wallet", [])]


def test_a_bell_held_back_is_rung_though_the_work_fails(rung: Rung) -> None:
    with pytest.raises(ZeroDivisionError), outbox.ring_once():
        outbox.ring("tables.deliver_wallet")
        outbox.ring("tables.settle_rounds", [1])  # whoever names a subject does not wait
        assert rung == [("tables.settle_rounds", [[1]])]
        raise ZeroDivisionError
    assert rung == [("tables.settle_rounds", [[1]]), ("tables.deliver_wallet", [])]


@pytest.mark.parametrize(
    ("promised", "runs", "heard"), [(True, 1, [("tables.deliver_wallet", [])]), (False, 3, [])]
)
def test_a_backlog_of_messages_makes_way_for_rounds_to_settle(
    promised: bool, runs: int, heard: Rung, rung: Rung, monkeypatch: pytest.MonkeyPatch
) -> None:
    if promised:
        Outbox.objects.create(bell=Bell.SETTLE.value, subject_id=1, created_at=NOON, rung_at=NOON)
    more = [True, True, False]
    monkeypatch.setattr(tasks, "deliver_due", lambda now: SimpleNamespace(is_more_due=more.pop(0)))
    tasks.deliver_wallet()
    assert (3 - len(more), rung) == (runs, heard)


def test_a_backlog_of_messages_is_sent_turn_by_turn(monkeypatch: pytest.MonkeyPatch, rung: Rung) -> None:
    """A worker that is told to stop ends what it began: that must not be the whole backlog."""
    sent: list[Any] = []
    clock = iter([100.0, 101.0, 101.9, 102.0])

    def deliver(now: Any) -> SimpleNamespace:
        sent.append(now)
        return SimpleNamespace(is_more_due=True)

    monkeypatch.setattr(tasks, "monotonic", lambda: next(clock))
    monkeypatch.setattr(tasks, "deliver_due", deliver)
    tasks.deliver_wallet()
    assert (len(sent), rung) == (3, [("tables.deliver_wallet", [])])


def test_many_rounds_are_settled_turn_by_turn(monkeypatch: pytest.MonkeyPatch, rung: Rung) -> None:
    settled: list[int] = []
    clock = iter([100.0, 101.0, 102.0])
    monkeypatch.setattr(tasks, "monotonic", lambda: next(clock))
    monkeypatch.setattr(tasks, "_settle", settled.append)
    tasks.settle_rounds([1, 2, 3, 4])
    assert (settled, rung) == ([1, 2], [("tables.settle_rounds", [[3, 4]])])
