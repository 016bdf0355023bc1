"""The demo's day: its scripts played through the feed's reader, all tables in the order of time."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from django.db import transaction

from casino.counterparts.platform import series_of, write_day
from casino.counterparts.platform.room import USUAL, Crowd
from casino.counterparts.platform.script import Event, Script, at_moment
from casino.demo.house import LIVE_CODES, ZONE
from tables.feed.reader import FeedAnswer, read_lines
from tables.models import FeedEvent, GameTable
from tables.queries.rulebooks import rules_of
from tables.services.actors import Actor

#: A round is read as one, but as soon as so much of the table's time has passed: nothing of it comes late.
READ_WITHIN: Final = timedelta(seconds=55)
DAY: Final = timedelta(days=1)
ON_THE_WAY: Final = timedelta(milliseconds=200)


class CannotPlay(Exception):
    """The day cannot be played now; the message says why, and when it can."""


@dataclass
class TablesDay:
    """One table's day, and from which event on it is still to be played."""

    table: GameTable
    script: Script
    beginning: datetime
    from_seq: int

    @property
    def events_left(self) -> list[Event]:
        return [event for event in self.script.events if event["seq"] >= self.from_seq]

    @property
    def ends_at(self) -> datetime:
        return self.beginning + self.script.length


@dataclass
class Played:
    """What was played, and how it was answered."""

    events: int = 0
    rounds: int = 0
    bets: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def count(self, events: list[Event], answer: FeedAnswer) -> None:
        """Add some events and their answers."""
        self.events += len(events)
        self.rounds += sum(event["type"] == "round_result" for event in events)
        self.bets += sum(len(event["bets"]) for event in events if event["type"] == "bets")
        self.answers.update(event.status for event in answer.events)


def plan_day(
    table: GameTable,
    *,
    seed: int,
    day: int,
    shoes: int,
    ends_at: datetime,
    again: bool,
    crowd: Crowd = USUAL,
    closes: bool | None = None,
    rounds: int | None = None,
) -> TablesDay | None:
    """Write a table's day, or the rest of one that was interrupted; None when it was played already.

    By default the live tables stay open, and the others close; `rounds` makes short shoes.

    :raises CannotPlay: if the table has played later than this day would begin.
    """
    table.state.refresh_from_db()
    next_seq = table.state.next_seq
    closes = table.code not in LIVE_CODES if closes is None else closes
    series = f"{table.code}-{series_of(seed, day, shoes, crowd)}-"
    first = first_of(table, series)
    if (first is None and next_seq > 1 and not again) or (first and is_over(table, series, shoes, closes)):
        return None
    script = write_day(
        rules_of(table.rulebook_id),
        table.code,
        seed,
        shoes=shoes,
        day=day,
        first_seq=first.seq if first else next_seq,
        closes=closes,
        crowd=crowd,
        **({"rounds": rounds} if rounds else {}),
    )
    if first is not None and first.at is not None:
        # The same beginning makes the same events: what was sent is known, the rest follows.
        planned = TablesDay(table, script, first.at.astimezone(ZoneInfo(ZONE)), next_seq)
        return planned if planned.events_left else None
    planned = TablesDay(table, script, ends_at.astimezone(ZoneInfo(ZONE)) - script.length, next_seq)
    last = table.state.last_event_at
    if last is not None and last > planned.beginning:
        when = (last + script.length).astimezone(ZoneInfo(ZONE))
        raise CannotPlay(f"{table.code} has played until now; another day fits from {when:%d %b %H:%M} on")
    return planned


def first_of(table: GameTable, series: str) -> FeedEvent | None:
    """Return the first event of a day, if the day was ever begun."""
    return FeedEvent.objects.filter(table=table, event_id__startswith=series).order_by("seq").first()


def is_over(table: GameTable, series: str, shoes: int, closes: bool) -> bool:
    """Say whether the last event of a day is in."""
    last, times = ("table_closed", 1) if closes else ("shoe_ended", shoes)
    return FeedEvent.objects.filter(table=table, event_id__startswith=series, type=last).count() >= times


def next_day(table: GameTable, seed: int, shoes: int) -> int:
    """Return the number of the first day of this seed that the table has not played."""
    day = 1
    while FeedEvent.objects.filter(
        table=table, event_id__startswith=f"{table.code}-{series_of(seed, day, shoes)}-"
    ).exists():
        day += 1
    return day


def play(
    days: list[TablesDay],
    say: Callable[[Played], None],
    watches: Mapping[str, Callable[[], object]] = MappingProxyType({}),
    *,
    rounds_at_once: int = 1,
) -> Played:
    """Play days to their ends, all tables in the order of time; `say` hears how far it is.

    Sent some rounds at once, as a platform does that catches up, what is older than a minute counts as late.

    A watch is called when the round it names was dealt, and before the worker can hear of the round.
    """
    played = Played()
    for day, events in _batches(days, rounds_at_once):
        watch = watches.get(events[-1].get("round", "")) if events[-1]["type"] == "round_result" else None
        with transaction.atomic() if watch else nullcontext():
            answer = _read(day, events)
            if watch:
                watch()
        played.count(events, answer)
        say(played)
    return played


def _read(day: TablesDay, events: list[Event]) -> FeedAnswer:
    return read_lines(
        day.table.code,
        [msgspec.json.encode(at_moment(event, day.beginning)) for event in events],
        actor=Actor.of_table(day.table.code),
        received_at=_moment(day, events[-1]) + ON_THE_WAY,
    )


def _batches(days: list[TablesDay], rounds_at_once: int) -> Iterator[tuple[TablesDay, list[Event]]]:
    """Yield what each table sends in one go, ordered by the moment at which it is sent."""
    streams = [_of_one(place, day, rounds_at_once) for place, day in enumerate(days)]
    for _, place, events in heapq.merge(*streams, key=lambda batch: batch[:2]):
        yield days[place], events


def _of_one(place: int, day: TablesDay, rounds_at_once: int) -> Iterator[tuple[datetime, int, list[Event]]]:
    batch: list[Event] = []
    rounds = 0
    for event in day.events_left:
        is_old = rounds_at_once == 1 and batch and _moment(day, event) - _moment(day, batch[0]) > READ_WITHIN
        if is_old or rounds == rounds_at_once:
            yield _moment(day, batch[-1]), place, batch
            batch, rounds = [], 0
        batch.append(event)
        rounds += event["type"] == "round_result"
    if batch:
        yield _moment(day, batch[-1]), place, batch


def _moment(day: TablesDay, event: Event) -> datetime:
    return day.beginning + timedelta(milliseconds=event["at"])
