"""A journal with its sealer and a witness, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from audit.models import Checkpoint, WitnessState
from audit.rules.checkpoint import LOG_KEY, WITNESS_KEY, Signer
from audit.services.sealing import seal_pending
from audit.services.verifying import Run
from audit.services.witnessing import show_witness
from audit.witness import Witness, WitnessServer
from tables.models import GameTable, JournalEntry
from tables.services.actors import SYSTEM
from tables.services.journal import record
from tests.tables.playing import NOON

LOG = Signer("bluecard.test/journal", LOG_KEY, bytes(range(32)))
OTHER_LOG = Signer("bluecard.test/journal", LOG_KEY, bytes(range(32, 64)))
WITNESS = Signer("witness.test/w1", WITNESS_KEY, bytes(range(64, 96)))
SEEN_AT = 1_795_928_400


def write(count: int, table: GameTable, **data: Any) -> list[JournalEntry]:
    """Write entries about a table, a second after each other."""
    return [
        record(
            "table.noted",
            subject=table,
            label=table.code,
            actor=SYSTEM,
            at=NOON + timedelta(seconds=number),
            data={"number": number, **data},
        )
        for number in range(count)
    ]


def seal(**options: Any) -> Checkpoint | None:
    return seal_pending(signer=options.pop("signer", LOG), now=NOON, **options)


class WitnessHouse:
    """A witness at work, in a thread of the test."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.witness = Witness(
            signer=WITNESS, store=store, log_key=lambda: LOG.verifier, clock=lambda: SEEN_AT
        )
        self.server = WitnessServer(("127.0.0.1", 0), self.witness)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def show(self) -> WitnessState | None:
        return show_witness(url=self.url, key=WITNESS.verifier, now=NOON)


@contextmanager
def witness_house(store: Path) -> Iterator[WitnessHouse]:
    """Run a witness on a free port for as long as the block lasts."""
    house = WitnessHouse(store)
    thread = threading.Thread(target=house.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield house
    finally:
        house.server.shutdown()
        thread.join()
        house.server.server_close()


def found(house: WitnessHouse, key: object = LOG.verifier) -> list[tuple[str, int | None]]:
    """Check everything, with this witness, and return the kind of each problem and its entry."""
    run = Run(key, WITNESS.verifier, house.url)
    kinds = [(problem.kind, problem.entry) for problem in run.find()]
    assert run.witness_away == ""
    return kinds
