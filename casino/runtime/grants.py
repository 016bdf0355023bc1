"""What the run-time role may do, told to PostgreSQL from what the models say about themselves."""

from collections.abc import Iterator

from django.apps import apps
from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from psycopg import sql

READ_ADD = "SELECT, INSERT"
READ_ADD_CHANGE = "SELECT, INSERT, UPDATE, DELETE"
QUEUE_SCHEMA = "pgmq"


def grant_to(role: str) -> int:
    """Give the run-time role its rights anew, as the schema's owner; what no model names it may only read.

    :return: the number of append-only tables.
    """
    existing = set(connection.introspection.table_names(include_views=True))
    name = sql.Identifier(role)
    append_only = 0
    with connection.cursor() as cursor:
        _run(cursor, "GRANT USAGE ON SCHEMA public TO {}", name)
        _run(cursor, "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}", name)
        _run(cursor, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", name)
        _run(cursor, "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}", name)
        for model in apps.get_models(include_auto_created=True):
            if model._meta.db_table not in existing:
                continue
            table = sql.Identifier(model._meta.db_table)
            is_append_only = is_append_only_model(model)
            append_only += is_append_only
            for rights in _rights(model, is_append_only):
                _run(cursor, "GRANT {} ON {} TO {}", rights, table, name)
        if _has_schema(cursor, QUEUE_SCHEMA):
            _grant_queues(cursor, name)
    return append_only


def is_append_only_model(model: type[models.Model]) -> bool:
    """Return whether the model says of itself that its rows are only ever added, but for columns it names."""
    return bool(getattr(model, "append_only", False) or getattr(model, "updatable_columns", ()))


def _rights(model: type[models.Model], is_append_only: bool) -> Iterator[sql.Composable]:
    if not is_append_only:
        yield sql.SQL(READ_ADD_CHANGE)
        return
    yield sql.SQL(READ_ADD)
    fields = {field.name: field.column for field in model._meta.concrete_fields}
    columns = [sql.Identifier(str(fields[name])) for name in getattr(model, "updatable_columns", ())]
    if columns:
        yield sql.SQL("UPDATE ({})").format(sql.SQL(", ").join(columns))


def _grant_queues(cursor: CursorWrapper, name: sql.Identifier) -> None:
    """Let the run-time role make and use its own queues: they carry bells, and nothing there is a record."""
    _run(cursor, "GRANT USAGE, CREATE ON SCHEMA {} TO {}", sql.Identifier(QUEUE_SCHEMA), name)
    cursor.execute(
        "SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'S') AND c.relowner = current_user::regrole",
        [QUEUE_SCHEMA],
    )
    for relation, kind in cursor.fetchall():
        template = (
            "GRANT USAGE ON SEQUENCE {} TO {}" if kind == "S" else f"GRANT {READ_ADD_CHANGE} ON {{}} TO {{}}"
        )
        _run(cursor, template, sql.Identifier(QUEUE_SCHEMA, relation), name)


def _has_schema(cursor: CursorWrapper, schema: str) -> bool:
    cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema])
    return cursor.fetchone() is not None


def _run(cursor: CursorWrapper, template: str, *parts: sql.Composable) -> None:
    cursor.execute(sql.SQL(template).format(*parts).as_string(cursor.cursor))
