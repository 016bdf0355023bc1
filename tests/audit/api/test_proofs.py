"""Checkpoints and proofs by API: whoever asks can check the answer without believing it."""

from base64 import b64decode
from hashlib import sha256

import pytest
from django.test import Client

from audit.api import examples
from audit.models import Checkpoint
from audit.rules.checkpoint import LOG_KEY, Signer, open_note
from audit.rules.merkle import verify_consistency, verify_inclusion
from tables.models import GameTable, JournalEntry
from tests.audit.sealed import LOG, seal, write
from tests.tables.api.clients import key_client, staff_client
from tests.tables.playing import make_table

pytestmark = pytest.mark.django_db

#: The examples are signed with a key that everybody knows.
EXAMPLE = Signer("bluecard.example/journal", LOG_KEY, bytes(range(32)))


@pytest.fixture
def table() -> GameTable:
    """A table whose journal was sealed at 2, 12 and 42 entries."""
    table = make_table()
    for count in (0, 10, 30):
        write(count, table)
        seal()
    return table


@pytest.fixture
def reader(table: GameTable) -> Client:
    reader = key_client(None, "proof:read")
    seal()  # the key's own entry
    return reader


def test_an_entry_is_proved(reader: Client) -> None:
    entry = JournalEntry.objects.order_by("pk")[20]
    body = reader.get(f"/api/v1/journal/{entry.pk}/proof").json()
    checkpoint = open_note(body["checkpoint"]["note"], LOG.verifier)
    assert (checkpoint.size, body["leaf"], body["entry"]) == (43, 20, entry.pk)
    leaf = sha256(b"\x00" + body["body"].encode()).digest()
    verify_inclusion(leaf, 20, 43, [b64decode(step) for step in body["proof"]], checkpoint.root)


def test_growth_is_proved(reader: Client) -> None:
    older = open_note(reader.get("/api/v1/checkpoints/12").json()["note"], LOG.verifier)
    body = reader.get("/api/v1/checkpoints/43/growth/12").json()
    newer = open_note(body["checkpoint"]["note"], LOG.verifier)
    proof = [b64decode(step) for step in body["proof"]]
    verify_consistency(12, 43, proof, older.root, newer.root)


def test_checkpoints_are_listed_newest_first(reader: Client) -> None:
    body = reader.get("/api/v1/checkpoints?limit=2").json()
    assert [item["size"] for item in body["items"]] == [43, 42]
    following = reader.get(body["next"]).json()
    assert [item["size"] for item in following["items"]] == [12, 2]


@pytest.mark.parametrize(
    "path",
    [
        "checkpoints/3",
        "checkpoints/99999999999999999999999",
        "checkpoints/43/growth/0",
        "checkpoints/43/growth/44",
        "journal/99999999999999999999999/proof",
        "journal/0/proof",
    ],
)
def test_what_is_not_there_is_not_there(reader: Client, path: str) -> None:
    answer = reader.get(f"/api/v1/{path}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_an_entry_not_sealed_yet_has_no_proof(reader: Client, table: GameTable) -> None:
    [entry] = write(1, table)
    answer = reader.get(f"/api/v1/journal/{entry.pk}/proof")
    assert (answer.status_code, answer.json()["detail"]) == (404, f"entry {entry.pk} is not sealed yet.")


def test_a_scope_or_a_permission_opens_it(table: GameTable) -> None:
    assert key_client(None, "play:read").get("/api/v1/checkpoints").status_code == 403
    assert staff_client().get("/api/v1/checkpoints").status_code == 403
    assert staff_client("view_checkpoint").get("/api/v1/checkpoints").status_code == 200
    assert Client().get("/api/v1/checkpoints").status_code == 401
    assert Checkpoint.objects.count() == 3


def test_the_examples_of_the_document_prove_what_they_say() -> None:
    shown = examples.INCLUSION
    checkpoint = open_note(shown["checkpoint"]["note"], EXAMPLE.verifier)
    leaf = sha256(b"\x00" + shown["body"].encode()).digest()
    proof = [b64decode(step) for step in shown["proof"]]
    verify_inclusion(leaf, shown["leaf"], checkpoint.size, proof, checkpoint.root)
