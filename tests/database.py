"""A database of the test run's own, copied from a template that the product's own set-up made."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from audit.services.numbers import SEQUENCES
from casino.bench.database import drop_database
from casino.runtime.places import ROOT
from tables.queries.rulebooks import rules_of

TEMPLATE_PREFIX = "bluecard_template_"
TEST_PREFIX = "bluecard_test_"
#: What decides the schema: a change in any of these makes a new template.
SCHEMA_SOURCES = (
    "*/migrations/**/*",
    "*/models/**/*.py",
    "*/models.py",
    "casino/roles.py",
    "casino/runtime/grants.py",
    "casino/runtime/set_up.py",
)
_TEMPLATE_LOCK = 0x626C7565  # any number nobody else locks


@dataclass
class OwnTestDatabase:
    """One process's database, the role that works in it and the role that owns it."""

    name: str
    app_url: str
    owner_url: str
    maintenance_url: str
    seeded: frozenset[str] = frozenset()

    @classmethod
    def create(cls, app_url: str, owner_url: str) -> "OwnTestDatabase":
        """Make the database as a copy of the template, and the template first if it is not there yet."""
        if not owner_url:
            raise RuntimeError("tests make their own database: DATABASE_OWNER_URL needs a role with CREATEDB")
        name = f"{TEST_PREFIX}{os.getpid()}"
        maintenance = make_conninfo(owner_url, dbname="postgres")
        with psycopg.connect(maintenance, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", [_TEMPLATE_LOCK])
            _drop_leftovers(connection)
            template = _ensure_template(connection, app_url, owner_url)
            drop_database(connection, name)
            _run(connection, "CREATE DATABASE {} TEMPLATE {}", name, template)
        database = cls(
            name=name,
            app_url=make_conninfo(app_url, dbname=name),
            owner_url=make_conninfo(owner_url, dbname=name),
            maintenance_url=maintenance,
        )
        with psycopg.connect(database.owner_url) as connection:
            database.seeded = frozenset(_tables_with_rows(connection))
        return database

    def drop(self) -> None:
        """Remove the database, whoever is still connected to it."""
        with psycopg.connect(self.maintenance_url, autocommit=True) as connection:
            drop_database(connection, self.name)

    def environment(self) -> dict[str, str]:
        """Return the environment of a process of the product that works in this database."""
        inherited = {
            name: os.environ[name] for name in os.environ.keys() - {"BROKER_URL", "BLUECARD_AS_OWNER"}
        }
        return inherited | {
            "DJANGO_SETTINGS_MODULE": "casino.settings",
            "DATABASE_URL": self.app_url,
            "DATABASE_OWNER_URL": self.owner_url,
            "PYTHONUNBUFFERED": "1",
        }

    def empty(self) -> None:
        """Empty every table that migrations left empty, as the owner and past the triggers that refuse it."""
        rules_of.cache_clear()  # numbers begin anew, and with them the keys of what is remembered
        with psycopg.connect(self.owner_url) as connection:
            connection.execute("SET lock_timeout = '15s'")
            for what in SEQUENCES.values():
                _run(connection, "ALTER SEQUENCE {} RESTART", f"{what}_number")
            for (name,) in connection.execute(_NUMBERS_TAKEN, {"seeded": sorted(self.seeded)}).fetchall():
                _run(connection, "ALTER SEQUENCE {} RESTART", name)
            filled = [name for name in _tables_with_rows(connection) if name not in self.seeded]
            if not filled:
                return
            triggers = connection.execute(_TRUNCATE_TRIGGERS).fetchall()
            for table, trigger, _ in triggers:
                _run(connection, "ALTER TABLE {} DISABLE TRIGGER {}", table, trigger)
            tables = sql.SQL(", ").join(sql.Identifier(name) for name in filled)
            connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(tables))
            for table, trigger, state in triggers:
                how = "ENABLE ALWAYS" if state == "A" else "ENABLE"
                _run(connection, f"ALTER TABLE {{}} {how} TRIGGER {{}}", table, trigger)


#: Keys that were given out, be it in a transaction that was rolled back.
_NUMBERS_TAKEN = """
SELECT s.sequencename FROM pg_sequences s
JOIN pg_depend d ON d.objid = format('%%I.%%I', s.schemaname, s.sequencename)::regclass
WHERE s.schemaname = 'public' AND s.last_value IS NOT NULL AND d.deptype IN ('a', 'i')
AND d.refobjid NOT IN (SELECT unnest(%(seeded)s::text[])::regclass)
"""
#: Triggers at TRUNCATE that are in force; bit 5 of tgtype says TRUNCATE.
_TRUNCATE_TRIGGERS = """
SELECT c.relname, t.tgname, t.tgenabled::text FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND NOT t.tgisinternal AND t.tgtype & 32 <> 0 AND t.tgenabled IN ('A', 'O')
"""


def _run(connection: psycopg.Connection, template: str, *names: str) -> None:
    connection.execute(sql.SQL(template).format(*map(sql.Identifier, names)))


def _tables_with_rows(connection: psycopg.Connection) -> list[str]:
    names = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    ).fetchall()
    asked = [
        sql.SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(sql.Literal(name), sql.Identifier(name))
        for (name,) in names
    ]
    return [name for (name,) in connection.execute(sql.SQL(" UNION ALL ").join(asked)).fetchall()]


def _ensure_template(connection: psycopg.Connection, app_url: str, owner_url: str) -> str:
    name = TEMPLATE_PREFIX + _fingerprint()
    existing = [row[0] for row in connection.execute("SELECT datname FROM pg_database").fetchall()]
    if name in existing:
        return name
    for older in existing:
        if older.startswith(TEMPLATE_PREFIX):
            drop_database(connection, older)
    unfinished = f"{TEMPLATE_PREFIX}unfinished"
    _run(connection, "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", unfinished)
    template = OwnTestDatabase(
        unfinished, make_conninfo(app_url, dbname=unfinished), make_conninfo(owner_url, dbname=unfinished), ""
    )
    made = subprocess.run(
        [sys.executable, "-m", "casino.runtime.set_up"],
        cwd=ROOT,
        env=template.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise RuntimeError(f"the test database could not be set up:\n{made.stdout}\n{made.stderr}")
    _run(connection, "ALTER DATABASE {} RENAME TO {}", unfinished, name)
    return name


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for pattern in SCHEMA_SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            inside = path.relative_to(ROOT)
            if path.is_file() and "__pycache__" not in inside.parts and not inside.parts[0].startswith("."):
                digest.update(str(inside).encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update((ROOT / "constraints.txt").read_bytes())
    return digest.hexdigest()[:16]


def _drop_leftovers(connection: psycopg.Connection) -> None:
    """Remove what an interrupted run left: databases of processes that are gone."""
    for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall():
        process = name.removeprefix(TEST_PREFIX)
        if name.startswith(TEST_PREFIX) and process.isdigit() and not _is_alive(int(process)):
            drop_database(connection, name)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's, and alive
        return True
    return True
