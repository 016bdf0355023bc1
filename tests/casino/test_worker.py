"""A real worker and a real clock, on the broker that PostgreSQL carries."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from casino.beat import BEAT_LOCK, OneAtATimeScheduler
from casino.celery import app
from casino.runtime.places import ROOT
from tests.database import OwnTestDatabase

pytestmark = pytest.mark.django_db(transaction=True)
WAIT_SECONDS = 60


@pytest.fixture
def start(product_environment: dict[str, str]) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start processes of the product that end with the test."""
    started = []

    def start_one(*command: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=product_environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def listen(own_database: OwnTestDatabase) -> psycopg.Connection:
    """Return a connection that hears when a heartbeat is written or taken away."""
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        owner.execute(
            """
            CREATE OR REPLACE FUNCTION tell_heartbeat() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_notify('heartbeat', TG_OP); RETURN NULL; END $$;
            CREATE OR REPLACE TRIGGER tell AFTER INSERT OR DELETE ON casino_workerheartbeat
            FOR EACH ROW EXECUTE FUNCTION tell_heartbeat();
            """
        )
    connection = psycopg.connect(own_database.owner_url, autocommit=True)
    connection.execute("LISTEN heartbeat")
    return connection


def heard(connection: psycopg.Connection) -> str:
    for notice in connection.notifies(timeout=WAIT_SECONDS, stop_after=1):
        return notice.payload
    pytest.fail(f"nothing was heard of a worker within {WAIT_SECONDS} s")


@pytest.mark.slow
def test_a_worker_says_that_it_lives_and_takes_tasks_from_postgresql(
    own_database: OwnTestDatabase, start: Callable[..., "subprocess.Popen[str]"], pgmq_broker: None
) -> None:
    with listen(own_database) as ears:
        worker = start("-m", "celery", "-A", "casino", "worker", "-c", "1", "-l", "INFO", "--without-mingle")
        assert heard(ears) == "INSERT"
        app.send_task("tables.sweep")
        assert worker.stdout is not None
        done = next(line for line in worker.stdout if "Task tables.sweep" in line and "succeeded" in line)
        assert "tables.sweep" in done
        worker.send_signal(signal.SIGTERM)
        assert heard(ears) == "DELETE"
        assert worker.wait(timeout=WAIT_SECONDS) == 0


@pytest.mark.slow
def test_a_worker_that_was_busy_drops_what_only_said_look(
    own_database: OwnTestDatabase, start: Callable[..., "subprocess.Popen[str]"], pgmq_broker: None
) -> None:
    for _ in range(20):
        app.send_task("tables.sweep", expires=datetime.now(UTC) - timedelta(seconds=1))
    app.send_task("tables.deliver_wallet")
    worker = start("-m", "celery", "-A", "casino", "worker", "-c", "1", "-l", "INFO", "--without-mingle")
    assert worker.stdout is not None
    said = []
    for line in worker.stdout:
        said.append(line)
        if "Task tables.deliver_wallet" in line and "succeeded" in line:
            break
    assert sum("Discarding revoked task: tables.sweep" in line for line in said) == 20
    assert not any("Task tables.sweep" in line and "succeeded" in line for line in said)


@pytest.mark.slow
def test_what_a_person_asked_for_does_not_stand_in_line_behind_machines(
    own_database: OwnTestDatabase, start: Callable[..., "subprocess.Popen[str]"], pgmq_broker: None
) -> None:
    for _ in range(60):
        app.send_task("tables.deliver_wallet")
    app.send_task("audit.make_packs", args=[[]])
    worker = start("-m", "celery", "-A", "casino", "worker", "-c", "1", "-l", "INFO", "--without-mingle")
    assert worker.stdout is not None
    before = 0
    for line in worker.stdout:
        if "Task audit.make_packs" in line and "succeeded" in line:
            break
        before += "Task tables.deliver_wallet" in line and "succeeded" in line
    assert before <= 8  # no more than the worker had fetched already


class Clock(OneAtATimeScheduler):
    """A clock without Celery's own schedule around it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = None

    @property
    def database_url(self) -> str:
        return self.url


def test_of_two_clocks_one_ticks_and_the_other_takes_over_when_it_is_gone(
    own_database: OwnTestDatabase,
) -> None:
    first, second = Clock(own_database.app_url), Clock(own_database.app_url)
    assert first.holds_lock() is True
    assert second.holds_lock() is False
    assert first.holds_lock() is True
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        held = owner.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", [BEAT_LOCK]
        )
        assert held.fetchall() == [(1,)]
    assert first._connection is not None
    first._connection.close()
    assert second.holds_lock() is True
    assert first.holds_lock() is False  # its connection was lost, and with it the right to tick
    assert second._connection is not None
    second._connection.close()


def test_a_clock_without_the_lock_rings_nothing(own_database: OwnTestDatabase) -> None:
    first, second = Clock(own_database.app_url), Clock(own_database.app_url)
    assert first.holds_lock() is True
    assert second.tick() == 1.0  # stands by: it has no schedule here, so that ringing would raise
    assert first._connection is not None
    first._connection.close()
