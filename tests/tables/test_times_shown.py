"""A time is shown in the table's zone, with UTC for who points at it, and years as the language counts."""

from datetime import UTC, datetime

import pytest
from django.utils import translation

from tables.templatetags.felt import clock, clock_text, day, moment, zone_name

LATE = datetime(2026, 11, 29, 18, 30, 5, tzinfo=UTC)  # in Bangkok half past one the next morning


def test_a_clock_shows_the_zone_and_says_utc() -> None:
    assert clock(LATE, "Asia/Bangkok") == (
        '<time datetime="2026-11-29T18:30:05Z" title="2026-11-29 18:30:05 UTC">01:30:05</time>'
    )
    assert clock_text(LATE, "Asia/Bangkok") == "01:30:05"
    assert clock(None, "Asia/Bangkok") == moment(None, "Asia/Bangkok") == ""


@pytest.mark.parametrize(("language", "words"), [("en", "30 Nov 2026"), ("th", "30 พ.ย. 2569")])
def test_a_day_has_the_year_of_the_language(language: str, words: str) -> None:
    with translation.override(language):
        assert day(LATE, "Asia/Bangkok") == words
        shown = moment(LATE, "Asia/Bangkok")
    assert f"<span>{words}</span> <span>01:30:05</span>" in shown
    assert 'title="2026-11-29 18:30:05 UTC"' in shown


def test_a_zone_goes_by_its_city_in_the_readers_language() -> None:
    assert [zone_name(zone) for zone in ("Asia/Bangkok", "UTC", "America/New_York")] == [
        "Bangkok",
        "UTC",
        "New York",
    ]
    with translation.override("th"):
        assert zone_name("Asia/Bangkok") == "กรุงเทพฯ"
