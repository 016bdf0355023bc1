"""The sealer: takes what is pending, signs, and shows it to the witness, for as long as it runs."""

import signal
import time
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from audit.house import journal_signer, witness_key, witness_url
from audit.keys import NoKey
from audit.models import WitnessState
from audit.rules.checkpoint import BadCheckpoint, Signer
from audit.services.sealing import BATCH, seal_pending
from audit.services.witnessing import show_witness

#: Between two looks: a checkpoint is less than a second old while there is work.
PAUSE_SECONDS = 0.7
#: After the database was gone, or the witness refused.
LONG_PAUSE_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Seal the journal: give pending entries their place in the tree, sign a checkpoint, show it to the "
        "witness; go on until told to stop. Several may run, one seals and the others stand by."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="seal what is pending now and end")
        parser.add_argument("--make-key", action="store_true", help="make the journal's key and end")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            signer = journal_signer(may_make=True if options["make_key"] else None)
        except (NoKey, BadCheckpoint) as problem:
            raise CommandError(str(problem)) from problem
        if options["make_key"]:
            self.stdout.write(str(signer.verifier))
            return
        self._said, self._size = "", 0
        if options["once"]:
            self._seal(signer)
            return
        stopping = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopping.set())
        while not stopping.wait(self._step(signer)):
            pass

    def _step(self, signer: Signer) -> float:
        """Do what there is to do, and return after how long to look again."""
        began = time.monotonic()
        try:
            close_old_connections()
            self._seal(signer)
        except DatabaseError as error:
            self._say(f"the database is away: {str(error).splitlines()[0]}")
            connection.close()
            return LONG_PAUSE_SECONDS
        return max(PAUSE_SECONDS - (time.monotonic() - began), 0.05)

    def _seal(self, signer: Signer) -> None:
        """Seal what is pending now; what comes meanwhile waits for the next look, or writers would wait."""
        is_behind = True
        while is_behind and (sealed := seal_pending(signer=signer, now=timezone.now())) is not None:
            is_behind, self._size = sealed.size - self._size >= BATCH, sealed.size
            self._witness()
        self._witness()

    def _witness(self) -> None:
        key, url = witness_key(), witness_url()
        if key is None or not url:
            self._say("no witness is known; checkpoints have the journal's own signature only")
            return
        known: WitnessState | None = show_witness(url=url, key=key, now=timezone.now())
        if known is not None:
            self._say(known.problem)

    def _say(self, problem: str) -> None:
        """Say a problem once, and when it is over."""
        if problem != self._said:
            self.stderr.write(problem or "the witness signs again")
            self._said = problem
