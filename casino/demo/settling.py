"""Waiting until the worker has settled the day. Nothing here settles: the worker does."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from casino.heartbeat import GONE_AFTER_SECONDS
from casino.runtime.places import ROOT
from tables.models import Hold, Round, RoundStatus
from tables.services.outbox import ring_again

LOOK_SECONDS: Final = 0.5
RING_SECONDS: Final = 20.0
STOP_SECONDS: Final = 30.0
PATIENCE_SECONDS: Final = 300.0  # without one done: on a busy machine other bells may come first
WORKER: Final = (
    "-m",
    "celery",
    "-A",
    "casino",
    "-q",
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


class WorkerAtHand:
    """A worker of our own where none is heard, stopped again at the end."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None

    def want(self) -> None:
        """Make sure that a worker runs."""
        is_ours_alive = self._process is not None and self._process.poll() is None
        if is_ours_alive or is_worker_alive():
            return
        self._say("no worker is heard: starting one for this run")
        name = f"demo-{os.getpid()}@%h"
        self._process = subprocess.Popen(
            [sys.executable, *WORKER, "-n", name], cwd=ROOT, stdin=subprocess.DEVNULL
        )

    def __enter__(self) -> "WorkerAtHand":
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def rounds_to_settle(codes: Collection[str]) -> QuerySet[Round]:
    """Find the rounds of these tables that have their result, are not held, and are not settled yet."""
    held = Hold.objects.filter(round=OuterRef("pk"), lifted_at__isnull=True)
    return Round.objects.filter(
        ~Exists(held), table__code__in=codes, status=RoundStatus.RESULTED.value, outcome__isnull=False
    )


def wait_until_settled(codes: Collection[str], worker: WorkerAtHand, say: Callable[[int], None]) -> None:
    """Wait for the worker; `say` hears how many rounds are still to settle.

    :raises NobodySettles: if nothing moves for five minutes.
    """
    wait_until_none(rounds_to_settle(codes), worker, say)


def wait_until_none(
    left_to_do: QuerySet[Any], worker: WorkerAtHand, say: Callable[[int], None], done: str = "settled"
) -> None:
    """Wait for the worker until none is left of what it has to do; `say` hears how many still are.

    :raises NobodySettles: if nothing moves for five minutes.
    """
    left, moved_at, rung_at = -1, time.monotonic(), time.monotonic()
    while now_left := left_to_do.count():
        now = time.monotonic()
        if now_left != left:
            left, moved_at = now_left, now
            say(left)
        elif now - moved_at > PATIENCE_SECONDS:
            raise NobodySettles(
                f"{left} {left_to_do.model._meta.verbose_name_plural} wait and no worker has {done} one "
                f"for {PATIENCE_SECONDS:.0f} s"
            )
        if now - rung_at > RING_SECONDS:
            worker.want()
            ring_again(now=timezone.now())
            rung_at = now
        time.sleep(LOOK_SECONDS)
