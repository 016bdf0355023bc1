"""A table that deals at human speed and tells Bluecard over HTTP, for as long as it is let.

What a table remembers is the number of the first event of its shoe: from it and the seed the whole shoe
follows, so a table that was stopped goes on at the very event at which it stood.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event as Signal
from typing import Any, Final

import httpx

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.day import play_one, say_limits, specials_of
from casino.counterparts.platform.dealing import Floor
from casino.counterparts.platform.room import Room
from casino.counterparts.platform.script import Event, Script, at_moment
from tables.rules.rulebook import Rulebook

logger = logging.getLogger(__name__)

GAP: Final = 409  # its body answers each event all the same
LONGEST_PAUSE: Final = 15.0
JSON_LINES: Final = {"Content-Type": "application/x-ndjson"}
PAUSE_MS: Final = (90_000, 150_000)  # from one shoe to the next


class LiveTableFailed(Exception):
    """The table cannot go on: a key without the right, a table nobody knows, or an answer nobody expects."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where Bluecard says a table stands."""

    next_seq: int
    has_shoe: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """What the table keeps of the shoe it deals."""

    first_seq: int
    opens: bool  # the table was not dealing before this shoe
    replaces: bool  # another shoe lay on the table

    @classmethod
    def read(cls, path: Path) -> "Memory | None":
        """Read what was kept; None where nothing, or nothing readable, was."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def keep(self, path: Path) -> None:
        """Write it down whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps({name: getattr(self, name) for name in self.__slots__}))
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
    _beginning: datetime = field(init=False)

    def run(self) -> None:
        """Deal until told to stop.

        :raises LiveTableFailed: if the table cannot go on.
        """
        while (standing := self._ask()) is not None:
            script = self._script(standing)
            if standing.next_seq > script.events[0]["seq"]:
                logger.info("%s goes on at event %s", self.code, standing.next_seq)
            self._send_all([event for event in script.events if event["seq"] >= standing.next_seq])

    def _script(self, standing: Standing) -> Script:
        """Write the shoe that lies on the table, or the next one."""
        kept = Memory.read(self.memory)
        is_continued = False
        if kept is not None and kept.first_seq <= standing.next_seq:
            script = self._write(kept)
            if standing.next_seq < script.next_seq:
                return script
            is_continued = standing.next_seq == script.next_seq
        new = Memory(standing.next_seq, opens=not is_continued, replaces=standing.has_shoe)
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
        return script

    def _ahead(self, milliseconds: int) -> timedelta:
        return timedelta(milliseconds=milliseconds / self.speed)

    def _send_all(self, events: list[Event]) -> None:
        """Send events, each at its time; come back early when Bluecard stands elsewhere, or to stop."""
        self._beginning = datetime.now(UTC) - self._ahead(events[0]["at"])
        for event in events:
            due = self._beginning + self._ahead(event["at"])
            if self.stopping.wait(max((due - datetime.now(UTC)).total_seconds(), 0)):
                return
            if not self._send(event):
                return
            # While nobody answered the table stood still: what follows comes as much later.
            now = datetime.now(UTC)
            self._beginning = max(self._beginning, now - self._ahead(event["at"]) - timedelta(seconds=1))

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
        return Standing(answer["next_seq"], has_shoe=bool(answer["shoe"]))

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
