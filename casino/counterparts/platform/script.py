"""What a table will say, written down beforehand: numbered events whose times count from the beginning."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from casino.counterparts.platform.room import Wager
from tables.rules.bets import NO_PHASE

Event = dict[str, Any]


@dataclass
class Script:
    """The events of one table in order, `at` in milliseconds since the script's beginning."""

    table: str
    series: str  # tells the ids of one day of play from those of another
    next_seq: int = 1
    now_ms: int = 0
    next_bet: int = 1
    events: list[Event] = field(default_factory=list)

    @property
    def length(self) -> timedelta:
        """The time from the beginning to now, as far as the script is written."""
        return timedelta(milliseconds=self.now_ms)

    def wait(self, milliseconds: int) -> None:
        self.now_ms += milliseconds

    def say(self, type_: str, **fields: Any) -> Event:
        """Add one event that happens now."""
        event = {
            "id": f"{self.table}-{self.series}-{self.next_seq:05}",
            "table": self.table,
            "seq": self.next_seq,
            "at": self.now_ms,
            "type": type_,
            **fields,
        }
        self.next_seq += 1
        self.events.append(event)
        return event

    def name_bet(self) -> str:
        """Give the next bet its id."""
        self.next_bet += 1
        return f"{self.table}-{self.series}-b{self.next_bet - 1:06}"

    def say_bets(self, round_id: str, opened_ms: int, wagers: Iterable[tuple[str, Wager]]) -> None:
        """Add one event with bets, each with the moment it was placed."""
        bets = [_bet(bet_id, wager, opened_ms) for bet_id, wager in wagers]
        if bets:
            self.say("bets", round=round_id, bets=bets)


def _bet(bet_id: str, wager: Wager, opened_ms: int) -> Event:
    bet: Event = {
        "id": bet_id,
        "player": wager.player,
        "bet": wager.kind,
        "stake": wager.stake_minor,
        "at": opened_ms + wager.after_ms,
    }
    if wager.phase != NO_PHASE:
        bet["phase"] = wager.phase
    if wager.odds is not None:
        bet["odds"] = str(wager.odds)
    if not wager.confirmed:
        bet["confirmed"] = False
    return bet


def at_moment(event: Event, beginning: datetime) -> Event:
    """Write an event as it is sent: its times as moments, given when the script began."""
    sent = event | {"at": _moment(beginning, event["at"])}
    if "bets" in event and event["type"] == "bets":
        sent["bets"] = [bet | {"at": _moment(beginning, bet["at"])} for bet in event["bets"]]
    return sent


def _moment(beginning: datetime, milliseconds: int) -> str:
    return (beginning + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
