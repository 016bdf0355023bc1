"""A house to bench in: a table, players, and rounds full of bets that wait to be settled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg
from django.conf import settings

from tables.models import Bell, Card, Deal, FeedEvent, GameTable, Outbox, Round, RoundStatus, Shoe, ShoeStatus
from tables.rulebooks import shipped_text
from tables.rules.round_id import make_round_id, make_shoe_id
from tables.services.actors import SYSTEM
from tables.services.setup import publish_rulebook, set_up_table

BEGUN = datetime(2026, 11, 29, 5, 0, tzinfo=UTC)
#: Kinds of bet in turn, most of them on the two sides, as at a table.
KINDS = ("player", "banker", "player", "banker", "tie", "big", "player_pair", "super_6_plus", "banker")
#: Every tenth bet insures the Player.
INSURANCE_EVERY = 10
BETS_A_PLAYER = 5

# Bets with the keys first + 1 to first + count: of each player several, of different kinds.
FILL_BETS = """
INSERT INTO tables_bet (id, platform_bet_id, round_id, player_id, kind, phase, deal_id, stake_minor,
    odds_offered, odds_shown, status, refusal, placed_at, event_id)
SELECT %(first)s + n, 'bench-' || (%(first)s + n), %(round)s, %(player)s + n %% %(players)s,
    CASE WHEN insures THEN 'player_insurance' ELSE (%(kinds)s::text[])[(1 + n %% %(kind_count)s)::int] END,
    CASE WHEN insures THEN 'four_cards' ELSE '' END,
    CASE WHEN insures THEN %(deal)s::bigint END,
    100 * (1 + n * 7919 %% 5000),
    CASE WHEN insures THEN '5/2' ELSE '' END, '', 'accepted', '', %(at)s, %(event)s
FROM (
    SELECT n, (n + n / %(players)s) %% %(insurance_every)s = 0 AS insures
    FROM generate_series(1, %(count)s::bigint) AS n
) AS numbered
"""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards by place, and what they come to."""

    cards: dict[str, str]
    outcome: str
    player_total: int
    banker_total: int


#: The Player's 6 against 4: insurance at 5/2 is sold, and pays where the Banker draws to 8.
BANKER_WON = Dealt({"P1": "6H", "B1": "4H", "P2": "KC", "B2": "QS", "B3": "4S"}, "banker", 6, 8)
PLAYER_WON = Dealt(BANKER_WON.cards | {"B3": "9S"}, "player", 6, 3)
#: So many rounds of five cards lie in a shoe, and so many shoes in a day.
ROUNDS_A_SHOE, SHOES_A_DAY = 80, 99


@dataclass(frozen=True, slots=True)
class FilledRound:
    """A round whose result is in. Its bets have the keys `first_bet_id` + 1 and on."""

    id: int
    public_id: str
    first_bet_id: int


@contextmanager
def owner_connection() -> Iterator[psycopg.Connection]:
    """Connect as the owner of the bench's database, who may fill it and look into it."""
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as connection:
        yield connection


def open_house(rulebook: str = "insurance", code: str = "B01") -> GameTable:
    """Set up a table under a shipped rulebook that takes any stake."""
    publish_rulebook(
        text=shipped_text(rulebook), effective_from=BEGUN - timedelta(days=1), actor=SYSTEM, at=BEGUN
    )
    return set_up_table(
        code=code,
        name=f"Bench {code}",
        currency="THB",
        zone="Asia/Bangkok",
        rulebook_code=rulebook,
        min_stake_minor=1,
        max_stake_minor=10**15,
        actor=SYSTEM,
        at=BEGUN,
    )


class House:
    """A table whose rounds are filled by SQL, as fast as the database takes them."""

    def __init__(self, table: GameTable, players: int) -> None:
        self.table, self.players = table, players
        self.shoes = 0
        self._start_shoe()
        self.event = FeedEvent.objects.create(
            table=table,
            event_id="bench",
            seq=1,
            type="bets",
            at=BEGUN,
            received_at=BEGUN,
            status="accepted",
            body_hash=bytes(32),
            body=b"{}",
        )
        self.rounds = 0
        with owner_connection() as owner:
            insert = "INSERT INTO tables_player (first_seen_at) SELECT %s FROM generate_series(1, %s)"
            owner.execute(insert, [BEGUN, players])
            (self.first_player_id,) = owner.execute("SELECT min(id) FROM tables_player").fetchone() or (0,)

    def _start_shoe(self) -> None:
        day, number = divmod(self.shoes, SHOES_A_DAY)
        self.shoes += 1
        date = BEGUN.date() + timedelta(days=day)
        self.shoe = Shoe.objects.create(
            table=self.table,
            rulebook=self.table.rulebook,
            gaming_date=date,
            number=number + 1,
            public_id=make_shoe_id(self.table.code, date, number + 1),
            decks=8,
            started_at=BEGUN,
            ended_at=BEGUN,
            status=ShoeStatus.ENDED.value,
        )

    def fill_round(self, bets: int, *, players: int | None = None, dealt: Dealt = BANKER_WON) -> FilledRound:
        """Make a round that waits to be settled, with `bets` accepted bets of `players` players."""
        if self.rounds and self.rounds % ROUNDS_A_SHOE == 0:
            self._start_shoe()
        self.rounds += 1
        number = (self.rounds - 1) % ROUNDS_A_SHOE + 1
        public_id = make_round_id(self.table.code, self.shoe.gaming_date, self.shoe.number, number)
        round_ = Round.objects.create(
            public_id=public_id,
            platform_id=f"bench-{self.rounds}",
            table=self.table,
            shoe=self.shoe,
            rulebook=self.table.rulebook,
            number=number,
            window_number=1,
            status=RoundStatus.RESULTED.value,
            betting_opened_at=BEGUN,
            betting_closed_at=BEGUN,
            resulted_at=BEGUN,
            outcome=dealt.outcome,
            player_total=dealt.player_total,
            banker_total=dealt.banker_total,
        )
        deal = Deal.objects.create(round=round_, started_at=BEGUN)
        self._deal(round_, deal, dealt.cards)
        Outbox.objects.create(bell=Bell.SETTLE.value, subject_id=round_.pk, created_at=BEGUN, rung_at=BEGUN)
        with owner_connection() as owner:
            (first,) = owner.execute("SELECT coalesce(max(id), 0) FROM tables_bet").fetchone() or (0,)
            facts = {
                "first": first,
                "round": round_.pk,
                "player": self.first_player_id,
                "players": min(self.players, players or self.players),
                "kinds": list(KINDS),
                "kind_count": len(KINDS),
                "deal": deal.pk,
                "insurance_every": INSURANCE_EVERY,
                "at": BEGUN,
                "event": self.event.pk,
                "count": bets,
            }
            owner.execute(FILL_BETS, facts)
            owner.execute("SELECT setval('tables_bet_id_seq', %s)", [first + bets])
        return FilledRound(round_.pk, public_id, first)

    def settle_down(self) -> None:
        """Bring the planner's statistics up to date, and hint bits with them, outside every measurement."""
        with owner_connection() as owner:
            owner.execute("VACUUM ANALYZE")

    def _deal(self, round_: Round, deal: Deal, cards: dict[str, str]) -> None:
        first = (round_.number - 1) * len(cards)
        Card.objects.bulk_create(
            Card(
                shoe=self.shoe,
                position=first + place_number,
                place=place,
                rank=card[:-1],
                suit=card[-1],
                round=round_,
                deal=deal,
                source="scan",
                at=BEGUN,
            )
            for place_number, (place, card) in enumerate(cards.items(), start=1)
        )


def players_of(bets: int) -> int:
    """Say how many players make this many bets, as the figures are defined: 20,000 make 100,000."""
    return max(1, bets // BETS_A_PLAYER)
