"""Events of a table to bench with: bets in bulk, and small rounds played from a shuffled shoe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from casino.bench.house import KINDS, players_of
from casino.counterparts.platform.chance import Chance
from tables.feed.events import MAX_BETS_PER_EVENT
from tables.rules.cards import ALL_CARDS, Card
from tables.rules.drawing import due_next, read_coup
from tables.rules.rulebook import Rulebook
from tables.rules.shoe import burn_due

DECKS = 8
ROUNDS_A_SHOE = 60
BETS_A_ROUND = 10


class Play:
    """Numbers the events of one table and writes each as one JSON line."""

    def __init__(self, table: str, rulebook: Rulebook, at: datetime) -> None:
        self.table, self.rulebook, self.at = table, rulebook, at
        self.seq = self.shoes = self.rounds = self.bets = 0
        self.number = 0
        self.chance = Chance("bench", table)
        self.shoe: list[Card] = []

    def say(self, type_: str, **fields: Any) -> bytes:
        """Write the next event, a millisecond after the last."""
        self.seq += 1
        self.at += timedelta(milliseconds=1)
        event = {"id": f"{self.table}-{self.seq}", "table": self.table, "seq": self.seq, "type": type_}
        return json.dumps({**event, "at": self.at.isoformat(), **fields}, separators=(",", ":")).encode()

    def open_table(self) -> Iterator[bytes]:
        yield self.say("table_opened")
        yield self.say("dealer_in", dealer="D-1", name="Mali Chantara")

    def start_shoe(self) -> Iterator[bytes]:
        """Replace the shoe by a shuffled one, cut and burned."""
        if self.shoes:
            yield self.say("shoe_ended", reason="replaced")
        self.shoes, self.number = self.shoes + 1, 0
        self.shoe = list(ALL_CARDS) * DECKS
        self.chance.shuffle(self.shoe)
        yield self.say("shoe_started", shoe=f"{self.table}-{self.shoes}", decks=DECKS)
        yield self.say("cut_card_placed", from_back=14)
        turned = self.shoe.pop()
        count = burn_due(self.rulebook.burn, turned, DECKS)
        del self.shoe[-count:]
        yield self.say("burned", turned=str(turned), count=count)

    def open_round(self) -> tuple[str, bytes]:
        """Open betting on the next round; return its name and the event."""
        self.rounds, self.number = self.rounds + 1, self.number + 1
        name = f"{self.table}-R{self.rounds}"
        return name, self.say("betting_opened", round=name, number=self.number)

    def bet(self, round_name: str, count: int) -> list[dict[str, Any]]:
        """Make up some bets of a round, of as many players as the figures are defined with."""
        players = players_of(count)
        first = self.bets
        self.bets += count
        return [
            {
                "id": f"{self.table}-b{first + place:08}",
                "player": f"P-{place % players:06}",
                "bet": KINDS[(place + place // players) % len(KINDS)],
                "stake": 100 + place * 7919 % 5000 * 100,
            }
            for place in range(count)
        ]

    def say_bets(self, round_name: str, bets: list[dict[str, Any]]) -> Iterator[bytes]:
        """Say bets, as many in an event as one may hold."""
        for start in range(0, len(bets), MAX_BETS_PER_EVENT):
            yield self.say("bets", round=round_name, bets=bets[start : start + MAX_BETS_PER_EVENT])

    def deal_round(self, name: str) -> Iterator[bytes]:
        """Ring the bell, deal a lawful coup, and say its result."""
        yield self.say("betting_closed", round=name)
        player: list[Card] = []
        banker: list[Card] = []
        dealt: list[Card] = []
        while (place := due_next(player, banker)) is not None:
            card = self.shoe.pop()
            dealt.append(card)
            (player if place[0] == "P" else banker).append(card)
            yield self.say("card", round=name, place=place.value, card=str(card))
        coup = read_coup(dealt)
        totals = {"player_total": coup.player_total, "banker_total": coup.banker_total}
        yield self.say("round_result", round=name, outcome=coup.outcome.value, **totals)

    def play_rounds(self, events: int) -> Iterator[bytes]:
        """Play small rounds, one shoe after the other, until at least this many events are said."""
        until = self.seq + events
        while self.seq < until:
            if not self.shoes or self.number >= ROUNDS_A_SHOE:
                yield from self.start_shoe()
            name, opened = self.open_round()
            yield opened
            yield from self.say_bets(name, self.bet(name, BETS_A_ROUND))
            yield from self.deal_round(name)
