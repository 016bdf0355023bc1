"""The table whose feed is read, with a shoe begun."""

import pytest

from tests.tables.playing import Platform, make_table


@pytest.fixture
def platform(db: None) -> Platform:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform
