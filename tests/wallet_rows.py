"""Settled rounds with messages for the wallet, for tests that need nothing else of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tables.models import (
    Bet,
    BetStatus,
    EventStatus,
    FeedEvent,
    GameTable,
    Player,
    PlayerIdentity,
    Round,
    RoundStatus,
    Rulebook,
    Settlement,
    Shoe,
    TransactionKind,
    WalletDelivery,
    WalletTransaction,
)

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
ROUND = "B03-20261129-02-041-K"


@dataclass(frozen=True)
class Due:
    """One message to make: to whom, how much, and how late."""

    player: str
    amount_minor: int = 195
    kind: TransactionKind = TransactionKind.CREDIT
    due_at: datetime = AT


def make_due(messages: Sequence[Due]) -> list[int]:
    """Make messages: a player's first one is of round 41, the next of round 42 …; return their ids."""
    shoe, event = _make_shoe()
    names = list(dict.fromkeys(due.player for due in messages))
    nobodies = Player.objects.bulk_create([Player(first_seen_at=AT) for _ in names])
    players = dict(zip(names, nobodies, strict=True))
    PlayerIdentity.objects.bulk_create(
        [PlayerIdentity(player=player, reference=name) for name, player in players.items()]
    )
    seen: Counter[str] = Counter()
    settlements: list[Settlement] = []
    turns = []
    for due in messages:
        seen[due.player] += 1
        turns.append(seen[due.player])
        if seen[due.player] > len(settlements):
            settlements.append(_make_settlement(_make_round(shoe, seen[due.player])))
    bets = Bet.objects.bulk_create(
        [
            Bet(
                platform_bet_id=f"bet-{number}",
                round=settlements[turns[number] - 1].round,
                player=players[due.player],
                kind="player",
                stake_minor=100,
                status=BetStatus.ACCEPTED.value,
                placed_at=AT,
                event=event,
            )
            for number, due in enumerate(messages)
        ]
    )
    rows = []
    for due, bet, turn in zip(messages, bets, turns, strict=True):
        settlement = settlements[turn - 1]
        rows.append(
            WalletTransaction(
                key=f"{settlement.round.public_id}/1/{players[due.player].pk}",
                settlement=settlement,
                player=players[due.player],
                kind=due.kind.value,
                amount_minor=due.amount_minor,
                currency="THB",
                bet_ids=[bet.pk],
                created_at=AT,
            )
        )
    made = WalletTransaction.objects.bulk_create(rows)
    WalletDelivery.objects.bulk_create(
        [
            WalletDelivery(transaction=row, player=row.player, due_at=due.due_at)
            for row, due in zip(made, messages, strict=True)
        ]
    )
    return [row.pk for row in made]


def turn_of(round_id: str) -> int:
    """Return which of a player's messages a round made here stands for, from 1."""
    return int(round_id.split("-")[3]) - 40


def _make_shoe() -> tuple[Shoe, FeedEvent]:
    rulebook = Rulebook.objects.create(
        code="commission", version=1, content_hash="0" * 64, document="", effective_from=AT, published_at=AT
    )
    table = GameTable.objects.create(
        code="B03",
        name="Baccarat 3",
        currency="THB",
        rulebook=rulebook,
        min_stake_minor=1,
        max_stake_minor=10**15,
    )
    shoe = Shoe.objects.create(
        table=table,
        rulebook=rulebook,
        gaming_date=AT.date(),
        number=2,
        public_id="B03-20261129-02",
        decks=8,
        started_at=AT,
    )
    event = FeedEvent.objects.create(
        table=table,
        event_id="event-1",
        seq=1,
        type="bets",
        received_at=AT,
        status=EventStatus.ACCEPTED.value,
        body_hash=b"\0" * 32,
        body=b"{}",
    )
    return shoe, event


def _make_round(shoe: Shoe, turn: int) -> Round:
    number = 40 + turn
    return Round.objects.create(
        public_id=f"B03-20261129-02-{number:03}-K",
        platform_id=f"platform-{turn}",
        table=shoe.table,
        shoe=shoe,
        rulebook=shoe.rulebook,
        number=number,
        window_number=number,
        status=RoundStatus.SETTLED.value,
        betting_opened_at=AT - timedelta(minutes=2),
        betting_closed_at=AT - timedelta(minutes=1),
        resulted_at=AT,
        outcome="player",
        player_total=9,
        banker_total=1,
    )


def _make_settlement(round_: Round) -> Settlement:
    return Settlement.objects.create(
        round=round_,
        revision=1,
        rulebook=round_.rulebook,
        outcome="player",
        verdicts={},
        bets_count=1,
        players_count=1,
        stakes_minor=100,
        returned_minor=195,
        kept_minor=-95,
        moved_minor=195,
        lines_digest=b"\0" * 32,
        created_at=AT,
    )
