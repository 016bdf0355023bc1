#!/usr/bin/env python
"""Django's command line for Bluecard."""

import os
import sys

#: What changes the schema runs as its owner; everything else runs as the restricted run-time role.
OWNER_COMMANDS = frozenset(
    {"migrate", "prepare_broker", "grant", "makemigrations", "sqlmigrate", "squashmigrations"}
)


def main(arguments: list[str]) -> None:
    """Run one management command, as the schema's owner only where the command changes the schema."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    if len(arguments) > 1 and arguments[1] in OWNER_COMMANDS:
        os.environ["BLUECARD_AS_OWNER"] = "1"
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(arguments)
    except ImproperlyConfigured as error:
        sys.exit(f"bluecard: {error}")
    except OperationalError as error:
        if not str(error).startswith("connection"):
            raise
        sys.exit(
            f"bluecard: PostgreSQL does not answer: {error}\n"
            "`make run` starts it, and so does `.venv/bin/python -m casino.runtime.postgres start`."
        )


if __name__ == "__main__":
    main(sys.argv)
