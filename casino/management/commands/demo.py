"""Set up a house to look at, play a day in it, and let two tables go on dealing."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.demo.house import DEMO_TABLES, LIVE_CODES, set_up_house
from casino.demo.live import deal_live
from casino.demo.play import DAY, CannotPlay, Played, TablesDay, next_day, plan_day, play
from casino.demo.settling import NobodySettles, wait_until_settled, worker_at_hand
from casino.demo.summary import summary

SAY_EVERY_SECONDS = 5.0
MOST_DAYS = 30


class Command(BaseCommand):
    help = (
        "Set up six tables and play a seeded day that ends now, through the feed's own reader; the worker "
        "settles it. With --live, tables go on dealing at human speed over HTTP until they are stopped."
    )

    _said_left_at = 0.0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="what everything but the dates follows from")
        parser.add_argument("--shoes", type=int, default=3, help="shoes a table plays in a day, 1 to 6")
        parser.add_argument("--days", type=int, default=1, help="days, the last of which ends now")
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
        else:
            self._play_day(options)

    def _deal_live(self, options: dict[str, Any]) -> None:
        codes = _codes(options["live"])
        url = options["url"] or f"http://{_host()}:{settings.WEB_PORT}"
        self.stdout.write(f"{', '.join(codes)} deal at human speed, over {url}")
        failures = deal_live(codes, url=url, seed=options["seed"], speed=options["speed"])
        if failures:
            raise CommandError("; ".join(failures))
        self.stdout.write("the live tables have stopped")

    def _play_day(self, options: dict[str, Any]) -> None:
        codes, days = _codes(options["tables"]), options["days"]
        if not 1 <= options["shoes"] <= 6:
            raise CommandError(f"--shoes {options['shoes']}: from 1 to 6")
        if not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--days {days}: from 1 to {MOST_DAYS}")
        if "set_up_roles" in get_commands():
            call_command("set_up_roles", verbosity=0)
        started = time.monotonic()
        now = timezone.now()
        tables = set_up_house(codes, now=now)
        planned: list[list[TablesDay]] = []
        for ago in reversed(range(days)):
            planned.append([])
            for table in tables.values():
                first = next_day(table, options["seed"], options["shoes"]) if options["again"] else 1
                try:
                    day = plan_day(
                        table,
                        seed=options["seed"],
                        day=first + days - 1 - ago,
                        shoes=options["shoes"],
                        ends_at=now - ago * DAY,
                        again=options["again"] or ago < days - 1,
                    )
                except CannotPlay as reason:
                    self.stdout.write(str(reason))
                    continue
                if day is not None:
                    planned[-1].append(day)
        if not any(planned):
            self.stdout.write("this day was played already; --again plays another one")
        with worker_at_hand(self.stdout.write):
            for some in planned:
                self._play(some)
            try:
                wait_until_settled(codes, self._say_left)
            except NobodySettles as reason:
                raise CommandError(str(reason)) from reason
        for line in summary(codes):
            self.stdout.write(line)
        self.stdout.write(f"took {time.monotonic() - started:.0f} s")

    def _play(self, days: list[TablesDay]) -> None:
        if not days:
            return
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

        played = play(days, say)
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
