"""The Merkle tree, against the definition in RFC 9162, vectors of our own, and published ones."""

import json
import os
from base64 import b64decode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from audit.rules.merkle import (
    EMPTY_ROOT,
    BadProof,
    Frontier,
    consistency_proof,
    full_subtree_root,
    inclusion_proof,
    leaf_hash,
    root_of,
    tree_root,
    verify_consistency,
    verify_inclusion,
)
from casino.runtime.places import ROOT

OWN = json.loads((ROOT / "tests" / "golden" / "merkle.json").read_text())
SIZES = (1, 2, 3, 4, 5, 7, 8, 255, 256, 257, 511, 512, 770)
#: The one published case that accepts roots which are no hashes; ours have to be 32 bytes long.
SHORT_ROOTS_ACCEPTED = "additional/sizes-are-equal-one-and-proof-is-empty.json"


def leaves(count: int) -> list[bytes]:
    return [leaf_hash(b"entry %d" % number) for number in range(count)]


def reader_of(rows: list[bytes]) -> Any:
    """Read from a list what a store keeps: leaves, and the roots of each full 256 of the level below."""
    levels = {0: rows}
    while len(levels[max(levels)]) >= 256:
        below = levels[max(levels)]
        full = len(below) // 256
        levels[max(levels) + 8] = [
            full_subtree_root(below[place * 256 : place * 256 + 256]) for place in range(full)
        ]

    def read(level: int, first: int, last: int) -> Sequence[bytes]:
        assert level % 8 == 0
        assert last - first <= 256
        return levels.get(level, [])[first:last]

    return read


def definition(rows: list[bytes]) -> bytes:
    """The tree hash as RFC 9162, 2.1.1 defines it."""
    if len(rows) == 1:
        return rows[0]
    split = 1
    while split * 2 < len(rows):
        split *= 2
    return sha256(b"\x01" + definition(rows[:split]) + definition(rows[split:])).digest()


def test_the_empty_tree_and_leaves_are_hashed_as_the_standard_says() -> None:
    # SHA-256 of nothing, and of one zero byte.
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root_of([]) == tree_root(0, reader_of([])) == EMPTY_ROOT


def test_our_own_vectors_hold() -> None:
    rows = [leaf_hash(text.encode()) for text in OWN["entries"]]
    assert [root_of(rows[:size]).hex() for size in range(len(rows) + 1)] == OWN["roots"]
    for case in OWN["inclusion"]:
        proof = inclusion_proof(case["index"], case["size"], reader_of(rows))
        assert [step.hex() for step in proof] == case["proof"]
    for case in OWN["consistency"]:
        proof = consistency_proof(case["old_size"], case["new_size"], reader_of(rows))
        assert [step.hex() for step in proof] == case["proof"]


@pytest.mark.parametrize("size", SIZES)
def test_the_root_is_that_of_the_definition_however_it_is_worked_out(size: int) -> None:
    rows = leaves(size)
    assert root_of(rows) == tree_root(size, reader_of(rows)) == definition(rows)


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_proves_itself_and_no_other(size: int) -> None:
    rows = leaves(size)
    read, root = reader_of(rows), root_of(rows)
    for index in range(0, size, max(1, size // 40)):
        proof = inclusion_proof(index, size, read)
        assert len(proof) <= (size - 1).bit_length()
        verify_inclusion(rows[index], index, size, proof, root)
        with pytest.raises(BadProof):
            verify_inclusion(leaf_hash(b"another"), index, size, proof, root)


@pytest.mark.parametrize("new_size", SIZES)
def test_every_older_tree_is_shown_at_the_beginning_of_the_newer(new_size: int) -> None:
    rows = leaves(new_size)
    read, new_root = reader_of(rows), root_of(rows)
    for old_size in range(1, new_size + 1, max(1, new_size // 40)):
        proof = consistency_proof(old_size, new_size, read)
        verify_consistency(old_size, new_size, proof, root_of(rows[:old_size]), new_root)
        with pytest.raises(BadProof):
            verify_consistency(old_size, new_size, proof, leaf_hash(b"another"), new_root)


def test_a_frontier_goes_on_where_another_stopped() -> None:
    rows = leaves(300)
    first = Frontier()
    for row in rows[:299]:
        first.add(row)
    # 299 = 256 + 32 + 8 + 2 + 1
    assert first.size == 299
    second = Frontier(
        299,
        [
            full_subtree_root(rows[:256]),
            full_subtree_root(rows[256:288]),
            full_subtree_root(rows[288:296]),
            full_subtree_root(rows[296:298]),
            rows[298],
        ],
    )
    second.add(rows[299])
    assert second.root() == root_of(rows)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_that_is_not_there_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="has no leaf"):
        inclusion_proof(index, size, reader_of(leaves(3)))


def test_a_tree_that_shrank_has_no_proof() -> None:
    with pytest.raises(ValueError, match="a tree of 2 leaves never had 3"):
        consistency_proof(3, 2, reader_of(leaves(3)))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_every_hash_has_32_bytes(length: int) -> None:
    rows = leaves(2)
    root, odd = root_of(rows), b"x" * length
    for leaf, proof, claimed in [(odd, [rows[1]], root), (rows[0], [odd], root), (rows[0], [rows[1]], odd)]:
        with pytest.raises(BadProof, match=f"a hash has 32 bytes, not {length}"):
            verify_inclusion(leaf, 0, 2, proof, claimed)
    for old, proof, new in [(odd, [rows[1]], root), (rows[0], [odd], root), (rows[0], [rows[1]], odd)]:
        with pytest.raises(BadProof, match=f"a hash has 32 bytes, not {length}"):
            verify_consistency(1, 2, proof, old, new)


def published() -> dict[str, Any]:
    """Read the published vectors, or leave the test out and say so."""
    folder = os.environ.get("MERKLE_VECTORS", "")
    if not folder:
        pytest.skip("LEFT OUT: the published Merkle vectors; MERKLE_VECTORS names the folder of vectors.json")
    return json.loads((Path(folder) / "vectors.json").read_text())


def hashes_of(case: dict[str, Any]) -> list[bytes]:
    return [b64decode(step) for step in case["proof"] or []]


def accepts_inclusion(case: dict[str, Any]) -> bool:
    leaf, root = b64decode(case["leafHash"] or ""), b64decode(case["root"] or "")
    try:
        verify_inclusion(leaf, case["leafIdx"], case["treeSize"], hashes_of(case), root)
    except BadProof:
        return False
    return True


def accepts_consistency(case: dict[str, Any]) -> bool:
    old, new = b64decode(case["root1"] or ""), b64decode(case["root2"] or "")
    try:
        verify_consistency(case["size1"], case["size2"], hashes_of(case), old, new)
    except BadProof:
        return False
    return True


def test_the_published_inclusion_vectors_are_judged_as_published() -> None:
    cases = published()["inclusion"]
    assert len(cases) == 98
    wrong = [name for name, case in cases.items() if accepts_inclusion(case) is case["wantErr"]]
    assert wrong == []


def test_the_published_consistency_vectors_are_judged_as_published_but_for_roots_that_are_no_hashes() -> None:
    cases = published()["consistency"]
    assert len(cases) == 98
    wrong = [name for name, case in cases.items() if accepts_consistency(case) is case["wantErr"]]
    assert wrong == [SHORT_ROOTS_ACCEPTED]
    assert len(b64decode(cases[SHORT_ROOTS_ACCEPTED]["root1"])) != 32
