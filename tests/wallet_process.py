"""The wallet as a process of its own, for tests that need the other end of HTTP to be real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from tables.signing import SIGNATURE_HEADER, TIMESTAMP_HEADER, signature

ROOT = Path(__file__).resolve().parent.parent
SECRET = "a secret of the tests"


class WalletProcess:
    """One wallet on loopback, with a store that outlives it."""

    def __init__(self, store: Path, *, opening_minor: int = 100_000) -> None:
        self.store = store
        self.port = 0
        self._opening_minor = opening_minor
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """Return where the wallet listens; the same after a restart."""
        return f"http://127.0.0.1:{self.port}"

    def command(self, *, port: int) -> list[str]:
        """Return the command line that runs this wallet."""
        module = ["-m", "casino.counterparts.wallet", "--port", str(port), "--store", str(self.store)]
        return [sys.executable, *module, "--opening-minor", str(self._opening_minor)]

    def start(self) -> None:
        """Start the process and wait until it listens."""
        self._process = subprocess.Popen(
            self.command(port=self.port),
            cwd=ROOT,
            env={**os.environ, "WALLET_SECRET": SECRET},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert said.startswith("wallet listening on "), f"the wallet did not start: {said!r}"
        self.port = int(said.split(",")[0].rpartition(":")[2])

    def kill(self) -> None:
        """End the process as `kill -9` does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def terminate(self) -> int:
        """Ask the process to stop and return its exit status."""
        assert self._process is not None
        self._process.terminate()
        self._process.communicate(timeout=60)
        status, self._process = self._process.returncode, None
        return status

    def request(self, method: str, target: str, value: object = None) -> httpx.Response:
        """Send one signed request."""
        body = b"" if value is None else json.dumps(value).encode()
        timestamp = str(int(time.time()))
        signed = signature(SECRET.encode(), timestamp=timestamp, method=method, target=target, body=body)
        headers = {TIMESTAMP_HEADER: timestamp, SIGNATURE_HEADER: signed}
        with httpx.Client(trust_env=False, timeout=60) as client:
            return client.request(method, self.url + target, content=body, headers=headers)

    def post(self, *messages: object) -> list[dict[str, Any]]:
        """Send messages in one request and return the answers."""
        response = self.request("POST", "/v1/transactions", {"messages": list(messages)})
        assert response.status_code == 200, response.text
        answers: list[dict[str, Any]] = response.json()["answers"]
        return answers

    def switch_on(self, fault: str, **details: Any) -> None:
        """Switch a fault on."""
        response = self.request("POST", "/v1/faults", {"fault": fault, **details})
        assert response.status_code == 200, response.text

    def money(self, player: str, currency: str = "THB") -> int:
        """Return what a player has."""
        said = self.request("GET", f"/v1/players/{player}").json()
        found: dict[str, int] = {row["currency"]: row["available_minor"] for row in said["accounts"]}
        return found.get(currency, int(said["opening_minor"]))

    def booked(self) -> list[dict[str, Any]]:
        """Return the whole feed, in the order booked."""
        found: list[dict[str, Any]] = []
        more, after = True, 0
        while more:
            page = self.request("GET", f"/v1/transactions?after={after}&limit=1000").json()
            found += page["transactions"]
            more, after = page["more"], page["next"]
        return found
