"""Holds of rounds, placed and lifted from outside the feed: by whoever looks into what happened."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from tables import locks
from tables.models import Bell, Finding, Hold, RoundStatus, TableState
from tables.services import outbox
from tables.services.play import is_over

UNFINISHED = "round_without_result"


@transaction.atomic
def place_hold(*, round_id: int, reason: str, at: datetime, authority: UUID | None = None) -> Hold:
    """Keep a round from being settled; one that is settled already is disputed."""
    locks.lock_round(round_id)
    return Hold.objects.create(round_id=round_id, reason=reason, authority=authority, placed_at=at)


@transaction.atomic
def lift_holds(*, round_id: int, by: str, at: datetime, hold_ids: list[int] | None = None) -> int:
    """Lift a round's open holds, or those named; settle it if it waited for nothing else. Return how many."""
    round_ = locks.lock_round(round_id)
    holds = Hold.objects.filter(round=round_, lifted_at__isnull=True)
    if hold_ids is not None:
        holds = holds.filter(pk__in=hold_ids)
    lifted = holds.update(lifted_at=at, lifted_by=by)
    if round_.status == RoundStatus.RESULTED:
        outbox.promise(Bell.SETTLE, [round_.pk], at=at)
    return lifted


def hold_unfinished(state: TableState, *, because: str, at: datetime) -> Finding | None:
    """Find and hold the round in play of a locked table, which nothing that comes will end any more.

    None where no round is in play, or it was found before.
    """
    round_ = state.round
    if round_ is None or is_over(round_):
        return None
    if Hold.objects.filter(round=round_, reason=UNFINISHED, lifted_at__isnull=True).exists():
        return None
    finding = Finding.objects.create(
        table_id=state.table_id,
        shoe_id=round_.shoe_id,
        round=round_,
        code=UNFINISHED,
        may_change_money=True,
        data={"because": because},
        at=at,
        found_at=at,
    )
    Hold.objects.create(round=round_, finding=finding, reason=UNFINISHED, placed_at=at)
    return finding
