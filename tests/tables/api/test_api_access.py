"""Who may ask what: keys with scopes for their table or for all, people with permissions, nobody else."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from tables.models import ApiKey, GameTable, Round
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key, revoke_api_key
from tests.tables.api.clients import key_client, staff_client
from tests.tables.playing import NOON, make_table

READS = {
    # address: scopes that open it, permission that opens it
    "/api/v1/tables": ({"play:read"}, "view_gametable"),
    "/api/v1/tables/B01/feed": ({"play:read", "feed:write"}, "view_gametable"),
    "/api/v1/shoes": ({"play:read"}, "view_shoe"),
    "/api/v1/shoes/B01-20261129-01": ({"play:read"}, "view_shoe"),
    "/api/v1/rounds": ({"play:read"}, "view_round"),
    "/api/v1/rounds/B01-20261129-01-001-H": ({"play:read"}, "view_round"),
    "/api/v1/rounds/B01-20261129-01-001-H/bets": ({"play:read"}, "view_bet"),
    "/api/v1/rounds/B01-20261129-01-001-H/settlements": ({"play:read"}, "view_settlement"),
    "/api/v1/settlements/{settlement}": ({"play:read"}, "view_settlement"),
    "/api/v1/settlements/{settlement}/lines": ({"play:read"}, "view_settlementline"),
    "/api/v1/bets/b1": ({"play:read"}, "view_bet"),
    "/api/v1/wallet/transactions": ({"wallet:read"}, "view_wallettransaction"),
    "/api/v1/lookup?q=b1": ({"play:read", "wallet:read"}, "view_round"),
}


def address_of(pattern: str, rounds: list[Round]) -> str:
    assert rounds[0].public_id == "B01-20261129-01-001-H"
    return pattern.format(settlement=rounds[0].settlements.get().pk)


def test_each_scope_opens_what_it_says(rounds: list[Round]) -> None:
    table = rounds[0].table
    clients = {scope: key_client(None, scope) for scope in ("play:read", "wallet:read")}
    clients["feed:write"] = key_client(table, "feed:write")
    for pattern, (opened_by, _) in READS.items():
        for scope, client in clients.items():
            answer = client.get(address_of(pattern, rounds))
            assert answer.status_code == (200 if scope in opened_by else 403), (pattern, scope)
            if scope not in opened_by:
                problem = answer.json()
                assert problem["type"] == "urn:bluecard:problem:missing-scope"
                assert set(problem["needed_scopes"]) == opened_by
                assert scope in problem["detail"]


def test_a_person_needs_the_permission_of_the_page(rounds: list[Round]) -> None:
    other = staff_client("view_rulebook")
    for pattern, (_, permission) in READS.items():
        address = address_of(pattern, rounds)
        assert staff_client(permission).get(address).status_code == 200, pattern
        refused = other.get(address)
        assert refused.status_code == 403, pattern
        assert refused.json()["needed_permission"] == f"tables.{permission}"
        assert staff_client(permission, is_staff=False).get(address).status_code == 403, pattern
        assert Client().get(address).status_code == 401, pattern


def test_only_a_key_with_the_scope_sends_events_and_only_to_its_table(platform: Any) -> None:
    other = make_table("B02", rulebook="commission")
    body = platform.event("heartbeat")
    sent = {"data": body, "content_type": "application/x-ndjson"}
    address = "/api/v1/tables/B01/events"
    assert Client().post(address, **sent).status_code == 401
    assert staff_client("key_play", "view_feedevent").post(address, **sent).status_code == 401
    refused = key_client(platform.table, "play:read").post(address, **sent)
    assert (refused.status_code, refused.json()["needed_scopes"]) == (403, ["feed:write"])
    refused = key_client(other, "feed:write").post(address, **sent)
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:bluecard:problem:other-table")
    assert platform.table.events.count() == 5  # what opened the table
    accepted = key_client(platform.table, "feed:write").post(address, **sent)
    assert accepted.status_code == 200
    assert platform.table.events.count() == 6


def test_a_key_of_another_table_sees_nothing_of_this_one(rounds: list[Round]) -> None:
    other = make_table("B02", rulebook="commission")
    client = key_client(other, "play:read", "wallet:read")
    assert [row["code"] for row in client.get("/api/v1/tables").json()["items"]] == ["B02"]
    assert client.get("/api/v1/rounds").json()["items"] == []
    assert client.get("/api/v1/shoes").json()["items"] == []
    assert client.get("/api/v1/wallet/transactions").json()["items"] == []
    settlement = rounds[0].settlements.get().pk
    for address, status in {
        "/api/v1/tables/B01/feed": 403,
        f"/api/v1/rounds/{rounds[0].public_id}": 403,
        f"/api/v1/rounds/{rounds[0].public_id}/bets": 403,
        "/api/v1/shoes/B01-20261129-01": 404,
        "/api/v1/bets/b1": 404,
        f"/api/v1/settlements/{settlement}": 404,
        f"/api/v1/settlements/{settlement}/lines": 404,
        "/api/v1/lookup?q=b1": 403,
    }.items():
        assert client.get(address).status_code == status, address


WRONG_HEADERS = {
    "another scheme": "Basic Ym9iOmJvYg==",
    "no key at all": "Bearer",
    "not the form": "Bearer open sesame",
    "an unknown prefix": "Bearer bc_0123456789ab_" + "x" * 43,
    "NUL": "Bearer bc_\x00",
    "bytes beyond ASCII": "Bearer bc_\xff\xfe",
    "very long": "Bearer " + "x" * 100_000,
}


@pytest.mark.django_db
@pytest.mark.parametrize("header", WRONG_HEADERS.values(), ids=WRONG_HEADERS)
def test_what_is_no_key_is_not_authenticated(header: str) -> None:
    answer = Client(headers={"Authorization": header}).get("/api/v1/tables")
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Bluecard"'
    assert answer.json()["detail"].startswith("Authorization: ")


def test_a_key_with_one_character_changed_is_unknown(platform: Any) -> None:
    _, text = make_api_key(label="x", table=None, scopes=["play:read"], actor=SYSTEM, at=NOON)
    changed = text[:-1] + ("A" if text[-1] != "A" else "B")
    assert Client(headers={"Authorization": f"Bearer {text}"}).get("/api/v1/tables").status_code == 200
    assert Client(headers={"Authorization": f"Bearer {changed}"}).get("/api/v1/tables").status_code == 401
    assert text not in str(ApiKey.objects.values().get())


def test_a_revoked_key_is_refused_at_once(platform: Any) -> None:
    key, text = make_api_key(label="x", table=None, scopes=["play:read"], actor=SYSTEM, at=NOON)
    client = Client(headers={"Authorization": f"Bearer {text}"})
    assert client.get("/api/v1/tables").status_code == 200
    assert revoke_api_key(key_id=key.pk, actor=SYSTEM, at=NOON + timedelta(hours=1)) is True
    answer = client.get("/api/v1/tables")
    assert answer.status_code == 401
    assert "revoked" in answer.json()["detail"]


def test_a_session_cookie_with_control_characters_is_no_session(db: Any) -> None:
    client = Client()
    client.cookies.load('sessionid="abcdefgh\\000ijkl"')
    assert client.get("/api/v1/tables").status_code == 401


def test_a_players_reference_is_only_for_whom_it_is(rounds: list[Round]) -> None:
    def reference(client: Client) -> str | None:
        return client.get("/api/v1/bets/b1").json()["player"]["reference"]

    assert reference(key_client(None, "play:read")) == "P-10001"
    assert reference(staff_client("view_bet", "view_playeridentity")) == "P-10001"
    assert reference(staff_client("view_bet")) is None


def test_documents_are_for_everybody(db: Any) -> None:
    for address in ("/api/v1/openapi.json", "/api/v1/schema/feed-event", "/api/v1/docs"):
        assert Client().get(address).status_code == 200


def test_a_key_for_all_tables_reads_each(rounds: list[Round]) -> None:
    make_table("B02", rulebook="commission")
    codes = [row["code"] for row in key_client(None, "play:read").get("/api/v1/tables").json()["items"]]
    assert codes == ["B01", "B02"]
    assert GameTable.objects.count() == 2
