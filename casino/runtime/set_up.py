"""Bring the schema up to date as its owner: migrations, the broker's tables, the run-time role's rights.

`python -m casino.runtime.set_up` does the three in one process; each is a management command as well.
"""

import os

STEPS = (("migrate", "--no-input"), ("prepare_broker",), ("grant",))


def set_up(verbosity: int = 1) -> None:
    """Run the owner's three commands in their order."""
    from django.core.management import call_command

    for command, *arguments in STEPS:
        call_command(command, *arguments, verbosity=verbosity)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    os.environ["BLUECARD_AS_OWNER"] = "1"
    import django

    django.setup()
    set_up()
