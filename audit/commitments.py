"""What stands in events and entries for a complaint or a ruling, and a salted hash of a complaint's words."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from audit.models import Complaint, ComplaintWords, Ruling
from audit.rules.complaints import Said
from tables.services.journal import canonical, moment

#: Name of what was said -> name of its column.
COLUMNS: Final = {
    "zone": "zone",
    "table": "table_text",
    "dealer": "dealer_text",
    "round": "round_text",
    "player": "player_text",
    "bet": "bet_text",
    "disputed": "disputed",
    "contact": "contact",
}


def commitment(salt: bytes, value: Mapping[str, Any]) -> str:
    """Return what stands for a text where it may not stand itself."""
    return hashlib.sha256(salt + canonical(dict(value))).hexdigest()


def words_of(said: Said) -> dict[str, Any]:
    """Return what a player said as it is committed to and stored."""
    texts = {column: getattr(said, name) for name, column in COLUMNS.items()}
    return {
        "played_at": moment(said.played_at) if said.played_at else None,
        **{column: text if column == "zone" else text.strip() for column, text in texts.items()},
    }


def words_kept(words: ComplaintWords) -> dict[str, Any]:
    """Return what a player said as it was committed to, from where it is kept."""
    return {
        "played_at": moment(words.played_at) if words.played_at else None,
        **{column: getattr(words, column) for column in COLUMNS.values()},
    }


def terms_of(ruling: Ruling) -> dict[str, Any]:
    """Return what the entry of each step says of a ruling: what was asked for, and what it moves."""
    return {
        "uuid": str(ruling.uuid),
        "kind": ruling.kind,
        "table": ruling.table.code,
        "rounds": ruling.rounds_count,
        "preview_hash": ruling.preview_hash,
        "given_minor": ruling.given_minor,
        "taken_minor": ruling.taken_minor,
        "incident": ruling.incident.number if ruling.incident else None,
        "complaint": ruling.complaint.number if ruling.complaint else None,
    }


def state_of(complaint: Complaint) -> dict[str, Any]:
    """Return what the journal's entry of each step says of a complaint as it stands after it.

    This is every column that means something, under its own name; persons and the player by number. Its own
    number is what the entry is labelled with.
    """
    return {
        "status": complaint.status,
        "refusal": complaint.refusal,
        "outcome": complaint.outcome,
        "table": complaint.table.code if complaint.table else None,
        "round": complaint.round.public_id if complaint.round else None,
        "player": complaint.player_id,
        "received_at": moment(complaint.received_at),
        "event_kind": complaint.event_kind,
        "event_at": _moment_or_none(complaint.event_at),
        "window_ends_at": _moment_or_none(complaint.window_ends_at),
        "answer_due_at": moment(complaint.answer_due_at),
        "checks": complaint.checks,  # codes only: what was compared, and how it compares
        "source": complaint.source,
        "channel": complaint.channel,
        "language": complaint.language,
        "filed_by": complaint.filed_by_id,
        "owner": complaint.owner_id,
        "escalated_at": _moment_or_none(complaint.escalated_at),
        "answered_at": _moment_or_none(complaint.answered_at),
        "closed_at": _moment_or_none(complaint.closed_at),
        "admission": complaint.admission_id,
        "merged_into": complaint.merged_into.number if complaint.merged_into else None,
        "sender": complaint.sender,
        "idempotency_key": _digest(complaint.idempotency_key),
    }


def _moment_or_none(at: datetime | None) -> str | None:
    return moment(at) if at else None


def _digest(key: str) -> str:
    """Return what stands for a key that a machine of somebody else made up as it liked."""
    return hashlib.sha256(key.encode()).hexdigest() if key else ""
