#!/usr/bin/env python
"""Django's command line for Bluecard."""

import os
import sys

#: What changes the schema runs as its owner; everything else runs as the restricted run-time role.
OWNER_COMMANDS = frozenset({"migrate", "grant", "makemigrations", "sqlmigrate", "squashmigrations"})


def main(arguments: list[str]) -> None:
    """Run one management command, as the schema's owner only where the command changes the schema."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    if len(arguments) > 1 and arguments[1] in OWNER_COMMANDS:
        os.environ["BLUECARD_AS_OWNER"] = "1"
    from django.core.management import execute_from_command_line

    execute_from_command_line(arguments)


if __name__ == "__main__":
    main(sys.argv)
