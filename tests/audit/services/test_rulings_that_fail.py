"""A round that cannot be carried out: the others are, it is tried again, and then a person is asked."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError

from audit.models import Ruling, RulingKind, RulingStatus
from audit.queries.queue import queue_of
from audit.queries.ruling_page import failing_of, progress_of
from audit.services import applying
from audit.services.applying import apply_next_round, carry_on, claim_ruling, resume_ruling, stop_ruling
from tables.models import Outbox, Round, Settlement
from tables.services.actors import Actor
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, make_user
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

SAID = "no space left on the device"


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


@pytest.fixture
def rounds(platform: Platform) -> list[Round]:
    return [platform.play("9H 2D KC QS", (f"b{n}", "P-1", "player", 100)) for n in range(3)]


@pytest.fixture
def ruling(rounds: list[Round], decider: User) -> Ruling:
    ruling = approve(decider, ask(make_user("asker", *SUPERVISES), RulingKind.VOID_RANGE, rounds))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    return ruling


@pytest.fixture
def broken(rounds: list[Round], monkeypatch: pytest.MonkeyPatch) -> Iterator[set[int]]:
    """Provide the rounds that fail when they are settled again: the first, until it is taken out."""
    failing = {rounds[0].pk}
    write = applying.write_next_revision

    def write_or_fail(round_: Round, *what: Any, **how: Any) -> Settlement:
        if round_.pk in failing:
            raise DatabaseError(f"{SAID}\nDETAIL: for nobody's eyes")
        return write(round_, *what, **how)

    monkeypatch.setattr(applying, "write_next_revision", write_or_fail)
    yield failing


def ring(ruling: Ruling, times: int = 1) -> Ruling:
    for _ in range(times):
        carry_on(ruling_id=ruling.pk, clock=lambda: NOON)
    return Ruling.objects.get(pk=ruling.pk)


@pytest.mark.usefixtures("broken")
def test_the_others_are_done_and_the_failure_is_to_be_seen(
    ruling: Ruling, rounds: list[Round], decider: User
) -> None:
    assert ring(ruling).status == RulingStatus.APPLYING
    assert progress_of(ruling).rounds_done == 2
    (row,) = failing_of(ruling)
    assert (row.round_id, row.failures, row.last_error) == (rounds[0].pk, 1, SAID)
    assert Outbox.objects.filter(bell="ruling", subject_id=ruling.pk).exists()  # the sweeper rings again
    (listed,) = queue_of(decider, NOON).under_way
    assert (listed.pk, listed.failures) == (ruling.pk, 1)  # type: ignore[attr-defined]


def test_what_heals_by_itself_is_done_at_the_next_ring(ruling: Ruling, broken: set[int]) -> None:
    ring(ruling)
    broken.clear()
    assert ring(ruling).status == RulingStatus.APPLIED
    assert (failing_of(ruling), progress_of(ruling).rounds_done) == ([], 3)


def test_after_five_tries_it_stops_and_whoever_resumes_it_tries_again(
    ruling: Ruling, rounds: list[Round], broken: set[int], decider: User
) -> None:
    stopped = ring(ruling, times=5)
    assert (stopped.status, stopped.wants_stop) == (RulingStatus.STOPPED, True)
    assert stopped.outcome_note == f"{rounds[0].public_id} failed 5 times: {SAID}"
    assert not Outbox.objects.filter(bell="ruling").exists()
    assert claim_ruling(ruling_id=ruling.pk, now=NOON) is False  # nobody goes on by himself
    broken.clear()
    resume_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON)
    assert failing_of(ruling) == []
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    assert ring(ruling).status == RulingStatus.APPLIED
    assert Settlement.objects.filter(authority=ruling.uuid).count() == 3


def test_what_is_left_is_reckoned_at_the_pace_since_the_pause(ruling: Ruling, decider: User) -> None:
    actor, later = Actor.of_user(decider), NOON + timedelta(hours=1)
    apply_next_round(ruling_id=ruling.pk, now=NOON + timedelta(seconds=10))
    assert progress_of(ruling).seconds_left(10) == 20  # one in ten seconds, two to go
    stop_ruling(ruling_id=ruling.pk, actor=actor, at=NOON)
    ring(ruling)
    resume_ruling(ruling_id=ruling.pk, actor=actor, at=later)
    assert claim_ruling(ruling_id=ruling.pk, now=later)
    again = Ruling.objects.get(pk=ruling.pk)
    assert (again.started_at, again.going_since) == (NOON, later)
    assert progress_of(again).seconds_left(4) is None  # nothing was done since
    apply_next_round(ruling_id=ruling.pk, now=later + timedelta(seconds=4))
    assert progress_of(again).seconds_left(4) == 4  # one in four seconds, one to go
