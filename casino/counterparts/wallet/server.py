"""The wallet's HTTP/1.1 face."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from casino.counterparts.handler import Problem, SignedHandler, decoded
from casino.counterparts.wallet.faults import BadFault, Faults, read_fault
from casino.counterparts.wallet.ledger import Ledger, StoreError

MAX_MESSAGES = 500
MAX_BODY = 64 * 1024 * 1024
FEED_LIMIT = 1_000
LOOPBACK = ("127.", "::1", "::ffff:127.")

logger = logging.getLogger(__name__)


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


class Handler(SignedHandler):
    """One connection."""

    server_version = "BluecardWallet"
    max_body = MAX_BODY
    server: WalletServer

    def answer(self) -> None:
        try:
            body = self.body()
            url = urlsplit(self.path)
            if (self.command, url.path) == ("GET", "/health"):
                self.send(HTTPStatus.OK, {"status": "ok", "transactions": self.server.ledger.size()})
                return
            self.authenticate(body)
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
            self.send_problem(problem)
        except StoreError as failure:
            # What is in the file is unknown now. Saying nothing and starting again finds it out.
            self.server.failure = failure
            self.hang_up()
            self.server.stop()

    def _post_transactions(self, body: bytes) -> None:
        request = decoded(body)
        messages = request.get("messages") if isinstance(request, dict) else None
        if not isinstance(messages, list) or not 1 <= len(messages) <= MAX_MESSAGES:
            raise Problem(HTTPStatus.BAD_REQUEST, f"messages must be a list of 1 to {MAX_MESSAGES} messages")
        fault = self.server.faults.take()
        if fault.request_fault == "error_500":
            raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "a fault was switched on")
        if fault.request_fault == "timeout":
            self.server.stopping.wait(fault.seconds)
            self.hang_up()
            return
        ledger, at = self.server.ledger, datetime.now(UTC).isoformat()
        answers = ledger.post(messages, at=at, refused=fault.refused, short=fault.short)
        if fault.request_fault == "answer_twice":
            answers += ledger.post(messages, at=at, refused=fault.refused, short=fault.short)
        if fault.request_fault == "lose_answer":
            self.hang_up()
            return
        self.send(HTTPStatus.OK, {"answers": [asdict(answer) for answer in answers]})

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
        self.send(
            HTTPStatus.OK, {"transactions": [one.public() for one in found], "next": following, "more": more}
        )

    def _player(self, player: str) -> None:
        accounts = self.server.ledger.accounts(player)
        listed = [{"currency": name, "available_minor": accounts[name]} for name in sorted(accounts)]
        opening = self.server.ledger.opening_minor
        self.send(HTTPStatus.OK, {"player": player, "opening_minor": opening, "accounts": listed})

    def _faults(self, body: bytes) -> None:
        if not self.client_address[0].startswith(LOOPBACK):
            raise Problem(HTTPStatus.FORBIDDEN, "faults are switched on from the same machine only")
        if self.command == "POST":
            try:
                self.server.faults.switch_on(read_fault(decoded(body)))
            except BadFault as problem:
                raise Problem(HTTPStatus.BAD_REQUEST, str(problem)) from problem
        elif self.command == "DELETE":
            self.server.faults.clear()
        self.send(HTTPStatus.OK, {"faults": self.server.faults.listed()})
