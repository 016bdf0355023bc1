"""Write sealed entries into a file that `verify.py` checks where the product is not installed."""

from argparse import ArgumentTypeError
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.house import journal_key
from audit.queries.exporting import as_text, export_lines, leaves_of_period
from audit.queries.tree import NotSealed
from audit.queries.verifying import snapshot
from audit.rules.checkpoint import BadCheckpoint, Checkpoint

USAGE = 2


class Command(BaseCommand):
    help = (
        "Write the sealed entries of a period (UTC days, both included; without days all of them), each with "
        "its proof, as JSON lines. `verify.py` checks the file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="where to write; - is standard output")
        parser.add_argument("--from", dest="first_day", type=_day, metavar="DATE", help="first day, UTC")
        parser.add_argument("--to", dest="last_day", type=_day, metavar="DATE", help="last day, UTC")
        parser.add_argument(
            "--seen",
            metavar="FILE|SIZE",
            action="append",
            default=[],
            help="a checkpoint kept elsewhere: its growth into this one is put into the file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        key = journal_key()
        if key is None:
            raise CommandError("the journal has no key yet: the sealer makes it", returncode=USAGE)
        last_at = options["last_day"] and options["last_day"] + timedelta(days=1, microseconds=-1)
        sizes = [_size(text) for text in options["seen"]]
        try:
            with snapshot():
                first, last = leaves_of_period(options["first_day"], last_at)
                lines = export_lines(first=first, last=last, key=key, seen_sizes=sizes)
                if options["file"] == "-":
                    count = _write(lines, self.stdout)
                else:
                    with Path(options["file"]).open("w", encoding="utf-8") as out:
                        count = _write(lines, out)
        except (NotSealed, OSError) as problem:
            raise CommandError(str(problem), returncode=USAGE) from problem
        self.stderr.write(f"{count:,} entries, leaf {first} to {last}")


def _write(lines: Iterable[dict[str, Any]], out: Any) -> int:
    """Write all lines; return how many entries they are."""
    count = -1  # the head is none
    for line in lines:
        out.write(as_text(line))
        count += 1
    return count


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no date; write it as 2026-11-29") from error


def _size(text: str) -> int:
    if text.isdecimal():
        return int(text)
    try:
        return Checkpoint.parse(Path(text).read_text()).size
    except (OSError, BadCheckpoint) as problem:
        raise CommandError(f"--seen {text}: {problem}", returncode=USAGE) from problem
