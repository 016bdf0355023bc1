"""A live table sends every event once and in order, whatever is lost, killed or away."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from casino.counterparts.platform.live import LiveTable, LiveTableFailed, Memory
from tables.rulebooks import load_shipped

FAST = 100_000.0


@dataclass
class FakeBluecard:
    """Keeps events as the real one does: in order, repeats acknowledged, what does not fit refused."""

    stop_after: int
    stopping: threading.Event
    next_seq: int = 1
    shoe: str | None = None
    bodies: dict[str, bytes] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    repeats: int = 0
    #: By the number of the call: raise, or answer in another way, before or after the event was taken.
    lose_before: frozenset[int] = frozenset()
    lose_after: frozenset[int] = frozenset()
    calls: int = 0
    status: str = "open"
    #: What is decided once an event of this number is in: kind, and a function of the events that names it.
    decides: dict[int, tuple[str, Callable[[list[dict[str, Any]]], str]]] = field(default_factory=dict)
    told: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/decisions"):
            items = [one for one in self.told if one["id"] > int(request.url.params["after"])]
            return httpx.Response(200, json={"items": items, "after": "0", "has_more": False})
        if path.endswith("/ack"):
            self.acknowledged.append(int(path.split("/")[-2]))
            return httpx.Response(200, json={})
        if request.method == "GET":
            standing = {"next_seq": self.next_seq, "shoe": self.shoe, "status": self.status}
            return httpx.Response(200, json=standing)
        assert request.headers["Content-Type"] == "application/x-ndjson"
        self.calls += 1
        if self.calls in self.lose_before:
            raise httpx.ConnectError("nobody there", request=request)
        answer = self.take(request.content)
        if self.calls in self.lose_after:
            return httpx.Response(502)
        return answer

    def take(self, body: bytes) -> httpx.Response:
        event = json.loads(body)
        if self.bodies.get(event["id"]) == body:
            self.repeats += 1
            return self.answer(200, event, "repeat")
        if event["seq"] > self.next_seq:
            return self.answer(409, event, "gap")
        if event["seq"] < self.next_seq or event["id"] in self.bodies:
            return self.answer(207, event, "conflict")
        self.bodies[event["id"]] = body
        self.events.append(event)
        self.next_seq += 1
        if event["seq"] in self.decides:
            kind, subject = self.decides[event["seq"]]
            self.decide(kind, subject(self.events))
        if len(self.events) >= self.stop_after:
            self.stopping.set()
        return self.answer(200, event, "accepted")

    def decide(self, kind: str, subject: str) -> None:
        name = "platform_shoe" if kind == "shoe_replaced" else "platform_round"
        told = {"platform_shoe": None, "platform_round": None, "ruling": "R-0001", "kind": kind}
        told["data"] = {"status": subject} if kind == "table_closed" and subject else {}
        self.told.append(told | {"id": len(self.told) + 1, name: subject})
        if kind == "table_closed":
            self.status = subject or "closed_by_fault"

    def answer(self, status: int, event: dict[str, Any], word: str) -> httpx.Response:
        one = {"id": event["id"], "seq": event["seq"], "status": word, "error": None, "refused_bets": []}
        return httpx.Response(status, json={"events": [one], "next_seq": self.next_seq})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait: the pauses between attempts are not what is tested."""
    monkeypatch.setattr(threading.Event, "wait", lambda self, timeout=None: self.is_set())


def table(
    bluecard: Callable[[httpx.Request], httpx.Response], memory: Path, stopping: threading.Event
) -> LiveTable:
    client = httpx.Client(transport=httpx.MockTransport(bluecard), base_url="http://bluecard/api/v1/")
    return LiveTable("B01", load_shipped("insurance"), 1, client, memory, stopping, FAST, listen_seconds=0)


def without_times(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    bare = [{name: value for name, value in event.items() if name not in ("at", "bets")} for event in events]
    for event, one in zip(events, bare, strict=True):
        if event["type"] == "bets":
            one["bets"] = [{name: bet[name] for name in bet if name != "at"} for bet in event["bets"]]
    return bare


def run_undisturbed(tmp_path: Path, count: int) -> list[dict[str, Any]]:
    stopping = threading.Event()
    bluecard = FakeBluecard(count, stopping)
    table(bluecard, tmp_path / "undisturbed.json", stopping).run()
    return bluecard.events


@pytest.mark.usefixtures("quick")
def test_it_opens_the_table_and_deals(tmp_path: Path) -> None:
    events = run_undisturbed(tmp_path, 60)
    assert [event["type"] for event in events[:5]] == [
        "table_opened", "limits_changed", "dealer_in", "shoe_started", "cut_card_placed",
    ]  # fmt: skip
    assert [event["seq"] for event in events] == list(range(1, 61))


@pytest.mark.usefixtures("quick")
def test_lost_requests_and_lost_answers_change_nothing(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(60, stopping, lose_before=frozenset({3, 4, 20}), lose_after=frozenset({8, 30}))
    table(bluecard, tmp_path / "memory.json", stopping).run()
    assert bluecard.repeats == 2
    assert without_times(bluecard.events) == without_times(run_undisturbed(tmp_path, 60))


@pytest.mark.usefixtures("quick")
def test_a_table_killed_at_any_event_goes_on_at_the_next(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(0, stopping)
    for count in (1, 7, 8, 31, 60):
        stopping.clear()
        bluecard.stop_after = count
        table(bluecard, tmp_path / "memory.json", stopping).run()
        assert len(bluecard.events) == count
    assert bluecard.repeats == 0
    assert without_times(bluecard.events) == without_times(run_undisturbed(tmp_path, 60))


@pytest.mark.usefixtures("quick")
def test_the_next_shoe_follows_the_last_one(tmp_path: Path) -> None:
    events = run_undisturbed(tmp_path, 1_500)
    starts = [place for place, event in enumerate(events) if event["type"] == "shoe_started"]
    ends = [place for place, event in enumerate(events) if event["type"] == "shoe_ended"]
    assert len(starts) == 2
    assert starts[0] < ends[0] < starts[1]
    assert [event["type"] for event in events].count("table_opened") == 1
    assert len({event["id"] for event in events}) == 1_500
    names = [event["round"] for event in events if event["type"] == "betting_opened"]
    assert len(set(names)) == len(names)


@pytest.mark.usefixtures("quick")
def test_a_memory_of_another_bluecard_is_given_up(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(10, stopping)
    memory = tmp_path / "memory.json"
    Memory(first_seq=500, opens=False, replaces=False).keep(memory)
    table(bluecard, memory, stopping).run()
    assert [event["type"] for event in bluecard.events[:2]] == ["table_opened", "limits_changed"]
    assert Memory.read(memory) == Memory(first_seq=1, opens=True, replaces=False)


@pytest.mark.usefixtures("quick")
def test_a_shoe_of_somebody_else_is_replaced(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(5, stopping, next_seq=40, shoe="B01-20261129-07")
    table(bluecard, tmp_path / "memory.json", stopping).run()
    assert [(event["seq"], event["type"]) for event in bluecard.events[:3]] == [
        (40, "table_opened"),
        (41, "shoe_ended"),
        (42, "limits_changed"),
    ]
    assert bluecard.events[1]["reason"] == "replaced"


def last(name: str) -> Callable[[list[dict[str, Any]]], str]:
    return lambda events: next(event[name] for event in reversed(events) if name in event)


def run_deciding(
    tmp_path: Path, count: int, decides: dict[int, tuple[str, Callable[[list[dict[str, Any]]], str]]]
) -> FakeBluecard:
    stopping = threading.Event()
    bluecard = FakeBluecard(count, stopping, decides=decides)
    table(bluecard, tmp_path / "memory.json", stopping).run()
    return bluecard


@pytest.mark.usefixtures("quick")
def test_it_obeys_what_it_hears_and_says_that_it_heard(tmp_path: Path) -> None:
    undisturbed = run_undisturbed(tmp_path, 40)
    card = next(event["seq"] for event in undisturbed if event["type"] == "card")
    bluecard = run_deciding(tmp_path, 40, {card: ("hold", last("round")), card + 1: ("void", last("round"))})
    void = bluecard.told[1]["platform_round"]
    assert without_times(bluecard.events[: card + 1]) == without_times(undisturbed[: card + 1])
    assert [event["type"] for event in bluecard.events[card + 1 : card + 3]] == ["card_out", "card_out"]
    assert not any(event.get("round") == void for event in bluecard.events[card + 1 :])
    assert [event["seq"] for event in bluecard.events] == list(range(1, 41))
    assert bluecard.acknowledged == [1, 2]


@pytest.mark.usefixtures("quick")
def test_a_table_killed_after_an_order_goes_on_as_ordered(tmp_path: Path) -> None:
    card = next(event["seq"] for event in run_undisturbed(tmp_path, 40) if event["type"] == "card")
    decides = {card + 1: ("re_deal", last("round"))}
    whole = run_deciding(tmp_path / "whole", 60, decides)
    stopping = threading.Event()
    bluecard = FakeBluecard(0, stopping, decides=decides)
    for count in (card + 1, card + 2, card + 4, 60):
        stopping.clear()
        bluecard.stop_after = count
        table(bluecard, tmp_path / "memory.json", stopping).run()
        assert len(bluecard.events) == count
    assert without_times(bluecard.events) == without_times(whole.events)
    assert bluecard.events[card + 1]["type"] == "redeal_started"
    assert bluecard.events[card + 1]["decision"] == "R-0001"


@pytest.mark.usefixtures("quick")
def test_after_a_replaced_shoe_it_starts_the_next(tmp_path: Path) -> None:
    bluecard = run_deciding(tmp_path, 40, {20: ("shoe_replaced", last("shoe"))})
    types = [event["type"] for event in bluecard.events]
    assert types[20:24] == ["limits_changed", "dealer_in", "shoe_started", "cut_card_placed"]
    assert types.count("table_opened") == 1
    shoes = [event["shoe"] for event in bluecard.events if event["type"] == "shoe_started"]
    assert len(set(shoes)) == 2


@pytest.mark.usefixtures("quick")
def test_a_closed_table_stops_until_it_is_open_again(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(30, stopping, decides={20: ("table_closed", lambda events: "")})
    asked: list[int] = []

    def opened_in_the_end(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/feed") and bluecard.status != "open":
            asked.append(len(bluecard.events))
            if len(asked) == 5:
                bluecard.status = "open"
        return bluecard(request)

    table(opened_in_the_end, tmp_path / "memory.json", stopping).run()
    assert asked == [20] * 5
    assert [event["type"] for event in bluecard.events[20:22]] == ["table_opened", "limits_changed"]


@pytest.mark.usefixtures("quick")
def test_a_table_closed_by_hand_plays_the_round_out_and_stops(tmp_path: Path) -> None:
    undisturbed = run_undisturbed(tmp_path, 60)
    card = next(event["seq"] for event in undisturbed if event["type"] == "card")
    result = next(event["seq"] for event in undisturbed if event["type"] == "round_result")
    stopping = threading.Event()
    bluecard = FakeBluecard(60, stopping, decides={card: ("table_closed", lambda events: "closed")})
    asked: list[int] = []

    def opened_in_the_end(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/feed") and bluecard.status != "open":
            asked.append(len(bluecard.events))
            if len(asked) == 5:
                bluecard.status = "open"
        return bluecard(request)

    table(opened_in_the_end, tmp_path / "memory.json", stopping).run()
    assert asked == [card, result, result, result, result]
    assert without_times(bluecard.events[:result]) == without_times(undisturbed[:result])
    assert [event["type"] for event in bluecard.events[result : result + 2]] == [
        "table_opened",
        "limits_changed",
    ]


@pytest.mark.usefixtures("quick")
def test_what_was_decided_before_it_came_is_heard_and_not_obeyed(tmp_path: Path) -> None:
    stopping = threading.Event()
    bluecard = FakeBluecard(30, stopping)
    bluecard.decide("table_closed", "")
    bluecard.decide("void", "somebody-elses-round")
    bluecard.status = "open"
    table(bluecard, tmp_path / "memory.json", stopping).run()
    assert without_times(bluecard.events) == without_times(run_undisturbed(tmp_path, 30))
    assert bluecard.acknowledged == [1, 2]


@pytest.mark.usefixtures("quick")
def test_a_key_without_the_right_ends_it_with_the_reason(tmp_path: Path) -> None:
    def forbidding(request: httpx.Request) -> httpx.Response:
        return httpx.Response(403, text="this key is for table B02 only")

    with pytest.raises(LiveTableFailed, match="B01: 403 this key is for table B02 only"):
        table(forbidding, tmp_path / "memory.json", threading.Event()).run()


@pytest.mark.parametrize("content", [b"", b"{", b'{"first_seq": 1}', b"[]", b'"x"'])
def test_a_broken_memory_is_no_memory(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.json"
    path.write_bytes(content)
    assert Memory.read(path) is None
