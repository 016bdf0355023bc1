"""One of the processes that deal several days: `python -m casino.demo TASK`, started by `manage.py demo`.

Writes how far it is as JSON lines on standard output.
"""

import sys

import django
import msgspec


def main(task: str) -> int:
    """Deal what the task says, to its end."""
    django.setup()
    from casino.demo.hands import Task
    from casino.demo.month import Progress, deal
    from casino.demo.play import CannotPlay
    from tables.models import GameTable

    todo = msgspec.json.decode(task, type=Task)
    tables = GameTable.objects.filter(code__in=todo.codes).order_by("code")

    def say(progress: Progress) -> None:
        sys.stdout.buffer.write(msgspec.json.encode(progress) + b"\n")
        sys.stdout.buffer.flush()

    try:
        deal(todo.month, list(tables), say)
    except CannotPlay as reason:
        print(reason, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except (KeyboardInterrupt, BrokenPipeError):  # whoever started us is told to stop, or is gone
        sys.exit(130)
