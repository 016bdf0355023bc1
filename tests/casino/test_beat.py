"""The clock while the broker is away: it says so once, tries on, and says when it is back."""

import logging
from typing import Any

import pytest
from celery.beat import SchedulingError

from casino.beat import OneAtATimeScheduler
from casino.celery import app


class Clock(OneAtATimeScheduler):
    """A clock whose broker is away when the test says so."""

    is_away = False
    rung = 0

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **_options: Any) -> None:
        """Ring nothing, or count what was rung."""
        if self.is_away:
            raise SchedulingError("Connection refused")
        self.rung += 1


def test_a_broker_that_is_away_is_said_once_and_so_is_its_return(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock(app, lazy=True)
    entry = clock.Entry(name="sweep", task="tables.sweep", schedule=5.0, app=app)
    with caplog.at_level(logging.WARNING, logger="casino.beat"):
        for is_away in (False, True, True, True, False, False, True):
            clock.is_away = is_away
            clock.apply_entry(entry)
    assert clock.rung == 3
    assert [record.getMessage() for record in caplog.records] == [
        "no bell rings until the broker is back: Connection refused",
        "the bells ring again",
        "no bell rings until the broker is back: Connection refused",
    ]
    assert not any(record.exc_info for record in caplog.records)
