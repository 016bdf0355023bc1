"""A complaint's details beside the record: times in the table's zone, with UTC for who points at them."""

from datetime import UTC, datetime

from audit.admin.complaint_view import rows_of_checks
from audit.rules.complaints import Recorded, Said

PLAYED = datetime(2026, 11, 29, 15, 4, tzinfo=UTC)  # four past ten in Bangkok
BEGUN = datetime(2026, 11, 29, 15, 3, 58, tzinfo=UTC)
ENDED = datetime(2026, 11, 29, 15, 4, 41, tzinfo=UTC)


def shown(ended: datetime | None) -> tuple[str, str]:
    recorded = Recorded(BEGUN, ended, "B03", "Mali", "B03-20261129-02-041-K", 41)
    (row,) = rows_of_checks(Said(PLAYED), recorded, {"played_at": "agrees"}, "Asia/Bangkok").rows
    return row.said, row.recorded


def test_both_times_name_utc() -> None:
    assert shown(ENDED) == (
        '<time datetime="2026-11-29T15:04:00Z" title="2026-11-29 15:04:00 UTC">29 Nov 2026, 22:04</time>',
        '<time datetime="2026-11-29T15:03:58Z" title="2026-11-29 15:03:58 UTC">22:03:58</time>–'
        '<time datetime="2026-11-29T15:04:41Z" title="2026-11-29 15:04:41 UTC">22:04:41</time>',
    )


def test_a_round_that_is_still_played_says_so() -> None:
    assert shown(None)[1].endswith("22:03:58</time>–still played")
