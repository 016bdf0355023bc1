"""A table for tests: set up under a shipped rulebook, and fed with events one sentence each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from tables.feed.reader import EventAnswer, FeedAnswer, read_lines
from tables.models import Card, Deal, GameTable, Round
from tables.rulebooks import SHIPPED, shipped_text
from tables.services.actors import SYSTEM, Actor
from tables.services.settlement import settle_round
from tables.services.setup import publish_rulebook, set_up_table

NOON = datetime(2026, 11, 29, 5, 0, 0, tzinfo=UTC)  # noon in Bangkok
PLACES = ("P1", "B1", "P2", "B2", "P3", "B3")


def make_table(code: str = "B01", rulebook: str = "insurance", **changes: Any) -> GameTable:
    """Set up a table that takes stakes from 1.00 to 1,000,000.00 THB."""
    publish_rulebook(
        text=shipped_text(rulebook), effective_from=NOON - timedelta(days=1), actor=SYSTEM, at=NOON
    )
    facts = {
        "code": code,
        "name": f"Table {code}",
        "currency": "THB",
        "zone": "Asia/Bangkok",
        "rulebook_code": rulebook,
        "min_stake_minor": 100,
        "max_stake_minor": 100_000_000,
    }
    return set_up_table(**{**facts, **changes}, actor=SYSTEM, at=NOON)


def publish_all() -> None:
    """Publish every shipped rulebook, as a house does before its people are entered."""
    for code in SHIPPED:
        text = shipped_text(code)
        publish_rulebook(text=text, effective_from=NOON - timedelta(days=1), actor=SYSTEM, at=NOON)


class Platform:
    """The other end of a table's feed: numbers its events and remembers what it sent."""

    def __init__(self, table: GameTable, at: datetime = NOON) -> None:
        self.table, self.at = table, at
        self.seq = 0
        self.sent: list[bytes] = []
        self.round_number = 0

    def event(self, type_: str, **facts: Any) -> bytes:
        """Write the next event, a second after the last one."""
        self.seq += 1
        self.at += timedelta(seconds=1)
        body = {
            "id": f"{self.table.code}-{self.seq}",
            "table": self.table.code,
            "seq": self.seq,
            "type": type_,
        }
        line = msgspec.json.encode({**body, "at": self.at.isoformat(), **facts})
        self.sent.append(line)
        return line

    def send(self, *lines: bytes) -> FeedAnswer:
        received = max(self.at, NOON) + timedelta(milliseconds=50)
        return read_lines(self.table.code, lines, actor=Actor.of_table(self.table.code), received_at=received)

    def say(self, type_: str, **facts: Any) -> EventAnswer:
        """Write the next event, send it, and return its answer."""
        return self.send(self.event(type_, **facts)).events[0]

    def start(self, turned: str = "2S", burn: int | None = 2, cut: int = 14, **shoe: Any) -> None:
        """Open the table with a new shoe, burned and cut."""
        lines = [
            self.event("table_opened"),
            self.event("dealer_in", dealer="D-07", name="Mali Chantara"),
            self.event("shoe_started", shoe=f"S-{self.seq}", **shoe),
            self.event("cut_card_placed", from_back=cut),
        ]
        if burn is not None:
            lines.append(self.event("burned", turned=turned, count=burn))
        self._expect(lines)

    def open_round(self) -> str:
        self.round_number += 1
        name = f"{self.table.code}-R{self.round_number}-{self.seq}"
        self._expect([self.event("betting_opened", round=name, number=self.round_number)])
        return name

    def bet(self, round_name: str, *bets: tuple[Any, ...]) -> EventAnswer:
        """Bet: (id, player, kind, stake[, further facts])."""
        rows = [
            {"id": bet_id, "player": player, "bet": kind, "stake": stake, **(more[0] if more else {})}
            for bet_id, player, kind, stake, *more in bets
        ]
        return self.say("bets", round=round_name, bets=rows)

    def deal(self, round_name: str, cards: str, *, bell: bool = True) -> None:
        """Ring the bell and deal cards in dealt order, as `6H 4H 4C 6S`; the places follow the tableau."""
        from tables.rules.drawing import read_coup

        coup = read_coup(cards.split())
        lines = [self.event("betting_closed", round=round_name)] if bell else []
        lines += [
            self.event("card", round=round_name, place=place.value, card=str(card))
            for place, card in coup.placed.items()
        ]
        result = {
            "outcome": coup.outcome.value,
            "player_total": coup.player_total,
            "banker_total": coup.banker_total,
        }
        lines.append(self.event("round_result", round=round_name, **result))
        self._expect(lines)

    def play(self, cards: str, *bets: tuple[Any, ...]) -> Round:
        """Play one round whole and settle it."""
        name = self.open_round()
        if bets:
            self.bet(name, *bets)
        self.deal(name, cards)
        round_ = self.round(name)
        settle_round(round_id=round_.pk, now=self.at)
        round_.refresh_from_db()
        return round_

    def round(self, name: str) -> Round:
        return Round.objects.get(table=self.table, platform_id=name)

    def _expect(self, lines: list[bytes]) -> None:
        for answer in self.send(*lines).events:
            assert answer.status == "accepted", answer


def lines_of(round_: Round) -> dict[str, tuple[str, int]]:
    """Return what the newest revision gave each bet: its result and what was returned."""
    newest = round_.settlements.order_by("-revision").first()
    assert newest is not None
    rows = newest.lines.values_list("bet__platform_bet_id", "result", "returned_minor")
    return {bet: (result, returned) for bet, result, returned in rows}


def cards_of(deal: Deal) -> dict[str, str]:
    """Return the cards that lie in a deal now, by place."""
    return {card.place: str(card.face) for card in Card.objects.filter(deal=deal, superseded_by__isnull=True)}
