"""The clocks of a complaint: by the table's zone, until its answer, and anew when it is opened again."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from audit.models import Complaint
from audit.queries.complaint_queue import questions_waiting
from audit.queries.complaint_times import answer_due, disputed_event, window_end
from audit.services.complaint_verbs import (
    accept_complaint,
    answer_complaint,
    close_complaint,
    decide_complaint,
    refuse_complaint,
    reopen_complaint,
    review_complaint,
)
from audit.services.complaint_watch import escalate_complaints
from tables.models import JournalEntry, Round
from tables.services.journal import moment
from tests.audit.deciding import make_user
from tests.audit.services.test_complaints import DECIDES, MOMENT, by, file, result_at, said_of
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db
ANSWER = {"text": "So it is.", "language": "en", "template": ""}
DAYS_60 = timedelta(days=60)


@pytest.fixture
def round_() -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))


@pytest.fixture
def manager(round_: Round) -> User:
    return make_user("nattaya", *DECIDES, "audit.view_complaint")


def decided(round_: Round, manager: User) -> Complaint:
    """File one, escalate it at its time and reject it; its answer is still to be given."""
    at = result_at(round_)
    complaint = file(said_of(round_), manager, at).complaint
    accept_complaint(**by(manager, complaint, at))
    review_complaint(**by(manager, complaint, at))
    assert escalate_complaints(now=complaint.answer_due_at) == 1
    decide_complaint(**by(manager, complaint, complaint.answer_due_at, reason="so", is_upheld=False))
    complaint.refresh_from_db()
    return complaint


def waiting(user: User, at: datetime) -> list[Complaint]:
    found: list[Complaint] = questions_waiting(user, at)["complaints_waiting"]
    return found


def test_one_that_was_decided_counts_on_until_it_has_its_answer(round_: Round, manager: User) -> None:
    complaint = decided(round_, manager)
    due = complaint.answer_due_at
    assert complaint.is_waited_for and waiting(manager, due) == [complaint]
    answer_complaint(**by(manager, complaint, due, **ANSWER))
    complaint.refresh_from_db()
    assert (complaint.status, complaint.answered_at) == ("rejected", due)
    assert not complaint.is_waited_for and waiting(manager, due) == []
    assert escalate_complaints(now=due + DAYS_60) == 0


def test_an_answer_before_the_decision_stops_no_clock(round_: Round, manager: User) -> None:
    complaint = file(said_of(round_), manager, result_at(round_)).complaint
    accept_complaint(**by(manager, complaint, result_at(round_)))
    answer_complaint(**by(manager, complaint, result_at(round_), **ANSWER))
    complaint.refresh_from_db()
    assert complaint.answered_at is None and complaint.is_waited_for


def test_opened_again_its_time_and_its_escalation_begin_anew(round_: Round, manager: User) -> None:
    complaint = decided(round_, manager)
    answer_complaint(**by(manager, complaint, complaint.answer_due_at, **ANSWER))
    close_complaint(**by(manager, complaint, complaint.answer_due_at))
    at = complaint.answer_due_at + DAYS_60
    reopen_complaint(**by(manager, complaint, at, reason="another camera shows it"))
    complaint.refresh_from_db()
    due = at + timedelta(days=10)
    assert (complaint.answer_due_at, complaint.escalated_at, complaint.answered_at) == (due, None, None)
    assert complaint.is_waited_for
    assert complaint.events.get(action="reopened").data["answer_due_at"] == moment(due)
    entry = bytes(JournalEntry.objects.get(action="complaint.reopened").body).decode()
    assert f'"answer_due_at":"{moment(due)}"' in entry and '"escalated_at":null' in entry
    assert escalate_complaints(now=due - timedelta(days=1)) == 0
    assert escalate_complaints(now=due - timedelta(days=1) + MOMENT) == 1
    decide_complaint(**by(manager, complaint, due, reason="so", is_upheld=False))
    complaint.refresh_from_db()
    assert complaint.is_waited_for  # what was answered before it was opened again does not count


def test_one_that_was_refused_and_is_opened_again_has_its_whole_time(
    round_: Round, manager: User, settings: Any
) -> None:
    complaint = file(said_of(round_), manager, result_at(round_)).complaint
    refuse_complaint(**by(manager, complaint, result_at(round_), reason="a joke"))
    settings.COMPLAINT_ANSWER_WITHIN, settings.COMPLAINT_HOLIDAYS = "5 business days", ["2027-02-01"]
    at = datetime(2027, 1, 28, 5, tzinfo=UTC)  # a Thursday: Fri, Tue, Wed, Thu, Fri 5 February
    reopen_complaint(**by(manager, complaint, at, reason="it was none"))
    complaint.refresh_from_db()
    assert (complaint.status, complaint.answer_due_at) == ("received", at + timedelta(days=8))


def test_the_time_to_answer_changes_by_opening_again_alone(round_: Round, manager: User) -> None:
    file(said_of(round_), manager, result_at(round_))
    statement = (
        "INSERT INTO audit_complaintevent"
        " (complaint_id, version, action, from_status, to_status, actor_label, at, data)"
        " SELECT id, 2, 'noted', status, status, 'me', now(), '{}' FROM audit_complaint; "
        "UPDATE audit_complaint SET version = 2, answer_due_at = answer_due_at + interval '1 year'"
    )
    refused = pytest.raises(DatabaseError, match="begins anew only when it is opened again")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_days_end_by_the_clocks_of_the_table_and_not_of_the_house(
    round_: Round, manager: User, settings: Any
) -> None:
    table = make_table("B02", rulebook="commission", zone="Europe/London")
    platform = Platform(table, at=datetime(2027, 3, 27, 12, tzinfo=UTC))
    platform.start()
    played = platform.play("9H 2D KC QS", ("c1", "P-10001", "player", 100))
    settings.COMPLAINT_FILING_WINDOW = settings.COMPLAINT_ANSWER_WITHIN = "2 days"
    event = disputed_event(played)
    assert event is not None and event.at.date() == datetime(2027, 3, 27, tzinfo=UTC).date()
    # London's clocks are put on in the night to 28 March: its two days are an hour short; Bangkok's are not.
    short, whole = timedelta(hours=47), timedelta(hours=48)
    assert window_end(played, event) == event.at + short
    assert answer_due(event.at, table) == event.at + short
    assert answer_due(event.at, round_.table) == answer_due(event.at, None) == event.at + whole
    complaint = file(said_of(played, table="B02"), manager, event.at).complaint
    assert (complaint.window_ends_at, complaint.answer_due_at) == (event.at + short, event.at + short)
    local = complaint.answer_due_at.astimezone(ZoneInfo("Europe/London"))
    assert local.time() == event.at.astimezone(ZoneInfo("Europe/London")).time()
