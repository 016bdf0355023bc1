"""The feed in an evidence pack: the events of its rounds, and what the journal sealed of their batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import BinaryField, F, Func, Q

from audit.pack.rows import Row, when
from tables.models import FeedEvent, JournalEntry
from tables.queries.journal import data_of


@dataclass(frozen=True, slots=True)
class Fed:
    """What a pack says of the feed, and the entries of the batches in which its events came."""

    tables: Mapping[str, list[Row]]
    entries: tuple[JournalEntry, ...] = ()


class _Batch(NamedTuple):
    """An entry about a batch of events, and what it says of them."""

    entry: JournalEntry
    first: int
    last: int
    data: Mapping[str, Any]


def read_feed(names: Mapping[int, str]) -> Fed:
    """Read the events of rounds, the entries of their batches, and what the digests of those are over.

    A batch holds events of other rounds and of the table as well; of them only hashes are given.
    """
    events = list(FeedEvent.objects.filter(round__in=names).order_by("table", "seq"))
    batches = [batch for batch in _batches(events) if any(_holds(batch, event) for event in events)]
    entry_of = {event.pk: _entry_of(event, batches) for event in events}
    return Fed(
        {
            "feed": [_event_row(event, names, entry_of[event.pk]) for event in events],
            "feed_batches": [_batch_row(batch) for batch in batches],
            "feed_hashes": _hash_rows(batches, names),
        },
        tuple(batch.entry for batch in batches),
    )


def _batches(events: list[FeedEvent]) -> list[_Batch]:
    """Read what the journal says of the batches that came when these events did, oldest first."""
    entries = JournalEntry.objects.filter(
        action="feed.read",
        subject_type="gametable",
        subject_id__in={event.table_id for event in events},
        at__in={event.received_at for event in events},
    )
    return [batch for entry in entries.order_by("pk") if (batch := _read(entry))]


def _read(entry: JournalEntry) -> _Batch | None:
    try:
        data = data_of(entry)
        return _Batch(entry, data["first_seq"], data["last_seq"], data)
    except (ValueError, KeyError, TypeError):  # altered: the check of the journal names it
        return None


def _holds(batch: _Batch, event: FeedEvent) -> bool:
    return batch.entry.subject_id == event.table_id and batch.first <= event.seq <= batch.last


def _entry_of(event: FeedEvent, batches: Iterable[_Batch]) -> int | None:
    return next((batch.entry.pk for batch in batches if _holds(batch, event)), None)


def _event_row(event: FeedEvent, names: Mapping[int, str], entry: int | None) -> Row:
    return {
        "round": names[event.round_id or 0],
        "seq": event.seq,
        "event": event.event_id,
        "type": event.type,
        "at": when(event.at),
        "received_at": when(event.received_at),
        "status": event.status,
        "error": event.error,
        "body_sha256": bytes(event.body_hash).hex(),
        "entry": entry,
        "kept": bytes(event.body).decode(errors="replace"),
    }


def _batch_row(batch: _Batch) -> Row:
    return {
        "entry": batch.entry.pk,
        "received_at": when(batch.entry.at),
        "first_seq": batch.first,
        "last_seq": batch.last,
        "accepted": batch.data.get("accepted"),
        "refused": batch.data.get("refused"),
        "digest": batch.data.get("digest", ""),
        "kept_digest": batch.data.get("kept_digest", ""),
    }


def _hash_rows(batches: list[_Batch], names: Mapping[int, str]) -> list[Row]:
    """Write down the hashes of all events of these batches, in the order in which a digest takes them."""
    if not batches:
        return []
    wanted = Q()
    for table_id, first, last in _stretches(batches):
        wanted |= Q(table=table_id, seq__gte=first, seq__lte=last)
    kept = Func(F("body"), function="sha256", output_field=BinaryField())
    found = list(
        FeedEvent.objects.filter(wanted)
        .annotate(kept_hash=kept)
        .order_by("table", "seq")
        .values_list("table_id", "seq", "round_id", "body_hash", "kept_hash")
    )
    return [
        {
            "entry": batch.entry.pk,
            "seq": seq,
            "round": names.get(round_id or 0, ""),
            "body_sha256": bytes(body_hash).hex(),
            "kept_sha256": bytes(kept_hash).hex(),
        }
        for batch in batches
        for table_id, seq, round_id, body_hash, kept_hash in found
        if batch.entry.subject_id == table_id and batch.first <= seq <= batch.last
    ]


def _stretches(batches: Iterable[_Batch]) -> list[tuple[int, int, int]]:
    """Join batches that follow each other, as those of a round mostly do."""
    joined: list[tuple[int, int, int]] = []
    for table_id, first, last in sorted((one.entry.subject_id, one.first, one.last) for one in batches):
        if joined and joined[-1][0] == table_id and first <= joined[-1][2] + 1:
            joined[-1] = (table_id, joined[-1][1], max(last, joined[-1][2]))
        else:
            joined.append((table_id, first, last))
    return joined
