"""When to try again what could not be delivered."""

from __future__ import annotations

from datetime import timedelta

FIRST_DELAY = timedelta(seconds=5)
LONGEST_DELAY = timedelta(minutes=15)
GIVE_UP_AFTER = timedelta(hours=24)


def retry_delay(attempts: int) -> timedelta | None:
    """Return how long to wait after so many attempts that failed, or None when 24 hours of trying are over.

    The delay doubles from 5 seconds up to 15 minutes; the last one is cut so that the last attempt falls on
    the 24 hours. They are counted in delays and not by the clock: hours in which nothing was tried are not
    held against a message.

    :raises ValueError: if there was no attempt yet.
    """
    if attempts < 1:
        raise ValueError(f"no delay after {attempts} attempts")
    waited, delay = timedelta(0), FIRST_DELAY
    for _ in range(attempts - 1):
        waited += delay
        delay = min(2 * delay, LONGEST_DELAY)
    left = GIVE_UP_AFTER - waited
    return min(delay, left) if left > timedelta(0) else None
