"""Set up a house to look at, play a day in it, and let two tables go on dealing."""

import time
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.counterparts.platform import series_of
from casino.counterparts.platform.room import FULL
from casino.demo.complaints import EVE, EVE_CODE, complain
from casino.demo.deciding import Watch, ask_for_a_change, rulings_under_way, tell_stories, watches_of
from casino.demo.hands import DealingStopped, play_month
from casino.demo.house import DEMO_TABLES, LIVE_CODES, set_up_house
from casino.demo.live import deal_live
from casino.demo.month import CannotPlayMonth, Month
from casino.demo.play import CannotPlay, Played, TablesDay, first_of, next_day, plan_day, play
from casino.demo.settling import (
    NobodySettles,
    WorkerAtHand,
    rounds_to_settle,
    wait_until_none,
    wait_until_settled,
)
from casino.demo.summary import summary
from tables.models import GameTable

SAY_EVERY_SECONDS = 5.0
MOST_DAYS = 30
SHOES_OF_A_DAY, SHOES_OF_MANY = 3, 1
EVE_DAY = 0  # the number of the day before the first


class Command(BaseCommand):
    help = (
        "Set up six tables and play a seeded day that ends now, through the feed's own reader; the worker "
        "settles it. With --live, tables go on dealing at human speed over HTTP until they are stopped."
    )

    _said_left_at = 0.0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="what everything but the dates follows from")
        parser.add_argument(
            "--shoes", type=int, help="shoes a table plays in a day, 1 to 6; by default 3, of several days 1"
        )
        parser.add_argument(
            "--days", type=int, default=1, help="days, the last of which ends now; several need a new house"
        )
        parser.add_argument("--tables", default=",".join(DEMO_TABLES), help="codes, as in B01,B02")
        parser.add_argument("--again", action="store_true", help="play another day on tables that have one")
        parser.add_argument(
            "--live",
            nargs="?",
            const=",".join(LIVE_CODES),
            metavar="CODES",
            help="go on dealing at these tables",
        )
        parser.add_argument("--url", help="where the web server is, for --live")
        parser.add_argument(
            "--speed", type=float, default=1.0, help="how much faster than people, for --live"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.IS_PRODUCTION:
            raise CommandError("the demo writes made-up play; it does not run in production mode")
        if options["live"]:
            self._deal_live(options)
            return
        days = options["days"]
        if options["shoes"] is None:
            options["shoes"] = SHOES_OF_A_DAY if days == 1 else SHOES_OF_MANY
        if not 1 <= options["shoes"] <= 6:
            raise CommandError(f"--shoes {options['shoes']}: from 1 to 6")
        if not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--days {days}: from 1 to {MOST_DAYS}")
        if days > 1 and options["again"]:
            raise CommandError("--again plays one more day; several days are played once, in a new house")
        self._play_all(_codes(options["tables"]), options)

    def _deal_live(self, options: dict[str, Any]) -> None:
        codes = _codes(options["live"])
        url = options["url"] or f"http://{_host()}:{settings.WEB_PORT}"
        self.stdout.write(f"{', '.join(codes)} deal at human speed, over {url}")
        failures = deal_live(codes, url=url, seed=options["seed"], speed=options["speed"])
        if failures:
            raise CommandError("; ".join(failures))
        self.stdout.write("the live tables have stopped")

    def _play_all(self, codes: list[str], options: dict[str, Any]) -> None:
        """Set up the house, play, wait for the worker, and let people decide about what went wrong."""
        started, now = time.monotonic(), timezone.now()
        tables = list(set_up_house(codes, now=now).values())
        call_command("set_up_roles", "--demo", stdout=self.stdout)
        with WorkerAtHand(self.stdout.write) as worker:
            if options["days"] == 1:
                self._play_day(tables, now, worker, options)
            else:
                self._play_month(tables, now, worker, options)
            self._wait(codes, worker)
            self._decide(codes, worker, options)
        for line in (*summary(codes), complain(codes, now=timezone.now())):
            if line:
                self.stdout.write(line)
        self.stdout.write(f"took {time.monotonic() - started:.0f} s")

    def _play_day(
        self, tables: list[GameTable], now: datetime, worker: WorkerAtHand, options: dict[str, Any]
    ) -> None:
        if len(tables) == len(DEMO_TABLES):
            self._play_eve(tables, now, options["seed"], worker)
        planned = self._plan(tables, now, options)
        if planned:
            worker.want()
            self._play(planned, watches_of(planned, options["shoes"]))

    def _play_month(
        self, tables: list[GameTable], now: datetime, worker: WorkerAtHand, options: dict[str, Any]
    ) -> None:
        month = Month(options["seed"], options["days"], now, options["shoes"])
        try:
            play_month(month, tables, worker, self.stdout.write)
        except (CannotPlay, CannotPlayMonth, DealingStopped) as reason:
            raise CommandError(str(reason)) from reason

    def _play_eve(self, tables: list[GameTable], now: datetime, seed: int, worker: WorkerAtHand) -> None:
        """Play one shoe of the day before at one table: a complaint about it comes too late."""
        [table] = [table for table in tables if table.code == EVE_CODE]
        try:
            eve = plan_day(table, seed=seed, day=EVE_DAY, shoes=1, ends_at=now - EVE, again=False)
        except CannotPlay:  # the table has played since: it is no fresh house any more
            return
        if eve is not None:
            worker.want()
            self._play([eve], {})

    def _plan(self, tables: list[GameTable], ends_at: datetime, options: dict[str, Any]) -> list[TablesDay]:
        """Plan the day of all tables, and say of each that will not play why."""
        seed, shoes, again = options["seed"], options["shoes"], options["again"]
        planned = []
        for table in tables:
            day = next_day(table, seed, shoes) if again else 1
            had_eve = first_of(table, f"{table.code}-{series_of(seed, EVE_DAY, 1)}-") is not None
            try:
                one = plan_day(
                    table, seed=seed, day=day, shoes=shoes, ends_at=ends_at, again=again or had_eve
                )
            except CannotPlay as reason:
                self.stdout.write(str(reason))
                continue
            if one is not None:
                planned.append(one)
            else:
                self.stdout.write(f"{table.code} has played this day; --again plays another one")
        return planned

    def _wait(self, codes: list[str], worker: WorkerAtHand) -> None:
        """Wait until everything is settled, also what an earlier run left."""
        if not rounds_to_settle(codes).exists():
            return
        worker.want()
        try:
            wait_until_settled(codes, worker, self._say_left)
        except NobodySettles as reason:
            raise CommandError(str(reason)) from reason

    def _decide(self, codes: list[str], worker: WorkerAtHand, options: dict[str, Any]) -> None:
        """Let people report what went wrong in the last shoes and decide; the worker carries it out."""
        told = 0
        for code in codes:
            table = GameTable.objects.get(code=code)
            told += tell_stories([code], **_last_day(table, options))
        ask_for_a_change(at=timezone.now())
        if not told:
            return
        self.stdout.write(f"{told} incidents were reported and, where somebody had to, decided about")
        worker.want()
        try:
            wait_until_none(rulings_under_way(codes), worker, lambda _: None, done="carried out")
        except NobodySettles as reason:
            raise CommandError(str(reason)) from reason

    def _play(self, days: list[TablesDay], watches: dict[str, Watch]) -> None:
        total = sum(len(day.events_left) for day in days)
        self.stdout.write(f"playing {', '.join(day.table.code for day in days)}: {total:,} events")
        started = said_at = time.monotonic()

        def say(played: Played) -> None:
            nonlocal said_at
            now = time.monotonic()
            if now - said_at >= SAY_EVERY_SECONDS:
                said_at = now
                left = (total - played.events) * (now - started) / played.events
                self.stdout.write(f"{played.rounds:,} rounds, {played.bets:,} bets; about {left:.0f} s left")

        played = play(days, say, watches)
        answers = ", ".join(f"{count:,} {status}" for status, count in sorted(played.answers.items()))
        self.stdout.write(
            f"played {played.rounds:,} rounds, {played.bets:,} bets in {time.monotonic() - started:.0f} s; "
            f"events: {answers}"
        )

    def _say_left(self, left: int) -> None:
        now = time.monotonic()
        if now - self._said_left_at >= SAY_EVERY_SECONDS:
            self._said_left_at = now
            self.stdout.write(f"{left:,} rounds still to be settled by the worker")


def _last_day(table: GameTable, options: dict[str, Any]) -> dict[str, Any]:
    """Name the newest day that a table has played of what is asked for."""
    seed, shoes, days = options["seed"], options["shoes"], options["days"]
    if days > 1:
        return {"seed": seed, "day": days, "shoes": shoes, "crowd": FULL}
    return {"seed": seed, "day": next_day(table, seed, shoes) - 1, "shoes": shoes}


def _codes(text: str) -> list[str]:
    codes = [code for code in text.replace(",", " ").split() if code]
    unknown = [code for code in codes if code not in DEMO_TABLES]
    if unknown or not codes:
        raise CommandError(
            f"no demo table {', '.join(unknown) or 'named'}; there are {', '.join(DEMO_TABLES)}"
        )
    return list(dict.fromkeys(codes))


def _host() -> str:
    return "127.0.0.1" if settings.WEB_HOST in {"0.0.0.0", "::"} else settings.WEB_HOST
