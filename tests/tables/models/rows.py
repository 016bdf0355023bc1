"""One row of everything, committed, and copies of those rows changed by direct SQL as somebody would.

`copy_row` adds the first row of a table once more with some columns changed. FRESH names the columns without
which no second row could stand beside the first, so that a copy is refused for the one change a test makes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import psycopg
from django.contrib.auth.models import User
from django.utils import timezone
from psycopg import sql

from tables.models import (
    Bell,
    DriftKind,
    HandStatement,
    Outbox,
    Receivable,
    ReceivableClosing,
    Reconciliation,
    WalletDelivery,
    WalletDrift,
    WalletTransaction,
)
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tables.services.floor import accept_gap
from tables.services.settlement import settle_round
from tests.tables.playing import Platform, make_table

NEW = 900_001
LATER = "2099-01-01T00:00:00Z"
NOBODY = "00000000-0000-4000-8000-000000000001"
#: Takes a column of FRESH back to what the first row says.
SAME = object()

FRESH: dict[str, dict[str, Any]] = {
    "acceptedgap": {"id": NEW},
    "bet": {"id": NEW, "platform_bet_id": "another"},
    "betcancellation": {"id": NEW, "platform_bet_id": "another"},
    "card": {"id": NEW, "position": 400, "supersedes_id": None},
    "deal": {"id": NEW, "round_id": NEW},
    "feedevent": {"id": NEW, "event_id": "another", "seq": 9_000},
    "gametable": {"id": NEW, "code": "Z99"},
    "handstatement": {"id": NEW, "given_up_at": LATER},
    "hold": {"id": NEW, "finding_id": None},
    "journaltext": {"id": NEW, "name": "another"},
    "insuranceoffer": {"id": NEW, "phase": "player_third"},
    "outbox": {"id": NEW, "subject_id": NEW},
    "player": {"id": NEW},
    "playeridentity": {"player_id": NEW, "reference": "another"},
    "receivable": {"transaction_id": NEW},
    "receivableclosing": {"receivable_id": NEW},
    "reconciliation": {"id": NEW, "finished_at": LATER},
    "round": {"id": NEW, "public_id": "another", "platform_id": "another", "number": 77},
    "rulebook": {"id": NEW, "version": 77, "content_hash": "f" * 64},
    "settlement": {"id": NEW, "revision": 77, "authority": NOBODY},
    "settlementline": {"settlement_id": NEW},
    "shoe": {"id": NEW, "table_id": NEW, "number": 77, "public_id": "another"},
    "tablestate": {"table_id": NEW},
    "wallettransaction": {"id": NEW, "key": "another"},
    "walletdelivery": {"transaction_id": NEW},
    "walletdrift": {"id": NEW, "key": "another"},
}
#: What a copy of a row stands on: copied first.
STANDS_ON = {
    "deal": "round",
    "playeridentity": "player",
    "receivable": "wallettransaction",
    "receivableclosing": "receivable",
    "settlementline": "settlement",
    "shoe": "gametable",
    "tablestate": "gametable",
    "walletdelivery": "wallettransaction",
}
#: Which row is copied, where the first will not do.
WHICH = {
    "bet": "platform_bet_id = 'b1'",
    "card": "place = 'P1'",
    "feedevent": "status = 'accepted'",
    "settlementline": "result = 'won'",
    "playeridentity": "reference = 'P-1'",
}


def make_rows() -> None:
    """Play what leaves at least one row in every table of `tables`."""
    table = make_table(rulebook="insurance")
    platform = Platform(table)
    platform.start()
    first = platform.open_round()
    platform.bet(first, ("b1", "P-1", "player", 300), ("b2", "P-2", "banker", 200), ("b3", "P-3", "tie", 100))
    platform.say("bets_cancelled", bets=["b3", "not-yet-known"])
    lines = [platform.event("betting_closed", round=first)]
    for place, card in (("P1", "KS"), ("B1", "2H"), ("P2", "6D"), ("B2", "3C")):
        lines.append(platform.event("card", round=first, place=place, card=card))
    lines += [
        platform.event("insurance_opened", round=first, phase="four_cards"),
        platform.event("insurance_closed", round=first, phase="four_cards"),
        platform.event("card", round=first, place="B3", card="4H"),
        platform.event("card_corrected", round=first, place="B3", card="JH"),
        platform.event("round_result", round=first, outcome="player", player_total=6, banker_total=5),
    ]
    assert {answer.status for answer in platform.send(*lines).events} == {"accepted"}
    assert settle_round(round_id=platform.round(first).pk, now=platform.at) is not None
    second = platform.open_round()
    platform.bet(second, ("b4", "P-1", "player", 1))  # below the table's least: refused
    wrong = {"outcome": "tie", "player_total": 9, "banker_total": 2}
    lines = [platform.event("betting_closed", round=second)]
    for place, card in (("P1", "9H"), ("B1", "2D"), ("P2", "KC"), ("B2", "QS")):
        lines.append(platform.event("card", round=second, place=place, card=card))
    platform.send(*lines, platform.event("round_result", round=second, **wrong))
    platform.event("heartbeat")  # is lost
    platform.say("heartbeat")
    accept_gap(table=table, reason="the encoder was replaced", actor=SYSTEM, at=platform.at)
    make_api_key(label="feed", table=table, scopes={"feed:write"}, actor=SYSTEM, at=platform.at)
    owed = WalletTransaction.objects.get()
    Receivable.objects.create(
        transaction=owed, player=owed.player, amount_minor=1, currency="THB", booked_at=platform.at
    )
    user = User.objects.create_user("somebody")
    HandStatement.objects.create(
        delivery_id=owed.pk, given_up_at=platform.at, said_by=user, said_at=platform.at
    )
    # What was said is withdrawn only while the message is given up.
    WalletDelivery.objects.filter(pk=owed.pk).update(status="dead", answered_at=platform.at)
    ReceivableClosing.objects.create(receivable_id=owed.pk, how="paid_back", closed_at=platform.at)
    now = timezone.now()
    comparison = Reconciliation.objects.create(asked_by="Bluecard", asked_at=now, started_at=now)
    WalletDrift.objects.create(
        reconciliation=comparison, kind=DriftKind.AMOUNT.value, key=owed.key, currency="THB"
    )
    Outbox.objects.create(bell=Bell.SETTLE.value, subject_id=1, created_at=now, rung_at=now)


def copy_row(connection: psycopg.Connection, name: str, changes: Mapping[str, Any] | None = None) -> None:
    """Add a table's first row once more, changed; first what it stands on."""
    asked = {**FRESH[name], **(changes or {})}
    if name in STANDS_ON and any(value == NEW for value in asked.values()):
        copy_row(connection, STANDS_ON[name])
    changed = {column: value for column, value in asked.items() if value is not SAME}
    connection.execute(
        sql.SQL(
            "INSERT INTO {table} SELECT (jsonb_populate_record(old, %s::jsonb)).* FROM {table} AS old"
            " WHERE {which} ORDER BY 1 LIMIT 1"
        ).format(table=sql.Identifier(f"tables_{name}"), which=sql.SQL(WHICH.get(name, "true"))),
        [json.dumps(changed)],
    )
