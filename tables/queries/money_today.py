"""Money of a gaming day: what was staked, returned, held back, and moved again by rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db import connection

#: One pass over the day's settlements. The newest revision is the one that no other follows.
_MONEY: Final = """
WITH today AS (
    SELECT r.id AS round_id, r.status, t.currency
    FROM unnest(%s::bigint[], %s::date[]) AS day (table_id, gaming_date)
    JOIN tables_shoe s ON s.table_id = day.table_id AND s.gaming_date = day.gaming_date
    JOIN tables_gametable t ON t.id = s.table_id
    JOIN tables_round r ON r.shoe_id = s.id
), settled AS (
    SELECT today.currency,
        coalesce(sum(x.stakes_minor) FILTER (WHERE newest.is_it), 0) AS staked,
        coalesce(sum(x.returned_minor) FILTER (WHERE newest.is_it), 0) AS returned,
        coalesce(sum(x.kept_minor) FILTER (WHERE newest.is_it), 0) AS kept,
        coalesce(sum(x.moved_minor) FILTER (WHERE x.authority IS NOT NULL), 0) AS ruled
    FROM today
    JOIN tables_settlement x ON x.round_id = today.round_id
    CROSS JOIN LATERAL (SELECT NOT EXISTS (
        SELECT FROM tables_settlement y WHERE y.round_id = x.round_id AND y.revision > x.revision
    ) AS is_it) newest
    GROUP BY today.currency
), held AS (
    SELECT today.currency, sum(b.stake_minor) AS held
    FROM today
    JOIN tables_bet b ON b.round_id = today.round_id AND b.status = 'accepted'
    WHERE today.status NOT IN ('settled', 'voided')
        AND EXISTS (SELECT FROM tables_hold h WHERE h.round_id = today.round_id AND h.lifted_at IS NULL)
    GROUP BY today.currency
)
SELECT c.currency, coalesce(s.staked, 0), coalesce(s.returned, 0), coalesce(s.kept, 0), coalesce(s.ruled, 0),
    coalesce(h.held, 0)
FROM (SELECT currency FROM settled UNION SELECT currency FROM held) c
LEFT JOIN settled s USING (currency) LEFT JOIN held h USING (currency)
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class MoneyToday:
    """Sums of one currency in minor units, each round by its newest revision."""

    currency: str
    staked_minor: int
    returned_minor: int
    kept_minor: int  # what the house keeps; may be negative
    ruled_minor: int  # moved to players by rulings, less what rulings took back
    held_minor: int  # stakes of rounds that a hold keeps from being settled


def money_of(days: Mapping[int, date]) -> list[MoneyToday]:
    """Sum up the gaming day of each table, by its key, for each currency in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_MONEY, [list(days), list(days.values())])
        return [MoneyToday(row[0], *(int(sum_) for sum_ in row[1:])) for row in cursor.fetchall()]
