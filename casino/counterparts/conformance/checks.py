"""What a wallet must do, each a function that sends something and looks at what comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from casino.counterparts.conformance.wire import (
    REFUSED_WHOLE,
    Failed,
    Message,
    Wire,
    encode,
    expect,
    say,
    say_answer,
)

BOOKED_WITHIN_SECONDS = 2.0


class Check(NamedTuple):
    """One rule of the protocol: its short name, what must hold, and how it is tried."""

    name: str
    sentence: str
    run: Callable[[Wire], None]


CHECKS: list[Check] = []


def check(sentence: str) -> Callable[[Callable[[Wire], None]], Callable[[Wire], None]]:
    """Add a function to the suite under its own name, with hyphens."""

    def add(run: Callable[[Wire], None]) -> Callable[[Wire], None]:
        CHECKS.append(Check(run.__name__.replace("_", "-"), sentence, run))
        return run

    return add


def answered(answer: dict[str, Any], status: str, about: str) -> None:
    """Expect a status.

    :raises Failed: if it is another.
    """
    expect(answer.get("status") == status, f"{about} was answered {say_answer(answer)}, expected {status!r}")


def balance(wire: Wire, player: str) -> int:
    """Return what a player has, by giving one minor unit more."""
    return wire.book(wire.message(player, 1))


# --- who asks -------------------------------------------------------------------------------------------


def _refused_unsigned(wire: Wire, **wrong: Any) -> None:
    message = wire.message(wire.player(), 100)
    response = wire.send(encode([message]), **wrong)
    expect(response.status_code == 401, f"HTTP {response.status_code}, expected 401")
    answered(wire.ask(message), "applied", "the same message, signed rightly afterwards,")


@check("a request without a signature is refused with 401, and nothing of it is booked")
def unsigned(wire: Wire) -> None:
    _refused_unsigned(wire, without="all")
    _refused_unsigned(wire, without="signature")


@check("a signature under another secret is refused with 401")
def wrong_secret(wire: Wire) -> None:
    _refused_unsigned(wire, secret=b"another secret")


@check("the signature covers the body: a changed one is refused with 401")
def changed_body(wire: Wire) -> None:
    _refused_unsigned(wire, signed_body=b'{"messages": []}')


@check("a signature more than 300 seconds old, or from the future, is refused with 401")
def stale_signature(wire: Wire) -> None:
    _refused_unsigned(wire, seconds_off=-330)
    _refused_unsigned(wire, seconds_off=330)


@check("a signature up to 300 seconds off is taken: clocks differ")
def clock_off(wire: Wire) -> None:
    for seconds in (-240, 240):
        response = wire.send(encode([wire.message(wire.player(), 1)]), seconds_off=seconds)
        expect(response.status_code == 200, f"{seconds} seconds off: HTTP {response.status_code}")


# --- once -----------------------------------------------------------------------------------------------


@check("a credit is added to what is there, and the answer says what is there then")
def credit(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    after = wire.book(wire.message(player, 195))
    expect(after == before + 195, f"{before} and 195 gave {after}")


@check("adjustments, cancels and rollbacks are booked either way")
def kinds(wire: Wire) -> None:
    player = wire.player()
    before = wire.book(wire.message(player, 10_000))
    for kind in ("adjustment", "cancel", "rollback"):
        for amount in (300, -200):
            after = wire.book(wire.message(player, amount, kind=kind))
            expect(after == before + amount, f"{kind} {amount:+} made {before} into {after}")
            before = after


@check("the same message again is a duplicate with the first answer's balance, and moves nothing")
def repeat(wire: Wire) -> None:
    player = wire.player()
    message = wire.message(player, 195)
    first = wire.book(message)
    wire.book(wire.message(player, 5))
    for _ in range(3):
        again = wire.ask(message)
        answered(again, "duplicate", "a repeat")
        expect(again["available_minor"] == first, f"the repeat says {again['available_minor']}, not {first}")
    after = balance(wire, player)
    expect(after == first + 6, f"after repeats there is {after}, expected {first + 6}")


@check("the order of the bets carries no meaning: a repeat with them turned round is a duplicate")
def repeat_in_other_order(wire: Wire) -> None:
    message = wire.message(wire.player(), 195)
    wire.book(message)
    answered(wire.ask({**message, "bets": ["bet-2", "bet-1"]}), "duplicate", "the repeat")


@check("a key with another body is a conflict and moves nothing, whichever field differs")
def conflict(wire: Wire) -> None:
    player, other = wire.player(), wire.player()
    message = wire.message(player, 195)
    first = wire.book(message)
    for change in (
        {"amount_minor": 196}, {"player": other}, {"kind": "adjustment"}, {"revision": 2},
        {"round": "another"}, {"bets": ["bet-1"]},
    ):  # fmt: skip
        answered(wire.ask({**message, **change}), "conflict", f"the key with another {next(iter(change))}")
    answered(wire.ask(message), "duplicate", "the first body, afterwards,")
    expect(balance(wire, player) == first + 1, "a conflict moved money")


@check("a key twice in one request is booked once")
def twice_in_one_request(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    message = wire.message(player, 195)
    statuses = [one.get("status") for one in wire.post([message, message])]
    expect(sorted(map(str, statuses)) == ["applied", "duplicate"], f"the two were answered {statuses}")
    expect(balance(wire, player) == before + 196, "the money moved twice")


@check("the same message from eight connections at once is applied once")
def race_for_a_key(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    message = wire.message(player, 195)
    statuses = sorted(one["status"] for one in _at_once(wire, [message] * 8))
    expect(statuses == ["applied"] + ["duplicate"] * 7, f"the eight were answered {statuses}")
    expect(balance(wire, player) == before + 196, "the money moved more than once")


@check("a message whose answer nobody waited for is booked at most once, and the repeat says so")
def lost_answer(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    message = wire.message(player, 195)
    wire.hang_up_on([message])
    looks = _wait_until_booked(wire, player, before + 195)
    answer = wire.ask(message)
    expect(answer["status"] in ("applied", "duplicate"), f"the repeat was answered {say_answer(answer)}")
    moved = balance(wire, player) - before - looks - 1
    expect(moved == 195, "after the repeat the money has not moved once")


def _wait_until_booked(wire: Wire, player: str, wanted: int) -> int:
    """Look until a balance is there, or for a while: a wallet may drop what nobody waits for.

    Each look is a credit of 1; return how many there were.
    """
    give_up_at = time.monotonic() + BOOKED_WITHIN_SECONDS
    looks = 1
    while balance(wire, player) < wanted + looks and time.monotonic() < give_up_at:
        time.sleep(0.05)
        looks += 1
    return looks


# --- many -----------------------------------------------------------------------------------------------


@check("five hundred messages in one request are answered each by itself")
def five_hundred(wire: Wire) -> None:
    messages = [wire.message(wire.player(), 1) for _ in range(500)]
    answers = wire.post(messages)
    keys = [one.get("key") for one in answers]
    expect(
        sorted(map(str, keys)) == sorted(one["key"] for one in messages), f"{len(set(keys))} keys answered"
    )
    wrong = [one for one in answers if one.get("status") != "applied"]
    expect(not wrong, f"{len(wrong)} were not applied, the first {say_answer(wrong[0]) if wrong else ''}")


@check("a request with more than 500 messages, none, or no JSON is refused whole: 400, 413 or 422")
def refused_whole(wire: Wire) -> None:
    messages = [wire.message(wire.player(), 1) for _ in range(501)]
    for words, body in (
        ("501 messages", encode(messages)), ("no messages", encode([])), ("no JSON", b"{"), ("a list", b"[]"),
    ):  # fmt: skip
        response = wire.send(body)
        expect(response.status_code in REFUSED_WHOLE, f"{words}: HTTP {response.status_code}")
    answered(wire.ask(messages[0]), "applied", "a message of the refused request, by itself,")


BAD: Sequence[dict[str, Any]] = (
    {"amount_minor": 0}, {"amount_minor": 1.5}, {"amount_minor": "195"}, {"amount_minor": True},
    {"amount_minor": -1, "kind": "credit"}, {"kind": "gift"}, {"revision": 0}, {"player": ""}, {"key": ""},
    {"currency": "baht"}, {"bets": "bet-1"}, {"force": True}, {"not_agreed": 1},
)  # fmt: skip


@check(
    "a message that cannot be meant is refused by itself, a field not agreed on too; its neighbour is booked"
)
def bad_message(wire: Wire) -> None:
    bad: list[tuple[str, Message]] = [
        (str(change), wire.message(wire.player(), 195) | change) for change in BAD
    ]
    for field in ("key", "player", "amount_minor", "bets"):
        message = wire.message(wire.player(), 195)
        del message[field]
        bad.append((f"no {field}", message))
    for words, message in bad:
        good = wire.message(wire.player(), 195)
        answers = wire.post([message, good])
        statuses = {one.get("key"): one.get("status") for one in answers}
        expect(statuses.pop(good["key"], None) == "applied", f"beside {words} a good message was not applied")
        expect(list(statuses.values()) == ["refused"], f"{words} was answered {list(statuses.values())}")


# --- too little money -----------------------------------------------------------------------------------


@check("a debit takes exactly what it says, down to the last minor unit")
def debit(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    left = wire.book(wire.message(player, -before))
    expect(left == 0, f"{before} less {before} left {left}")


@check("a debit that finds too little is insufficient, says what is there, and moves nothing")
def insufficient(wire: Wire) -> None:
    player = wire.player()
    there = balance(wire, player)
    message = wire.message(player, -there - 1)
    answer = wire.ask(message)
    answered(answer, "insufficient", say(message))
    expect(answer["available_minor"] == there, f"available {answer['available_minor']}, but {there} is there")
    expect(balance(wire, player) == there + 1, "the debit moved money all the same")


@check("a debit that was insufficient has not taken its key: later it is booked, also for less")
def key_stays_free(wire: Wire) -> None:
    player = wire.player()
    there = balance(wire, player)
    same, less = wire.message(player, -there - 1), wire.message(player, -there - 500)
    for message in (same, less):
        answered(wire.ask(message), "insufficient", say(message))
    wire.book(wire.message(player, 1))
    left = wire.book(same)
    expect(left == 0, f"the same debit left {left}, expected 0")
    wire.book(wire.message(player, 300))
    smaller = {**less, "amount_minor": -300}
    expect(wire.book(smaller) == 0, "the smaller debit under the same key took another amount")
    answered(wire.ask(smaller), "duplicate", "the smaller debit again")
    answered(wire.ask(less), "conflict", "the larger debit under the key that is taken now")


@check("a forced debit is booked below zero; forced or not is no part of what its key names")
def forced(wire: Wire) -> None:
    player = wire.player()
    there = balance(wire, player)
    message = wire.message(player, -there - 250, force=True)
    left = wire.book(message)
    expect(left == -250, f"{there} less {there + 250}, forced, left {left}")
    answered(wire.ask(message), "duplicate", "the forced debit again")
    plain = {name: value for name, value in message.items() if name != "force"}
    answered(wire.ask(plain), "duplicate", "the same debit, not forced,")
    answered(wire.ask(wire.message(player, -1)), "insufficient", "a debit below zero")
    raised = wire.book(wire.message(player, 500))
    expect(raised == 250, f"-250 and 500 gave {raised}")


@check("of two debits at once that cannot both be covered, one is booked")
def race_for_money(wire: Wire) -> None:
    player = wire.player()
    there = balance(wire, player)
    messages = [wire.message(player, -there) for _ in range(6)]
    statuses = sorted(one["status"] for one in _at_once(wire, messages))
    expect(statuses == ["applied"] + ["insufficient"] * 5, f"the six were answered {statuses}")
    expect(balance(wire, player) == 1, "more was taken than was there")


@check("large sums are exact to the minor unit")
def exact(wire: Wire) -> None:
    player = wire.player()
    before = balance(wire, player)
    large = 9_007_199_254_740_993  # no binary floating-point number of 64 bits
    after = wire.book(wire.message(player, large))
    expect(after - before == large, f"{large} was booked as {after - before}")
    wire.book(wire.message(player, -large))


# --- the record -----------------------------------------------------------------------------------------


@check("the record lists what was booked, once, in order, in full, and nothing that was not")
def record(wire: Wire) -> None:
    after = wire.end()
    first, second = wire.message(wire.player(), 195), wire.message(wire.player(), 30)
    poor = wire.player()
    short = wire.message(poor, -balance(wire, poor) - 1_000_000)
    wire.post([first])
    wire.post([first, {**first, "amount_minor": 9}, short, second])
    found, _, _ = wire.read(after)
    ours = [one for one in found if one.get("key") in (first["key"], second["key"], short["key"])]
    expect([one["key"] for one in ours] == [first["key"], second["key"]], f"the record says {ours}")
    for message, booked in zip((first, second), ours, strict=True):
        for field in ("round", "revision", "player", "kind", "amount_minor", "currency"):
            expect(booked.get(field) == message[field], f"{field} is {booked.get(field)!r} in the record")
    numbers = [one.get("number") for one in found]
    expect(all(type(one) is int for one in numbers), f"numbers must be whole: {numbers}")
    rising = [int(one["number"]) for one in found]
    expect(rising == sorted(set(rising)), f"numbers do not rise: {rising}")


@check("the record is read page by page: no page leaves out or repeats a booking")
def pages(wire: Wire) -> None:
    after = wire.end()
    messages = [wire.message(wire.player(), 1) for _ in range(7)]
    wire.post(messages)
    keys: list[str] = []
    more = True
    while more:
        found, after, more = wire.read(after, limit=2)
        expect(len(found) <= 2, f"a page of at most 2 has {len(found)}")
        keys += [one["key"] for one in found]
    expect(keys == [one["key"] for one in messages], f"the pages say {keys}")
    expect(wire.read(after)[0] == [], "behind the end there is something")


def _at_once(wire: Wire, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Send each message over a connection of its own, all let go at the same moment."""
    start = threading.Barrier(len(messages))
    answers: list[dict[str, Any]] = []
    problems: list[Failed] = []

    def send(message: Message) -> None:
        own = Wire(wire.url, wire.secret.decode(), run=wire.run, currency=wire.currency)
        try:
            start.wait(30)
            answers.append(own.ask(message))
        except Failed as problem:
            problems.append(problem)
        finally:
            own.close()

    threads = [threading.Thread(target=send, args=(message,)) for message in messages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return answers
