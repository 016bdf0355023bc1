"""Several days to look at: fewer shoes a day at fuller tables, dealt by some processes at once.

Everything goes through the feed's own reader, a table's days in the order of time; the worker settles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from casino.counterparts.platform import series_of
from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.room import FULL
from casino.demo.deciding import watches_of
from casino.demo.house import DEMO_TABLES, LIVE_CODES
from casino.demo.play import DAY, Played, TablesDay, first_of, is_over, plan_day, play
from tables.models import GameTable

#: A table rests one day in so many, each on days of its own; on the last day all of them play.
RESTS_EVERY: Final = 6
#: A table's day ends up to so many minutes before the hour at which the last one does, as the seed has it.
ENDS_EARLIER_MINUTES: Final = 14 * 60
#: Sent in one go, but on the last day: about as many as the feed's reader takes in one transaction.
ROUNDS_AT_ONCE: Final = 15


class CannotPlayMonth(Exception):
    """These days cannot be played at these tables; the message says why."""


@dataclass(frozen=True, slots=True)
class Month:
    """Which days are played. All but the dates follows from the seed."""

    seed: int
    days: int
    ends_at: datetime
    shoes: int = 1
    rounds: int | None = None  # makes short shoes

    @property
    def numbers(self) -> range:
        return range(1, self.days + 1)

    def plays(self, code: str, number: int) -> bool:
        """Say whether a table plays on a day."""
        place = list(DEMO_TABLES).index(code)
        return (self.days - number) % RESTS_EVERY != 1 + place % (RESTS_EVERY - 1)

    def end_of(self, code: str, number: int) -> datetime:
        """Return when a table's day ends."""
        ends_at = self.ends_at - (self.days - number) * DAY
        if number == self.days:
            return ends_at
        earlier = Chance(self.seed, number, code, "hours").between(0, ENDS_EARLIER_MINUTES)
        return ends_at - timedelta(minutes=earlier)

    def closes(self, code: str, number: int) -> bool:
        """Say whether a table closes at the end of a day: at the end of the last, live ones go on."""
        return number < self.days or code not in LIVE_CODES

    def series_of(self, number: int) -> str:
        """Name what happens on a day."""
        return series_of(self.seed, number, self.shoes, FULL)

    def plan(self, table: GameTable, number: int) -> TablesDay | None:
        """Write a table's day, or the rest of it; None if it was played, or the table rests.

        :raises CannotPlay: if the table has played later than this day would begin.
        """
        if not self.plays(table.code, number):
            return None
        return plan_day(
            table,
            seed=self.seed,
            day=number,
            shoes=self.shoes,
            ends_at=self.end_of(table.code, number),
            again=True,
            crowd=FULL,
            closes=self.closes(table.code, number),
            rounds=self.rounds,
        )

    def days_left(self, table: GameTable) -> list[int]:
        """Return the days a table has not played to their ends."""
        prefix = f"{table.code}-{{}}-"
        return [
            number
            for number in self.numbers
            if self.plays(table.code, number)
            and not is_over(
                table, prefix.format(self.series_of(number)), self.shoes, self.closes(table.code, number)
            )
        ]

    def is_begun(self, table: GameTable) -> bool:
        """Say whether any of these days was begun at a table."""
        return any(
            first_of(table, f"{table.code}-{self.series_of(number)}-") is not None for number in self.numbers
        )


def days_to_play(month: Month, tables: Collection[GameTable]) -> dict[str, list[int]]:
    """Return which days each table has still to play.

    :raises CannotPlayMonth: if a table has played something else: a month cannot be put before or between it.
    """
    taken = [table.code for table in tables if table.state.next_seq > 1 and not month.is_begun(table)]
    if taken:
        raise CannotPlayMonth(
            f"{', '.join(taken)} played something else already, and {month.days} days do not fit before it. "
            "Several days are played in a house that is new: with an empty folder in BLUECARD_STATE."
        )
    return {table.code: month.days_left(table) for table in tables}


@dataclass(frozen=True, slots=True)
class Progress:
    """How much was dealt so far. `days` counts the days of all tables, those half played by their part."""

    days: float = 0.0
    rounds: int = 0
    bets: int = 0
    answers: Mapping[str, int] = field(default_factory=dict)

    def plus(self, other: Progress) -> Progress:
        """Add what was dealt elsewhere, or on another day."""
        return Progress(
            self.days + other.days,
            self.rounds + other.rounds,
            self.bets + other.bets,
            Counter(self.answers) + Counter(other.answers),
        )


def deal(month: Month, tables: Collection[GameTable], say: Callable[[Progress], None]) -> Progress:
    """Play what is left of these days at some tables; `say` hears how far it is, as often as it moves.

    :raises CannotPlay: if a table has played later than one of the days would begin.
    """
    before = Progress()
    for number in month.numbers:
        planned = [day for table in tables if (day := month.plan(table, number))]
        if planned:
            before = _deal_day(month, number, planned, before, say)
    return before


def _deal_day(
    month: Month, number: int, planned: list[TablesDay], before: Progress, say: Callable[[Progress], None]
) -> Progress:
    events = sum(len(day.events_left) for day in planned)

    def so_far(played: Played) -> Progress:
        part = len(planned) * played.events / events
        return before.plus(Progress(part, played.rounds, played.bets, dict(played.answers)))

    def hear(played: Played) -> None:
        say(so_far(played))

    if number < month.days:
        return so_far(play(planned, hear, rounds_at_once=ROUNDS_AT_ONCE))
    return so_far(play(planned, hear, watches_of(planned, month.shoes)))
