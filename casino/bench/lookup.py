"""`bench lookup`: what finding a round by its ID touches, in a small house and in one ten times its size."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator

import psycopg
from django.db import connection
from psycopg import sql

from casino.bench.figure import Figure, Say, Size, alternate
from casino.bench.house import BEGUN, open_house, owner_connection
from tables.models import Round, Rulebook
from tables.services.actors import SYSTEM
from tables.services.setup import set_up_table

TABLES = 20
ROUNDS_A_SHOE = 60
FILLED_AT_ONCE = 500_000
EXPLAINED = 200
TIMED = 500
GROWS_AT_MOST = 1.3

# Twenty tables deal at the same time, three shoes a day of sixty rounds each; a shoe takes two hours.
FILL_SHOES = """
INSERT INTO tables_shoe (table_id, rulebook_id, gaming_date, number, public_id, platform_id, decks, status,
    started_at, ended_at, end_reason, cards_out, order_fingerprint)
SELECT t.id, t.rulebook_id, day, number, t.code || to_char(day, '-YYYYMMDD-') || lpad(number::text, 2, '0'),
    '', 8, 'ended', day + number * interval '2 hours', day + (number + 2) * interval '2 hours', '', 0, ''
FROM (SELECT s, date '2018-01-01' + (s / 60)::int AS day, (s / 20 %% 3 + 1)::int AS number
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS s) AS numbered
JOIN bench_table t ON t.place = s %% 20
ORDER BY s
"""
FILL_ROUNDS = """
INSERT INTO tables_round (public_id, platform_id, table_id, shoe_id, rulebook_id, dealer_id, number,
    window_number, status, betting_opened_at, betting_closed_at, resulted_at, settled_at, outcome,
    player_total, banker_total)
SELECT shoe.public_id || '-' || lpad(place::text, 3, '0') || '-' || chr(65 + (n %% 26)::int), 'p-' || n,
    shoe.table_id, shoe.id, shoe.rulebook_id, %(dealer)s, place, place, 'settled', at, at, at, at,
    'banker', 4, 6
FROM (
    SELECT n, n / 1200 * 20 + n %% 20 AS shoe_place, (n %% 1200 / 20 + 1)::int AS place
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
) AS numbered
JOIN tables_shoe shoe ON shoe.id = %(first_shoe)s + shoe_place
CROSS JOIN LATERAL (SELECT shoe.started_at + place * interval '2 minutes' AS at) AS moment
ORDER BY n
"""
OTHER_CONSTRAINTS = (
    "SELECT conname FROM pg_constraint WHERE conrelid = 'tables_round'::regclass AND contype IN ('f', 'u')"
    " AND conname <> 'round_public_id_once'",
    "ALTER TABLE tables_round DROP CONSTRAINT {}",
)
OTHER_INDEXES = (
    "SELECT indexname FROM pg_indexes WHERE tablename = 'tables_round'"
    " AND indexname NOT IN ('tables_round_pkey', 'round_public_id_once')",
    "DROP INDEX {}",
)


def bench_lookup(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figures of a look-up at a tenth of the rounds and at all of them."""
    sizes = (max(1, size.rows // 10), size.rows)
    buffers: dict[str, list[float]] = {}
    timed: list[Figure] = []
    with owner_connection() as owner:
        house = _House(owner)
        for rounds in sizes:
            say(f"filling up to {rounds:,} rounds")
            house.fill(rounds)
            say(f"looking up at {rounds:,} rounds")
            names = house.sample(EXPLAINED)
            buffers[f"{rounds:,} rounds"] = [statistics.mean(_buffers(names))]
            timed.append(_time(house, rounds, size.runs))
    figure = Figure("lookup", f"buffers touched by a look-up by round ID, mean of {EXPLAINED}", unit="")
    figure.runs = buffers
    smaller, larger = (f"{rounds:,} rounds" for rounds in sizes)
    figure.compare(f"{larger} / {smaller}", larger, smaller, target=GROWS_AT_MOST)
    yield figure
    yield from timed


class _House:
    """Rounds by the million.

    Their foreign keys and the indexes that this look-up does not touch are dropped first: filling takes a
    quarter of the time then, and the pages it reads are the same.
    """

    def __init__(self, owner: psycopg.Connection) -> None:
        self.owner = owner
        table = open_house()
        for number in range(2, TABLES + 1):
            set_up_table(
                code=f"B{number:02}",
                name=f"Bench {number}",
                currency="THB",
                zone="Asia/Bangkok",
                rulebook_code=Rulebook.objects.get().code,
                min_stake_minor=1,
                max_stake_minor=10**15,
                actor=SYSTEM,
                at=BEGUN,
            )
        owner.execute(
            "CREATE TABLE bench_table AS SELECT id, code, rulebook_id,"
            " row_number() OVER (ORDER BY id) - 1 AS place FROM tables_gametable"
        )
        owner.execute("INSERT INTO tables_dealer (reference, name) VALUES ('D-1', 'Mali Chantara')")
        for statement, template in (OTHER_CONSTRAINTS, OTHER_INDEXES):
            for (name,) in owner.execute(statement).fetchall():
                owner.execute(sql.SQL(template).format(sql.Identifier(name)))
        self.shoes = self.rounds = 0
        self.rulebook_id = table.rulebook_id

    def fill(self, rounds: int) -> None:
        """Add rounds until there are this many, in the order in which they would be dealt."""
        shoes = (rounds // (TABLES * ROUNDS_A_SHOE) + 1) * TABLES
        self.owner.execute(FILL_SHOES, {"first": self.shoes, "last": shoes - 1})
        self.shoes = shoes
        (first_shoe,) = self.owner.execute("SELECT min(id) FROM tables_shoe").fetchone() or (0,)
        (dealer,) = self.owner.execute("SELECT id FROM tables_dealer").fetchone() or (0,)
        while self.rounds < rounds:
            last = min(self.rounds + FILLED_AT_ONCE, rounds)
            facts = {"first": self.rounds, "last": last - 1, "first_shoe": first_shoe, "dealer": dealer}
            self.owner.execute(FILL_ROUNDS, facts)
            self.rounds = last
        self.owner.execute("VACUUM ANALYZE tables_round")
        self.owner.execute("VACUUM ANALYZE tables_shoe")

    def sample(self, count: int) -> list[str]:
        """Return the IDs of some rounds, spread over all of them."""
        (first,) = self.owner.execute("SELECT min(id) FROM tables_round").fetchone() or (0,)
        step = 7_919_777  # a prime: strides over everything and meets no pattern
        keys = [first + place * step % self.rounds for place in range(count)]
        found = self.owner.execute("SELECT public_id FROM tables_round WHERE id = ANY(%s)", [keys])
        return [name for (name,) in found.fetchall()]


def _buffers(names: list[str]) -> Iterator[int]:
    """Count the pages each look-up touches, found in memory or not."""
    for name in names:
        explained = Round.objects.filter(public_id=name).explain(format="json", analyze=True, buffers=True)
        plan = json.loads(explained)[0]["Plan"]
        yield plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def _time(house: _House, rounds: int, runs: int) -> Figure:
    """Take the time of each look-up, through the ORM and through the bare driver."""
    statement, _ = Round.objects.filter(public_id="").query.sql_with_params()
    taken: dict[str, list[float]] = {"ORM": [], "driver": []}

    def by_orm(_run: int) -> float:
        return _median_ms(taken["ORM"], names, lambda name: Round.objects.get(public_id=name))

    def by_driver(_run: int) -> float:
        with connection.cursor() as cursor:
            driver = cursor.cursor
            return _median_ms(
                taken["driver"], names, lambda name: driver.execute(statement, [name]).fetchone()
            )

    names = house.sample(TIMED)
    figure = Figure(
        f"lookup.time.{rounds}", f"time of a look-up at {rounds:,} rounds, p50 of each run", unit="ms"
    )
    figure.runs = alternate({"through the ORM": by_orm, "through the driver alone": by_driver}, runs=runs)
    figure.compare("ORM / driver", "through the ORM", "through the driver alone")
    for name, times in taken.items():
        figure.values[f"{name} p50, ms"] = round(statistics.median(times), 4)
        figure.values[f"{name} p99, ms"] = round(_p99(times), 4)
    return figure


def _median_ms(taken: list[float], names: list[str], look_up: Callable[[str], object]) -> float:
    mine = []
    for name in names:
        begun = time.perf_counter()
        look_up(name)
        mine.append((time.perf_counter() - begun) * 1000)
    taken += mine
    return statistics.median(mine)


def _p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]
