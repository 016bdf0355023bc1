"""The wire to a table's platform: one signed request per decision, and whether it was heard."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import httpx

from tables.signing import signed_headers

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 5.0
SAID_LENGTH = 200


class NotHeard(Exception):
    """The platform did not say that it heard. Whether it did is unknown: send the same again."""


class WebhookClient:
    """A connection to one table's platform; close it, or use it in a `with`."""

    def __init__(
        self,
        url: str,
        secret: str,
        *,
        answer_seconds: float = ANSWER_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._url = url
        self._secret = secret.encode()
        self._clock = clock
        # Neither a proxy of the environment nor a redirect leads anywhere but to the address that was set.
        timeout = httpx.Timeout(answer_seconds, connect=CONNECT_SECONDS)
        self._http = httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def send(self, body: bytes) -> None:
        """Send one decision.

        :raises NotHeard: unless the answer is a 2xx.
        """
        request = self._http.build_request("POST", self._url, content=body)
        request.headers.update(
            signed_headers(
                self._secret,
                timestamp=int(self._clock()),
                method="POST",
                target=request.url.raw_path.decode(),
                body=body,
            )
        )
        try:
            response = self._http.send(request, stream=True)
            try:
                if not response.is_success:
                    raise NotHeard(f"HTTP {response.status_code}: {_said(response)}")
            finally:
                response.close()
        except httpx.HTTPError as problem:
            raise NotHeard(f"{type(problem).__name__}: {problem}") from problem


def _said(response: httpx.Response) -> str:
    """Return the beginning of an error answer, however long it is."""
    begun = next(response.iter_bytes(SAID_LENGTH), b"")
    return begun.decode("utf-8", "replace")
