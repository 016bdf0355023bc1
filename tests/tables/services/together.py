"""Several threads that do the same thing at the same moment, each on a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

Answer = TypeVar("Answer")
PATIENCE_SECONDS = 60


def together(*works: Callable[[], Answer]) -> list[Answer | BaseException]:
    """Run all at once and return what each answered or raised, in their order."""
    start = threading.Barrier(len(works), timeout=PATIENCE_SECONDS)
    answers: list[Answer | BaseException] = [AssertionError("did not end")] * len(works)

    def run(place: int, work: Callable[[], Answer]) -> None:
        try:
            connection.ensure_connection()
            start.wait()
            answers[place] = work()
        except Exception as problem:  # noqa: BLE001  the test looks at it
            answers[place] = problem
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=(place, work), daemon=True) for place, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    return answers
