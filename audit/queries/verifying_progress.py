"""How far the verification under way has come.

Its own connection says so by its name, for as long as its transaction lasts: no row is written for it, and a
run that is killed leaves nothing behind that goes on saying it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from django.db import connection

NAME: Final = "bluecard verifies"
_SAID: Final = """
SELECT split_part(application_name, ' ', 3) FROM pg_stat_activity
WHERE datname = current_database() AND starts_with(application_name, %s) ORDER BY xact_start LIMIT 1
"""


class Progress(NamedTuple):
    """Entries compared with their rows, of how many; of none while the tree is worked out."""

    done: int
    of: int


def say_progress(done: int, of: int) -> None:
    """Let whoever looks know, until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('application_name', %s, true)", [f"{NAME} {done}/{of}"])


def verification_under_way() -> Progress | None:
    """Read how far the verification has come that began first, if one runs."""
    with connection.cursor() as cursor:
        cursor.execute(_SAID, [f"{NAME} "])
        found = cursor.fetchone()
    if found is None:
        return None
    done, _, of = found[0].partition("/")
    return Progress(int(done), int(of))
