"""How far the verification under way has come.

Its own connection says so by its name, for as long as its transaction lasts: no row is written for it, and a
run that is killed leaves nothing behind that goes on saying it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from django.db import connection

NAME: Final = "bluecard verifies"
#: One value, or none: what the verification that began first has said, if one runs.
SAID: Final = f"""
SELECT split_part(application_name, ' ', 3) FROM pg_stat_activity
WHERE datname = current_database() AND starts_with(application_name, '{NAME} ') ORDER BY xact_start LIMIT 1
"""


class Progress(NamedTuple):
    """Entries compared with their rows, of how many; of none while the tree is worked out."""

    done: int
    of: int

    @classmethod
    def parse(cls, said: str) -> Progress:
        """Read what `say_progress` said."""
        done, _, of = said.partition("/")
        return cls(int(done), int(of))


def say_progress(done: int, of: int) -> None:
    """Let whoever looks know, until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('application_name', %s, true)", [f"{NAME} {done}/{of}"])
