"""The wire to the video recorder: hold a piece of video, or let go of it. Every request may be repeated."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx

from tables.signing import signed_headers

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 5.0


class RecorderWord(StrEnum):
    """What the recorder says of a hold."""

    HELD = "held"
    REFUSED = "refused"
    LAPSED = "lapsed"
    RELEASED = "released"


class NoAnswer(Exception):
    """No answer that can be used came back. Whether the recorder did it is unknown: ask the same again."""


class RecorderClient:
    """A connection to one recorder; close it, or use it in a `with`."""

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
        timeout = httpx.Timeout(answer_seconds, connect=CONNECT_SECONDS)
        self._http = httpx.Client(base_url=url, timeout=timeout, trust_env=False, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def hold(
        self, uuid: UUID, *, camera: str, from_at: datetime, to_at: datetime | None
    ) -> tuple[RecorderWord, str]:
        """Ask to keep a piece of video until it is released; return the recorder's word, and why.

        :raises NoAnswer: if none came.
        """
        piece = {
            "camera": camera,
            "from": from_at.astimezone(UTC).isoformat(),
            "to": to_at.astimezone(UTC).isoformat() if to_at else None,
        }
        return self._ask("PUT", uuid, json.dumps(piece).encode())

    def release(self, uuid: UUID) -> tuple[RecorderWord, str]:
        """Let go of a hold; one that the recorder does not know is let go of.

        :raises NoAnswer: if no answer came.
        """
        return self._ask("DELETE", uuid, b"")

    def _ask(self, method: str, uuid: UUID, body: bytes) -> tuple[RecorderWord, str]:
        request = self._http.build_request(method, f"/v1/holds/{uuid}", content=body)
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
            raise NoAnswer(f"{type(problem).__name__}: {problem}") from problem
        if response.status_code != httpx.codes.OK:
            raise NoAnswer(f"HTTP {response.status_code}: {response.text[:200]}")
        return _read_word(response)


def _read_word(response: httpx.Response) -> tuple[RecorderWord, str]:
    try:
        said: dict[str, Any] = response.json()
        return RecorderWord(said["status"]), str(said.get("reason") or "")[:200]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise NoAnswer(f"an answer that cannot be read: {problem!r}") from problem
