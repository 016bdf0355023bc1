"""What was played is altered behind the journal: money, cards, rules, the feed; each is found and named."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from audit.queries.exporting import proof_of_entry
from tables.models import Card, FeedEvent, JournalEntry, Settlement
from tables.queries.ledger import Counts, verify_ledger
from tables.queries.lines import lines_sql
from tables.services.journal import record
from tables.services.settlement import SETTLE
from tests.audit.sealed import LOG, WitnessHouse, found, seal
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)

Tamper = Callable[..., None]


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
