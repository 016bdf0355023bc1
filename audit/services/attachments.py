"""Files attached to incidents, rulings and complaints: taken by what they hold, kept, given out, erased."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import connection, models, transaction

from audit import locks
from audit.models import (
    Attachment,
    AttachmentFile,
    AttachmentSubject,
    Complaint,
    ComplaintStatus,
    Incident,
    Ruling,
)
from audit.pictures import redraw
from audit.rules.attachments import (
    PICTURES,
    SERVED_AS,
    AttachmentKind,
    BadAttachment,
    Limits,
    clean_name,
    kind_of,
)
from audit.services.complaint_record import CannotChange
from audit.store import Store
from tables.services.actors import Actor
from tables.services.journal import record

PERMISSION: Final = "audit.attach_file"
SALT_BYTES: Final = 16
#: Kind of subject -> its model; each has a `number`.
SUBJECTS: Final[Mapping[AttachmentSubject, type[models.Model]]] = {
    AttachmentSubject.INCIDENT: Incident,
    AttachmentSubject.RULING: Ruling,
    AttachmentSubject.COMPLAINT: Complaint,
}


class AttachmentGone(Exception):
    """The file of an attachment was erased, or is no longer the one that was attached."""


class Sent(NamedTuple):
    """A file as somebody sends it."""

    name: str
    data: bytes


class NotTaken(NamedTuple):
    """A file that was not attached: the rule it breaks, and a sentence for people."""

    name: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Served:
    """A file as it is given out."""

    data: bytes
    name: str
    content_type: str


def limits() -> Limits:
    """Return how large files may be, as the settings say."""
    return Limits(
        settings.ATTACHMENT_MAX_BYTES, settings.ATTACHMENT_MAX_PIXELS, settings.ATTACHMENT_MAX_COUNT
    )


def store() -> Store:
    """Return where attached files lie."""
    return Store(Path(settings.EVIDENCE_FOLDER) / "attachments")


def attach_file(
    *, subject: Any, data: bytes, name: str, actor: Actor, at: datetime, user: Any = None
) -> Attachment:
    """Attach a file to an incident, a ruling or a complaint. A picture is drawn anew, the rest kept as it is.

    :raises NotAllowed: if the actor may attach nothing.
    :raises BadAttachment: saying why the file is not taken; nothing is kept then.
    :raises CannotChange: if the complaint is closed.
    """
    if actor.kind != "key":  # a key's scope was asked where the request came in
        actor.require(PERMISSION)
    _refuse_if_closed(subject)
    allowed = limits()
    _refuse_if_full(subject, allowed)  # before a picture is decoded that has no room
    kind = kind_of(data, allowed)
    width_px, height_px = None, None
    if kind in PICTURES:
        data, width_px, height_px = redraw(data, kind, allowed)
    salt = secrets.token_bytes(SALT_BYTES)
    stored_as = store().put(data)
    try:
        with transaction.atomic():
            if isinstance(subject, Complaint):
                _refuse_if_closed(locks.lock_complaint(subject.pk))  # whoever closes it waits, or was first
            _require_room(subject, allowed)
            attachment = Attachment.objects.create(
                subject_kind=subject._meta.model_name,
                subject_id=subject.pk,
                kind=kind.value,
                size_bytes=len(data),
                width_px=width_px,
                height_px=height_px,
                commitment=sha256(salt + data).digest(),
                added_by=user,
                added_by_key=actor.id if actor.kind == "key" else "",
                added_at=at,
            )
            AttachmentFile.objects.create(
                attachment=attachment,
                name=clean_name(name, kind),
                sha256=sha256(data).hexdigest(),
                salt=salt,
                stored_as=stored_as,
            )
            _record("attachment.added", attachment, subject, actor, at)
    except BaseException:
        store().remove(stored_as)
        raise
    return attachment


def attach_files(
    *, subject: Any, files: Iterable[Sent], actor: Actor, at: datetime, user: Any = None
) -> list[NotTaken]:
    """Attach what can be attached of several files; return the others, each with why.

    :raises NotAllowed: if there is a file and the actor may attach none.
    """
    refused = []
    for file in files:
        try:
            attach_file(subject=subject, data=file.data, name=file.name, actor=actor, at=at, user=user)
        except BadAttachment as error:
            refused.append(NotTaken(file.name, error.rule, error.message))
    return refused


def read_file(attachment: Attachment) -> Served:
    """Return a file as it was attached.

    :raises AttachmentGone: if it was erased, or its bytes are not those that were attached.
    """
    found = AttachmentFile.objects.filter(attachment=attachment).first()
    if found is None:
        raise AttachmentGone("the file was erased")
    try:
        data = store().read(found.stored_as)
    except FileNotFoundError as error:
        raise AttachmentGone("the file is missing from the store") from error
    if sha256(bytes(found.salt) + data).digest() != bytes(attachment.commitment):
        raise AttachmentGone("the file is not the one that was attached")
    return Served(data, found.name, SERVED_AS[AttachmentKind(attachment.kind)][0])


def open_attachment(*, attachment: Attachment, actor: Actor, at: datetime) -> Served:
    """Give a file out, and record who took it.

    :raises AttachmentGone: if it was erased, or its bytes are not those that were attached.
    """
    served = read_file(attachment)
    with transaction.atomic():
        _record("attachment.opened", attachment, subject_of(attachment), actor, at)
    return served


def erase_attachment(*, attachment: Attachment, actor: Actor, at: datetime) -> bool:
    """Erase a file, its name and its salt; that it was there stays, and stays provable. False if it is gone.

    Whoever calls this has asked whether it may be erased.
    """
    with transaction.atomic():
        found = AttachmentFile.objects.select_for_update().filter(attachment=attachment).first()
        if found is None:
            return False
        stored_as = found.stored_as
        found.delete()
        _record("attachment.erased", attachment, subject_of(attachment), actor, at)
        transaction.on_commit(lambda: store().remove(stored_as))
    return True


def subject_of(attachment: Attachment) -> Any:
    """Return what a file is attached to."""
    return SUBJECTS[AttachmentSubject(attachment.subject_kind)]._default_manager.get(pk=attachment.subject_id)


def takes_files(subject: Any) -> bool:
    """Say whether anything can be attached: nothing is done to a closed complaint."""
    return not (isinstance(subject, Complaint) and subject.status == ComplaintStatus.CLOSED)


def _refuse_if_closed(subject: Any) -> None:
    if not takes_files(subject):
        raise CannotChange("complaint/reopen", f"{subject.number} is closed; say why it is opened again")


def _require_room(subject: Any, allowed: Limits) -> None:
    """Count what hangs on the subject already, one sender at a time."""
    with connection.cursor() as cursor:
        key = f"attachment/{subject._meta.model_name}/{subject.pk}"
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
    _refuse_if_full(subject, allowed)


def _refuse_if_full(subject: Any, allowed: Limits) -> None:
    there = Attachment.objects.filter(subject_kind=subject._meta.model_name, subject_id=subject.pk).count()
    if there >= allowed.count:
        raise BadAttachment(
            "attachment/too-many", f"{allowed.count} files are attached already; no more fit."
        )


def _record(action: str, attachment: Attachment, subject: Any, actor: Actor, at: datetime) -> None:
    record(
        action,
        subject=subject,
        label=subject.number,
        actor=actor,
        at=at,
        data={
            "attachment": str(attachment.uuid),
            "kind": attachment.kind,
            "bytes": attachment.size_bytes,
            "commitment": bytes(attachment.commitment).hex(),
        },
    )
