"""A ruling that nobody gave, a sign-in that nobody made, a complaint altered: each is found and named."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from audit.models import Complaint, ComplaintChannel, Ruling, RulingKind, VideoHold
from audit.rules.complaints import Said
from audit.services.attachments import attach_file
from audit.services.complaint_verbs import accept_complaint, note_complaint
from audit.services.complaints import file_complaint
from audit.services.rulings import sign_in_again, withdraw_ruling
from audit.services.verifying import Run
from casino.roles import ROLES
from tables.models import FeedEvent
from tables.services.actors import Actor
from tests.audit.deciding import approve, ask, make_user
from tests.audit.sealed import LOG, seal
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)
Tamper = Callable[..., None]
LARGE = 60_000_000  # above the sum for which who decides signs in again


@dataclass(frozen=True)
class House:
    """One ruling approved with a sign-in, one asked for, and a complaint that somebody works on."""

    approved: Ruling
    asked: Ruling
    complaint: Complaint
    decider: int
    person: int


@pytest.fixture
def house() -> House:
    platform = Platform(make_table())
    platform.start()
    first = platform.play("KS 2H QD KH KC 10H", ("b1", "P-10001", "banker", LARGE))
    second = platform.play("9H 9D KC QS", ("c1", "P-10001", "player", LARGE))
    asker, decider = (make_user(name, *ROLES["manager"].permissions) for name in ("asker", "decider"))
    approved = ask(asker, RulingKind.VOID_ROUND, [first])
    sign_in_again(ruling=approved, user=decider, password="secret", at=NOON)
    approve(decider, approved)
    asked = ask(asker, RulingKind.VOID_ROUND, [second])
    said = Said(
        played_at=second.betting_opened_at,
        table="B01",
        dealer="Mali Chantara",
        round=second.public_id,
        player="P-10001",
        disputed="the third card",
    )
    received = FeedEvent.objects.get(round=second, type="round_result").received_at
    who = {"actor": Actor.of_user(asker), "user": asker, "at": received}
    complaint = file_complaint(said=said, channel=ComplaintChannel.CHAT, language="th", **who).complaint
    accept_complaint(complaint_id=complaint.pk, seen_version=1, **who)
    note_complaint(complaint_id=complaint.pk, seen_version=None, text="asked the floor", **who)
    complaint.refresh_from_db()
    seal()
    person = decider.person_account.person_id
    return House(approved, asked, complaint, decider.pk, person)


def found() -> list[tuple[str, str]]:
    return [(problem.kind, problem.words) for problem in Run(LOG.verifier, None, "").find()]


def test_what_nobody_touched_raises_no_alarm(house: House) -> None:
    assert house.complaint.version == 3
    assert found() == []


def test_a_ruling_that_nobody_approved(house: House, tamper: Tamper) -> None:
    tamper(
        "UPDATE audit_ruling SET status = 'approved', decided_by_id = %s, decided_by_person_id = %s,"
        " decided_at = now() WHERE id = %s",
        house.decider,
        house.person,
        house.asked.pk,
    )
    number = house.asked.number
    words = f"ruling {number} was approved and no entry says so, nor did who decided sign in for it"
    assert found() == [("ruling_forged", words)]


def test_a_sign_in_that_nobody_made(house: House, tamper: Tamper) -> None:
    tamper(
        "INSERT INTO audit_signin (user_id, ruling_id, at) VALUES (%s, %s, now())",
        house.decider,
        house.asked.pk,
    )
    words = f"a sign-in for ruling {house.asked.number} has no entry in the journal"
    assert found() == [("sign_in_forged", words)]


def test_a_sign_in_taken_away(house: House, tamper: Tamper) -> None:
    tamper("DELETE FROM audit_signin")
    assert found() == [("ruling_altered", f"the sign-in for ruling {house.approved.number} is gone")]


def test_another_sum_than_was_approved(house: House, tamper: Tamper) -> None:
    tamper("UPDATE audit_ruling SET given_minor = given_minor + 1 WHERE id = %s", house.approved.pk)
    words = f"ruling {house.approved.number} is not what was approved: given_minor"
    assert found() == [("ruling_altered", words)]


@pytest.mark.parametrize("change", ["given_minor = given_minor + 5", "base_revision = 2", "bets_count = 9",
    "preview_digest = repeat('a', 64)", "before_minor = 1", "after_minor = after_minor + 1"])  # fmt: skip
def test_another_sum_of_a_round_than_was_approved(house: House, tamper: Tamper, change: str) -> None:
    tamper(f"UPDATE audit_rulinground SET {change} WHERE ruling_id = {house.approved.pk}")
    words = f"what ruling {house.approved.number} does to its rounds is not what was asked for and approved"
    assert found() == [("ruling_altered", words)]


@pytest.mark.parametrize("change", ["status = 'lapsed'", "alarmed_at = now()", "camera = 'another'",
    "lapses_at = lapses_at + interval '1 day'", "from_at = from_at - interval '1 hour'"])  # fmt: skip
def test_a_hold_on_video_altered(house: House, tamper: Tamper, change: str) -> None:
    hold = VideoHold.objects.order_by("pk").first()
    assert hold is not None
    tamper(f"UPDATE audit_videohold SET {change} WHERE id = {hold.pk}")
    [(kind, words)] = found()
    assert (kind, str(hold.uuid) in words) == ("video_altered", True)


def test_a_hold_on_video_that_nobody_asked_for_and_one_that_is_gone(house: House, tamper: Tamper) -> None:
    hold = VideoHold.objects.order_by("pk").first()
    assert hold is not None
    tamper(
        f"DELETE FROM audit_videoholdcause WHERE hold_id = {hold.pk};"
        f"UPDATE audit_videohold SET id = 9000, asked_at = asked_at - interval '1 day' WHERE id = {hold.pk}"
    )
    assert sorted(kind for kind, _ in found()) == ["video_deleted", "video_forged"]


@pytest.mark.parametrize("column", ["kind = 'stand'", "uuid = gen_random_uuid()", "rounds_count = 2"])
def test_another_ruling_than_was_asked_for(house: House, tamper: Tamper, column: str) -> None:
    name = {"rounds_count": "rounds"}.get(column.split()[0], column.split()[0])
    tamper(f"UPDATE audit_ruling SET {column} WHERE id = {house.asked.pk}")
    problems = found()
    words = f"ruling {house.asked.number} is not what was asked for: {name}"
    assert problems[0] == ("ruling_altered", words)
    assert len(problems) == (2 if name == "kind" else 1)  # the preview's hash begins with the kind


def test_a_request_withdrawn_behind_who_asked(house: House, tamper: Tamper) -> None:
    tamper("UPDATE audit_ruling SET status = 'withdrawn' WHERE id = %s", house.asked.pk)
    words = f"ruling {house.asked.number} is withdrawn, and the journal says no end of it"
    assert found() == [("ruling_altered", words)]


def test_a_request_that_was_withdrawn_and_waits_again(house: House, tamper: Tamper) -> None:
    asker = house.asked.requested_by
    who = {"user": asker, "actor": Actor.of_user(asker), "at": NOON}
    withdraw_ruling(ruling_id=house.asked.pk, reason="the wrong round", **who)
    seal()
    assert found() == []
    tamper("UPDATE audit_ruling SET status = 'requested' WHERE id = %s", house.asked.pk)
    words = f"ruling {house.asked.number} is requested, and the journal says withdrawn"
    assert found() == [("ruling_altered", words)]


def test_a_ruling_taken_away(house: House, tamper: Tamper) -> None:
    tamper(
        f"DELETE FROM audit_videoholdcause WHERE ruling_id = {house.asked.pk};"
        f"DELETE FROM audit_rulinground WHERE ruling_id = {house.asked.pk};"
        f"DELETE FROM audit_ruling WHERE id = {house.asked.pk}"
    )
    words = f"ruling {house.asked.number} is gone, and the journal tells of it"
    assert found() == [("ruling_deleted", words)]


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        ("UPDATE audit_complaint SET status = 'under_review'", ["complaint_altered"]),
        ("UPDATE audit_complaint SET received_at = received_at - interval '1 day'", ["complaint_altered"]),
        ("UPDATE audit_complaint SET answer_due_at = now() + interval '1 year'", ["complaint_altered"]),
        ("UPDATE audit_complaint SET version = 4", ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET action = 'refused' WHERE version = 2", ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET at = at - interval '1 hour' WHERE version = 2",
         ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET by_id = (SELECT id FROM auth_user WHERE username = 'decider')"
         " WHERE version = 2", ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET by_id = NULL WHERE version = 2", ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET from_status = 'waiting' WHERE version = 2", ["complaint_altered"]),
        ("UPDATE audit_complaintevent SET version = 9 WHERE version = 2",
         ["complaint_forged", "complaint_deleted"]),
        ("UPDATE audit_complaintwords SET disputed = 'nothing'", ["complaint_text_altered"]),
        ("UPDATE audit_complainttext SET text = 'asked nobody'", ["complaint_text_altered"]),
    ],
)  # fmt: skip
def test_a_complaint_altered(house: House, tamper: Tamper, statement: str, kinds: list[str]) -> None:
    tamper(statement)
    problems = found()
    assert [kind for kind, _ in problems] == kinds
    assert any(house.complaint.number in words for _, words in problems)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE audit_attachment SET commitment = sha256(commitment)", "attachment_altered"),
        ("UPDATE audit_attachment SET size_bytes = 1", "attachment_altered"),
        ("UPDATE audit_attachment SET uuid = gen_random_uuid()", "attachment_forged"),
        ("DELETE FROM audit_attachmentfile; DELETE FROM audit_attachment", "attachment_deleted"),
    ],
)
def test_an_attachment_altered(
    house: House, tamper: Tamper, statement: str, kind: str, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    actor = Actor.of_key("0123456789ab")
    kept = attach_file(subject=house.complaint, data=b"two cards", name="a.txt", actor=actor, at=NOON)
    seal()
    assert found() == []
    tamper(statement)
    problems = found()
    assert problems[0][0] == kind
    if kind != "attachment_forged":
        assert str(kept.uuid) in problems[0][1] and len(problems) == 1


def test_a_complaint_that_nobody_took_down(house: House, tamper: Tamper) -> None:
    tamper(
        "INSERT INTO audit_complaint (number, version, status, refusal, outcome, event_kind, received_at,"
        " answer_due_at, checks, source, channel, language, sender, idempotency_key)"
        " VALUES ('C-9999', 1, 'received', '', '', '', now(), now(), '{}', 'api', 'chat', 'en', '', '')"
    )
    assert found() == [("complaint_forged", "complaint C-9999 has no entry in the journal")]
