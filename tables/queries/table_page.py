"""What a table's page shows of its past: who dealt when, and its shoes."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection

from tables.models import GameTable, Shoe

SHIFTS_SHOWN: Final = 12
ROUNDS_LOOKED_AT: Final = 2_000  # more than two days of a table
SHOES_SHOWN: Final = 8

# A shift is a run of rounds with one dealer: rounds in order, less the dealer's own count, stay equal in it.
_SHIFTS: Final = """
WITH played AS (
    SELECT id, dealer_id, betting_opened_at, coalesce(resulted_at, betting_opened_at) AS over_at
    FROM tables_round WHERE table_id = %s ORDER BY betting_opened_at DESC LIMIT %s
), numbered AS (
    SELECT *, row_number() OVER (ORDER BY betting_opened_at, id)
        - row_number() OVER (PARTITION BY dealer_id ORDER BY betting_opened_at, id) AS run
    FROM played
)
SELECT d.id, d.name, min(n.betting_opened_at), max(n.over_at), count(*)
FROM numbered n LEFT JOIN tables_dealer d ON d.id = n.dealer_id
GROUP BY d.id, d.name, n.dealer_id, n.run ORDER BY min(n.betting_opened_at) DESC LIMIT %s
"""


class Shift(NamedTuple):
    """A run of rounds at a table with one dealer; no name where the feed named none."""

    dealer_id: int | None
    name: str
    from_at: datetime
    to_at: datetime
    rounds: int


def shifts_of(table: GameTable) -> list[Shift]:
    """Return the latest shifts at a table, the newest first, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_SHIFTS, [table.pk, ROUNDS_LOOKED_AT, SHIFTS_SHOWN])
        return [Shift(pk, name or "", *rest) for pk, name, *rest in cursor.fetchall()]


def shoes_of(table: GameTable) -> list[Shoe]:
    """Return the latest shoes of a table, the newest first."""
    return list(Shoe.objects.filter(table=table).order_by("-started_at", "-id")[:SHOES_SHOWN])
