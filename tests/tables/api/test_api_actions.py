"""Opening, closing and limits through the API: people only, with their permission."""

from typing import Any

import pytest

from tables.models import GameTable, JournalEntry
from tests.tables.api.clients import key_client, staff_client
from tests.tables.playing import Platform

JSON = "application/json"


def post(client: Any, action: str, body: Any, code: str = "B01") -> Any:
    return client.post(f"/api/v1/tables/{code}/{action}", body, content_type=JSON)


def test_a_table_is_closed_and_opened(platform: Platform) -> None:
    client = staff_client("open_table")
    answer = post(client, "close", {"reason": "lamp broke"})
    assert (answer.status_code, answer.json()["status"]) == (200, "closed")
    answer = post(client, "close", {"reason": "again"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:bluecard:problem:not-possible")
    assert answer.json()["errors"] == [
        {"field": "table", "rule": "table/status", "message": "B01 is closed already"}
    ]
    answer = post(client, "open", {"reason": "lamp is new"})
    assert (answer.status_code, answer.json()["status"]) == (200, "open")
    answer = post(client, "close", {"reason": "camera dark", "by_fault": True})
    assert answer.json()["status"] == "closed_by_fault"


def test_limits_are_set(platform: Platform) -> None:
    client = staff_client("set_up_table")
    body = {"default": {"min": 500, "max": 900}, "bets": {"tie": {"min": 100, "max": 200}}}
    answer = post(client, "limits", body)
    assert answer.status_code == 200
    assert answer.json()["min_stake_minor"] == 500
    assert answer.json()["bet_limits"] == {"tie": [100, 200]}
    assert post(client, "limits", {"bets": {}}).json()["bet_limits"] == {}
    assert post(client, "limits", {}).json()["max_stake_minor"] == 900


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("open", {}, "reason"),
        ("open", {"reason": ""}, "reason"),
        ("open", {"reason": "a\x00b"}, "reason"),
        ("open", {"reason": "a", "\x00": [{"b": "\x00"}]}, "body"),
        ("close", {"reason": "x" * 301}, "reason"),
        ("close", {"reason": "why", "by_fault": "perhaps"}, "by_fault"),
        ("limits", {"default": {"min": 0, "max": 1}}, "default.min"),
        ("limits", {"default": {"min": 1}}, "default.max"),
        ("limits", {"default": {"min": 1, "max": 10**16}}, "default.max"),
        ("limits", {"bets": {"tiger": {"min": 1, "max": 2}}}, "bets.tiger"),
        ("limits", {"bets": {"tie": {"min": 3, "max": 2}}}, "bets.tie"),
        ("limits", {"bets": {"tie": {"min": 1.5, "max": 2}}}, "bets.tie.min"),
        ("limits", {"bets": [1]}, "bets"),
        ("limits", {"colour": 1}, "colour"),
    ],
)
def test_a_bad_body_names_its_field_and_changes_nothing(
    action: str, body: dict[str, Any], field: str, platform: Platform
) -> None:
    before = JournalEntry.objects.count()
    answer = post(staff_client("open_table", "set_up_table"), action, body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert JournalEntry.objects.count() == before
    assert GameTable.objects.get().status == "open"


def test_who_may_not_and_what_is_not_there(platform: Platform) -> None:
    body = {"reason": "why"}
    assert post(staff_client("view_gametable"), "close", body).status_code == 403
    key = post(key_client(platform.table, "feed:write"), "close", body)
    assert (key.status_code, key.json()["type"]) == (403, "urn:bluecard:problem:person-only")
    assert post(staff_client("open_table"), "close", body, "B99").status_code == 404
    assert post(staff_client("open_table"), "close", body, "%00").status_code == 404
    assert GameTable.objects.get().status == "open"


def test_a_nul_anywhere_in_a_body_is_refused(platform: Platform) -> None:
    body = {"code": "misdeal", "facts": {"phase": ["a\x00"]}}
    answer = post(key_client(platform.table, "incident:write"), "incidents", body)
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["field"], error["rule"]) == (
        400,
        "facts",
        "null_characters_not_allowed",
    )
