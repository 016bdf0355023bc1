"""The sealed tree, read for roots and proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection

from audit.models import Checkpoint, Leaf
from audit.rules.merkle import consistency_proof, inclusion_proof, tree_root

LEAVES = "SELECT hash FROM audit_leaf WHERE index >= %s AND index < %s ORDER BY index"
NODES = "SELECT hash FROM audit_treenode WHERE level = %s AND number >= %s AND number < %s ORDER BY number"


class NotSealed(Exception):
    """An entry or a tree that no checkpoint covers yet; the message says which."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Where an entry lies in the tree that a checkpoint signed, and the hashes that show it."""

    index: int
    checkpoint: Checkpoint
    proof: list[bytes]


def read_hashes(level: int, first: int, last: int) -> list[bytes]:
    """Read the hashes numbered first to last (not included) of a kept level; 0 are the leaves."""
    with connection.cursor() as cursor:
        if level == 0:
            cursor.execute(LEAVES, [first, last])
        else:
            cursor.execute(NODES, [level, first, last])
        return [bytes(hash_) for (hash_,) in cursor.fetchall()]


def remembering() -> Callable[[int, int, int], list[bytes]]:
    """Return a reader that reads each stretch of the tree once: for many proofs of one tree."""
    known: dict[tuple[int, int, int], list[bytes]] = {}

    def read(level: int, first: int, last: int) -> list[bytes]:
        key = (level, first, last)
        if key not in known:
            if len(known) > 4096:
                known.clear()
            known[key] = read_hashes(level, first, last)
        return known[key]

    return read


def newest_checkpoint() -> Checkpoint | None:
    """Return the checkpoint that covers most."""
    return Checkpoint.objects.order_by("-size").first()


def root_at(size: int) -> bytes:
    """Work out the root of the first `size` leaves from what is stored now."""
    return tree_root(size, read_hashes)


def growth_between(old_size: int, new_size: int) -> list[bytes]:
    """Return the proof that the first `old_size` leaves are the beginning of the first `new_size`."""
    return consistency_proof(old_size, new_size, read_hashes)


def inclusion_of(entry_id: int, checkpoint: Checkpoint | None = None) -> Inclusion:
    """Return the proof of one entry against the newest checkpoint, or the one given.

    :raises NotSealed: if the checkpoint does not cover it.
    """
    index = Leaf.objects.filter(entry_id=entry_id).values_list("index", flat=True).first()
    checkpoint = checkpoint or newest_checkpoint()
    if index is None or checkpoint is None or index >= checkpoint.size:
        raise NotSealed(f"entry {entry_id} is not sealed yet")
    return Inclusion(index, checkpoint, inclusion_proof(index, checkpoint.size, read_hashes))
