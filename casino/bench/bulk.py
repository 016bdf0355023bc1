"""The same settlement the way an application usually does it: rows in Python, bulk_create and bulk_update.

A yardstick for the bench and nothing else. It uses the pure engine too, and writes the same rows.
"""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from datetime import datetime
from fractions import Fraction

from django.db import transaction

from tables import locks
from tables.models import (
    Bell,
    Bet,
    BetStatus,
    Deal,
    DeliveryStatus,
    RoundStatus,
    Settlement,
    SettlementLine,
    TransactionKind,
    WalletDelivery,
    WalletTransaction,
)
from tables.queries.deals import coup_of
from tables.queries.ledger_expected import Staked
from tables.queries.lines import LINES_FORMAT, line_text
from tables.queries.rulebooks import rules_of
from tables.rules.bets import Result, Verdict, returned_minor, verdicts
from tables.rules.drawing import Coup
from tables.rules.insurance import offers_of_coup
from tables.rules.rulebook import Rulebook as Rules
from tables.services import outbox
from tables.services.actors import SYSTEM
from tables.services.journal import record

BATCH = 5_000


def settle_with_bulk(*, round_id: int, now: datetime) -> float:
    """Settle a round with bulk_create and bulk_update; return the seconds that bulk_update took of it."""
    with transaction.atomic():
        round_ = locks.lock_round(round_id)
        deal = Deal.objects.get(round=round_, status="live")
        coup, rules = coup_of(deal, round_.shoe.decks), rules_of(round_.rulebook_id)
        bets = list(Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value).order_by("pk"))
        settled = _Settled(rules, coup, bets, deal.pk)
        settlement = Settlement.objects.create(
            round=round_,
            revision=1,
            deal=deal,
            rulebook_id=round_.rulebook_id,
            outcome=coup.outcome.value,
            verdicts=[],
            bets_count=len(bets),
            players_count=len(settled.by_player),
            stakes_minor=settled.stakes,
            returned_minor=settled.returned,
            kept_minor=settled.stakes - settled.returned,
            moved_minor=settled.returned,
            lines_digest=settled.digest,
            lines_format=LINES_FORMAT,
            created_at=now,
        )
        _write_lines(settlement, settled)
        _write_transactions(settlement, settled, f"{round_.public_id}/1/", round_.table.currency, now)
        begun = time.perf_counter()
        # Here a bet says nothing of its result; marking it is what such an application does.
        Bet.objects.bulk_update(bets, ["status"], batch_size=BATCH)
        updating = time.perf_counter() - begun
        round_.status, round_.settled_at = RoundStatus.SETTLED.value, now
        round_.save(update_fields=["status", "settled_at"])
        record(
            "round.settled",
            subject=round_,
            label=round_.public_id,
            actor=SYSTEM,
            at=now,
            data={"lines_digest": settled.digest.hex()},
        )
        outbox.fulfil(Bell.SETTLE, round_id)
    return updating


class _Settled:
    """What every bet of a round gets, worked out one by one."""

    def __init__(self, rules: Rules, coup: Coup, bets: list[Bet], deal_id: int) -> None:
        said, offered = verdicts(rules, coup), offers_of_coup(rules, coup)
        self.lines: list[tuple[Bet, str, int]] = []
        self.by_player: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for bet in bets:
            key = (bet.kind, bet.phase)
            verdict = said.get(key)
            if bet.phase and (bet.deal_id != deal_id or offered.get(key) != Fraction(bet.odds_offered)):
                verdict = Verdict(Result.VOID)
            assert verdict is not None
            returned = returned_minor(bet.stake_minor, verdict, rules.rounding)
            self.lines.append((bet, verdict.result.value, returned))
            self.by_player[bet.player_id].append((bet.pk, returned))
        self.stakes = sum(bet.stake_minor for bet in bets)
        self.returned = sum(returned for _, _, returned in self.lines)
        text = "\n".join(_line(*line) for line in self.lines)
        self.digest = hashlib.sha256(text.encode()).digest()


def _line(bet: Bet, result: str, back: int) -> str:
    return line_text(
        LINES_FORMAT,
        bet_id=bet.pk,
        platform_bet_id=bet.platform_bet_id,
        player_id=bet.player_id,
        staked=Staked(bet.kind, bet.phase, bet.deal_id, bet.stake_minor, bet.odds_offered, bet.odds_shown),
        result=result,
        returned_minor=back,
    )


def _write_lines(settlement: Settlement, settled: _Settled) -> None:
    SettlementLine.objects.bulk_create(
        [
            SettlementLine(
                settlement=settlement, bet=bet, result=result, returned_minor=back, moved_minor=back
            )
            for bet, result, back in settled.lines
        ],
        batch_size=BATCH,
    )


def _write_transactions(
    settlement: Settlement, settled: _Settled, key: str, currency: str, now: datetime
) -> None:
    moving = [
        WalletTransaction(
            key=f"{key}{player_id}",
            settlement=settlement,
            player_id=player_id,
            kind=TransactionKind.CREDIT.value,
            amount_minor=sum(back for _, back in rows),
            currency=currency,
            bet_ids=[bet_id for bet_id, _ in rows],
            created_at=now,
        )
        for player_id, rows in settled.by_player.items()
        if any(back for _, back in rows)
    ]
    written = WalletTransaction.objects.bulk_create(moving, batch_size=BATCH)
    WalletDelivery.objects.bulk_create(
        [
            WalletDelivery(
                transaction=one, player_id=one.player_id, status=DeliveryStatus.WAITING.value, due_at=now
            )
            for one in written
        ],
        batch_size=BATCH,
    )
