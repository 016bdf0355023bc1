"""Complaints over HTTP: filed by a gateway and by a person, read, led on; every refusal says why."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from audit.models import Attachment, Complaint
from casino.roles import ROLES
from tables.models import JournalEntry, Round
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db
URL = "/api/v1/complaints"


@pytest.fixture
def round_(db: Any) -> Round:
    """Provide a round settled a minute ago."""
    platform = Platform(make_table(rulebook="commission"), at=timezone.now() - timedelta(minutes=2))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100), ("b2", "P-10002", "banker", 150))


@pytest.fixture
def gateway(round_: Round) -> Client:
    return key_client(None, "complaint:write")


@pytest.fixture
def agent(round_: Round) -> User:
    return make_user("pim", *ROLES["support"].permissions)


@pytest.fixture
def manager(agent: User) -> User:
    return make_user("nattaya", *ROLES["manager"].permissions)


def details(round_: Round, **changes: Any) -> dict[str, Any]:
    return {
        "played_at": round_.betting_opened_at.isoformat(),
        "table": "B01",
        "dealer": "Mali Chantara",
        "round": round_.public_id,
        "player": "P-10001",
        "disputed": "ไพ่ใบที่สี่ผิด",
        "contact": "chat 88214",
        **changes,
    }


def post(client: Client, body: Any, *, key: str = "", path: str = "") -> tuple[int, dict[str, Any]]:
    headers = {"Idempotency-Key": key} if key else {}
    answer = client.post(URL + path, body, content_type="application/json", headers=headers)
    return answer.status_code, answer.json()


def test_a_gateway_files_once_however_often_it_sends(round_: Round, gateway: Client) -> None:
    status, body = post(gateway, details(round_), key="m-1")
    assert (status, body["status"], body["round"], body["is_repeat"]) == (
        201,
        "received",
        round_.public_id,
        False,
    )
    assert body["player"]["reference"] == "P-10001"
    again, repeat = post(gateway, details(round_), key="m-1")
    assert (again, repeat["number"], repeat["is_repeat"]) == (200, body["number"], True)
    conflict, problem = post(gateway, details(round_, disputed="other"), key="m-1")
    assert (conflict, problem["errors"][0]["rule"]) == (409, "complaint/key")
    assert Complaint.objects.count() == 1


def test_a_machine_needs_a_key_and_a_person_does_not(round_: Round, gateway: Client, agent: User) -> None:
    status, body = post(gateway, details(round_))
    assert (status, body["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert post(signed_in(agent), details(round_))[0] == 201
    status, body = post(key_client(None, "play:read"), details(round_), key="m-1")
    assert (status, body["type"]) == (403, "urn:bluecard:problem:missing-scope")
    assert key_client(None, "complaint:write").get(URL).status_code == 403


def test_a_key_for_one_table_speaks_of_no_other(round_: Round) -> None:
    other = make_table(code="B02", rulebook="commission")
    theirs, ours = (key_client(table, "complaint:write") for table in (other, round_.table))
    status, body = post(theirs, details(round_), key="m-1")
    assert (status, body["type"]) == (403, "urn:bluecard:problem:other-table")
    assert post(theirs, details(round_, table="", round=round_.platform_id), key="m-2")[0] == 403
    number = post(theirs, details(round_, table="B02", round="9"), key="m-3")[1]["number"]
    assert post(theirs, {"table": "B01", "round": "1"}, path=f"/{number}/information")[0] == 403
    assert [one.table for one in Complaint.objects.all()] == [other]
    assert post(ours, details(round_), key="m-4")[0] == 201


@pytest.mark.parametrize(
    ("changes", "refusal", "missing"),
    [
        ({"dealer": ""}, "incomplete", ["dealer"]),
        ({"played_at": "", "round": ""}, "incomplete", ["played_at", "round_number"]),
        ({"round": "B01-20200101-01-001-A"}, "unknown_round", []),
    ],
)
def test_what_the_rule_refuses_is_recorded_and_says_why(
    round_: Round, gateway: Client, changes: dict[str, str], refusal: str, missing: list[str]
) -> None:
    status, body = post(gateway, details(round_, **changes), key="m-1")
    assert (status, body["status"], body["refusal"]) == (201, "refused", refusal)
    assert body["missing"] == missing


def test_a_slip_in_the_id_brings_the_round_that_was_meant(round_: Round, gateway: Client) -> None:
    slipped = round_.public_id[:-1] + ("A" if round_.public_id[-1] != "A" else "C")
    assert post(gateway, details(round_, round=slipped), key="m-1")[1]["did_you_mean"] == [round_.public_id]


@pytest.mark.parametrize(
    ("changes", "field", "rule"),
    [
        ({"played_at": "yesterday"}, "played_at", "complaint/time"),
        ({"played_at": "2026-11-29T02:40"}, "zone", "complaint/zone"),
        ({"zone": "Asia/Nowhere"}, "zone", "zone"),
        ({"channel": "pigeon"}, "channel", "invalid_choice"),
        ({"mood": "angry"}, "mood", "unknown_parameter"),
        ({"disputed": "x" * 4001}, "disputed", "max_length"),
    ],
)
def test_what_cannot_be_read_is_named_and_nothing_is_recorded(
    round_: Round, gateway: Client, changes: dict[str, str], field: str, rule: str
) -> None:
    status, body = post(gateway, details(round_, **changes), key="m-1")
    assert status == 400
    assert (body["errors"][0]["field"], body["errors"][0]["rule"]) == (field, rule)
    assert not Complaint.objects.exists()


def test_people_lead_it_on_and_whoever_is_second_is_told(
    round_: Round, gateway: Client, agent: User, manager: User
) -> None:
    number = post(gateway, details(round_), key="m-1")[1]["number"]
    support, office = signed_in(agent), signed_in(manager)
    assert post(support, {"seen_version": 1}, path=f"/{number}/accept")[0] == 200
    status, body = post(office, {"seen_version": 1, "reason": "no"}, path=f"/{number}/refuse")
    assert (status, body["errors"][0]["rule"]) == (409, "complaint/changed")
    assert "was changed by pim" in body["detail"]
    assert post(support, {"seen_version": 2}, path=f"/{number}/review")[1]["status"] == "under_review"
    assert post(support, {"seen_version": 3, "reason": "x"}, path=f"/{number}/uphold")[0] == 403
    assert (
        post(office, {"seen_version": 3, "reason": "so"}, path=f"/{number}/uphold")[1]["outcome"] == "upheld"
    )
    answer = {"seen_version": 4, "text": "You were right.", "language": "en", "closes": True}
    assert post(support, answer, path=f"/{number}/answer")[1]["status"] == "closed"
    assert post(gateway, {"seen_version": 6}, path=f"/{number}/reopen")[0] == 403
    assert post(support, {"seen_version": 6}, path=f"/{number}/burn")[0] == 404


def test_whoever_reads_one_is_written_down_and_sees_what_was_said(
    round_: Round, gateway: Client, agent: User
) -> None:
    number = post(gateway, details(round_), key="m-1")[1]["number"]
    body = signed_in(agent).get(f"{URL}/{number}").json()
    assert (body["said"]["disputed"], body["said"]["contact"]) == ("ไพ่ใบที่สี่ผิด", "chat 88214")
    assert [step["action"] for step in body["steps"]] == ["filed"]
    assert (body["video"][0]["camera"], body["video"][0]["status"]) == ("B01", "asked")
    entry = JournalEntry.objects.get(action="player.seen")
    assert f'"for":"{number}"' in bytes(entry.body).decode()


def test_lists_are_narrowed_to_a_round_a_table_a_dealer_and_a_player(
    round_: Round, gateway: Client, agent: User
) -> None:
    mine = post(gateway, details(round_), key="m-1")[1]["number"]
    other = post(gateway, details(round_, player="P-10002"), key="m-2")[1]["number"]
    client = signed_in(agent)

    def listed(query: str) -> list[str]:
        return [one["number"] for one in client.get(f"{URL}?{query}").json()["items"]]

    assert listed(f"round={round_.public_id}") == [other, mine]
    assert listed("table=B01") == [other, mine] and listed("table=B02") == []
    assert listed("dealer=D-07") == [other, mine] and listed("dealer=D-08") == []
    assert listed("player=P-10001") == [mine]
    assert listed("status=refused") == []


def test_a_gateway_adds_what_was_missing(round_: Round, gateway: Client, settings: Any) -> None:
    settings.COMPLAINT_WHEN_INCOMPLETE = "wait"
    number = post(gateway, details(round_, dealer=""), key="m-1")[1]["number"]
    status, body = post(gateway, {"dealer": "Mali Chantara"}, path=f"/{number}/information")
    assert (status, body["status"], body["checks"]["dealer"]) == (200, "received", "agrees")


def test_each_verb_is_done_over_http(
    round_: Round, gateway: Client, agent: User, manager: User, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    number, other = (post(gateway, details(round_), key=key)[1]["number"] for key in ("m-1", "m-2"))
    support, office = signed_in(agent), signed_in(manager)
    version = 1

    def lead(client: Client, verb: str, wanted: str, **more: Any) -> dict[str, Any]:
        nonlocal version
        status, body = post(client, {"seen_version": version, **more}, path=f"/{number}/{verb}")
        assert (status, body["status"]) == (200, wanted), verb
        version = body["version"]
        return body

    lead(support, "wait", "waiting", reason="which card?")
    status, body = post(gateway, {"contact": "chat 5"}, path=f"/{number}/information")
    assert (status, body["status"]) == (200, "received")
    version = body["version"]
    lead(support, "note", "received", text="called back")
    lead(support, "accept", "accepted")
    lead(support, "review", "under_review")
    assert lead(office, "reject", "rejected", reason="dealt by the rules")["outcome"] == "rejected"
    status, body = post(support, {"seen_version": version}, path=f"/{number}/close")
    assert (status, body["errors"][0]["rule"]) == (409, "complaint/answer")
    lead(support, "answer", "rejected", text="It was dealt by the rules.", language="en")
    assert lead(support, "close", "closed")["closed_at"] is not None
    file = {"name": "chat.txt", "content": "dHdvIGNhcmRz"}
    status, body = post(gateway, file, path=f"/{number}/attachments")
    assert (status, body["errors"][0]["rule"]) == (409, "complaint/reopen")
    assert not Attachment.objects.exists()
    body = lead(office, "reopen", "under_review", reason="camera 3 shows otherwise")
    assert (body["closed_at"], body["outcome"]) == (None, "")
    assert post(gateway, file, path=f"/{number}/attachments")[0] == 201
    assert lead(support, "merge", "closed", into_number=other)["merged_into"] == other
    status, body = post(office, {"seen_version": version, "reason": "x"}, path=f"/{number}/reopen")
    assert (status, body["errors"][0]["rule"]) == (409, "complaint/merged")
    texts = [step["text"] for step in support.get(f"{URL}/{number}").json()["steps"]]
    assert texts == [
        None,
        "which card?",
        None,
        "called back",
        None,
        None,
        "dealt by the rules",
        "It was dealt by the rules.",
        None,
        "camera 3 shows otherwise",
        None,
    ]


def test_a_gateway_follows_the_answers(round_: Round, gateway: Client, agent: User) -> None:
    other = make_table(code="B02", rulebook="commission")
    reader, theirs = key_client(None, "complaint:read"), key_client(other, "complaint:read")
    support = signed_in(agent)
    numbers = [post(gateway, details(round_), key=key)[1]["number"] for key in ("m-1", "m-2")]

    def answer(number: str, version: int) -> None:
        body = {"seen_version": version, "text": "We look into it.", "language": "en"}
        assert post(support, body, path=f"/{number}/answer")[0] == 200

    def follow(after: str, more: str = "", client: Client = reader) -> dict[str, Any]:
        answered = client.get(f"{URL}/answers?after={after}{more}")
        assert answered.status_code == 200
        body: dict[str, Any] = answered.json()
        return body

    start = follow("0")
    assert start["items"] == []
    for number in numbers:
        post(support, {"seen_version": 1}, path=f"/{number}/accept")
        answer(number, 2)
    first = follow(start["after"], "&limit=1")
    assert first["has_more"]
    [one] = first["items"]
    assert one | {"answered_at": None} == {
        "complaint": numbers[0],
        "version": 3,
        "channel": "chat",
        "language": "en",
        "status": "accepted",
        "answered_at": None,
    }
    rest = follow(first["after"])
    assert ([one["complaint"] for one in rest["items"]], rest["has_more"]) == (numbers[1:], False)
    assert follow(rest["after"])["items"] == []
    answer(numbers[0], 3)
    again = follow(rest["after"])["items"]
    assert [(one["complaint"], one["version"]) for one in again] == [(numbers[0], 4)]
    [step] = [one for one in reader.get(f"{URL}/{numbers[0]}").json()["steps"] if one["version"] == 4]
    assert (step["action"], step["text"]) == ("answered", "We look into it.")
    assert follow("0", client=theirs)["items"] == []
    assert gateway.get(f"{URL}/answers").status_code == 403
    assert reader.get(f"{URL}/answers?after=x").status_code == 400
