"""What the small HTTP servers of the other side share: bodies, signatures, answers, problem details.

`http.server` is enough here: counterparts for the demonstration and the tests, on loopback, whose answers
must be right and whose processes must be easy to kill.
"""

from __future__ import annotations

import json
import logging
import socket
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from casino.counterparts.signature import (
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    NotSigned,
    check_signature,
)

logger = logging.getLogger(__name__)


class Problem(Exception):
    """A request is answered with an error, as problem details (RFC 9457)."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class SignedHandler(BaseHTTPRequestHandler):
    """One connection to a server that has a `secret`; a subclass says in `answer` what is where."""

    protocol_version = "HTTP/1.1"
    sys_version = ""
    timeout = 60
    disable_nagle_algorithm = True
    max_body: ClassVar[int]

    def answer(self) -> None:
        """Answer one request of whatever method."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer a GET."""
        self.answer()

    def do_PUT(self) -> None:
        """Answer a PUT."""
        self.answer()

    def do_POST(self) -> None:
        """Answer a POST."""
        self.answer()

    def do_DELETE(self) -> None:
        """Answer a DELETE."""
        self.answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Log one request; the base class would write to standard error past the log's settings."""
        logger.info("%s %s", self.address_string(), format % args)

    def body(self) -> bytes:
        """Read the request's body.

        :raises Problem: if its length is not said, is no number or is too large.
        """
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise Problem(HTTPStatus.LENGTH_REQUIRED, "send the body with a Content-Length")
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise Problem(HTTPStatus.BAD_REQUEST, "Content-Length must be a number")
        if int(length) > self.max_body:
            self.close_connection = True
            raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may hold {self.max_body} bytes")
        return self.rfile.read(int(length))

    def authenticate(self, body: bytes) -> None:
        """Check who sent a request.

        :raises Problem: if it is not signed with the server's secret, or was so too long ago.
        """
        try:
            check_signature(
                self.server.secret,  # type: ignore[attr-defined]
                timestamp=self.headers.get(TIMESTAMP_HEADER),
                signature=self.headers.get(SIGNATURE_HEADER),
                method=self.command,
                target=self.path,
                body=body,
                now=time.time(),
            )
        except NotSigned as problem:
            raise Problem(HTTPStatus.UNAUTHORIZED, str(problem)) from problem

    def send(self, status: HTTPStatus, value: object, content_type: str = "application/json") -> None:
        """Send a JSON value."""
        self.send_bytes(status, json.dumps(value).encode(), content_type)

    def send_bytes(self, status: HTTPStatus, payload: bytes, content_type: str) -> None:
        """Send an answer as it is."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bluecard-HMAC-SHA256")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(payload)

    def send_problem(self, problem: Problem) -> None:
        """Send problem details."""
        status = problem.status
        value = {
            "type": "about:blank",
            "title": status.phrase,
            "status": status.value,
            "detail": problem.detail,
        }
        self.send(status, value, "application/problem+json")

    def hang_up(self) -> None:
        """Close the connection without a word."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            logger.debug("the other side was gone first")


def decoded(body: bytes) -> Any:
    """Return the JSON value of a body.

    :raises Problem: if it is not JSON in UTF-8, or holds NaN, an infinity or a number nobody can mean.
    """

    def refuse(text: str) -> None:
        raise ValueError(f"{text} is no JSON number")

    try:
        return json.loads(body.decode(), parse_constant=refuse)
    except (ValueError, RecursionError) as problem:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {problem}") from problem
