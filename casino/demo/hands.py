"""The processes that deal several days at once, and the lines that say how far they are."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import Final

import msgspec

from casino.demo.month import Month, Progress, days_to_play, deal
from casino.demo.settling import RING_SECONDS, WorkerAtHand
from casino.runtime.places import ROOT
from tables.models import GameTable, Round, RoundStatus

PROCESSES: Final = 2
LOOK_SECONDS: Final = 0.5
STOP_SECONDS: Final = 30.0
SAY_EVERY_SECONDS: Final = 5.0
LEASH: Final = str(ROOT / "casino" / "runtime" / "leash.py")


class DealingStopped(Exception):
    """A process that deals ended before its days were played; asked again, they go on from there."""


class Task(msgspec.Struct):
    """What one process deals."""

    codes: list[str]
    month: Month


class Hand:
    """One process that deals at some tables, and how far it says it is."""

    def __init__(self, task: Task) -> None:
        self.codes = task.codes
        self.progress = Progress()
        # On a leash: it ends when we do, however we end.
        words = msgspec.json.encode(task).decode()
        command = [sys.executable, "-I", "-S", LEASH, sys.executable, "-m", "casino.demo", words]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.progress = msgspec.json.decode(line, type=Progress)

    @property
    def is_done(self) -> bool:
        """Say whether all is dealt.

        :raises DealingStopped: if it ended before that.
        """
        status = self.process.poll()
        if status:
            raise DealingStopped(
                f"the process that deals at {', '.join(self.codes)} ended with status {status}; "
                "the same command goes on where it stopped"
            )
        return status is not None

    def stop(self) -> None:
        """End it, if it is not done, and hear its last words."""
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join()


def play_month(
    month: Month,
    tables: Sequence[GameTable],
    worker: WorkerAtHand,
    write: Callable[[str], object],
    processes: int | None = None,
) -> None:
    """Play what is left of these days, while the worker settles; say how far it is.

    :raises CannotPlayMonth: if a table has played something else.
    :raises DealingStopped: if a process ended before its days were played.
    :raises CannotPlay: if a table has played later than one of the days would begin.
    """
    left = days_to_play(month, tables)
    codes, days = list(left), sum(map(len, left.values()))
    if not days:
        write(f"these {month.days} days were played; there is nothing left of them to play")
        return
    worker.want()
    write(f"playing {days} days of {len(codes)} tables, {month.shoes} shoes a day")
    lines = Lines(codes, days, write)
    wanted_at = time.monotonic()

    def hear(progress: Progress) -> None:
        nonlocal wanted_at
        lines.hear(progress)
        if time.monotonic() - wanted_at > RING_SECONDS:
            wanted_at = time.monotonic()
            worker.want()

    processes = PROCESSES if processes is None else processes
    progress = deal_at_once(month, tables, processes, hear)
    write(lines.sum_up(progress, processes))


def deal_at_once(
    month: Month, tables: Sequence[GameTable], processes: int, say: Callable[[Progress], None]
) -> Progress:
    """Deal these days by so many processes, each at tables of its own; by none: in this one.

    :raises DealingStopped: if a process ended before its days were played.
    :raises CannotPlay: if a table has played later than one of the days would begin.
    """
    if not processes:
        return deal(month, tables, say)
    shares = [tables[place::processes] for place in range(processes)]
    with ExitStack() as stack:
        hands = []
        for share in filter(None, shares):
            hands.append(Hand(Task([table.code for table in share], month)))
            stack.callback(hands[-1].stop)
        while [hand for hand in hands if not hand.is_done]:
            say(_sum(hands))
            time.sleep(LOOK_SECONDS)
    return _sum(hands)


def _sum(hands: Collection[Hand]) -> Progress:
    return reduce(Progress.plus, (hand.progress for hand in hands), Progress())


class Lines:
    """Says how far it is: a line now and then, with the rate and the time left until all is settled."""

    def __init__(self, codes: Collection[str], days: int, write: Callable[[str], object]) -> None:
        self._codes, self._days, self._write = codes, days, write
        self._settled_before = self._count_settled()
        self._started = self._said_at = time.monotonic()

    def hear(self, progress: Progress) -> None:
        """Say how far it is, if a line is due."""
        now = time.monotonic()
        if now - self._said_at < SAY_EVERY_SECONDS or not progress.rounds:
            return
        self._said_at = now
        self._write(self._line(progress, now - self._started))

    def _line(self, progress: Progress, seconds: float) -> str:
        settled = self._count_settled() - self._settled_before
        part = progress.days / self._days
        # Settling ends last: what it still has to do, at the rate it had so far.
        left = f"about {(progress.rounds / part / settled - 1) * seconds:,.0f} s left" if settled else "begun"
        return (
            f"{part:.0%}: {progress.rounds:,} rounds, {progress.bets:,} bets dealt "
            f"({progress.rounds / seconds:.1f} and {progress.bets / seconds:,.0f} a second), "
            f"{settled:,} rounds settled; {left}"
        )

    def sum_up(self, progress: Progress, processes: int) -> str:
        """Say what was dealt, by how many, how fast, and how it was answered."""
        seconds = time.monotonic() - self._started
        answers = ", ".join(f"{count:,} {status}" for status, count in sorted(progress.answers.items()))
        return (
            f"played {progress.rounds:,} rounds, {progress.bets:,} bets in {seconds:.0f} s "
            f"by {max(processes, 1)} processes; events: {answers or 'none'}"
        )

    def _count_settled(self) -> int:
        done = (RoundStatus.SETTLED.value, RoundStatus.VOIDED.value)
        return Round.objects.filter(table__code__in=self._codes, status__in=done).count()
