"""`manage.py judge [FILE …]`: what coups on paper pay, one JSON line out for each line in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.rulebooks import find_rulebook
from tables.rules.judge import Judge

_CHUNK_BYTES: Final = 1 << 20


class Command(BaseCommand):
    help = (
        "Judge coups on paper. Reads JSON Lines from the files named or from standard input, writes one JSON "
        "line for each. Exit status: 0 every line could be read, 1 some could not, 2 wrong usage."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files", nargs="*", metavar="FILE", help="JSON Lines; without one, standard input"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        judge = Judge(find_rulebook)
        names: list[str] = options["files"]
        for name in names:
            if not Path(name).is_file():
                raise CommandError(f"{name}: no such file", returncode=2)
        everything_read = True
        try:
            if not names:
                everything_read = self._judge(judge, sys.stdin.buffer, "standard input")
            for name in names:
                with Path(name).open("rb") as lines:
                    everything_read = self._judge(judge, lines, name) and everything_read
        except BrokenPipeError:
            _stop_writing()
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
        if not everything_read:
            sys.exit(1)

    def _judge(self, judge: Judge, source: BinaryIO, name: str) -> bool:
        """Answer every line of a source as it comes, and say whether all could be read."""
        everything_read = True
        is_empty = True
        output = sys.stdout.buffer
        for lines in _lines_as_they_come(source):
            is_empty = False
            answers = []
            for line in lines:
                answer, was_read = judge.answer(line)
                answers.append(answer)
                everything_read = everything_read and was_read
            output.write(b"\n".join(answers) + b"\n")
            output.flush()
        if is_empty:
            self.stderr.write(f"{name} is empty: no line to judge")
        return everything_read


def _lines_as_they_come(source: BinaryIO) -> Iterator[list[bytes]]:
    """Give the lines of a source in batches, as soon as they are complete; the last may lack its line end."""
    rest = b""
    while chunk := _read_some(source):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _read_some(source: BinaryIO) -> bytes:
    read1 = getattr(source, "read1", source.read)
    return bytes(read1(_CHUNK_BYTES))


def _stop_writing() -> None:
    """End quietly when nobody reads the answers any more, as `head` does."""
    sys.stdout = None  # else Python flushes it once more and complains
    sys.exit(1)
