"""What the recorder holds: every hold and release a line of a file, read again at the start."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

#: What nobody asked to hold is recorded over.
KEPT: Final = timedelta(hours=24)
CLOCKS_APART: Final = timedelta(minutes=5)


class BadPiece(ValueError):
    """What is asked for is no piece of video."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A camera's video from one moment to another; without an end it goes on until it is released."""

    camera: str
    begins: datetime
    ends: datetime | None

    @classmethod
    def read(cls, raw: Any) -> Piece:
        """Read a piece.

        :raises BadPiece: if it is none.
        """
        try:
            begins = _moment(raw["from"])
            ends = _moment(raw["to"]) if raw.get("to") else None
            camera = raw["camera"]
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise BadPiece(f"camera, from and to are wanted: {problem!r}") from problem
        if not isinstance(camera, str) or not 1 <= len(camera) <= 24:
            raise BadPiece("camera must be a name of 1 to 24 characters")
        if ends is not None and ends < begins:
            raise BadPiece("to lies before from")
        return cls(camera, begins, ends)

    def as_line(self) -> dict[str, Any]:
        """Write the piece as it was asked for."""
        return {
            "camera": self.camera,
            "from": self.begins.isoformat(),
            "to": self.ends.isoformat() if self.ends else None,
        }


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    return found.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Word:
    """The recorder's answer: held, refused, lapsed or released, and why."""

    status: str
    reason: str = ""


class Shelf:
    """The holds of one recorder."""

    def __init__(self, store: Path) -> None:
        self._lock = threading.Lock()
        self._holds: dict[str, Piece] = {}
        self._released: set[str] = set()
        store.parent.mkdir(parents=True, exist_ok=True)
        told = store.read_text(encoding="utf-8", errors="replace") if store.exists() else ""
        for line in told.splitlines():
            self._replay(line)
        self._file = store.open("a", encoding="utf-8")
        if told and not told.endswith("\n"):
            self._file.write("\n")  # a line that was cut off stays alone, and takes no other with it

    def hold(self, name: str, piece: Piece, *, now: datetime) -> Word:
        """Hold a piece under a name; what is held already stays so, whatever is asked.

        A piece of which the last part is older than 24 hours has been recorded over.
        """
        with self._lock:
            if name in self._holds:
                return Word("held")
            if name in self._released:
                return Word("refused", "this hold was released")
            if piece.begins > now + CLOCKS_APART:
                return Word("refused", "that is still to come")
            if (piece.ends or now) < now - KEPT:
                return Word("lapsed", "recorded over after 24 hours")
            self._write({"do": "hold", "id": name, "at": now.isoformat(), **piece.as_line()})
            self._holds[name] = piece
            return Word("held")

    def release(self, name: str, *, now: datetime) -> Word:
        """Let go of a hold; one that is not known is let go of."""
        with self._lock:
            if name in self._holds:
                self._write({"do": "release", "id": name, "at": now.isoformat()})
                del self._holds[name]
                self._released.add(name)
            return Word("released")

    def holds(self) -> dict[str, dict[str, Any]]:
        """Return what is held, by name."""
        with self._lock:
            return {name: piece.as_line() for name, piece in self._holds.items()}

    def shows(self, camera: str, begins: datetime, *, now: datetime) -> bool:
        """Say whether a moment of a camera can still be seen."""
        with self._lock:
            is_held = any(
                piece.camera == camera and piece.begins <= begins <= (piece.ends or now)
                for piece in self._holds.values()
            )
        return is_held or now - KEPT <= begins <= now

    def _replay(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:  # a line cut off when the process died: its answer was never given
            return
        if said["do"] == "hold":
            self._holds[said["id"]] = Piece.read(said)
        else:
            self._holds.pop(said["id"], None)
            self._released.add(said["id"])

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())
