"""A house of the test's own, to be killed piece by piece: PostgreSQL, the broker in it, workers and a wallet.

The test itself is the table: it feeds rounds through the reader, whose bells go out over the real broker.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import Celery
from django.db import connections
from django.utils import timezone

from casino import settings
from casino.runtime.database_url import database_from_url
from casino.runtime.places import ROOT
from casino.runtime.postgres import PostgresServer
from casino.runtime.provision import APP, DATABASE, OWNER, provision
from casino.runtime.run import WORKER_OPTIONS
from tables.feed.reader import FeedAnswer, read_lines
from tables.queries.rulebooks import rules_of
from tables.rulebooks import shipped_text
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.setup import publish_rulebook, set_up_table
from tests.tables.playing import Platform
from tests.wallet_process import SECRET, WalletProcess

PATIENCE_SECONDS = 180.0
LOOK_SECONDS = 0.1  # each look is a session of its own: more of them would keep a processor busy
QUEUE = "bluecard"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)

BANKER_WINS_2_TO_0 = (
    ("P1", "KS"), ("B1", "2H"), ("P2", "QD"), ("B2", "KH"), ("P3", "KC"), ("B3", "10H"),
)  # fmt: skip
#: Bet, player, kind, stake. At 19 to 20 the Banker bets bring 9,500.95, rounded down, and 190.
BETS = (
    ("b1", "lek", "banker", 10_001),
    ("b2", "lek", "tie", 500),
    ("b3", "noi", "player", 7_000),
    ("b4", "ting", "banker", 200),
)
LINES = {"b1": ("won", 19_501), "b2": ("lost", 0), "b3": ("lost", 0), "b4": ("won", 390)}
PAID = {"lek": 19_501, "ting": 390}


class NowPlatform(Platform):
    """A table whose events happen now and are received now."""

    def send(self, *lines: bytes) -> FeedAnswer:
        actor = Actor.of_table(self.table.code)
        return read_lines(self.table.code, lines, actor=actor, received_at=timezone.now())


class House:
    """The processes, and what a test does to them."""

    def __init__(self, state: Path, wallet: WalletProcess) -> None:
        self.server = PostgresServer(state, settings.PG_BIN_DIR)
        self.wallet = wallet
        self.stops = state / "stops"
        self.stops.mkdir()
        self.log = state / "worker.log"
        self.app_url = self.server.url(user=APP, dbname=DATABASE)
        self.owner_url = self.server.url(user=OWNER, dbname=DATABASE)
        self.worker: subprocess.Popen[bytes] | None = None
        self.workers_started = 0
        self.tables = 0
        self.bells = Celery("the table's bells", set_as_current=False)
        self.bells.config_from_object("django.conf:settings", namespace="CELERY")
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS | {"conn_string": self.app_url}
        self.bells.conf.update(broker_url="pgmq://same-database", broker_transport_options=options)

    def environment(self) -> dict[str, str]:
        """Return what a process of the product needs to know."""
        kept = {name: value for name, value in os.environ.items() if name != "BROKER_URL"}
        return kept | {
            "DJANGO_SETTINGS_MODULE": "casino.settings",
            "DATABASE_URL": self.app_url,
            "DATABASE_OWNER_URL": self.owner_url,
            "WALLET_URL": self.wallet.url,
            "WALLET_SECRET": SECRET,
            "WORKER_PROCESSES": "2",
            "STOPS": str(self.stops),
        }

    def wait_for(self, what: str, condition: Callable[[], Any], *, look_seconds: float = LOOK_SECONDS) -> Any:
        """Look until a condition gives something, and return it; fail with the worker's last words."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := condition()):
            is_over = time.monotonic() > deadline
            if is_over or (self.worker is not None and self.worker.poll() is not None):
                why = f"{PATIENCE_SECONDS:g} s are over" if is_over else "the worker ended by itself"
                pytest.fail(f"{why} while waiting until {what}\n{self.last_words()}")
            time.sleep(look_seconds)
        return found

    # --- building -----------------------------------------------------------------------------------

    def build(self) -> None:
        """Start PostgreSQL on new data and bring the schema in."""
        self.server.ensure_running()
        provision(self.server.url())
        done = subprocess.run(
            [sys.executable, "-m", "casino.runtime.set_up"],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @contextmanager
    def as_default_database(self) -> Iterator[None]:
        """Let Django in this process work on the house's database, as the run-time role."""
        chosen = connections["default"].settings_dict
        before = dict(chosen)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outbox, "current_app", self.bells)
            connections.close_all()
            chosen.update(database_from_url(self.app_url))
            rules_of.cache_clear()
            try:
                yield
            finally:
                connections.close_all()
                chosen.clear()
                chosen.update(before)
                rules_of.cache_clear()

    def query(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Ask as the schema's owner, from a session of its own."""
        with psycopg.connect(self.owner_url, autocommit=True) as connection:
            cursor = connection.execute(statement, parameters)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def one(self, statement: str, *parameters: Any) -> Any:
        """Ask for one value."""
        return self.query(statement, *parameters)[0][0]

    # --- workers ------------------------------------------------------------------------------------

    def start_worker(self) -> None:
        """Start a worker and wait until it says that it lives."""
        self.workers_started += 1
        name = f"worker-{self.workers_started}@house"
        self.worker = self.start("-A", "tests.stress.stops", "worker", *WORKER_OPTIONS, "--hostname", name)
        beats = "SELECT count(*) FROM casino_workerheartbeat WHERE worker = %s"
        self.wait_for("the worker lives", lambda: self.one(beats, name))

    def start(self, *celery: str) -> subprocess.Popen[bytes]:
        """Start a program of Celery's in a process group of its own."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "celery", "--quiet", *celery],
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def last_words(self) -> str:
        """Return the end of what the worker said."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-40:])

    def ensure_worker(self) -> None:
        """Start a worker unless one runs and is free: a test that failed may have left a process stopped."""
        stopped = {path.stem for path in self.stops.glob("*.*[0-9]")}
        if any(not (self.stops / f"{point}.go").exists() for point in stopped):
            self.kill_worker()
        if self.worker is None or self.worker.poll() is not None:
            self.start_worker()

    def kill_worker(self) -> None:
        """End the worker and its children at once, as `kill -9` of all of them."""
        if self.worker is not None:
            kill_group(self.worker)
            self.worker = None
        self.forget_stops()

    def forget_stops(self) -> None:
        """Take back every order to stop, and the marks of those who did."""
        for left in self.stops.glob("*.*"):
            left.unlink()

    def stop_at(self, point: str, *, from_round: int | None = None) -> None:
        """Ask the process that comes to the point to stop there: with a new round, or one from this on."""
        self.forget_stops()
        newest = self.one("SELECT coalesce(max(id), 0) FROM tables_round")
        if from_round is not None:
            newest = from_round - 1
        unfinished = self.stops / "unfinished"
        unfinished.write_text(str(newest))
        unfinished.rename(self.stops / f"{point}.stop")

    def stopped_at(self, point: str) -> int:
        """Wait until a process has stopped at the point, and return its pid."""

        def pid() -> int | None:
            numbers = [path.suffix[1:] for path in self.stops.glob(f"{point}.*")]
            return next((int(number) for number in numbers if number.isdigit()), None)

        return int(self.wait_for(f"a process stops at {point}", pid))

    def let_go(self, point: str) -> None:
        """Let the process that stopped at the point go on, if it still can."""
        (self.stops / f"{point}.go").touch()

    # --- PostgreSQL ---------------------------------------------------------------------------------

    def kill_postgres(self) -> None:
        """End PostgreSQL as `kill -9` does, and start it again on the same data."""
        postmaster = int((self.server.data / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(postmaster, signal.SIGKILL)
        self.wait_for("PostgreSQL is gone", lambda: not self.server.is_answering())
        connections.close_all()
        assert self.server.ensure_running()

    # --- the table ----------------------------------------------------------------------------------

    def open_table(self) -> NowPlatform:
        """Set up a table that nobody played on, with a shoe on it."""
        self.tables += 1
        now = timezone.now()
        if self.tables == 1:
            publish_rulebook(text=shipped_text("commission"), effective_from=LONG_AGO, actor=SYSTEM, at=now)
        table = set_up_table(
            code=f"B{self.tables:05}",
            name="A table of the house",
            currency="THB",
            zone="Asia/Bangkok",
            rulebook_code="commission",
            min_stake_minor=100,
            max_stake_minor=100_000_000,
            actor=SYSTEM,
            at=now,
        )
        platform = NowPlatform(table, now - timedelta(seconds=55))
        platform.start()
        return platform

    def feed_rounds(self, count: int) -> list[int]:
        """Play rounds up to their results, all in one message of a table, and return their ids."""
        table = self.open_table()
        lines: list[bytes] = []
        for number in range(1, count + 1):
            name = f"R-{number}"
            stakes = [
                {"id": f"{table.table.code}-{number}-{bet}", "player": player, "bet": kind, "stake": stake}
                for bet, player, kind, stake in BETS
            ]
            lines.append(table.event("betting_opened", round=name, number=number))
            lines.append(table.event("bets", round=name, bets=stakes))
            lines.append(table.event("betting_closed", round=name))
            for place, card in BANKER_WINS_2_TO_0:
                lines.append(table.event("card", round=name, place=place, card=card))
            result = {"outcome": "banker", "player_total": 0, "banker_total": 2}
            lines.append(table.event("round_result", round=name, **result))
        answers = table.send(*lines).events
        assert {answer.status for answer in answers} == {"accepted"}, answers
        return [table.round(f"R-{number}").pk for number in range(1, count + 1)]

    def time_passes(self) -> None:
        """Make all that waits a minute older, so that nobody has to wait for it."""
        minute = timedelta(minutes=1)
        self.query("UPDATE tables_outbox SET rung_at = rung_at - %s", minute)

    def leases_run_out(self) -> None:
        """Let go of wallet messages that a killed process had taken."""
        self.query(
            "UPDATE tables_walletdelivery SET leased_until = NULL, due_at = least(due_at, now())"
            " WHERE status = 'waiting'"
        )

    def sweep(self) -> None:
        """Ring as the clock does."""
        outbox.ring("tables.sweep")

    def messages(self) -> int:
        """Return how many messages lie in the queue, seen or not."""
        return int(self.one(f"SELECT count(*) FROM pgmq.q_{QUEUE}"))


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and all its children at once."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
