"""A way back: who asked withdraws the request while nobody has decided it, and nobody else does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from audit import locks as ruling_locks
from audit.models import Incident, PersonAccount, Ruling, RulingKind, RulingRound
from audit.services.applying import claim_ruling, finish_ruling, stop_ruling
from audit.services.incidents import report_incident
from audit.services.rulings import CannotDecide, expire_rulings, refuse_ruling, withdraw_ruling
from tables.models import Hold, JournalEntry
from tables.services.actors import Actor, NotAllowed
from tests.audit.deciding import SUPERVISES, approve, ask, carry_out, make_user
from tests.audit.services.test_ruling_races import meet, refusals
from tests.tables.playing import NOON, Platform, lines_of, make_table
from tests.tables.services.together import together

LATER = NOON + timedelta(minutes=5)
pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(db: None) -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def ruling(platform: Platform, asker: User) -> Ruling:
    """Ask to void a round that has one bet and is still open."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    return ask(asker, RulingKind.VOID_ROUND, [platform.round(name)])


def withdraw(user: User, ruling: Ruling, reason: str = "the wrong round", at: Any = LATER) -> Ruling:
    who = {"user": user, "actor": Actor.of_user(user), "at": at}
    return withdraw_ruling(ruling_id=ruling.pk, reason=reason, **who)


def test_who_asked_withdraws_it_and_the_round_is_free(ruling: Ruling, asker: User, decider: User) -> None:
    round_ = RulingRound.objects.get().round
    done = withdraw(asker, ruling)
    assert (done.status, done.decided_by, done.decision_reason) == ("withdrawn", asker, "the wrong round")
    assert (done.decided_at, done.finished_at) == (LATER, LATER)
    assert RulingRound.objects.get().is_open is False
    entry = JournalEntry.objects.get(action="ruling.withdrawn")
    assert (entry.actor_id, entry.subject_label) == (str(asker.pk), ruling.number)
    with pytest.raises(CannotDecide, match="withdrawn already; nothing was done") as late:
        approve(decider, ruling, at=LATER)
    assert late.value.rule == "ruling/withdrawn"
    # It may be asked for anew, and is decided as if nothing had been.
    again = ask(asker, RulingKind.VOID_ROUND, [round_], at=LATER)
    assert carry_out(approve(decider, again, at=LATER), at=LATER).status == "applied"
    assert lines_of(round_) == {"b1": ("void", 100)}


def test_its_incident_waits_on_and_goes_on_holding(platform: Platform, asker: User) -> None:
    round_ = platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100))
    who = {"user": asker, "actor": Actor.of_user(asker), "at": NOON}
    incident = report_incident(table=round_.table, code="card_dropped_unseen", facts={}, round_=round_, **who)
    asked = ask(asker, RulingKind.VOID_ROUND, [round_], incident=incident)
    withdraw(asker, asked)
    assert Incident.objects.get().status == "open"
    assert Hold.objects.filter(round=round_, lifted_at=None).count() == 1


def _approved(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    approve(decider, ruling)


def _applying(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    claim_ruling(ruling_id=approve(decider, ruling).pk, now=NOON)


def _stopped(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    claim_ruling(ruling_id=approve(decider, ruling).pk, now=NOON)
    stop_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=NOON)
    finish_ruling(ruling_id=ruling.pk, now=NOON)


def _applied(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    carry_out(approve(decider, ruling))


def _refused(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    who = {"user": decider, "actor": Actor.of_user(decider), "at": NOON}
    refuse_ruling(ruling_id=ruling.pk, reason="no", **who)


def _expired(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    expire_rulings(now=ruling.expires_at + timedelta(microseconds=1))


def _stale(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    platform.bet(RulingRound.objects.get().round.platform_id, ("b2", "P-2", "player", 100))
    with pytest.raises(CannotDecide, match="a round changed"):
        approve(decider, ruling)


def _withdrawn(ruling: Ruling, asker: User, decider: User, platform: Platform) -> None:
    withdraw(asker, ruling)


@pytest.mark.parametrize(
    "becomes", [_approved, _applying, _stopped, _applied, _refused, _expired, _stale, _withdrawn]
)
def test_what_is_not_waiting_any_more_is_not_withdrawn(
    becomes: Callable[..., None], ruling: Ruling, asker: User, decider: User, platform: Platform
) -> None:
    becomes(ruling, asker, decider, platform)
    before = Ruling.objects.values().get()
    assert before["status"] == becomes.__name__.removeprefix("_")
    entries = JournalEntry.objects.count()
    with pytest.raises(CannotDecide, match=f"is {before['status']} already; nothing was done"):
        withdraw(asker, ruling)
    assert (Ruling.objects.values().get(), JournalEntry.objects.count()) == (before, entries)


def test_past_its_time_it_has_expired(ruling: Ruling, asker: User) -> None:
    with pytest.raises(CannotDecide, match="had expired already"):
        withdraw(asker, ruling, at=ruling.expires_at + timedelta(microseconds=1))
    assert Ruling.objects.get().status == "expired"


def test_nobody_else_withdraws_it_nor_without_a_reason(ruling: Ruling, asker: User, decider: User) -> None:
    # Another account of the same person is another account.
    other = make_user("other", *SUPERVISES, person=PersonAccount.objects.get(user=asker).person)
    for user in (decider, other):
        with pytest.raises(CannotDecide, match="only who asked") as refused:
            withdraw(user, ruling)
        assert refused.value.rule == "ruling/other"
    with pytest.raises(CannotDecide, match="say why"):
        withdraw(asker, ruling, reason=" ")
    asker.user_permissions.clear()
    with pytest.raises(NotAllowed):
        withdraw(User.objects.get(pk=asker.pk), ruling)
    assert Ruling.objects.get().status == "requested"
    assert not JournalEntry.objects.filter(action="ruling.withdrawn").exists()


SET = "UPDATE audit_ruling SET status = 'withdrawn'"
BYPASSES = {
    "by nobody": (SET, "only who asked withdraws"),
    "by another": (
        f"{SET}, decided_at = now(), decision_reason = 'x', (decided_by_id, decided_by_person_id) ="
        " (SELECT user_id, person_id FROM audit_personaccount ORDER BY user_id DESC LIMIT 1)",
        "only who asked withdraws",
    ),
    "without a reason": (
        f"{SET}, decided_at = now(), decided_by_id = requested_by_id,"
        " decided_by_person_id = requested_by_person_id",
        "withdrawn with a reason",
    ),
}


@pytest.mark.parametrize("way", BYPASSES)
def test_the_database_refuses_it_otherwise(way: str, ruling: Ruling, decider: User) -> None:
    statement, said = BYPASSES[way]
    with pytest.raises(DatabaseError, match=said), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("status", ["requested", "approved", "refused"])
def test_what_was_withdrawn_stays_so(status: str, ruling: Ruling, asker: User) -> None:
    withdraw(asker, ruling)
    with (
        pytest.raises(DatabaseError, match="withdrawn"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE audit_ruling SET status = %s", [status])
    assert Ruling.objects.get().status == "withdrawn"


def at_once(ruling: Ruling, asker: User, decider: User) -> list[Any]:
    """Let one approve and the other withdraw, eight times each."""
    approving = partial(approve, decider, ruling, at=LATER)
    return together(*[approving, partial(withdraw, asker, ruling)] * 8)


@pytest.mark.django_db(transaction=True)
def test_approved_and_withdrawn_at_once_one_of_them_is_so(ruling: Ruling, asker: User, decider: User) -> None:
    answers = at_once(ruling, asker, decider)
    (winner,) = [answer for answer in answers if isinstance(answer, Ruling)]
    ruling.refresh_from_db()
    assert ruling.status == winner.status
    told = {"approved": "ruling/decided", "withdrawn": "ruling/withdrawn"}[winner.status]
    assert refusals(answers) == [told] * 15
    done = JournalEntry.objects.filter(action__in=["ruling.approved", "ruling.withdrawn"])
    assert [entry.action for entry in done] == [f"ruling.{winner.status}"]


@pytest.mark.django_db(transaction=True)
def test_twin_without_the_lock_both_believe_it_and_the_database_refuses(
    ruling: Ruling, asker: User, decider: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet(monkeypatch, ruling_locks, "lock_ruling", 16, lambda key: Ruling.objects.get(pk=key))
    answers = at_once(ruling, asker, decider)
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    # Nobody was told that it was decided: only what the row allows stopped some of them.
    assert refused
    assert not [one for one in refused if "nothing was done" in str(one)]
