"""A request for a second person's consent, or for a change of the set-up, taken back by who made it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from audit.models import ChangeKind, Complaint, Consent, SetupChange
from audit.services.consents import (
    ask_to_admit,
    expire_consents,
    give_consent,
    refuse_consent,
    withdraw_consent,
)
from audit.services.rulings import CannotDecide
from audit.services.setup_changes import approve_change, refuse_change, request_change, withdraw_change
from tables.models import GameTable, JournalEntry
from tables.services.actors import Actor
from tests.audit.deciding import make_user
from tests.audit.services.test_complaints import DAY, DECIDES, HANDLES, MOMENT, file, result_at, said_of
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
CHANGES = ("audit.request_setup_change", "audit.approve_setup_change")


@pytest.fixture
def table() -> GameTable:
    return make_table(rulebook="commission")


@pytest.fixture
def asker(table: GameTable) -> User:
    return make_user("pim", *HANDLES, *CHANGES)


@pytest.fixture
def manager(asker: User) -> User:
    return make_user("nattaya", *DECIDES, *CHANGES)


@pytest.fixture
def late(table: GameTable, asker: User) -> Complaint:
    platform = Platform(table)
    platform.start()
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))
    return file(said_of(round_), asker, result_at(round_) + DAY + MOMENT).complaint


def who(user: User, at: Any, reason: str = "") -> dict[str, Any]:
    return {"actor": Actor.of_user(User.objects.get(pk=user.pk)), "user": user, "at": at, "reason": reason}


def test_who_asked_takes_it_back_and_may_ask_anew(late: Complaint, asker: User, manager: User) -> None:
    at = late.received_at
    consent = ask_to_admit(complaint_id=late.pk, **who(asker, at, "our chat was down"))
    with pytest.raises(CannotDecide, match="only who asked") as other:
        withdraw_consent(consent_id=consent.pk, **who(manager, at))
    assert other.value.rule == "consent/other"
    done = withdraw_consent(consent_id=consent.pk, **who(asker, at))
    assert (done.status, done.decided_by, done.decided_at) == ("withdrawn", asker, at)
    assert JournalEntry.objects.get(action="consent.withdrawn").actor_id == str(asker.pk)
    for verb in (give_consent, refuse_consent, withdraw_consent):
        user = asker if verb is withdraw_consent else manager
        with pytest.raises(CannotDecide, match="withdrawn already") as refused:
            verb(consent_id=consent.pk, **who(user, at, "no"))
        assert refused.value.rule == "consent/withdrawn"
    late.refresh_from_db()
    assert late.status == "refused"
    again = ask_to_admit(complaint_id=late.pk, **who(asker, at, "it was"))
    give_consent(consent_id=again.pk, **who(manager, at))
    late.refresh_from_db()
    assert (late.status, late.admission) == ("accepted", again)
    with pytest.raises(CannotDecide, match="approved already"):
        withdraw_consent(consent_id=again.pk, **who(asker, at))


def test_what_was_refused_or_expired_is_not_taken_back(late: Complaint, asker: User, manager: User) -> None:
    at = late.received_at
    first = ask_to_admit(complaint_id=late.pk, **who(asker, at, "please"))
    refuse_consent(consent_id=first.pk, **who(manager, at, "no"))
    second = ask_to_admit(complaint_id=late.pk, **who(asker, at, "please"))
    over = at + timedelta(days=1) + MOMENT
    with pytest.raises(CannotDecide, match="this request expired"):
        withdraw_consent(consent_id=second.pk, **who(asker, over))
    expire_consents(now=over)
    for consent, said in ((first, "refused already"), (second, "expired already")):
        with pytest.raises(CannotDecide, match=said):
            withdraw_consent(consent_id=consent.pk, **who(asker, at))
    assert not JournalEntry.objects.filter(action="consent.withdrawn").exists()


@pytest.mark.parametrize("name", ["consent", "setupchange"])
def test_the_database_keeps_who_withdrew_and_that_it_is_over(
    name: str, late: Complaint, asker: User, manager: User
) -> None:
    ask_to_admit(complaint_id=late.pk, **who(asker, late.received_at, "please"))
    change(GameTable.objects.get(), asker)
    row = (Consent if name == "consent" else SetupChange).objects.get()
    by_another = (
        f"UPDATE audit_{name} SET status = 'withdrawn', decided_at = now(), decided_by_id = %s,"
        " decided_by_person_id = requested_by_person_id"
    )
    with (
        pytest.raises(DatabaseError, match="only who asked"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(by_another, [manager.pk])
    if name == "consent":
        withdraw_consent(consent_id=row.pk, **who(asker, late.received_at))
    else:
        withdraw_change(change_id=row.pk, **who(asker, NOON))
    with (
        pytest.raises(DatabaseError, match=r"was decided|withdrawn"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE audit_{name} SET status = 'requested'")


def change(table: GameTable, asker: User) -> SetupChange:
    payload = {"table": table.pk, "second_person_minor": 10, "sign_in_again_minor": 20}
    return request_change(kind=ChangeKind.THRESHOLDS, payload=payload, **who(asker, NOON, "lower"))


def test_a_change_is_taken_back_by_who_asked_for_it(table: GameTable, asker: User, manager: User) -> None:
    asked = change(table, asker)
    with pytest.raises(CannotDecide, match="only who asked") as other:
        withdraw_change(change_id=asked.pk, **who(manager, NOON))
    assert other.value.rule == "setup/other"
    done = withdraw_change(change_id=asked.pk, **who(asker, NOON, "the wrong table"))
    assert (done.status, done.decision_reason) == ("withdrawn", "the wrong table")
    assert JournalEntry.objects.filter(action="setup.withdrawn").count() == 1
    for verb in (approve_change, refuse_change):
        with pytest.raises(CannotDecide, match="withdrawn already") as refused:
            verb(change_id=asked.pk, **who(manager, NOON, "no"))
        assert refused.value.rule == "setup/withdrawn"
    table.refresh_from_db()
    assert table.second_person_minor != 10
