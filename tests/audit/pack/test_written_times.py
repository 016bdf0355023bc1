"""A time in a pack's document: by the table's calendar and clock, and by UTC."""

from datetime import UTC, datetime

import pytest
from django.utils import translation

from audit.pack.blocks import both

LATE = datetime(2026, 11, 29, 18, 30, 5, tzinfo=UTC)  # in Bangkok half past one the next morning


@pytest.mark.parametrize(("language", "day"), [("en", "30 Nov 2026"), ("th", "30 พ.ย. 2569")])
def test_the_year_is_counted_as_the_language_counts(language: str, day: str) -> None:
    with translation.override(language):
        assert both(LATE, "Asia/Bangkok") == f"{day} 01:30:05 (Asia/Bangkok), 2026-11-29 18:30:05 UTC"
        assert both(None, "Asia/Bangkok") == "–"
