"""One ruling on many rounds, carried out by several workers: shared, stopped, resumed and counted."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.models import Notice, Ruling, RulingKind, RulingStatus
from audit.queries.ruling_page import Progress, progress_of
from audit.services import applying
from audit.services.applying import (
    apply_next_round,
    claim_ruling,
    finish_ruling,
    resume_ruling,
    stop_ruling,
)
from audit.tasks import apply_rulings, help_ruling
from tables.models import JournalEntry, Round, Settlement
from tables.services.actors import Actor
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, make_user
from tests.tables.playing import NOON, Platform, lines_of, make_table
from tests.tables.services.together import PATIENCE_SECONDS, together

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS, WORKERS = 24, 4


@pytest.fixture
def platform(db: None) -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


@pytest.fixture
def rounds(platform: Platform) -> list[Round]:
    """Play rounds in each of which 100 wins 100 and 150 is lost."""
    return [
        platform.play(
            " ".join(rank + "SHDC"[n % 4] for rank in ("9", "2", "K", "Q")),  # a shoe has eight of each
            (f"a{n}", "P-1", "player", 100),
            (f"b{n}", "P-2", "banker", 150),
        )
        for n in range(ROUNDS)
    ]


@pytest.fixture
def ruling(platform: Platform, rounds: list[Round], decider: User) -> Ruling:
    return approve(decider, ask(make_user("asker", *SUPERVISES), RulingKind.VOID_RANGE, rounds))


def counted(progress: Progress) -> tuple[int, int, int, int, int]:
    return (
        progress.rounds_done, progress.rounds, progress.bets_done, progress.bets, progress.moved_minor
    )  # fmt: skip


def assert_all_void(ruling: Ruling, rounds: list[Round]) -> None:
    ruling.refresh_from_db()
    assert ruling.status == RulingStatus.APPLIED
    for number, round_ in enumerate(rounds):
        assert lines_of(round_) == {f"a{number}": ("void", 100), f"b{number}": ("void", 150)}
    assert Settlement.objects.filter(authority=ruling.uuid).count() == ROUNDS
    assert Notice.objects.filter(ruling=ruling).count() == 2 * ROUNDS
    # In each round 100 was taken back and 150 given.
    assert counted(progress_of(ruling)) == (ROUNDS, ROUNDS, 2 * ROUNDS, 2 * ROUNDS, 250 * ROUNDS)
    assert JournalEntry.objects.filter(action="ruling.applied").count() == 1


def test_shared_stopped_and_resumed(ruling: Ruling, rounds: list[Round], decider: User) -> None:
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    assert together(*[partial(apply_next_round, ruling_id=ruling.pk, now=NOON)] * 8) == [True] * 8
    assert counted(progress_of(ruling)) == (8, ROUNDS, 16, 2 * ROUNDS, 2_000)
    assert progress_of(ruling).percent == 33
    assert progress_of(ruling).seconds_left(4.0) == 8  # 8 in four seconds, 16 to go
    stop_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON)
    together(*[partial(help_ruling, ruling.pk)] * WORKERS)
    ruling.refresh_from_db()
    assert (ruling.status, ruling.outcome_note) == ("stopped", "stopped between rounds")
    assert counted(progress_of(ruling)) == (8, ROUNDS, 16, 2 * ROUNDS, 2_000)

    resume_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON)
    # The bell may ring for several workers at once.
    together(*[partial(apply_rulings, [ruling.pk])] * WORKERS)
    assert_all_void(ruling, rounds)


def test_who_finishes_while_another_commits_the_last_round_does_not_take_it_for_given_up(
    ruling: Ruling, rounds: list[Round]
) -> None:
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    for _ in range(ROUNDS - 1):
        assert apply_next_round(ruling_id=ruling.pk, now=NOON)
    last = partial(apply_next_round, ruling_id=ruling.pk, now=NOON)
    committed: list[bool] = []

    def commit_the_last_after_the_first_look(execute: Any, sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if 'FROM "audit_rulinground"' in sql and not committed:
            committed.extend(together(last))
        return answer

    with connection.execute_wrapper(commit_the_last_after_the_first_look):
        assert not finish_ruling(ruling_id=ruling.pk, now=NOON)
    assert committed == [True]
    ruling.refresh_from_db()
    assert ruling.status == RulingStatus.APPLYING
    assert finish_ruling(ruling_id=ruling.pk, now=NOON)
    assert_all_void(ruling, rounds)


def test_a_stop_among_four_workers_leaves_whole_rounds_only(
    ruling: Ruling, rounds: list[Round], decider: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = applying.write_next_revision

    def write_and_stop_at_the_tenth(round_: Round, *what: Any, **how: Any) -> Settlement:
        written.append(round_.pk)
        if len(written) == 10:
            stop = partial(stop_ruling, ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON)
            thread = threading.Thread(target=lambda: together(stop))
            thread.start()
            thread.join(PATIENCE_SECONDS)
        return write(round_, *what, **how)

    monkeypatch.setattr(applying, "write_next_revision", write_and_stop_at_the_tenth)
    together(*[partial(apply_rulings, [ruling.pk])] * WORKERS)
    monkeypatch.undo()
    ruling.refresh_from_db()
    done = progress_of(ruling).rounds_done
    # Whoever was at a round finished it, and nobody began another.
    assert (ruling.status, 10 <= done <= 10 + WORKERS) == ("stopped", True)
    assert Settlement.objects.filter(authority=ruling.uuid).count() == done
    assert {round_.status for round_ in Round.objects.all()} == {"voided", "settled"}
    resume_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON + timedelta(minutes=1))
    apply_rulings([ruling.pk])
    assert_all_void(ruling, rounds)


def test_four_workers_are_at_four_rounds_at_the_same_time(
    ruling: Ruling, rounds: list[Round], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing makes them wait for each other: all four meet before one of them commits."""
    meeting = threading.Barrier(WORKERS, timeout=PATIENCE_SECONDS)
    write = applying.write_next_revision

    def write_and_meet(*what: Any, **how: Any) -> Settlement:
        settlement = write(*what, **how)
        meeting.wait()
        return settlement

    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    monkeypatch.setattr(applying, "write_next_revision", write_and_meet)
    step = partial(apply_next_round, ruling_id=ruling.pk, now=NOON)
    for _ in range(ROUNDS // WORKERS):
        assert together(*[step] * WORKERS) == [True] * WORKERS
    help_ruling(ruling.pk)
    assert_all_void(ruling, rounds)
