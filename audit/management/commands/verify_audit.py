"""Check everything that was sealed, and that the rows it speaks of are still those."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit.house import journal_key, witness_key, witness_url
from audit.rules.checkpoint import BadCheckpoint, open_note
from audit.services.verifying import Run

WRONG, USAGE, NOT_ALL = 1, 2, 3
PROGRESS_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Check the journal against its tree, every checkpoint and the witness, and the rows (feed events, "
        "settlements, lines, cards, rulings, texts) against the journal. Exit status: 0 all is as it was "
        "sealed, 1 something is not (each thing is named), 2 wrong usage, 3 nothing wrong was found, but no "
        "witness was asked, or no signature could be checked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seen", metavar="FILE", action="append", default=[], help="a checkpoint kept elsewhere"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        key = journal_key()
        elsewhere = []
        for name in options["seen"]:
            try:
                note = Path(name).read_text()
                if key is None:
                    raise CommandError("the journal's key is not there", returncode=USAGE)
                elsewhere.append(open_note(note, key))
            except (OSError, BadCheckpoint) as error:
                raise CommandError(f"--seen {name}: {error}", returncode=USAGE) from error
        run = Run(key, witness_key(), witness_url(), elsewhere)
        started, self._next = timezone.now(), time.monotonic() + PROGRESS_SECONDS
        for problem in run.find(lambda: self._progress(run)):
            if not options["json"]:
                self.stdout.write(str(problem))
        run.keep(started, timezone.now())
        (self._write_json if options["json"] else self._sum_up)(run)
        if run.count:
            sys.exit(WRONG)
        if run.witness_away or run.not_checked:
            sys.exit(NOT_ALL)

    def _progress(self, run: Run) -> None:
        if time.monotonic() > self._next:
            self._next = time.monotonic() + PROGRESS_SECONDS
            self.stderr.write(f"{run.checked.rows:,} entries compared with their rows so far")

    def _sum_up(self, run: Run) -> None:
        done = run.checked
        self.stdout.write(
            f"{done.entries:,} sealed entries, {done.checkpoints:,} checkpoints, "
            f"{done.cosignatures:,} cosignatures up to entry {done.witnessed:,}: " + self._found(run)
        )
        if run.not_checked:
            self.stdout.write(f"Not checked: {run.not_checked}.")
        if run.witness_away:
            self.stdout.write(f"Not compared with a witness: {run.witness_away}.")

    def _found(self, run: Run) -> str:
        if run.count:
            return f"{run.count:,} problems."
        return "no problem in what could be checked." if run.not_checked else "all is as it was sealed."

    def _write_json(self, run: Run) -> None:
        done = run.checked
        self.stdout.write(
            json.dumps(
                {
                    "agrees": not run.count,
                    "entries": done.entries,
                    "checkpoints": done.checkpoints,
                    "cosignatures": done.cosignatures,
                    "witnessed": done.witnessed,
                    "witness_away": run.witness_away,
                    "not_checked": str(run.not_checked or ""),
                    "problems_count": run.count,
                    "problems": [
                        {"kind": one.kind, "entry": one.entry, "words": one.words} for one in run.problems
                    ],
                },
                ensure_ascii=False,
            )
        )
