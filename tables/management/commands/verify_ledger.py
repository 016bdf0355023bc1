"""Recompute what every round paid from its cards, rulebook and bets, and name what does not agree."""

import json
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tables.models import GameTable
from tables.queries.ledger import Counts, Disagreement, verify_ledger

DISAGREES, WRONG_USE = 1, 2
PROGRESS_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Recompute the newest revision of every round from its cards, its rulebook's version and its bets, "
        "independently of the statement that settled it; check that stakes = returned + kept and that the "
        "wallet is told what the lines moved. Exit status: 0 all agrees, 1 something does not (each thing is "
        "named), 2 wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--table", metavar="CODE", help="the rounds of one table only")
        parser.add_argument("--from", dest="first_day", type=_day, metavar="DATE", help="first gaming date")
        parser.add_argument("--to", dest="last_day", type=_day, metavar="DATE", help="last gaming date")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        code, first_day, last_day = options["table"], options["first_day"], options["last_day"]
        if code is not None and not GameTable.objects.filter(code=code).exists():
            raise CommandError(f"--table: no table has the code {code!r}", returncode=WRONG_USE)
        if first_day and last_day and last_day < first_day:
            raise CommandError(f"--to: {last_day} is before {first_day}", returncode=WRONG_USE)
        self._next_progress = time.monotonic() + PROGRESS_SECONDS
        counts = Counts()
        found = verify_ledger(
            table_code=code,
            first_day=first_day,
            last_day=last_day,
            counts=counts,
            on_batch=lambda: self._show_progress(counts),
        )
        if options["json"]:
            self._write_json(found, counts)
        else:
            for disagreement in found:
                self.stdout.write(str(disagreement))
            self._sum_up(counts)
        if counts.disagreements:
            sys.exit(DISAGREES)

    def _show_progress(self, counts: Counts) -> None:
        if time.monotonic() < self._next_progress:
            return
        self._next_progress = time.monotonic() + PROGRESS_SECONDS
        self.stderr.write(
            f"{counts.rounds:,} rounds, {counts.bets:,} bets, {counts.disagreements:,} disagreements so far"
        )

    def _write_json(self, found: Iterator[Disagreement], counts: Counts) -> None:
        """Write one object piece by piece: however much disagrees, it need not fit into memory."""
        self.stdout.write('{"disagreements": [', ending="")
        for place, disagreement in enumerate(found):
            self.stdout.write(",\n" if place else "\n", ending="")
            self.stdout.write(json.dumps(asdict(disagreement), ensure_ascii=False), ending="")
        rest = {"agrees": not counts.disagreements, "checked": asdict(counts)}
        self.stdout.write(f"], {json.dumps(rest)[1:]}")

    def _sum_up(self, counts: Counts) -> None:
        for currency, stakes in sorted(counts.stakes_minor.items()):
            returned = counts.returned_minor[currency]
            kept = stakes - returned
            self.stdout.write(
                f"{currency}, in minor units: stakes {stakes:,} = returned {returned:,} + kept {kept:,}"
            )
        checked = f"{counts.rounds:,} rounds, {counts.bets:,} bets"
        waiting = f"; {counts.not_settled:,} rounds are not settled yet" if counts.not_settled else ""
        if counts.disagreements:
            self.stdout.write(f"{checked}: {counts.disagreements:,} disagreements{waiting}.")
        else:
            self.stdout.write(f"{checked}: all agrees{waiting}.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no date; write it as 2026-11-29") from error
