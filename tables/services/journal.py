"""The journal: every service that changes something writes what it did, in the same transaction."""

import hashlib
import json
import secrets
from datetime import UTC, datetime
from typing import Any

from django.db import models

from tables.models import JournalEntry, JournalText
from tables.rules.commitments import SALT_BYTES, take_out_texts
from tables.services.actors import Actor

LEAF_PREFIX = b"\x00"  # RFC 9162: a leaf is hashed apart from a node
VERSION = 2


def canonical(data: dict[str, Any]) -> bytes:
    """Write a value as the one text that is hashed: keys sorted, no spaces, UTF-8."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def moment(at: datetime) -> str:
    """Write a moment in UTC to the microsecond."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def record(
    action: str,
    *,
    subject: models.Model,
    label: str,
    actor: Actor,
    at: datetime,
    data: dict[str, Any],
    request_id: str = "",
    player_id: int | None = None,
) -> JournalEntry:
    """Write one entry. `data` names players by internal id only: the entry can never be erased.

    Free text is taken out of it and lies apart, where it can be erased; `player_id` says whom it is about.
    The salt keeps an entry from being guessed from its hash, which outsiders see in proofs of others.
    """
    subject_type = subject._meta.model_name or ""
    kept, texts = take_out_texts(data, lambda: secrets.token_bytes(SALT_BYTES))
    body = canonical(
        {
            "v": VERSION,
            "salt": secrets.token_hex(SALT_BYTES),
            "action": action,
            "subject": [subject_type, subject.pk, label],
            "actor": [actor.kind, actor.id],
            "at": moment(at),
            "request": request_id,
            "data": kept,
        }
    )
    entry = JournalEntry.objects.create(
        action=action,
        subject_type=subject_type,
        subject_id=subject.pk,
        subject_label=label,
        actor_kind=actor.kind,
        actor_id=actor.id,
        at=at,
        request_id=request_id,
        body=body,
        leaf_hash=hashlib.sha256(LEAF_PREFIX + body).digest(),
    )
    if texts:
        JournalText.objects.bulk_create(
            JournalText(entry=entry, name=one.path, salt=one.salt, text=one.text, player_id=player_id)
            for one in texts
        )
    return entry
