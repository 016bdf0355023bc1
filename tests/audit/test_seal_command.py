"""`manage.py seal` takes all that is pending when it looks; what comes meanwhile waits for its next look."""

from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command

from audit.management.commands import seal as command
from audit.models import Checkpoint, PendingEntry
from audit.rules.checkpoint import Signer
from audit.services.sealing import seal_pending
from tables.models import GameTable, JournalEntry
from tests.audit.sealed import write
from tests.tables.playing import make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> GameTable:
    """A table whose set-up is sealed, in a house that seals three entries at once."""
    call_command("seal", "--make-key", verbosity=0)
    table = make_table()
    call_command("seal", "--once")
    monkeypatch.setattr(command, "BATCH", 3)
    return table


def sealed_by_threes(*, signer: Signer, now: datetime) -> Checkpoint | None:
    return seal_pending(signer=signer, now=now, limit=3)


def test_all_that_is_pending_is_sealed_however_much(
    table: GameTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = JournalEntry.objects.count()
    write(7, table)
    monkeypatch.setattr(command, "seal_pending", sealed_by_threes)
    call_command("seal", "--once")
    assert not PendingEntry.objects.exists()
    sizes = list(Checkpoint.objects.order_by("size").values_list("size", flat=True))
    assert sizes[-3:] == [before + 3, before + 6, before + 7]


def test_what_comes_while_a_few_are_sealed_waits_for_the_next_look(
    table: GameTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(2, table)

    def sealed_while_writers_go_on(**options: Any) -> Checkpoint | None:
        sealed = sealed_by_threes(**options)
        if JournalEntry.objects.count() < 20:
            write(1, table)
        return sealed

    monkeypatch.setattr(command, "seal_pending", sealed_while_writers_go_on)
    call_command("seal", "--once")
    assert PendingEntry.objects.count() == 1
