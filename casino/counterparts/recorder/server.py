"""The recorder's HTTP/1.1 face: holds by PUT and DELETE, each as often as the sender likes."""

from __future__ import annotations

import html
import json
import logging
import socket
import threading
import time
from collections import deque
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from casino.counterparts.recorder.shelf import BadPiece, Piece, Shelf
from casino.counterparts.wallet.signature import (
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    NotSigned,
    check_signature,
)

MAX_BODY = 64 * 1024
HOLDS = "/v1/holds/"
FAULTS = ("error_500", "lose_answer", "refuse")

logger = logging.getLogger(__name__)


class Problem(Exception):
    """A request is answered with an error, as problem details (RFC 9457)."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


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


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "BluecardRecorder"
    sys_version = ""
    timeout = 60
    disable_nagle_algorithm = True
    server: RecorderServer

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer()

    def do_PUT(self) -> None:
        """Answer a PUT."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._answer()

    def do_DELETE(self) -> None:
        """Answer a DELETE."""
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Log one request; the base class would write past the log's settings."""
        logger.info("%s %s", self.address_string(), format % args)

    def _answer(self) -> None:
        try:
            body = self._body()
            url = urlsplit(self.path)
            if (self.command, url.path) == ("GET", "/health"):
                self._send(HTTPStatus.OK, {"status": "ok", "holds": len(self.server.shelf.holds())})
            elif (self.command, url.path) == ("GET", "/v1/video"):
                self._watch(url.query)
            else:
                self._authenticate(body)
                self._route(url.path, body)
        except Problem as problem:
            self._send(problem.status, _details(problem), "application/problem+json")

    def _route(self, path: str, body: bytes) -> None:
        if self.command == "GET" and path == "/v1/holds":
            self._send(HTTPStatus.OK, {"holds": self.server.shelf.holds()})
        elif self.command == "POST" and path == "/v1/faults":
            self._switch_faults(_decoded(body))
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
            self._send(HTTPStatus.OK, {"status": "refused", "reason": "the camera was off"})
            return
        if self.command == "DELETE":
            word = self.server.shelf.release(name, now=now)
        else:
            try:
                word = self.server.shelf.hold(name, Piece.read(_decoded(body)), now=now)
            except BadPiece as problem:
                raise Problem(HTTPStatus.BAD_REQUEST, str(problem)) from problem
        if fault == "lose_answer":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(HTTPStatus.OK, {"status": word.status, "reason": word.reason})

    def _switch_faults(self, wanted: Any) -> None:
        names = wanted.get("faults", []) if isinstance(wanted, dict) else []
        if not isinstance(names, list) or any(name not in FAULTS for name in names):
            raise Problem(HTTPStatus.BAD_REQUEST, f"faults is a list of {', '.join(FAULTS)}")
        self.server.faults.extend(names)
        self._send(HTTPStatus.OK, {"faults": list(self.server.faults)})

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
        self._send_bytes(HTTPStatus.OK, page.encode(), "text/html; charset=utf-8")

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise Problem(HTTPStatus.LENGTH_REQUIRED, "send the body with a Content-Length")
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

    def _send(self, status: HTTPStatus, value: object, content_type: str = "application/json") -> None:
        self._send_bytes(status, json.dumps(value).encode(), content_type)

    def _send_bytes(self, status: HTTPStatus, payload: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bluecard-HMAC-SHA256")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(payload)


def _details(problem: Problem) -> dict[str, Any]:
    status = problem.status
    return {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": problem.detail}


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body.decode())
    except (ValueError, RecursionError) as problem:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {problem}") from problem
