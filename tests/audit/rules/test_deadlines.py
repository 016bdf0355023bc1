"""Deadlines, each worked out by hand with a calendar: 29 November 2026 is a Sunday."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from audit.rules.deadlines import (
    Period,
    Unit,
    deadline,
    is_in_time,
    parse_period,
    share_passed,
    time_left,
)

BANGKOK, BERLIN = "Asia/Bangkok", "Europe/Berlin"
NEW_YORK, LORD_HOWE = "America/New_York", "Australia/Lord_Howe"
#: Two days off in Thailand, and a New Year's Eve.
HOLIDAYS = frozenset({date(2026, 12, 7), date(2026, 12, 10), date(2026, 12, 31)})

# (zone, period, begins in UTC, last moment in UTC)
CASES = [
    # Hours run in UTC, whatever the clocks of the zone do.
    (BANGKOK, "24 hours", "2026-11-28T19:41:09", "2026-11-29T19:41:09"),
    (BERLIN, "24 hours", "2026-10-24T22:30:00", "2026-10-25T22:30:00"),  # 00:30, then 23:30 the same day
    (BERLIN, "24 hours", "2027-03-27T12:00:00", "2027-03-28T12:00:00"),  # 13:00, then 14:00
    (NEW_YORK, "24 hours", "2026-10-31T16:00:00", "2026-11-01T16:00:00"),  # noon, then 11:00
    (LORD_HOWE, "24h", "2026-10-03T12:00:00", "2026-10-04T12:00:00"),  # clocks move by half an hour
    # Days end at the same time of day. A week in which Berlin goes back to winter time has 169 hours.
    (BERLIN, "7 days", "2026-10-20T10:00:00", "2026-10-27T11:00:00"),
    (BERLIN, "1 day", "2027-03-27T11:00:00", "2027-03-28T10:00:00"),  # noon to noon in 23 hours
    (BANGKOK, "7 days", "2026-11-29T16:29:02", "2026-12-06T16:29:02"),
    (BANGKOK, "10 days", "2026-11-29T16:29:02", "2026-12-09T16:29:02"),
    (BANGKOK, "8 weeks", "2026-11-29T16:29:02", "2027-01-24T16:29:02"),
    (LORD_HOWE, "1 day", "2026-10-03T12:00:00", "2026-10-04T11:30:00"),  # 22:30 to 22:30 in 23.5 hours
    # 02:30 does not exist on 28 March 2027: clocks show 03:30 by then. 02:30 comes twice on 25 October 2026.
    (BERLIN, "1 day", "2027-03-27T01:30:00", "2027-03-28T01:30:00"),
    (BERLIN, "1 day", "2026-10-24T00:30:00", "2026-10-25T01:30:00"),
    # A leap year's February, and a day that is already tomorrow where the table stands.
    (BANGKOK, "1 week", "2028-02-23T20:00:00", "2028-03-01T20:00:00"),
    (BANGKOK, "2 days", "2028-02-28T20:00:00", "2028-03-01T20:00:00"),
    # Business days from Sunday 29 November, 23:29 in Bangkok: Monday 30 is the first, Friday 4 the fifth.
    (BANGKOK, "5 business days", "2026-11-29T16:29:02", "2026-12-04T16:29:02"),
    # From Wednesday 2 December: Thu 3, Fri 4, Tue 8, Wed 9, Fri 11, as Mon 7 and Thu 10 are holidays.
    (BANGKOK, "5 business days", "2026-12-02T03:00:00", "2026-12-11T03:00:00"),
    # From Friday 4 December: the next that counts is Tuesday 8.
    (BANGKOK, "1 business day", "2026-12-04T03:00:00", "2026-12-08T03:00:00"),
    # From a holiday, Monday 7: Tuesday 8.
    (BANGKOK, "1bd", "2026-12-07T03:00:00", "2026-12-08T03:00:00"),
    # Over a New Year: Wed 30 December, and Fri 1 January, as no calendar names that a holiday.
    (BANGKOK, "2 business days", "2026-12-29T03:00:00", "2027-01-01T03:00:00"),
    # 20:00 UTC on Friday 4 is Saturday 03:00 in Bangkok: Tuesday 8 at 03:00 there is Monday 20:00 UTC.
    (BANGKOK, "1 business day", "2026-12-04T20:00:00", "2026-12-07T20:00:00"),
]


@pytest.mark.parametrize(("zone", "period", "begins", "ends"), CASES)
def test_a_deadline_is_the_one_worked_out_by_hand(zone: str, period: str, begins: str, ends: str) -> None:
    start = datetime.fromisoformat(begins).replace(tzinfo=UTC)
    found = deadline(start, parse_period(period), zone=ZoneInfo(zone), holidays=HOLIDAYS)
    assert found == datetime.fromisoformat(ends).replace(tzinfo=UTC)
    assert found.tzinfo is UTC


@pytest.mark.parametrize("zone", [BANGKOK, BERLIN, NEW_YORK, LORD_HOWE])
def test_a_start_written_in_any_zone_is_the_same_start(zone: str) -> None:
    start = datetime(2026, 10, 24, 22, 30, tzinfo=UTC)
    found = deadline(start.astimezone(ZoneInfo(zone)), Period(24, Unit.HOURS), zone=ZoneInfo(zone))
    assert found == datetime(2026, 10, 25, 22, 30, tzinfo=UTC)


def test_the_last_microsecond_is_in_time_and_the_next_one_is_not() -> None:
    until = deadline(
        datetime(2026, 11, 28, 19, 41, 9, 123_456, tzinfo=UTC),
        parse_period("24 hours"),
        zone=ZoneInfo(BANGKOK),
    )
    assert until == datetime(2026, 11, 29, 19, 41, 9, 123_456, tzinfo=UTC)
    assert is_in_time(datetime(2026, 11, 29, 19, 41, 9, 123_456, tzinfo=UTC), until)
    assert not is_in_time(datetime(2026, 11, 29, 19, 41, 9, 123_457, tzinfo=UTC), until)


def test_time_left_is_counted_in_utc_across_a_change_of_clocks() -> None:
    berlin = ZoneInfo(BERLIN)
    now = datetime(2026, 10, 25, 1, 0, tzinfo=berlin)  # 23:00 UTC the day before
    until = datetime(2026, 10, 25, 4, 0, tzinfo=berlin)  # 03:00 UTC: four hours, though clocks say three
    assert time_left(now, until) == timedelta(hours=4)
    assert time_left(until, now) == timedelta(hours=-4)
    assert share_passed(now, until, datetime(2026, 10, 25, 2, 0, tzinfo=UTC)) == 0.75


def test_a_bar_stops_at_its_ends() -> None:
    start, until = datetime(2026, 11, 29, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)
    assert share_passed(start, until, start - timedelta(hours=1)) == 0.0
    assert share_passed(start, until, until + timedelta(hours=1)) == 1.0
    assert share_passed(until, start, start) == 1.0


@pytest.mark.parametrize(
    ("text", "count", "unit", "written"),
    [
        ("24h", 24, Unit.HOURS, "24 hours"),
        ("1 hour", 1, Unit.HOURS, "1 hour"),
        (" 7  Days ", 7, Unit.DAYS, "7 days"),
        ("5bd", 5, Unit.BUSINESS_DAYS, "5 business days"),
        ("1 business day", 1, Unit.BUSINESS_DAYS, "1 business day"),
        ("8w", 8, Unit.WEEKS, "8 weeks"),
    ],
)
def test_a_span_is_read_as_it_is_written(text: str, count: int, unit: Unit, written: str) -> None:
    period = parse_period(text)
    assert (period.count, period.unit, str(period)) == (count, unit, written)


@pytest.mark.parametrize(
    "text", ["", "24", "h", "0 hours", "-1 day", "1.5 days", "7 months", "9999 weeks", "٧ days"]
)
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="span"):
        parse_period(text)


def test_a_moment_without_a_zone_has_no_deadline() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        deadline(datetime(2026, 11, 29), parse_period("24h"), zone=ZoneInfo(BANGKOK))
