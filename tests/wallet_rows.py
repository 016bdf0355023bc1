"""A settled round with messages for the wallet, for tests that need nothing else of it."""

from __future__ import annotations

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
    """Make a round and its messages, revision after revision of each player; return the transactions' ids."""
    round_, event = _make_round()
    names = list(dict.fromkeys(due.player for due in messages))
    nobodies = Player.objects.bulk_create([Player(first_seen_at=AT) for _ in names])
    players = dict(zip(names, nobodies, strict=True))
    PlayerIdentity.objects.bulk_create(
        [PlayerIdentity(player=player, reference=name) for name, player in players.items()]
    )
    bets = Bet.objects.bulk_create(
        [
            Bet(
                platform_bet_id=f"bet-{number}",
                round=round_,
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
    settlements: dict[int, Settlement] = {}
    seen: dict[str, int] = {}
    rows = []
    for due, bet in zip(messages, bets, strict=True):
        revision = seen[due.player] = seen.get(due.player, 0) + 1
        if revision not in settlements:
            settlements[revision] = _make_settlement(round_, revision)
        rows.append(
            WalletTransaction(
                key=f"{ROUND}/{revision}/{players[due.player].pk}",
                settlement=settlements[revision],
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


def _make_round() -> tuple[Round, FeedEvent]:
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
    round_ = Round.objects.create(
        public_id=ROUND,
        platform_id="platform-1",
        table=table,
        shoe=shoe,
        rulebook=rulebook,
        number=41,
        window_number=41,
        status=RoundStatus.SETTLED.value,
        betting_opened_at=AT - timedelta(minutes=2),
        betting_closed_at=AT - timedelta(minutes=1),
        resulted_at=AT,
        outcome="player",
        player_total=9,
        banker_total=1,
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
    return round_, event


def _make_settlement(round_: Round, revision: int) -> Settlement:
    return Settlement.objects.create(
        round=round_,
        revision=revision,
        rulebook=round_.rulebook,
        authority=None if revision == 1 else "00000000-0000-4000-8000-000000000001",
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
