"""Complaints in an evidence pack: how each went, and, where it is about one, what was said and attached."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from audit.commitments import words_kept
from audit.models import (
    Attachment,
    AttachmentSubject,
    Complaint,
    ComplaintEvent,
    ComplaintWords,
    EvidencePack,
    Incident,
    PackSubject,
    Ruling,
)
from audit.pack.rows import Players, Row, when
from audit.rules.attachments import SERVED_AS, AttachmentKind
from audit.services.attachments import AttachmentGone, read_file


@dataclass(frozen=True, slots=True)
class Told:
    """Complaints of a pack, as records and as rows, and the files that were attached to them."""

    complaints: tuple[Complaint, ...]
    tables: Mapping[str, list[Row]]
    files: Mapping[str, bytes] = field(default_factory=dict)


def complaints_of(pack: EvidencePack, round_ids: Collection[int]) -> list[Complaint]:
    """Return the complaints a pack tells of: its own with those merged into it, or its rounds'."""
    found = Complaint.objects.select_related("round", "table", "owner", "merged_into")
    if pack.subject_kind == PackSubject.COMPLAINT:
        keys = {pack.subject_id}
        # One that others were merged into may be merged itself.
        while more := set(found.filter(merged_into__in=keys).values_list("pk", flat=True)) - keys:
            keys |= more
        found = found.filter(pk__in=keys)
    else:
        found = found.filter(round__in=round_ids)
    return list(found.order_by("pk"))


def tell(
    pack: EvidencePack,
    complaints: list[Complaint],
    incidents: Iterable[Incident],
    rulings: Iterable[Ruling],
    player: Players,
) -> Told:
    """Read what stands in a pack about complaints and attachments.

    Words and files are a player's data: they are in a pack about the complaint alone, and only where the one
    who asked may know who the player is.
    """
    is_open = pack.subject_kind == PackSubject.COMPLAINT and pack.names_players
    events = ComplaintEvent.objects.filter(complaint__in=complaints).select_related("complaint", "text")
    steps = list(events.order_by("complaint", "version"))
    said = ComplaintWords.objects.filter(event__in=steps if is_open else ()).select_related(
        "event__complaint"
    )
    attached = _attached(incidents, rulings, complaints)
    mine = [one for one, _ in attached if one.subject_kind == AttachmentSubject.COMPLAINT and is_open]
    return Told(
        tuple(complaints),
        {
            "complaints": [_complaint_row(one, player) for one in complaints],
            "complaint_steps": [_step_row(step, is_open=is_open) for step in steps],
            "complaint_words": [_words_row(words) for words in said.order_by("event")],
            "attachments": [_attachment_row(one, label, one in mine) for one, label in attached],
        },
        {_name_of(one): data for one in mine if (data := _bytes_of(one)) is not None},
    )


def _complaint_row(one: Complaint, player: Players) -> Row:
    return {
        "complaint": one.number,
        "round": one.round.public_id if one.round else "",
        "player": player(one.player_id) if one.player_id else "",
        "status": one.status,
        "refusal": one.refusal,
        "outcome": one.outcome,
        "disputed_event": one.event_kind,
        "event_at": when(one.event_at),
        "received_at": when(one.received_at),
        "window_ends_at": when(one.window_ends_at),
        "answer_due_at": when(one.answer_due_at),
        "answered_at": when(one.answered_at),
        "closed_at": when(one.closed_at),
        "checks": one.checks,
        "channel": one.channel,
        "language": one.language,
        "is_admitted_late": one.admission_id is not None,
        "merged_into": one.merged_into.number if one.merged_into else "",
    }


def _step_row(step: ComplaintEvent, *, is_open: bool) -> Row:
    """Write a step down; `salt` and text are what the journal's `text_commitment` stands for."""
    text = getattr(step, "text", None) if is_open else None
    return {
        "complaint": step.complaint.number,
        "version": step.version,
        "action": step.action,
        "from": step.from_status,
        "to": step.to_status,
        "by": step.actor_label,
        "at": when(step.at),
        "details": step.data,
        "text": text.text if text else "",
        "salt": bytes(text.salt).hex() if text else "",
    }


def _words_row(words: ComplaintWords) -> Row:
    """Write down what a player said; with the salt it is what the journal's `words_commitment` stands for."""
    return {
        "complaint": words.event.complaint.number,
        "version": words.event.version,
        **words_kept(words),
        "salt": bytes(words.salt).hex(),
    }


def _attached(
    incidents: Iterable[Incident], rulings: Iterable[Ruling], complaints: Iterable[Complaint]
) -> list[tuple[Attachment, str]]:
    """Return every attachment with the number of what it is attached to, in the order in which they came."""
    numbers = {
        (kind.value, one.pk): one.number
        for kind, records in (
            (AttachmentSubject.INCIDENT, incidents),
            (AttachmentSubject.RULING, rulings),
            (AttachmentSubject.COMPLAINT, complaints),
        )
        for one in records
    }
    keys = [key for _, key in numbers]
    found = Attachment.objects.filter(subject_id__in=keys).select_related("file").order_by("pk")
    return [
        (one, numbers[one.subject_kind, one.subject_id])
        for one in found
        if (one.subject_kind, one.subject_id) in numbers
    ]


def _attachment_row(one: Attachment, label: str, is_inside: bool) -> Row:
    file = getattr(one, "file", None)
    return {
        "attachment": str(one.uuid),
        "of": label,
        "kind": one.kind,
        "bytes": one.size_bytes,
        "added_at": when(one.added_at),
        "commitment": bytes(one.commitment).hex(),
        "sha256": file.sha256 if file else "",
        "salt": bytes(file.salt).hex() if file and is_inside else "",
        "name": file.name if file and is_inside else "",
        "file": _name_of(one) if file and is_inside else "",
    }


def _name_of(one: Attachment) -> str:
    return f"attachments/{one.uuid}.{SERVED_AS[AttachmentKind(one.kind)][1]}"


def _bytes_of(one: Attachment) -> bytes | None:
    try:
        return read_file(one).data
    except AttachmentGone:
        return None
