"""The suite's end of the wire: signed requests, also ones signed wrongly, and answers read with care."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from itertools import count, cycle
from typing import Any
from urllib.parse import urlsplit

import httpx

from tables.signing import SIGNATURE_HEADER, TIMESTAMP_HEADER, signed_headers

TRANSACTIONS = "/v1/transactions"
ANSWER_SECONDS = 10.0
#: What says that a request as a whole was refused for good.
REFUSED_WHOLE = frozenset({400, 413, 422})

Message = dict[str, Any]


class Failed(Exception):
    """The wallet does not do what a check asks; the text says what it did."""


def expect(holds: bool, words: str) -> None:
    """Raise unless something holds.

    :raises Failed: with the words.
    """
    if not holds:
        raise Failed(words)


class Wire:
    """One wallet under test. Keys are new in each run, so that a run can be repeated."""

    def __init__(
        self, url: str, secret: str, *, run: str, currency: str, players: Sequence[str] = ()
    ) -> None:
        self.url, self.secret, self.run, self.currency = url.rstrip("/"), secret.encode(), run, currency
        self._numbers = count(1)
        self._players = cycle(players) if players else None
        self.http = httpx.Client(trust_env=False, timeout=ANSWER_SECONDS)

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def player(self) -> str:
        """Return a player: the next of those named, or a new name."""
        return next(self._players) if self._players else f"conformance-{self.run}-{next(self._numbers)}"

    def message(self, player: str, amount_minor: int, **changes: Any) -> Message:
        """Return a well-formed message with a key of its own."""
        number = next(self._numbers)
        kind = "credit" if amount_minor > 0 else "adjustment"
        return {
            "key": f"conformance/{self.run}/{number}",
            "round": f"C01-{self.run}-{number}",
            "revision": 1,
            "player": player,
            "kind": kind,
            "amount_minor": amount_minor,
            "currency": self.currency,
            "bets": ["bet-1", "bet-2"],
            **changes,
        }

    def send(
        self,
        body: bytes,
        *,
        method: str = "POST",
        target: str = TRANSACTIONS,
        secret: bytes | None = None,
        seconds_off: int = 0,
        signed_body: bytes | None = None,
        without: str = "",
    ) -> httpx.Response:
        """Send bytes under a signature, or one that is wrong in the way asked for.

        :raises Failed: if no answer comes.
        """
        headers = signed_headers(
            secret or self.secret,
            timestamp=int(time.time()) + seconds_off,
            method=method,
            target=target,
            body=body if signed_body is None else signed_body,
        )
        for name in {"signature": (SIGNATURE_HEADER,), "all": (SIGNATURE_HEADER, TIMESTAMP_HEADER)}.get(
            without, ()
        ):
            del headers[name]
        try:
            return self.http.request(method, self.url + target, content=body, headers=headers)
        except httpx.HTTPError as problem:
            raise Failed(f"no answer to {method} {target}: {type(problem).__name__} {problem}") from problem

    def post(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Send messages in one request and return the answers as they came.

        :raises Failed: if the request is not answered as agreed.
        """
        response = self.send(encode(messages))
        expect(response.status_code == 200, f"HTTP {response.status_code}: {response.text[:200]}")
        try:
            answers = response.json()["answers"]
        except (ValueError, KeyError, TypeError):
            raise Failed(f"no answers in {response.text[:200]!r}") from None
        expect(
            isinstance(answers, list) and all(isinstance(one, dict) for one in answers),
            f"answers is no list of objects: {response.text[:200]!r}",
        )
        return list(answers)

    def ask(self, message: Message) -> dict[str, Any]:
        """Send one message and return its answer.

        :raises Failed: if it is not answered once.
        """
        answers = [one for one in self.post([message]) if one.get("key") == message["key"]]
        expect(len(answers) == 1, f"{len(answers)} answers to one message")
        [answer] = answers
        available = answer.get("available_minor")
        expect(
            answer.get("status") == "refused" or type(available) is int,
            f"available_minor must be a whole number, not {available!r}",
        )
        return answer

    def book(self, message: Message) -> int:
        """Send a message that must be applied, and return what is there after it.

        :raises Failed: if it is not applied.
        """
        answer = self.ask(message)
        expect(answer.get("status") == "applied", f"{say(message)} was answered {say_answer(answer)}")
        return int(answer["available_minor"])

    def read(self, after: int, limit: int = 1000) -> tuple[list[dict[str, Any]], int, bool]:
        """Read a page of the record: transactions, where to go on, and if there is more.

        :raises Failed: if it cannot be read.
        """
        target = f"{TRANSACTIONS}?after={after}&limit={limit}"
        response = self.send(b"", method="GET", target=target)
        expect(response.status_code == 200, f"GET {target}: HTTP {response.status_code}")
        try:
            page = response.json()
            found, following, more = page["transactions"], page["next"], page["more"]
        except (ValueError, KeyError, TypeError):
            raise Failed(f"GET {target}: transactions, next and more expected") from None
        expect(
            type(following) is int and type(more) is bool, "next must be a whole number, more true or false"
        )
        expect(not more or following > after, f"after {after} comes {following}, and more is said to follow")
        return list(found), following, more

    def end(self) -> int:
        """Return the cursor behind everything booked so far."""
        after, more = 0, True
        while more:
            _, after, more = self.read(after)
        return after

    def hang_up_on(self, messages: Sequence[Message]) -> None:
        """Send messages, and close the connection without waiting for the answer."""
        parts = urlsplit(self.url)
        body = encode(messages)
        headers = signed_headers(
            self.secret, timestamp=int(time.time()), method="POST", target=TRANSACTIONS, body=body
        )
        lines = [f"POST {TRANSACTIONS} HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if parts.scheme == "https":
            raise Failed("this check speaks plain HTTP only: run it against the server behind the TLS")
        with socket.create_connection((parts.hostname or "", port), timeout=ANSWER_SECONDS) as raw:
            raw.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def encode(messages: Sequence[Message]) -> bytes:
    """Return the body of a request for transactions."""
    return json.dumps({"messages": list(messages)}).encode()


def say(message: Message) -> str:
    """Name a message in a few words."""
    forced = ", forced" if message.get("force") else ""
    return f"{message['kind']} {message['amount_minor']:+}{forced}"


def say_answer(answer: dict[str, Any]) -> str:
    """Say an answer in a few words."""
    reason = f" ({answer['reason']})" if answer.get("reason") else ""
    return f"{answer.get('status')!r}, available {answer.get('available_minor')!r}{reason}"
