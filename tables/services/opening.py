"""A table opened or closed by a person, where its feed does not say it; why stands in the journal.

The feed did not say it, so the feed has to hear it: who tells tables registers here, this app names none.
"""

from collections.abc import Callable
from datetime import datetime

from tables.models import GameTable, TableStatus
from tables.services import floor
from tables.services.actors import Actor
from tables.services.journal import record
from tables.services.play import Play, PlayRefused, live_play
from tables.services.setup import BadSetup

PERMISSION = "tables.open_table"
LONGEST_REASON = 300
#: Called in the transaction, with a table whose state is the new one.
Teller = Callable[[GameTable, datetime], object]

_tellers: list[Teller] = []


def add_teller(teller: Teller) -> None:
    """Call this function, from now on, whenever a person opened or closed a table."""
    if teller not in _tellers:
        _tellers.append(teller)


def open_by_hand(*, table: GameTable, reason: str, actor: Actor, at: datetime) -> GameTable:
    """Open a table for play.

    :raises BadSetup: if no reason is given.
    :raises PlayRefused: if it is open.
    """
    actor.require(PERMISSION)
    said = _read_reason(reason)
    with live_play(table, actor=actor, received_at=at) as play:
        before = _require_other(play, TableStatus.OPEN)
        floor.open_table(play)
        _record(play, "table.opened", before, said)
    return play.table


def close_by_hand(
    *, table: GameTable, reason: str, actor: Actor, at: datetime, by_fault: bool = False
) -> GameTable:
    """Close a table: no further round begins.

    The round in play is played out, unless a system failed: then it is held until it is decided.

    :raises BadSetup: if no reason is given.
    :raises PlayRefused: if it is closed in that way already.
    """
    actor.require(PERMISSION)
    said = _read_reason(reason)
    with live_play(table, actor=actor, received_at=at) as play:
        before = _require_other(play, TableStatus.CLOSED_BY_FAULT if by_fault else TableStatus.CLOSED)
        floor.close_table(play, by_fault=by_fault, reason=said)
        _record(play, "table.closed", before, said)
    return play.table


def _read_reason(reason: str) -> str:
    said = reason.strip()
    if not 1 <= len(said) <= LONGEST_REASON:
        raise BadSetup("reason", "table/reason", f"say why, in at most {LONGEST_REASON} characters")
    return said


def _require_other(play: Play, wanted: TableStatus) -> str:
    """Return the state a table is in, which must not be the one that is wanted."""
    before = play.table.status
    if before == wanted:
        raise PlayRefused("table", "table/status", f"{play.table.code} is {before} already")
    return before


def _record(play: Play, action: str, before: str, reason: str) -> None:
    table = play.table
    data = {"before": before, "status": table.status, "reason": reason}
    record(action, subject=table, label=table.code, actor=play.actor, at=play.received_at, data=data)
    for tell in _tellers:
        tell(table, play.received_at)
