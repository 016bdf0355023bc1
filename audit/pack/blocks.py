"""The pieces a pack's document is made of, ready to be set."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

Block = dict[str, Any]
TEXT, NUMBER = False, True


def local(at: datetime | None, zone: str) -> str:
    """Write a moment as the clock on the wall shows it."""
    return at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S") if at else "–"


def both(at: datetime | None, zone: str) -> str:
    """Write a moment in a zone and in UTC."""
    if at is None:
        return "–"
    return f"{local(at, zone)} ({zone}), {at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def table(
    columns: list[tuple[str, bool]], rows: list[list[str]], *, note: str = "", empty: str = "", wide: int
) -> Block:
    """Make a table of columns, numbers to the right; the column `wide` takes what room is left."""
    return {
        "kind": "table",
        "columns": [{"name": name, "is_number": is_number} for name, is_number in columns],
        "rows": rows,
        "note": note,
        "empty": empty,
        "wide": wide,
    }
