"""Celery's clock, one at a time: the others stand by until the advisory lock is free."""

import logging
from typing import Any

import psycopg
from celery.beat import Scheduler, SchedulingError
from django.conf import settings

logger = logging.getLogger(__name__)

#: The advisory lock of the clock that ticks; "beat" in ASCII.
BEAT_LOCK = 0x62656174
STANDBY_SECONDS = 1.0


class OneAtATimeScheduler(Scheduler):
    """Ticks only while it holds the lock, which PostgreSQL lets go of when the process dies."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Start without the lock."""
        self._connection: psycopg.Connection | None = None
        self._is_broker_away = False
        super().__init__(*args, **kwargs)

    @property
    def database_url(self) -> str:
        """Return where the lock lies: in the product's own database."""
        return settings.DATABASE_URL

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Ring what is due, or stand by; return the seconds until the next look."""
        if not self.holds_lock():
            return STANDBY_SECONDS
        return min(super().tick(*args, **kwargs), STANDBY_SECONDS * 5)

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Ring one bell; where the broker is away say so once, and not at every tick."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not self._is_broker_away:
                logger.warning("no bell rings until the broker is back: %s", error)
            self._is_broker_away = True
            return
        if self._is_broker_away:
            logger.warning("the bells ring again")
        self._is_broker_away = False

    def holds_lock(self) -> bool:
        """Return whether this clock is the one, taking the lock if it is free."""
        try:
            if self._connection is not None:
                self._connection.execute("SELECT 1")
                return True
            connection = psycopg.connect(self.database_url, autocommit=True, connect_timeout=3)
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", [BEAT_LOCK]).fetchone()
            if row is not None and row[0]:
                self._connection = connection
                logger.info("this clock ticks")
                return True
            connection.close()
        except psycopg.Error as error:
            logger.warning("the clock stands still: %s", error)
            self._connection = None
        return False

    def close(self) -> None:
        """Let the next clock tick."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        super().close()
