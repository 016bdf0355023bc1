"""The sealer: every entry once, contiguous, in a tree that proves it; whatever dies, nothing is lost."""

from hashlib import sha256
from threading import Barrier, Thread

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import Checkpoint, Leaf, PendingEntry, TreeNode
from audit.queries.tree import NotSealed, growth_between, inclusion_of, root_at
from audit.rules.checkpoint import open_note
from audit.rules.merkle import root_of, verify_consistency, verify_inclusion
from audit.services import sealing
from tables.models import GameTable, JournalEntry
from tests.audit.sealed import LOG, seal, write
from tests.database import OwnTestDatabase
from tests.tables.playing import NOON, make_table


@pytest.fixture
def table(db: None) -> GameTable:
    table = make_table()
    seal()  # what setting it up wrote
    return table


def leaves() -> list[tuple[int, int]]:
    return list(Leaf.objects.order_by("index").values_list("index", "entry_id"))


@pytest.mark.django_db
def test_an_entry_is_pending_from_its_own_transaction_on_and_sealed_once() -> None:
    table = make_table()
    first = JournalEntry.objects.order_by("pk")
    ids = [entry.pk for entry in first]
    assert list(PendingEntry.objects.order_by("pk").values_list("pk", flat=True)) == ids
    made = seal()
    assert made is not None
    assert made.size == len(ids) == 2  # the rulebook published, the table set up
    assert leaves() == list(enumerate(ids))
    assert not PendingEntry.objects.exists()
    assert seal() is None
    assert Checkpoint.objects.count() == 1
    write(1, table)
    assert seal().size == 3


@pytest.mark.django_db
def test_an_entry_that_is_rolled_back_leaves_nothing_pending(table: GameTable) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        write(1, table)
        raise RuntimeError
    assert not PendingEntry.objects.exists()


@pytest.mark.django_db
def test_the_checkpoint_is_signed_and_says_what_the_leaves_say(table: GameTable) -> None:
    write(5, table)
    made = seal()
    opened = open_note(made.note, LOG.verifier)
    hashes = [sha256(b"\x00" + bytes(entry.body)).digest() for entry in JournalEntry.objects.order_by("pk")]
    assert (opened.origin, opened.size) == ("bluecard.test/journal", 7)
    assert opened.root == bytes(made.root) == root_of(hashes)
    assert made.sealed_at == NOON


@pytest.mark.django_db
def test_full_subtrees_are_kept_whatever_the_batches_were(table: GameTable) -> None:
    write(600, table)
    for limit in (100, 157, 1, 300, 10_000):  # across the borders at 256 and 512
        seal(limit=limit)
    rows = [bytes(hash_) for hash_ in Leaf.objects.order_by("index").values_list("hash", flat=True)]
    assert len(rows) == 602
    nodes = TreeNode.objects.order_by("level", "number").values_list("level", "number", "hash")
    assert [(level, number, bytes(hash_)) for level, number, hash_ in nodes] == [
        (8, 0, root_of(rows[:256])),
        (8, 1, root_of(rows[256:512])),
    ]
    sizes = list(Checkpoint.objects.order_by("size").values_list("size", flat=True))
    assert sizes == [2, 102, 259, 260, 560, 602]
    for size in sizes:
        assert bytes(Checkpoint.objects.get(pk=size).root) == root_of(rows[:size])


@pytest.mark.django_db
def test_a_node_of_the_next_level_is_kept_when_256_of_the_level_below_are(
    table: GameTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 256 * 256 entries take too long here: with a width of 4 (every second level), 16 do.
    monkeypatch.setattr(sealing, "KEPT_WIDTH", 4)
    monkeypatch.setattr(sealing, "KEPT_EVERY", 2)
    monkeypatch.setattr(sealing, "root_at", lambda size: bytes(32))
    write(15, table)
    for limit in (3, 9, 100):
        seal(limit=limit)
    rows = [bytes(hash_) for hash_ in Leaf.objects.order_by("index").values_list("hash", flat=True)]
    kept = {
        (level, number): bytes(hash_)
        for level, number, hash_ in TreeNode.objects.values_list("level", "number", "hash")
    }
    assert kept == {
        **{(2, number): root_of(rows[number * 4 : number * 4 + 4]) for number in range(4)},
        (4, 0): root_of(rows[:16]),
    }


@pytest.mark.django_db
def test_each_entry_and_each_growth_is_proved_from_what_is_stored(table: GameTable) -> None:
    write(300, table)
    seal(limit=270)
    older = Checkpoint.objects.order_by("-size").first()
    seal()
    newest = Checkpoint.objects.order_by("-size").first()
    assert (older.size, newest.size) == (272, 302)
    proof = growth_between(272, 302)
    verify_consistency(272, 302, proof, bytes(older.root), bytes(newest.root))
    for entry in JournalEntry.objects.order_by("pk")[::50]:
        found = inclusion_of(entry.pk)
        leaf = sha256(b"\x00" + bytes(entry.body)).digest()
        verify_inclusion(leaf, found.index, 302, found.proof, bytes(newest.root))
    with pytest.raises(NotSealed):
        inclusion_of(JournalEntry.objects.latest("pk").pk, older)


@pytest.mark.django_db
def test_what_is_not_sealed_has_no_proof(table: GameTable) -> None:
    [entry] = write(1, table)
    with pytest.raises(NotSealed, match=f"entry {entry.pk} is not sealed yet"):
        inclusion_of(entry.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("dies_in", ["read_hashes", "_add_nodes", "root_at", "_sign"])
def test_a_sealer_that_dies_anywhere_has_done_nothing_and_the_next_one_does_all(
    table: GameTable, dies_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(300, table)
    seal(limit=100)
    before = (leaves(), TreeNode.objects.count(), PendingEntry.objects.count())

    def die(*_: object) -> None:
        raise DatabaseError("gone")

    with monkeypatch.context() as patch, pytest.raises(DatabaseError):
        patch.setattr(sealing, dies_in, die)
        with transaction.atomic():
            seal()
    assert (leaves(), TreeNode.objects.count(), PendingEntry.objects.count()) == before
    made = seal()
    assert made.size == 302
    assert [index for index, _ in leaves()] == list(range(302))
    assert bytes(made.root) == root_at(302)


@pytest.mark.django_db(transaction=True)
def test_an_entry_that_commits_late_is_sealed_though_its_number_is_lower(
    own_database: OwnTestDatabase,
) -> None:
    table = make_table()
    insert = """
        INSERT INTO tables_journalentry (action, subject_type, subject_id, subject_label, actor_kind,
            actor_id, at, request_id, body, leaf_hash)
        VALUES ('late', 'gametable', %s, 'B01', 'system', 'x', now(), '', 'late', sha256('late')) RETURNING id
    """
    with psycopg.connect(own_database.app_url) as slow:
        (late,) = slow.execute(insert, [table.pk]).fetchone()
        write(1, table)
        assert seal().size == 3
        newest = JournalEntry.objects.latest("pk").pk
        assert late < newest
        slow.commit()
    assert seal().size == 4
    assert leaves()[-1] == (3, late)


@pytest.mark.django_db(transaction=True)
def test_of_two_sealers_at_once_one_seals_and_no_entry_is_sealed_twice() -> None:
    table = make_table()
    write(200, table)
    start, done = Barrier(2), []

    def work() -> None:
        start.wait()
        for _ in range(30):
            made = seal(limit=10)
            done.append(made.size if made else None)
        connection.close()

    workers = [Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    while seal(limit=10) is not None:
        pass
    assert [index for index, _ in leaves()] == list(range(202))
    sizes = [size for size in done if size]
    assert len(sizes) == len(set(sizes))


def test_the_sealed_tables_are_only_added_to(db: None, owner_connection: psycopg.Connection) -> None:
    for name in ("leaf", "treenode", "checkpoint", "cosignature", "verification"):
        with pytest.raises(psycopg.errors.RestrictViolation, match="is append-only: TRUNCATE refused"):
            owner_connection.execute(f"TRUNCATE audit_{name} CASCADE")
