"""The wire to the operator's wallet: signed requests out, one answer per message back.

Knows HTTP and the wallet's words. What an answer means for a delivery is not decided here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from tables.signing import signed_headers

MAX_MESSAGES = 500
MAX_BOOKINGS = 1_000
CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 10.0

#: What says "this very request can never be taken". Any other refusal may heal: a secret that is being
#: changed, a clock put right, a route mended. No player's money is given up for those.
FINAL_STATUSES = frozenset({400, 413, 422})


class AnswerStatus(StrEnum):
    """The wallet's words about one message."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    INSUFFICIENT = "insufficient"
    REFUSED = "refused"


#: The message is in the wallet's books, now or since earlier.
IN_EFFECT = frozenset({AnswerStatus.APPLIED, AnswerStatus.DUPLICATE})


class WalletUnavailable(Exception):
    """No answer that can be used came back. Whether anything was booked is unknown: send the same again."""


class WalletStumbled(WalletUnavailable):
    """The wallet failed over this request (HTTP 500). One of its messages may be what it failed over."""


class WalletRejected(Exception):
    """The request as a whole was refused and nothing of it was booked. Sending the same again cannot help."""


@dataclass(frozen=True, slots=True)
class Message:
    """One movement of a player's money; `key` makes it happen once, however often it is sent.

    A forced debit is booked whatever is there: that says how, not what, and the key does not name it.
    """

    key: str
    round: str
    revision: int
    player: str
    kind: str
    amount_minor: int
    currency: str
    bets: tuple[str, ...]
    force: bool = False

    def body(self) -> dict[str, Any]:
        """Return the message as it goes over the wire; `force` is said only where it is meant."""
        body = asdict(self)
        if not self.force:
            del body["force"]
        return body


@dataclass(frozen=True, slots=True)
class Answer:
    """The wallet's answer to one message; `available_minor` is the player's money as the wallet sees it."""

    key: str
    status: AnswerStatus
    available_minor: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Booking:
    """One transaction in the wallet's own record."""

    number: int
    key: str
    player: str
    amount_minor: int
    currency: str


class WalletClient:
    """A connection to one wallet; close it, or use it in a `with`."""

    def __init__(
        self,
        url: str,
        secret: str,
        *,
        answer_seconds: float = ANSWER_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secret = secret.encode()
        self._clock = clock
        # No proxy or certificate folder is taken from the environment: where money goes is set in one place.
        self._http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(answer_seconds, connect=min(CONNECT_SECONDS, answer_seconds)),
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, messages: Sequence[Message]) -> dict[str, Answer]:
        """Send up to 500 messages and return the wallet's answer by key; a key without an answer is left out.

        :raises ValueError: if there are none or more than 500 messages.
        :raises WalletUnavailable: if the answer did not come or cannot be read.
        :raises WalletRejected: if the wallet refused the request as a whole and for good.
        """
        if not 1 <= len(messages) <= MAX_MESSAGES:
            raise ValueError(f"{len(messages)} messages in one request, 1 to {MAX_MESSAGES} are possible")
        body = json.dumps({"messages": [message.body() for message in messages]}).encode()
        response = self._request("POST", "/v1/transactions", body)
        return _read_answers(response, {message.key for message in messages})

    def read_bookings(self, *, after: int, limit: int = MAX_BOOKINGS) -> tuple[list[Booking], int, bool]:
        """Read what the wallet booked after a number; return it, where to go on, and whether there is more.

        :raises WalletUnavailable: if the answer did not come or cannot be read.
        """
        try:
            response = self._request("GET", f"/v1/transactions?after={after}&limit={limit}", b"")
        except WalletRejected as problem:
            raise WalletUnavailable(str(problem)) from problem
        return _read_bookings(response, after)

    def read_balance(self, player: str, currency: str) -> int:
        """Read what a player has, in minor units: what was booked in a currency, else the opening balance.

        :raises WalletUnavailable: if the answer did not come or cannot be read.
        """
        try:
            response = self._request("GET", f"/v1/players/{quote(player, safe='')}", b"")
        except WalletRejected as problem:
            raise WalletUnavailable(str(problem)) from problem
        return _read_account(response, currency)

    def _request(self, method: str, path: str, body: bytes) -> httpx.Response:
        request = self._http.build_request(method, path, content=body)
        request.headers.update(
            signed_headers(
                self._secret,
                timestamp=int(self._clock()),
                method=method,
                target=request.url.raw_path.decode(),
                body=body,
            )
        )
        try:
            response = self._http.send(request)
        except httpx.HTTPError as problem:
            raise WalletUnavailable(f"{type(problem).__name__}: {problem}") from problem
        if response.status_code in FINAL_STATUSES:
            raise WalletRejected(_said(response))
        if response.status_code == httpx.codes.INTERNAL_SERVER_ERROR:
            raise WalletStumbled(_said(response))
        if response.status_code != httpx.codes.OK:
            raise WalletUnavailable(_said(response))
        return response


def _said(response: httpx.Response) -> str:
    """Return what an error answer says, short enough to keep."""
    return f"HTTP {response.status_code}: {response.text[:300]}"


def _read_answers(response: httpx.Response, asked: set[str]) -> dict[str, Answer]:
    """Return the answers to the messages asked about.

    A wallet that answers a message twice says "applied" once and "duplicate" once, or the like: if it says at
    all that the message is in its books, then it is.

    :raises WalletUnavailable: if the body is not what was agreed.
    """
    try:
        found = [_read_answer(raw) for raw in response.json()["answers"] if raw["key"] in asked]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise WalletUnavailable(f"an answer that cannot be read: {problem!r}") from problem
    answers: dict[str, Answer] = {}
    for answer in found:
        known = answers.get(answer.key)
        if known is None or (known.status not in IN_EFFECT and answer.status in IN_EFFECT):
            answers[answer.key] = answer
    return answers


def _read_bookings(response: httpx.Response, after: int) -> tuple[list[Booking], int, bool]:
    """Return a page of the wallet's record.

    :raises WalletUnavailable: if it is not what was agreed, or would be read again and again.
    """
    try:
        page = response.json()
        bookings = [_read_booking(raw) for raw in page["transactions"]]
        following, more = page["next"], page["more"]
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise WalletUnavailable(f"a record that cannot be read: {problem!r}") from problem
    if type(following) is not int or type(more) is not bool or (more and following <= after):
        raise WalletUnavailable(f"a record that does not go on after {after}: next {following!r}")
    return bookings, following, more


def _read_account(response: httpx.Response, currency: str) -> int:
    """Return what a player has in a currency.

    :raises WalletUnavailable: if the body is not what was agreed.
    """
    try:
        body = response.json()
        found = {account["currency"]: account["available_minor"] for account in body["accounts"]}
        available = found.get(currency, body["opening_minor"])
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise WalletUnavailable(f"a balance that cannot be read: {problem!r}") from problem
    if type(available) is not int or abs(available) >= 10**24:
        raise WalletUnavailable(f"a balance that is no sum: {available!r}")
    return available


def _read_booking(raw: dict[str, Any]) -> Booking:
    """Return one booking of the wallet's record.

    :raises ValueError, KeyError, TypeError: if it is not what was agreed.
    """
    booking = Booking(*(raw[name] for name in Booking.__slots__))
    if type(booking.number) is not int or type(booking.amount_minor) is not int:
        raise ValueError(f"number and amount_minor must be integers: {booking!r}")
    if not 0 <= booking.number < 2**63 or abs(booking.amount_minor) >= 10**24:
        raise ValueError(f"number or amount_minor is out of range: {booking!r}")
    for text, longest in ((booking.key, 200), (booking.player, 200), (booking.currency, 3)):
        if type(text) is not str or not 1 <= len(text) <= longest or "\x00" in text:
            raise ValueError(f"a text is empty, too long or unreadable: {booking!r}")
    return booking


def _read_answer(raw: dict[str, Any]) -> Answer:
    """Return one answer of the wallet.

    :raises ValueError, KeyError: if it is not what was agreed.
    """
    available = raw.get("available_minor")
    if available is not None and type(available) is not int:
        raise ValueError(f"available_minor is no integer: {available!r}")
    return Answer(raw["key"], AnswerStatus(raw["status"]), available, str(raw.get("reason") or ""))
