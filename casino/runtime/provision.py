"""Make the two roles and the database on the embedded server; a real one has an administrator for it."""

import psycopg
from psycopg import sql

OWNER = "bluecard_owner"
APP = "bluecard_app"
DATABASE = "bluecard"
_LOCK = 0x70726F76  # any number nobody else locks


def provision(administrator_url: str) -> None:
    """Make what is missing of roles and database: an owner who is no superuser, and a role for run time."""
    with psycopg.connect(administrator_url, autocommit=True) as connection:
        # Several processes may come to a new server at once; the lock goes with the connection.
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        # The owner may make databases: the test run makes its own.
        for role, rights in ((OWNER, "LOGIN CREATEDB"), (APP, "LOGIN")):
            if not _exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", role):
                connection.execute(sql.SQL(f"CREATE ROLE {{}} {rights}").format(sql.Identifier(role)))
        # So that the owner may end sessions of the run-time role: a database in use cannot be dropped.
        connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(APP), sql.Identifier(OWNER)))
        if not _exists(connection, "SELECT 1 FROM pg_database WHERE datname = %s", DATABASE):
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8'").format(
                    sql.Identifier(DATABASE), sql.Identifier(OWNER)
                )
            )


def _exists(connection: psycopg.Connection, query: str, name: str) -> bool:
    return connection.execute(query, [name]).fetchone() is not None
