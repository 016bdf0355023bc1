"""What people do to a complaint after it was taken down, one function for each verb.

Each names the version that was seen: whoever comes second is told so, and nothing of the first is lost.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.models import (
    RUNNING_STATUSES,
    Complaint,
    ComplaintAction,
    ComplaintRefusal,
    ComplaintStatus,
)
from audit.queries.complaint_rounds import missing_of
from audit.queries.complaint_times import answer_due
from audit.services.complaint_record import (
    LONGEST_TEXT,
    BadComplaint,
    CannotChange,
    open_complaint,
    write_event,
)
from tables.services.actors import Actor
from tables.services.journal import moment

HANDLE = "audit.handle_complaint"
DECIDE = "audit.decide_complaint"
#: An answer may be sent from these on; before, there is nothing to say yet.
ANSWERED_IN = frozenset(ComplaintStatus) - {ComplaintStatus.RECEIVED}


@transaction.atomic
def accept_complaint(
    *, complaint_id: int, seen_version: int | None, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Take a complaint on; whoever takes it on owns it."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    if complaint.status == ComplaintStatus.REFUSED:
        raise CannotChange(
            "complaint/late", f"{complaint.number} was refused; admitting it takes two persons"
        )
    require_what_the_rule_asks(complaint)
    write_event(
        complaint,
        ComplaintAction.ACCEPTED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.ACCEPTED,
        columns={"owner": user},
    )
    return complaint


def require_what_the_rule_asks(complaint: Complaint) -> None:
    """Raise unless a complaint names all it has to, and a round: no detail can be added once it is taken on.

    :raises CannotChange: naming what is missing.
    """
    if missing := missing_of(complaint):
        raise CannotChange("complaint/incomplete", f"{complaint.number} does not name: {', '.join(missing)}")
    if complaint.round_id is None:
        raise CannotChange("complaint/round", f"{complaint.number} names no round that was played")


@transaction.atomic
def refuse_complaint(
    *, complaint_id: int, seen_version: int | None, reason: str, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Refuse a complaint that the rules alone do not refuse; it takes a reason."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    refusal = (
        ComplaintRefusal.INCOMPLETE
        if complaint.status == ComplaintStatus.WAITING
        else (ComplaintRefusal.BY_AGENT)
    )
    write_event(
        complaint,
        ComplaintAction.REFUSED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.REFUSED,
        text=_reason(reason),
        columns={"refusal": refusal.value},
    )
    return complaint


@transaction.atomic
def wait_for_information(
    *, complaint_id: int, seen_version: int | None, reason: str, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Let a complaint wait for something the player has to say."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    write_event(
        complaint,
        ComplaintAction.WAITED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.WAITING,
        text=_reason(reason),
    )
    return complaint


@transaction.atomic
def review_complaint(
    *, complaint_id: int, seen_version: int | None, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Begin to look into a complaint."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    write_event(
        complaint, ComplaintAction.REVIEWED, actor=actor, user=user, at=at, to=ComplaintStatus.UNDER_REVIEW
    )
    return complaint


@transaction.atomic
def decide_complaint(
    *,
    complaint_id: int,
    seen_version: int | None,
    is_upheld: bool,
    reason: str,
    actor: Actor,
    user: Any,
    at: datetime,
) -> Complaint:
    """Uphold a complaint, which a ruling then carries out, or reject it; either takes a reason."""
    actor.require(DECIDE)
    complaint = open_complaint(complaint_id, seen_version)
    to = ComplaintStatus.UPHELD if is_upheld else ComplaintStatus.REJECTED
    write_event(
        complaint,
        ComplaintAction.UPHELD if is_upheld else ComplaintAction.REJECTED,
        actor=actor,
        user=user,
        at=at,
        to=to,
        text=_reason(reason),
        columns={"outcome": to.value},
    )
    return complaint


@transaction.atomic
def answer_complaint(
    *,
    complaint_id: int,
    seen_version: int | None,
    text: str,
    language: str,
    template: str,
    actor: Actor,
    user: Any,
    at: datetime,
    closes: bool = False,
) -> Complaint:
    """Keep an answer as it is written; a decided complaint may be closed by it.

    Nothing is sent from here: whoever answers carries it to the player, or a gateway reads it.

    :raises CannotChange: if there is nothing to answer yet, or it cannot be closed.
    """
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    if complaint.status not in ANSWERED_IN:
        raise CannotChange("complaint/answer", f"{complaint.number} is neither taken nor refused yet")
    words = _reason(text, field="text")
    is_decided = complaint.status in (ComplaintStatus.UPHELD, ComplaintStatus.REJECTED)
    write_event(
        complaint,
        ComplaintAction.ANSWERED,
        actor=actor,
        user=user,
        at=at,
        text=words,
        data={"language": language, "template": template, "channel": complaint.channel},
        columns={"answered_at": at} if is_decided else {},
    )
    if closes:
        _close(complaint, actor, user, at)
    return complaint


@transaction.atomic
def close_complaint(
    *, complaint_id: int, seen_version: int | None, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Close a decided complaint that has its answer."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    _close(complaint, actor, user, at)
    return complaint


def _close(complaint: Complaint, actor: Actor, user: Any, at: datetime) -> None:
    if complaint.status not in (ComplaintStatus.UPHELD, ComplaintStatus.REJECTED):
        raise CannotChange("complaint/state", f"{complaint.number} is {complaint.status}: decide it first")
    decided = complaint.events.filter(action=complaint.outcome).order_by("-version").values("version")[:1]
    answered = complaint.events.filter(action=ComplaintAction.ANSWERED.value, version__gt=decided)
    if not answered.exists():
        raise CannotChange("complaint/answer", f"{complaint.number} has no answer yet")
    write_event(
        complaint,
        ComplaintAction.CLOSED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.CLOSED,
        columns={"closed_at": at},
    )


@transaction.atomic
def reopen_complaint(
    *, complaint_id: int, seen_version: int | None, reason: str, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Open a closed complaint again, or one that was refused for another reason than being late.

    The time to answer it begins anew, and so does the escalation.
    """
    actor.require(DECIDE)
    complaint = open_complaint(complaint_id, seen_version)
    if complaint.merged_into_id is not None:
        raise CannotChange("complaint/merged", f"{complaint.number} goes on as another complaint")
    if complaint.status == ComplaintStatus.REFUSED and complaint.refusal == ComplaintRefusal.LATE:
        raise CannotChange("complaint/late", f"{complaint.number} came late; admitting it takes two persons")
    is_refused = complaint.status == ComplaintStatus.REFUSED
    if not is_refused and complaint.status != ComplaintStatus.CLOSED:
        raise CannotChange("complaint/state", f"{complaint.number} is {complaint.status}: it is open")
    due_at = answer_due(at, complaint.table)
    write_event(
        complaint,
        ComplaintAction.REOPENED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.RECEIVED if is_refused else ComplaintStatus.UNDER_REVIEW,
        text=_reason(reason),
        data={"answer_due_at": moment(due_at)},
        columns={
            "closed_at": None,
            "outcome": "",
            "answer_due_at": due_at,
            "answered_at": None,
            "escalated_at": None,
            **({"refusal": ""} if is_refused else {}),
        },
    )
    return complaint


@transaction.atomic
def note_complaint(
    *, complaint_id: int, seen_version: int | None, text: str, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Write a note for colleagues. It is added whoever wrote before."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, None)
    write_event(
        complaint, ComplaintAction.NOTED, actor=actor, user=user, at=at, text=_reason(text, field="text")
    )
    return complaint


@transaction.atomic
def assign_complaint(
    *, complaint_id: int, seen_version: int | None, owner: Any, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Give a complaint to somebody."""
    actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    if not owner.has_perm(HANDLE):
        raise BadComplaint("owner", "complaint/owner", "that account may not handle complaints")
    data = {"owner": owner.pk}
    write_event(
        complaint,
        ComplaintAction.ASSIGNED,
        actor=actor,
        user=user,
        at=at,
        data=data,
        columns={"owner": owner},
    )
    return complaint


@transaction.atomic
def merge_complaint(
    *, complaint_id: int, seen_version: int | None, into_number: str, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Close a complaint that says the same as another one of that player on that round, which goes on.

    :raises CannotChange: if they are not of one round and one player, or the other one does not go on.
    """
    actor.require(HANDLE)
    into = Complaint.objects.filter(number=into_number.strip().upper()).first()
    if into is None or into.pk == complaint_id:
        raise BadComplaint("into", "complaint/unknown", f"there is no other complaint {into_number[:20]!r}")
    ordered = {key: open_complaint(key, None) for key in sorted((into.pk, complaint_id))}
    complaint, into = ordered[complaint_id], ordered[into.pk]
    if seen_version is not None:
        complaint = open_complaint(complaint_id, seen_version)
    is_same = (complaint.round_id, complaint.player_id) == (into.round_id, into.player_id)
    if not is_same or None in (complaint.round_id, complaint.player_id):
        raise CannotChange("complaint/merge", f"{into.number} is not of the same round and player")
    if into.status not in RUNNING_STATUSES:
        raise CannotChange("complaint/merge", f"{into.number} is {into.status}: it does not go on")
    write_event(
        complaint,
        ComplaintAction.MERGED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.CLOSED,
        data={"into": into.number},
        columns={"merged_into": into, "closed_at": at},
    )
    write_event(into, ComplaintAction.MERGED, actor=actor, user=user, at=at, data={"from": complaint.number})
    return complaint


def _reason(text: str, *, field: str = "reason") -> str:
    """Return a text that says something.

    :raises BadComplaint: if it does not.
    """
    text = text.strip()
    if not text:
        raise BadComplaint(field, "complaint/reason", "say it in words")
    if len(text) > LONGEST_TEXT or "\x00" in text:
        raise BadComplaint(field, "complaint/length", f"{LONGEST_TEXT} characters of text at most")
    return text
