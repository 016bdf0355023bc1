"""Settling a round: one set-based statement, an immutable revision, and only the difference moves.

A revision is computed from nothing: what the pure engine says of the live deal, overlaid by the rulings in
force. It writes a line for every bet, one wallet transaction and one message for every player whose money
moves, and the journal entry, all in one transaction. Running it twice moves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from tables import locks
from tables.models import (
    Bell,
    Deal,
    Round,
    RoundStatus,
    Settlement,
    TransactionKind,
    require_transition,
)
from tables.queries.deals import Dealt, what_to_settle
from tables.queries.lines import LINES_FORMAT, lines_sql
from tables.queries.overlays import kinds_void
from tables.queries.revisions import PAID, Plan, newest_revision, parameters, verdict_rows
from tables.queries.rulebooks import rules_of
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import moment, record

DELIVER_WALLET = "tables.deliver_wallet"
#: What is read of other rows while a round is settled.
SETTLED_WITH = ("table__currency", "shoe__decks", "rulebook__code", "rulebook__version")

SETTLE = f"""
WITH {PAID}, line AS (
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
        sha256(convert_to({lines_sql(bet="paid", line="paid")}, 'UTF8')) AS digest
    FROM paid
)
INSERT INTO tables_settlement (id, round_id, revision, deal_id, rulebook_id, authority, outcome, verdicts,
    overlay, bets_count, players_count, stakes_minor, returned_minor, kept_minor, moved_minor, lines_digest,
    lines_format, created_at)
SELECT %(settlement)s, %(round)s, %(revision)s, nullif(%(deal)s, 0), %(rulebook)s, %(authority)s,
    %(outcome)s, %(verdicts)s::jsonb, %(overlay)s::jsonb, bets, players, stakes, returned, stakes - returned,
    moved, digest, {LINES_FORMAT}, %(now)s
FROM total
RETURNING *
"""

#: Called in the transaction, with a locked round and the revision the engine wrote of it.
Teller = Callable[[Round, Settlement], object]

_tellers: list[Teller] = []


def add_teller(teller: Teller) -> None:
    """Call this function, from now on, whenever the engine settles a round some of whose kinds are void."""
    if teller not in _tellers:
        _tellers.append(teller)


@dataclass(frozen=True, slots=True)
class Waits:
    """Why a round is not settled now."""

    reasons: tuple[str, ...]


def settle_round(*, round_id: int, now: datetime) -> Settlement | Waits | None:
    """Settle a round whose result is in; None when it is settled already.

    A round that has no result, is held, or whose cards are no lawful coup waits, and the answer says why.
    """
    with transaction.atomic():
        round_ = locks.lock_round(round_id, *SETTLED_WITH)
        if round_.status in (RoundStatus.SETTLED, RoundStatus.VOIDED):
            outbox.fulfil(Bell.SETTLE, round_id)
            return None
        dealt = what_to_settle(round_)
        if not isinstance(dealt, Dealt):
            # Whoever takes the reason away promises anew; until then nobody needs to ring.
            outbox.fulfil(Bell.SETTLE, round_id)
            return Waits(dealt)
        plan = Plan(dealt.deal, dealt.coup, void_kinds=kinds_void(round_))
        # A second deal is settled under the ruling that ordered it; the first needs no authority.
        settlement = write_next_revision(
            round_, plan, kind=TransactionKind.CREDIT, actor=SYSTEM, now=now, authority=dealt.deal.authority
        )
        settle_status(round_, plan, now=now)
        if plan.void_kinds:
            for tell in _tellers:
                tell(round_, settlement)
        outbox.fulfil(Bell.SETTLE, round_id)
        return settlement


def settle_status(round_: Round, plan: Plan, *, now: datetime) -> None:
    """Bring a locked round to what its newest revision says: settled with its outcome, or void.

    :raises IllegalTransition: if its state does not lead there.
    """
    status = RoundStatus.VOIDED if plan.void_all else RoundStatus.SETTLED
    if round_.status != status:
        require_transition(round_.status, status)
    round_.status, round_.settled_at = status.value, now
    if plan.coup is not None:
        round_.outcome = plan.coup.outcome.value
        round_.player_total, round_.banker_total = plan.coup.player_total, plan.coup.banker_total
    round_.save(update_fields=["status", "settled_at", "outcome", "player_total", "banker_total"])


def write_next_revision(
    round_: Round,
    plan: Plan,
    *,
    kind: TransactionKind,
    actor: Actor,
    now: datetime,
    authority: UUID | None = None,
) -> Settlement:
    """Write the next revision of a locked round, its lines, wallet transactions and journal entry."""
    previous = newest_revision(round_)
    revision = previous.revision + 1 if previous else 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('tables_settlement', 'id'))")
        settlement_id = cursor.fetchone()[0]
    (settlement,) = Settlement.objects.raw(
        SETTLE,
        {
            **parameters(round_, plan, previous),
            "settlement": settlement_id,
            "revision": revision,
            "rulebook": round_.rulebook_id,
            "authority": authority,
            "outcome": plan.coup.outcome.value if plan.coup and not plan.void_all else "",
            "key": f"{round_.public_id}/{revision}/",
            "wallet_kind": kind.value,
            "currency": round_.table.currency,
            "verdicts": json.dumps(verdict_rows(rules_of(round_.rulebook_id), plan.coup)),
            "overlay": json.dumps(plan.overlay),
            "now": now,
        },
    )
    record(
        "round.settled",
        subject=round_,
        label=round_.public_id,
        actor=actor,
        at=now,
        data={
            "revision": revision,
            "deal": plan.deal.number if plan.deal else None,
            "rulebook": [round_.rulebook.code, round_.rulebook.version],
            "authority": str(authority) if authority else None,
            "overlay": plan.overlay,
            "cards": [str(card) for card in plan.coup.cards] if plan.coup else [],
            "outcome": settlement.outcome,
            "bets": settlement.bets_count,
            "stakes_minor": settlement.stakes_minor,
            "returned_minor": settlement.returned_minor,
            "moved_minor": settlement.moved_minor,
            "lines_format": settlement.lines_format,
            "lines_digest": bytes(settlement.lines_digest).hex(),
            "played": played(round_, plan.deal),
        },
    )
    transaction.on_commit(lambda: outbox.ring(DELIVER_WALLET))
    return settlement


def played(round_: Round, deal: Deal | None) -> dict[str, Any]:
    """Return what a revision's entry says of how the round was played: by whom, when, and on whose word."""
    times = {
        name: getattr(round_, name) for name in ("betting_opened_at", "betting_closed_at", "resulted_at")
    }
    return {
        "dealer": round_.dealer_id,
        "authority": str(deal.authority) if deal and deal.authority else None,
        **{name: moment(at) if at else None for name, at in times.items()},
    }
