"""A table that deals at human speed and tells Bluecard over HTTP, for as long as it is let.

What a table remembers is the number of the first event of its shoe, and what it was ordered since: from these
and the seed the whole shoe follows, so a table that was stopped goes on at the very event at which it stood.
"""

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event as Signal
from typing import Any, Final

import httpx

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.day import play_one, say_limits, specials_of
from casino.counterparts.platform.dealing import Floor
from casino.counterparts.platform.obedience import TABLE_CLOSED, Order, obey, order_of
from casino.counterparts.platform.room import Room
from casino.counterparts.platform.script import Event, Script, at_moment
from tables.rules.rulebook import Rulebook

logger = logging.getLogger(__name__)

GAP: Final = 409  # its body answers each event all the same
LONGEST_PAUSE: Final = 15.0
LISTEN_SECONDS: Final = 1.0
JSON_LINES: Final = {"Content-Type": "application/x-ndjson"}
PAUSE_MS: Final = (90_000, 150_000)  # from one shoe to the next


class LiveTableFailed(Exception):
    """The table cannot go on: a key without the right, a table nobody knows, or an answer nobody expects."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where Bluecard says a table stands."""

    next_seq: int
    has_shoe: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """What the table keeps of the shoe it deals."""

    first_seq: int
    opens: bool  # the table was not dealing before this shoe
    replaces: bool  # another shoe lay on the table
    orders: tuple[Order, ...] = ()
    heard: int = 0  # the last decision that it heard

    @property
    def is_closed(self) -> bool:
        """Say whether the table was ordered to stop: opened again, it remembers another shoe."""
        return any(order.kind == TABLE_CLOSED for order in self.orders)

    @classmethod
    def read(cls, path: Path) -> "Memory | None":
        """Read what was kept; None where nothing, or nothing readable, was."""
        try:
            kept = json.loads(path.read_bytes())
            orders = tuple(Order(**order) for order in kept.pop("orders", ()))
            return cls(**kept, orders=orders)
        except (OSError, ValueError, TypeError, AttributeError):
            return None

    def keep(self, path: Path) -> None:
        """Write it down whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)))
        new.replace(path)


@dataclass
class LiveTable:
    """One table at human speed."""

    code: str
    rulebook: Rulebook
    seed: object
    client: httpx.Client  # speaks to Bluecard, with the table's key
    memory: Path
    stopping: Signal
    speed: float = 1.0
    listen_seconds: float = LISTEN_SECONDS
    _beginning: datetime = field(init=False)
    _listened_at: float = field(init=False, default=0.0)

    def run(self) -> None:
        """Deal until told to stop.

        :raises LiveTableFailed: if the table cannot go on.
        """
        is_told = False  # since it was started: who starts it again opens its table again
        while (standing := self._ask()) is not None:
            kept = Memory.read(self.memory)
            if is_told and kept is not None and self._has_stopped(kept, standing):
                self._wait_until_open()
                continue
            is_told = True
            script = self._script(standing, kept)
            if script.events and standing.next_seq > script.events[0]["seq"]:
                logger.info("%s goes on at event %s", self.code, standing.next_seq)
            self._send_all([event for event in script.events if event["seq"] >= standing.next_seq])

    def _has_stopped(self, kept: Memory, standing: Standing) -> bool:
        """Say whether the table was closed, and the round that was in play then is played out."""
        is_closed = kept.is_closed and not standing.is_open
        return is_closed and standing.next_seq >= self._write(kept).next_seq

    def _wait_until_open(self) -> None:
        while not self.stopping.wait(self.listen_seconds):
            standing = self._ask()
            if standing is None or standing.is_open:
                return

    def _script(self, standing: Standing, kept: Memory | None) -> Script:
        """Write the shoe that lies on the table, or the next one."""
        is_continued = False
        if kept is not None and kept.first_seq <= standing.next_seq:
            script = self._write(kept)
            if standing.next_seq < script.next_seq:
                return script
            is_continued = standing.next_seq == script.next_seq and not kept.is_closed
        # A table that is new here obeys nothing that was decided before it came.
        heard = kept.heard if is_continued and kept is not None else self._hear_of_the_past()
        new = Memory(standing.next_seq, opens=not is_continued, replaces=standing.has_shoe, heard=heard)
        new.keep(self.memory)
        logger.info("%s begins a shoe at event %s", self.code, new.first_seq)
        return self._write(new)

    def _write(self, memory: Memory) -> Script:
        script = Script(self.code, f"L{memory.first_seq}", memory.first_seq)
        seed = (self.seed, "live", memory.first_seq)
        chance = Chance(*seed, self.code)
        room = Room(self.seed, self.rulebook, Chance(*seed, self.code, "room"))
        floor = Floor(self.rulebook, script, room, chance, shift=chance.between(0, 3))
        if memory.opens:
            script.say("table_opened")
            script.wait(3_000)
        if memory.replaces:
            script.say("shoe_ended", reason="replaced")
            script.wait(10_000)
        say_limits(script, floor.room.limits)
        floor.change_dealer()
        play_one(floor, seed, 1, specials_of(self.rulebook))
        floor.rest(chance.between(*PAUSE_MS))
        script.say("heartbeat")
        for order in memory.orders:
            script.events = obey(script.events, order)
        script.next_seq = script.events[-1]["seq"] + 1 if script.events else memory.first_seq
        return script

    def _ahead(self, milliseconds: int) -> timedelta:
        return timedelta(milliseconds=milliseconds / self.speed)

    def _send_all(self, events: list[Event]) -> None:
        """Send events, each at its time; come back early when Bluecard stands elsewhere, or to stop."""
        self._beginning = datetime.now(UTC) - self._ahead(events[0]["at"])
        for event in events:
            if not self._wait_for(event):
                return
            if not self._send(event):
                return
            # While nobody answered the table stood still: what follows comes as much later.
            now = datetime.now(UTC)
            self._beginning = max(self._beginning, now - self._ahead(event["at"]) - timedelta(seconds=1))

    def _wait_for(self, event: Event) -> bool:
        """Wait for the time of an event, listening; False when it is time to stop, or an order changes it."""
        due = self._beginning + self._ahead(event["at"])
        while True:
            if self._listen(event["seq"]):
                return False
            left = (due - datetime.now(UTC)).total_seconds()
            if self.stopping.wait(min(max(left, 0), max(self.listen_seconds, 0.01))):
                return False
            if left <= self.listen_seconds:
                return True

    def _listen(self, seq: int) -> bool:
        """Ask from time to time what was decided, and remember what is to be obeyed from this event on."""
        if time.monotonic() - self._listened_at < self.listen_seconds:
            return False
        self._listened_at = time.monotonic()
        kept = Memory.read(self.memory)
        told = self._call("GET", f"tables/{self.code}/decisions?after={kept.heard}") if kept else None
        if kept is None or told is None:
            return False
        is_ordered = False
        for decision in told["items"]:
            if self._call("POST", f"tables/{self.code}/decisions/{decision['id']}/ack") is None:
                break
            order = order_of(decision, seq)
            if order is not None:
                logger.info("%s obeys %s %s", self.code, order.kind, order.subject)
                is_ordered = True
                kept = replace(kept, orders=(*kept.orders, order))
            kept = replace(kept, heard=decision["id"])
            kept.keep(self.memory)
        return is_ordered

    def _hear_of_the_past(self) -> int:
        """Acknowledge what was decided until now, and return the number of the last."""
        heard = 0
        while told := self._call("GET", f"tables/{self.code}/decisions?after={heard}"):
            for decision in told["items"]:
                self._call("POST", f"tables/{self.code}/decisions/{decision['id']}/ack")
                heard = decision["id"]
            if not told["has_more"]:
                break
        return heard

    def _send(self, event: Event) -> bool:
        """Send one event until it is answered; False when it does not fit where the table stands."""
        line = json.dumps(self._timed(event), ensure_ascii=False).encode()
        answer = self._call("POST", f"tables/{self.code}/events", line)
        if answer is None:
            return False
        given = answer["events"][0]
        match given["status"]:
            case "accepted" | "repeat":
                return True
            case "refused":
                logger.warning("%s: event %s refused: %s", self.code, event["seq"], given.get("error"))
                return True
            case "gap" | "conflict":
                logger.warning("%s: event %s: %s", self.code, event["seq"], given)
                self.stopping.wait(1)
                return False
        raise LiveTableFailed(f"{self.code}: event {event['seq']} was answered {given}")

    def _timed(self, event: Event) -> Event:
        if self.speed == 1.0:
            return at_moment(event, self._beginning)
        return at_moment(_faster(event, self.speed), self._beginning)

    def _ask(self) -> Standing | None:
        """Ask where the table stands; None when it is time to stop."""
        answer = self._call("GET", f"tables/{self.code}/feed")
        if answer is None:
            return None
        return Standing(answer["next_seq"], has_shoe=bool(answer["shoe"]), is_open=answer["status"] == "open")

    def _call(self, method: str, path: str, body: bytes | None = None) -> Mapping[str, Any] | None:
        """Call Bluecard until it answers, however long it is away; None when it is time to stop."""
        pause = 0.5
        headers = JSON_LINES if body else None
        while not self.stopping.is_set():
            try:
                response = self.client.request(method, path, content=body, headers=headers)
            except httpx.TransportError as error:
                logger.info("%s: Bluecard does not answer (%s)", self.code, error)
            else:
                if response.is_success or response.status_code == GAP:
                    answer: Mapping[str, Any] = response.json()
                    return answer
                if response.status_code < 500 and response.status_code not in (408, 429):
                    raise LiveTableFailed(f"{self.code}: {response.status_code} {response.text[:300]}")
                logger.info("%s: Bluecard answered %s", self.code, response.status_code)
            self.stopping.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        return None


def _faster(event: Event, speed: float) -> Event:
    """Bring the times of an event as much closer together as the table deals faster."""
    quick = event | {"at": int(event["at"] / speed)}
    if event["type"] == "bets":
        quick["bets"] = [bet | {"at": int(bet["at"] / speed)} for bet in event["bets"]]
    return quick
