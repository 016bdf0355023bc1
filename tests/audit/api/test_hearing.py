"""A table hears over the API what was decided; and what its players were told is read there."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import RulingKind, TableDecision
from tables.models import JournalEntry, Round
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user, rule
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

ADDRESS = "/api/v1/tables/B01/decisions"


@pytest.fixture
def told(asker: User, decider: User, platform: Platform, round_: Round) -> list[int]:
    """Provide a table that was told two things; their numbers."""
    other = platform.play("9H 2D KC QS", ("b3", "P-1", "tie", 100))
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    rule(asker, decider, RulingKind.STAND, [other])
    return list(TableDecision.objects.order_by("pk").values_list("pk", flat=True))


def acknowledge(client: Client, number: int, address: str = ADDRESS) -> Any:
    return client.post(f"{address}/{number}/ack", content_type="application/json")


def test_a_table_follows_its_decisions(told: list[int], round_: Round) -> None:
    client = key_client(round_.table, "feed:write")
    first = client.get(f"{ADDRESS}?after=0&limit=1").json()
    assert [row["id"] for row in first["items"]] == told[:1]
    assert (first["after"], first["has_more"]) == (str(told[0]), True)
    assert first["items"][0] | {"decided_at": None, "ruling": None} == {
        "id": told[0],
        "table": "B01",
        "kind": "void",
        "round": round_.public_id,
        "platform_round": round_.platform_id,
        "shoe": None,
        "platform_shoe": None,
        "ruling": None,
        "data": {},
        "decided_at": None,
        "delivery": {
            "attempts": 0,
            "due_at": "2026-11-29T05:00:00Z",
            "acknowledged_at": None,
            "last_error": "",
        },
    }
    rest = client.get(f"{ADDRESS}?after={first['after']}").json()
    assert ([row["kind"] for row in rest["items"]], rest["has_more"]) == (["stand"], False)
    assert client.get(f"{ADDRESS}?after={rest['after']}").json()["items"] == []
    for wrong in ("-1", "x", "9" * 19, "%00"):
        assert client.get(f"{ADDRESS}?after={wrong}").status_code == 400


def test_what_was_heard_is_acknowledged_once(told: list[int], round_: Round) -> None:
    client = key_client(round_.table, "feed:write")
    first = acknowledge(client, told[0]).json()["delivery"]["acknowledged_at"]
    assert first is not None
    assert acknowledge(client, told[0]).json()["delivery"]["acknowledged_at"] == first
    entry = JournalEntry.objects.get(action="decision.acknowledged")
    assert (entry.actor_kind, entry.subject_label) == ("key", f"B01 {told[0]}")
    assert TableDecision.objects.get(pk=told[1]).acknowledged_at is None


def test_who_hears_and_who_acknowledges(told: list[int], round_: Round) -> None:
    other = make_table("B02", rulebook="commission")
    listener = key_client(None, "decisions:read")
    assert listener.get(ADDRESS).status_code == 200
    assert acknowledge(listener, told[0]).status_code == 200
    for client, status in (
        (key_client(other, "feed:write"), 403),
        (key_client(None, "play:read", "wallet:read"), 403),
        (signed_in(make_user("guest")), 403),
        (Client(), 401),
    ):
        assert client.get(ADDRESS).status_code == status
    manager = signed_in(make_user("manager", "audit.view_tabledecision", "audit.approve_ruling"))
    assert manager.get(ADDRESS).status_code == 200
    for client, address, status in (
        (manager, ADDRESS, 401),
        (key_client(round_.table, "play:read"), ADDRESS, 403),
        (key_client(other, "feed:write"), "/api/v1/tables/B02/decisions", 404),
        (listener, "/api/v1/tables/B99/decisions", 404),
    ):
        assert acknowledge(client, told[1], address).status_code == status
    assert acknowledge(listener, 10**30).status_code == 404
    assert TableDecision.objects.get(pk=told[1]).acknowledged_at is None


def test_notices_are_read_by_player_and_by_round_in_both_languages(told: list[int], round_: Round) -> None:
    client = key_client(None, "play:read")
    [notice] = client.get("/api/v1/players/P-1/notices").json()["items"]
    assert (notice["round"], notice["moved_minor"]) == (round_.public_id, -100)
    assert notice["player"]["reference"] == "P-1"
    assert notice["text_en"].startswith(f"Round {round_.public_id} was declared void.")
    assert "−1.00 THB" in notice["text_en"]
    assert notice["text_th"].startswith(f"รอบ {round_.public_id} ถูกประกาศเป็นโมฆะ")
    both = client.get(f"/api/v1/rounds/{round_.public_id}/notices").json()["items"]
    assert {row["player"]["reference"]: row["moved_minor"] for row in both} == {"P-1": -100, "P-2": 150}


def test_who_reads_notices(told: list[int], round_: Round) -> None:
    addresses = ("/api/v1/players/P-1/notices", f"/api/v1/rounds/{round_.public_id}/notices")
    other = key_client(make_table("B02", rulebook="commission"), "play:read")
    assert other.get(addresses[0]).json()["items"] == []
    assert other.get(addresses[1]).status_code == 403
    viewer = signed_in(make_user("viewer", "audit.view_notice"))
    for address in addresses:
        assert viewer.get(address).json()["items"][0]["player"]["reference"] is None
        assert signed_in(make_user(f"guest{address[8:14]}")).get(address).status_code == 403
        assert Client().get(address).status_code == 401
    for unknown in ("nobody", "%00", "a/b", "x" * 3_000):
        assert viewer.get(f"/api/v1/players/{unknown}/notices").status_code == 404
