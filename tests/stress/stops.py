"""The product's own Celery app, whose settling and ruling stop where a test says, so that it can be killed.

Run as `celery -A tests.stress.stops worker` with a folder in STOPS. A file `<point>.stop` in it, with a
round's id, makes the first process that comes to the point with a later round leave `<point>.<its pid>` and
wait there, until it is killed or a file `<point>.go` appears. The product itself knows nothing of it: what it
calls at each point is wrapped here.
"""

import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import django

from casino.celery import app

__all__ = ["POINTS", "app"]

BEFORE_LOCK = "before-lock"
AFTER_LINES = "after-lines"
AFTER_COMMIT = "after-commit"
POINTS = (BEFORE_LOCK, AFTER_LINES, AFTER_COMMIT)

RULING_BEFORE_LOCK = "ruling-before-lock"
RULING_AFTER_LINES = "ruling-after-lines"
RULING_AFTER_COMMIT = "ruling-after-commit"
BEFORE_ANSWER_KEPT = "before-answer-kept"
RULING_POINTS = (RULING_BEFORE_LOCK, RULING_AFTER_LINES, RULING_AFTER_COMMIT, BEFORE_ANSWER_KEPT)


def stop_at(point: str, round_id: int, folder: Path) -> None:
    """Wait here if a test asked for it, and if no other process waits here already."""
    order = folder / f"{point}.stop"
    try:
        if round_id <= int(order.read_text()):
            return  # a message of an earlier test
        order.rename(folder / f"{point}.{os.getpid()}")
    except FileNotFoundError:
        return
    while not (folder / f"{point}.go").exists():
        time.sleep(0.01)


def stopping(
    point: str, function: Callable[..., Any], round_id: Callable[..., int], *, before: bool
) -> Callable[..., Any]:
    """Wrap a function of the product so that its process can be stopped before or after it."""
    folder = Path(os.environ["STOPS"])

    @wraps(function)
    def wrapper(*arguments: Any, **names: Any) -> Any:
        if before:
            stop_at(point, round_id(*arguments, **names), folder)
        answer = function(*arguments, **names)
        if not before:
            stop_at(point, round_id(*arguments, **names), folder)
        return answer

    return wrapper


def put_stops() -> None:
    """Wrap what the product calls at each point, as its modules know it."""
    from tables import locks, tasks
    from tables.services import settlement

    locks.lock_round = stopping(BEFORE_LOCK, locks.lock_round, lambda round_id, *_: round_id, before=True)
    # Settlement, lines, wallet transactions and journal are written; the transaction is still open.
    settlement.write_next_revision = stopping(
        AFTER_LINES, settlement.write_next_revision, lambda round_, *_, **__: round_.pk, before=False
    )
    # The service has returned, so its COMMIT is done; the message is acknowledged when the task ends.
    tasks.settle_round = stopping(
        AFTER_COMMIT, tasks.settle_round, lambda *, round_id, now: round_id, before=False
    )
    put_ruling_stops()


def put_ruling_stops() -> None:
    """Wrap what carries out a ruling, and what sends its money; each point is told by a round."""
    from audit.models import RulingRound
    from audit.services import applying
    from tables.models import Round
    from tables.services import wallet_delivery

    def newest_done(*, ruling_id: int, **_: Any) -> int:
        done = RulingRound.objects.filter(ruling_id=ruling_id, status="applied").order_by("-round_id").first()
        return done.round_id if done else 0

    def newest_sent(wallet: Any, claimed: Sequence[Any], now: datetime) -> int:
        names = [one.message.round for one in claimed if one.message.revision > 1]
        sent = Round.objects.filter(public_id__in=names).order_by("-pk").first()
        return sent.pk if sent else 0

    # The ruling's round is taken from among those that wait; the round itself is not locked yet.
    applying._apply_round = stopping(
        RULING_BEFORE_LOCK, applying._apply_round, lambda ruling, row, now: row.round_id, before=True
    )
    applying.write_next_revision = stopping(
        RULING_AFTER_LINES, applying.write_next_revision, lambda round_, *_, **__: round_.pk, before=False
    )
    applying.apply_next_round = stopping(
        RULING_AFTER_COMMIT, applying.apply_next_round, newest_done, before=False
    )
    # The wallet has booked and answered; what it said is not written down yet.
    wallet_delivery._send = stopping(BEFORE_ANSWER_KEPT, wallet_delivery._send, newest_sent, before=False)


if "STOPS" in os.environ:
    django.setup()
    put_stops()
