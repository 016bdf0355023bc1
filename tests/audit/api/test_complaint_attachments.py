"""Files that come with a complaint over HTTP: taken by what they hold, named where they are not taken."""

import json
from base64 import b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit.models import Attachment, Complaint
from casino.roles import ROLES
from tables.models import JournalEntry, Round
from tests.audit import hostile
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db
URL = "/api/v1/complaints"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "evidence.key")


@pytest.fixture
def round_(db: Any) -> Round:
    platform = Platform(make_table(rulebook="commission"), at=timezone.now() - timedelta(minutes=2))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))


@pytest.fixture
def gateway(round_: Round) -> Client:
    return key_client(None, "complaint:write")


def sent(name: str, data: bytes) -> dict[str, str]:
    return {"name": name, "content": b64encode(data).decode()}


def file_with(
    client: Client, round_: Round, *files: dict[str, str], key: str = "m-1", **changes: str
) -> tuple[int, Any]:
    body = {
        "played_at": round_.betting_opened_at.isoformat(),
        "table": "B01",
        "dealer": "Mali Chantara",
        "round": round_.public_id,
        "player": "P-10001",
        "attachments": list(files),
        **changes,
    }
    answer = client.post(URL, body, content_type="application/json", headers={"Idempotency-Key": key})
    return answer.status_code, answer.json()


def test_a_complaint_comes_with_its_files_once(round_: Round, gateway: Client) -> None:
    picture = sent("../screen.gif", hostile.png(3, 2))
    status, body = file_with(gateway, round_, picture, sent("chat.txt", b"two cards"))
    assert (status, body["not_attached"]) == (201, [])
    kept = Attachment.objects.order_by("pk")
    assert [(one.kind, one.file.name, one.width_px) for one in kept] == [
        ("png", "screen.png", 3),
        ("text", "chat.txt", None),
    ]
    assert {one.subject_id for one in kept} == {Complaint.objects.get().pk}
    assert file_with(gateway, round_, picture)[0] == 200
    assert Attachment.objects.count() == 2
    agent = signed_in(make_user("pim", *ROLES["support"].permissions))
    shown = agent.get(f"{URL}/{body['number']}").json()["attachments"]
    assert [(one["name"], one["kind"], one["sha256"]) for one in shown] == [
        (one.file.name, one.kind, one.file.sha256) for one in kept
    ]


def test_a_file_that_is_not_taken_says_why_and_the_complaint_is_recorded(
    round_: Round, gateway: Client
) -> None:
    status, body = file_with(gateway, round_, sent("page.png", hostile.HTML), sent("empty.txt", b""))
    assert (status, body["status"]) == (201, "received")
    assert [(one["name"], one["rule"]) for one in body["not_attached"]] == [
        ("page.png", "attachment/markup"),
        ("empty.txt", "attachment/empty"),
    ]
    assert not Attachment.objects.exists()


@pytest.mark.parametrize(
    ("files", "field", "rule"),
    [
        ([{"name": "a.txt", "content": "no base64!"}], "attachments[0].content", "base64"),
        ([{"content": "YQ=="}], "attachments[0].name", "required"),
        ([{"name": "a.txt", "content": "YQ=="}] * 11, "attachments", "max_length"),
    ],
)
def test_what_cannot_be_read_is_named_and_nothing_is_recorded(
    files: list[dict[str, str]], field: str, rule: str, round_: Round, gateway: Client
) -> None:
    status, body = file_with(gateway, round_, *files)
    assert (status, body["errors"][0]["field"], body["errors"][0]["rule"]) == (400, field, rule)
    assert not Complaint.objects.exists()


def test_a_file_comes_later_and_stands_in_the_journal(round_: Round, gateway: Client) -> None:
    number = file_with(gateway, round_)[1]["number"]
    url = f"{URL}/{number}/attachments"
    taken = gateway.post(url, sent("slip.pdf", hostile.PDF), content_type="application/json")
    assert (taken.status_code, taken.json()["name"], taken.json()["kind"]) == (201, "slip.pdf", "pdf")
    entry = JournalEntry.objects.get(action="attachment.added")
    assert (entry.subject_label, entry.actor_kind) == (number, "key")
    assert b"slip" not in bytes(entry.body)
    refused = gateway.post(url, sent("slip.svg", hostile.SVG), content_type="application/json")
    assert (refused.status_code, refused.json()["errors"][0]["rule"]) == (400, "attachment/markup")
    reader = key_client(None, "complaint:read")
    assert reader.post(url, sent("a.txt", b"a"), content_type="application/json").status_code == 403
    assert gateway.post(f"{URL}/C-9999/attachments", "{}", content_type="application/json").status_code == 404


def test_a_file_may_be_as_large_as_the_house_allows(round_: Round, gateway: Client, settings: Any) -> None:
    settings.ATTACHMENT_MAX_BYTES = 2_000_000
    number = file_with(gateway, round_)[1]["number"]
    url = f"{URL}/{number}/attachments"

    def send(count: int) -> tuple[int, str]:
        body = json.dumps(sent("a.txt", b"x" * count))
        answer = gateway.post(url, body, content_type="application/json")
        return answer.status_code, json.dumps(answer.json())

    assert send(2_000_000)[0] == 201
    status, said = send(2_000_001)
    assert (status, "attachment/too-large" in said) == (400, True)
    assert send(4_000_000)[0] == 413  # more than any file of a lawful size is in base64


def test_a_pack_about_a_complaint_is_asked_for(round_: Round, gateway: Client) -> None:
    number = file_with(gateway, round_)[1]["number"]
    agent = signed_in(make_user("pim", *ROLES["support"].permissions))

    def ask(name: str) -> tuple[int, Any]:
        answer = agent.post("/api/v1/evidence", {"complaint": name}, content_type="application/json")
        return answer.status_code, answer.json()

    status, body = ask(number)
    assert (status, body["kind"], body["about"]) == (202, "complaint", number)
    status, body = ask("C-9999")
    assert (status, body["errors"][0]["rule"]) == (400, "complaint/unknown")
    nowhere = file_with(gateway, round_, key="m-2", round="B01-20200101-01-001-A")[1]["number"]
    status, body = ask(nowhere)  # refused, and the more likely to be contested
    assert (status, body["kind"], body["about"]) == (202, "complaint", nowhere)
