"""Holds of rounds, placed and lifted from outside the feed: by whoever looks into what happened."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from tables import locks
from tables.models import Bell, Hold, RoundStatus
from tables.services import outbox


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
