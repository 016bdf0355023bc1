"""What an owner or a superuser does with the triggers lifted is found and named; nothing else is."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from audit.models import Checkpoint, Leaf, Verification, WitnessState
from audit.queries.exporting import proof_of_entry
from audit.rules.checkpoint import open_note
from audit.services.verifying import Run
from tables.models import Card, FeedEvent, JournalEntry, Settlement
from tables.queries.ledger import Counts, verify_ledger
from tables.queries.lines import lines_sql
from tables.services.journal import record
from tables.services.settlement import SETTLE
from tests.audit.sealed import LOG, OTHER_LOG, WITNESS, WitnessHouse, seal, witness_house, write
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)

SEALED = ("audit_leaf", "audit_treenode", "audit_checkpoint")
FORGET = "".join(f"DELETE FROM {name}; " for name in ("audit_cosignature", *SEALED[::-1]))

Tamper = Callable[..., None]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WitnessHouse]:
    """A table with two settled rounds and 300 entries, sealed in four steps, each of them witnessed."""
    with witness_house(tmp_path / "newest") as house:
        platform = Platform(make_table())
        platform.start()
        platform.play(
            "KS 2H QD KH KC 10H", ("b1", "P-10001", "banker", 10_000), ("b2", "P-10002", "tie", 500)
        )
        platform.play("9H 9D KC QS", ("c1", "P-10001", "player", 1_000))
        seal()
        house.show()
        for count in (40, 150, 100):
            write(count, platform.table, reason="seen by hand")
            seal()
            house.show()
        yield house


def found(house: WitnessHouse, key: object = LOG.verifier) -> list[tuple[str, int | None]]:
    run = Run(key, WITNESS.verifier, house.url)
    kinds = [(problem.kind, problem.entry) for problem in run.find()]
    assert run.witness_away == ""
    return kinds


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


def test_a_settlement_line_altered(house: WitnessHouse, tamper: Tamper) -> None:
    settlement = Settlement.objects.order_by("pk").first()
    entry = JournalEntry.objects.get(action="round.settled", subject_id=settlement.round_id)
    tamper(
        """UPDATE tables_settlementline SET returned_minor = returned_minor + 1 WHERE settlement_id = %s
        AND result = 'won'""",
        settlement.pk,
    )
    assert found(house) == [("lines_altered", entry.pk)]


@pytest.mark.parametrize(
    "change",
    [
        "kind = 'player'",
        "player_id = (SELECT max(id) FROM tables_player)",
        "phase = 'after_four', odds_offered = '9/1', odds_shown = '9/1'",
        "stake_minor = stake_minor + 1",
        "platform_bet_id = 'b9'",
    ],
)
def test_a_settled_bet_altered(house: WitnessHouse, tamper: Tamper, change: str) -> None:
    settlement = Settlement.objects.order_by("pk").first()
    entry = JournalEntry.objects.get(action="round.settled", subject_id=settlement.round_id)
    tamper(f"UPDATE tables_bet SET {change} WHERE platform_bet_id = 'b1'")
    assert found(house) == [("lines_altered", entry.pk)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tables_wallettransaction SET amount_minor = amount_minor + 100000 WHERE settlement_id = %s",
        "UPDATE tables_wallettransaction SET player_id = (SELECT max(id) FROM tables_player)"
        " WHERE settlement_id = %s",
        "UPDATE tables_wallettransaction SET key = key || '0' WHERE settlement_id = %s",
        "UPDATE tables_wallettransaction SET currency = 'USD' WHERE settlement_id = %s",
        "UPDATE tables_wallettransaction SET created_at = created_at + interval '1 hour'"
        " WHERE settlement_id = %s",
        "DELETE FROM tables_walletdelivery d USING tables_wallettransaction t"
        " WHERE t.id = d.transaction_id AND t.settlement_id = %s;"
        " DELETE FROM tables_wallettransaction WHERE settlement_id = %s",
        "UPDATE tables_settlementline SET moved_minor = moved_minor + 1 WHERE settlement_id = %s"
        " AND result = 'won'",
    ],
)
def test_what_the_wallet_is_told_altered(house: WitnessHouse, tamper: Tamper, change: str) -> None:
    settlement = Settlement.objects.order_by("pk").first()
    entry = JournalEntry.objects.get(action="round.settled", subject_id=settlement.round_id)
    tamper(change, *[settlement.pk] * change.count("%s"))
    assert found(house) == [("wallet_altered", entry.pk)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tables_round SET dealer_id = NULL WHERE id = %s",
        "UPDATE tables_round SET resulted_at = resulted_at + interval '1 day' WHERE id = %s",
        "UPDATE tables_round SET betting_opened_at = betting_opened_at - interval '1 day' WHERE id = %s",
        "UPDATE tables_round SET betting_closed_at = betting_closed_at - interval '1 second' WHERE id = %s",
        "UPDATE tables_deal SET authority = gen_random_uuid() WHERE round_id = %s",
    ],
)
def test_how_a_round_was_played_altered(house: WitnessHouse, tamper: Tamper, change: str) -> None:
    settlement = Settlement.objects.order_by("pk").first()
    entry = JournalEntry.objects.get(action="round.settled", subject_id=settlement.round_id)
    tamper(change, settlement.round_id)
    assert found(house) == [("round_altered", entry.pk)]


def test_lines_sealed_in_the_format_of_before_are_checked_by_it(
    house: WitnessHouse, tamper: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = lines_sql(bet="paid", line="paid", written_in="1")
    statement = SETTLE.replace(lines_sql(bet="paid", line="paid"), old).replace("digest, 2,", "digest, 1,")
    monkeypatch.setattr("tables.services.settlement.SETTLE", statement)
    platform = Platform(make_table(code="B07"))
    platform.start()
    round_ = platform.play("KS 2H QD KH KC 10H", ("o1", "P-10001", "banker", 10_000))
    monkeypatch.undo()
    seal()
    settlement = Settlement.objects.get(round=round_)
    assert settlement.lines_format == 1
    said = f"{settlement.lines.get().bet_id} 10000 won 19500"
    assert bytes(settlement.lines_digest) == sha256(said.encode()).digest()
    assert (found(house), list(verify_ledger(counts=Counts()))) == ([], [])
    entry = JournalEntry.objects.get(action="round.settled", subject_id=round_.pk)
    [line] = proof_of_entry(entry.pk, LOG.verifier)[1:]
    assert line["lines"] == said
    tamper("UPDATE tables_settlement SET lines_format = 2 WHERE id = %s", settlement.pk)
    assert found(house) == [("lines_altered", entry.pk)]


def test_a_card_altered(house: WitnessHouse, tamper: Tamper) -> None:
    settlement = Settlement.objects.order_by("pk").first()
    entry = JournalEntry.objects.get(action="round.settled", subject_id=settlement.round_id)
    card = Card.objects.get(deal_id=settlement.deal_id, place="B3")
    tamper("UPDATE tables_card SET rank = '9' WHERE id = %s", card.pk)
    assert found(house) == [("cards_altered", entry.pk)]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (r"UPDATE tables_rulebook SET document = document || E'\n# another rule\n'", "rulebook_altered"),
        ("UPDATE tables_rulebook SET effective_from = effective_from - interval '1 day'", "rulebook_altered"),
        ("UPDATE tables_rulebook SET content_hash = repeat('a', 64)", "rulebook_altered"),
        (
            """INSERT INTO tables_rulebook
                (code, version, content_hash, document, effective_from, published_at)
            SELECT code, 9, repeat('a', 64), document, effective_from, published_at FROM tables_rulebook""",
            "rulebook_forged",
        ),
    ],
)
def test_a_rulebook_altered(house: WitnessHouse, tamper: Tamper, change: str, kind: str) -> None:
    entry = JournalEntry.objects.get(action="rulebook.published")
    tamper(change)
    assert found(house) == [(kind, entry.pk if kind == "rulebook_altered" else None)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tables_feedevent SET body = replace(convert_from(body, 'UTF8'), 'KS', 'AS')::bytea "
        "WHERE type = 'card' AND body LIKE '%\"KS\"%'::bytea",
        "UPDATE tables_feedevent SET body = replace(convert_from(body, 'UTF8'), ':2', ':1')::bytea "
        "WHERE type = 'bets'",
        "DELETE FROM tables_feedevent WHERE type = 'card' AND body LIKE '%\"KS\"%'::bytea",
    ],
)
def test_a_feed_event_altered(house: WitnessHouse, tamper: Tamper, change: str) -> None:
    tamper(change)
    assert {kind for kind, _ in found(house)} & {"events_altered", "events_differ"}


@pytest.mark.parametrize(
    "change",
    [
        "received_at = received_at + interval '5 hours'",
        "at = at - interval '5 hours'",
        "type = 'heartbeat'",
        "event_id = 'another'",
        "is_late = NOT is_late",
        "supersedes = 'another'",
        "round_id = NULL",
    ],
)
def test_what_stands_beside_a_feed_event_altered(house: WitnessHouse, tamper: Tamper, change: str) -> None:
    event = FeedEvent.objects.filter(type="round_result").latest("pk")
    tamper(f"UPDATE tables_feedevent SET {change} WHERE id = {event.pk}")
    assert [kind for kind, _ in found(house)] == ["events_altered"]


def test_a_batch_read_before_its_events_were_sealed_with_their_times_is_checked_by_its_own(
    house: WitnessHouse, tamper: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_as_before(*args: Any, data: dict[str, Any], **more: Any) -> JournalEntry:
        return record(*args, data={name: data[name] for name in data if name != "stored_digest"}, **more)

    monkeypatch.setattr("tables.feed.reader.record", record_as_before)
    platform = Platform(make_table(code="B07"))
    platform.start()
    monkeypatch.undo()
    seal()
    assert found(house) == []
    entry = JournalEntry.objects.get(action="feed.read", subject_id=platform.table.pk)
    tamper(
        "UPDATE tables_feedevent SET received_at = received_at + interval '1 second' WHERE table_id = %s",
        platform.table.pk,
    )
    assert found(house) == [("events_altered", entry.pk)]


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
