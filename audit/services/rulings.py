"""Rulings: asked for with a preview, decided by whoever may, and handed to the worker to be carried out."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from audit import locks
from audit.commitments import terms_of
from audit.models import (
    RULING_FLOW,
    Complaint,
    ComplaintStatus,
    Incident,
    Ruling,
    RulingKind,
    RulingRound,
    RulingStatus,
    SignIn,
)
from audit.queries.persons import person_of
from audit.queries.previews import Preview, preview
from audit.queries.rulings_in_force import concerns_shoe, is_overtaken, is_shoe_gone
from audit.services.asking import ALSO, BadRuling, check_incident, look_at
from audit.services.incidents import BadReport, remedy_for
from audit.services.numbers import next_number
from audit.services.video import hold_video
from tables import locks as table_locks
from tables.models import Bell, GameTable, Hold, IllegalTransition, Round, Shoe
from tables.queries.rulebooks import rules_of
from tables.rules.drawing import IllegalCoup
from tables.rules.rulebook import RemedyCase
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.holds import lift_holds
from tables.services.journal import moment, record

EXPIRES_AFTER = timedelta(minutes=30)
DECISION = ("decided_by", "decided_by_person", "decided_at", "decision_reason")

# Which decision carries out which remedy of a rulebook; the first that concerns a round leads.
REMEDY_KINDS: dict[str, RulingKind] = {
    "stands": RulingKind.STAND,
    "no_effect": RulingKind.STAND,
    "reuse": RulingKind.STAND,
    "discard": RulingKind.STAND,
    "rescan": RulingKind.STAND,
    "void": RulingKind.VOID_ROUND,
    "void_insurance": RulingKind.VOID_KINDS,
    "re-deal": RulingKind.RE_DEAL,
    "correct": RulingKind.CORRECT,
    "replace_shoe": RulingKind.REPLACE_SHOE,
    "reshuffle": RulingKind.RESHUFFLE,
    "close_table": RulingKind.CLOSE_TABLE,
}


class CannotDecide(Exception):
    """The decision is refused, and nothing happened; `rule` says which rule stood against it."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule, self.message = rule, message


def proposed_kinds(case: RemedyCase) -> tuple[RulingKind | None, tuple[str, ...]]:
    """Return the decision a remedy proposes, and what it orders besides; None where a manager decides."""
    remedies = [remedy.value for remedy in case.remedies]
    if "manager" in remedies and remedies[0] == "manager":
        return None, ()
    leading = next((remedy for remedy in remedies if remedy in REMEDY_KINDS), None)
    also = tuple(remedy for remedy in remedies if remedy in ALSO and remedy != leading)
    return (REMEDY_KINDS[leading] if leading else None), also


def is_proposed(incident: Incident | None, kind: RulingKind, facts: Mapping[str, Any]) -> bool:
    """Say whether the house's rules propose just this for an incident, and no other thing besides."""
    if incident is None:
        return False
    try:
        case = remedy_for(incident.rulebook, incident.code, incident.facts)
    except BadReport:  # trouble of the feed, of which no rulebook speaks
        return False
    proposed, also = proposed_kinds(case)
    kinds = rules_of(incident.rulebook_id).insurance_kinds if kind is RulingKind.VOID_KINDS else ()
    is_whole = set(facts.get("also", ())) == set(also) and set(facts.get("kinds", ())) == set(kinds)
    return proposed is kind and is_whole


@transaction.atomic
def request_ruling(
    *,
    kind: RulingKind,
    rounds: Sequence[Round],
    table: GameTable,
    facts: Mapping[str, Any],
    reason: str,
    user: User,
    actor: Actor,
    at: datetime,
    incident: Incident | None = None,
    complaint: Complaint | None = None,
    shoe: Shoe | None = None,
    reinstates: Ruling | None = None,
    is_proposed_by_rule: bool = False,
    passage: str = "",
) -> Ruling:
    """Ask for a ruling. Its rounds are looked at as they are now, and no other ruling may be open on them.

    :raises BadRuling: naming what will not do.
    """
    actor.require("audit.request_ruling")
    if complaint is not None:
        complaint = locks.lock_complaint(complaint.pk)
        if complaint.status != ComplaintStatus.UPHELD:
            raise BadRuling("complaint", "ruling/complaint", f"{complaint.number} is not upheld")
    person = person_of(user)
    if not reason.strip():
        raise BadRuling("reason", "ruling/reason", "say why")
    if concerns_shoe(kind, facts):
        # A round that begins meanwhile is either listed, or held because this ruling is open.
        table_locks.lock_table_state(table.pk)
    locked = table_locks.lock_rounds(round_.pk for round_ in rounds)
    if incident is not None:
        check_incident(incident, kind, locked, table=table, shoe=shoe)
    elif kind is RulingKind.STAND and not locked:
        raise BadRuling("rounds", "ruling/rounds", "neither a round nor an incident is named")
    exact, seen = look_at(kind, locked, facts, table=table, shoe=shoe, reinstates=reinstates)
    ruling = Ruling.objects.create(
        number=next_number("R"),
        kind=kind.value,
        table=table,
        shoe=shoe or (locked[0].shoe if locked else None),
        incident=incident,
        complaint=complaint,
        reinstates=reinstates,
        facts=exact,
        passage=passage or (incident.passage if incident else f"{table.rulebook.code}/manager-decides"),
        is_proposed_by_rule=is_proposed_by_rule,
        reason=reason.strip(),
        requested_by=user,
        requested_by_person=person,
        requested_at=at,
        expires_at=at + EXPIRES_AFTER,
        preview_hash=seen.hash,
        rounds_count=len(seen.rounds),
        bets_count=seen.bets,
        players_count=seen.players,
        given_minor=seen.given_minor,
        taken_minor=seen.taken_minor,
    )
    _list_rounds(ruling, seen)
    hold_video(locked, at=at, ruling=ruling)
    _record(ruling, "ruling.requested", actor, at, reason=ruling.reason, expires_at=moment(ruling.expires_at))
    return ruling


def _list_rounds(ruling: Ruling, seen: Preview) -> None:
    try:
        with transaction.atomic():
            RulingRound.objects.bulk_create(
                RulingRound(
                    ruling=ruling,
                    round=part.round,
                    base_revision=part.base_revision,
                    preview_digest=part.totals.digest,
                    bets_count=part.totals.bets,
                    given_minor=part.totals.given_minor,
                    taken_minor=part.totals.taken_minor,
                    before_minor=part.totals.before_minor,
                    after_minor=part.totals.after_minor,
                )
                for part in seen.rounds
            )
    except IntegrityError as error:
        taken = RulingRound.objects.filter(round__in=[part.round for part in seen.rounds], is_open=True)
        names = ", ".join(f"{row.round.public_id} ({row.ruling.number})" for row in taken[:5])
        raise BadRuling(
            "rounds", "ruling/one-open", f"a ruling is open already on {names or 'one of them'}"
        ) from error


def sign_in_again(*, ruling: Ruling, user: User, password: str, at: datetime) -> SignIn:
    """Sign in once more for one decision, as sums above the second threshold want it.

    :raises CannotDecide: if the password is wrong.
    """
    if not user.check_password(password):
        raise CannotDecide("ruling/sign-in", "the password is wrong")
    with transaction.atomic():
        sign_in = SignIn.objects.create(user=user, ruling=ruling, at=at)
        _record(ruling, "ruling.signed_in", Actor.of_user(user), at, sign_in=sign_in.pk)
    return sign_in


def approve_ruling(
    *, ruling_id: int, preview_hash: str, reason: str, user: User, actor: Actor, at: datetime
) -> Ruling:
    """Approve a ruling as its preview shows it, and promise its application.

    :raises CannotDecide: naming the rule; a ruling found stale or expired is marked so.
    """
    actor.require("audit.approve_ruling")
    with transaction.atomic():
        ruling = _lock_request(ruling_id, actor, at)
        stale = ""
        if ruling.status != RulingStatus.EXPIRED:
            if preview_hash != ruling.preview_hash:
                raise CannotDecide(
                    "ruling/preview", "the preview you saw is not the one that was asked for; look again"
                )
            stale = _why_stale(ruling)
            if stale:
                _close(ruling, RulingStatus.STALE, at, actor, f"{stale} since it was asked for")
            else:
                _approve(ruling, reason, user, actor, at)
    if ruling.status == RulingStatus.EXPIRED:
        raise CannotDecide(
            "ruling/expired", f"{ruling.number} expired at {moment(ruling.expires_at)}; ask again"
        )
    if stale:
        raise CannotDecide("ruling/stale", f"{stale} since {ruling.number} was asked for; ask again")
    return ruling


def _approve(ruling: Ruling, reason: str, user: User, actor: Actor, at: datetime) -> None:
    ruling.status = RulingStatus.APPROVED.value
    _decide(ruling, user, reason, at)
    try:
        with transaction.atomic():
            ruling.save(update_fields=["status", *DECISION])
    except IntegrityError as error:
        words = str(error).splitlines()[0]
        rule = "ruling/sign-in" if "sign-in" in words else "ruling/four-eyes"
        raise CannotDecide(rule, words) from error
    sign_in = SignIn.objects.filter(ruling=ruling, user=user).order_by("-pk").values_list("pk", flat=True)
    more = {
        "reason": ruling.decision_reason,
        "person": ruling.decided_by_person_id,
        "sign_in": sign_in.first(),
    }
    _record(ruling, "ruling.approved", actor, at, **more)
    outbox.promise(Bell.RULING, [ruling.pk], at=at)


def refuse_ruling(*, ruling_id: int, reason: str, actor: Actor, user: User, at: datetime) -> Ruling:
    """Refuse a ruling; its rounds are free again, and an incident stays open.

    :raises CannotDecide: if it was decided already, or no reason is given.
    """
    actor.require("audit.approve_ruling")
    if not reason.strip():
        raise CannotDecide("ruling/reason", "say why it is refused")
    with transaction.atomic():
        ruling = _lock_request(ruling_id, actor, at)
        if ruling.status == RulingStatus.REQUESTED:
            _decide(ruling, user, reason, at)
            _close(ruling, RulingStatus.REFUSED, at, actor, "")
    return _in_time(ruling)


def withdraw_ruling(*, ruling_id: int, reason: str, actor: Actor, user: User, at: datetime) -> Ruling:
    """Withdraw a request before anybody decided it; its rounds are free again, and an incident stays open.

    :raises CannotDecide: if another account asked for it, it was decided already, or no reason is given.
    """
    actor.require("audit.request_ruling")
    if not reason.strip():
        raise CannotDecide("ruling/reason", "say why it is withdrawn")
    with transaction.atomic():
        asked = Ruling.objects.get(pk=ruling_id)  # who asked never changes
        if asked.requested_by_id != user.pk:
            raise CannotDecide("ruling/other", f"only who asked for {asked.number} withdraws it")
        ruling = _lock_request(ruling_id, actor, at)
        if ruling.status == RulingStatus.REQUESTED:
            _decide(ruling, user, reason, at)
            _close(ruling, RulingStatus.WITHDRAWN, at, actor, "")
    return _in_time(ruling)


def _decide(ruling: Ruling, user: User, reason: str, at: datetime) -> None:
    ruling.decided_by, ruling.decided_by_person = user, person_of(user)
    ruling.decided_at, ruling.decision_reason = at, reason.strip()


def _in_time(ruling: Ruling) -> Ruling:
    if ruling.status == RulingStatus.EXPIRED:
        raise CannotDecide("ruling/expired", f"{ruling.number} had expired already")
    return ruling


def _lock_request(ruling_id: int, actor: Actor, at: datetime) -> Ruling:
    """Lock a request that waits for a decision; one past its time is marked expired."""
    ruling = locks.lock_ruling(ruling_id)
    if ruling.status != RulingStatus.REQUESTED:
        rule = "ruling/withdrawn" if ruling.status == RulingStatus.WITHDRAWN else "ruling/decided"
        raise CannotDecide(rule, f"{ruling.number} is {ruling.status} already; nothing was done")
    if at > ruling.expires_at:
        _close(ruling, RulingStatus.EXPIRED, at, actor, "nobody decided in time")
    return ruling


def _why_stale(ruling: Ruling) -> str:
    """Say what became different since a ruling was asked for; nothing where it is as it was."""
    if is_shoe_gone(ruling):
        return "the shoe left the table"
    return "a round changed" if _has_changed(ruling) else ""


def _has_changed(ruling: Ruling) -> bool:
    rounds = table_locks.lock_rounds(ruling.rounds.values_list("round_id", flat=True))
    kind = RulingKind(ruling.kind)
    if len(rounds) == 1 and is_overtaken(rounds[0], kind, ruling.facts):
        return True
    try:
        now = preview(rounds, kind, ruling.facts, reinstates=ruling.reinstates)
    except IllegalCoup:
        return True
    return now.hash != ruling.preview_hash


def expire_rulings(*, now: datetime) -> int:
    """Mark requests nobody decided in time; return how many."""
    late = Ruling.objects.filter(status=RulingStatus.REQUESTED.value, expires_at__lt=now)
    expired = 0
    for ruling_id in list(late.values_list("pk", flat=True)[:200]):
        with transaction.atomic():
            ruling = locks.lock_ruling(ruling_id)
            if ruling.status == RulingStatus.REQUESTED:
                _close(ruling, RulingStatus.EXPIRED, now, SYSTEM, "nobody decided in time")
                expired += 1
    return expired


def _close(ruling: Ruling, status: RulingStatus, at: datetime, actor: Actor, note: str) -> None:
    """End a ruling that was not carried out, and free its rounds."""
    require_ruling_transition(ruling, status)
    ruling.status, ruling.finished_at, ruling.outcome_note = status.value, at, note
    ruling.save(update_fields=[*DECISION, "status", "finished_at", "outcome_note"])
    ruling.rounds.update(is_open=False)
    free_rounds_after(ruling, at=at)
    _record(ruling, f"ruling.{status.value}", actor, at, reason=ruling.decision_reason, note=note)


def free_rounds_after(ruling: Ruling, *, at: datetime) -> None:
    """Lift what a ruling that comes to nothing held: the rounds begun from its shoe since it was asked for.

    After one that is carried out they stay held, since they were dealt from a shoe that was not to be.
    """
    held = Hold.objects.filter(
        reason="shoe_in_doubt", lifted_at__isnull=True, finding__data__because=ruling.number
    )
    for hold_id, round_id in list(held.order_by("round_id").values_list("pk", "round_id")):
        lift_holds(round_id=round_id, by=f"{ruling.number} {ruling.status}", at=at, hold_ids=[hold_id])


def require_ruling_transition(ruling: Ruling, wanted: RulingStatus) -> None:
    """Raise unless a ruling may become `wanted`.

    :raises IllegalTransition: naming both states.
    """
    if wanted not in RULING_FLOW[RulingStatus(ruling.status)]:
        raise IllegalTransition(f"ruling {ruling.number}", ruling.status, wanted.value)


def _record(ruling: Ruling, action: str, actor: Actor, at: datetime, **more: Any) -> None:
    record(
        action,
        subject=ruling,
        label=ruling.number,
        actor=actor,
        at=at,
        data={**terms_of(ruling), **more},
    )
