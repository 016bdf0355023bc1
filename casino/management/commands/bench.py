"""`manage.py bench FIGURE|all [--json] [--rows N]`: figures beside their baselines."""

import json
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.bench.database import CannotBench, bench_database
from casino.bench.figure import RUNS, Figure, Say, Size, as_text, figure_from_json
from casino.bench.paper import bench_judge, bench_odds
from casino.runtime.places import ROOT

#: What each figure is taken at, unless --rows says otherwise.
USUAL_ROWS = {
    "settle": 100_000,
    "resettle": 100_000,
    "bulk": 500,
    "ingest": 100_000,
    "judge": 5_000,
    "odds": 1,
    "lookup": 10_000_000,
    "seal": 1_000_000,
}
ON_PAPER: dict[str, Callable[[Size, Say], Iterator[Figure]]] = {
    "judge": bench_judge,
    "odds": bench_odds,
}


class Command(BaseCommand):
    help = (
        "Measure, each figure beside a baseline taken in the same run: the median of five alternating runs. "
        "Works in a database of its own, which is dropped afterwards. Exit status: 0 measured (whether the "
        "targets are met is part of the answer), 1 something went wrong, 2 wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("figure", choices=[*USUAL_ROWS, "all"])
        parser.add_argument("--json", action="store_true", help="one JSON array of figures")
        parser.add_argument(
            "--rows",
            type=int,
            metavar="N",
            help="bets to settle or ingest, rounds to void or look among, lines to judge, entries to check; "
            "in place of " + ", ".join(f"{rows:,} ({name})" for name, rows in USUAL_ROWS.items() if rows > 1),
        )

        parser.add_argument(
            "--runs", type=int, default=RUNS, metavar="N", help=f"runs of each subject ({RUNS})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rows: int | None = options["rows"]
        if rows is not None and rows < 10:
            raise CommandError(f"--rows: at least 10, not {rows}", returncode=2)
        if options["runs"] < 1:
            raise CommandError(f"--runs: at least 1, not {options['runs']}", returncode=2)
        names = list(USUAL_ROWS) if options["figure"] == "all" else [options["figure"]]
        found: list[Figure] = []
        try:
            with _ending_orderly():
                for name in names:
                    for figure in self._take(name, Size(rows or USUAL_ROWS[name], options["runs"])):
                        found.append(figure)
                        if not options["json"]:
                            self.stdout.write("\n".join(as_text(figure)) + "\n")
        except CannotBench as reason:
            raise CommandError(str(reason)) from reason
        except subprocess.CalledProcessError as failure:
            raise CommandError("the measuring process failed; its last lines say why") from failure
        if options["json"]:
            self.stdout.write(json.dumps([figure.as_json() for figure in found], indent=1))

    def _take(self, name: str, size: Size) -> Iterator[Figure]:
        if name in ON_PAPER:
            yield from ON_PAPER[name](size, lambda words: self.stderr.write(f"{name}: {words}"))
            return
        with bench_database() as environment:
            yield from _measured(name, size, environment)


@contextmanager
def _ending_orderly() -> Iterator[None]:
    """Let SIGTERM end the bench as an exception does, so that its database is dropped."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _measured(name: str, size: Size, environment: dict[str, str]) -> Iterator[Figure]:
    """Let a process of its own measure in the bench's database, and give its figures as they come.

    :raises subprocess.CalledProcessError: if it fails.
    """
    command = [sys.executable, "-m", "casino.bench", name, str(size.rows), str(size.runs)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield figure_from_json(json.loads(line))
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
