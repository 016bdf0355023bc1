"""`bench seal`: what sealing costs the writers, beside a hash chain, and what checking the seal takes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from audit.house import journal_key, journal_signer
from audit.models import PendingEntry
from audit.queries.verifying import Checked, Problem, snapshot, verify_tree
from audit.rules.checkpoint import Signer
from audit.services.sealing import seal_pending
from casino.bench.figure import Figure, Ratio, Say, Size, alternate, seconds_of
from casino.bench.house import owner_connection
from casino.runtime.places import ROOT

CLIENTS = (1, 8, 32)
#: Writers that share their cores with a sealer still do this much of what they do alone.
KEEPS = {1: 0.85, 8: 0.85, 32: 0.75}
LAG_AT_MOST = 2.0
VERIFIES_AT_LEAST = 0.25
WRITES_SHARE = 200  # one entry is written in each run for so many that are verified
FEWEST_WRITES = 320

BODY = """{"action":"bench.noted","actor":["system","bench"],"at":"2026-11-29T05:00:00.000000Z","data":
{"cards":["KS","2H","QD","KH","KC","10H"],"lines_digest":"%s","moved_minor":950,"revision":1},"request":"","salt":
"00112233445566778899aabbccddeeff","subject":["round",%s,"B01-20261129-01-001-H"],"v":2}"""
COLUMNS = (
    "action, subject_type, subject_id, subject_label, actor_kind, actor_id, at, request_id, body, leaf_hash"
)
WRITE = f"""
INSERT INTO tables_journalentry ({COLUMNS})
VALUES ('bench.noted', 'round', %(n)s, 'B01', 'system', 'bench', clock_timestamp(), '', %(body)s, %(hash)s)
"""
# Every row carries the hash of the one before: all writers want the one row that holds the last.
CHAIN = """
CREATE TABLE bench_head (hash bytea NOT NULL);
INSERT INTO bench_head VALUES (sha256('begun'));
CREATE TABLE bench_chain (LIKE tables_journalentry INCLUDING ALL, chained bytea NOT NULL);
"""
CHAINED = f"""
WITH next AS (UPDATE bench_head SET hash = sha256(hash || %(hash)s) RETURNING hash)
INSERT INTO bench_chain ({COLUMNS}, chained)
SELECT 'bench.noted', 'round', %(n)s, 'B01', 'system', 'bench', clock_timestamp(), '', %(body)s, %(hash)s,
    hash FROM next
"""
FILL = f"""
INSERT INTO tables_journalentry ({COLUMNS})
SELECT 'bench.noted', 'round', n, 'B01', 'system', 'bench', clock_timestamp(), '', body,
    sha256('\\x00'::bytea || body)
FROM (SELECT n, convert_to(format(%(body)s, encode(sha256(n::text::bytea), 'hex'), n), 'UTF8') AS body
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) n) made
"""
OLDEST = """
SELECT coalesce(extract(epoch FROM clock_timestamp() - min(e.at)), 0)::float8
FROM audit_pendingentry p JOIN tables_journalentry e ON e.id = p.entry_id
"""


def bench_seal(size: Size, say: Say) -> Iterator[Figure]:
    """Take what writers do with and without a sealer, then how fast a large journal is sealed and checked."""
    with tempfile.TemporaryDirectory() as keys, owner_connection() as owner:
        settings.JOURNAL_KEY_FILE = str(Path(keys) / "journal.key")
        os.environ["JOURNAL_KEY_FILE"] = settings.JOURNAL_KEY_FILE
        for statement in filter(str.strip, CHAIN.split(";")):
            owner.execute(statement)
        owner.execute("GRANT SELECT, INSERT, UPDATE ON bench_head, bench_chain TO PUBLIC")
        owner.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO PUBLIC")
        writes = max(FEWEST_WRITES, size.rows // WRITES_SHARE)
        for clients in CLIENTS:
            yield _writers(clients, writes, size.runs, say)
        yield from _verified(owner, size, say)


def _writers(clients: int, writes: int, runs: int, say: Say) -> Figure:
    """Count entries a second, each committed alone, three ways in turn."""
    lags: list[float] = []

    def sealed(_: int) -> float:
        with _sealer(), _watched(lags):
            return _rate(WRITE, clients, writes)

    ways: dict[str, Callable[[int], float]] = {
        "sealer running": sealed,
        "sealer stopped": lambda _: _rate(WRITE, clients, writes),
        "hash chain, row by row": lambda _: _rate(CHAINED, clients, writes),
    }
    figure = Figure(f"seal.{clients}", f"entries a second by {clients} clients, {writes} a run", unit="/s")
    figure.runs = alternate(ways, runs=runs, say=say)
    figure.compare(
        "running / stopped", "sealer running", "sealer stopped", target=KEEPS[clients], is_met_when="at least"
    )
    figure.compare("running / hash chain", "sealer running", "hash chain, row by row")
    figure.ratios.append(Ratio("longest wait to be sealed", max(lags, default=0.0), LAG_AT_MOST, unit="s"))
    return figure


def _rate(statement: str, clients: int, writes: int) -> float:
    """Write with so many connections at once, and return how many entries a second they made."""
    start = threading.Barrier(clients + 1)
    each = max(1, writes // clients)
    body = (BODY % ("0" * 64, 1)).encode()
    values = {"n": 1, "body": body, "hash": hashlib.sha256(b"\x00" + body).digest()}

    def write() -> None:
        with psycopg.connect(settings.DATABASE_URL, autocommit=True) as session:
            session.execute("SELECT 1")
            start.wait()
            for _ in range(each):
                session.execute(statement, values)

    threads = [threading.Thread(target=write) for _ in range(clients)]
    for thread in threads:
        thread.start()
    start.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return each * clients / (time.perf_counter() - begun)


@contextmanager
def _sealer() -> Iterator[None]:
    """Run the sealer as it runs in the product, from when it has sealed what was there."""
    _rate(WRITE, 1, 1)  # where nothing waited, it would count as up before it is
    process = subprocess.Popen([sys.executable, "manage.py", "seal"], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        while PendingEntry.objects.exists():
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _watched(lags: list[float]) -> Iterator[None]:
    """Look five times a second at how long the oldest entry has waited to be sealed."""
    ended = threading.Event()

    def watch() -> None:
        with psycopg.connect(settings.DATABASE_URL, autocommit=True) as session:
            while not ended.wait(0.2):
                row = session.execute(OLDEST).fetchone()
                lags.append(row[0] if row else 0.0)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _verified(owner: psycopg.Connection, size: Size, say: Say) -> Iterator[Figure]:
    """Fill the journal, seal it and check it; nothing in it may look altered."""
    say(f"filling the journal with {size.rows:,} entries")
    with connection.cursor() as cursor:
        for first in range(0, size.rows, 100_000):
            last = min(first + 100_000, size.rows) - 1
            cursor.execute(FILL, {"body": BODY, "first": first, "last": last})
    signer = journal_signer()
    pending = PendingEntry.objects.count()
    say(f"sealing {pending:,} entries")
    took = seconds_of(lambda: _seal_all(signer))
    # As autovacuum does by itself some time after so many rows were added.
    owner.execute("VACUUM ANALYZE tables_journalentry, audit_leaf, audit_pendingentry")
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM tables_journalentry")
        bodies = [bytes(body) for (body,) in cursor.fetchall()]

    def check(_: int) -> float:
        checked = Checked()
        problems: list[object] = []
        seconds = seconds_of(lambda: problems.extend(_verify(checked)))
        if problems or checked.entries != len(bodies):
            raise AssertionError(f"a false alarm on clean entries: {problems[:3]}")
        return len(bodies) / seconds

    def bare(_: int) -> float:
        sha256 = hashlib.sha256
        return len(bodies) / seconds_of(lambda: [sha256(body).digest() for body in bodies])

    figure = Figure("seal.verify", f"entries checked a second, of {len(bodies):,}", unit="/s")
    figure.runs = alternate({"verify": check, "bare SHA-256": bare}, runs=size.runs, say=say)
    figure.values["entries sealed a second"] = round(pending / took)
    figure.values["false alarms"] = 0
    figure.compare(
        "verify / bare SHA-256", "verify", "bare SHA-256", target=VERIFIES_AT_LEAST, is_met_when="at least"
    )
    yield figure


def _seal_all(signer: Signer) -> None:
    while seal_pending(signer=signer, now=timezone.now()) is not None:
        pass


def _verify(checked: Checked) -> list[Problem]:
    with snapshot():
        return list(verify_tree(key=journal_key(), witness=None, seen=[], checked=checked))
