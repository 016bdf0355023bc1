"""When a time for complaining or for answering is over: hours by the clock, days and weeks by the calendar.

Hours are counted in UTC and know no daylight saving. Days, weeks and business days are counted in a zone and
end at the time of day at which they began there.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

SATURDAY: Final = 5
LONGEST: Final = 3660  # days; ten years and a little
_FORM: Final = re.compile(r"(\d{1,4}) ?(hours?|h|days?|d|business days?|bd|weeks?|w)", re.ASCII)


class Unit(StrEnum):
    HOURS = "hours"
    DAYS = "days"
    BUSINESS_DAYS = "business days"
    WEEKS = "weeks"


_UNITS: Final = {
    "h": Unit.HOURS,
    "hour": Unit.HOURS,
    "d": Unit.DAYS,
    "day": Unit.DAYS,
    "bd": Unit.BUSINESS_DAYS,
    "business day": Unit.BUSINESS_DAYS,
    "w": Unit.WEEKS,
    "week": Unit.WEEKS,
}


@dataclass(frozen=True, slots=True)
class Period:
    """A span as a house writes it: `24 hours`, `7 days`, `5 business days`, `8 weeks`."""

    count: int
    unit: Unit

    def __str__(self) -> str:
        return f"{self.count} {self.unit.value if self.count != 1 else self.unit.value.removesuffix('s')}"


def parse_period(text: str) -> Period:
    """Read a span such as `24h`, `7 days`, `5 business days` or `8w`.

    :raises ValueError: if it is none, or is nothing, or longer than ten years.
    """
    form = _FORM.fullmatch(" ".join(text.lower().split()))
    if form is None:
        raise ValueError(f"{text!r} is no span: write 24 hours, 7 days, 5 business days or 8 weeks")
    unit = _UNITS[form[2] if form[2] in _UNITS else form[2].removesuffix("s")]
    count = int(form[1])
    days = {Unit.HOURS: count / 24, Unit.WEEKS: 7 * count, Unit.BUSINESS_DAYS: 2 * count}.get(unit, count)
    if not 0 < days <= LONGEST:
        raise ValueError(f"{text!r} is not a span from an hour to ten years")
    return Period(count, unit)


def deadline(
    start: datetime, period: Period, *, zone: ZoneInfo, holidays: Set[date] = frozenset()
) -> datetime:
    """Return the last moment, in UTC, that is still within a period which begins at `start`.

    A business day is Monday to Friday and no holiday of the house; the day on which it begins is not counted.
    A time of day that the last day does not have (clocks put forward) is taken as much later as clocks were
    moved; one that it has twice is the later one. Both are in favour of whoever has to keep the deadline.

    :raises ValueError: if `start` has no zone.
    """
    if start.tzinfo is None:
        raise ValueError("a moment without a zone has no deadline")
    if period.unit is Unit.HOURS:
        return start.astimezone(UTC) + timedelta(hours=period.count)
    local = start.astimezone(zone)
    return _same_time_on(_last_day(local.date(), period, holidays), local, zone)


def _last_day(first: date, period: Period, holidays: Set[date]) -> date:
    match period.unit:
        case Unit.WEEKS:
            return first + timedelta(weeks=period.count)
        case Unit.BUSINESS_DAYS:
            day, left = first, period.count
            while left:
                day += timedelta(days=1)
                left -= is_business_day(day, holidays)
            return day
    return first + timedelta(days=period.count)


def is_business_day(day: date, holidays: Set[date]) -> bool:
    """Say whether a day counts: Monday to Friday, and no holiday."""
    return day.weekday() < SATURDAY and day not in holidays


def _same_time_on(day: date, local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment of a day that has the local time of day, the later one where two readings differ.

    Of two equal times the second is fold 1; in a gap it is fold 0 that reads by the clock before it, and so
    comes out later.
    """
    wall = datetime.combine(day, local.time().replace(tzinfo=None))
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return max(first, second)


def is_in_time(received: datetime, until: datetime) -> bool:
    """Say whether something that was received keeps a deadline; the very last microsecond does."""
    return received <= until


def time_left(now: datetime, until: datetime) -> timedelta:
    """Return how long a deadline is away, to the microsecond; negative when it has passed.

    Both are taken in UTC: two moments of one zone would be subtracted by their clocks, an hour wrong across
    a change of them.
    """
    return until.astimezone(UTC) - now.astimezone(UTC)


def share_passed(start: datetime, until: datetime, now: datetime) -> float:
    """Return how much of a period has passed, from 0 to 1, for a bar that is drawn."""
    whole = time_left(start, until)
    if whole <= timedelta(0):
        return 1.0
    return max(0.0, min(1.0, time_left(start, now) / whole))
