"""How every change of a complaint is written: the lock and the version, the event, its texts, the journal."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from audit import locks
from audit.commitments import commitment, state_of, words_of
from audit.models import (
    COMPLAINT_FLOW,
    Complaint,
    ComplaintAction,
    ComplaintEvent,
    ComplaintStatus,
    ComplaintText,
    ComplaintWords,
)
from audit.rules.complaints import Said
from tables.models import IllegalTransition
from tables.queries.people import note_told
from tables.services.actors import Actor
from tables.services.journal import record

SALT_BYTES = 16
LONGEST_TEXT = 8_000
LONGEST = {
    "table": 40,
    "dealer": 80,
    "round": 60,
    "player": 64,
    "bet": 64,
    "disputed": 4_000,
    "contact": 200,
}


class BadComplaint(ValueError):
    """What was typed cannot be taken down: names the field and the rule."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message} ({rule})")
        self.field, self.rule, self.message = field, rule, message


class CannotChange(Exception):
    """The complaint is not as it was when somebody looked, or not in a state for it. Nothing happened."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule, self.message = rule, message


def open_complaint(complaint_id: int, seen_version: int | None) -> Complaint:
    """Lock a complaint, and make sure that it is still as whoever changes it saw it.

    :raises CannotChange: naming who was quicker.
    """
    complaint = locks.lock_complaint(complaint_id)
    if seen_version is not None and seen_version != complaint.version:
        newest = complaint.events.order_by("-version").first()
        who = newest.actor_label if newest else ""
        raise CannotChange(
            "complaint/changed",
            f"{complaint.number} was changed by {who} meanwhile: it is at version {complaint.version}, "
            f"you saw {seen_version}",
        )
    return complaint


def require_complaint_transition(complaint: Complaint, wanted: ComplaintStatus) -> None:
    """Raise unless a complaint may become `wanted`.

    :raises IllegalTransition: naming both states.
    """
    if wanted not in COMPLAINT_FLOW[ComplaintStatus(complaint.status)]:
        raise IllegalTransition(f"complaint {complaint.number}", complaint.status, wanted.value)


def write_event(
    complaint: Complaint,
    action: ComplaintAction,
    *,
    actor: Actor,
    user: Any,
    at: datetime,
    to: ComplaintStatus | None = None,
    text: str = "",
    said: Said | None = None,
    data: Mapping[str, Any] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> ComplaintEvent:
    """Write what was done to a locked complaint, and change it: one event for each version.

    The event and the journal hold a salted commitment to each text; the text itself lies where it can be
    erased.

    :raises IllegalTransition: if it may not become `to`.
    :raises CannotChange: if it is closed, and this does not open it again.
    """
    if complaint.status == ComplaintStatus.CLOSED and action is not ComplaintAction.REOPENED:
        raise CannotChange("complaint/reopen", f"{complaint.number} is closed; say why it is opened again")
    if to is not None:
        require_complaint_transition(complaint, to)
    before = complaint.status
    event = _event(
        complaint, complaint.version + 1, action, before, to or ComplaintStatus(before), actor, user, at
    )
    _write_texts(event, text, said, dict(data or {}))
    complaint.version = event.version
    complaint.status = event.to_status
    for name, value in (columns or {}).items():
        setattr(complaint, name, value)
    complaint.save(update_fields=["version", "status", *(columns or {})])
    _journal(complaint, event, actor, at)
    return event


def begin_complaint(
    complaint: Complaint, *, actor: Actor, user: Any, at: datetime, said: Said, data: Mapping[str, Any]
) -> ComplaintEvent:
    """Write a new complaint with its first event."""
    complaint.save(force_insert=True)
    status = ComplaintStatus(complaint.status)
    event = _event(complaint, 1, ComplaintAction.FILED, "", status, actor, user, at)
    _write_texts(event, "", said, dict(data))
    _journal(complaint, event, actor, at)
    return event


def check_words(said: Said) -> None:
    """Raise unless everything typed can be stored and shown.

    :raises BadComplaint: naming the field.
    """
    for name, longest in LONGEST.items():
        text = getattr(said, name)
        if len(text) > longest:
            raise BadComplaint(name, "complaint/length", f"{longest} characters at most")
        if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise BadComplaint(name, "complaint/text", "it holds what is no text")
    if not any(words_of(said)[name] for name in ("table_text", "round_text", "bet_text", "disputed")):
        raise BadComplaint("disputed", "complaint/empty", "say at least what is disputed")


def _event(
    complaint: Complaint,
    version: int,
    action: ComplaintAction,
    before: str,
    after: ComplaintStatus,
    actor: Actor,
    user: Any,
    at: datetime,
) -> ComplaintEvent:
    return ComplaintEvent(
        complaint=complaint,
        version=version,
        action=action.value,
        from_status=before,
        to_status=after.value,
        by=user,
        actor_label=actor.label[:120],
        at=at,
    )


def _write_texts(event: ComplaintEvent, text: str, said: Said | None, data: dict[str, Any]) -> None:
    salt = secrets.token_bytes(SALT_BYTES)
    if text:
        data["text_commitment"] = commitment(salt, {"text": text})
    if said is not None:
        data["words_commitment"] = commitment(salt, words_of(said))
    event.data = data
    event.save(force_insert=True)
    if text:
        ComplaintText.objects.create(event=event, text=text, salt=salt)
    if said is not None:
        words = {**words_of(said), "played_at": said.played_at}
        ComplaintWords.objects.create(event=event, salt=salt, **words)


def _journal(complaint: Complaint, event: ComplaintEvent, actor: Actor, at: datetime) -> None:
    record(
        f"complaint.{event.action}",
        subject=complaint,
        label=complaint.number,
        actor=actor,
        at=at,
        data={
            "version": event.version,
            "by": event.actor_label,
            "from": event.from_status,
            **state_of(complaint),
            "details": event.data,
        },
    )
    if complaint.player_id is not None:
        note_told([complaint.player_id])  # whoever writes of a player has looked, and the entry says so
