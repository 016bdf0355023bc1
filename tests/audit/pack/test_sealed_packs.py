"""A pack made after sealing carries each entry's proof, and stays the same while the journal grows."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from audit.house import evidence_signer
from audit.models import EvidencePack
from audit.pack.making import build
from audit.rules.checkpoint import open_note, sign
from audit.rules.manifest import sign_sums, write_sums
from audit.services.packs import ask_for_pack
from tables.services.actors import Actor
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, OTHER_LOG, WITNESS, seal, witness_house, write
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
Files = dict[str, bytes]


@pytest.fixture
def platform(tmp_path: Path, settings: Any) -> Platform:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    settings.JOURNAL_KEY_FILE = str(tmp_path / "journal.key")
    (tmp_path / "journal.pub").write_text(f"{LOG.verifier}\n")
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def pack(platform: Platform) -> EvidencePack:
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 10_000))
    user = make_user("orn", "audit.export_evidence", "tables.view_playeridentity")
    at = NOON + timedelta(hours=1)
    return ask_for_pack(subject=round_, actor=Actor.of_user(user), at=at, user=user)


def unpacked(data: bytes) -> Files:
    archive = zipfile.ZipFile(io.BytesIO(data))
    return {name: archive.read(name) for name in archive.namelist()}


def check(folder: Path, files: Files, *options: str) -> tuple[int, list[str]]:
    """Run the checker that lies in the pack, alone in a folder, with nothing of the product on its path."""
    with zipfile.ZipFile(folder / "pack.zip", "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    (folder / "verify.py").write_bytes(files["verify.py"])
    done = subprocess.run(
        [sys.executable, "-I", "verify.py", "pack.zip", *options],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_entries_that_are_sealed_are_proven(pack: EvidencePack, platform: Platform, tmp_path: Path) -> None:
    _, said = check(tmp_path, unpacked(build(pack)))
    count = int(said[1].split()[0])
    assert said[1] == f"{count} entries of the journal, 0 of them sealed"
    made = seal()
    assert made is not None
    with witness_house(tmp_path / "seen") as house:
        house.show()
    sealed = build(pack)
    assert sealed == build(pack)
    files = unpacked(sealed)
    keys = ["--key", files["evidence.pub"].decode(), "--key", str(LOG.verifier)]
    status, said = check(tmp_path, files, *keys, "--witness", str(WITNESS.verifier))
    assert (status, said[1:]) == (
        0,
        [
            f"{count} entries of the journal, {count} of them sealed in the tree of {made.size}"
            " that bluecard.test/journal signed",
            "8 events of the feed, as those entries tell of them",
            "cosigned by witness.test/w1, 1795928400 seconds after 1970 began (UTC)",
        ],
    )
    assert open_note(files["journal/checkpoint"].decode(), LOG.verifier).size == made.size
    write(5, platform.table)
    seal()
    assert build(pack) == sealed


def test_apart_from_the_stated_time_two_packs_hold_the_same(pack: EvidencePack) -> None:
    seal()
    first = build(pack)
    pack.asked_at += timedelta(seconds=2)
    one, other = unpacked(first), unpacked(build(pack))
    unlike = {name for name in one if one[name] != other[name]}
    assert unlike == {"evidence.json", "evidence.pdf", "SHA256SUMS", "SHA256SUMS.sig"}
    later, earlier = json.loads(other["evidence.json"]), json.loads(one["evidence.json"])
    assert (earlier.pop("stated_at"), later.pop("stated_at")) == (
        "2026-11-29T06:00:00.000000Z",
        "2026-11-29T06:00:02.000000Z",
    )
    assert later == earlier


def forge_checkpoint(files: Files) -> None:
    """Sign the checkpoint with another key of the journal's name."""
    note = open_note(files["journal/checkpoint"].decode(), LOG.verifier)
    files["journal/checkpoint"] = sign(note, OTHER_LOG).encode()


def alter_entry(files: Files) -> None:
    """Alter an entry, and its hash with it: its proof leads elsewhere then."""
    rows = [json.loads(line) for line in files["journal/entries.jsonl"].decode().splitlines()]
    rows[0]["body"] = rows[0]["body"].replace('"v":2', '"v":3')
    rows[0]["leaf_hash"] = sha256(b"\x00" + rows[0]["body"].encode()).hexdigest()
    files["journal/entries.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def alter_hash(files: Files) -> None:
    rows = files["journal/entries.jsonl"].decode()
    files["journal/entries.jsonl"] = rows.replace('"v\\":2', '"v\\":3', 1).encode()


def alter_event(files: Files) -> None:
    """Let the feed have said another card: the entry of its batch is sealed, and tells of another event."""
    whole = json.loads(files["evidence.json"])
    event = next(row for row in whole["feed"] if row["type"] == "card")
    event["kept"] = event["kept"].replace('"9H"', '"8H"')
    files["evidence.json"] = json.dumps(whole).encode()


def alter_event_and_hash(files: Files) -> None:
    alter_event(files)
    whole = json.loads(files["evidence.json"])
    event = next(row for row in whole["feed"] if row["type"] == "card")
    row = next(row for row in whole["feed_hashes"] if row["seq"] == event["seq"])
    row["kept_sha256"] = sha256(event["kept"].encode()).hexdigest()
    files["evidence.json"] = json.dumps(whole).encode()


def put_an_event_in(files: Files) -> None:
    whole = json.loads(files["evidence.json"])
    whole["feed"].append({**whole["feed"][-1], "seq": 99, "entry": None})
    files["evidence.json"] = json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (alter_event, "it is not what its entry's digest is over"),
        (alter_event_and_hash, "the events of its batch are not those it tells of"),
        (put_an_event_in, "INVALID event 99 of the feed: no entry of the pack tells of it"),
        (forge_checkpoint, "INVALID checkpoint: not signed by bluecard.test/journal"),
        (alter_entry, "it is not in the signed tree: it was altered, moved or put in"),
        (alter_hash, "it is not what its hash says"),
    ],
)
def test_a_pack_that_the_house_itself_signed_anew_does_not_deceive(
    alter: Callable[[Files], None], said: str, pack: EvidencePack, tmp_path: Path
) -> None:
    seal()
    files = unpacked(build(pack))
    alter(files)
    del files["SHA256SUMS"], files["SHA256SUMS.sig"]
    sums = write_sums(files)
    files |= {"SHA256SUMS": sums.encode(), "SHA256SUMS.sig": sign_sums(sums, evidence_signer()).encode()}
    keys = ["--key", files["evidence.pub"].decode(), "--key", str(LOG.verifier)]
    status, lines = check(tmp_path, files, *keys)
    assert status == 1
    assert lines[0].startswith("INVALID ") and lines[0].endswith(said)


def test_a_checkpoint_seen_elsewhere_shows_a_rewritten_history(pack: EvidencePack, tmp_path: Path) -> None:
    made = seal()
    assert made is not None
    files = unpacked(build(pack))
    key = ["--key", files["evidence.pub"].decode(), "--key", str(LOG.verifier)]
    (tmp_path / "seen").write_text(made.note)
    assert check(tmp_path, files, *key, "--seen", "seen")[0] == 0
    other = replace(open_note(made.note, LOG.verifier), root=bytes(32))
    (tmp_path / "seen").write_text(sign(other, LOG))
    status, said = check(tmp_path, files, *key, "--seen", "seen")
    assert (status, said[0]) == (
        3,
        f"DIVERGED the first {made.size} entries are not those that were seen: history was rewritten",
    )
