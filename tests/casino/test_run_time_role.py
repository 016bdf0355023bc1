"""The run-time role can add to what is append-only and not alter it; nobody works as owner or superuser."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.apps import apps
from django.db import connection, models, transaction
from django.db.utils import ProgrammingError
from psycopg import sql

from casino.runtime.grants import is_append_only_model
from casino.runtime.guard import UnfitDatabase, refuse_unfit
from casino.runtime.places import ROOT
from tests.database import OwnTestDatabase

APPEND_ONLY = sorted(
    (model for model in apps.get_models() if is_append_only_model(model)),
    key=lambda model: model._meta.db_table,
)
pytestmark = pytest.mark.django_db


def privileges(model: type[models.Model]) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) p"
            " WHERE has_table_privilege(current_user, %s, p)",
            [model._meta.db_table],
        )
        return {row[0] for row in cursor.fetchall()}


def test_the_tests_themselves_work_as_the_run_time_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("bluecard_app",)


def test_the_models_name_what_is_only_added_to() -> None:
    tables = {model._meta.label for model in APPEND_ONLY}
    assert {"tables.Settlement", "tables.FeedEvent"} <= tables


@pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda model: model._meta.label)
def test_an_append_only_table_can_only_be_read_and_added_to(model: type[models.Model]) -> None:
    assert privileges(model) == {"SELECT", "INSERT"}


@pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda model: model._meta.label)
@pytest.mark.parametrize("statement", ["DELETE FROM {table}", "TRUNCATE {table} CASCADE"])
def test_the_run_time_role_is_refused_by_the_server_itself(model: type[models.Model], statement: str) -> None:
    table = connection.ops.quote_name(model._meta.db_table)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statement.format(table=table))


@pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda model: model._meta.label)
def test_only_the_columns_that_a_model_names_may_change(model: type[models.Model]) -> None:
    updatable = set(getattr(model, "updatable_columns", ()))
    for field in model._meta.concrete_fields:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT has_column_privilege(current_user, %s, %s, 'UPDATE')",
                [model._meta.db_table, field.column],
            )
            assert cursor.fetchone() == (field.name in updatable,), field


def test_other_tables_can_be_worked_in_but_not_emptied() -> None:
    assert privileges(apps.get_model("auth", "User")) == {"SELECT", "INSERT", "UPDATE", "DELETE"}


def test_the_schema_itself_is_closed_to_the_run_time_role() -> None:
    for statement in ("CREATE TABLE public.mine (id int)", "ALTER TABLE auth_user ADD COLUMN mine int"):
        with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(statement)


def test_fit_is_the_run_time_role(own_database: OwnTestDatabase) -> None:
    with psycopg.connect(own_database.app_url) as as_app:
        refuse_unfit(as_app, is_owner_expected=False)


def test_the_owner_is_refused_at_run_time_and_wanted_for_migrations(own_database: OwnTestDatabase) -> None:
    with psycopg.connect(own_database.owner_url) as as_owner:
        with pytest.raises(UnfitDatabase, match="bluecard_owner owns the schema"):
            refuse_unfit(as_owner, is_owner_expected=False)
        refuse_unfit(as_owner, is_owner_expected=True)


class Answers:
    """A connection to a server that answers the guard's question like this."""

    FIT = ("app", 18, "UTF8", "on", "on", False, False)

    def __init__(self, **different: object) -> None:
        names = ("role", "major", "encoding", "fsync", "synchronous_commit", "is_superuser", "is_owner")
        self.row = tuple((dict(zip(names, self.FIT, strict=True)) | different).values())

    def cursor(self) -> "Answers":
        return self

    def __enter__(self) -> "Answers":
        return self

    def __exit__(self, *_: object) -> None: ...

    def execute(self, _: str) -> None: ...

    def fetchone(self) -> tuple[object, ...]:
        return self.row


@pytest.mark.parametrize(
    ("different", "message"),
    [
        ({"is_superuser": True}, "is a superuser"),
        ({"is_owner": True}, "owns the schema"),
        ({"major": 14}, "PostgreSQL 14 is too old: 15 or newer is needed"),
        ({"encoding": "SQL_ASCII"}, "encoded in SQL_ASCII, not in UTF8"),
        ({"fsync": "off"}, "may forget what it acknowledged: fsync is off"),
        ({"synchronous_commit": "off"}, "synchronous_commit is off"),
    ],
)
def test_a_server_or_role_that_is_unfit_is_named(different: dict[str, object], message: str) -> None:
    refuse_unfit(Answers(), is_owner_expected=False)
    with pytest.raises(UnfitDatabase, match=message):
        refuse_unfit(Answers(**different), is_owner_expected=False)


def test_a_superuser_may_not_even_migrate() -> None:
    with pytest.raises(UnfitDatabase, match="is a superuser"):
        refuse_unfit(Answers(is_superuser=True), is_owner_expected=True)


@pytest.fixture
def as_owner(own_database: OwnTestDatabase) -> Iterator[dict[str, str]]:
    """Provide the environment of somebody who named the owner where the run-time role belongs."""
    yield own_database.environment() | {"DATABASE_URL": own_database.owner_url}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "shell", "-v0", "-c", "from django.db import connection; connection.cursor()"),
        ("-m", "celery", "-A", "casino", "worker", "--pool", "solo"),
        ("-m", "celery", "-A", "casino", "beat"),
        ("-c", "import casino.wsgi"),
    ],
    ids=["command", "worker", "clock", "web"],
)
def test_no_process_of_the_product_starts_as_owner(
    command: tuple[str, ...], as_owner: dict[str, str]
) -> None:
    refused = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=as_owner,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert refused.returncode != 0
    assert "The database role bluecard_owner owns the schema" in refused.stderr


@pytest.mark.slow
def test_grants_follow_the_models_when_they_are_given_again(
    own_database: OwnTestDatabase, owner_connection: psycopg.Connection
) -> None:
    table = APPEND_ONLY[0]._meta.db_table
    may_update = "SELECT has_table_privilege('bluecard_app', %s, 'UPDATE')"
    grant = sql.SQL("GRANT UPDATE ON {} TO bluecard_app").format(sql.Identifier(table))
    owner_connection.execute(grant)
    assert owner_connection.execute(may_update, [table]).fetchone() == (True,)
    granted = subprocess.run(
        [sys.executable, "manage.py", "grant"],
        cwd=ROOT, env=own_database.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert granted.returncode == 0, granted.stderr
    assert owner_connection.execute(may_update, [table]).fetchone() == (False,)


@pytest.mark.django_db(transaction=True)
def test_the_test_run_empties_append_only_tables_and_leaves_their_triggers_in_force(
    own_database: OwnTestDatabase, owner_connection: psycopg.Connection, count_of: Callable[[str], int]
) -> None:
    in_force = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'A'"
    before = owner_connection.execute(in_force).fetchall()
    assert before != [(0,)]
    owner_connection.execute("INSERT INTO casino_workerheartbeat (worker, at) VALUES ('w', now())")
    own_database.empty()
    assert count_of("casino_workerheartbeat") == 0
    assert owner_connection.execute(in_force).fetchall() == before
    assert os.environ.get("BLUECARD_AS_OWNER") is None
