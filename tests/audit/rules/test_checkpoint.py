"""Checkpoints: C2SP's published example of a note, and every way in which one is not what it says."""

from base64 import b64decode, b64encode

import pytest

from audit.rules.checkpoint import (
    LOG_KEY,
    WITNESS_KEY,
    BadCheckpoint,
    Checkpoint,
    Signer,
    VerifierKey,
    cosigned_at,
    open_note,
    sign,
)

LOG = Signer("bluecard.test/journal", LOG_KEY, bytes(range(32)))
WITNESS = Signer("witness.test", WITNESS_KEY, bytes(range(1, 33)))
HELD = Checkpoint("bluecard.test/journal", 7, bytes(range(100, 132)))


def test_a_checkpoint_is_three_lines() -> None:
    assert HELD.body() == "bluecard.test/journal\n7\nZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoM=\n"
    assert Checkpoint.parse(HELD.body()) == HELD


def test_what_is_signed_opens_with_the_key_it_was_signed_with() -> None:
    note = sign(HELD, LOG)
    assert open_note(note, LOG.verifier) == HELD
    body, signatures = note.split("\n\n")
    assert body + "\n" == HELD.body()
    name, blob = signatures.removeprefix("— ").removesuffix("\n").split(" ")
    assert name == "bluecard.test/journal"
    assert b64decode(blob)[:4] == LOG.verifier.key_id
    assert len(b64decode(blob)) == 4 + 64


def test_a_key_known_from_the_go_documentation_has_its_published_hash() -> None:
    # The example of the note format's first implementation (golang.org/x/mod/sumdb/note).
    published = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    assert str(VerifierKey.parse(published)) == published
    note = (
        "If you think cryptography is the answer to your problem,\n"
        "then you don't know what your problem is.\n"
        "\n"
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotp"
        "RZb6KE6RyyBwJnAM=\n"
    )
    assert cosigned_at(note, VerifierKey.parse(published)) == 0
    with pytest.raises(BadCheckpoint, match="the signature by PeterNeumann is wrong"):
        cosigned_at(note.replace("answer", "question"), VerifierKey.parse(published))


def test_a_witness_signs_when_it_saw_what() -> None:
    note = sign(HELD, LOG) + WITNESS.signature_line(HELD.body(), 1_795_000_000)
    assert cosigned_at(note, WITNESS.verifier) == 1_795_000_000
    assert open_note(note, LOG.verifier) == HELD
    other_day = note.replace(
        WITNESS.signature_line(HELD.body(), 1_795_000_000),
        _with_time(WITNESS.signature_line(HELD.body(), 1_795_000_000), 1_795_000_001),
    )
    with pytest.raises(BadCheckpoint, match=r"the signature by witness\.test is wrong"):
        cosigned_at(other_day, WITNESS.verifier)


def _with_time(line: str, seconds: int) -> str:
    head, _, blob = line.removesuffix("\n").rpartition(" ")
    raw = b64decode(blob)
    return f"{head} {b64encode(raw[:4] + seconds.to_bytes(8, 'big') + raw[12:]).decode()}\n"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("7\n", "8\n"), "the signature by bluecard.test/journal is wrong"),
        (("ZGVm", "ZGVn"), "the signature by bluecard.test/journal is wrong"),
        (("bluecard.test/journal\n7", "bluecard.test/other\n7"), "is wrong"),
        (("\n7\n", "\n07\n"), "a name, a number and a root"),
        (("\n7\n", "\n-7\n"), "a name, a number and a root"),
        (("ZGVmZ2hp", "ZGVmZ2h"), "base64"),
        (("ZGVmZ2hp", ""), "the root has 26 bytes, not 32"),
        (("oM=\n", "oM\n"), "base64"),
        (("oM=\n", "oN=\n"), "written another way"),
        (("\n\n", "\nextra\n\n"), "three lines"),
        (("— ", "- "), "is no signature"),
        (("— bluecard", "— redcard"), "no signature by bluecard.test/journal"),
    ],
)
def test_a_note_that_was_touched_is_refused(change: tuple[str, str], why: str) -> None:
    note = sign(HELD, LOG)
    if change[0] not in note:
        pytest.fail(f"the case does not touch the note: {change}")
    with pytest.raises(BadCheckpoint, match=why):
        open_note(note.replace(*change, 1), LOG.verifier)


def test_another_key_of_the_same_name_is_another_key() -> None:
    other = Signer("bluecard.test/journal", LOG_KEY, bytes(range(2, 34)))
    with pytest.raises(BadCheckpoint, match=r"no signature by bluecard\.test/journal"):
        open_note(sign(HELD, LOG), other.verifier)


def test_keys_are_written_and_read_back() -> None:
    for signer in (LOG, WITNESS):
        assert Signer.parse(signer.write()) == signer
        assert VerifierKey.parse(str(signer.verifier)) == signer.verifier
    assert "PRIVATE" not in repr(LOG)
    assert b64encode(LOG.secret).decode() not in repr(LOG)


@pytest.mark.parametrize(
    "text",
    ["", "PRIVATE+KEY+", "PRIVATE+KEY+a b+00000000+AAAA", LOG.write().replace("+", " "), str(LOG.verifier)],
)
def test_what_is_no_private_key_is_refused(text: str) -> None:
    with pytest.raises(BadCheckpoint):
        Signer.parse(text)


@pytest.mark.parametrize("text", ["", "a", "a+b+c", "x+00000000+" + str(LOG.verifier).split("+")[2]])
def test_what_is_no_published_key_is_refused(text: str) -> None:
    with pytest.raises(BadCheckpoint):
        VerifierKey.parse(text)


def test_a_new_key_is_another_each_time() -> None:
    assert Signer.make("w", WITNESS_KEY) != Signer.make("w", WITNESS_KEY)
    with pytest.raises(BadCheckpoint, match="no spaces and no plus sign"):
        Signer.make("a b", WITNESS_KEY)
