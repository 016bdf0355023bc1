"""A person opens and closes a table, says why, and finds it in the journal."""

import json
from collections.abc import Callable
from unittest.mock import ANY

import pytest

from tables.models import Finding, GameTable, Hold, JournalEntry, JournalText, Round, RoundStatus
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.opening import close_by_hand, open_by_hand
from tables.services.play import PlayRefused
from tables.services.setup import BadSetup
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

NOI = Actor("user", "3", "Noi", frozenset({"tables.open_table"}))


def journal() -> list[tuple[str, dict]]:
    rows = JournalEntry.objects.filter(action__in=("table.opened", "table.closed")).order_by("pk")
    return [(row.action, json.loads(bytes(row.body))["data"]) for row in rows]


def test_a_table_is_opened_and_closed_with_a_reason() -> None:
    table = make_table()
    assert open_by_hand(table=table, reason=" day begins ", actor=NOI, at=NOON).status == "open"
    assert close_by_hand(table=table, reason="lamp broke", actor=NOI, at=NOON).status == "closed"
    said = {"reason": ANY}  # of a free text the entry holds a commitment
    assert journal() == [
        ("table.opened", {"before": "closed", "status": "open", **said}),
        ("table.closed", {"before": "open", "status": "closed", **said}),
    ]
    texts = JournalText.objects.filter(name="reason").order_by("entry_id").values_list("text", flat=True)
    assert list(texts) == ["day begins", "lamp broke"]
    assert GameTable.objects.get().status == "closed"


def test_the_round_in_play_is_played_out_and_no_other_begins() -> None:
    platform = Platform(make_table())
    platform.start()
    name = platform.open_round()
    close_by_hand(table=platform.table, reason="shift ends", actor=NOI, at=NOON)
    assert platform.say("betting_closed", round=name).status == "accepted"
    assert not Hold.objects.exists()
    answer = platform.say("betting_opened", round="R-next", number=2)
    assert answer.error == "table: B01 is closed; open it first (table/open)"
    assert Round.objects.get().status == RoundStatus.DEALING


def test_a_fault_holds_the_round_in_play() -> None:
    platform = Platform(make_table())
    platform.start()
    platform.open_round()
    closed = close_by_hand(table=platform.table, reason="camera dark", by_fault=True, actor=NOI, at=NOON)
    assert closed.status == "closed_by_fault"
    assert Hold.objects.get().reason == "system_failure"
    assert Finding.objects.get(code="system_failure").data == {"reason": "camera dark"}


@pytest.mark.parametrize("act", [open_by_hand, close_by_hand])
def test_who_may_not_does_nothing(act: Callable[..., GameTable]) -> None:
    table = make_table()
    with pytest.raises(NotAllowed, match=r"tables\.open_table"):
        act(table=table, reason="why not", actor=Actor("user", "4", "Pim"), at=NOON)
    assert journal() == []


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301])
@pytest.mark.parametrize("act", [open_by_hand, close_by_hand])
def test_without_a_reason_nothing_is_done(act: Callable[..., GameTable], reason: str) -> None:
    with pytest.raises(BadSetup, match=r"reason: say why, in at most 300 characters \(table/reason\)"):
        act(table=make_table(), reason=reason, actor=SYSTEM, at=NOON)
    assert journal() == []


def test_a_table_is_not_closed_twice() -> None:
    table = make_table()
    with pytest.raises(PlayRefused, match=r"table: B01 is closed already \(table/status\)"):
        close_by_hand(table=table, reason="again", actor=NOI, at=NOON)
    assert journal() == []
