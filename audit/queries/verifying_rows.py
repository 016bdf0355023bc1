"""What the journal says against the rows it speaks of: rulebooks, feed events, settlements, cards, texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import connection

from audit.queries.verifying import Checked, Problem
from audit.queries.verifying_decided import Decided
from audit.queries.verifying_settled import ALL_SETTLEMENTS, Settled, check_settlements
from tables.models import JournalText
from tables.queries.journal import is_the_one
from tables.services.journal import moment

BATCH = 2_000
ENTRIES = """
SELECT id, action, subject_type, subject_id, subject_label, actor_kind, actor_id, at, request_id, body
FROM tables_journalentry WHERE id > %s ORDER BY id LIMIT %s
"""
# Of bets only their number is kept, and of names that no event has how many: that has a digest of its own.
MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
EVENTS = f"""
SELECT w.entry_id, sha256(string_agg(f.body_hash, ''::bytea ORDER BY f.seq)),
    sha256(string_agg(sha256(f.body), ''::bytea ORDER BY f.seq)), count(*),
    sha256(string_agg(sha256(convert_to(concat_ws(E'\\n', f.seq, f.event_id, f.type,
        coalesce({MOMENT.format("f.at")}, '-'), {MOMENT.format("f.received_at")},
        CASE WHEN f.is_late THEN 'late' ELSE 'in time' END, f.status, f.supersedes,
        coalesce(f.round_id, 0), f.error), 'UTF8')), ''::bytea ORDER BY f.seq)),
    bool_and(f.received_at = w.at),
    count(*) FILTER (WHERE f.status = 'refused'),
    min(f.seq) FILTER (
        WHERE CASE WHEN sha256(f.body) <> f.body_hash
        THEN encode(f.body, 'escape') !~ '"(bets|left_out)":[0-9]' END)
FROM unnest(%s::bigint[], %s::timestamptz[], %s::bigint[], %s::bigint[], %s::bigint[])
    AS w (entry_id, at, table_id, first, last)
JOIN tables_feedevent f ON f.table_id = w.table_id AND f.seq BETWEEN w.first AND w.last
GROUP BY w.entry_id
"""
EVENT_COUNTS = """
SELECT t.id, t.code, count(f.id) FROM tables_gametable t LEFT JOIN tables_feedevent f ON f.table_id = t.id
GROUP BY t.id, t.code ORDER BY t.id
"""
NO_EVENTS = (b"", b"", 0, b"", True, 0, None)
RULEBOOKS = """
SELECT id, code || '/' || version, content_hash, encode(sha256(convert_to(document, 'UTF8')), 'hex'),
    effective_from FROM tables_rulebook ORDER BY id
"""


def verify_rows(checked: Checked, on_batch: Callable[[], None] = lambda: None) -> Iterator[Problem]:
    """Read the whole journal once, and compare each entry with the rows it covers."""
    walk = _Walk(checked)
    last = 0
    while rows := _rows(ENTRIES, [last, BATCH]):
        last = rows[-1][0]
        yield from walk.read(rows)
        on_batch()
    yield from walk.finish()
    yield from _check_texts(checked)


class _Walk:
    """One reading of the journal."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.events_of_table: Counter[int] = Counter()
        self.settled: set[tuple[int, int]] = set()
        self.published: dict[int, tuple[int, str, Mapping[str, Any]]] = {}
        self.decided = Decided()

    def read(self, rows: list[tuple[Any, ...]]) -> Iterator[Problem]:
        """Compare a batch of entries with their own columns, and with the rows they cover."""
        feeds: dict[int, tuple[datetime, int, Mapping[str, Any]]] = {}
        settlements: dict[int, Settled] = {}
        for id_, *columns, body in rows:
            self.checked.rows += 1
            if id_ in self.checked.bad_entries:
                continue
            said = _parse(bytes(body))
            if said is None or said[0] != _columns(columns):
                yield Problem("columns_altered", "its columns are not what its sealed body says", id_)
                continue
            action, subject_type, subject_id, label, actor_kind, actor_id, at = columns[:7]
            data = said[1]
            by = int(actor_id) if actor_kind == "user" else None
            self.decided.note(id_, action, subject_type, subject_id, label, data, by=by, at=at)
            if action == "feed.read":
                feeds[id_] = at, subject_id, data
                self.events_of_table[subject_id] += data["accepted"] + data["refused"]
            elif action == "round.settled":
                settlements[id_] = Settled(subject_id, label, at, data)
                self.settled.add((subject_id, data["revision"]))
            elif action == "rulebook.published":
                self.published[subject_id] = id_, label, data
        yield from _check_feeds(feeds)
        yield from check_settlements(settlements)

    def finish(self) -> Iterator[Problem]:
        """Name what is there and no entry speaks of, and what was published otherwise."""
        yield from _check_rulebooks(self.published)
        for table_id, code, count in _rows(EVENT_COUNTS):
            told = self.events_of_table[table_id]
            if count != told:
                words = f"table {code} has {count} feed events, the journal tells of {told}"
                yield Problem("events_differ", words)
        for id_, public_id, round_id, revision in _rows(ALL_SETTLEMENTS):
            if (round_id, revision) not in self.settled:
                words = f"round {public_id}: revision {revision} (settlement {id_}) has no entry"
                yield Problem("settlement_forged", words)
        yield from self.decided.compare()


def _parse(body: bytes) -> tuple[list[Any], Mapping[str, Any]] | None:
    try:
        said = json.loads(body)
        columns = [said["action"], *said["subject"], *said["actor"], said["at"], said["request"]]
        return columns, said["data"]
    except (ValueError, KeyError, TypeError):
        return None


def _columns(columns: list[Any]) -> list[Any]:
    at: datetime = columns[6]
    return [*columns[:6], at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), columns[7]]


def _check_rulebooks(published: dict[int, tuple[int, str, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Compare the documents that rounds are judged by with the hashes they were published under."""
    told = dict(published)
    for id_, name, kept, own, effective_from in _rows(RULEBOOKS):
        entry, label, data = told.pop(id_, (None, "", {}))
        if entry is None:
            yield Problem("rulebook_forged", f"rulebook {name} has no entry in the journal")
            continue
        there = (name, kept, own, moment(effective_from))
        if there != (label, data["content_hash"], data["content_hash"], data["effective_from"]):
            yield Problem("rulebook_altered", f"rulebook {name} is not what was published as {label}", entry)
    for entry, label, _ in told.values():
        yield Problem("rulebook_deleted", f"rulebook {label} is gone", entry)


def _check_feeds(feeds: dict[int, tuple[datetime, int, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Compare batches of events with their digests."""
    if not feeds:
        return
    arguments = [
        list(feeds),
        [at for at, _, _ in feeds.values()],
        [table_id for _, table_id, _ in feeds.values()],
        [data["first_seq"] for _, _, data in feeds.values()],
        [data["last_seq"] for _, _, data in feeds.values()],
    ]
    there = {row[0]: row[1:] for row in _rows(EVENTS, arguments)}
    for id_, (_, _, data) in feeds.items():
        digest, kept, count, stored, is_in_time, refused, altered = there.get(id_, NO_EVENTS)
        where = f"of the feed events {data['first_seq']} to {data['last_seq']}"
        counts = (count - refused, refused)
        if counts != (data["accepted"], data["refused"]):
            words = f"{where} {counts[0]} accepted and {counts[1]} refused are there, not as it says"
            yield Problem("events_altered", words, id_)
        elif bytes(digest).hex() != data["digest"] or altered is not None:
            named = f" ({altered})" if altered is not None else ""
            yield Problem("events_altered", f"{where} some are not those that came{named}", id_)
        elif bytes(kept).hex() != data.get("kept_digest", bytes(kept).hex()):
            yield Problem("events_altered", f"{where} some are not kept as they were stored", id_)
        elif not is_in_time or bytes(stored).hex() != data.get("stored_digest", bytes(stored).hex()):
            words = f"{where} some stand under another time, name or state than they were stored with"
            yield Problem("events_altered", words, id_)


def _check_texts(checked: Checked) -> Iterator[Problem]:
    """Compare the texts that were not erased with the commitments in their entries."""
    for text in JournalText.objects.select_related("entry").order_by("pk").iterator(BATCH):
        if text.entry_id in checked.bad_entries:
            continue
        said = _parse(bytes(text.entry.body))
        if said is not None and not is_the_one(text, dict(said[1])):
            yield Problem("text_altered", f"its {text.name} is not what was written", text.entry_id)


def _rows(statement: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
