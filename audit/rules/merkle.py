"""The Merkle tree of RFC 9162: roots, and proofs that a leaf is in it and that it only grew.

A tree is kept as its leaves and the roots of its full subtrees of 256, 65,536, … leaves. Everything else is
worked out from at most 255 hashes of a level, so that a proof never reads more than a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()
#: Subtrees of 2**8 leaves are kept, and of 2**16, and so on.
KEPT_EVERY: Final = 8
KEPT_WIDTH: Final = 1 << KEPT_EVERY
LARGEST: Final = 1 << 62

#: Returns the hashes numbered first to last (not included) of a kept level: 0 for leaves, 8, 16, …
ReadHashes = Callable[[int, int, int], Sequence[bytes]]


class BadProof(Exception):
    """A proof that does not prove what it says; the message says why."""


def leaf_hash(entry: bytes) -> bytes:
    """Hash an entry as a leaf, apart from any node."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two neighbours into the node above them."""
    return sha256(b"\x01" + left + right).digest()


def full_subtree_root(hashes: Sequence[bytes]) -> bytes:
    """Return the root over hashes of one level, whose number is a power of two."""
    row = list(hashes)
    while len(row) > 1:
        pairs = zip(row[::2], row[1::2], strict=True)
        row = [sha256(b"\x01" + left + right).digest() for left, right in pairs]  # node_hash, a call saved
    return row[0]


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes, read once in their order."""
    stack = Frontier()
    for leaf in leaves:
        stack.add(leaf)
    return stack.root()


class Frontier:
    """The right edge of a growing tree: the roots of its full subtrees, largest first."""

    def __init__(self, size: int = 0, roots: Iterable[bytes] = ()) -> None:
        """Start empty, or with the full subtrees of a tree of `size` leaves."""
        self.size = size
        self._roots = list(roots)

    def copy(self) -> Frontier:
        """Return another one that stands where this one does."""
        return Frontier(self.size, self._roots)

    def add(self, leaf: bytes) -> None:
        """Append a leaf hash."""
        self.add_subtree(0, leaf)

    def add_subtree(self, level: int, root: bytes) -> None:
        """Append 2^level leaves by their root; so many, or a multiple of it, are there already."""
        size, roots = self.size >> level, self._roots
        while size & 1:
            root = node_hash(roots.pop(), root)
            size >>= 1
        roots.append(root)
        self.size += 1 << level

    def root(self) -> bytes:
        """Return the root over all that was added."""
        if not self._roots:
            return EMPTY_ROOT
        root = self._roots[-1]
        for left in self._roots[-2::-1]:
            root = node_hash(left, root)
        return root


def full_subtrees(size: int) -> Iterator[tuple[int, int]]:
    """Yield level and number of each full subtree that a tree of `size` leaves consists of, largest first."""
    first = 0
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            yield level, first >> level
            first += 1 << level


def subtree_root(level: int, number: int, read: ReadHashes) -> bytes:
    """Return the root of one full subtree: the leaves numbered from number·2^level on, 2^level of them."""
    kept = level - level % KEPT_EVERY
    width = 1 << (level - kept)
    hashes = read(kept, number * width, (number + 1) * width)
    if len(hashes) != width:
        raise BadProof(
            f"only {len(hashes)} of {width} hashes of level {kept} are there, from {number * width} on"
        )
    return full_subtree_root(hashes)


def range_root(first: int, last: int, read: ReadHashes) -> bytes:
    """Return the root over the leaves from `first` to `last` (not included), as RFC 9162 splits them."""
    if last - first == 1:
        return subtree_root(0, first, read)
    width = last - first
    if width & (width - 1) == 0 and first % width == 0:
        level = width.bit_length() - 1
        return subtree_root(level, first >> level, read)
    middle = first + _split(width)
    return node_hash(range_root(first, middle, read), range_root(middle, last, read))


def tree_root(size: int, read: ReadHashes) -> bytes:
    """Return the root of the first `size` leaves."""
    return range_root(0, size, read) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, read: ReadHashes) -> list[bytes]:
    """Return the hashes that lead from the leaf `index` to the root of the first `size` leaves.

    :raises ValueError: if the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    return _path(index, 0, size, read)


def _path(index: int, first: int, last: int, read: ReadHashes) -> list[bytes]:
    if last - first == 1:
        return []
    middle = first + _split(last - first)
    if index < middle:
        return [*_path(index, first, middle, read), range_root(middle, last, read)]
    return [*_path(index, middle, last, read), range_root(first, middle, read)]


def consistency_proof(old_size: int, new_size: int, read: ReadHashes) -> list[bytes]:
    """Return the hashes that show the first `old_size` leaves at the beginning of the first `new_size`.

    :raises ValueError: if there are fewer leaves than before.
    """
    if not 0 <= old_size <= new_size:
        raise ValueError(f"a tree of {new_size} leaves never had {old_size}")
    if old_size in (0, new_size):
        return []
    return _growth(old_size, 0, new_size, True, read)


def _growth(old_last: int, first: int, last: int, is_whole: bool, read: ReadHashes) -> list[bytes]:
    if old_last == last:
        return [] if is_whole else [range_root(first, last, read)]
    middle = first + _split(last - first)
    if old_last <= middle:
        return [*_growth(old_last, first, middle, is_whole, read), range_root(middle, last, read)]
    return [*_growth(old_last, middle, last, False, read), range_root(first, middle, read)]


def _split(width: int) -> int:
    """Return the largest power of two below `width`."""
    return 1 << ((width - 1).bit_length() - 1)


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise unless the proof leads from the leaf at `index` to the root of a tree of `size` leaves.

    RFC 9162, 2.1.3.2.

    :raises BadProof: saying what is wrong.
    """
    _need_hashes([leaf, root, *proof])
    if not 0 <= index < size <= LARGEST:
        raise BadProof(f"a tree of {size} leaves has no leaf {index}")
    place, last, hash_ = index, size - 1, leaf
    for step in proof:
        if last == 0:
            raise BadProof("the proof is too long")
        if place & 1 or place == last:
            hash_ = node_hash(step, hash_)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            hash_ = node_hash(hash_, step)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise BadProof("the proof is too short")
    if hash_ != root:
        raise BadProof("the proof leads to another root")


def verify_consistency(
    old_size: int, new_size: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> None:
    """Raise unless the proof shows the older tree at the beginning of the newer one.

    RFC 9162, 2.1.4.2. Nothing is shown about an empty tree.

    :raises BadProof: saying what is wrong.
    """
    _need_hashes([old_root, new_root, *proof])
    if not 0 < old_size <= new_size <= LARGEST:
        raise BadProof(f"no tree of {new_size} leaves grew from one of {old_size}")
    if old_size == new_size:
        if proof:
            raise BadProof("the sizes are equal and the proof is not empty")
        if old_root != new_root:
            raise BadProof("the sizes are equal and the roots are not")
        return
    steps = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    if not steps:
        raise BadProof("the proof is empty")
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    older = newer = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise BadProof("the proof is too long")
        if place & 1 or place == last:
            older, newer = node_hash(step, older), node_hash(step, newer)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            newer = node_hash(newer, step)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise BadProof("the proof is too short")
    if older != old_root:
        raise BadProof("the proof leads to another older root")
    if newer != new_root:
        raise BadProof("the proof leads to another newer root")


def _need_hashes(hashes: Iterable[bytes]) -> None:
    """Raise unless each is as long as a SHA-256.

    :raises BadProof: naming the length.
    """
    for hash_ in hashes:
        if len(hash_) != HASH_BYTES:
            raise BadProof(f"a hash has {HASH_BYTES} bytes, not {len(hash_)}")
