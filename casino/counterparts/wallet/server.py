"""The wallet's HTTP/1.1 face.

`http.server` is enough here: a counterpart for the demonstration and the tests, on loopback, whose answers
must be right and whose process must be easy to kill.
"""

from __future__ import annotations

import json
import logging
import socket
import sys
import threading
import time
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from casino.counterparts.wallet.faults import BadFault, Faults, read_fault
from casino.counterparts.wallet.ledger import Ledger, StoreError
from casino.counterparts.wallet.signature import (
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    NotSigned,
    check_signature,
)

MAX_MESSAGES = 500
MAX_BODY = 64 * 1024 * 1024
FEED_LIMIT = 1_000
LOOPBACK = ("127.", "::1", "::ffff:127.")

logger = logging.getLogger(__name__)


class Problem(Exception):
    """A request is answered with an error, as problem details (RFC 9457)."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class WalletServer(ThreadingHTTPServer):
    """One wallet at one address."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], *, ledger: Ledger, secret: bytes) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)
        self.ledger = ledger
        self.secret = secret
        self.faults = Faults()
        self.stopping = threading.Event()
        self.failure: StoreError | None = None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let a client go that hung up before its answer; anything else is worth its traceback."""
        if isinstance(sys.exception(), ConnectionError):
            logger.info("%s hung up", client_address)
            return
        super().handle_error(request, client_address)

    def stop(self) -> None:
        """End `serve_forever` from any thread but its own, and let go of the requests held by a fault."""
        self.stopping.set()
        self.shutdown()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "BluecardWallet"
    sys_version = ""
    timeout = 60
    disable_nagle_algorithm = True
    server: WalletServer

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._answer()

    def do_DELETE(self) -> None:
        """Answer a DELETE."""
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Log one request; the base class would write to standard error past the log's settings."""
        logger.info("%s %s", self.address_string(), format % args)

    def _answer(self) -> None:
        try:
            body = self._body()
            url = urlsplit(self.path)
            if (self.command, url.path) == ("GET", "/health"):
                self._send(HTTPStatus.OK, {"status": "ok", "transactions": self.server.ledger.size()})
                return
            self._authenticate(body)
            route = self.command, url.path
            if route == ("POST", "/v1/transactions"):
                self._post_transactions(body)
            elif route == ("GET", "/v1/transactions"):
                self._feed(url.query)
            elif self.command == "GET" and url.path.startswith("/v1/players/"):
                self._player(unquote(url.path.removeprefix("/v1/players/")))
            elif url.path == "/v1/faults":
                self._faults(body)
            else:
                raise Problem(HTTPStatus.NOT_FOUND, f"there is nothing at {self.command} {url.path}")
        except Problem as problem:
            self._send_problem(problem)
        except StoreError as failure:
            # What is in the file is unknown now. Saying nothing and starting again finds it out.
            self.server.failure = failure
            self._hang_up()
            self.server.stop()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise Problem(HTTPStatus.LENGTH_REQUIRED, "send the body with a Content-Length")
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise Problem(HTTPStatus.BAD_REQUEST, "Content-Length must be a number")
        if int(length) > MAX_BODY:
            self.close_connection = True
            raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may hold {MAX_BODY} bytes")
        return self.rfile.read(int(length))

    def _authenticate(self, body: bytes) -> None:
        try:
            check_signature(
                self.server.secret,
                timestamp=self.headers.get(TIMESTAMP_HEADER),
                signature=self.headers.get(SIGNATURE_HEADER),
                method=self.command,
                target=self.path,
                body=body,
                now=time.time(),
            )
        except NotSigned as problem:
            raise Problem(HTTPStatus.UNAUTHORIZED, str(problem)) from problem

    def _post_transactions(self, body: bytes) -> None:
        request = _decoded(body)
        messages = request.get("messages") if isinstance(request, dict) else None
        if not isinstance(messages, list) or not 1 <= len(messages) <= MAX_MESSAGES:
            raise Problem(HTTPStatus.BAD_REQUEST, f"messages must be a list of 1 to {MAX_MESSAGES} messages")
        fault = self.server.faults.take()
        if fault.request_fault == "error_500":
            raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "a fault was switched on")
        if fault.request_fault == "timeout":
            self.server.stopping.wait(fault.seconds)
            self._hang_up()
            return
        ledger, at = self.server.ledger, datetime.now(UTC).isoformat()
        answers = ledger.post(messages, at=at, refused=fault.refused, short=fault.short)
        if fault.request_fault == "answer_twice":
            answers += ledger.post(messages, at=at, refused=fault.refused, short=fault.short)
        if fault.request_fault == "lose_answer":
            self._hang_up()
            return
        self._send(HTTPStatus.OK, {"answers": [asdict(answer) for answer in answers]})

    def _feed(self, query: str) -> None:
        try:
            values = {name: int(found[-1]) for name, found in parse_qs(query).items()}
        except ValueError:
            raise Problem(HTTPStatus.BAD_REQUEST, "after and limit must be integers") from None
        after, limit = values.get("after", 0), values.get("limit", 100)
        if after < 0 or not 1 <= limit <= FEED_LIMIT:
            raise Problem(HTTPStatus.BAD_REQUEST, f"after must be 0 or more and limit 1 to {FEED_LIMIT}")
        found = self.server.ledger.feed(after=after, limit=limit)
        following = found[-1].number if found else after
        more = self.server.ledger.size() > following
        self._send(
            HTTPStatus.OK, {"transactions": [one.public() for one in found], "next": following, "more": more}
        )

    def _player(self, player: str) -> None:
        accounts = self.server.ledger.accounts(player)
        listed = [{"currency": name, "available_minor": accounts[name]} for name in sorted(accounts)]
        opening = self.server.ledger.opening_minor
        self._send(HTTPStatus.OK, {"player": player, "opening_minor": opening, "accounts": listed})

    def _faults(self, body: bytes) -> None:
        if not self.client_address[0].startswith(LOOPBACK):
            raise Problem(HTTPStatus.FORBIDDEN, "faults are switched on from the same machine only")
        if self.command == "POST":
            try:
                self.server.faults.switch_on(read_fault(_decoded(body)))
            except BadFault as problem:
                raise Problem(HTTPStatus.BAD_REQUEST, str(problem)) from problem
        elif self.command == "DELETE":
            self.server.faults.clear()
        self._send(HTTPStatus.OK, {"faults": self.server.faults.listed()})

    def _send(self, status: HTTPStatus, value: object, content_type: str = "application/json") -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bluecard-HMAC-SHA256")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(payload)

    def _send_problem(self, problem: Problem) -> None:
        value = {
            "type": "about:blank",
            "title": problem.status.phrase,
            "status": problem.status.value,
            "detail": problem.detail,
        }
        self._send(problem.status, value, "application/problem+json")

    def _hang_up(self) -> None:
        """Close the connection without a word."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            logger.debug("the other side was gone first")


def _decoded(body: bytes) -> Any:
    """Return the JSON value of a body.

    :raises Problem: if it is not JSON in UTF-8, or holds NaN, an infinity or a number nobody can mean.
    """

    def refuse(text: str) -> None:
        raise ValueError(f"{text} is no JSON number")

    try:
        return json.loads(body.decode(), parse_constant=refuse)
    except (ValueError, RecursionError) as problem:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {problem}") from problem
