"""Whatever a table sends, it hears which field breaks which rule; nothing is half done, nothing is a 500."""

import json
from typing import Any

import pytest
from django.test import Client

from tables.models import Bet, FeedEvent, TableState
from tests.tables.playing import Platform

NEXT = 6  # table B01 has been opened with five events
MANY_NINES = "9" * 400

HEAD = f'"id":"x","table":"B01","seq":{NEXT},"at":"2026-11-29T05:00:30Z"'
HEARTBEAT = "{" + HEAD + ',"type":"heartbeat"}'


def bet_event(round_name: str, bet: str) -> str:
    return "{" + HEAD + f',"type":"bets","round":"{round_name}","bets":[{bet}]' + "}"


def a_bet(**changed: str) -> str:
    facts = {"id": '"b1"', "player": '"P-1"', "bet": '"player"', "stake": "200"} | changed
    return "{" + ",".join(f'"{name}":{value}' for name, value in facts.items() if value) + "}"


def send(client: Client, body: str | bytes, content_type: str = "application/x-ndjson") -> tuple[int, Any]:
    answer = client.post("/api/v1/tables/B01/events", data=body, content_type=content_type)
    return answer.status_code, json.loads(answer.content)


BAD_STAKES = {
    "zero": "0",
    "negative": "-1",
    "fractional": "100.5",
    "1e400": "1e400",
    "-1e400": "-1e400",
    "text": '"200"',
    "true": "true",
    "null": "null",
    "above 10^15": "1000000000000001",
    "400 digits": MANY_NINES,
    "list": "[200]",
    "absent": "",
}


def test_a_bad_stake_is_refused_naming_the_field(platform: Platform, sender: Client) -> None:
    round_name = platform.open_round()
    for seq, (kind, stake) in enumerate(BAD_STAKES.items(), start=NEXT + 1):
        event = bet_event(round_name, a_bet(stake=stake)).replace(f'"seq":{NEXT}', f'"seq":{seq}')
        status, answer = send(sender, event.replace('"x"', f'"x{seq}"'))
        assert status == 207, kind
        [one] = answer["events"]
        assert (one["status"], one["seq"]) == ("refused", seq), kind
        assert "stake" in one["error"], kind
        assert one["error"].endswith("(feed/format)"), kind
        # It took its number and left no bet behind.
        assert answer["next_seq"] == seq + 1
        assert FeedEvent.objects.get(seq=seq).status == "refused"
    assert Bet.objects.count() == 0


REFUSED_EVENTS = {
    "unknown type": ("{" + HEAD + ',"type":"shuffle"}', "type", "feed/format"),
    "type of another kind": ("{" + HEAD + ',"type":7}', "type", "feed/format"),
    "NUL in the type": ("{" + HEAD + ',"type":"\\u0000"}', "type", "feed/format"),
    "no type": ("{" + HEAD + "}", "type", "feed/format"),
    "unknown card": (
        "{" + HEAD + ',"type":"card","round":"R","place":"P1","card":"1S"}',
        "card",
        "feed/format",
    ),
    "unknown place": (
        "{" + HEAD + ',"type":"card","round":"R","place":"P4","card":"AS"}',
        "place",
        "feed/format",
    ),
    "unknown round": (
        "{" + HEAD + ',"type":"card","round":"R","place":"P1","card":"AS"}',
        "round",
        "feed/round-in-play",
    ),
    "an unknown field": ("{" + HEAD + ',"type":"heartbeat","mood":"good"}', "mood", "feed/format"),
    "an unknown field of 400 digits": (
        "{" + HEAD + f',"type":"heartbeat","mood":{MANY_NINES}' + "}",
        "mood",
        "feed/format",
    ),
    "an unknown field 1e400": ("{" + HEAD + ',"type":"heartbeat","mood":1e400}', "mood", "feed/format"),
    "a supersedes with NUL": (
        "{" + HEAD + ',"type":"heartbeat","supersedes":"a\\u0000"}',
        "supersedes",
        "feed/format",
    ),
    "a note with NUL": (
        "{" + HEAD + ',"type":"incident","code":"misdeal","note":"\\u0000"}',
        "note",
        "feed/format",
    ),
    "a fact of 400 digits": (
        "{" + HEAD + ',"type":"incident","code":"misdeal","facts":{"cards":' + MANY_NINES + "}}",
        "facts",
        "feed/format",
    ),
    "a time without offset": (HEARTBEAT.replace("30Z", "30"), "at", "feed/format"),
    "a time that is none": (HEARTBEAT.replace("2026-11-29T05:00:30Z", "noon"), "at", "feed/format"),
    "a time ahead": (HEARTBEAT.replace("2026", "2126"), "at", "feed/clock"),
    "the end of time": (
        HEARTBEAT.replace("2026-11-29T05:00:30Z", "9999-12-31T23:59:59-14:00"),
        "at",
        "feed/clock",
    ),
    "before the beginning of time": (
        HEARTBEAT.replace("2026-11-29T05:00:30Z", "0001-01-01T00:00:00+14:00"),
        "at",
        "feed/clock",
    ),
    "more bets than one event holds": (
        bet_event("R", ",".join(a_bet(id=f'"b{number}"') for number in range(5_001))),
        "bets",
        "feed/format",
    ),
    "more than a megabyte": (
        "{" + HEAD + ',"type":"incident","code":"misdeal","note":"' + "x" * 1024**2 + '"}',
        "event",
        "feed/size",
    ),
}


@pytest.mark.parametrize(("event", "field", "rule"), REFUSED_EVENTS.values(), ids=REFUSED_EVENTS)
def test_a_bad_event_takes_its_number_and_says_why(
    platform: Platform, sender: Client, event: str, field: str, rule: str
) -> None:
    following = HEARTBEAT.replace('"x"', '"y"').replace(f'"seq":{NEXT}', f'"seq":{NEXT + 1}')
    status, answer = send(sender, f"{event}\n{following}\n")
    assert status == 207
    assert [one["status"] for one in answer["events"]] == ["refused", "accepted"]
    said = answer["events"][0]["error"]
    assert said.startswith(field) or f"`{field}`" in said or field in said.partition(":")[0]
    assert said.endswith(f"({rule})")
    assert answer["next_seq"] == NEXT + 2
    # What was stored can be read back.
    assert FeedEvent.objects.get(event_id="x").error == said
    assert TableState.objects.get(table=platform.table).next_seq == NEXT + 2


UNREADABLE = {
    "not JSON": (b"hello", "events[0]", "feed/format"),
    "cut off": (HEARTBEAT[:-5].encode(), "events[0]", "feed/format"),
    "cut off after a wrong field": (b'{"type":"heartbeat","id":5,', "events[0]", "feed/format"),
    "bad UTF-8": (b'{"id":"\xff\xfe"}', "events[0]", "feed/format"),
    "half a surrogate": (b'{"id":"\\ud800"}', "events[0]", "feed/format"),
    "UTF-16": (HEARTBEAT.encode("utf-16"), "events[0]", "feed/format"),
    "nested 100,000 deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "events[0]", "feed/format"),
    "an unclosed nest": (b'{"a":' * 100_000, "events[0]", "feed/format"),
    "no object": (b"7", "events[0]", "feed/format"),
    "no id": (HEARTBEAT.replace('"id":"x",', "").encode(), "events[0].id", "feed/format"),
    "an id with NUL": (HEARTBEAT.replace('"x"', '"\\u0000"').encode(), "events[0].id", "feed/format"),
    "an id too long": (HEARTBEAT.replace('"x"', f'"{"x" * 65}"').encode(), "events[0].id", "feed/format"),
    "seq zero": (HEARTBEAT.replace(f'"seq":{NEXT}', '"seq":0').encode(), "events[0].seq", "feed/format"),
    "seq 1e400": (
        HEARTBEAT.replace(f'"seq":{NEXT}', '"seq":1e400').encode(),
        "events[0].seq",
        "feed/format",
    ),
    "seq of 400 digits": (
        HEARTBEAT.replace(f'"seq":{NEXT}', f'"seq":{MANY_NINES}').encode(),
        "events[0].seq",
        "feed/format",
    ),
    "another table": (HEARTBEAT.replace("B01", "B02").encode(), "events[0].table", "feed/table"),
    "a byte-order mark": (b"\xef\xbb\xbf" + HEARTBEAT.encode(), "body", "feed/format"),
    "empty": (b"", "body", "feed/format"),
    "only blanks": (b" \n\r\n\t", "body", "feed/format"),
    "an array cut off": (b"[" + HEARTBEAT.encode(), "body", "feed/format"),
    "an array nested 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, "body", "feed/format"),
    "an unclosed array nested 100,000 deep": (b"[" * 100_000, "body", "feed/format"),
    "an empty array": (b"[]", "body", "feed/format"),
}


def test_what_cannot_be_read_is_a_problem_and_stores_nothing(platform: Platform, sender: Client) -> None:
    stored = FeedEvent.objects.count()
    for kind, (body, field, rule) in UNREADABLE.items():
        status, answer = send(sender, body)
        assert (status, answer["type"]) == (400, "urn:bluecard:problem:unreadable"), kind
        [error] = answer["errors"]
        assert (error["field"], error["rule"]) == (field, rule), kind
        assert error["message"]
    assert FeedEvent.objects.count() == stored
    assert TableState.objects.get(table=platform.table).next_seq == NEXT


def test_an_unknown_kind_of_bet_is_refused_alone(platform: Platform, sender: Client) -> None:
    round_name = platform.open_round()
    bets = ",".join([a_bet(), a_bet(id='"b2"', bet='"dragon_tail"'), a_bet(id='"b3"', stake="50")])
    event = bet_event(round_name, bets).replace(f'"seq":{NEXT}', f'"seq":{NEXT + 1}')
    status, answer = send(sender, event.replace("05:00:30", "05:00:06.5"))
    assert status == 200
    assert answer["events"][0]["refused_bets"] == [
        {"id": "b2", "reason": "bet_not_in_rulebook"},
        {"id": "b3", "reason": "outside_limits"},
    ]
    assert list(Bet.objects.filter(status="accepted").values_list("platform_bet_id", flat=True)) == ["b1"]


def test_a_last_line_cut_off_leaves_what_came_before_and_may_be_sent_again(
    platform: Platform, sender: Client
) -> None:
    following = HEARTBEAT.replace('"x"', '"y"').replace(f'"seq":{NEXT}', f'"seq":{NEXT + 1}')
    status, answer = send(sender, f"{HEARTBEAT}\n{following[:40]}")
    assert status == 207
    assert [one["status"] for one in answer["events"]] == ["accepted", "unreadable"]
    assert answer["next_seq"] == NEXT + 1
    status, answer = send(sender, f"{HEARTBEAT}\n{following}")
    assert status == 200
    assert [one["status"] for one in answer["events"]] == ["repeat", "accepted"]
