"""Read a database URL into what Django wants."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

#: libpq's names of what Django keeps outside OPTIONS.
_DJANGO_NAMES = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


def database_from_url(url: str, *, pool_size: int = 0) -> dict[str, Any]:
    """Return one entry of DATABASES for a libpq URL; a pool size of 0 means a connection each time.

    :raises ImproperlyConfigured: if it is no libpq URL or names no database.
    """
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError as error:
        raise ImproperlyConfigured(f"not a PostgreSQL URL: {error}") from error
    if not parts.get("dbname"):
        raise ImproperlyConfigured("the PostgreSQL URL names no database: postgresql://user@host/NAME")
    database: dict[str, Any] = {"ENGINE": "django.db.backends.postgresql", "CONN_MAX_AGE": 0, "OPTIONS": {}}
    for name, value in parts.items():
        if name in _DJANGO_NAMES:
            database[_DJANGO_NAMES[name]] = str(value)
        else:
            database["OPTIONS"][name] = value
    if pool_size:
        database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10}
    return database


def database_url(**parts: str) -> str:
    """Return a URL of these libpq parts (dbname, user, host, port, password)."""
    return make_conninfo(**parts)
