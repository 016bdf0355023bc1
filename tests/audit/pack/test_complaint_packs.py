"""A pack about a complaint: what was said and attached, and that it is what the journal committed to."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from audit.models import Attachment, Complaint, ComplaintChannel
from audit.pack.making import build
from audit.rules.complaints import Said
from audit.services.attachments import Sent, attach_file, erase_attachment
from audit.services.complaint_verbs import note_complaint
from audit.services.complaints import file_complaint
from audit.services.packs import NothingToShow, ask_for_pack
from tables.models import Round
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import canonical
from tests.audit import hostile
from tests.audit.deciding import make_user
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
GATEWAY = Actor.of_key("0123456789ab")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    return tmp_path


@pytest.fixture
def round_(db: Any) -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 10_000))


def complained(round_: Round, disputed: str = "the fourth card", **changes: Any) -> Complaint:
    said = Said(
        **{
            "played_at": round_.betting_opened_at,
            "table": "B01",
            "dealer": "Mali Chantara",
            "round": round_.public_id,
            "player": "P-10001",
            "disputed": disputed,
            "contact": "chat 4411",
            **changes,
        }
    )
    files = [Sent("chat.txt", b"My screen froze"), Sent("page.html", hostile.HTML)]
    filed = file_complaint(
        said=said,
        channel=ComplaintChannel.CHAT,
        language="th",
        actor=GATEWAY,
        user=None,
        at=NOON,
        files=files,
    )
    assert [(one.name, one.rule) for one in filed.files_refused] == [("page.html", "attachment/markup")]
    return filed.complaint


def built(subject: Any, *permissions: str) -> zipfile.ZipFile:
    user = make_user(f"orn{len(permissions)}", "audit.export_evidence", *permissions)
    pack = ask_for_pack(subject=subject, actor=Actor.of_user(user), at=LATER, user=user)
    data = build(pack)
    assert data == build(pack)
    return zipfile.ZipFile(io.BytesIO(data))


def test_what_was_said_is_what_the_journal_committed_to(round_: Round) -> None:
    complaint = complained(round_)
    agent = make_user("pim", "audit.handle_complaint")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    note_complaint(complaint_id=complaint.pk, seen_version=1, text="asked the floor", **who)
    archive = built(complaint, "tables.view_playeridentity")
    whole = json.loads(archive.read("evidence.json"))
    assert whole["about"] == {"kind": "complaint", "id": complaint.number}
    assert [row["round"] for row in whole["rounds"]] == [round_.public_id]
    [row] = whole["complaints"]
    assert (row["status"], row["player"], row["checks"]["dealer"]) == ("received", "P-10001", "agrees")
    [words] = whole["complaint_words"]
    salt = bytes.fromhex(words.pop("salt"))
    assert (words.pop("complaint"), words.pop("version")) == (complaint.number, 1)
    assert (words["disputed"], words["contact"]) == ("the fourth card", "chat 4411")
    entries = [json.loads(line) for line in archive.read("journal/entries.jsonl").decode().splitlines()]
    bodies = [json.loads(entry["body"]) for entry in entries]
    details = {body["action"]: body["data"].get("details") for body in bodies}
    committed = details["complaint.filed"]["words_commitment"]
    assert hashlib.sha256(salt + canonical(words)).hexdigest() == committed
    note = whole["complaint_steps"][1]
    assert (note["action"], note["text"]) == ("noted", "asked the floor")
    text = canonical({"text": note["text"]})
    committed = details["complaint.noted"]["text_commitment"]
    assert hashlib.sha256(bytes.fromhex(note["salt"]) + text).hexdigest() == committed


def test_the_attached_file_lies_in_it_as_it_was_attached(round_: Round) -> None:
    archive = built(complained(round_), "tables.view_playeridentity")
    [row] = json.loads(archive.read("evidence.json"))["attachments"]
    assert row["file"] == f"attachments/{Attachment.objects.get().uuid}.txt"
    assert (row["name"], archive.read(row["file"])) == ("chat.txt", b"My screen froze")
    assert hashlib.sha256(b"My screen froze").hexdigest() == row["sha256"]
    salted = hashlib.sha256(bytes.fromhex(row["salt"]) + b"My screen froze").hexdigest()
    assert salted == row["commitment"]
    assert f"{row['sha256']}  {row['file']}" in archive.read("SHA256SUMS").decode()


def test_an_erased_file_is_named_as_erased_and_is_not_inside(round_: Round) -> None:
    complaint = complained(round_)
    erase_attachment(attachment=Attachment.objects.get(), actor=SYSTEM, at=NOON)
    archive = built(complaint, "tables.view_playeridentity")
    [row] = json.loads(archive.read("evidence.json"))["attachments"]
    assert (row["bytes"], row["sha256"], row["file"]) == (15, "", "")
    assert not [name for name in archive.namelist() if name.startswith("attachments/")]


def test_who_may_not_know_the_player_gets_how_it_went_and_no_word(round_: Round) -> None:
    archive = built(complained(round_))
    held = b"".join(archive.read(name) for name in archive.namelist())
    for text in (b"fourth card", b"chat 4411", b"P-10001", b"screen froze", b"chat.txt"):
        assert text not in held
    whole = json.loads(archive.read("evidence.json"))
    assert [row["action"] for row in whole["complaint_steps"]] == ["filed"]
    assert whole["complaints"][0]["status"] == "received"


def test_a_pack_about_the_round_names_its_complaints_without_their_words(round_: Round) -> None:
    first, second = complained(round_), complained(round_, "another's words", player="P-10002")
    archive = built(round_, "tables.view_playeridentity")
    whole = json.loads(archive.read("evidence.json"))
    assert [row["complaint"] for row in whole["complaints"]] == [first.number, second.number]
    assert whole["complaint_words"] == []
    held = b"".join(archive.read(name) for name in archive.namelist())
    assert b"another's words" not in held
    assert [row["of"] for row in whole["attachments"]] == [first.number, second.number]
    of_first = built(first, "tables.view_playeridentity", "tables.view_round")
    assert second.number not in of_first.read("evidence.json").decode()


def test_a_complaint_without_a_round_has_no_pack(round_: Round) -> None:
    complaint = complained(round_, round="B01-20200101-01-001-A")
    with pytest.raises(NothingToShow, match="names no round"):
        built(complaint)


def test_it_is_checked_elsewhere_and_a_changed_file_is_named(round_: Round, folder: Path) -> None:
    complaint = complained(round_)
    attach_file(subject=complaint, data=hostile.png(), name="s.png", actor=GATEWAY, at=NOON)
    archive = built(complaint, "tables.view_playeridentity")
    held = {name: archive.read(name) for name in archive.namelist()}
    (folder / "verify.py").write_bytes(held["verify.py"])

    def check() -> str:
        with zipfile.ZipFile(folder / "pack.zip", "w") as out:
            for name, data in held.items():
                out.writestr(name, data)
        command = [sys.executable, "-I", "verify.py", "pack.zip"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout

    assert check().startswith("VALID 34 files as signed by bluecard.localhost/evidence\n")
    [picture] = [name for name in held if name.endswith(".png")]
    held[picture] += b"x"
    assert check().startswith(f"INVALID file {picture}: it was changed\n")
