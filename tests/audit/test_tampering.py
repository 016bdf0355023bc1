"""What an owner or a superuser does to sealed entries is found and named; nothing else is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from audit.models import Checkpoint, Leaf, Verification, WitnessState
from audit.rules.checkpoint import open_note
from audit.services.verifying import Run
from tables.models import JournalEntry
from tests.audit.sealed import LOG, OTHER_LOG, WITNESS, WitnessHouse, found, seal, write
from tests.tables.playing import make_table

pytestmark = pytest.mark.django_db(transaction=True)

SEALED = ("audit_leaf", "audit_treenode", "audit_checkpoint")
FORGET = "".join(f"DELETE FROM {name}; " for name in ("audit_cosignature", *SEALED[::-1]))

Tamper = Callable[..., None]


def entry_at(index: int) -> int:
    return Leaf.objects.get(pk=index).entry_id


def test_what_nobody_touched_raises_no_alarm(house: WitnessHouse) -> None:
    run = Run(LOG.verifier, WITNESS.verifier, house.url, [open_note(house.witness.note, LOG.verifier)])
    assert list(run.find()) == []
    size = JournalEntry.objects.count()
    assert (run.checked.entries, run.checked.rows, run.checked.checkpoints) == (size, size, 4)
    assert (run.checked.cosignatures, run.checked.witnessed) == (4, size)
    write(3, make_table(code="B02"))  # and entries that wait to be sealed are none either
    assert found(house) == []


def test_a_byte_changed(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(100)
    tamper(
        "UPDATE tables_journalentry SET body = set_byte(body, 30, get_byte(body, 30) # 1) WHERE id = %s",
        entry,
    )
    assert found(house) == [("entry_altered", entry)]


def test_a_byte_changed_with_its_hash_and_its_leaf(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(100)
    tamper(
        """UPDATE tables_journalentry SET body = replace(convert_from(body, 'UTF8'), 'B01', 'B09')::bytea
           WHERE id = %s;
           UPDATE tables_journalentry SET subject_label = 'B09', leaf_hash = sha256('\\x00'::bytea || body)
           WHERE id = %s;
           UPDATE audit_leaf SET hash = (SELECT leaf_hash FROM tables_journalentry WHERE id = entry_id)
           WHERE entry_id = %s""",
        entry,
    )
    # No row speaks against another; the kept node and every later checkpoint do, and name the stretch.
    kinds = found(house)
    assert ("node_altered", None) in kinds
    assert ("root_differs", None) in kinds
    assert ("diverged", None) in kinds
    run = Run(LOG.verifier, None, "")
    size = Checkpoint.objects.order_by("size")[1].size
    after = Checkpoint.objects.order_by("size")[2].size
    assert any(f"leaf {size} to {after - 1} are not as sealed" in str(problem) for problem in run.find())


def test_one_deleted(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(77)
    tamper(
        "DELETE FROM tables_journaltext WHERE entry_id = %s; DELETE FROM tables_journalentry WHERE id = %s",
        entry,
    )
    assert found(house) == [("entry_deleted", entry)]


def test_one_deleted_with_its_leaf(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(77)
    tamper(
        """DELETE FROM tables_journaltext WHERE entry_id = %s; DELETE FROM tables_journalentry WHERE id = %s;
        DELETE FROM audit_leaf WHERE entry_id = %s""",
        entry,
    )
    assert ("leaf_missing", None) in found(house)


def test_the_newest_50_deleted_with_everything_that_speaks_of_them(
    house: WitnessHouse, tamper: Tamper
) -> None:
    whole = Checkpoint.objects.order_by("-size")[0].size
    size = Checkpoint.objects.order_by("-size")[1].size
    assert whole - size == 100
    tamper(
        f"""CREATE TEMP TABLE gone AS SELECT entry_id FROM audit_leaf WHERE index >= {size};
        DELETE FROM tables_journaltext WHERE entry_id IN (SELECT entry_id FROM gone);
        DELETE FROM tables_journalentry WHERE id IN (SELECT entry_id FROM gone);
        DELETE FROM audit_leaf WHERE index >= {size};
        DELETE FROM audit_treenode WHERE (number + 1) * 256 > {size};
        DELETE FROM audit_cosignature WHERE checkpoint_id > {size};
        DELETE FROM audit_checkpoint WHERE size > {size}"""
    )
    assert found(house) == [("diverged", None)]
    write(1, make_table(code="B03"))
    seal()
    assert f"the witness has seen {whole} entries" in house.show().problem


def test_the_newest_50_deleted_alone(house: WitnessHouse, tamper: Tamper) -> None:
    newest = list(Leaf.objects.order_by("-index").values_list("entry_id", flat=True)[:50])
    tamper(
        f"""DELETE FROM tables_journaltext WHERE entry_id >= {newest[-1]};
        DELETE FROM tables_journalentry WHERE id >= {newest[-1]}"""
    )
    assert found(house) == [("entry_deleted", entry) for entry in reversed(newest)]


INSERT = """
INSERT INTO tables_journalentry (id, action, subject_type, subject_id, subject_label, actor_kind, actor_id,
    at, request_id, body, leaf_hash)
SELECT 900000, action, subject_type, subject_id, subject_label, actor_kind, actor_id, at, request_id, body,
    leaf_hash FROM tables_journalentry WHERE id = %s
"""


def test_one_inserted(house: WitnessHouse, tamper: Tamper) -> None:
    tamper(INSERT, entry_at(100))
    assert found(house) == [("entry_inserted", 900_000)]


def test_one_inserted_and_the_count_put_right(house: WitnessHouse, tamper: Tamper) -> None:
    # A row too few among those that wait, and one too many, would even out.
    entry = entry_at(100)
    tamper(INSERT, entry)
    tamper("INSERT INTO audit_pendingentry (entry_id) VALUES (%s)", entry)
    assert found(house) == [("entry_pending_again", entry), ("entry_inserted", 900_000)]


def test_one_inserted_in_the_middle_of_the_tree(house: WitnessHouse, tamper: Tamper) -> None:
    tamper(
        f"""{INSERT}; UPDATE audit_leaf SET index = index + 100000 WHERE index >= 100;
        UPDATE audit_leaf SET index = index - 99999 WHERE index >= 100000;
        INSERT INTO audit_leaf (index, entry_id, hash) SELECT 100, id, leaf_hash FROM tables_journalentry
        WHERE id = 900000""",
        entry_at(100),
    )
    kinds = {kind for kind, _ in found(house)}
    assert {"root_differs", "size_differs", "diverged"} <= kinds


def test_two_swapped(house: WitnessHouse, tamper: Tamper) -> None:
    one, other = entry_at(60), entry_at(61)
    tamper(
        f"""UPDATE tables_journalentry a SET body = b.body, leaf_hash = b.leaf_hash FROM tables_journalentry b
        WHERE a.id IN ({one}, {other}) AND b.id IN ({one}, {other}) AND a.id <> b.id"""
    )
    assert found(house) == [("entry_altered", one), ("entry_altered", other)]


def test_two_leaves_swapped(house: WitnessHouse, tamper: Tamper) -> None:
    tamper(
        """UPDATE audit_leaf SET index = 99999 WHERE index = 60;
        UPDATE audit_leaf SET index = 60 WHERE index = 61;
        UPDATE audit_leaf SET index = 61 WHERE index = 99999"""
    )
    assert {"node_altered", "root_differs", "diverged"} <= {kind for kind, _ in found(house)}


def test_one_back_dated(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(100)
    tamper("UPDATE tables_journalentry SET at = at - interval '1 day' WHERE id = %s", entry)
    assert found(house) == [("columns_altered", entry)]
    tamper(
        """UPDATE tables_journalentry SET
        body = replace(convert_from(body, 'UTF8'), '2026-11-29T', '2026-11-28T')::bytea WHERE id = %s""",
        entry,
    )
    assert found(house) == [("entry_altered", entry)]


def test_everything_sealed_again_with_the_real_key(house: WitnessHouse, tamper: Tamper) -> None:
    entry = entry_at(100)
    tamper(
        f"""UPDATE tables_journalentry SET body = replace(convert_from(body, 'UTF8'), 'B01', 'B09')::bytea,
        subject_label = 'B09' WHERE id = {entry};
        UPDATE tables_journalentry SET leaf_hash = sha256('\\x00'::bytea || body) WHERE id = {entry};
        {FORGET} INSERT INTO audit_pendingentry SELECT id FROM tables_journalentry"""
    )
    seal()
    assert found(house) == [("diverged", None)]
    assert "history was rewritten" in house.show().problem


def test_an_old_backup_brought_back_and_played_on(house: WitnessHouse, tamper: Tamper) -> None:
    seen = Checkpoint.objects.order_by("-size")[0].size
    old = Checkpoint.objects.order_by("-size")[1].size
    tamper(
        f"""CREATE TEMP TABLE gone AS SELECT entry_id FROM audit_leaf WHERE index >= {old};
        DELETE FROM tables_journaltext WHERE entry_id IN (SELECT entry_id FROM gone);
        DELETE FROM tables_journalentry WHERE id IN (SELECT entry_id FROM gone);
        DELETE FROM audit_leaf WHERE index >= {old};
        DELETE FROM audit_treenode WHERE (number + 1) * 256 > {old};
        DELETE FROM audit_cosignature WHERE checkpoint_id > {old};
        DELETE FROM audit_checkpoint WHERE size > {old}"""
    )
    WitnessState.objects.update(size=old)
    write(seen - old + 20, make_table(code="B04"))
    seal()
    assert "history was rewritten" in house.show().problem
    assert found(house) == [("diverged", None)]


def test_another_key(house: WitnessHouse) -> None:
    assert found(house, key=OTHER_LOG.verifier) == [("signature_wrong", None)] * 4


def test_a_checkpoint_altered(house: WitnessHouse, tamper: Tamper) -> None:
    tamper(
        """UPDATE audit_checkpoint SET root = sha256(root)
        WHERE size = (SELECT min(size) FROM audit_checkpoint)"""
    )
    assert found(house) == [("checkpoint_altered", None), ("root_differs", None)]


def test_a_text_altered(house: WitnessHouse, owner_connection: psycopg.Connection) -> None:
    entry = entry_at(100)
    owner_connection.execute("UPDATE tables_journaltext SET text = 'another' WHERE entry_id = %s", [entry])
    assert found(house) == [("text_altered", entry)]
    owner_connection.execute("DELETE FROM tables_journaltext WHERE entry_id = %s", [entry])
    assert found(house) == []  # erased is not altered


def test_the_command_names_what_it_finds_and_keeps_the_run(
    house: WitnessHouse,
    tamper: Tamper,
    capsys: pytest.CaptureFixture[str],
    settings: Any,
    tmp_path: Path,
) -> None:
    key_file = tmp_path / "journal.key"
    key_file.with_suffix(".pub").write_text(f"{LOG.verifier}\n")
    settings.JOURNAL_KEY_FILE = str(key_file)
    settings.WITNESS_URL, settings.WITNESS_KEY = house.url, str(WITNESS.verifier)
    call_command("verify_audit")
    size = JournalEntry.objects.count()
    told = (
        f"{size} sealed entries, 4 checkpoints, 4 cosignatures up to entry {size}: all is as it was sealed."
    )
    assert told in capsys.readouterr().out
    assert Verification.objects.get().problems_count == 0
    entry = entry_at(100)
    tamper("UPDATE tables_journalentry SET at = at - interval '1 day' WHERE id = %s", entry)
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit", "--json")
    assert ended.value.code == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["agrees"], said["problems"][0]["entry"]) == (False, entry)
    newest = Verification.objects.latest("pk")
    assert (newest.problems_count, newest.problems[0]["kind"]) == (1, "columns_altered")
    # Without the key no signature can be checked; what was altered is found all the same, and only that.
    key_file.with_suffix(".pub").rename(tmp_path / "away")
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit")
    said = capsys.readouterr().out
    assert (ended.value.code, f"entry {entry}: " in said, ": 1 problems." in said) == (1, True, True)
    assert "Not checked: the journal's key is not there" in said
    settings.WITNESS_URL = ""
    tamper("UPDATE tables_journalentry SET at = at + interval '1 day' WHERE id = %s", entry)
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit")
    assert ended.value.code == 3
    assert "no problem in what could be checked." in capsys.readouterr().out
    (tmp_path / "away").rename(key_file.with_suffix(".pub"))
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit")
    assert (ended.value.code, "all is as it was sealed." in capsys.readouterr().out) == (3, True)
