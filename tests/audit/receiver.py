"""A table's platform as the other end of a webhook: a real server on loopback that keeps what it was told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from casino.counterparts.signature import NotSigned, check_signature

LOSE_ANSWER = 0  # in place of a status: hear it, and hang up without a word


@dataclass
class Receiver:
    """Answers 200, or what `answers` says next, and checks every signature by code of its own."""

    secret: str = ""
    path: str = "/hooks/bluecard?table=B01"
    answers: list[int] = field(default_factory=list)
    heard: list[dict[str, Any]] = field(default_factory=list)
    unsigned: list[str] = field(default_factory=list)
    meanwhile: Callable[[], None] | None = None  # done once, before the first answer

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.answer(self)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Keep the tests' output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.path}"

    @property
    def kinds(self) -> list[str]:
        return [body["kind"] for body in self.heard]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        try:
            check_signature(
                self.secret.encode(),
                timestamp=request.headers["X-Bluecard-Timestamp"],
                signature=request.headers["X-Bluecard-Signature"],
                method="POST",
                target=request.path,
                body=body,
                now=time.time(),
            )
        except NotSigned as error:
            self.unsigned.append(str(error))
            request.send_error(401, "not signed")
            return
        self.heard.append(json.loads(body))
        if self.meanwhile is not None:
            first, self.meanwhile = self.meanwhile, None
            first()
        status = self.answers.pop(0) if self.answers else 200
        if status == LOSE_ANSWER:
            request.close_connection = True
            return
        request.send_response(status)
        if status in (301, 302, 307):
            request.send_header("Location", "/elsewhere")
        request.send_header("Content-Length", "4")
        request.end_headers()
        request.wfile.write(b"well")
