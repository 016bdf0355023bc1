"""Everything that the journal says of one thing, with what each entry changed, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from tables.models import JournalEntry
from tables.queries.journal import data_of, texts_of
from tables.rules.changes import Change, changes, values_of

READ = 500  # so many entries back are read to know what was before
SHOWN = 100


class Happened(NamedTuple):
    """One entry: who did what, what was before and after, and the texts that were not erased."""

    entry: int
    action: str
    actor: str
    at: datetime
    label: str
    changes: list[Change]
    texts: dict[str, str]


def timeline_of(kind: str, pk: int, *, with_texts: bool, before: int | None = None) -> list[Happened]:
    """Read the newest entries about a thing, each with what it says otherwise than those before it.

    `before` is an entry's number: what is told is older than it.
    """
    about = JournalEntry.objects.filter(subject_type=kind, subject_id=pk).order_by("-pk")
    if before is not None:
        about = about.filter(pk__lt=before)
    if with_texts:
        about = about.prefetch_related("texts")
    entries = list(reversed(about[:READ]))
    people = _people(entries)
    known: dict[str, Any] = {}
    told: list[Happened] = []
    for entry in entries:
        data = _data(entry)
        actor = people.get(entry.actor_id, entry.actor_id) if entry.actor_kind == "user" else entry.actor_id
        texts = texts_of(entry) if with_texts else {}
        told.append(
            Happened(
                entry.pk, entry.action, actor, entry.at, entry.subject_label, changes(known, data), texts
            )
        )
        known.update(values_of(data))
    return told[: -SHOWN - 1 : -1]


def is_older(kind: str, pk: int, told: list[Happened]) -> bool:
    """Say whether the journal knows more of a thing than what was told: entries older than the last."""
    about = JournalEntry.objects.filter(subject_type=kind, subject_id=pk)
    return bool(told) and about.filter(pk__lt=told[-1].entry).exists()


def _people(entries: list[JournalEntry]) -> dict[str, str]:
    """Name the accounts that acted, in one query."""
    keys = {int(one.actor_id) for one in entries if one.actor_kind == "user" and one.actor_id.isdecimal()}
    users = User.objects.filter(pk__in=keys)
    return {str(user.pk): user.get_full_name() or user.get_username() for user in users}


def _data(entry: JournalEntry) -> dict[str, Any]:
    try:
        return data_of(entry)
    except (ValueError, KeyError, TypeError):  # altered: the check of the journal names it
        return {}
