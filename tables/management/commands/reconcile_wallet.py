"""Compare our wallet messages with the wallet's own record, and name every difference."""

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tables.models import Reconciliation, WalletDrift
from tables.services.actors import SYSTEM
from tables.services.dead_letters import CannotMend
from tables.services.reconciling import reconcile, request_reconciliation

DRIFT, WRONG_USE = 1, 2
PROGRESS_SECONDS = 2.0
LOOK_AGAIN_SECONDS = 0.2
SAID = {
    "missing_there": "we say delivered, the wallet does not know it",
    "unknown_here": "the wallet booked what Bluecard never wrote",
    "given_up_here": "the wallet booked what was given up here",
    "amount": "the amounts differ",
    "player": "booked for another player",
    "twice": "the wallet booked it more than once",
}


class Command(BaseCommand):
    help = (
        "Read the wallet's whole record and compare it with what Bluecard says was delivered, in both "
        "directions. Exit status: 0 all agrees, 1 drift (each key is named), 2 no comparison could be made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        self._next_progress = time.monotonic() + PROGRESS_SECONDS
        try:
            asked = request_reconciliation(actor=SYSTEM, at=timezone.now())
        except CannotMend as refusal:
            raise CommandError(refusal.message, returncode=WRONG_USE) from refusal
        show = None if options["quiet"] else self._show_progress
        found = reconcile(reconciliation_id=asked.pk, clock=timezone.now, on_progress=show)
        while found is None or found.finished_at is None:
            # A worker heard the bell first. It does the same; here it is waited for.
            time.sleep(LOOK_AGAIN_SECONDS)
            found = Reconciliation.objects.get(pk=asked.pk)
            if show is not None:
                show(found)
        if found.failure:
            raise CommandError(f"not compared: {found.failure}", returncode=WRONG_USE)
        for drift in WalletDrift.objects.filter(reconciliation=found).order_by("kind", "key").iterator():
            self.stdout.write(_line(drift))
        counts = f"{found.ours_count:,} delivered here, {found.read_count:,} booked there"
        if found.drift_count:
            self.stdout.write(f"{counts}: {found.drift_count:,} differences.")
            sys.exit(DRIFT)
        self.stdout.write(f"{counts}: all agrees.")

    def _show_progress(self, found: Reconciliation) -> None:
        if time.monotonic() >= self._next_progress:
            self._next_progress = time.monotonic() + PROGRESS_SECONDS
            self.stderr.write(f"{found.read_count:,} of about {found.ours_count:,} read")


def _line(drift: WalletDrift) -> str:
    sums = [
        f"{side} {minor:+,} {drift.currency}"
        for side, minor in (("ours", drift.ours_minor), ("theirs", drift.theirs_minor))
        if minor is not None
    ]
    return f"{drift.key}: {SAID[drift.kind]} ({', '.join(sums)})"
