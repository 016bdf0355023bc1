"""The guard at the database's door: the product works as a role that cannot alter what was recorded."""

import os
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from casino.runtime.binaries import OLDEST_MAJOR

_QUESTION = """
SELECT current_user,
       current_setting('server_version_num')::int / 10000,
       current_setting('server_encoding'),
       current_setting('fsync'),
       current_setting('synchronous_commit'),
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
       (SELECT pg_has_role(datdba, 'MEMBER') FROM pg_database WHERE datname = current_database())
       OR EXISTS (
           SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = 'public' AND pg_has_role(c.relowner, 'MEMBER'))
"""

#: Processes look once, at their first connection; a forked child looks for itself.
_looked: set[tuple[int, str]] = set()


class UnfitDatabase(ImproperlyConfigured):
    """The server or the role is not one to work with; the message says what to change."""


def on_connection(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Look at the first connection of a process, and close it again if it is unfit."""
    key = (os.getpid(), connection.alias)
    if connection.vendor != "postgresql" or key in _looked:
        return
    try:
        refuse_unfit(connection.connection, is_owner_expected=settings.BLUECARD_AS_OWNER)
    except UnfitDatabase:
        connection.close()
        raise
    _looked.add(key)


def refuse_unfit(psycopg_connection: Any, *, is_owner_expected: bool) -> None:
    """Raise unless server and role are fit for the product.

    :raises UnfitDatabase: as superuser; as the schema's owner at run time; on a server that is too old, not
        UTF-8, or may forget what it acknowledged.
    """
    with psycopg_connection.cursor() as cursor:
        cursor.execute(_QUESTION)
        role, major, encoding, fsync, synchronous_commit, is_superuser, is_owner = cursor.fetchone()
    if is_superuser:
        raise UnfitDatabase(f"The database role {role} is a superuser: no right would bind it. {_ROLES}")
    if is_owner and not is_owner_expected:
        raise UnfitDatabase(
            f"The database role {role} owns the schema: it could lift what keeps records unaltered. {_ROLES}"
        )
    if major < OLDEST_MAJOR:
        raise UnfitDatabase(f"PostgreSQL {major} is too old: {OLDEST_MAJOR} or newer is needed")
    if encoding != "UTF8":
        raise UnfitDatabase(f"The database is encoded in {encoding}, not in UTF8: it cannot hold Thai")
    if fsync != "on" or synchronous_commit == "off":
        raise UnfitDatabase(
            "The server may forget what it acknowledged: "
            f"fsync is {fsync}, synchronous_commit is {synchronous_commit}"
        )


def look_at_the_door() -> None:
    """Connect once when a process starts, so that it refuses at once and not at its first request.

    A server that is down is no reason to refuse: the next connection will be looked at instead.
    """
    try:
        connection.ensure_connection()
    except OperationalError:
        return
    connection.close()


_ROLES = (
    "Name the restricted run-time role in DATABASE_URL, and the owner (no superuser either) only in "
    "DATABASE_OWNER_URL, which migrations use. docs/settings.md has the statements that make both."
)
