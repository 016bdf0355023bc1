"""Rulings over the API: previewed, asked for, decided, stopped, resumed and read."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from audit.models import Incident, Ruling, SignIn
from tables.models import JournalEntry, Outbox, Round
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import MANAGES, carry_out, give_rights, make_user
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, lines_of, make_table


def post(client: Client, path: str, body: Any = None) -> Any:
    text = b"" if body is None else json.dumps(body).encode()
    return client.post(f"/api/v1/{path}", data=text, content_type="application/json")


def void(round_: Round, **more: Any) -> dict[str, Any]:
    return {"kind": "void_round", "rounds": [round_.public_id], "reason": "seen on camera", **more}


@pytest.fixture
def ruling(asker: User, round_: Round) -> Ruling:
    """Provide a request to void the round."""
    answer = post(signed_in(asker), "rulings", void(round_))
    assert answer.status_code == 201, answer.content
    return Ruling.objects.get(number=answer.json()["number"])


def test_from_the_preview_to_the_money(asker: User, decider: User, round_: Round) -> None:
    draft = {name: value for name, value in void(round_).items() if name != "reason"}
    preview = post(signed_in(asker), "rulings/preview", draft).json()
    assert not Ruling.objects.exists()
    [part] = preview["rounds"]
    assert part == {
        "round": round_.public_id,
        "base_revision": 1,
        "bets": 2,
        "bets_changed": 2,
        "players": 2,
        "before_minor": 200,
        "after_minor": 250,
        "given_minor": 150,
        "taken_minor": 100,
    }
    assert (preview["given_minor"], preview["taken_minor"], preview["bets"]) == (150, 100, 2)
    moves = {move["player"]["number"]: move["moved_minor"] for move in preview["by_player"]}
    assert sorted(moves.values()) == [-100, 150]
    assert {move["kind"]: move["moved_minor"] for move in preview["by_kind"]} == {
        "player": -100,
        "banker": 150,
    }

    asked = post(signed_in(asker), "rulings", void(round_)).json()
    assert (asked["status"], asked["preview_hash"]) == ("requested", preview["hash"])
    assert (asked["requested_by"], asked["decided_by"]) == ("asker", None)
    approved = post(
        signed_in(decider),
        f"rulings/{asked['number']}/approve",
        {"preview_hash": preview["hash"], "reason": "agreed"},
    )
    assert approved.status_code == 200, approved.content
    assert approved.json()["status"] == "approved"
    ruling = Ruling.objects.get()
    assert Outbox.objects.filter(bell="ruling", subject_id=ruling.pk).exists()

    carry_out(ruling, at=timezone.now())
    assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 150)}
    read = key_client(None, "play:read").get(f"/api/v1/rulings/{ruling.number}").json()
    assert (read["status"], read["decision_reason"]) == ("applied", "agreed")
    assert read["progress"] == {
        "rounds": 1,
        "rounds_done": 1,
        "bets": 2,
        "bets_done": 2,
        "given_minor": 150,
        "taken_minor": 100,
    }
    assert [(row["round"], row["status"]) for row in read["rounds"]] == [(round_.public_id, "applied")]
    [told] = read["decisions"]
    assert (told["kind"], told["round"], told["ruling"]) == ("void", round_.public_id, ruling.number)
    assert told["delivery"]["acknowledged_at"] is None


def test_an_incident_says_whether_the_decision_is_the_rulebooks(asker: User, round_: Round) -> None:
    reported = {"code": "card_dropped_unseen", "round": round_.public_id}
    client = signed_in(asker)
    number = post(client, "tables/B01/incidents", reported).json()["number"]
    incident = Incident.objects.get()
    answer = post(client, "rulings", void(round_, incident=number)).json()
    assert (answer["incident"], answer["passage"]) == (number, incident.passage)
    assert answer["is_proposed_by_rule"] is False  # that house leaves it to its manager
    assert incident.remedies == ["manager"]


def test_a_range_of_a_shoe_takes_its_rounds_that_are_not_void(platform: Platform, asker: User) -> None:
    rounds = [platform.play("9H 2D KC QS", (f"b{n}", "P-1", "player", 100)) for n in range(4)]
    body = {"kind": "void_range", "shoe": rounds[0].shoe.public_id, "first": 2, "last": 3, "reason": "why"}
    answer = post(signed_in(asker), "rulings", body)
    assert answer.status_code == 201, answer.content
    assert [row["round"] for row in answer.json()["rounds"]] == [row.public_id for row in rounds[1:3]]


def test_the_preview_of_many_rounds_says_what_each_player_gets_in_all(
    platform: Platform, asker: User
) -> None:
    wins = [platform.play("9H 2D KC QS", (f"b{n}", "P-1", "player", 100)) for n in range(2)]
    loses = platform.play("9H 2D KC QS", ("b9", "P-2", "banker", 500))
    body = {"kind": "void_range", "rounds": [one.public_id for one in (*wins, loses)]}
    preview = post(signed_in(asker), "rulings/preview", body).json()
    assert {move["kind"]: (move["bets"], move["moved_minor"]) for move in preview["by_kind"]} == {
        "banker": (1, 500),
        "player": (2, -200),
    }
    assert [(move["before_minor"], move["after_minor"]) for move in preview["by_player"]] == [
        (0, 500),
        (400, 200),
    ]


def test_refused_with_a_reason(decider: User, ruling: Ruling) -> None:
    address = f"rulings/{ruling.number}/refuse"
    assert post(signed_in(decider), address, {"reason": " "}).status_code == 400
    answer = post(signed_in(decider), address, {"reason": "not seen by me"}).json()
    assert (answer["status"], answer["decision_reason"]) == ("refused", "not seen by me")
    again = post(signed_in(decider), address, {"reason": "not seen by me"})
    assert (again.status_code, again.json()["type"]) == (409, "urn:bluecard:problem:cannot-decide")
    assert again.json()["errors"][0]["rule"] == "ruling/decided"


def test_withdrawn_by_who_asked_and_by_nobody_else(asker: User, decider: User, ruling: Ruling) -> None:
    address = f"rulings/{ruling.number}/withdraw"
    assert post(signed_in(asker), address, {}).status_code == 400
    other = post(signed_in(decider), address, {"reason": "not mine"})
    assert (other.status_code, other.json()["errors"][0]["rule"]) == (409, "ruling/other")
    key = post(key_client(None, "play:read", "incident:write"), address, {"reason": "a machine"})
    assert key.status_code == 403
    answer = post(signed_in(asker), address, {"reason": "the wrong round"}).json()
    assert (answer["status"], answer["decided_by"], answer["decision_reason"]) == (
        "withdrawn",
        "asker",
        "the wrong round",
    )
    late = post(signed_in(decider), f"rulings/{ruling.number}/approve", {"preview_hash": ruling.preview_hash})
    assert (late.status_code, late.json()["errors"][0]["rule"]) == (409, "ruling/withdrawn")


def test_stopped_and_resumed(decider: User, ruling: Ruling) -> None:
    client = signed_in(decider)
    assert post(client, f"rulings/{ruling.number}/stop").status_code == 409
    post(client, f"rulings/{ruling.number}/approve", {"preview_hash": ruling.preview_hash})
    assert post(client, f"rulings/{ruling.number}/stop").json()["wants_stop"] is True
    assert post(client, f"rulings/{ruling.number}/stop", {}).status_code == 409
    assert post(client, f"rulings/{ruling.number}/resume", {}).json()["wants_stop"] is False


def test_what_stands_against_an_approval_is_said_and_nothing_happens(
    asker: User, decider: User, ruling: Ruling, round_: Round
) -> None:
    client, address = signed_in(decider), f"rulings/{ruling.number}/approve"
    good = {"preview_hash": ruling.preview_hash}

    def refused(who: Client, body: Any) -> tuple[int, str]:
        answer = post(who, address, body)
        errors = answer.json()["errors"]
        return answer.status_code, errors[0]["rule"] if errors else answer.json()["type"].rsplit(":", 1)[-1]

    assert refused(client, {"preview_hash": "0" * 64}) == (409, "ruling/preview")
    assert refused(client, {"preview_hash": "none"}) == (400, "invalid")
    assert refused(client, {}) == (400, "required")
    assert refused(signed_in(asker), good) == (403, "missing-permission")
    assert refused(key_client(None, "play:read", "incident:write"), good) == (403, "person-only")
    assert refused(Client(), good) == (401, "not-authenticated")
    unlinked = User.objects.create_user("unlinked", is_staff=True)
    give_rights(unlinked, *MANAGES)
    assert refused(signed_in(unlinked), good) == (403, "no-person")
    ruling.refresh_from_db()
    assert ruling.status == "requested"
    assert not Outbox.objects.filter(bell="ruling").exists()
    assert not SignIn.objects.exists()
    assert not JournalEntry.objects.filter(action="ruling.approved").exists()


def test_above_the_threshold_nobody_approves_what_they_asked_for(platform: Platform) -> None:
    both = make_user("both", *MANAGES, "audit.view_ruling")
    round_ = platform.play("9H 2D KC QS", ("b1", "P-1", "player", 90_000_000))
    asked = post(signed_in(both), "rulings", void(round_)).json()
    answer = post(
        signed_in(both), f"rulings/{asked['number']}/approve", {"preview_hash": asked["preview_hash"]}
    )
    assert (answer.status_code, answer.json()["errors"][0]["rule"]) == (409, "ruling/four-eyes")
    assert Ruling.objects.get().status == "requested"


def test_a_request_that_expired_is_not_approved(decider: User, ruling: Ruling, monkeypatch: Any) -> None:
    later = timezone.now() + timedelta(minutes=31)
    monkeypatch.setattr("audit.api.rulings.timezone.now", lambda: later)
    body = {"preview_hash": ruling.preview_hash}
    answer = post(signed_in(decider), f"rulings/{ruling.number}/approve", body)
    assert (answer.status_code, answer.json()["errors"][0]["rule"]) == (409, "ruling/expired")
    ruling.refresh_from_db()
    assert ruling.status == "expired"


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "no reason": ({"reason": ""}, "reason", "blank"),
    "an unknown kind": ({"kind": "delete"}, "kind", "invalid_choice"),
    "no round": ({"rounds": [], "table": "B01"}, "rounds", "ruling/rounds"),
    "nothing at all": ({"rounds": []}, "table", "ruling/table"),
    "a round's slip": ({"rounds": ["B01-20261129-01-001-K"]}, "rounds[0]", "wrong_check"),
    "unknown kinds of bet": (
        {"kind": "void_kinds", "facts": {"kinds": ["super_six"]}},
        "kinds",
        "ruling/kinds",
    ),
    "cards that break the drawing": (
        {"kind": "correct", "facts": {"cards": {"P1": "2S", "B1": "2H", "P2": "2D", "B2": "2C"}}},
        "cards",
        "coup/drawing",
    ),
    "a place nobody knows": ({"kind": "correct", "facts": {"cards": {"P9": "9H"}}}, "cards", "coup/places"),
    "a card nobody knows": ({"kind": "correct", "facts": {"cards": {"P1": "XX"}}}, "cards", "card/form"),
    "no cards": ({"kind": "correct", "facts": {"cards": {}}}, "cards", "coup/drawing"),
    "something else besides": ({"facts": {"also": ["fire_dealer"]}}, "facts.also[0]", "invalid_choice"),
    "an unknown fact": ({"facts": {"moon": 1}}, "facts.moon", "unknown_parameter"),
    "an unknown incident": ({"incident": "I-9999"}, "incident", "incident/unknown"),
    "nothing to reinstate": ({"kind": "reinstate"}, "reinstates", "ruling/reinstate"),
    "an unknown shoe": ({"kind": "replace_shoe", "shoe": "B01-1"}, "shoe", "shoe/unknown"),
}


@pytest.mark.parametrize(("change", "field", "rule"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_ruled_is_named(
    asker: User, round_: Round, change: dict[str, Any], field: str, rule: str
) -> None:
    answer = post(signed_in(asker), "rulings", void(round_) | change)
    assert answer.status_code == 400, answer.content
    [error] = answer.json()["errors"]
    assert (error["field"], error["rule"]) == (field, rule)
    assert not Ruling.objects.exists()


def test_a_second_request_on_the_round_names_the_first(asker: User, ruling: Ruling, round_: Round) -> None:
    answer = post(signed_in(asker), "rulings", void(round_))
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["rule"]) == (400, "ruling/one-open")
    assert ruling.number in error["message"]
    assert Ruling.objects.count() == 1


def test_only_people_ask_and_only_with_the_permission(platform: Platform, round_: Round) -> None:
    viewer = make_user("viewer", "audit.view_ruling")
    for path in ("rulings", "rulings/preview"):
        machine = post(key_client(None, "play:read"), path, void(round_))
        assert (machine.status_code, machine.json()["type"]) == (403, "urn:bluecard:problem:person-only")
        assert post(signed_in(viewer), path, void(round_)).status_code == 403
        assert post(Client(), path, void(round_)).status_code == 401
    assert signed_in(viewer).get("/api/v1/rulings").status_code == 200
    assert not Ruling.objects.exists()


def test_rulings_are_listed_and_only_to_whom_they_concern(ruling: Ruling) -> None:
    client = key_client(ruling.table, "play:read")
    [row] = client.get("/api/v1/rulings?table=B01&status=requested").json()["items"]
    assert (row["number"], row["rounds_count"]) == (ruling.number, 1)
    assert client.get("/api/v1/rulings?status=applied").json()["items"] == []
    other = key_client(make_table("B02", rulebook="commission"), "play:read")
    assert other.get("/api/v1/rulings").json()["items"] == []
    assert other.get(f"/api/v1/rulings/{ruling.number}").status_code == 404
    assert client.get("/api/v1/rulings/R-%00").status_code == 404
