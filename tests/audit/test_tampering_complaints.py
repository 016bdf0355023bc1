"""Every column of a complaint altered behind the product's back is found, and named."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from audit.models import Complaint, ComplaintChannel
from audit.rules.complaints import Said
from audit.services.complaint_verbs import accept_complaint, note_complaint
from audit.services.complaints import file_complaint
from audit.services.consents import ask_to_admit
from audit.services.verifying import Run
from casino.roles import ROLES
from tables.models import FeedEvent, Round
from tables.services.actors import Actor
from tables.services.journal import record
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, seal
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)
Tamper = Callable[..., None]

#: Column -> the change, and what the check calls it; some columns cannot be altered alone.
ALTERED: Final = {
    "version": ("version = 9", "version 9, of which no entry tells"),
    "status": ("status = 'under_review'", "its status is"),
    "refusal": ("refusal = 'late'", "its refusal is"),
    "outcome": ("outcome = 'upheld'", "its outcome is"),
    "table_id": ("table_id = (SELECT id FROM tables_gametable WHERE code = 'B02')", "its table is"),
    "round_id": ("round_id = (SELECT min(id) FROM tables_round)", "its round is"),
    "player_id": ("player_id = NULL", "its player is"),
    "event_kind": ("event_kind = 'void'", "its event_kind is"),
    "event_at": ("event_at = event_at + interval '1 microsecond'", "its event_at is"),
    "received_at": ("received_at = received_at - interval '1 second'", "its received_at is"),
    "window_ends_at": ("window_ends_at = window_ends_at + interval '1 day'", "its window_ends_at is"),
    "answer_due_at": ("answer_due_at = answer_due_at + interval '1 day'", "its answer_due_at is"),
    "checks": ("checks = jsonb_set(checks, '{dealer}', '\"differs\"')", "its checks is"),
    "source": ("source = 'api'", "its source is"),
    "channel": ("channel = 'mail'", "its channel is"),
    "language": ("language = 'en'", "its language is"),
    "filed_by_id": ("filed_by_id = (SELECT id FROM auth_user WHERE username = 'mali')", "its filed_by is"),
    "owner_id": ("owner_id = (SELECT id FROM auth_user WHERE username = 'mali')", "its owner is"),
    "escalated_at": ("escalated_at = received_at", "its escalated_at is"),
    "answered_at": ("answered_at = received_at", "its answered_at is"),
    "closed_at": (
        "closed_at = received_at, status = 'closed', outcome = 'rejected'",
        "its closed_at, outcome, status is",
    ),
    "merged_into_id": ("merged_into_id = id + 1", "its merged_into is"),
    "admission_id": ("admission_id = (SELECT id FROM audit_consent)", "its admission is"),
    "sender": ("sender = 'other'", "its sender is"),
    "idempotency_key": ("idempotency_key = 'a-2'", "its idempotency_key is"),
}  # fmt: skip
#: Column -> why it is not altered here.
LEFT_OUT: Final = {
    "id": "entries and steps know the complaint by it: under another it is one forged and one gone",
    "number": "it is what entries are labelled with: see below",
}


@pytest.fixture
def complaint() -> Complaint:
    """Provide a complaint that was taken on; the next one is late, and somebody asked to let it in."""
    platform = Platform(make_table())
    make_table("B02")
    platform.start()
    platform.play("9H 9D KC QS", ("b1", "P-10001", "player", 100))
    round_ = platform.play("KS 2H QD KH KC 10H", ("c1", "P-10001", "banker", 100))
    agent = make_user("pim", *ROLES["support"].permissions, *ROLES["manager"].permissions)
    make_user("mali", *ROLES["support"].permissions)
    at = FeedEvent.objects.get(round=round_, type="round_result").received_at
    who = {"actor": Actor.of_user(agent), "user": agent}
    first = file(round_, at=at, sender=f"user-{agent.pk}", idempotency_key="a-1", **who)
    accept_complaint(complaint_id=first.pk, seen_version=1, at=at, **who)
    late_at = at + timedelta(hours=25)
    late = file(round_, at=late_at, **who)
    ask_to_admit(complaint_id=late.pk, reason="the line was down", at=late_at, **who)
    assert late.pk == first.pk + 1
    seal()
    return first


def file(round_: Round, **more: Any) -> Complaint:
    said = Said(
        played_at=round_.betting_opened_at,
        table="B01",
        dealer="Mali Chantara",
        round=round_.public_id,
        player="P-10001",
        disputed="the third card",
    )
    return file_complaint(said=said, channel=ComplaintChannel.CHAT, language="th", **more).complaint


def found() -> list[tuple[str, str]]:
    return [(problem.kind, problem.words) for problem in Run(LOG.verifier, None, "").find()]


def test_every_column_altered_is_named_and_put_back_raises_no_alarm(
    complaint: Complaint, tamper: Tamper
) -> None:
    columns = {field.column for field in Complaint._meta.concrete_fields}
    assert ALTERED.keys() | LEFT_OUT.keys() == columns, "each column is altered, or left out for a reason"
    assert not ALTERED.keys() & LEFT_OUT.keys()
    assert User.objects.get(username="pim").pk == complaint.filed_by_id
    assert found() == []
    tamper("CREATE TABLE audit_complaint_before AS SELECT * FROM audit_complaint")
    back = ", ".join(f"{name} = b.{name}" for name in ALTERED)
    told: dict[str, list[str]] = {}
    for column, (change, _) in ALTERED.items():
        tamper(f"UPDATE audit_complaint SET {change} WHERE id = {complaint.pk}")
        told[column] = [words for kind, words in found() if kind == "complaint_altered"]
        tamper(f"UPDATE audit_complaint c SET {back} FROM audit_complaint_before b WHERE b.id = c.id")
    tamper("DROP TABLE audit_complaint_before")
    missed = {
        column: told[column] for column, (_, name) in ALTERED.items() if name not in "".join(told[column])
    }
    assert missed == {}
    assert found() == []


def test_another_number_than_its_entries_say(complaint: Complaint, tamper: Tamper) -> None:
    tamper(f"UPDATE audit_complaint SET number = 'C-9999' WHERE id = {complaint.pk}")
    words = f"complaint C-9999 is called {complaint.number} in the journal"
    assert found()[0] == ("complaint_altered", words)


def test_another_name_than_the_entry_of_a_step_says(complaint: Complaint, tamper: Tamper) -> None:
    tamper("UPDATE audit_complaintevent SET actor_label = 'somebody else' WHERE version = 2")
    words = f"complaint {complaint.number}: step 2 is not what was written"
    assert found() == [("complaint_altered", words)]


def test_an_older_entry_that_says_no_name_raises_no_alarm(
    complaint: Complaint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_name(action: str, *, data: dict[str, Any], **more: Any) -> None:
        record(action, data={name: value for name, value in data.items() if name != "by"}, **more)

    monkeypatch.setattr("audit.services.complaint_record.record", without_name)
    agent = User.objects.get(username="pim")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": complaint.received_at}
    note_complaint(complaint_id=complaint.pk, seen_version=None, text="called back", **who)
    seal()
    assert found() == []
