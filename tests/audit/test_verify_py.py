"""`verify.py` where the product is not installed: VALID, INVALID with the first bad entry, or DIVERGED."""

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.models import Checkpoint, Leaf
from audit.queries.exporting import as_text, note_of, proof_of_entry
from audit.rules.checkpoint import Checkpoint as Note
from audit.rules.checkpoint import sign
from casino.runtime.places import ROOT
from tables.models import JournalEntry
from tests.audit.sealed import LOG, OTHER_LOG, WITNESS, seal, witness_house, write
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

Lines = list[dict[str, Any]]


class Elsewhere:
    """A folder with nothing of the product but `verify.py`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "verify.py").write_text((ROOT / "verify.py").read_text())

    def judge(self, lines: Lines, *options: str) -> tuple[int, str]:
        (self.folder / "export").write_text("".join(map(as_text, lines)))
        done = subprocess.run(
            [sys.executable, "-I", "verify.py", "export", *options],
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def keep(self, name: str, note: str) -> str:
        (self.folder / name).write_text(note)
        return name


@pytest.fixture
def elsewhere(tmp_path: Path) -> Elsewhere:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Elsewhere(folder)


@pytest.fixture
def journal(tmp_path: Path, settings: Any) -> Checkpoint:
    """A settled round and thirty entries, sealed in two steps, the second one witnessed; the older note."""
    settings.JOURNAL_KEY_FILE = str(tmp_path / "journal.key")
    (tmp_path / "journal.pub").write_text(f"{LOG.verifier}\n")
    platform = Platform(make_table())
    platform.start()
    platform.play("KS 2H QD KH KC 10H", ("b1", "P-10001", "banker", 10_000))
    write(10, platform.table)
    older = seal()
    write(20, platform.table, reason="seen by hand")
    seal()
    with witness_house(tmp_path / "newest") as house:
        house.show()
    return older


def export(tmp_path: Path, *options: str) -> Lines:
    call_command("export_journal", str(tmp_path / "out"), *options)
    return [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]


def test_it_needs_nothing_but_python_and_one_package() -> None:
    wanted = set()
    for part in ast.walk(ast.parse((ROOT / "verify.py").read_text())):
        if isinstance(part, ast.Import):
            wanted |= {one.name.split(".")[0] for one in part.names}
        elif isinstance(part, ast.ImportFrom):
            wanted.add((part.module or "").split(".")[0])
    assert wanted - sys.stdlib_module_names == {"cryptography"}


def test_a_whole_journal_is_valid(journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path) -> None:
    lines = export(tmp_path)
    count = JournalEntry.objects.count()
    seen = elsewhere.keep("seen", journal.note)
    status, said = elsewhere.judge(
        lines, "--key", str(LOG.verifier), "--witness", str(WITNESS.verifier), "--seen", seen
    )
    assert status == 0, said
    assert said.splitlines() == [
        f"VALID leaf 0 to {count - 1}, {count} of {count} entries sealed",
        "cosigned by witness.test/w1, 1795928400 seconds after 1970 began (UTC)",
        f"and it grew from the {journal.size} entries seen before",
    ]


def test_without_a_key_it_says_whose_word_that_is(
    journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    status, said = elsewhere.judge(export(tmp_path))
    assert status == 0
    assert f"signed with the key that the file itself names: {LOG.verifier}" in said


def test_a_part_is_valid_and_needs_a_proof_of_growth(
    journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    entry = JournalEntry.objects.latest("pk")
    seen = elsewhere.keep("seen", journal.note)
    index = Leaf.objects.get(entry_id=entry.pk).index
    alone = proof_of_entry(entry.pk, LOG.verifier)
    assert elsewhere.judge(alone)[1].startswith(f"VALID leaf {index} to {index}, 1 of {index + 1} entries")
    status, said = elsewhere.judge(alone, "--seen", seen)
    assert (status, f"have it made with --seen {journal.size}" in said) == (2, True)
    part = export(
        tmp_path, "--seen", str(elsewhere.folder / seen), "--from", "2026-11-29", "--to", "2026-11-29"
    )
    assert elsewhere.judge(part, "--seen", seen)[0] == 0


Spoil = Callable[[Lines], object]


def put(place: int, name: str, value: object) -> Spoil:
    return lambda lines: lines[place].__setitem__(name, value)


def in_body(place: int, old: str, new: str) -> Spoil:
    return lambda lines: put(place, "body", lines[place]["body"].replace(old, new, 1))(lines)


@pytest.mark.parametrize(
    ("spoil", "where"),
    [
        (in_body(9, '"at":"2026', '"at":"2025'), 8),  # back-dated
        (in_body(9, "B01", "B02"), 8),
        (lambda lines: lines.pop(9), 8),  # deleted
        (lambda lines: lines.pop(), -1),  # the newest deleted
        (lambda lines: lines.insert(9, lines[9]), 9),  # inserted
        (lambda lines: lines.insert(9, lines.pop(10)), 8),  # swapped
        (
            lambda lines: (
                put(9, "leaf", 9)(lines),
                put(10, "leaf", 8)(lines),
                lines.insert(9, lines.pop(10)),
            ),
            8,
        ),
        (put(9, "proof", []), 8),
        (lambda lines: lines[9]["proof"].reverse(), 8),
        (put(9, "proof", ["AAAA"]), 8),
        (put(9, "body", None), 8),
        (lambda lines: lines[-1]["texts"]["reason"].update(text="nothing was seen"), -1),
        (
            lambda lines: next(line for line in lines if "lines" in line).update(lines="1 10000 won 999999"),
            None,
        ),
    ],
)
def test_the_first_bad_entry_is_named(
    journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path, spoil: Spoil, where: int | None
) -> None:
    lines = export(tmp_path)
    if where is None:
        where = next(line["leaf"] for line in lines if "lines" in line)
    if where == -1:
        where = lines[-1]["leaf"]
    spoil(lines)
    status, said = elsewhere.judge(lines)
    assert status == 1, said
    assert said.startswith("INVALID entry")
    assert f"leaf {where}" in said


@pytest.mark.parametrize(
    "spoil",
    [
        put(0, "checkpoint", "x"),
        put(0, "format", "other"),
        put(0, "key", "a+b+c"),
        put(0, "last", "9"),
        lambda lines: lines.clear(),
        lambda lines: (put(0, "last", -1)(lines), lines.__delitem__(slice(1, None))),  # of no entry at all
        lambda lines: put(0, "checkpoint", lines[0]["checkpoint"].replace("\n3", "\n2", 1))(lines),
    ],
)
def test_a_file_that_is_no_export_is_invalid(
    journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path, spoil: Spoil
) -> None:
    lines = export(tmp_path)
    spoil(lines)
    status, said = elsewhere.judge(lines)
    assert (status, said.startswith("INVALID")) == (1, True), said


def test_another_key_than_the_house_s_is_invalid(
    journal: Checkpoint, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    status, said = elsewhere.judge(export(tmp_path), "--key", str(OTHER_LOG.verifier))
    assert (status, said) == (1, "INVALID checkpoint: not signed by bluecard.test/journal\n")


def test_history_rewritten_and_signed_again_has_diverged(
    elsewhere: Elsewhere, tmp_path: Path, settings: Any
) -> None:
    settings.JOURNAL_KEY_FILE = str(tmp_path / "journal.key")
    (tmp_path / "journal.pub").write_text(f"{LOG.verifier}\n")
    table = make_table()
    write(5, table)
    seal()
    lines = export(tmp_path)
    # What an auditor saw of the history before it was rewritten: the same sizes, other entries, the real key.
    for size, named in (
        (3, "the first 3 entries are not those"),
        (7, "the first 7"),
        (9, "9 entries were seen"),
    ):
        seen = elsewhere.keep("seen", sign(Note(LOG.name, size, bytes(32)), LOG))
        status, said = elsewhere.judge(lines, "--key", str(LOG.verifier), "--seen", seen)
        assert status == 3, said
        assert said.startswith(f"DIVERGED {named}")
    forged = elsewhere.keep("seen", sign(Note(LOG.name, 3, bytes(32)), OTHER_LOG))
    assert elsewhere.judge(lines, "--key", str(LOG.verifier), "--seen", forged)[0] == 2


def test_the_note_of_a_checkpoint_carries_every_signature(journal: Checkpoint) -> None:
    newest = Checkpoint.objects.latest("size")
    assert note_of(newest).count("\n— ") == 2
    assert note_of(journal).count("\n— ") == 1
