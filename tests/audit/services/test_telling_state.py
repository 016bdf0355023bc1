"""A table hears that a person opened or closed it, in the transaction in which that was done."""

from collections.abc import Callable
from typing import Any

import pytest

from audit.models import TableDecision
from audit.services.telling import tell_state
from tables.models import GameTable, JournalEntry
from tables.services import opening
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.opening import close_by_hand, open_by_hand
from tables.services.play import PlayRefused
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db


def told() -> list[tuple[str, dict[str, Any]]]:
    return [(decision.kind, decision.data) for decision in TableDecision.objects.order_by("pk")]


def test_it_hears_each_opening_and_closing() -> None:
    table = make_table()
    open_by_hand(table=table, reason="day begins", actor=SYSTEM, at=NOON)
    close_by_hand(table=table, reason="lamp broke", actor=SYSTEM, at=NOON)
    close_by_hand(table=table, reason="camera dark", by_fault=True, actor=SYSTEM, at=NOON)
    open_by_hand(table=table, reason="all is well", actor=SYSTEM, at=NOON)
    # Why is free text, which an append-only row may not hold.
    assert told() == [
        ("table_opened", {"status": "open"}),
        ("table_closed", {"status": "closed"}),
        ("table_closed", {"status": "closed_by_fault"}),
        ("table_opened", {"status": "open"}),
    ]
    first = TableDecision.objects.order_by("pk")[0]
    assert (first.table_id, first.round_id, first.ruling_id) == (table.pk, None, None)
    assert (first.created_at, first.due_at, first.acknowledged_at) == (NOON, NOON, None)


def test_what_its_own_feed_says_it_need_not_hear() -> None:
    platform = Platform(make_table())
    platform.start()
    assert platform.say("table_closed").status == "accepted"
    assert GameTable.objects.get().status == "closed"
    assert told() == []


@pytest.mark.parametrize(("actor", "wrong"), [(Actor("user", "4", "Pim"), NotAllowed), (SYSTEM, PlayRefused)])
def test_what_is_refused_is_not_told(actor: Actor, wrong: type[Exception]) -> None:
    table = make_table()
    with pytest.raises(wrong):
        close_by_hand(table=table, reason="closed already", actor=actor, at=NOON)
    assert told() == []


def test_where_it_cannot_be_told_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table()

    def fail(*_: Any) -> None:
        raise RuntimeError("no list to put it on")

    tellers: list[Callable[..., object]] = [tell_state, fail]
    monkeypatch.setattr(opening, "_tellers", tellers)
    with pytest.raises(RuntimeError, match="no list to put it on"):
        open_by_hand(table=table, reason="day begins", actor=SYSTEM, at=NOON)
    assert told() == []
    assert GameTable.objects.get().status == "closed"
    assert not JournalEntry.objects.filter(action="table.opened").exists()
