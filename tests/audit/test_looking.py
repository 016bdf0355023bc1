"""Whatever names a player to a person or to a machine is an entry of the journal, once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from audit.services import looks
from casino.roles import ROLES
from tables.models import JournalEntry, Player, Round
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_(db: Any) -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100), ("b2", "P-10002", "banker", 150))


@pytest.fixture
def agent(round_: Round) -> Client:
    return browser_of(make_user("pim", *ROLES["support"].permissions))


@pytest.fixture
def machine(round_: Round) -> Client:
    return key_client(None, "play:read", "wallet:read")


def players() -> list[int]:
    return list(Player.objects.order_by("pk").values_list("pk", flat=True))


def looked(client: Client, path: str) -> list[dict[str, Any]]:
    """Look at something, and return what was written down of that."""
    before = JournalEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    answer = client.get(path)
    assert answer.status_code == 200, path
    found = JournalEntry.objects.filter(pk__gt=before, action__endswith=".seen").order_by("pk")
    return [json.loads(bytes(entry.body)) for entry in found]


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("/api/v1/rounds/{round}/bets", "api:round-bets"),
        ("/api/v1/settlements/{settlement}/lines", "api:settlement-lines"),
        ("/api/v1/wallet/transactions", "api:wallet-transactions"),
    ],
)
def test_a_machine_that_reads_players_is_written_down_by_its_key(
    path: str, way: str, round_: Round, machine: Client
) -> None:
    settlement = round_.settlements.get()
    [body] = looked(machine, path.format(round=round_.public_id, settlement=settlement.pk))
    named = players()[:1] if way == "api:wallet-transactions" else players()  # one of the two was paid
    if len(named) == 1:
        assert (body["action"], body["data"]["player"]) == ("player.seen", named[0])
    else:
        assert (body["action"], body["data"]["players"]) == ("players.seen", named)
    assert body["actor"][0] == "key"
    assert body["data"]["way"] == way


def test_one_bet_is_a_look_at_one_player(round_: Round, machine: Client) -> None:
    [body] = looked(machine, "/api/v1/bets/b2")
    assert (body["action"], body["subject"][0]) == ("player.seen", "player")
    assert body["data"] == {"player": players()[1], "way": "api:bet", "for": "b2"}


@pytest.mark.parametrize("path", ["/api/v1/rounds", "/api/v1/rounds/{round}", "/api/v1/tables"])
def test_what_names_no_player_writes_nothing(path: str, round_: Round, machine: Client) -> None:
    assert looked(machine, path.format(round=round_.public_id)) == []


@pytest.mark.parametrize("model", ["bet", "player"])
def test_a_list_in_the_admin_is_one_entry(model: str, agent: Client) -> None:
    [body] = looked(agent, f"/admin/tables/{model}/")
    assert (body["action"], body["actor"][0]) == ("players.seen", "user")
    assert body["data"] == {
        "players": players(),
        "way": f"admin:tables_{model}_changelist",
        "for": f"admin:tables_{model}_changelist",
    }


def test_a_look_that_is_written_down_is_written_once(round_: Round, agent: Client) -> None:
    first = players()[0]
    for path in (f"/admin/tables/player/{first}/change/", f"/admin/tables/round/{round_.pk}/change/"):
        assert len(looked(agent, path)) == 1, path


def test_who_sees_no_references_names_nobody(round_: Round) -> None:
    blind = browser_of(make_user("clerk", "tables.view_round", "tables.view_bet"))
    assert looked(blind, f"/api/v1/rounds/{round_.public_id}/bets") == []


def test_no_reference_gets_into_an_entry_by_the_address(round_: Round, machine: Client) -> None:
    looked(machine, "/api/v1/players/P-10001/notices")
    assert not [entry for entry in JournalEntry.objects.all() if b"P-10001" in bytes(entry.body)]


@pytest.fixture
def broken_journal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("the journal is full")

    monkeypatch.setattr(looks, "record", refuse)
    yield


@pytest.mark.usefixtures("broken_journal")
def test_without_an_entry_there_is_no_answer(round_: Round, machine: Client) -> None:
    with pytest.raises(RuntimeError, match="full"):
        machine.get("/api/v1/bets/b2")
    assert machine.get("/api/v1/tables").status_code == 200
