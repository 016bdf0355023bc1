#!/usr/bin/env python
"""Django's command line for Bluecard."""

import os
import sys

#: What changes the schema runs as its owner; everything else runs as the restricted run-time role.
OWNER_COMMANDS = frozenset(
    {"migrate", "prepare_broker", "grant", "makemigrations", "sqlmigrate", "squashmigrations"}
)

#: What is worked out on paper needs neither settings nor apps nor a database, and starts four times as fast.
PAPER_COMMANDS = frozenset({"judge", "odds"})


def main(arguments: list[str]) -> None:
    """Run one management command, as the schema's owner only where the command changes the schema."""
    if len(arguments) > 1 and arguments[1] in PAPER_COMMANDS:
        run_on_paper(arguments)
        return
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


def run_on_paper(arguments: list[str]) -> None:
    """Run a command of `tables` that uses nothing but the pure rules."""
    from django.conf import settings
    from django.core.management import load_command_class

    settings.configure()
    load_command_class("tables", arguments[1]).run_from_argv(arguments)


if __name__ == "__main__":
    main(sys.argv)
