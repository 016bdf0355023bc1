"""The table itself: open, closed, its limits, its dealer, and gaps of its feed."""

from datetime import datetime

from django.db import transaction

from tables import locks
from tables.models import AcceptedGap, Dealer, GameTable, TableStatus
from tables.models.fields import MAX_STAKE_MINOR
from tables.services.actors import Actor
from tables.services.findings import find, lift_holds
from tables.services.journal import record
from tables.services.play import Play, PlayRefused, is_over

GAP = "feed_gap"


def open_table(play: Play) -> None:
    """Open the table for play."""
    _set_status(play, TableStatus.OPEN)


def close_table(play: Play, *, by_fault: bool, reason: str) -> None:
    """Close the table; when a system failed, the round in play is held."""
    _set_status(play, TableStatus.CLOSED_BY_FAULT if by_fault else TableStatus.CLOSED)
    if by_fault and play.round is not None and not is_over(play.round):
        find(play, "system_failure", may_change_money=True, reason=reason)


def _set_status(play: Play, status: TableStatus) -> None:
    play.table.status = status.value
    play.table.save(update_fields=["status"])


def change_limits(play: Play, *, smallest: int, largest: int, bets: dict[str, tuple[int, int]]) -> None:
    """Set the limits the table shows from now on, in minor units."""
    for name, (low, high) in {"default": (smallest, largest), **bets}.items():
        if not 1 <= low <= high <= MAX_STAKE_MINOR:
            raise PlayRefused(name, "table/limits", f"limits from {low} to {high} are no range")
        if name != "default" and name not in play.rules().kinds:
            raise PlayRefused(f"bets.{name}", "table/limits", f"{name} is no bet of this table's rulebook")
    play.table.min_stake_minor, play.table.max_stake_minor = smallest, largest
    play.table.bet_limits = {kind: list(limits) for kind, limits in bets.items()}
    play.table.save(update_fields=["min_stake_minor", "max_stake_minor", "bet_limits"])


def seat_dealer(play: Play, *, reference: str, name: str) -> None:
    """Give the table to a dealer; a dealer not yet known is entered."""
    dealer, is_new = Dealer.objects.get_or_create(reference=reference, defaults={"name": name})
    if not is_new and dealer.name != name:
        dealer.name = name
        dealer.save(update_fields=["name"])
    play.state.dealer = dealer


def note_gap(play: Play, *, seen_seq: int) -> bool:
    """Note that sequence numbers are missing before `seen_seq`; False when this gap is known already."""
    expected = play.state.next_seq
    if play.state.gap_seen_seq is not None:
        play.state.gap_seen_seq = min(play.state.gap_seen_seq, seen_seq)
        return False
    play.state.gap_seen_seq = seen_seq
    holds = play.round is not None and not is_over(play.round)
    find(play, GAP, may_change_money=holds, expected_seq=expected, seen_seq=seen_seq)
    return True


def close_gap(play: Play) -> None:
    """Forget a gap that late events have filled, and let the round go on."""
    play.state.gap_seen_seq = None
    if play.round is not None:
        lift_holds(play, play.round, frozenset({GAP}), because="the missing events arrived")


@transaction.atomic
def accept_gap(
    *, table: GameTable, reason: str, actor: Actor, at: datetime, first_seq: int | None = None
) -> AcceptedGap:
    """Declare the missing events of a table lost, so that its feed goes on after them.

    The hold that the gap placed on its round stays: what the lost events said is for a ruling. With the
    `first_seq` that was seen missing, no other gap is accepted than that one.

    :raises PlayRefused: if no gap is known, another one than meant, or no reason is given.
    """
    actor.require("tables.accept_gap")
    if not reason.strip():
        raise PlayRefused("reason", "feed/gap", "say why the missing events will not come")
    state = locks.lock_table_state(table.pk)
    if state.gap_seen_seq is None:
        raise PlayRefused("table", "feed/gap", f"the feed of {table.code} has no gap")
    if first_seq is not None and first_seq != state.next_seq:
        raise PlayRefused(
            "table", "feed/gap", f"event {first_seq} came meanwhile; now {state.next_seq} is missing"
        )
    gap = AcceptedGap.objects.create(
        table=table,
        first_seq=state.next_seq,
        last_seq=state.gap_seen_seq - 1,
        reason=reason.strip(),
        accepted_by=actor.label,
        accepted_at=at,
    )
    state.next_seq, state.gap_seen_seq = state.gap_seen_seq, None
    state.save()
    record(
        "feed.gap_accepted",
        subject=table,
        label=table.code,
        actor=actor,
        at=at,
        data={"first_seq": gap.first_seq, "last_seq": gap.last_seq, "reason": gap.reason},
    )
    return gap
