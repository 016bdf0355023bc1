"""Carrying out an approved ruling: all its rounds claimed at once, then each in a transaction of its own.

Whatever dies in between, the promise stays and the next worker goes on with the rounds that wait. Several
workers may share one ruling; a round is done once.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from audit import locks
from audit.models import (
    DecisionKind,
    Incident,
    IncidentStatus,
    Ruling,
    RulingKind,
    RulingRound,
    RulingRoundStatus,
    RulingStatus,
)
from audit.queries.approvals import rounds_overtaken
from audit.queries.previews import preview_round
from audit.queries.rulings_in_force import VOIDS_ROUND, is_overtaken, is_shoe_gone, plan_in_force
from audit.services.effects import correct_cards, deal_again, end_shoe_and_table, revive_deal
from audit.services.incidents import close_incident
from audit.services.rulings import CannotDecide, free_rounds_after, require_ruling_transition
from audit.services.telling import happening_of, tell_table, write_early_notices, write_notices
from tables import locks as table_locks
from tables.models import Bell, IllegalTransition, Round, RoundStatus, Settlement, TransactionKind
from tables.queries.revisions import Plan
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.holds import lift_holds
from tables.services.journal import record
from tables.services.settlement import settle_status, write_next_revision

logger = logging.getLogger(__name__)

WALLET_KINDS = {
    RulingKind.VOID_ROUND: TransactionKind.CANCEL,
    RulingKind.VOID_RANGE: TransactionKind.CANCEL,
    RulingKind.VOID_SHOE: TransactionKind.CANCEL,
    RulingKind.RE_DEAL: TransactionKind.ROLLBACK,
}
TOLD = {
    RulingKind.STAND: DecisionKind.STAND,
    RulingKind.VOID_ROUND: DecisionKind.VOID,
    RulingKind.VOID_RANGE: DecisionKind.VOID,
    RulingKind.VOID_SHOE: DecisionKind.VOID,
    RulingKind.VOID_KINDS: DecisionKind.VOID_KINDS,
    RulingKind.RE_DEAL: DecisionKind.RE_DEAL,
    RulingKind.CORRECT: DecisionKind.CORRECTED,
    RulingKind.REINSTATE: DecisionKind.RESUME,
}
STOPPABLE = (RulingStatus.APPROVED, RulingStatus.APPLYING, RulingStatus.STOPPED)


#: What may go wrong with one round alone. Anything else ends the task, and the sweeper rings again.
FAILURES = (DatabaseError, ObjectDoesNotExist, IllegalTransition, ValueError, LookupError)
MOST_TRIES = 5


class Stale(Exception):
    """A round is not any more what the approver saw."""


class RoundFailed(Exception):
    """A round could not be carried out, and nothing of it was; its cause says why."""

    def __init__(self, row_id: int) -> None:
        super().__init__(f"round {row_id} of a ruling failed")
        self.row_id = row_id


def claim_ruling(*, ruling_id: int, now: datetime) -> bool:
    """Claim all rounds of an approved ruling in one transaction; False when there is nothing to carry out.

    If one round changed since the approval, or the approver lost the right to decide, the whole ruling ends.
    """
    with transaction.atomic():
        ruling = locks.lock_ruling(ruling_id)
        if ruling.status == RulingStatus.APPLYING:
            return True
        if ruling.status == RulingStatus.STOPPED and not ruling.wants_stop:
            return _start(ruling, now)
        if ruling.status != RulingStatus.APPROVED:
            outbox.fulfil(Bell.RULING, ruling_id)
            return False
        if ruling.decided_by is None or not ruling.decided_by.has_perm("audit.approve_ruling"):
            _end(ruling, RulingStatus.REFUSED, now, "who approved it may not decide any more")
            return False
        table_locks.lock_rounds(ruling.rounds.values_list("round_id", flat=True))
        if is_shoe_gone(ruling):
            _end(ruling, RulingStatus.STALE, now, "the shoe left the table since")
            return False
        overtaken = rounds_overtaken(ruling).select_related("round").order_by("pk").first()
        if overtaken is not None:
            _end(ruling, RulingStatus.STALE, now, f"{overtaken.round.public_id} was settled since")
            return False
        return _start(ruling, now)


def _start(ruling: Ruling, now: datetime) -> bool:
    require_ruling_transition(ruling, RulingStatus.APPLYING)
    ruling.status = RulingStatus.APPLYING.value
    ruling.started_at, ruling.going_since = ruling.started_at or now, now
    ruling.save(update_fields=["status", "started_at", "going_since"])
    return True


def apply_next_round(*, ruling_id: int, now: datetime, without: Collection[int] = ()) -> bool:
    """Carry out one waiting round of a claimed ruling; False when none is left or it is to stop.

    Those that failed before come last, and after their last try not at all; nor do those rows of the ruling
    that it is to be done `without`.

    :raises RoundFailed: if it could not be done; the others are not touched.
    """
    row = None
    try:
        with transaction.atomic():
            ruling = Ruling.objects.select_related("table", "reinstates").get(pk=ruling_id)
            if ruling.status != RulingStatus.APPLYING or ruling.wants_stop:
                return False
            waiting = _waiting(ruling).filter(failures__lt=MOST_TRIES).exclude(pk__in=without)
            free = waiting.select_for_update(skip_locked=True, of=("self",), no_key=True)
            row = free.order_by("failures", "pk").first()
            if row is None:
                return False
            _apply_round(ruling, row, now)
            return True
    except Stale as stale:
        with transaction.atomic():
            ruling = locks.lock_ruling(ruling_id)
            if ruling.status == RulingStatus.APPLYING:
                _end(ruling, RulingStatus.STALE, now, str(stale))
        return False
    except FAILURES as error:
        if row is None:
            raise
        raise RoundFailed(row.pk) from error


def carry_on(*, ruling_id: int, clock: Callable[[], datetime]) -> None:
    """Carry out what waits of a claimed ruling, round by round, and end it when nothing is left.

    A round that fails lets the others go on, and is tried again when the bell rings next. When nothing is
    left but rounds that failed too often, the ruling stops and waits for a person.
    """
    failed: set[int] = set()
    while True:
        try:
            if not apply_next_round(ruling_id=ruling_id, now=clock(), without=failed):
                break
        except RoundFailed as failure:
            note_failure(failure)
            failed.add(failure.row_id)
    finish_ruling(ruling_id=ruling_id, now=clock())


def note_failure(failed: RoundFailed) -> None:
    """Write down that a round failed, and why."""
    said = str(failed.__cause__).strip().splitlines() or [type(failed.__cause__).__name__]
    with transaction.atomic():
        row = RulingRound.objects.select_for_update(no_key=True).get(pk=failed.row_id)
        row.failures, row.last_error = row.failures + 1, said[0][:300]
        row.save(update_fields=["failures", "last_error"])
    logger.error("round %s under ruling %s failed: %s", row.round_id, row.ruling_id, row.last_error)


def _waiting(ruling: Ruling) -> QuerySet[RulingRound]:
    return RulingRound.objects.filter(ruling=ruling, status=RulingRoundStatus.WAITING.value)


def _apply_round(ruling: Ruling, row: RulingRound, now: datetime) -> None:
    kind = RulingKind(ruling.kind)
    in_play = Round.objects.filter(
        pk=row.round_id, status__in=["betting", "dealing", "insurance", "resulted"]
    )
    if in_play.exists():
        # The feed writes to a round in play under the table's lock; what is over it leaves alone.
        table_locks.lock_table_state(ruling.table_id)
    round_ = table_locks.lock_round(row.round_id)
    part = preview_round(round_, kind, ruling.facts, reinstates=ruling.reinstates)
    is_other = part.base_revision != row.base_revision or part.totals.digest != row.preview_digest
    if is_other or is_overtaken(round_, kind, ruling.facts):
        raise Stale(f"{round_.public_id} is not any more what was approved")
    before = "void" if round_.status == RoundStatus.VOIDED else round_.outcome or ""
    settlement = _carry_out(ruling, kind, round_, part.plan, now)
    row.status, row.applied_at, row.is_open = RulingRoundStatus.APPLIED.value, now, False
    row.is_in_force = kind not in (RulingKind.STAND, RulingKind.REINSTATE)
    row.save(update_fields=["status", "applied_at", "is_open", "is_in_force"])
    if ruling.reinstates is not None:
        RulingRound.objects.filter(ruling=ruling.reinstates, round=round_).update(is_in_force=False)
    lift_holds(round_id=round_.pk, by=ruling.number, at=now)
    if kind in VOIDS_ROUND:
        _close_others(ruling, round_, now)
    _tell_players(ruling, round_, before, settlement, now)
    tell_table(ruling.table, TOLD[kind], at=now, round_=round_, ruling=ruling, data=_told(ruling))


def _close_others(ruling: Ruling, round_: Round, now: datetime) -> None:
    """Close what else was open about a round that is void now: every bet is back, and nothing is left."""
    others = Incident.objects.filter(round=round_, status=IncidentStatus.OPEN.value)
    for incident in others.select_related("table", "round"):
        if incident.pk != ruling.incident_id:  # its own is closed when the ruling ends
            close_incident(incident, IncidentStatus.RULED, at=now, actor=SYSTEM)


def _carry_out(
    ruling: Ruling, kind: RulingKind, round_: Round, plan: Plan | None, now: datetime
) -> Settlement | None:
    """Do what the ruling orders to one locked round, and write its revision where the plan says so."""
    reinstated = RulingKind(ruling.reinstates.kind) if ruling.reinstates is not None else None
    if kind is RulingKind.CORRECT:
        correct_cards(round_, ruling.facts["cards"], ruling, at=now)
    elif kind is RulingKind.REINSTATE and reinstated is RulingKind.CORRECT and ruling.reinstates is not None:
        correct_cards(round_, ruling.reinstates.facts["before"], ruling, at=now)
    elif kind is RulingKind.REINSTATE and reinstated is RulingKind.RE_DEAL and ruling.reinstates is not None:
        revive_deal(round_, ruling.reinstates.facts["deal"], at=now)
    settlement = None
    if plan is not None:
        settlement = write_next_revision(
            round_,
            plan,
            kind=WALLET_KINDS.get(kind, TransactionKind.ADJUSTMENT),
            actor=SYSTEM,
            now=now,
            authority=ruling.uuid,
        )
    if kind is RulingKind.RE_DEAL:
        deal_again(round_, ruling, at=now)
    elif settlement is not None and plan is not None:
        settle_status(round_, plan, now=now)
    return settlement


def _tell_players(
    ruling: Ruling, round_: Round, before: str, settlement: Settlement | None, now: datetime
) -> None:
    """Tell the players what became of their round, also when it has yet to be settled."""
    if settlement is not None:
        after = "void" if RulingKind(ruling.kind) in VOIDS_ROUND else settlement.outcome
        write_notices(settlement, ruling, happening_of(ruling, round_, before, after), at=now)
    elif ruling.kind != RulingKind.STAND:  # what stands is what they know already
        coup = None if ruling.kind == RulingKind.RE_DEAL else plan_in_force(round_).coup
        happening = happening_of(ruling, round_, before, coup.outcome.value if coup else "", is_paid=False)
        origin = ruling.reinstates or ruling
        write_early_notices(round_, ruling, happening, kinds=origin.facts.get("kinds"), at=now)


def _told(ruling: Ruling) -> dict[str, object]:
    return {name: ruling.facts[name] for name in ("kinds", "cards", "deal") if name in ruling.facts}


def finish_ruling(*, ruling_id: int, now: datetime) -> bool:
    """End a ruling when no round of it waits, or mark it stopped; False while others still work on it."""
    with transaction.atomic():
        ruling = locks.lock_ruling(ruling_id)
        if ruling.status != RulingStatus.APPLYING:
            return ruling.status != RulingStatus.APPROVED
        # Asked once: between two questions another worker may commit the last round.
        waiting = _waiting(ruling).select_related("round").order_by("failures", "pk").first()
        if waiting is not None:
            if not ruling.wants_stop and waiting.failures < MOST_TRIES:
                return False
            note = "stopped between rounds" if ruling.wants_stop else _why_given_up(waiting)
            ruling.wants_stop = True  # until somebody lets it go on
            _end(ruling, RulingStatus.STOPPED, now, note)
            return True
        note = end_shoe_and_table(ruling, at=now)
        if ruling.incident is not None:
            close_incident(ruling.incident, IncidentStatus.RULED, at=now, actor=SYSTEM)
        _end(ruling, RulingStatus.APPLIED, now, note)
        return True


def _why_given_up(row: RulingRound) -> str:
    return f"{row.round.public_id} failed {row.failures} times: {row.last_error}"[:300]


def _end(ruling: Ruling, status: RulingStatus, now: datetime, note: str) -> None:
    require_ruling_transition(ruling, status)
    ruling.status, ruling.outcome_note = status.value, note
    if status is not RulingStatus.STOPPED:
        ruling.finished_at = now
        ruling.rounds.filter(is_open=True).update(is_open=False)
        if status is not RulingStatus.APPLIED:
            free_rounds_after(ruling, at=now)
    ruling.save(update_fields=["status", "outcome_note", "finished_at", "wants_stop"])
    outbox.fulfil(Bell.RULING, ruling.pk)
    record_ruling(ruling, f"ruling.{status.value}", SYSTEM, now)


def stop_ruling(*, ruling_id: int, actor: Actor, at: datetime) -> None:
    """Stop a ruling between two rounds; what was done stands, and it can be resumed.

    :raises CannotDecide: unless it is being carried out or about to be.
    """
    _want(ruling_id, True, actor, at, "ruling.stop_asked")


def resume_ruling(*, ruling_id: int, actor: Actor, at: datetime) -> None:
    """Go on with a ruling that was stopped; rounds that failed get their tries anew.

    :raises CannotDecide: if it was not.
    """
    _want(ruling_id, False, actor, at, "ruling.resumed")


def _want(ruling_id: int, stop: bool, actor: Actor, at: datetime, action: str) -> None:
    actor.require("audit.approve_ruling")
    with transaction.atomic():
        ruling = locks.lock_ruling(ruling_id)
        if ruling.status not in STOPPABLE or ruling.wants_stop == stop:
            what = "stopped" if stop else "resumed"
            raise CannotDecide("ruling/state", f"{ruling.number} is {ruling.status}; it cannot be {what}")
        ruling.wants_stop = stop
        ruling.save(update_fields=["wants_stop"])
        record_ruling(ruling, action, actor, at)
        if not stop:
            _waiting(ruling).filter(failures__gt=0).update(failures=0)
            outbox.promise(Bell.RULING, [ruling.pk], at=at)


def record_ruling(ruling: Ruling, action: str, actor: Actor, at: datetime) -> None:
    """Write a step of a ruling into the journal."""
    done = ruling.rounds.filter(status=RulingRoundStatus.APPLIED.value).count()
    data = {"uuid": str(ruling.uuid), "kind": ruling.kind, "rounds_done": done, "note": ruling.outcome_note}
    record(action, subject=ruling, label=ruling.number, actor=actor, at=at, data=data)
