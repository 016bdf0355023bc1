"""Proofs that journal entries lie in the sealed tree, for those that are sealed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from audit.models import Checkpoint, Leaf
from audit.queries.exporting import note_of
from audit.queries.tree import remembering
from audit.rules.merkle import inclusion_proof


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Where an entry lies in the tree, and the hashes that lead from it to the root."""

    index: int
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """A signed checkpoint, and the proof of each entry that it covers."""

    checkpoint: str = ""
    inclusions: Mapping[int, Inclusion] = field(default_factory=dict)


def proofs_of(entry_ids: Iterable[int]) -> Proofs:
    """Return the proofs of some entries; nothing for those that are not sealed."""
    places = dict(Leaf.objects.filter(entry_id__in=list(entry_ids)).values_list("entry_id", "index"))
    checkpoint = _checkpoint_over(max(places.values())) if places else None
    if checkpoint is None:
        return Proofs()
    read = remembering()
    inclusions = {
        entry_id: Inclusion(index, tuple(inclusion_proof(index, checkpoint.size, read)))
        for entry_id, index in places.items()
    }
    return Proofs(note_of(checkpoint), inclusions)


def _checkpoint_over(index: int) -> Checkpoint | None:
    """Return the first checkpoint that covers a leaf, cosigned if one is: a pack made later has the same."""
    covering = Checkpoint.objects.filter(size__gt=index).order_by("size")
    return covering.filter(cosignatures__isnull=False).first() or covering.first()
