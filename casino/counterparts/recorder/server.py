"""The recorder's HTTP/1.1 face: holds by PUT and DELETE, each as often as the sender likes."""

from __future__ import annotations

import html
import logging
import threading
from collections import deque
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from casino.counterparts.handler import Problem, SignedHandler, decoded
from casino.counterparts.recorder.shelf import BadPiece, Piece, Shelf

MAX_BODY = 64 * 1024
HOLDS = "/v1/holds/"
FAULTS = ("error_500", "lose_answer", "refuse")

logger = logging.getLogger(__name__)


class RecorderServer(ThreadingHTTPServer):
    """One recorder at one address. `faults` are spent one by one by the requests that come next."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], *, shelf: Shelf, secret: bytes) -> None:
        super().__init__(address, Handler)
        self.shelf, self.secret = shelf, secret
        self.faults: deque[str] = deque()

    def stop(self) -> None:
        """End `serve_forever` from another thread."""
        threading.Thread(target=self.shutdown).start()


class Handler(SignedHandler):
    """One connection."""

    server_version = "BluecardRecorder"
    max_body = MAX_BODY
    server: RecorderServer

    def answer(self) -> None:
        try:
            body = self.body()
            url = urlsplit(self.path)
            if (self.command, url.path) == ("GET", "/health"):
                self.send(HTTPStatus.OK, {"status": "ok", "holds": len(self.server.shelf.holds())})
            elif (self.command, url.path) == ("GET", "/v1/video"):
                self._watch(url.query)
            else:
                self.authenticate(body)
                self._route(url.path, body)
        except Problem as problem:
            self.send_problem(problem)

    def _route(self, path: str, body: bytes) -> None:
        if self.command == "GET" and path == "/v1/holds":
            self.send(HTTPStatus.OK, {"holds": self.server.shelf.holds()})
        elif self.command == "POST" and path == "/v1/faults":
            self._switch_faults(decoded(body))
        elif self.command in ("PUT", "DELETE") and path.startswith(HOLDS) and len(path) > len(HOLDS):
            self._hold(path.removeprefix(HOLDS)[:64], body)
        else:
            raise Problem(HTTPStatus.NOT_FOUND, f"there is nothing at {self.command} {path}")

    def _hold(self, name: str, body: bytes) -> None:
        fault = self.server.faults.popleft() if self.server.faults else ""
        if fault == "error_500":
            raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "a fault was switched on")
        now = datetime.now(UTC)
        if fault == "refuse":
            self.send(HTTPStatus.OK, {"status": "refused", "reason": "the camera was off"})
            return
        if self.command == "DELETE":
            word = self.server.shelf.release(name, now=now)
        else:
            try:
                word = self.server.shelf.hold(name, Piece.read(decoded(body)), now=now)
            except BadPiece as problem:
                raise Problem(HTTPStatus.BAD_REQUEST, str(problem)) from problem
        if fault == "lose_answer":
            self.hang_up()
            return
        self.send(HTTPStatus.OK, {"status": word.status, "reason": word.reason})

    def _switch_faults(self, wanted: Any) -> None:
        names = wanted.get("faults", []) if isinstance(wanted, dict) else []
        if not isinstance(names, list) or any(name not in FAULTS for name in names):
            raise Problem(HTTPStatus.BAD_REQUEST, f"faults is a list of {', '.join(FAULTS)}")
        self.server.faults.extend(names)
        self.send(HTTPStatus.OK, {"faults": list(self.server.faults)})

    def _watch(self, query: str) -> None:
        """Say in a page of words what a real recorder would show here."""
        asked = {name: values[-1] for name, values in parse_qs(query).items()}
        try:
            piece = Piece.read(asked)
        except BadPiece as problem:
            raise Problem(HTTPStatus.BAD_REQUEST, str(problem)) from problem
        is_there = self.server.shelf.shows(piece.camera, piece.begins, now=datetime.now(UTC))
        said = "A real recorder plays it here." if is_there else "It has been recorded over."
        until = piece.ends.isoformat(" ", "seconds") if piece.ends else "now"
        page = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Camera {html.escape(piece.camera)}'
            f"</title><h1>Camera {html.escape(piece.camera)}</h1>"
            f"<p>{piece.begins.isoformat(' ', 'seconds')} to {until}. {said}</p></html>"
        )
        self.send_bytes(HTTPStatus.OK, page.encode(), "text/html; charset=utf-8")
