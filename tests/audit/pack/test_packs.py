"""An evidence pack says what happened, in both languages, and shows when anything in it was changed."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction

from audit.models import EvidencePack, PackStatus, RulingKind
from audit.pack.document import document_of
from audit.pack.facts import read_facts
from audit.pack.making import build, make_pack
from audit.pack.typeset import typeset
from audit.rules.checkpoint import LOG_KEY, Signer
from audit.services.packs import NotReady, ask_for_pack, claim_pack, open_pack, ring_for_packs
from tables.models import JournalEntry, Round
from tables.services.actors import Actor, NotAllowed
from tests.audit.deciding import MANAGES, make_user, rule
from tests.audit.sealed import OTHER_LOG
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
EXPORTS = ("audit.export_evidence", "tables.view_playeridentity")
LATER = NOON + timedelta(hours=1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    return tmp_path


@pytest.fixture
def round_() -> Round:
    """Provide a round that the Player won 9 to 2 and that a ruling made void."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    round_ = platform.play(
        "9H 2D KC QS", ("b1", "P-10001", "player", 10_000), ("=b2", "P-10002", "banker", 30_000)
    )
    asker, decider = make_user("asker", *MANAGES), make_user("decider", *MANAGES)
    rule(asker, decider, RulingKind.VOID_ROUND, [round_], at=NOON + timedelta(minutes=5))
    return round_


@pytest.fixture
def auditor() -> User:
    return make_user("orn", *EXPORTS)


def ask(round_: Any, user: User, *, at: Any = LATER) -> EvidencePack:
    return ask_for_pack(subject=round_, actor=Actor.of_user(user), at=at, user=user)


def made(round_: Any, user: User) -> tuple[EvidencePack, zipfile.ZipFile]:
    pack = ask(round_, user)
    assert make_pack(pack_id=pack.pk, now=LATER)
    pack.refresh_from_db()
    data = open_pack(pack=pack, actor=Actor.of_user(user), at=LATER)
    return pack, zipfile.ZipFile(io.BytesIO(data))


def test_a_pack_holds_what_was_dealt_bet_and_decided(round_: Round, auditor: User) -> None:
    pack, archive = made(round_, auditor)
    assert (pack.status, pack.step, pack.subject_label) == ("ready", 3, round_.public_id)
    names = archive.namelist()
    assert {"evidence.pdf", "evidence.json", "rulebooks/commission-1.yaml", "verify.py"} <= set(names)
    assert names[-2:] == ["SHA256SUMS", "SHA256SUMS.sig"]
    whole = json.loads(archive.read("evidence.json"))
    assert whole["stated_at"] == "2026-11-29T06:00:00.000000Z"
    assert [(row["place"], row["card"]) for row in whole["cards"]] == [
        ("P1", "9H"), ("B1", "2D"), ("P2", "KC"), ("B2", "QS"),
    ]  # fmt: skip
    assert [(row["revision"], row["returned_minor"], row["moved_minor"]) for row in whole["revisions"]] == [
        (1, 20_000, 20_000),
        (2, 40_000, 20_000),
    ]
    [ruling] = whole["rulings"]
    assert (ruling["kind"], ruling["requested_by"], ruling["decided_by"]) == (
        "void_round", "Asker", "Decider",
    )  # fmt: skip
    assert whole["revisions"][1]["authority"] == ruling["ruling"]
    bets = list(csv.DictReader(io.StringIO(archive.read("tables/bets.csv").decode())))
    assert [(row["bet"], row["player"], row["stake_minor"]) for row in bets] == [
        ("b1", "P-10001", "10000"),
        ("'=b2", "P-10002", "30000"),  # a spreadsheet would take it for a formula
    ]
    assert sha256(archive.read("rulebooks/commission-1.yaml")).hexdigest() == round_.rulebook.content_hash


def test_the_journal_of_the_round_and_its_ruling_lies_in_it_as_it_was_hashed(
    round_: Round, auditor: User
) -> None:
    _, archive = made(round_, auditor)
    rows = [json.loads(line) for line in archive.read("journal/entries.jsonl").decode().splitlines()]
    actions = {json.loads(row["body"])["action"] for row in rows}
    assert {"round.settled", "ruling.requested", "ruling.approved", "ruling.applied"} <= actions
    for row in rows:
        assert sha256(b"\x00" + row["body"].encode()).hexdigest() == row["leaf_hash"]


def test_a_pack_that_waited_states_when_its_facts_were_read(round_: Round, auditor: User) -> None:
    pack = ask(round_, auditor)
    assert make_pack(pack_id=pack.pk, now=LATER + timedelta(minutes=5, microseconds=7))
    pack.refresh_from_db()
    data = open_pack(pack=pack, actor=Actor.of_user(auditor), at=LATER + timedelta(minutes=6))
    whole = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("evidence.json"))
    assert whole["stated_at"] == "2026-11-29T06:05:00.000000Z"


def test_the_same_facts_at_the_same_time_give_the_same_bytes(round_: Round, auditor: User) -> None:
    pack = ask(round_, auditor)
    first, second = build(pack), build(pack)
    assert first == second
    pack.asked_at += timedelta(seconds=2)
    third = build(pack)
    unlike = {
        name
        for name in zipfile.ZipFile(io.BytesIO(first)).namelist()
        if zipfile.ZipFile(io.BytesIO(first)).read(name) != zipfile.ZipFile(io.BytesIO(third)).read(name)
    }
    assert unlike == {"evidence.json", "evidence.pdf", "SHA256SUMS", "SHA256SUMS.sig"}


def test_both_languages_say_the_same(round_: Round, auditor: User) -> None:
    pack = ask(round_, auditor)
    facts = read_facts(pack)
    english, thai = document_of(pack, facts, "en"), document_of(pack, facts, "th")
    assert english["title"] == f"Evidence of {round_.public_id}"
    assert thai["title"] == f"หลักฐานของ {round_.public_id}"
    shapes = [
        [[block["kind"] for block in section["blocks"]] for section in part["sections"]]
        for part in (english, thai)
    ]
    assert shapes[0] == shapes[1]
    for section in thai["sections"]:
        assert any("\u0e00" <= char <= "\u0e7f" for char in section["title"]), section["title"]
    pages = typeset(pack, [english, thai], form="png")
    assert len(pages) >= 2
    if os.environ.get("LOOK_AT"):
        for number, page in enumerate(pages):
            (Path(os.environ["LOOK_AT"]) / f"page-{number}.png").write_bytes(page)


def test_the_page_carries_its_font_and_no_other(round_: Round, auditor: User) -> None:
    _, archive = made(round_, auditor)
    pdf = archive.read("evidence.pdf")
    assert pdf.startswith(b"%PDF-1.")
    assert b"Sarabun" in pdf
    licence = (files("fontpkg_sarabun") / "LICENSE").read_text()
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence


def test_who_may_not_see_references_gets_numbers(round_: Round) -> None:
    _, archive = made(round_, make_user("clerk", "audit.export_evidence"))
    assert b"P-10001" not in b"".join(archive.read(name) for name in archive.namelist())


def test_a_shoe_lists_all_its_rounds(round_: Round, auditor: User) -> None:
    _pack, archive = made(round_.shoe, auditor)
    whole = json.loads(archive.read("evidence.json"))
    assert whole["about"] == {"kind": "shoe", "id": round_.shoe.public_id}
    assert [row["round"] for row in whole["rounds"]] == [round_.public_id]
    assert [row["place"] for row in whole["cards"]][:3] == ["turned", "burned", "burned"]


# --- checked elsewhere ----------------------------------------------------------------------------------


def check(pack: Path, *more: str) -> tuple[int, str]:
    """Run the pack's own checker, alone in its folder, with nothing of the product on its path."""
    with zipfile.ZipFile(pack) as archive:
        (pack.parent / "verify.py").write_bytes(archive.read("verify.py"))
    done = subprocess.run(
        [sys.executable, "-I", "verify.py", pack.name, *more],
        cwd=pack.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def pack_file(round_: Round, auditor: User, folder: Path) -> Path:
    pack = ask(round_, auditor)
    path = folder / "pack.zip"
    path.write_bytes(build(pack))
    return path


def test_an_untouched_pack_is_valid_elsewhere(pack_file: Path) -> None:
    with zipfile.ZipFile(pack_file) as archive:
        key = archive.read("evidence.pub").decode().strip()
    code, said = check(pack_file, "--key", key)
    assert code == 0
    assert said.startswith("VALID 32 files as signed by bluecard.localhost/evidence\n")
    assert "the file itself names" not in said
    assert check(pack_file)[1].endswith(f"signed with the key that the file itself names: {key}\n")


def test_a_pack_that_somebody_else_signed_is_not_the_houses(pack_file: Path) -> None:
    code, said = check(pack_file, "--key", str(OTHER_LOG.verifier))
    assert (code, said) == (
        1,
        "INVALID manifest: it is signed by bluecard.localhost/evidence, whose key was not given\n",
    )
    forger = Signer("bluecard.localhost/evidence", LOG_KEY, bytes(range(32)))
    code, said = check(pack_file, "--key", str(forger.verifier))
    assert (code, said) == (1, "INVALID manifest: not signed by bluecard.localhost/evidence\n")


def changed(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    change(held)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)


def resign(held: dict[str, bytes]) -> None:
    """Change a stake, and write the manifest anew without the house's key."""
    held["tables/bets.csv"] = held["tables/bets.csv"].replace(b"10000", b"90000")
    listed = sorted(name for name in held if not name.startswith("SHA256SUMS"))
    sums = "".join(f"{sha256(held[name]).hexdigest()}  {name}\n" for name in listed)
    held["SHA256SUMS"] = sums.encode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda held: held.update({"tables/bets.csv": b"x"}), "file tables/bets.csv: it was changed"),
        (lambda held: held.pop("evidence.pdf"), "file evidence.pdf: it is missing"),
        (lambda held: held.update({"more.txt": b"x"}), "file more.txt: it is not in the manifest"),
        (resign, "manifest: the signature by bluecard.localhost/evidence is wrong"),
        (lambda held: held.pop("SHA256SUMS.sig"), "file: it is no whole evidence pack"),
    ],
)
def test_a_changed_pack_is_found_and_named(
    pack_file: Path, change: Callable[[dict[str, bytes]], None], said: str
) -> None:
    changed(pack_file, change)
    code, out = check(pack_file)
    assert code == 1
    assert out.startswith("INVALID ")
    assert said in out


# --- asked for, made, given out -------------------------------------------------------------------------


def test_who_may_not_export_asks_and_fetches_in_vain(round_: Round, auditor: User) -> None:
    pack, _ = made(round_, auditor)
    nobody = make_user("nobody", "tables.view_round")
    with pytest.raises(NotAllowed):
        ask(round_, nobody)
    with pytest.raises(NotAllowed):
        open_pack(pack=pack, actor=Actor.of_user(nobody), at=LATER)


def test_asking_making_and_fetching_stand_in_the_journal(round_: Round, auditor: User) -> None:
    pack, _ = made(round_, auditor)
    entries = JournalEntry.objects.filter(subject_type="evidencepack").order_by("pk")
    assert [(entry.action, entry.subject_label) for entry in entries] == [
        ("evidence.asked", pack.number),
        ("evidence.made", pack.number),
        ("evidence.fetched", pack.number),
    ]


def test_a_second_press_and_a_second_worker_make_no_second_pack(round_: Round, auditor: User) -> None:
    pack = ask(round_, auditor)
    assert ask(round_, auditor, at=LATER + timedelta(seconds=20)) == pack
    assert ask(round_, auditor, at=LATER + timedelta(seconds=31)) != pack
    assert claim_pack(pack_id=pack.pk, now=LATER) is not None
    assert claim_pack(pack_id=pack.pk, now=LATER + timedelta(minutes=10)) is None
    assert claim_pack(pack_id=pack.pk, now=LATER + timedelta(minutes=11)) is not None  # its maker died
    with pytest.raises(NotReady, match="making"):
        pack.refresh_from_db()
        open_pack(pack=pack, actor=Actor.of_user(auditor), at=LATER)


def test_a_maker_that_dies_three_times_is_not_tried_again(round_: Round, auditor: User) -> None:
    pack = ask(round_, auditor)
    at = LATER
    for _ in range(3):
        assert claim_pack(pack_id=pack.pk, now=at) is not None
        at += timedelta(minutes=11)
    assert claim_pack(pack_id=pack.pk, now=at) is None
    pack.refresh_from_db()
    assert (pack.status, pack.problem) == (PackStatus.FAILED, "its maker died three times")


def test_a_pack_that_cannot_be_made_says_why(round_: Round, auditor: User, folder: Path) -> None:
    pack = ask(round_, auditor)
    (folder / "keys").mkdir()
    (folder / "keys" / "evidence.key").write_text("no key")
    assert not make_pack(pack_id=pack.pk, now=LATER)
    pack.refresh_from_db()
    assert pack.status == "failed"
    assert "a private key is written" in pack.problem
    assert not make_pack(pack_id=pack.pk, now=LATER)


def test_a_pack_changed_in_the_store_is_not_given_out(round_: Round, auditor: User, folder: Path) -> None:
    pack, _ = made(round_, auditor)
    [path] = [path for path in (folder / "evidence" / "packs").rglob("*") if path.is_file()]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(NotReady, match="not what was made"):
        open_pack(pack=pack, actor=Actor.of_user(auditor), at=LATER)


def test_packs_nobody_took_up_are_rung_for_again(round_: Round, auditor: User) -> None:
    ask(round_, auditor)
    assert ring_for_packs(now=LATER + timedelta(seconds=29)) == 0
    assert ring_for_packs(now=LATER + timedelta(seconds=31)) == 1


def test_a_pack_does_not_go_back_and_is_not_turned_to_another_round(round_: Round, auditor: User) -> None:
    pack, _ = made(round_, auditor)
    for change in ({"status": "waiting"}, {"subject_id": 7}):
        with pytest.raises(DatabaseError), transaction.atomic():
            EvidencePack.objects.filter(pk=pack.pk).update(**change)
