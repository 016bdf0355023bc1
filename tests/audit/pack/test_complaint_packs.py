"""A pack about a complaint: what was said and attached, and that it is what the journal committed to."""

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from audit.models import Attachment, Complaint, ComplaintChannel, EvidencePack
from audit.pack.document import document_of
from audit.pack.facts import read_facts
from audit.pack.making import build
from audit.pack.typeset import typeset
from audit.rules.complaints import Said
from audit.services.attachments import Sent, attach_file, erase_attachment
from audit.services.complaint_verbs import answer_complaint, merge_complaint, note_complaint
from audit.services.complaints import file_complaint
from audit.services.consents import ask_to_admit, give_consent
from audit.services.packs import ask_for_pack
from tables.models import Round
from tables.rules.commitments import committed_at
from tables.rules.sentences import LANGUAGES
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import canonical
from tests.audit import hostile
from tests.audit.deciding import make_user
from tests.audit.services.test_complaints import DECIDES
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


def checked(folder: Path, held: dict[str, bytes]) -> str:
    """Run the checker that lies in a pack, alone in a folder."""
    with zipfile.ZipFile(folder / "pack.zip", "w") as out:
        for name, data in held.items():
            out.writestr(name, data)
    (folder / "verify.py").write_bytes(held["verify.py"])
    command = [sys.executable, "-I", "verify.py", "pack.zip"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def complained(
    round_: Round, disputed: str = "the fourth card", *, at: Any = NOON, **changes: Any
) -> Complaint:
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
        at=at,
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


@pytest.mark.parametrize(
    ("changes", "refusal", "missing"),
    [
        ({"round": "B01-20200101-01-001-A"}, "unknown_round", []),
        ({"round": "", "dealer": ""}, "incomplete", ["dealer", "round_number"]),
        ({"round": "", "table": "Z99"}, "incomplete", ["round_number"]),  # no table is known either
    ],
)
def test_one_that_was_refused_for_want_of_a_round_is_shown_with_its_rule(
    changes: dict[str, str], refusal: str, missing: list[str], round_: Round, folder: Path
) -> None:
    complaint = complained(round_, **changes)
    agent = make_user("pim", "audit.handle_complaint")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    words = {"text": "We find no such round.", "language": "en", "template": refusal}
    answer_complaint(complaint_id=complaint.pk, seen_version=1, **words, **who)
    archive = built(complaint, "tables.view_playeridentity")
    whole = json.loads(archive.read("evidence.json"))
    assert whole["about"] == {"kind": "complaint", "id": complaint.number}
    [row] = whole["complaints"]
    assert (row["round"], row["status"], row["refusal"]) == ("", "refused", refusal)
    [said] = whole["complaint_words"]
    assert (said["disputed"], said["round_text"]) == ("the fourth card", changes["round"])
    filed, answered = whole["complaint_steps"]
    assert (filed["details"]["missing"], answered["text"]) == (missing, "We find no such round.")
    [file] = whole["attachments"]
    assert archive.read(file["file"]) == b"My screen froze"
    assert (whole["rounds"], whole["shoe"], whole["bets"], whole["video"]) == ([], [], [], [])
    assert b"complaints:" in archive.read("rulebooks/commission-1.yaml")
    rows = [json.loads(line) for line in archive.read("journal/entries.jsonl").decode().splitlines()]
    assert [json.loads(one["body"])["action"] for one in rows] == [
        "complaint.filed",
        "attachment.added",
        "complaint.answered",
    ]
    assert checked(folder, {name: archive.read(name) for name in archive.namelist()}).startswith("VALID ")


def test_the_pages_of_one_without_a_round_say_its_words_and_the_rule_in_both_languages(
    round_: Round,
) -> None:
    complaint = complained(round_, round="", dealer="")
    user = make_user("orn", "audit.export_evidence", "tables.view_playeridentity")
    pack = ask_for_pack(subject=complaint, actor=Actor.of_user(user), at=LATER, user=user)
    facts = read_facts(pack)
    english, thai = (document_of(pack, facts, language) for language in LANGUAGES)
    assert [section["title"] for section in english["sections"]] == [
        f"Complaint {complaint.number}",
        "The rule about complaints",
        "Journal",
    ]
    shown = json.dumps(english, ensure_ascii=False)
    for text in (
        "the fourth card",
        "A required detail is missing",
        "Dealer, Round",
        "without them it is rejected",
    ):
        assert text in shown, text
    shown = json.dumps(thai, ensure_ascii=False)
    assert "กติกาว่าด้วยคำร้องเรียน" in shown and "ผู้ร้องเรียนต้องแจ้งวันและเวลาที่เล่น" in shown
    pages = typeset(pack, [english, thai], form="png")
    if os.environ.get("LOOK_AT"):
        for number, page in enumerate(pages):
            (Path(os.environ["LOOK_AT"]) / f"no-round-{number}.png").write_bytes(page)


def test_one_that_another_was_merged_into_tells_of_both(round_: Round) -> None:
    first, second, third = (complained(round_, text) for text in ("its words", "said twice", "said thrice"))
    agent = make_user("pim", "audit.handle_complaint")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    merge_complaint(complaint_id=third.pk, seen_version=1, into_number=second.number, **who)
    merge_complaint(complaint_id=second.pk, seen_version=2, into_number=first.number, **who)
    other = complained(round_, "another's words", player="P-10002")
    archive = built(first, "tables.view_playeridentity")
    whole = json.loads(archive.read("evidence.json"))
    assert [(row["complaint"], row["status"], row["merged_into"]) for row in whole["complaints"]] == [
        (first.number, "received", ""),
        (second.number, "closed", first.number),
        (third.number, "closed", second.number),
    ]
    assert [row["disputed"] for row in whole["complaint_words"]] == ["its words", "said twice", "said thrice"]
    assert [(row["complaint"], row["action"]) for row in whole["complaint_steps"]] == [
        (first.number, "filed"),
        (first.number, "merged"),
        (second.number, "filed"),
        (second.number, "merged"),
        (second.number, "merged"),
        (third.number, "filed"),
        (third.number, "merged"),
    ]
    assert [row["of"] for row in whole["attachments"]] == [first.number, second.number, third.number]
    assert all(row["file"] in archive.namelist() for row in whole["attachments"])
    bodies = [
        json.loads(json.loads(line)["body"]) for line in archive.read("journal/entries.jsonl").splitlines()
    ]
    filed = [body["subject"][2] for body in bodies if body["action"] == "complaint.filed"]
    assert filed == [first.number, second.number, third.number]
    [hold] = whole["video_holds"]  # held for another's complaint as well, which is not named
    assert hold["held_for"] == [first.number, second.number, third.number, "complaint"]
    assert other.number not in archive.read("evidence.json").decode()


def test_of_a_late_one_that_was_admitted_it_says_who_asked_who_consented_when_and_why(round_: Round) -> None:
    at = LATER + timedelta(days=2)
    complaint = complained(round_, at=at)
    assert complaint.refusal == "late"
    asks = make_user("pim", "audit.handle_complaint", "audit.request_consent")
    gives = make_user("nattaya", *DECIDES)
    asked = {"actor": Actor.of_user(asks), "user": asks, "at": at}
    consent = ask_to_admit(complaint_id=complaint.pk, reason="our chat was down", **asked)
    given = {"actor": Actor.of_user(gives), "user": gives, "at": at + timedelta(minutes=3)}
    give_consent(consent_id=consent.pk, reason="so it was", **given)
    for archive in (built(complaint, "tables.view_playeridentity"), built(round_)):
        whole = json.loads(archive.read("evidence.json"))
        assert whole["complaints"][0]["is_admitted_late"] is True
        [row] = whole["consents"]
        assert (row["kind"], row["complaint"], row["status"]) == (
            "late_complaint",
            complaint.number,
            "approved",
        )
        assert (row["asked_by"], row["asked_at"], row["reason"]) == (
            "Pim", "2026-12-01T06:00:00.000000Z", "our chat was down",
        )  # fmt: skip
        assert (row["decided_by"], row["decided_at"], row["decision_reason"]) == (
            "Nattaya", "2026-12-01T06:03:00.000000Z", "so it was",
        )  # fmt: skip
        rows = [json.loads(line) for line in archive.read("journal/entries.jsonl").decode().splitlines()]
        bodies = {one["entry"]: json.loads(one["body"]) for one in rows}
        actions = [body["action"] for body in bodies.values()]
        assert {"consent.requested", "consent.approved", "complaint.admitted", "video.asked"} <= set(actions)
        for text in whole["entry_texts"]:
            salted = hashlib.sha256(bytes.fromhex(text["salt"]) + text["text"].encode()).hexdigest()
            assert committed_at(bodies[text["entry"]]["data"], text["name"]) == salted
        assert {text["text"] for text in whole["entry_texts"]} >= {"our chat was down", "so it was"}
    pack = EvidencePack.objects.filter(subject_kind="complaint").get()
    shown = json.dumps(document_of(pack, read_facts(pack), "en"))
    assert (
        "Admit a late complaint" in shown and "our chat was down" in shown and "Nattaya, 1 Dec 2026" in shown
    )


def test_it_is_checked_elsewhere_and_a_changed_file_is_named(round_: Round, folder: Path) -> None:
    complaint = complained(round_)
    attach_file(subject=complaint, data=hostile.png(), name="s.png", actor=GATEWAY, at=NOON)
    archive = built(complaint, "tables.view_playeridentity")
    held = {name: archive.read(name) for name in archive.namelist()}
    assert checked(folder, held).startswith("VALID 34 files as signed by bluecard.localhost/evidence\n")
    [picture] = [name for name in held if name.endswith(".png")]
    held[picture] += b"x"
    assert checked(folder, held).startswith(f"INVALID file {picture}: it was changed\n")
