"""The test run's own database: migrated by the owner, used by the restricted run-time role as in production.

Without DATABASE_URL the embedded PostgreSQL is started for the run and stopped by its last user. A template
is migrated once per state of the migrations; each run, and each worker of pytest-xdist, gets a copy of it.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import hypothesis
import psycopg
import pytest
from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import override_settings
from django.utils import translation

from casino.celery import app as celery_app
from casino.runtime.postgres import PostgresServer
from casino.runtime.provision import provision
from tests.database import OwnTestDatabase

# How long an example takes says something of the machine, and nothing of the product.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Leave the settings to `django_db_setup`: a name per worker is given there."""


@pytest.fixture(scope="session")
def own_database() -> Iterator[OwnTestDatabase]:
    """Provide this process's own database for as long as the run lasts."""
    server = PostgresServer(settings.BLUECARD_STATE, settings.PG_BIN_DIR)
    with server.in_use() if settings.DATABASE_IS_EMBEDDED else nullcontext():
        if settings.DATABASE_IS_EMBEDDED:
            provision(server.url())
        database = OwnTestDatabase.create(settings.DATABASE_URL, settings.DATABASE_OWNER_URL)
        yield database
        database.drop()


@pytest.fixture(scope="session")
def django_db_setup(own_database: OwnTestDatabase) -> Iterator[None]:
    """Point Django at the run's own database, as the run-time role."""
    chosen = connections["default"].settings_dict
    before = chosen["NAME"]
    connections["default"].close()
    chosen["NAME"] = own_database.name
    with pytest.MonkeyPatch.context() as patch:
        # After a transaction=True test Django empties the tables: the run-time role may not, the owner may,
        # once the triggers that refuse it are lifted. This is the only place where they are.
        def empty(*_: Any) -> None:
            own_database.empty()

        patch.setattr(DatabaseOperations, "execute_sql_flush", empty)
        yield
    connections.close_all()
    chosen["NAME"] = before


@pytest.fixture
def owner_connection(own_database: OwnTestDatabase) -> Iterator[psycopg.Connection]:
    """Connect as the schema's owner: for tests of an owner's slip, or of what somebody tampered with."""
    with psycopg.connect(own_database.owner_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def product_environment(own_database: OwnTestDatabase) -> dict[str, str]:
    """Return what a process of the product needs in its environment to work on the test's database."""
    return own_database.environment()


@pytest.fixture(autouse=True, scope="session")
def nothing_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep bells in memory, static files as they lie, and keys and witness of a running house out of it.

    A test that wants the real ones says so.
    """
    _use_broker("memory://", {})
    storages = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    hasher = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    keys = {
        "JOURNAL_NAME": "bluecard.test/journal",
        "JOURNAL_KEY_FILE": str(tmp_path_factory.mktemp("keys") / "journal.key"),
        "WITNESS_URL": "",
        "WITNESS_KEY": "",
    }
    with override_settings(STORAGES=storages, PASSWORD_HASHERS=hasher, **keys):
        yield


@pytest.fixture(autouse=True)
def no_language_stays() -> Iterator[None]:
    """Forget the language a request of this test has chosen: Django keeps it until the next request."""
    yield
    translation.deactivate()


@pytest.fixture
def pgmq_broker(own_database: OwnTestDatabase) -> Iterator[None]:
    """Ring real bells: Celery's messages go into the test's database, where a real worker finds them."""
    options = {"init_extension": False, "conn_string": own_database.app_url, "pool_timeout": 10}
    _use_broker("pgmq://same-database", options)
    yield
    _use_broker("memory://", {})


def _use_broker(url: str, options: dict[str, object]) -> None:
    celery_app.conf.update(broker_url=url, broker_transport_options=options)
    celery_app.amqp._producer_pool = None  # it would keep the connections of the broker before


@pytest.fixture
def count_of(owner_connection: psycopg.Connection) -> Callable[[str], int]:
    """Return a function that counts a table's rows, seen from another session: what was committed."""

    def count(table: str) -> int:
        row = owner_connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        assert row is not None
        return int(row[0])

    return count
