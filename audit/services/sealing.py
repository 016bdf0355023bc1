"""The sealer: gives each pending journal entry its place in the tree, and signs what the tree holds then.

One transaction takes the pending rows, adds their leaves and nodes, and writes the checkpoint: whenever the
process dies, an entry is either pending or sealed. Pending rows are consumed, never "ids above the last": an
entry that commits late has a lower id than one sealed before it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction

from audit import locks
from audit.models import Checkpoint, TreeNode
from audit.queries.tree import read_hashes, root_at
from audit.rules import checkpoint as notes
from audit.rules.checkpoint import Signer
from audit.rules.merkle import KEPT_EVERY, KEPT_WIDTH, full_subtree_root

#: Entries sealed by one transaction; a third of a second's work.
BATCH = 20_000

# The leaf is hashed from the entry's own bytes: a leaf hash altered beside them does not get into the tree.
SEAL = """
WITH taken AS (
    DELETE FROM audit_pendingentry WHERE entry_id IN (
        SELECT entry_id FROM audit_pendingentry ORDER BY entry_id LIMIT %(limit)s
    ) RETURNING entry_id
)
INSERT INTO audit_leaf (index, entry_id, hash)
SELECT %(size)s + row_number() OVER (ORDER BY e.id) - 1, e.id, sha256('\\x00'::bytea || e.body)
FROM taken JOIN tables_journalentry e ON e.id = taken.entry_id
RETURNING index, hash
"""
SIZE = "SELECT coalesce(max(index) + 1, 0) FROM audit_leaf"


@transaction.atomic
def seal_pending(*, signer: Signer, now: datetime, limit: int = BATCH) -> Checkpoint | None:
    """Seal the entries that are pending, and sign; None when there are none, or another sealer is at it."""
    if not locks.try_sealing():
        return None
    with connection.cursor() as cursor:
        cursor.execute(SIZE)
        size = cursor.fetchone()[0]
        cursor.execute(SEAL, {"limit": limit, "size": size})
        added = [bytes(hash_) for _, hash_ in sorted(cursor.fetchall())]
    if not added:
        return None
    _add_nodes(size, added)
    return _sign(size + len(added), signer, now)


def _add_nodes(first: int, hashes: list[bytes]) -> None:
    """Keep the root of each stretch of 256 that became full, on every level that grew by one."""
    level = 0
    while hashes:
        begun = first % KEPT_WIDTH
        row = read_hashes(level, first - begun, first) + hashes if begun else hashes
        first = (first - begun) // KEPT_WIDTH
        full = range(0, len(row) - len(row) % KEPT_WIDTH, KEPT_WIDTH)
        hashes = [full_subtree_root(row[start : start + KEPT_WIDTH]) for start in full]
        level += KEPT_EVERY
        TreeNode.objects.bulk_create(
            TreeNode(level=level, number=first + place, hash=hash_) for place, hash_ in enumerate(hashes)
        )


def _sign(size: int, signer: Signer, now: datetime) -> Checkpoint:
    root = root_at(size)
    note = notes.sign(notes.Checkpoint(signer.name, size, root), signer)
    return Checkpoint.objects.create(size=size, root=root, note=note, sealed_at=now)
