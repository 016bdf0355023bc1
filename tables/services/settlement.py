"""Settling a round: one set-based statement, an immutable revision, and only the difference moves.

A revision is computed from nothing: what the pure engine says of the live deal. It writes a line for every
bet, one wallet transaction and one message for every player whose money moves, and the journal entry, all in
one transaction. Running it twice moves nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from tables import locks
from tables.models import (
    Bell,
    Deal,
    DealStatus,
    Round,
    RoundStatus,
    Settlement,
    TransactionKind,
    require_transition,
)
from tables.queries.deals import coup_of, waits_because
from tables.queries.rulebooks import rules_of
from tables.rules.bets import verdicts
from tables.rules.drawing import Coup
from tables.rules.insurance import offers_of_coup
from tables.rules.rulebook import Rulebook as Rules
from tables.rules.rulebook import WrongOdds
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import record

DELIVER_WALLET = "tables.deliver_wallet"

# The whole settlement of a round in one statement. `verdict` is what the engine said, a row a kind and phase;
# a bet of a dead deal is void, and so is insurance that the coup does not offer at the odds it was sold at.
SETTLE = """
WITH verdict AS (
    SELECT * FROM unnest(
        %(kinds)s::text[], %(phases)s::text[], %(results)s::text[],
        %(nums)s::bigint[], %(dens)s::bigint[], %(odds)s::text[]
    ) AS v (kind, phase, result, num, den, odds)
), judged AS (
    SELECT b.id, b.player_id, b.stake_minor, CASE
            WHEN b.deal_id <> %(deal)s THEN 'void'
            WHEN b.phase <> '' AND v.odds IS DISTINCT FROM b.odds_offered THEN 'void'
            ELSE v.result END AS result,
        {odds} AS num, {odds_den} AS den, coalesce(p.returned_minor, 0) AS before_minor
    FROM tables_bet b
    LEFT JOIN verdict v ON v.kind = b.kind AND v.phase = b.phase
    LEFT JOIN tables_settlementline p ON p.settlement_id = %(previous)s AND p.bet_id = b.id
    WHERE b.round_id = %(round)s AND b.status = 'accepted'
), paid AS MATERIALIZED (
    SELECT id, player_id, stake_minor, result, before_minor, CASE result
            WHEN 'won' THEN stake_minor + bluecard_winnings(stake_minor, num, den, %(rounding)s)
            WHEN 'push' THEN stake_minor WHEN 'void' THEN stake_minor ELSE 0 END AS returned_minor
    FROM judged
), line AS (
    INSERT INTO tables_settlementline (settlement_id, bet_id, result, returned_minor, moved_minor)
    SELECT %(settlement)s, id, result, returned_minor, returned_minor - before_minor FROM paid ORDER BY id
), transaction AS (
    INSERT INTO tables_wallettransaction
        (key, settlement_id, player_id, kind, amount_minor, currency, bet_ids, created_at)
    SELECT %(key)s || player_id, %(settlement)s, player_id, %(wallet_kind)s,
        sum(returned_minor - before_minor), %(currency)s, array_agg(id ORDER BY id), %(now)s
    FROM paid GROUP BY player_id HAVING sum(returned_minor - before_minor) <> 0 ORDER BY player_id
    RETURNING id, player_id
), delivery AS (
    INSERT INTO tables_walletdelivery
        (transaction_id, player_id, status, attempts, due_at, answer, last_error)
    SELECT id, player_id, 'waiting', 0, %(now)s, '', '' FROM transaction
), total AS (
    SELECT count(*) AS bets, count(DISTINCT player_id) AS players, coalesce(sum(stake_minor), 0) AS stakes,
        coalesce(sum(returned_minor), 0) AS returned,
        coalesce(sum(returned_minor - before_minor), 0) AS moved,
        sha256(convert_to(coalesce(string_agg(
            id || ' ' || stake_minor || ' ' || result || ' ' || returned_minor, E'\\n' ORDER BY id
        ), ''), 'UTF8')) AS digest
    FROM paid
)
INSERT INTO tables_settlement (id, round_id, revision, deal_id, rulebook_id, authority, outcome, verdicts,
    bets_count, players_count, stakes_minor, returned_minor, kept_minor, moved_minor, lines_digest,
    created_at)
SELECT %(settlement)s, %(round)s, %(revision)s, %(deal)s, %(rulebook)s, %(authority)s, %(outcome)s,
    %(verdicts)s::jsonb, bets, players, stakes, returned, stakes - returned, moved, digest, %(now)s
FROM total
"""
BY_SCHEDULE = ("v.num", "v.den")
BY_ODDS_SHOWN = (
    "CASE WHEN b.odds_shown = '' THEN v.num ELSE split_part(b.odds_shown, '/', 1)::bigint END",
    "CASE WHEN b.odds_shown = '' THEN v.den"
    " ELSE coalesce(nullif(split_part(b.odds_shown, '/', 2), ''), '1')::bigint END",
)


@dataclass(frozen=True, slots=True)
class Waits:
    """Why a round is not settled now."""

    reasons: tuple[str, ...]


def settle_round(*, round_id: int, now: datetime) -> Settlement | Waits | None:
    """Settle a round for the first time; None when it was settled already.

    A round that has no result, is held, or whose cards are no lawful coup waits, and the answer says why.
    """
    with transaction.atomic():
        round_ = locks.lock_round(round_id)
        if round_.status in (RoundStatus.SETTLED, RoundStatus.VOIDED):
            outbox.fulfil(Bell.SETTLE, round_id)
            return None
        waits = waits_because(round_)
        if waits:
            # Whoever takes the reason away promises anew; until then nobody needs to ring.
            outbox.fulfil(Bell.SETTLE, round_id)
            return Waits(waits)
        require_transition(round_.status, RoundStatus.SETTLED)
        deal = Deal.objects.get(round=round_, status=DealStatus.LIVE.value)
        coup = coup_of(deal, round_.shoe.decks)
        settlement = write_next_revision(
            round_, deal=deal, coup=coup, kind=TransactionKind.CREDIT, actor=SYSTEM, now=now
        )
        round_.status, round_.settled_at = RoundStatus.SETTLED.value, now
        round_.outcome = coup.outcome.value
        round_.player_total, round_.banker_total = coup.player_total, coup.banker_total
        round_.save(update_fields=["status", "settled_at", "outcome", "player_total", "banker_total"])
        outbox.fulfil(Bell.SETTLE, round_id)
        transaction.on_commit(lambda: outbox.ring(DELIVER_WALLET))
        return settlement


def write_next_revision(
    round_: Round,
    *,
    deal: Deal,
    coup: Coup,
    kind: TransactionKind,
    actor: Actor,
    now: datetime,
    authority: UUID | None = None,
) -> Settlement:
    """Write the next revision of a locked round, its lines, wallet transactions and journal entry."""
    rules = rules_of(round_.rulebook_id)
    previous = Settlement.objects.filter(round=round_).order_by("-revision").first()
    revision = previous.revision + 1 if previous else 1
    rows = verdict_rows(rules, coup)
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('tables_settlement', 'id'))")
        settlement_id = cursor.fetchone()[0]
        odds, odds_den = BY_SCHEDULE
        if rules.insurance is not None and rules.insurance.wrong_odds is WrongOdds.SHOWN:
            odds, odds_den = BY_ODDS_SHOWN
        cursor.execute(
            SETTLE.format(odds=odds, odds_den=odds_den),
            {
                **_columns(rows),
                "settlement": settlement_id,
                "previous": previous.pk if previous else None,
                "round": round_.pk,
                "revision": revision,
                "deal": deal.pk,
                "rulebook": round_.rulebook_id,
                "authority": authority,
                "outcome": coup.outcome.value,
                "rounding": rules.rounding.value,
                "key": f"{round_.public_id}/{revision}/",
                "wallet_kind": kind.value,
                "currency": round_.table.currency,
                "verdicts": json.dumps(rows),
                "now": now,
            },
        )
    settlement = Settlement.objects.get(pk=settlement_id)
    record(
        "round.settled",
        subject=round_,
        label=round_.public_id,
        actor=actor,
        at=now,
        data={
            "revision": revision,
            "deal": deal.number,
            "rulebook": [round_.rulebook.code, round_.rulebook.version],
            "authority": str(authority) if authority else None,
            "cards": [str(card) for card in coup.cards],
            "outcome": coup.outcome.value,
            "bets": settlement.bets_count,
            "stakes_minor": settlement.stakes_minor,
            "returned_minor": settlement.returned_minor,
            "moved_minor": settlement.moved_minor,
            "lines_digest": bytes(settlement.lines_digest).hex(),
        },
    )
    return settlement


def verdict_rows(rules: Rules, coup: Coup) -> list[dict[str, Any]]:
    """List what the engine says of each kind and phase, as the settlement keeps it."""
    on_sale = offers_of_coup(rules, coup)
    return [
        {
            "kind": kind,
            "phase": phase,
            "result": verdict.result.value,
            "odds": str(verdict.odds) if verdict.odds is not None else None,
            "offered": str(on_sale[kind, phase]) if phase else None,
        }
        for (kind, phase), verdict in verdicts(rules, coup).items()
    ]


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Turn verdict rows into the arrays the statement unnests."""
    parts = [(row["odds"] or "0").partition("/") for row in rows]
    return {
        "kinds": [row["kind"] for row in rows],
        "phases": [row["phase"] for row in rows],
        "results": [row["result"] for row in rows],
        "nums": [int(numerator) for numerator, _, _ in parts],
        "dens": [int(denominator or 1) for _, _, denominator in parts],
        "odds": [row["offered"] for row in rows],
    }
