"""`bench lookup`: what finding a round touches and takes, in a small house and in one ten times its size.

A tenth of the rounds carry twenty bets each, and with them their deal, its cards and their settlement. The
whole answer, everything about such a round, stands beside a bare SELECT by the primary key.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from zoneinfo import ZoneInfo

import psycopg
from django.db import connection
from psycopg import sql

from audit.queries.lookup_answer import about_round, round_of
from casino.bench.figure import Figure, Say, Size, alternate
from casino.bench.house import BEGUN, open_house, owner_connection
from tables.models import Round, Rulebook
from tables.queries.lookup import Found, look_up
from tables.rules.round_id import ALPHABET, check_character
from tables.services.actors import SYSTEM
from tables.services.setup import set_up_table

TABLES = 20
ROUNDS_A_SHOE = 60
FILLED_AT_ONCE = 500_000
EXPLAINED = 200
TIMED = 500
WHOLE_TIMED = 200  # the whole answer asks some twenty times as much
GROWS_AT_MOST = 1.3
UTC_ZONE = ZoneInfo("UTC")
BY_ROUND, BY_BET, BARE = "by a round's ID", "by a bet's ID", "bare SELECT by key"
BARE_SELECT = "SELECT public_id FROM tables_round WHERE id = %s"

# Twenty tables deal at the same time, three shoes a day of sixty rounds each; a shoe takes two hours.
FILL_SHOES = """
INSERT INTO tables_shoe (table_id, rulebook_id, gaming_date, number, public_id, platform_id, decks, status,
    started_at, ended_at, end_reason, cards_out, order_fingerprint, card_set)
SELECT t.id, t.rulebook_id, day, number, t.code || to_char(day, '-YYYYMMDD-') || lpad(number::text, 2, '0'),
    '', 8, 'ended', day + number * interval '2 hours', day + (number + 2) * interval '2 hours', '', 0, '', ''
FROM (SELECT s, date '2018-01-01' + (s / 60)::int AS day, (s / 20 %% 3 + 1)::int AS number
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS s) AS numbered
JOIN bench_table t ON t.place = s %% 20
ORDER BY s
"""
FILL_ROUNDS = """
INSERT INTO tables_round (public_id, platform_id, table_id, shoe_id, rulebook_id, dealer_id, number,
    window_number, status, betting_opened_at, betting_closed_at, resulted_at, settled_at, outcome,
    player_total, banker_total)
SELECT shoe.public_id || '-' || lpad(place::text, 3, '0') || '-'
    || substr(%(alphabet)s, (shoe_check.value # number_check.value) + 1, 1), 'p-' || n,
    shoe.table_id, shoe.id, shoe.rulebook_id, %(dealer)s, place, place, 'settled', at, at, at, at,
    'banker', 4, 6
FROM (
    SELECT n, n / 1200 * 20 + n %% 20 AS shoe_place, (n %% 1200 / 20 + 1)::int AS place
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
) AS numbered
JOIN tables_shoe shoe ON shoe.id = %(first_shoe)s + shoe_place
JOIN bench_shoe_check shoe_check ON shoe_check.id = shoe.id
JOIN bench_number_check number_check ON number_check.number = place
CROSS JOIN LATERAL (SELECT shoe.started_at + place * interval '2 minutes' AS at) AS moment
ORDER BY n
"""
# Every tenth round carries bets: of players in turn, each with a platform's ID of its own.
FILL_BETS = """
INSERT INTO tables_bet (platform_bet_id, round_id, player_id, kind, phase, stake_minor, odds_offered,
    odds_shown, status, refusal, placed_at, event_id)
SELECT 'w-' || r.id || '-' || n, r.id, %(player)s + (r.id * 20 + n) %% %(players)s, 'banker', '', 1000, '',
    '', 'accepted', '', r.betting_opened_at, 0
FROM tables_round r, generate_series(1, %(bets)s) AS n
WHERE r.id >= %(first)s AND r.id <= %(last)s AND r.id %% 10 = 0
"""
# What the answer of a round that carries bets is made of besides: its deal, four cards, and what was paid.
FILL_PLAY = (
    """
INSERT INTO tables_deal (round_id, number, status, started_at)
SELECT id, 1, 'live', betting_closed_at FROM tables_round r WHERE r.id >= %(first)s AND r.id <= %(last)s
    AND r.id %% 10 = 0
""",
    """
INSERT INTO tables_card (shoe_id, position, place, rank, suit, round_id, deal_id, source, device, at)
SELECT r.shoe_id, (r.number - 1) * 4 + n, (ARRAY['P1', 'B1', 'P2', 'B2'])[n], (ARRAY['2', '4', '2', '2'])[n],
    'S', r.id, d.id, 'scan', '', r.resulted_at
FROM tables_deal d JOIN tables_round r ON r.id = d.round_id, generate_series(1, 4) AS n
WHERE r.id >= %(first)s AND r.id <= %(last)s
""",
    """
INSERT INTO tables_settlement (round_id, revision, outcome, verdicts, bets_count, players_count, stakes_minor,
    returned_minor, kept_minor, moved_minor, lines_digest, created_at, deal_id, rulebook_id, overlay)
SELECT r.id, 1, 'banker', '{}', %(bets)s, %(bets)s, %(bets)s * 1000, %(bets)s * 1950, %(bets)s * -950,
    %(bets)s * 1950, sha256(r.public_id::bytea), r.settled_at, d.id, r.rulebook_id, '{}'
FROM tables_deal d JOIN tables_round r ON r.id = d.round_id
WHERE r.id >= %(first)s AND r.id <= %(last)s
""",
)
FILL_PLAYERS = """
WITH made AS (
    INSERT INTO tables_player (first_seen_at) SELECT now() FROM generate_series(1, %(players)s) RETURNING id
) INSERT INTO tables_playeridentity (player_id, reference) SELECT id, 'P-' || id FROM made
"""
BETS_A_ROUND = 20
PLAYERS = 1_000
ROUNDS_WITH_BETS = 10  # one in so many
PLAYED = ("bet", "deal", "card", "settlement")
OTHER_CONSTRAINTS = (
    "SELECT conname FROM pg_constraint WHERE conrelid = 'tables_round'::regclass AND contype IN ('f', 'u')"
    " AND conname <> 'round_public_id_once'",
    "ALTER TABLE tables_round DROP CONSTRAINT {}",
)
OTHER_INDEXES = (
    "SELECT indexname FROM pg_indexes WHERE tablename = 'tables_round'"
    " AND indexname NOT IN ('tables_round_pkey', 'round_public_id_once', 'round_platform_id')",
    "DROP INDEX {}",
)


def bench_lookup(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figures of a look-up at a tenth of the rounds and at all of them."""
    sizes = (max(1, size.rows // 10), size.rows)
    buffers: dict[str, list[float]] = {}
    timed: list[Figure] = []
    whole: list[Figure] = []
    with owner_connection() as owner:
        house = _House(owner)
        for rounds in sizes:
            say(f"filling up to {rounds:,} rounds")
            house.fill(rounds)
            say(f"looking up at {rounds:,} rounds")
            names = house.sample(EXPLAINED)
            buffers[f"{rounds:,} rounds"] = [statistics.mean(_buffers(names))]
            timed.append(_time(house, rounds, size.runs))
            whole.append(_time_whole(house, rounds, size.runs))
    figure = Figure("lookup", f"buffers touched by a look-up by round ID, mean of {EXPLAINED}", unit="")
    figure.runs = buffers
    smaller, larger = (f"{rounds:,} rounds" for rounds in sizes)
    figure.compare(f"{larger} / {smaller}", larger, smaller, target=GROWS_AT_MOST)
    yield figure
    yield from timed
    yield from whole
    yield _growth(whole, smaller, larger)


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
        owner.execute(FILL_PLAYERS, {"players": PLAYERS})
        for statement, template in (OTHER_CONSTRAINTS, OTHER_INDEXES, *map(_keys_of, PLAYED)):
            for (name,) in owner.execute(statement).fetchall():
                owner.execute(sql.SQL(template).format(sql.Identifier(name)))
        self._prepare_checks()
        self.shoes = self.rounds = self.played_up_to = 0
        self.rulebook_id = table.rulebook_id

    def fill(self, rounds: int) -> None:
        """Add rounds until there are this many, in the order in which they would be dealt."""
        shoes = (rounds // (TABLES * ROUNDS_A_SHOE) + 1) * TABLES
        self.owner.execute(FILL_SHOES, {"first": self.shoes, "last": shoes - 1})
        self.shoes = shoes
        self._fill_shoe_checks()
        (first_shoe,) = self.owner.execute("SELECT min(id) FROM tables_shoe").fetchone() or (0,)
        (dealer,) = self.owner.execute("SELECT id FROM tables_dealer").fetchone() or (0,)
        while self.rounds < rounds:
            last = min(self.rounds + FILLED_AT_ONCE, rounds)
            facts = {"first": self.rounds, "last": last - 1, "first_shoe": first_shoe, "dealer": dealer}
            self.owner.execute(FILL_ROUNDS, {**facts, "alphabet": ALPHABET})
            self.rounds = last
            self._fill_play()
        for name in ("round", "shoe", *PLAYED):
            self.owner.execute(sql.SQL("VACUUM ANALYZE {}").format(sql.Identifier(f"tables_{name}")))

    def _prepare_checks(self) -> None:
        """Note what each number adds to the check character: it is a sum, where addition is XOR."""
        self.owner.execute("CREATE TABLE bench_shoe_check (id bigint PRIMARY KEY, value int)")
        self.owner.execute("CREATE TABLE bench_number_check (number int PRIMARY KEY, value int)")
        none = _check("B01-20180101-01-000")
        rows = [(n, _check(f"B01-20180101-01-{n:03}") ^ none) for n in range(1, ROUNDS_A_SHOE + 1)]
        with self.owner.cursor() as cursor:
            cursor.executemany("INSERT INTO bench_number_check VALUES (%s, %s)", rows)

    def _fill_shoe_checks(self) -> None:
        """Work out what the shoes that have none yet add to the check characters of their rounds."""
        found = self.owner.execute(
            "SELECT id, public_id FROM tables_shoe"
            " WHERE id > (SELECT coalesce(max(id), 0) FROM bench_shoe_check)"
        ).fetchall()
        with self.owner.cursor() as cursor, cursor.copy("COPY bench_shoe_check FROM STDIN") as copy:
            for key, name in found:
                copy.write_row((key, _check(f"{name}-000")))

    def _fill_play(self) -> None:
        """Give the rounds that have none yet their bets, cards and settlements."""
        (last,) = self.owner.execute("SELECT max(id) FROM tables_round").fetchone() or (0,)
        (player,) = self.owner.execute("SELECT min(id) FROM tables_player").fetchone() or (0,)
        facts = {"first": self.played_up_to + 1, "last": last, "bets": BETS_A_ROUND}
        self.owner.execute(FILL_BETS, {**facts, "player": player, "players": PLAYERS})
        for statement in FILL_PLAY:
            self.owner.execute(statement, facts)
        self.played_up_to = last

    def bets(self, count: int) -> list[str]:
        """Return the platform's IDs of some bets, spread over all rounds that carry any."""
        found = self.owner.execute(
            "SELECT platform_bet_id FROM tables_bet"
            " WHERE id %% greatest((SELECT max(id) FROM tables_bet) / %s, 1) = 0 LIMIT %s",
            [count, count],
        )
        return [name for (name,) in found.fetchall()]

    def sample(self, count: int, *, only_with_bets: bool = False) -> list[str]:
        """Return the IDs of some rounds, spread over all of them or over those that carry bets."""
        (first,) = self.owner.execute("SELECT min(id) FROM tables_round").fetchone() or (0,)
        step = 7_919_777  # a prime: strides over everything and meets no pattern
        keys = [first + place * step % self.rounds for place in range(count)]
        if only_with_bets:
            keys = [max(key - key % ROUNDS_WITH_BETS, ROUNDS_WITH_BETS) for key in keys]
        found = self.owner.execute("SELECT public_id FROM tables_round WHERE id = ANY(%s)", [keys])
        return [name for (name,) in found.fetchall()]


def _keys_of(name: str) -> tuple[str, str]:
    """Return how to find and to drop the foreign keys of a table."""
    table = f"tables_{name}"
    found = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'f'"
    return found, f"ALTER TABLE {table} DROP CONSTRAINT {{}}"


def _check(text: str) -> int:
    """Return the check character of an ID as the number of its place in the alphabet."""
    return ALPHABET.index(check_character(text))


def _time_whole(house: _House, rounds: int, runs: int) -> Figure:
    """Take the time of the look-up's whole answer, by a round's ID and by a bet's, beside a bare SELECT."""
    names = house.sample(WHOLE_TIMED, only_with_bets=True)
    bets = house.bets(WHOLE_TIMED)
    (first,) = house.owner.execute("SELECT min(id) FROM tables_round").fetchone() or (0,)
    keys = [str(first + place) for place in range(min(WHOLE_TIMED, house.rounds))]
    taken: dict[str, list[float]] = {BY_ROUND: [], BY_BET: [], BARE: []}

    def bare(_run: int) -> float:
        with connection.cursor() as cursor:
            select = cursor.cursor.execute
            return _median_ms(taken[BARE], keys, lambda key: select(BARE_SELECT, [int(key)]).fetchone())

    figure = Figure(
        f"lookup.whole.{rounds}",
        f"time of the look-up's whole answer at {rounds:,} rounds, p50 of each run",
        unit="ms",
    )
    figure.runs = alternate(
        {
            BY_ROUND: lambda _run: _median_ms(taken[BY_ROUND], names, _whole_answer),
            BY_BET: lambda _run: _median_ms(taken[BY_BET], bets, _whole_answer),
            BARE: bare,
        },
        runs=runs,
    )
    figure.compare("whole answer / bare SELECT", BY_ROUND, BARE)
    for name, times in taken.items():
        figure.values[f"{name} p50, ms"] = round(statistics.median(times), 4)
        figure.values[f"{name} p99, ms"] = round(_p99(times), 4)
    return figure


def _whole_answer(text: str) -> object:
    """Answer a look-up as the API does, short of writing it out."""
    answer = look_up(text, kinds=frozenset(Found), zone=UTC_ZONE, now=BEGUN)
    found = round_of(answer)
    assert found is not None and answer.slip is None, text
    about = about_round(found)
    assert about.settlements and about.round.deals_read, text
    return about


def _growth(whole: list[Figure], smaller: str, larger: str) -> Figure:
    """Say how much longer the whole answer takes in the larger house."""
    figure = Figure("lookup.growth", "the look-up's whole answer by a round's ID, p50 of each run", unit="ms")
    figure.runs = {smaller: whole[0].runs[BY_ROUND], larger: whole[-1].runs[BY_ROUND]}
    figure.compare(f"{larger} / {smaller}", larger, smaller)
    return figure


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
