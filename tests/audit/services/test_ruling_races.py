"""Many at once on one round: asked, approved, carried out and settled. One wins, the others are told why, and
the legs of every bet add up. What a lock or an index protects has a twin without it, which goes wrong.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.models import QuerySet

from audit import locks as ruling_locks
from audit.models import Incident, IncidentSource, Ruling, RulingKind, RulingRound, RulingStatus
from audit.services import rulings as ruling_services
from audit.services.applying import RoundFailed, apply_next_round, claim_ruling, finish_ruling
from audit.services.asking import BadRuling
from audit.services.incidents import report_once
from audit.services.rulings import CannotDecide
from tables import locks
from tables.models import Hold, JournalEntry, Round, Settlement, SettlementLine, WalletTransaction
from tables.services import settlement as settlement_services
from tables.services.actors import SYSTEM
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, make_user
from tests.tables.playing import NOON, Platform, lines_of, make_table
from tests.tables.services.test_races import constraint_of
from tests.tables.services.together import PATIENCE_SECONDS, together

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 32
BANKER_INSTEAD = {"P1": "2D", "B1": "9H", "P2": "QS", "B2": "KC"}


@pytest.fixture
def platform(db: None) -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def deciders(platform: Platform) -> list[User]:
    return [make_user(f"decider{number}", *MANAGES) for number in range(4)]


def resulted(platform: Platform) -> Round:
    """Deal 9 to 2: 100 on the Player wins, 150 on Banker loses. Nothing is settled yet."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 150))
    platform.deal(name, "9H 2D KC QS")
    return platform.round(name)


def settled(platform: Platform) -> Round:
    round_ = resulted(platform)
    settle_round(round_id=round_.pk, now=NOON)
    return platform.round(round_.platform_id)


def refusals(answers: list[Any]) -> list[str]:
    """Name the rule of every refusal; anything else that was raised fails the test."""
    rules = []
    for answer in answers:
        if isinstance(answer, BaseException):
            assert isinstance(answer, CannotDecide | BadRuling), answer
            rules.append(answer.rule)
    return rules


def assert_sums_hold(round_: Round) -> None:
    """Check that what moved, leg by leg and player by player, is what the newest revision returned."""
    legs: Counter[str] = Counter()
    for bet, moved in SettlementLine.objects.filter(settlement__round=round_).values_list(
        "bet__platform_bet_id", "moved_minor"
    ):
        legs[bet] += moved
    newest = {bet: returned for bet, (_, returned) in lines_of(round_).items()}
    assert {bet: legs[bet] for bet in newest} == newest
    moved = sum(WalletTransaction.objects.values_list("amount_minor", flat=True))
    assert moved == sum(newest.values())
    revisions = (
        Settlement.objects.filter(round=round_).order_by("revision").values_list("revision", flat=True)
    )
    assert list(revisions) == list(range(1, len(revisions) + 1))


def meet(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, parties: int, find: Any) -> None:
    """Put in place of a lock a look that takes none, after which all wait for each other."""
    all_have_read = threading.Barrier(parties, timeout=PATIENCE_SECONDS)
    calls: list[int] = []

    def read_without_lock(key: Any) -> Any:
        found = find(key)
        calls.append(1)
        if len(calls) <= parties:
            all_have_read.wait()
        return found

    monkeypatch.setattr(module, name, read_without_lock)


def meet_before_writing(monkeypatch: pytest.MonkeyPatch, parties: int) -> None:
    """Let none write a revision before all have looked for the newest: a late one would see the first's."""
    all_have_looked = threading.Barrier(parties, timeout=PATIENCE_SECONDS)
    look = settlement_services.parameters

    def look_and_meet(*what: Any) -> Any:
        found = look(*what)
        all_have_looked.wait()
        return found

    monkeypatch.setattr(settlement_services, "parameters", look_and_meet)


# --- approving --------------------------------------------------------------------------------------


def approve_at_once(ruling: Ruling, deciders: list[User]) -> list[Any]:
    """Let every decider press the button eight times, each time a second later."""
    works = [
        partial(approve, deciders[number % 4], ruling, at=NOON + timedelta(seconds=number))
        for number in range(THREADS)
    ]
    return together(*works)


def test_thirty_two_approve_and_one_did(platform: Platform, asker: User, deciders: list[User]) -> None:
    round_ = settled(platform)
    ruling = ask(asker, RulingKind.VOID_ROUND, [round_])
    answers = approve_at_once(ruling, deciders)
    assert refusals(answers) == ["ruling/decided"] * 31
    (winner,) = [answer for answer in answers if isinstance(answer, Ruling)]
    ruling.refresh_from_db()
    assert (ruling.status, ruling.decided_by_id) == ("approved", winner.decided_by_id)
    assert JournalEntry.objects.filter(action="ruling.approved").count() == 1


def test_twin_without_the_lock_all_believe_they_decide_and_the_database_refuses(
    platform: Platform, asker: User, deciders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    ruling = ask(asker, RulingKind.VOID_ROUND, [settled(platform)])
    meet(monkeypatch, ruling_locks, "lock_ruling", THREADS, lambda key: Ruling.objects.get(pk=key))
    answers = approve_at_once(ruling, deciders)
    # Nobody was told that it was decided: only what the row allows stopped them.
    refused = [answer for answer in answers if isinstance(answer, CannotDecide)]
    assert len(refused) == 31
    assert {"who decided" in str(answer) for answer in refused} == {True}
    assert JournalEntry.objects.filter(action="ruling.approved").count() == 1


# --- asking -----------------------------------------------------------------------------------------


def ask_at_once(asker: User, round_: Round) -> list[Any]:
    void = partial(ask, asker, RulingKind.VOID_ROUND, [round_])
    correct = partial(ask, asker, RulingKind.CORRECT, [round_], facts={"cards": BANKER_INSTEAD})
    return together(*[void, correct] * (THREADS // 2))


def test_thirty_two_ask_for_a_void_or_a_correction_and_one_is_open(platform: Platform, asker: User) -> None:
    round_ = settled(platform)
    answers = ask_at_once(asker, round_)
    assert refusals(answers) == ["ruling/one-open"] * 31
    assert RulingRound.objects.filter(round=round_, is_open=True).count() == 1
    assert Ruling.objects.count() == 1


@pytest.fixture
def without_the_index(owner_connection: psycopg.Connection) -> Iterator[None]:
    name = "ruling_one_open_per_round"
    row = owner_connection.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name]).fetchone()
    assert row is not None
    owner_connection.execute(f"DROP INDEX {name}")
    yield
    owner_connection.execute("UPDATE audit_rulinground SET is_open = false")
    owner_connection.execute(row[0])


@pytest.mark.usefixtures("without_the_index")
def test_twin_without_the_index_all_of_them_are_open(platform: Platform, asker: User) -> None:
    round_ = settled(platform)
    ask_at_once(asker, round_)
    assert RulingRound.objects.filter(round=round_, is_open=True).count() == THREADS


# --- carrying out -----------------------------------------------------------------------------------


def test_thirty_two_workers_carry_out_one_round_once(
    platform: Platform, asker: User, deciders: list[User]
) -> None:
    round_ = settled(platform)
    ruling = approve(deciders[0], ask(asker, RulingKind.VOID_ROUND, [round_]))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    answers = together(*[partial(apply_next_round, ruling_id=ruling.pk, now=NOON)] * THREADS)
    assert sorted(answers, key=bool) == [False] * 31 + [True]
    finished = together(*[partial(finish_ruling, ruling_id=ruling.pk, now=NOON)] * THREADS)
    assert set(finished) == {True}
    assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 150)}
    assert_sums_hold(round_)
    ruling.refresh_from_db()
    assert ruling.status == RulingStatus.APPLIED
    assert JournalEntry.objects.filter(action="ruling.applied").count() == 1


def test_twin_without_locks_every_worker_books_and_the_database_refuses(
    platform: Platform, asker: User, deciders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = settled(platform)
    ruling = approve(deciders[0], ask(asker, RulingKind.VOID_ROUND, [round_]))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, **_how: self)
    meet_before_writing(monkeypatch, THREADS)
    answers = together(*[partial(apply_next_round, ruling_id=ruling.pk, now=NOON)] * THREADS)
    refused = [answer.__cause__ for answer in answers if isinstance(answer, RoundFailed)]
    assert len(refused) == 31
    assert {constraint_of(problem) for problem in refused} == {"settlement_revision_once"}
    assert_sums_hold(round_)


def test_settling_and_voiding_at_once_one_of_them_is_first(
    platform: Platform, asker: User, deciders: list[User]
) -> None:
    round_ = resulted(platform)
    ruling = approve(deciders[0], ask(asker, RulingKind.VOID_ROUND, [round_]))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    settle = partial(settle_round, round_id=round_.pk, now=NOON)
    void = partial(apply_next_round, ruling_id=ruling.pk, now=NOON)
    answers = together(*[settle, void] * (THREADS // 2))
    assert refusals(answers) == []
    ruling.refresh_from_db()
    round_.refresh_from_db()
    settlement = Settlement.objects.get(round=round_)
    if answers.count(True):  # the void was first, and there was nothing left to settle
        assert (round_.status, settlement.authority) == ("voided", ruling.uuid)
        assert [answer for answer in answers if isinstance(answer, Settlement)] == []
        assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 150)}
    else:  # the settlement was first, and the void is not any more what was approved
        assert (round_.status, settlement.authority) == ("settled", None)
        assert len([answer for answer in answers if isinstance(answer, Settlement)]) == 1
        assert (ruling.status, lines_of(round_)) == ("stale", {"b1": ("won", 200), "b2": ("lost", 0)})
    assert_sums_hold(round_)


def test_twin_without_the_lock_settling_and_voiding_both_write_the_first_revision(
    platform: Platform, asker: User, deciders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = resulted(platform)
    ruling = approve(deciders[0], ask(asker, RulingKind.VOID_ROUND, [round_]))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    monkeypatch.setattr(locks, "lock_round", lambda key, *_read_with: Round.objects.get(pk=key))
    meet_before_writing(monkeypatch, 2)
    answers = together(
        partial(settle_round, round_id=round_.pk, now=NOON),
        partial(apply_next_round, ruling_id=ruling.pk, now=NOON),
    )
    causes = [answer.__cause__ if isinstance(answer, RoundFailed) else answer for answer in answers]
    (refused,) = [cause for cause in causes if isinstance(cause, IntegrityError)]
    assert constraint_of(refused) == "settlement_revision_once"
    assert_sums_hold(round_)


def test_void_correct_approve_and_settle_at_once(
    platform: Platform, asker: User, deciders: list[User]
) -> None:
    """Each of them eight times: whoever is first, one ruling at most is open, and the money adds up."""
    round_ = resulted(platform)
    asked = ask(asker, RulingKind.VOID_ROUND, [round_])
    works = [
        partial(ask, asker, RulingKind.VOID_ROUND, [round_]),
        partial(ask, asker, RulingKind.CORRECT, [round_], facts={"cards": BANKER_INSTEAD}),
        partial(approve, deciders[0], asked),
        partial(settle_round, round_id=round_.pk, now=NOON),
    ]
    answers = together(*works * (THREADS // 4))
    assert set(refusals(answers)) <= {"ruling/one-open", "ruling/decided", "ruling/stale"}
    approvals = [answers[place] for place in range(2, THREADS, 4)]
    assert len([answer for answer in approvals if isinstance(answer, Ruling)]) <= 1
    open_rows = RulingRound.objects.filter(round=round_, is_open=True)
    assert open_rows.count() <= 1
    for row in open_rows.filter(ruling__status="approved"):
        if claim_ruling(ruling_id=row.ruling_id, now=NOON):
            while apply_next_round(ruling_id=row.ruling_id, now=NOON):
                pass
            finish_ruling(ruling_id=row.ruling_id, now=NOON)
    settle_round(round_id=round_.pk, now=NOON)
    assert_sums_hold(round_)


# --- sums of a person and day -----------------------------------------------------------------------


def two_small_ones(platform: Platform, decider: User) -> list[Ruling]:
    """Ask for two voids of 30,000.00: each below the 50,000.00 that take a second person, together above."""
    rounds = [
        platform.play("9H 2D KC QS", (f"b{number}", f"P-{number}", "player", 3_000_000)) for number in (1, 2)
    ]
    return [ask(decider, RulingKind.VOID_ROUND, [round_]) for round_ in rounds]


def test_two_small_sums_of_one_person_at_once_count_together(
    platform: Platform, deciders: list[User]
) -> None:
    decider = deciders[0]
    answers = together(*[partial(approve, decider, one) for one in two_small_ones(platform, decider)])
    assert refusals(answers) == ["ruling/four-eyes"]
    assert Ruling.objects.filter(status="approved").count() == 1


@pytest.fixture
def without_the_persons_lock(owner_connection: psycopg.Connection) -> Iterator[None]:
    name = "bluecard_check_ruling()"
    row = owner_connection.execute("SELECT pg_get_functiondef(%s::regprocedure)", [name]).fetchone()
    assert row is not None
    lock = "PERFORM pg_advisory_xact_lock"
    assert lock in row[0]
    owner_connection.execute(row[0].replace(lock, "PERFORM concat"))
    yield
    owner_connection.execute(row[0])


@pytest.mark.usefixtures("without_the_persons_lock")
def test_twin_without_the_persons_lock_both_stay_below_the_sum(
    platform: Platform, deciders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    decider = deciders[0]
    small = two_small_ones(platform, decider)
    both_have_approved = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    promise = ruling_services.outbox.promise

    def promise_and_meet(*what: Any, **how: Any) -> None:
        promise(*what, **how)
        both_have_approved.wait()

    monkeypatch.setattr(ruling_services.outbox, "promise", promise_and_meet)
    answers = together(*[partial(approve, decider, one) for one in small])
    assert refusals(answers) == []
    assert Ruling.objects.filter(status="approved").count() == 2


# --- reporting --------------------------------------------------------------------------------------


def test_thirty_two_send_the_same_report_and_one_incident_is_made(platform: Platform) -> None:
    round_ = settled(platform)
    send = partial(
        report_once,
        report_id="pit-17",
        table=platform.table,
        code="misdeal",
        facts={},
        actor=SYSTEM,
        at=NOON,
        round_=round_,
        source=IncidentSource.API,
    )
    answers = together(*[send] * THREADS)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert Counter(is_new for _, is_new in answers) == {True: 1, False: 31}  # type: ignore[misc]
    assert (Incident.objects.count(), Hold.objects.count()) == (1, 1)
