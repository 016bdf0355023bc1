"""The product's own web server on a free port of this machine, for as long as a bench asks it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from casino.runtime.places import ROOT
from casino.runtime.run import WEB_OPTIONS

HOST = "127.0.0.1"
STARTS_WITHIN_SECONDS = 60.0
ANSWERS_WITHIN_SECONDS = 900.0


@contextmanager
def web_server(workers: int = 1) -> Iterator[httpx.Client]:
    """Start gunicorn as `make run` does, and give a client that reaches it.

    :raises RuntimeError: if it does not come up.
    """
    address = f"{HOST}:{_free_port()}"
    options = ("--bind", address, "--workers", str(workers), *WEB_OPTIONS, "--timeout", "900")
    command = [sys.executable, "-m", "gunicorn", "casino.wsgi", *options]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=sys.stderr)
    try:
        with httpx.Client(base_url=f"http://{address}", timeout=ANSWERS_WITHIN_SECONDS) as client:
            _wait_for(client, process)
            yield client
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_for(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    give_up_at = time.monotonic() + STARTS_WITHIN_SECONDS
    while time.monotonic() < give_up_at and process.poll() is None:
        try:
            if client.get("/health/live").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the web server did not come up")
