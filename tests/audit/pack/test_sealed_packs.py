"""A pack made after sealing carries each entry's proof, and stays the same while the journal grows."""

import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from audit.models import EvidencePack
from audit.pack.making import build
from audit.rules.checkpoint import open_note
from audit.services.packs import ask_for_pack
from tables.services.actors import Actor
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, seal, write
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(tmp_path: Path, settings: Any) -> Platform:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def pack(platform: Platform) -> EvidencePack:
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 10_000))
    user = make_user("orn", "audit.export_evidence", "tables.view_playeridentity")
    at = NOON + timedelta(hours=1)
    return ask_for_pack(subject=round_, actor=Actor.of_user(user), at=at, user=user)


def check(folder: Path, data: bytes) -> str:
    """Run the pack's own checker, alone in a folder."""
    (folder / "pack.zip").write_bytes(data)
    with zipfile.ZipFile(folder / "pack.zip") as archive:
        (folder / "verify_pack.py").write_bytes(archive.read("verify_pack.py"))
    done = subprocess.run(
        [sys.executable, "-I", "verify_pack.py", "pack.zip"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_entries_that_are_sealed_are_proven(pack: EvidencePack, platform: Platform, tmp_path: Path) -> None:
    assert ", 0 of them proven" in check(tmp_path, build(pack))
    made = seal()
    sealed = build(pack)
    said = check(tmp_path, sealed)
    lines = zipfile.ZipFile(tmp_path / "pack.zip").read("journal/entries.jsonl").decode().splitlines()
    assert f"journal: {len(lines)} entries, {len(lines)} of them proven to be in the sealed tree" in said
    note = zipfile.ZipFile(tmp_path / "pack.zip").read("journal/checkpoint").decode()
    assert open_note(note, LOG.verifier).size == made.size
    write(5, platform.table)
    seal()
    assert build(pack) == sealed
