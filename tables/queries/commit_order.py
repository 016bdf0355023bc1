"""Rows in an order in which none is missed by one who asks for what came after the last.

Numbers are given out when a row is written, but rows appear when their transaction commits: number 6 may
be seen before number 5. Who then goes on after 6 never sees 5. So nothing is shown beyond a number that may
still be on its way.
"""

import time

from django.db import connection
from django.db.models import Max, Model

PATIENCE_SECONDS = 1.0
LOOK_AGAIN_SECONDS = 0.02

_WRITERS = """
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = %s::regclass AND mode = 'RowExclusiveLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND pid IS DISTINCT FROM pg_backend_pid()
"""


def settled_up_to(model: type[Model], after: int, *, patience_seconds: float = PATIENCE_SECONDS) -> int:
    """Return a number up to which every row of a table has been committed or given up, `after` at least.

    A writer holds its lock on the table from before it takes a number until after its rows are seen. So
    whoever took a number up to the last one seen is among the writers asked for next, or has ended. Call it
    outside a transaction: each look has to see what was committed up to that moment.
    """
    last = model._default_manager.aggregate(last=Max("pk"))["last"] or 0
    if last <= after:
        return after
    writers = _writers(model)
    give_up_at = time.monotonic() + patience_seconds
    while writers:
        if time.monotonic() > give_up_at:
            return _unbroken_up_to(model, after, last)
        time.sleep(LOOK_AGAIN_SECONDS)
        writers &= _writers(model)
    return last


def _writers(model: type[Model]) -> set[str]:
    """Return the transactions that write to the table now, each by a name that is not used again."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS, [model._meta.db_table])
        return {name for (name,) in cursor.fetchall()}


def _unbroken_up_to(model: type[Model], after: int, last: int, at_most: int = 10_000) -> int:
    """Return the last number before the first that is missing: it may be the one still being written."""
    numbers = model._default_manager.filter(pk__gt=after, pk__lte=last).order_by("pk")
    for number in numbers.values_list("pk", flat=True)[:at_most]:
        if number != after + 1:
            break
        after = number
    return after
