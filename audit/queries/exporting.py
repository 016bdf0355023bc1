"""Entries with what proves them, for whoever is to check them elsewhere."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from audit.models import Checkpoint, Leaf
from audit.queries.tree import NotSealed, newest_checkpoint, remembering
from audit.rules.checkpoint import VerifierKey
from audit.rules.merkle import consistency_proof, inclusion_proof
from tables.queries.lines import lines_sql

FORMAT = "bluecard-journal/1"
BATCH = 500

ENTRIES = """
SELECT l.index, l.entry_id, e.body, e.action, e.subject_id,
    (SELECT jsonb_object_agg(t.name, jsonb_build_object('salt', encode(t.salt, 'base64'), 'text', t.text))
     FROM tables_journaltext t WHERE t.entry_id = e.id)::text
FROM audit_leaf l JOIN tables_journalentry e ON e.id = l.entry_id
WHERE l.index BETWEEN %s AND %s ORDER BY l.index
"""
LINES = f"""
SELECT {lines_sql(bet="b", line="l", written_in="%s::int")}
FROM tables_settlement s JOIN tables_settlementline l ON l.settlement_id = s.id
JOIN tables_bet b ON b.id = l.bet_id WHERE s.round_id = %s AND s.revision = %s
"""


def leaves_of_period(first_at: datetime | None, last_at: datetime | None) -> tuple[int, int]:
    """Return the first and the last leaf of entries written in a period, both ends included.

    Between them lie all of the period; entries of neighbouring moments may lie there too, since the order of
    leaves is that of sealing.

    :raises NotSealed: if there are none.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(l.index), max(l.index)"
            " FROM audit_leaf l JOIN tables_journalentry e ON e.id = l.entry_id"
            " WHERE (%(first)s::timestamptz IS NULL OR e.at >= %(first)s)"
            " AND (%(last)s::timestamptz IS NULL OR e.at <= %(last)s)",
            {"first": first_at, "last": last_at},
        )
        first, last = cursor.fetchone()
    if first is None:
        raise NotSealed("no sealed entry is of that period")
    return first, last


def export_lines(
    *, first: int, last: int, key: VerifierKey, seen_sizes: Sequence[int] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the lines of an export: its head, then every entry from one leaf to another with its proof.

    :raises NotSealed: if no checkpoint covers them.
    """
    newest = newest_checkpoint()
    if newest is None or last >= newest.size:
        raise NotSealed(f"leaf {last} is not covered by a checkpoint yet")
    read = remembering()
    growth = {
        str(size): _texts(consistency_proof(size, newest.size, read))
        for size in seen_sizes
        if 0 < size <= newest.size
    }
    yield {
        "format": FORMAT,
        "key": str(key),
        "checkpoint": note_of(newest),
        "first": first,
        "last": last,
        "consistency": growth,
    }
    for start in range(first, last + 1, BATCH):
        for row in _rows(ENTRIES, [start, min(start + BATCH - 1, last)]):
            yield _entry(row, _texts(inclusion_proof(row[0], newest.size, read)))


def note_of(checkpoint: Checkpoint) -> str:
    """Return a checkpoint's note with the signatures of all who cosigned it."""
    lines = checkpoint.cosignatures.order_by("witness").values_list("line", flat=True)
    return checkpoint.note + "".join(lines)


def proof_of_entry(entry_id: int, key: VerifierKey) -> list[dict[str, Any]]:
    """Return one entry with its proof, as an export of that one alone.

    :raises NotSealed: if it is not sealed yet.
    """
    index = Leaf.objects.filter(entry_id=entry_id).values_list("index", flat=True).first()
    if index is None:
        raise NotSealed(f"entry {entry_id} is not sealed yet")
    return list(export_lines(first=index, last=index, key=key))


def as_text(line: dict[str, Any]) -> str:
    """Write one line of an export."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _entry(row: tuple[Any, ...], proof: list[str]) -> dict[str, Any]:
    index, entry_id, body, action, subject_id, texts = row
    text = bytes(body).decode(errors="replace")
    line = {"leaf": index, "entry": entry_id, "body": text, "proof": proof}
    if texts:
        line["texts"] = {
            name: {"salt": one["salt"].replace("\n", ""), "text": one["text"]}
            for name, one in json.loads(texts).items()
        }
    if action == "round.settled":
        line["lines"] = _lines(subject_id, text)
    return line


def _lines(round_id: int, body: str) -> str:
    """Return the lines of a settlement as they were digested; empty when the entry itself cannot be read."""
    try:
        data = json.loads(body)["data"]
        revision, written_in = int(data["revision"]), int(data.get("lines_format", 1))
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    [(lines,)] = _rows(LINES, [written_in, round_id, revision])
    return str(lines)


def _texts(hashes: Sequence[bytes]) -> list[str]:
    return [b64encode(hash_).decode() for hash_ in hashes]


def _rows(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
