"""A database for the bench alone: made, migrated and dropped by the owner, never the product's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from casino.runtime.places import ROOT
from casino.runtime.postgres import PostgresServer
from casino.runtime.provision import provision

PREFIX = "bluecard_bench_"
#: Never carried over: the bench rings its own bells, and nothing of it is production.
LEFT_OUT = frozenset({"BROKER_URL", "BLUECARD_AS_OWNER", "BLUECARD_MODE", "DATABASE_POOL_SIZE"})


class CannotBench(Exception):
    """The bench cannot have a database of its own; the message says what to do."""


@contextmanager
def bench_database() -> Iterator[dict[str, str]]:
    """Provide the environment of a process that works in a new, migrated database; drop it afterwards.

    :raises CannotBench: if nobody may make one.
    """
    if not settings.DATABASE_OWNER_URL:
        raise CannotBench("the bench makes a database: name a role with CREATEDB in DATABASE_OWNER_URL")
    with ExitStack() as stack:
        if settings.DATABASE_IS_EMBEDDED:
            server = PostgresServer(settings.BLUECARD_STATE, settings.PG_BIN_DIR)
            stack.enter_context(server.in_use())
            provision(server.url())
        name = f"{PREFIX}{os.getpid()}"
        maintenance = make_conninfo(settings.DATABASE_OWNER_URL, dbname="postgres")
        _make(maintenance, name)
        stack.callback(_drop, maintenance, name)
        environment = {key: value for key, value in os.environ.items() if key not in LEFT_OUT} | {
            "DJANGO_SETTINGS_MODULE": "casino.settings",
            "DATABASE_URL": make_conninfo(settings.DATABASE_URL, dbname=name),
            "DATABASE_OWNER_URL": make_conninfo(settings.DATABASE_OWNER_URL, dbname=name),
            "LOG_LEVEL": "WARNING",
        }
        _migrate(environment)
        yield environment


def _make(maintenance: str, name: str) -> None:
    with psycopg.connect(maintenance, autocommit=True) as connection:
        for leftover in _leftovers(connection):
            drop_database(connection, leftover)
        try:
            _run(connection, "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", name)
        except psycopg.errors.InsufficientPrivilege as error:
            raise CannotBench(f"the role in DATABASE_OWNER_URL may not make databases: {error}") from error


def _drop(maintenance: str, name: str) -> None:
    with psycopg.connect(maintenance, autocommit=True) as connection:
        drop_database(connection, name)


def drop_database(connection: psycopg.Connection, name: str) -> None:
    """Drop a database, whoever is still in it, if there is one of that name."""
    try:
        _run(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
    except psycopg.errors.InsufficientPrivilege:
        # The server's own cleaner is in it, which only the server may send away: so it does without FORCE.
        _run(connection, "DROP DATABASE IF EXISTS {}", name)


def _leftovers(connection: psycopg.Connection) -> list[str]:
    """List databases of benches that were killed: their process is gone."""
    names = [name for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall()]
    ours = [(name, name.removeprefix(PREFIX)) for name in names if name.startswith(PREFIX)]
    return [name for name, process in ours if process.isdigit() and not _is_alive(int(process))]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's, and alive
        return True
    return True


def _migrate(environment: dict[str, str]) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "casino.runtime.set_up"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise CannotBench(f"the bench's database could not be set up:\n{made.stdout}\n{made.stderr}")


def _run(connection: psycopg.Connection, template: str, name: str) -> None:
    connection.execute(sql.SQL(template).format(sql.Identifier(name)))
