"""Several days are played through the feed and settled, once, and go on where they were interrupted."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Max, Min

from casino.counterparts.platform import write_day
from casino.demo import hands, settling
from casino.demo import month as demo_month
from casino.demo import play as demo_play
from casino.demo.hands import DealingStopped, deal_at_once, play_month
from casino.demo.house import DEMO_TABLES, set_up_house
from casino.demo.month import CannotPlayMonth, Month, Progress, days_to_play, deal
from casino.demo.play import plan_day, play
from casino.demo.settling import WorkerAtHand
from tables.models import Bet, FeedEvent, GameTable, Hold, Round, RoundStatus, Shoe
from tests.casino.working import work

NOW = datetime(2026, 11, 29, 13, 0, tzinfo=UTC)
TWO_DAYS = Month(seed=1, days=2, ends_at=NOW, rounds=8)
CODES = ("B01", "B02")  # of two days B01 rests on the first

of_database = pytest.mark.django_db


def house(*codes: str) -> list[GameTable]:
    return list(set_up_house(list(codes), now=NOW).values())


def nothing(_: object) -> None:
    """Hear, and do nothing."""


class Nobody(WorkerAtHand):
    """No worker: what is dealt waits."""

    def want(self) -> None:
        """Start none."""


def test_each_table_plays_25_of_30_days_and_all_of_them_the_last() -> None:
    month = Month(seed=1, days=30, ends_at=NOW)
    days = {code: [day for day in month.numbers if month.plays(code, day)] for code in DEMO_TABLES}
    assert {code: len(played) for code, played in days.items()} == dict.fromkeys(DEMO_TABLES, 25)
    assert set(range(1, 31)) - set(days["B01"]) == {5, 11, 17, 23, 29}
    assert set(range(1, 31)) - set(days["B05"]) == {1, 7, 13, 19, 25}
    assert all(played[-1] == 30 for played in days.values())


def test_the_last_day_ends_now_and_the_others_some_hours_before_that_hour() -> None:
    month = Month(seed=1, days=30, ends_at=NOW)
    ends = [NOW - month.end_of("B01", day) for day in month.numbers]
    assert ends[-1] == timedelta(0)
    assert all(
        timedelta(days=30 - day) <= end <= timedelta(days=30 - day, hours=14)
        for day, end in zip(month.numbers, ends, strict=True)
    )
    assert ends == [NOW - Month(1, 30, NOW).end_of("B01", day) for day in month.numbers]


@of_database
def test_two_days_are_played_through_the_feed_settled_and_agree_with_the_cards() -> None:
    tables = house(*CODES)
    dealt = deal(TWO_DAYS, tables, nothing)
    assert (dealt.days, dealt.rounds) == (3.0, 24)
    assert dealt.bets == Bet.objects.count() > 24 * 30
    shoes = Shoe.objects.order_by("table__code", "pk").values_list("table__code", "gaming_date")
    assert list(shoes) == [
        ("B01", date(2026, 11, 29)),
        ("B02", TWO_DAYS.end_of("B02", 1).date()),
        ("B02", date(2026, 11, 29)),
    ]
    assert FeedEvent.objects.aggregate(last=Max("at"))["last"] == NOW
    assert not Hold.objects.filter(lifted_at__isnull=True, reason="event_refused").exists()
    assert dealt.answers == Counter(accepted=FeedEvent.objects.count() - 3, refused=3)  # a garbled card a day
    work()
    assert Counter(Round.objects.values_list("status", flat=True)) == {RoundStatus.SETTLED.value: 24}
    said = StringIO()
    call_command("verify_ledger", stdout=said)
    assert "24 rounds" in said.getvalue()


@of_database
def test_what_was_played_is_not_played_again() -> None:
    tables = house(*CODES)
    said: list[str] = []
    play_month(TWO_DAYS, tables, Nobody(said.append), said.append, processes=0)
    events = FeedEvent.objects.count()
    assert said[0] == "playing 3 days of 2 tables, 1 shoes a day"
    later = Month(seed=1, days=2, ends_at=NOW + timedelta(hours=3), rounds=8)
    play_month(later, tables, Nobody(said.append), said.append, processes=0)
    assert said[-1] == "these 2 days were played; there is nothing left of them to play"
    assert FeedEvent.objects.count() == events


@of_database
def test_interrupted_days_go_on_by_their_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_month, "ROUNDS_AT_ONCE", 4)
    tables = house(*CODES)

    def pull_the_plug(progress: Progress) -> None:
        if progress.rounds in {4, 10}:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deal(TWO_DAYS, tables, pull_the_plug)
    assert Round.objects.filter(resulted_at__isnull=False).count() == 4
    assert days_to_play(TWO_DAYS, tables) == {"B01": [2], "B02": [1, 2]}
    with pytest.raises(KeyboardInterrupt):
        deal(TWO_DAYS, tables, lambda progress: pull_the_plug(replace(progress, rounds=progress.rounds + 4)))
    assert Round.objects.filter(resulted_at__isnull=False).count() == 10
    later = Month(seed=1, days=2, ends_at=NOW + timedelta(minutes=20), rounds=8)
    assert days_to_play(later, tables) == {"B01": [2], "B02": [2]}
    dealt = deal(later, tables, nothing)
    assert (dealt.rounds, dealt.answers["conflict"], dealt.answers["gap"]) == (14, 0, 0)
    assert Round.objects.filter(resulted_at__isnull=False).count() == 24
    ended = FeedEvent.objects.values("table__code").annotate(first=Min("at"), last=Max("at"))
    assert ended.get(table__code="B02")["last"] <= NOW + timedelta(minutes=20)


@of_database
def test_several_days_do_not_fit_before_what_was_played() -> None:
    (table,) = house("B03")
    day = plan_day(table, seed=1, day=1, shoes=1, ends_at=NOW, again=False, rounds=4)
    assert day is not None
    play([day], nothing)
    table.state.refresh_from_db()
    events = FeedEvent.objects.count()
    with pytest.raises(CannotPlayMonth, match=r"^B03 played something else already, and 2 days do not fit"):
        play_month(TWO_DAYS, [table], Nobody(nothing), nothing, processes=0)
    assert FeedEvent.objects.count() == events


@of_database
def test_a_line_says_how_far_it_is_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "SAY_EVERY_SECONDS", 0.0)
    tables = house(*CODES)
    said: list[str] = []
    play_month(TWO_DAYS, tables, Nobody(said.append), said.append, processes=0)
    whole = [line for line in said if line.startswith("100%")][-1]
    assert whole.startswith(f"100%: 24 rounds, {Bet.objects.count():,} bets dealt (")
    assert whole.endswith(" a second), 0 rounds settled; begun")
    assert said[-1].startswith(f"played 24 rounds, {Bet.objects.count():,} bets in ")
    assert any(line.startswith("33%: 8 rounds, ") for line in said)


@of_database
def test_the_time_left_counts_what_is_still_to_be_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter((100.0, 110.0))
    monkeypatch.setattr("casino.demo.hands.time.monotonic", lambda: next(moments))
    settled = iter((5, 45))
    monkeypatch.setattr(hands.Lines, "_count_settled", lambda self: next(settled))
    said: list[str] = []
    # Half is dealt, 60 rounds; of 120 forty are settled in ten seconds, and eighty are left.
    hands.Lines(CODES, 4, said.append).hear(Progress(2.0, 60, 3_000, {}))
    assert said == [
        "50%: 60 rounds, 3,000 bets dealt (6.0 and 300 a second), 40 rounds settled; about 20 s left"
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_two_processes_deal_at_tables_of_their_own(
    product_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in product_environment.items():
        monkeypatch.setenv(name, value)
    tables = house(*CODES)
    month = Month(seed=1, days=2, ends_at=datetime.now(UTC), rounds=3)
    heard: list[Progress] = []
    dealt = deal_at_once(month, tables, 2, heard.append)
    assert (dealt.days, dealt.rounds, dealt.bets) == (3.0, 9, Bet.objects.count())
    assert [Round.objects.filter(table=table).count() for table in tables] == [3, 6]
    unknown = [GameTable(code="B09")]
    assert deal_at_once(month, unknown, 2, nothing) == Progress()
    early = Month(seed=2, days=1, ends_at=datetime.now(UTC) - timedelta(days=3), rounds=3)
    with pytest.raises(DealingStopped, match=r"^the process that deals at B01 ended with status 1; the same"):
        deal_at_once(early, tables[:1], 2, nothing)


@of_database
def test_the_command_plays_several_days_and_lets_people_decide_about_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo_play, "write_day", partial(write_day, rounds=10))
    monkeypatch.setattr(WorkerAtHand, "want", lambda self: work())
    monkeypatch.setattr(settling, "RING_SECONDS", 0.0)
    monkeypatch.setattr(hands, "PROCESSES", 0)
    said = demo("--days", "2")
    assert "playing 10 days of 6 tables, 1 shoes a day" in said
    assert "6 tables, 10 shoes, 100 rounds" in said
    assert "17 incidents were reported" in said
    events = FeedEvent.objects.count()
    assert "these 2 days were played" in demo("--days", "2")
    assert "B04 has played this day; --again plays another one" in demo()
    assert FeedEvent.objects.count() == events


def test_several_days_are_not_played_again() -> None:
    with pytest.raises(CommandError) as error:
        call_command("demo", "--days", "2", "--again")
    assert str(error.value) == "--again plays one more day; several days are played once, in a new house"


def demo(*arguments: str) -> str:
    said = StringIO()
    call_command("demo", *arguments, stdout=said)
    return said.getvalue()
