"""The recorder of the house in a thread of the test: a real server, at the other end of real HTTP."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from audit.recorder_client import RecorderClient
from casino.counterparts.recorder.server import RecorderServer
from casino.counterparts.recorder.shelf import Shelf

SECRET = "a secret of the tests"


class OwnRecorder:
    """A recorder on loopback; started again on the same file it remembers what it held."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __enter__(self) -> Self:
        self.shelf = Shelf(self.store)
        self.server = RecorderServer(("127.0.0.1", 0), shelf=self.shelf, secret=SECRET.encode())
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def client(self, secret: str = SECRET) -> RecorderClient:
        return RecorderClient(self.url, secret)
