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
from tables.models import JournalText
from tables.queries.journal import is_the_one
from tables.services.journal import moment

BATCH = 2_000
ENTRIES = """
SELECT id, action, subject_type, subject_id, subject_label, actor_kind, actor_id, at, request_id, body
FROM tables_journalentry WHERE id > %s ORDER BY id LIMIT %s
"""
# Of bets only their number is kept, and of names that no event has how many: that has a digest of its own.
EVENTS = """
SELECT w.entry_id, sha256(string_agg(f.body_hash, ''::bytea ORDER BY f.seq)),
    sha256(string_agg(sha256(f.body), ''::bytea ORDER BY f.seq)), count(*),
    count(*) FILTER (WHERE f.status = 'refused'),
    min(f.seq) FILTER (
        WHERE CASE WHEN sha256(f.body) <> f.body_hash
        THEN encode(f.body, 'escape') !~ '"(bets|left_out)":[0-9]' END)
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]) AS w (entry_id, table_id, first, last)
JOIN tables_feedevent f ON f.table_id = w.table_id AND f.seq BETWEEN w.first AND w.last
GROUP BY w.entry_id
"""
EVENT_COUNTS = """
SELECT t.id, t.code, count(f.id) FROM tables_gametable t LEFT JOIN tables_feedevent f ON f.table_id = t.id
GROUP BY t.id, t.code ORDER BY t.id
"""
SETTLEMENTS = """
SELECT w.entry_id, s.id, s.deal_id, s.outcome, s.bets_count, s.stakes_minor, s.returned_minor, s.moved_minor,
    s.lines_digest, s.authority::text, s.revision = (
        SELECT max(revision) FROM tables_settlement newest WHERE newest.round_id = s.round_id),
    (SELECT sha256(convert_to(coalesce(string_agg(
        l.bet_id || ' ' || b.stake_minor || ' ' || l.result || ' ' || l.returned_minor,
        E'\\n' ORDER BY l.bet_id), ''), 'UTF8'))
     FROM tables_settlementline l JOIN tables_bet b ON b.id = l.bet_id WHERE l.settlement_id = s.id)
FROM unnest(%s::bigint[], %s::bigint[], %s::int[]) AS w (entry_id, round_id, revision)
JOIN tables_settlement s ON s.round_id = w.round_id AND s.revision = w.revision
"""
ALL_SETTLEMENTS = """
SELECT s.id, r.public_id, s.round_id, s.revision FROM tables_settlement s
JOIN tables_round r ON r.id = s.round_id ORDER BY s.id
"""
RULEBOOKS = """
SELECT id, code || '/' || version, content_hash, encode(sha256(convert_to(document, 'UTF8')), 'hex'),
    effective_from FROM tables_rulebook ORDER BY id
"""
CARDS = """
SELECT deal_id, place, rank || suit, NOT EXISTS (SELECT 1 FROM tables_card n WHERE n.supersedes_id = c.id)
FROM tables_card c WHERE deal_id = ANY(%s) AND place = ANY(%s)
"""
PLACES = ["P1", "B1", "P2", "B2", "P3", "B3"]


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
        feeds: dict[int, tuple[int, Mapping[str, Any]]] = {}
        settlements: dict[int, tuple[int, str, Mapping[str, Any]]] = {}
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
                feeds[id_] = subject_id, data
                self.events_of_table[subject_id] += data["accepted"] + data["refused"]
            elif action == "round.settled":
                settlements[id_] = subject_id, label, data
                self.settled.add((subject_id, data["revision"]))
            elif action == "rulebook.published":
                self.published[subject_id] = id_, label, data
        yield from _check_feeds(feeds)
        yield from _check_settlements(settlements)

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


def _check_feeds(feeds: dict[int, tuple[int, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Compare batches of events with their digests."""
    if not feeds:
        return
    arguments = [
        list(feeds),
        [table_id for table_id, _ in feeds.values()],
        [data["first_seq"] for _, data in feeds.values()],
        [data["last_seq"] for _, data in feeds.values()],
    ]
    there = {row[0]: row[1:] for row in _rows(EVENTS, arguments)}
    for id_, (_, data) in feeds.items():
        digest, kept, count, refused, altered = there.get(id_, (b"", b"", 0, 0, None))
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


def _check_settlements(settlements: dict[int, tuple[int, str, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Compare revisions with what was sealed of them: sums, lines and cards."""
    if not settlements:
        return
    arguments = [
        list(settlements),
        [round_id for round_id, _, _ in settlements.values()],
        [data["revision"] for _, _, data in settlements.values()],
    ]
    there = {row[0]: row[1:] for row in _rows(SETTLEMENTS, arguments)}
    cards = _cards([row[1] for row in there.values() if row[1] is not None])
    for id_, (_, label, data) in settlements.items():
        name = f"round {label}: revision {data['revision']}"
        row = there.get(id_)
        if row is None:
            yield Problem("settlement_deleted", f"{name} is gone", id_)
            continue
        _, deal_id, outcome, bets, stakes, returned, moved, digest, authority, is_newest, lines = row
        sums = (outcome, bets, int(stakes), int(returned), int(moved), authority)
        wanted = (
            *(data[key] for key in ("outcome", "bets", "stakes_minor", "returned_minor", "moved_minor")),
            data["authority"],
        )
        if sums != wanted:
            yield Problem("settlement_altered", f"{name} is {sums}, was settled as {wanted}", id_)
        if data["lines_digest"] != bytes(lines).hex() or data["lines_digest"] != bytes(digest).hex():
            yield Problem("lines_altered", f"{name}: its lines are not those that were settled", id_)
        if data["cards"] and not _are_there(data["cards"], cards.get(deal_id, []), is_newest):
            words = f"{name}: the cards are not {' '.join(data['cards'])}, by which it was settled"
            yield Problem("cards_altered", words, id_)


def _cards(deal_ids: list[int]) -> dict[int, list[tuple[str, str, bool]]]:
    found: dict[int, list[tuple[str, str, bool]]] = {}
    for deal_id, place, face, is_current in _rows(CARDS, [deal_ids, PLACES]):
        found.setdefault(deal_id, []).append((place, face, is_current))
    return found


def _are_there(wanted: list[str], there: list[tuple[str, str, bool]], is_newest: bool) -> bool:
    """Say whether the cards are those that lie there now, or for an older revision lay there once."""
    current = sorted((PLACES.index(place), face) for place, face, is_current in there if is_current)
    if is_newest:
        return [face for _, face in current] == wanted
    return not Counter(wanted) - Counter(face for _, face, _ in there)


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
