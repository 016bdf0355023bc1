"""The pieces a pack's document is made of, ready to be set."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from tables.templatetags.felt import write_day

Block = dict[str, Any]
TEXT, NUMBER = False, True


def local(at: datetime | None, zone: str) -> str:
    """Write a moment as calendar and clock on the wall show it, the year as the language counts."""
    return f"{write_day(at.astimezone(ZoneInfo(zone)))} {clock(at, zone)}" if at else "–"


def clock(at: datetime, zone: str) -> str:
    """Write a moment as the clock on the wall shows it."""
    return at.astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")


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
