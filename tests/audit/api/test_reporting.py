"""Incidents reported over the API, by machines and people, and read again."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Incident, TableDecision
from tables.models import GameTable, Hold, JournalEntry, Round
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

ADDRESS = "/api/v1/tables/B01/incidents"


def report(client: Client, body: Any, address: str = ADDRESS, **how: Any) -> Any:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(address, **({"data": text, "content_type": "application/json"} | how))


def test_a_machine_reports_and_the_round_waits(platform: Platform, round_: Round) -> None:
    client = key_client(platform.table, "incident:write")
    answer = report(client, {"code": "misdeal", "round": round_.public_id.lower(), "note": " seen "})
    assert answer.status_code == 201
    body = answer.json()
    incident = Incident.objects.get()
    assert body | {"reported_at": None} == {
        "number": incident.number,
        "table": "B01",
        "shoe": "B01-20261129-01",
        "round": round_.public_id,
        "rulebook": {"code": "commission", "version": 1},
        "code": "misdeal",
        "facts": {},
        "remedies": ["manager"],
        "passage": incident.passage,
        "note": "seen",
        "source": "api",
        "status": "open",
        "is_holding": True,
        "reported_by": None,
        "reported_at": None,
        "escalated_at": None,
        "closed_at": None,
    }
    assert Hold.objects.get(lifted_at=None).round_id == round_.pk
    assert [row.kind for row in TableDecision.objects.all()] == ["hold"]
    entry = JournalEntry.objects.get(action="incident.reported")
    assert (entry.actor_kind, len(entry.actor_id)) == ("key", 12)


def test_a_report_with_an_id_is_taken_once(platform: Platform, round_: Round) -> None:
    client = key_client(platform.table, "incident:write")
    body = {"id": "pit-17", "code": "misdeal", "round": round_.public_id, "note": " seen "}
    first, again = report(client, body), report(client, body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert (Incident.objects.count(), Hold.objects.count(), TableDecision.objects.count()) == (1, 1, 1)
    assert JournalEntry.objects.filter(action="incident.reported").count() == 1


def test_the_same_id_with_another_body_is_refused(platform: Platform, round_: Round) -> None:
    client = key_client(platform.table, "incident:write")
    body = {"id": "pit-17", "code": "misdeal", "round": round_.public_id}
    number = report(client, body).json()["number"]
    for other in ({"note": "seen"}, {"code": "card_misplaced"}, {"facts": {"face_seen": True}}):
        refused = report(client, body | other)
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:bluecard:problem:conflict")
        assert number in refused.json()["detail"]
    assert Incident.objects.count() == 1
    # Another table's report of the same name is another report.
    make_table("B02", rulebook="commission")
    elsewhere = {"id": "pit-17", "code": "misdeal"}
    client = key_client(GameTable.objects.get(code="B02"), "incident:write")
    assert report(client, elsewhere, "/api/v1/tables/B02/incidents").status_code == 201


def test_a_person_reports_with_the_permission(asker: User, round_: Round) -> None:
    answer = report(signed_in(asker), {"code": "misdeal", "round": round_.public_id})
    assert (answer.status_code, answer.json()["source"]) == (201, "person")
    assert answer.json()["reported_by"] == "asker"


def test_what_changes_nothing_is_closed_at_once(platform: Platform) -> None:
    live = Platform(make_table("B07", rulebook="live-commission"))
    live.start(burn=None)
    round_ = live.play("9H 2D KC QS")
    client = key_client(live.table, "incident:write")
    body = {"code": "player_equipment", "round": round_.public_id}
    answer = report(client, body, "/api/v1/tables/B07/incidents").json()
    assert (answer["status"], answer["remedies"], answer["is_holding"]) == ("closed", ["stands"], False)
    assert not Hold.objects.exists()


def test_who_may_not_report_changes_nothing(platform: Platform, round_: Round) -> None:
    body = {"code": "misdeal", "round": round_.public_id}
    other = make_table("B02", rulebook="commission")
    clients = {
        "nobody": (Client(), 401, "not-authenticated"),
        "a key without the scope": (key_client(platform.table, "feed:write"), 403, "missing-scope"),
        "another table's key": (key_client(other, "incident:write"), 403, "other-table"),
        "a person without the permission": (
            signed_in(make_user("guest", "audit.view_incident")),
            403,
            "missing-permission",
        ),
        "a page of somebody else's": (
            signed_in(make_user("victim", "audit.report_incident"), enforce_csrf_checks=True),
            403,
            "not-allowed",
        ),
    }
    for who, (client, status, problem) in clients.items():
        answer = report(client, body)
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:bluecard:problem:{problem}"), who
    assert not Incident.objects.exists()
    assert not Hold.objects.exists()


WRONG: dict[str, tuple[Any, str, str]] = {
    "an unknown code": ({"code": "card_lost"}, "code", "commission/incidents"),
    "no code": ({}, "code", "required"),
    "an unknown fact": ({"code": "misdeal", "facts": {"moon": 1}}, "facts.moon", "incident/facts"),
    "a fact's value": (
        {"code": "misdeal", "facts": {"face_seen": "yes"}},
        "facts.face_seen",
        "incident/facts",
    ),
    "a fact's list": ({"code": "misdeal", "facts": {"face_seen": [1]}}, "facts.face_seen", "incident/facts"),
    "facts that are none": ({"code": "misdeal", "facts": 3}, "facts", "not_a_dict"),
    "a round's slip": ({"code": "misdeal", "round": "B01-20261129-01-001-K"}, "round", "wrong_check"),
    "a round nobody played": (
        {"code": "misdeal", "round": "B01-20261129-01-002-Q"},
        "round",
        "round/unknown",
    ),
    "an unknown shoe": ({"code": "misdeal", "shoe": "B01-20261129-09"}, "shoe", "shoe/unknown"),
    "an unknown field": ({"code": "misdeal", "colour": "red"}, "colour", "unknown_parameter"),
    "NUL": ({"code": "misdeal", "note": "a\0b"}, "note", "null_characters_not_allowed"),
    "half a character": (b'{"code": "\\ud800"}', "body", "json"),
    "half a character in a name": (b'{"code": "misdeal", "facts": {"\\ud800": 1}}', "body", "json"),
    "no JSON": (b"{", "body", "json"),
    "no text": (b"\xff", "body", "json"),
    "no object": (b"[]", "body", "json"),
    "no number": (b'{"code": "misdeal", "facts": {"card_number": NaN}}', "body", "json"),
    "depth": (b"[" * 100_000, "body", "json"),
    "digits": (b'{"code": ' + b"9" * 5_000 + b"}", "body", "json"),
}


@pytest.mark.parametrize(("body", "field", "rule"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named_and_changes_nothing(
    platform: Platform, body: Any, field: str, rule: str
) -> None:
    answer = report(key_client(platform.table, "incident:write"), body)
    assert answer.status_code == 400, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    [error] = answer.json()["errors"]
    assert (error["field"], error["rule"]) == (field, rule)
    assert not Incident.objects.exists()


def test_a_round_or_shoe_of_another_table_is_not_of_this_one(platform: Platform, round_: Round) -> None:
    make_table("B02", rulebook="commission")
    client = key_client(None, "incident:write")
    for field, name in {"round": round_.public_id, "shoe": round_.shoe.public_id}.items():
        answer = report(client, {"code": "misdeal", field: name}, "/api/v1/tables/B02/incidents")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["rule"] == f"{field}/table"
    assert report(client, {"code": "misdeal"}, "/api/v1/tables/B99/incidents").status_code == 404
    assert not Incident.objects.exists()


def test_too_much_and_what_is_no_json_is_refused(platform: Platform) -> None:
    client = key_client(platform.table, "incident:write")
    assert report(client, b" " * (1024 * 1024 + 1)).status_code == 413
    assert report(client, {"code": "misdeal"}, content_type="text/plain").status_code == 415
    assert not Incident.objects.exists()


def test_incidents_are_listed_and_narrowed(platform: Platform, round_: Round) -> None:
    client = key_client(platform.table, "incident:write", "play:read")
    numbers = [report(client, {"code": "misdeal"}).json()["number"] for _ in range(3)]
    page = client.get("/api/v1/incidents?table=B01&status=open&limit=2").json()
    assert [row["number"] for row in page["items"]] == numbers[:0:-1]
    rest = client.get(page["next"]).json()
    assert ([row["number"] for row in rest["items"]], rest["next"]) == (numbers[:1], None)
    assert client.get("/api/v1/incidents?status=closed").json()["items"] == []
    one = client.get(f"/api/v1/incidents/{numbers[0]}").json()
    assert (one["number"], one["round"]) == (numbers[0], None)
    for wrong in ("I-9999", "R-0001", "%00", "x" * 300, "I-" + "9" * 500):
        assert client.get(f"/api/v1/incidents/{wrong}").status_code == 404
    assert client.get("/api/v1/incidents?status=lost").status_code == 400


def test_another_tables_key_sees_nothing_and_a_person_needs_the_permission(platform: Platform) -> None:
    number = report(key_client(platform.table, "incident:write"), {"code": "misdeal"}).json()["number"]
    other = key_client(make_table("B02", rulebook="commission"), "play:read")
    assert other.get("/api/v1/incidents").json()["items"] == []
    assert other.get(f"/api/v1/incidents/{number}").status_code == 404
    person = signed_in(make_user("viewer", "audit.view_incident"))
    assert person.get(f"/api/v1/incidents/{number}").status_code == 200
    assert signed_in(make_user("guest")).get("/api/v1/incidents").status_code == 403


def test_a_list_costs_the_same_however_long_it_is(
    asker: User, round_: Round, django_assert_num_queries: Any
) -> None:
    client = signed_in(asker)
    for wanted in (1, 5):
        while Incident.objects.count() < wanted:
            report(client, {"code": "misdeal", "round": round_.public_id})
        with django_assert_num_queries(5):  # the session, the person, twice the permissions, the page
            assert len(client.get("/api/v1/incidents").json()["items"]) == wanted
