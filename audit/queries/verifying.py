"""The proof checked inside the product: entries, leaves, tree, checkpoints, witness.

What an owner or a superuser altered with the triggers lifted is found here and named. Nothing is believed
that can be worked out: leaves from the entries' bytes, nodes and roots from the leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

import psycopg
from django.db import connection, transaction

from audit.rules.checkpoint import BadCheckpoint, Checkpoint, VerifierKey, cosigned_at, open_note
from audit.rules.merkle import KEPT_EVERY, KEPT_WIDTH, Frontier, full_subtree_root, leaf_hash

#: Leaves read at once, a whole number of blocks: a few megabytes.
STRETCH = 25 * KEPT_WIDTH

# One statement for all, whose rows come one by one: the server joins a stretch while the one before is hashed
# here. The entries are narrowed to the stretch first, so that it joins by hash and looks none up by itself.
STRETCHES = """
SELECT s.first, joined.*
FROM generate_series(0, %(size)s::bigint - 1, %(stretch)s::bigint) s (first), LATERAL (
    SELECT min(entry_id) AS oldest, max(entry_id) AS newest FROM (
        SELECT entry_id FROM audit_leaf
        WHERE index >= s.first AND index < s.first + %(stretch)s::bigint OFFSET 0
    ) leaves
) span, LATERAL (
    SELECT bool_and(e.leaf_hash IS NOT DISTINCT FROM l.hash),
        array_agg('\\x00'::bytea || e.body ORDER BY l.index), array_agg(l.hash ORDER BY l.index)
    FROM audit_leaf l LEFT JOIN (
        SELECT id, body, leaf_hash FROM tables_journalentry
        WHERE id BETWEEN span.oldest AND span.newest OFFSET 0
    ) e ON e.id = l.entry_id
    WHERE l.index >= s.first AND l.index < s.first + %(stretch)s::bigint
) joined WHERE span.oldest IS NOT NULL
"""
EACH = """
SELECT l.index, l.entry_id, e.body, e.leaf_hash, l.hash
FROM audit_leaf l LEFT JOIN tables_journalentry e ON e.id = l.entry_id
WHERE l.index >= %s AND l.index < %s ORDER BY l.index
"""
NAMED = 1000  # of what was altered or deleted so many are named
ENTRIES = "SELECT count(*) FROM tables_journalentry"
WAITING = "SELECT count(*) FROM audit_pendingentry"
BOTH = "SELECT p.entry_id FROM audit_pendingentry p JOIN audit_leaf l ON l.entry_id = p.entry_id ORDER BY 1"
COUNT = "SELECT count(*), coalesce(max(index) + 1, 0) FROM audit_leaf"
GAPS = """
SELECT before + 1, index - 1 FROM (
    SELECT index, lag(index, 1, -1::bigint) OVER (ORDER BY index) AS before FROM audit_leaf
) l WHERE index <> before + 1 ORDER BY index LIMIT 1000
"""
STRAYS = """
SELECT e.id FROM tables_journalentry e
WHERE NOT EXISTS (SELECT 1 FROM audit_leaf l WHERE l.entry_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM audit_pendingentry p WHERE p.entry_id = e.id)
ORDER BY e.id LIMIT 1000
"""
LOST = """
SELECT p.entry_id FROM audit_pendingentry p
WHERE NOT EXISTS (SELECT 1 FROM tables_journalentry e WHERE e.id = p.entry_id) ORDER BY 1 LIMIT 1000
"""
NODES = "SELECT level, number, hash FROM audit_treenode ORDER BY level, number"
CHECKPOINTS = "SELECT size, root, note, sealed_at FROM audit_checkpoint ORDER BY size"
COSIGNATURES = """
SELECT c.size, c.note || s.line FROM audit_cosignature s JOIN audit_checkpoint c ON c.size = s.checkpoint_id
WHERE witness = %s ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it was sealed; `kind` is for machines, the words are for people."""

    kind: str
    words: str
    entry: int | None = None

    def __str__(self) -> str:
        return f"entry {self.entry}: {self.words}" if self.entry is not None else self.words


@dataclass(slots=True)
class Checked:
    """How much was looked at."""

    entries: int = 0
    tree_size: int = 0  # one more than the newest leaf's index
    unbroken: int = 0  # leaves before the first that is missing
    checkpoints: int = 0
    cosignatures: int = 0
    witnessed: int = 0
    rows: int = 0
    bad_entries: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Seen:
    """A checkpoint that somebody else holds: the witness, or an auditor since last year."""

    who: str
    checkpoint: Checkpoint


@contextmanager
def snapshot() -> Iterator[None]:
    """Hold one snapshot of the database; inside somebody's transaction, that one."""
    is_inside = connection.in_atomic_block
    with transaction.atomic():
        if not is_inside:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL work_mem = '64MB'")  # joins over the whole journal, in memory
        yield


def verify_tree(
    *,
    key: VerifierKey | None,
    witness: VerifierKey | None,
    seen: Sequence[Seen],
    checked: Checked,
) -> Iterator[Problem]:
    """Check what is sealed, from the entries' bytes to the checkpoints and those who saw them."""
    yield from _check_size(checked)
    suspects: list[int] = []
    roots, problems = _work_out_roots([one.checkpoint.size for one in seen], checked, suspects)
    yield from islice(_look_into(suspects, checked), NAMED)
    yield from _check_waiting(checked)
    yield from problems
    yield from _check_checkpoints(roots, key, checked)
    if witness is not None:
        yield from _check_cosignatures(witness, checked)
    for one in seen:
        yield from _check_seen(one, roots, checked)


def _check_size(checked: Checked) -> Iterator[Problem]:
    """Find leaves that are missing in the row."""
    [(checked.entries, checked.tree_size)] = _rows(COUNT)
    checked.unbroken = checked.entries
    if checked.entries != checked.tree_size:
        gaps = _rows(GAPS)
        checked.unbroken = gaps[0][0]
        for first, last in gaps:
            yield Problem("leaf_missing", f"of the tree, leaf {first} to {last} are gone")


def _look_into(suspects: Iterable[int], checked: Checked) -> Iterator[Problem]:
    """Name what is not as it was sealed in the stretches that begin at these leaves."""
    for first in suspects:
        for index, entry, body, kept, sealed in _rows(EACH, [first, first + STRETCH]):
            if body is None:
                kind, words = "entry_deleted", f"sealed as leaf {index} and gone from the journal"
            elif leaf_hash(bytes(body)) != bytes(sealed):
                kind, words = "entry_altered", f"its bytes are not those that were sealed as leaf {index}"
            elif bytes(kept) != bytes(sealed):
                kind, words = "hash_altered", f"its leaf hash is not the one sealed as leaf {index}"
            else:
                continue
            checked.bad_entries.add(entry)
            yield Problem(kind, words, entry)


def _check_waiting(checked: Checked) -> Iterator[Problem]:
    """Find entries that are neither sealed nor waiting, both, or gone while they waited."""
    both = [entry for (entry,) in _rows(BOTH)]
    for entry in both:
        yield Problem("entry_pending_again", "sealed, and put among those that wait to be", entry)
    [(waiting,)], [(entries,)] = _rows(WAITING), _rows(ENTRIES)
    sealed, is_any_bad = checked.entries, bool(checked.bad_entries)
    # Every entry is sealed or waits; if the numbers agree and nothing is both, none is neither.
    for (entry,) in _rows(STRAYS) if entries != sealed + waiting or both or is_any_bad else ():
        yield Problem("entry_inserted", "neither sealed nor waiting to be: put in past the sealer", entry)
    for (entry,) in _rows(LOST):
        yield Problem("entry_lost", "waited to be sealed and is gone from the journal", entry)


def _work_out_roots(
    also: Iterable[int], checked: Checked, suspects: list[int]
) -> tuple[dict[int, bytes], list[Problem]]:
    """Work out the root at the size of every checkpoint, and compare the kept nodes on the way."""
    sizes = sorted({size for size, *_ in _rows(CHECKPOINTS)} | set(also))
    nodes = {(level, number): bytes(hash_) for level, number, hash_ in _rows(NODES)}
    roots: dict[int, bytes] = {}
    frontier, full, place = Frontier(), [], 0
    for leaves in _blocks(checked, suspects):
        edge, done = frontier.copy(), frontier.size
        while place < len(sizes) and sizes[place] <= done + len(leaves):
            for leaf in leaves[edge.size - done : sizes[place] - done]:
                edge.add(leaf)
            roots[sizes[place]] = edge.root()
            place += 1
        if len(leaves) == KEPT_WIDTH:
            full.append(full_subtree_root(leaves))
            frontier.add_subtree(KEPT_EVERY, full[-1])
    return roots, list(_compare_nodes(full, nodes))


def _compare_nodes(hashes: list[bytes], nodes: dict[tuple[int, int], bytes]) -> Iterator[Problem]:
    level = KEPT_EVERY
    while hashes:
        for number, hash_ in enumerate(hashes):
            kept = nodes.pop((level, number), None)
            if kept != hash_:
                first = number << level
                what = "is gone" if kept is None else "is not what its leaves give"
                words = (
                    f"node {level}/{number} of the tree (leaf {first} to {first + (1 << level) - 1}) {what}"
                )
                yield Problem("node_altered", words)
        full = range(0, len(hashes) - len(hashes) % KEPT_WIDTH, KEPT_WIDTH)
        hashes = [full_subtree_root(hashes[start : start + KEPT_WIDTH]) for start in full]
        level += KEPT_EVERY
    for level, number in nodes:
        yield Problem("node_altered", f"node {level}/{number} of the tree stands on no leaves")


def _blocks(checked: Checked, suspects: list[int]) -> Iterator[list[bytes]]:
    """Read the leaf hashes before the first gap in blocks of 256; the last one may be shorter.

    On the way every entry is hashed anew; where a stretch begins of which one differs is added to `suspects`.
    """
    asked = {"size": checked.tree_size, "stretch": STRETCH}
    for first, is_kept_so, bodies, sealed in _stream(STRETCHES, asked):
        if not is_kept_so or [sha256(body).digest() for body in bodies] != sealed:
            suspects.append(first)
        whole = sealed[: max(0, checked.unbroken - first)]
        for start in range(0, len(whole), KEPT_WIDTH):
            yield whole[start : start + KEPT_WIDTH]


def _check_checkpoints(
    roots: dict[int, bytes], key: VerifierKey | None, checked: Checked
) -> Iterator[Problem]:
    """Compare every checkpoint with the tree; after the first that differs all later ones do too."""
    if key is None:
        yield Problem("no_key", "the journal's key is not there: no signature can be checked")
    good, is_apart = 0, False
    for size, root, note, sealed_at in _rows(CHECKPOINTS):
        checked.checkpoints += 1
        yield from _check_note(size, bytes(root), note, sealed_at, key)
        if is_apart:
            continue
        if roots.get(size) == bytes(root):
            good = size
            continue
        is_apart = True
        yield Problem("root_differs", _apart(size, sealed_at, good, size in roots))
    if checked.tree_size != max((size for size, *_ in _rows(CHECKPOINTS)), default=0):
        yield Problem(
            "size_differs",
            f"the tree has {checked.tree_size} leaves and the newest checkpoint another number",
        )


def _apart(size: int, sealed_at: datetime, good: int, is_there: bool) -> str:
    at = f"{sealed_at:%Y-%m-%d %H:%M:%S} UTC"
    if not is_there:
        return f"checkpoint {size} of {at} covers more leaves than there are: the newest were deleted"
    return f"checkpoint {size} of {at} has another root: leaf {good} to {size - 1} are not as sealed"


def _check_note(
    size: int, root: bytes, note: str, sealed_at: datetime, key: VerifierKey | None
) -> Iterator[Problem]:
    try:
        said = open_note(note, key) if key is not None else Checkpoint.parse(note)
    except BadCheckpoint as problem:
        yield Problem("signature_wrong", f"checkpoint {size}: {problem}")
        return
    if (said.size, said.root) != (size, root):
        yield Problem("checkpoint_altered", f"checkpoint {size} is not what its signed note says")


def _check_cosignatures(witness: VerifierKey, checked: Checked) -> Iterator[Problem]:
    for size, note in _rows(COSIGNATURES, [witness.name]):
        checked.cosignatures += 1
        checked.witnessed = size
        try:
            cosigned_at(note, witness)
        except BadCheckpoint as problem:
            yield Problem("cosignature_wrong", f"checkpoint {size}: {problem}")


def _check_seen(seen: Seen, roots: dict[int, bytes], checked: Checked) -> Iterator[Problem]:
    """Compare with what somebody else saw; a difference is history rewritten, whoever signed it."""
    other = seen.checkpoint
    if other.size > checked.entries:
        yield Problem(
            "diverged",
            f"DIVERGED: {seen.who} has seen {other.size} entries, here are {checked.entries}: "
            "the journal was cut, or is an old backup",
        )
    elif roots.get(other.size) != other.root:
        yield Problem(
            "diverged",
            f"DIVERGED: {seen.who} has seen another root at {other.size} entries: history was rewritten",
        )


def _rows(statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall()


def _stream(statement: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield rows as they come, with bytes as bytes; nothing else may be asked until the last has come."""
    # Django's own cursors put values into the text of a statement, and such answers are text as well.
    with psycopg.Cursor(connection.connection) as cursor:
        yield from cursor.stream(statement, values, binary=True)
