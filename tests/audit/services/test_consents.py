"""A late complaint let in by two persons, and every way around them, by the service and past it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from audit.models import Complaint, ComplaintText, ComplaintWords, Consent, PersonAccount, VideoHold
from audit.rules.complaints import Said
from audit.services.complaint_record import BadComplaint, CannotChange
from audit.services.complaint_verbs import accept_complaint, reopen_complaint
from audit.services.complaints import add_information
from audit.services.consents import ask_to_admit, expire_consents, give_consent, refuse_consent
from audit.services.rulings import CannotDecide
from tables.models import JournalEntry, Round
from tables.services.actors import Actor
from tests.audit.deciding import make_user
from tests.audit.services.test_complaints import DAY, DECIDES, HANDLES, MOMENT, by, file, result_at, said_of
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100), ("b2", "P-10002", "banker", 150))


@pytest.fixture
def agent(round_: Round) -> User:
    return make_user("pim", *HANDLES)


@pytest.fixture
def manager(agent: User) -> User:
    return make_user("nattaya", *DECIDES)


@pytest.fixture
def late(round_: Round, agent: User) -> Complaint:
    return file(said_of(round_), agent, result_at(round_) + DAY + MOMENT).complaint


def who(user: User, at: Any, **more: Any) -> dict[str, Any]:
    return {"actor": Actor.of_user(User.objects.get(pk=user.pk)), "user": user, "at": at, **more}


def test_a_manager_and_a_second_person_let_a_late_one_in(late: Complaint, agent: User, manager: User) -> None:
    at = late.received_at
    consent = ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="our chat was down"))
    give_consent(consent_id=consent.pk, **who(manager, at, reason="so it was"))
    late.refresh_from_db()
    assert (late.status, late.admission, late.owner) == ("accepted", consent, agent)
    assert VideoHold.objects.get(causes__complaint=late).status == "asked"
    actions = ["consent.requested", "consent.approved", "complaint.admitted"]
    assert JournalEntry.objects.filter(action__in=actions).count() == 3


def test_nobody_consents_to_what_the_same_person_asked(late: Complaint, manager: User) -> None:
    at = late.received_at
    consent = ask_to_admit(complaint_id=late.pk, **who(manager, at, reason="ours"))
    with pytest.raises(CannotDecide, match="another person"):
        give_consent(consent_id=consent.pk, **who(manager, at, reason=""))
    # A second account of the same person is the same person.
    other = make_user("nattaya2", *DECIDES, person=PersonAccount.objects.get(user=manager).person)
    with pytest.raises(CannotDecide, match="another person"):
        give_consent(consent_id=consent.pk, **who(other, at, reason=""))
    late.refresh_from_db()
    assert late.status == "refused"


def test_a_refused_or_expired_request_lets_nobody_in(late: Complaint, agent: User, manager: User) -> None:
    at = late.received_at
    first = ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="please"))
    with pytest.raises(CannotDecide, match="asked already"):
        ask_to_admit(complaint_id=late.pk, **who(manager, at, reason="please"))
    refuse_consent(consent_id=first.pk, **who(manager, at, reason="no"))
    with pytest.raises(CannotDecide, match="refused already"):
        give_consent(consent_id=first.pk, **who(manager, at, reason=""))
    second = ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="please"))
    with pytest.raises(CannotDecide, match="expired"):
        give_consent(consent_id=second.pk, **who(manager, at + timedelta(days=1) + MOMENT, reason=""))
    assert expire_consents(now=at + timedelta(days=1)) == 0
    assert expire_consents(now=at + timedelta(days=1) + MOMENT) == 1
    late.refresh_from_db()
    assert late.status == "refused"


def test_other_ways_in_are_closed(late: Complaint, agent: User, manager: User) -> None:
    at = late.received_at
    with pytest.raises(CannotChange, match="two persons"):
        accept_complaint(**by(manager, late, at))
    with pytest.raises(CannotChange, match="two persons"):
        reopen_complaint(**by(manager, late, at, reason="again"))
    with pytest.raises(BadComplaint, match="words"):
        ask_to_admit(complaint_id=late.pk, **who(agent, at, reason=" "))


def test_a_late_one_is_let_in_only_once_it_is_whole(round_: Round, agent: User, manager: User) -> None:
    at = result_at(round_) + timedelta(hours=25)
    late = file(said_of(round_, played_at=None, dealer=""), agent, at).complaint
    clock = (late.round, late.event_at, late.window_ends_at)
    with pytest.raises(CannotChange, match="does not name: played_at, dealer"):
        ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="our chat was down"))
    assert not Consent.objects.exists()
    add_information(**by(agent, late, at, said=Said(played_at=round_.betting_opened_at)))
    with pytest.raises(CannotChange, match="does not name: dealer"):
        ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="our chat was down"))
    # Another round is no way out of being late.
    add_information(**by(agent, late, at, said=Said(dealer="Mali Chantara", round="B01-20200101-01-001-A")))
    late.refresh_from_db()
    assert (late.status, late.refusal) == ("refused", "late")
    assert clock == (late.round, late.event_at, late.window_ends_at)
    assert late.checks["dealer"] == "agrees" and late.checks["round_number"] == "differs"
    consent = ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="our chat was down"))
    give_consent(consent_id=consent.pk, **who(manager, at, reason="so it was"))
    late.refresh_from_db()
    assert late.status == "accepted"


def test_a_consent_does_not_carry_out_what_is_not_whole(
    round_: Round, agent: User, manager: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = result_at(round_) + timedelta(hours=25)
    late = file(said_of(round_, dealer=""), agent, at).complaint
    with monkeypatch.context() as before:  # as it could be asked for once
        before.setattr("audit.services.consents.require_what_the_rule_asks", lambda complaint: None)
        consent = ask_to_admit(complaint_id=late.pk, **who(agent, at, reason="our chat was down"))
    with pytest.raises(CannotChange, match="does not name: dealer"):
        give_consent(consent_id=consent.pk, **who(manager, at, reason="so it was"))
    late.refresh_from_db()
    consent.refresh_from_db()
    assert (late.status, consent.status) == ("refused", "requested")


EVENT = (
    "INSERT INTO audit_complaintevent (complaint_id, version, action, from_status, to_status, actor_label,"
    " at, data) SELECT id, 2, '{}', 'refused', '{}', 'me', now(), '{{}}' FROM audit_complaint; "
)
BYPASSES = {
    "no event": (
        "UPDATE audit_complaint SET status = 'accepted', version = 2",
        "does not change without its event",
    ),
    "the same version": ("UPDATE audit_complaint SET checks = '{}'", "is at version 1"),
    "another receipt": (
        "UPDATE audit_complaint SET version = 2, received_at = received_at - interval '1 day'",
        "only .* may change|permission denied",
    ),
    "an event of its own": (
        EVENT.format("accepted", "accepted") + "UPDATE audit_complaint SET status = 'accepted', version = 2",
        "admitted only by two persons",
    ),
    "opened again in silence": (
        EVENT.format("reopened", "received") + "UPDATE audit_complaint SET status = 'received', version = 2",
        "opened again only with a reason",
    ),
    "a consent that is given at once": (
        "INSERT INTO audit_consent (kind, complaint_id, reason, status, requested_by_id,"
        " requested_by_person_id, requested_at, expires_at, decision_reason) SELECT 'late_complaint', c.id,"
        " 'x', 'approved', a.user_id, a.person_id, now(), now() + interval '1 day', ''"
        " FROM audit_complaint c, audit_personaccount a LIMIT 1",
        "begins as a request",
    ),
}


@pytest.mark.parametrize("way", BYPASSES)
def test_the_database_refuses_what_goes_past_the_services(late: Complaint, way: str) -> None:
    statement, said = BYPASSES[way]
    with pytest.raises(DatabaseError, match=said), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    late.refresh_from_db()
    assert (late.status, late.version) == ("refused", 1)


def test_events_stay_and_texts_are_erased_or_stay(late: Complaint) -> None:
    refused = "append-only|permission denied|erased or stays"
    for statement in (
        "UPDATE audit_complaintevent SET action = 'noted'",
        "DELETE FROM audit_complaintevent",
        "UPDATE audit_complaintwords SET disputed = 'something else'",
        "DELETE FROM audit_complaintwords",
        "DELETE FROM audit_complaint",
        "TRUNCATE audit_complaintwords",
    ):
        with pytest.raises(Exception, match=refused), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    ComplaintWords.objects.update(erased_at=late.received_at)
    words = ComplaintWords.objects.get()
    assert (words.disputed, words.contact, words.player_text, bytes(words.salt)) == ("", "", "", b"")
    assert not ComplaintText.objects.exists()
    assert Consent.objects.count() == 0
