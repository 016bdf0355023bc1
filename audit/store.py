"""Files outside the database and outside what the web server serves, under names nobody can guess."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{32}")


class Store:
    """A private folder of files that are written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Write a new file and return its name, once it is safe on the disk."""
        name = secrets.token_hex(16)
        path = self._path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_suffix(".part")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        return name

    def read(self, name: str) -> bytes:
        """Return what a file holds.

        :raises FileNotFoundError: if it is gone.
        """
        return self._path(name).read_bytes()

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone already is no matter."""
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"no name of this store: {name!r}")
        return self.folder / name[:2] / name
