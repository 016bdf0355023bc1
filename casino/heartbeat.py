"""The workers' heartbeat: how readiness knows that somebody hears the bell.

PGMQ has no remote control to ping a worker with, so each worker writes a row. The row is written by a
connection of its own: a connection or pool of Django's in the parent would be inherited by its children.
"""

import logging
from typing import Any

import psycopg
from celery import bootsteps
from django.conf import settings

logger = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
#: A worker silent for this long counts as gone.
GONE_AFTER_SECONDS = 30.0

_BEAT = """
INSERT INTO casino_workerheartbeat (worker, at) VALUES (%s, now())
ON CONFLICT (worker) DO UPDATE SET at = excluded.at
"""
_LEAVE = "DELETE FROM casino_workerheartbeat WHERE worker = %s"


class HeartbeatStep(bootsteps.StartStopStep):
    """Writes the heartbeat while the worker consumes, and takes it away when the worker leaves in order."""

    requires = {"celery.worker.components:Timer"}

    def __init__(self, parent: Any, **_options: Any) -> None:
        """Keep no state but the timer's entry."""
        self.entry: Any = None

    def start(self, parent: Any) -> None:
        """Beat at once, then at intervals."""
        self.beat(parent.hostname)
        self.entry = parent.timer.call_repeatedly(EVERY_SECONDS, self.beat, (parent.hostname,), priority=10)

    def stop(self, parent: Any) -> None:
        """Leave in order."""
        if self.entry is not None:
            self.entry.cancel()
            self.entry = None
            self._write(_LEAVE, parent.hostname)

    def beat(self, worker: str) -> None:
        """Say that this worker lives."""
        self._write(_BEAT, worker)

    def _write(self, statement: str, worker: str) -> None:
        try:
            with psycopg.connect(settings.DATABASE_URL, autocommit=True, connect_timeout=3) as connection:
                connection.execute(statement, [worker])
        except psycopg.Error as error:
            # Silence is what the other side understands; the worker itself has to go on.
            logger.warning("no heartbeat: %s", error)
