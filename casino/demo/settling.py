"""Waiting until the worker has settled the day. Nothing here settles: the worker does."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from typing import Final

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from casino.heartbeat import GONE_AFTER_SECONDS
from casino.runtime.places import ROOT
from tables.models import Hold, Round, RoundStatus
from tables.services.outbox import ring_again

LOOK_SECONDS: Final = 0.5
RING_SECONDS: Final = 20.0
PATIENCE_SECONDS: Final = 120.0  # without a single round settled
WORKER: Final = (
    "-m",
    "celery",
    "-A",
    "casino",
    "worker",
    "-l",
    "WARNING",
    "--without-gossip",
    "--without-mingle",
)


class NobodySettles(Exception):
    """No round was settled for a long time."""


def is_worker_alive() -> bool:
    """Say whether a worker's heartbeat was seen lately."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now() - max(at) FROM casino_workerheartbeat")
        age: timedelta | None = cursor.fetchone()[0]
    return age is not None and age.total_seconds() <= GONE_AFTER_SECONDS


@contextlib.contextmanager
def worker_at_hand(say: Callable[[str], None]) -> Iterator[None]:
    """Make sure that a worker runs: where none is heard, one is started and stopped again."""
    if is_worker_alive():
        yield
        return
    say("no worker is heard: starting one for this run")
    process = subprocess.Popen(
        [sys.executable, *WORKER, "-n", f"demo-{os.getpid()}@%h"], cwd=ROOT, stdin=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def rounds_to_settle(codes: Collection[str]) -> QuerySet[Round]:
    """Find the rounds of these tables that have their result, are not held, and are not settled yet."""
    held = Hold.objects.filter(round=OuterRef("pk"), lifted_at__isnull=True)
    return Round.objects.filter(
        ~Exists(held), table__code__in=codes, status=RoundStatus.RESULTED.value, outcome__isnull=False
    )


def wait_until_settled(codes: Collection[str], say: Callable[[int], None]) -> None:
    """Wait for the worker; `say` hears how many rounds are still to settle.

    :raises NobodySettles: if nothing moves for two minutes.
    """
    left, moved_at, rung_at = -1, time.monotonic(), time.monotonic()
    while now_left := rounds_to_settle(codes).count():
        now = time.monotonic()
        if now_left != left:
            left, moved_at = now_left, now
            say(left)
        elif now - moved_at > PATIENCE_SECONDS:
            raise NobodySettles(
                f"{left} rounds wait and no worker has settled one for {PATIENCE_SECONDS:.0f} s"
            )
        if now - rung_at > RING_SECONDS:
            ring_again(now=timezone.now())
            rung_at = now
        time.sleep(LOOK_SECONDS)
