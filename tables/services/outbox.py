"""Promises: a row in the transaction that needs work done, and a task that only rings the bell.

Losing every message loses nothing: the sweeper rings again for whatever is still promised.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from kombu.exceptions import KombuError, OperationalError

from tables.models import Bell, Outbox

logger = logging.getLogger(__name__)

BELLS = {
    Bell.SETTLE: "tables.settle_rounds",
    Bell.RULING: "audit.apply_rulings",
    Bell.RECONCILE: "tables.reconcile_wallet",
}
RING_AGAIN_AFTER = timedelta(seconds=30)
#: Bells that are held back; None while each rings at once.
_held: ContextVar[set[str] | None] = ContextVar("held", default=None)


def promise(bell: Bell, subject_ids: list[int], *, at: datetime) -> None:
    """Promise work on some subjects, once each, and ring after COMMIT."""
    if not subject_ids:
        return
    Outbox.objects.bulk_create(
        [
            Outbox(bell=bell.value, subject_id=subject_id, created_at=at, rung_at=at)
            for subject_id in subject_ids
        ],
        ignore_conflicts=True,
    )
    # A copy: until COMMIT the caller may empty its list.
    transaction.on_commit(partial(ring, BELLS[bell], list(subject_ids)))


def fulfil(bell: Bell, subject_id: int) -> None:
    """Take a promise off the list: the work is done."""
    Outbox.objects.filter(bell=bell.value, subject_id=subject_id).delete()


@contextmanager
def ring_once() -> Iterator[None]:
    """Hold back what only says look while much is done in a row, and ring each such bell once at the end."""
    held: set[str] = set()
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
        for task in sorted(held):
            ring(task)


def ring(task: str, subject_ids: list[int] | None = None) -> None:
    """Send the message. A broker that is away is no failure: the sweeper rings later.

    Without subjects it says no more than: look. Then it lapses, as the next one says the same.
    """
    held = _held.get()
    if subject_ids is None and held is not None:
        held.add(task)
        return
    args = [] if subject_ids is None else [subject_ids]
    look: dict[str, Any] = {} if args else {"expires": settings.LOOK_LAPSES_SECONDS, **settings.LOOK_OPTIONS}
    try:
        current_app.send_task(task, args=args, **look)
    except (OperationalError, KombuError, OSError, DatabaseError) as error:
        logger.warning("could not ring %s: %s", task, error)


def ring_again(*, now: datetime, limit: int = 500) -> int:
    """Ring for promises nobody fulfilled in time; return how many."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE tables_outbox SET rung_at = %s WHERE id IN (
                SELECT id FROM tables_outbox WHERE rung_at < %s
                ORDER BY rung_at LIMIT %s FOR UPDATE SKIP LOCKED
            ) RETURNING bell, subject_id
            """,
            [now, now - RING_AGAIN_AFTER, limit],
        )
        rows = cursor.fetchall()
    for bell in Bell:
        subjects = [subject_id for name, subject_id in rows if name == bell.value]
        for start in range(0, len(subjects), 20):
            ring(BELLS[bell], subjects[start : start + 20])
    return len(rows)
