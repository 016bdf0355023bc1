"""The demo's day is played once, however often it is asked for, and goes on where it was interrupted."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from casino.counterparts.platform import write_day
from casino.demo import play as demo_play
from casino.demo import settling
from casino.demo.house import ALWAYS, DEMO_TABLES, key_of, platform_folder, set_up_house
from casino.demo.play import CannotPlay, TablesDay, next_day, plan_day, play
from casino.demo.settling import NobodySettles, WorkerAtHand, rounds_to_settle, wait_until_settled
from casino.demo.summary import money, summary
from tables.models import ApiKey, Bet, FeedEvent, GameTable, Hold, Round, Rulebook, Shoe
from tables.services.settlement import settle_round
from tests.casino.working import work

NOW = datetime(2026, 11, 29, 13, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def short_day(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a day be one shoe of eight rounds."""
    monkeypatch.setattr(demo_play, "write_day", partial(write_day, rounds=8))
    yield


def plan(table: GameTable, ends_at: datetime = NOW, *, day: int = 1, again: bool = False) -> TablesDay | None:
    return plan_day(table, seed=1, day=day, shoes=1, ends_at=ends_at, again=again)


def planned(table: GameTable, ends_at: datetime = NOW) -> TablesDay:
    day = plan(table, ends_at)
    assert day is not None
    return day


def house(*codes: str) -> list[GameTable]:
    return list(set_up_house(list(codes), now=NOW).values())


def test_the_house_is_set_up_once() -> None:
    first, again = house(*DEMO_TABLES), house(*DEMO_TABLES)
    assert [table.pk for table in first] == [table.pk for table in again]
    played_by = GameTable.objects.order_by("code").values_list("code", "rulebook__code", "currency", "zone")
    assert list(played_by) == [
        ("B01", "insurance", "THB", "Asia/Bangkok"),
        ("B02", "insurance-no-commission", "THB", "Asia/Bangkok"),
        ("B03", "commission", "THB", "Asia/Bangkok"),
        ("B04", "live-commission", "THB", "Asia/Bangkok"),
        ("B05", "live-no-commission", "THB", "Asia/Bangkok"),
        ("B06", "no-commission", "THB", "Asia/Bangkok"),
    ]
    assert Rulebook.objects.filter(effective_from=ALWAYS).count() == 6


@pytest.mark.usefixtures("short_day")
def test_tables_play_in_the_order_of_time_and_nothing_comes_late() -> None:
    days = [planned(table) for table in house("B01", "B06")]
    played = play(days, lambda _: None)
    assert (played.rounds, Round.objects.count(), Shoe.objects.count()) == (16, 16, 2)
    assert played.answers == Counter(accepted=played.events - 2, refused=2)  # a garbled card at each table
    assert not FeedEvent.objects.filter(is_late=True).exists()
    received = list(FeedEvent.objects.order_by("pk").values_list("received_at", flat=True))
    assert received == sorted(received)
    assert not Hold.objects.filter(lifted_at__isnull=True).exists()
    assert [str(table.state.last_event_at) for table in GameTable.objects.all()] == [
        "2026-11-29 13:00:00+00:00",
        "2026-11-29 13:00:00+00:00",
    ]


@pytest.mark.usefixtures("short_day")
def test_a_day_that_was_played_is_not_played_again() -> None:
    (table,) = house("B06")
    play([planned(table)], lambda _: None)
    assert plan(table) is None
    assert plan(table, NOW + timedelta(hours=7)) is None


@pytest.mark.usefixtures("short_day")
def test_an_interrupted_day_goes_on_by_its_own_clock() -> None:
    (table,) = house("B06")
    day = planned(table)
    whole, half = day.script.events, len(day.script.events) // 2
    day.script.events = whole[:half]
    play([day], lambda _: None)
    rest = planned(table, NOW + timedelta(minutes=20))
    assert rest.from_seq == half + 1
    played = play([rest], lambda _: None)
    assert (played.answers["conflict"], played.answers["gap"]) == (0, 0)
    assert FeedEvent.objects.count() == len(whole)
    assert str(FeedEvent.objects.order_by("-seq")[0].at) == "2026-11-29 13:00:00+00:00"


@pytest.mark.usefixtures("short_day")
def test_another_day_fits_once_the_last_one_is_over() -> None:
    (table,) = house("B06")
    play([planned(table)], lambda _: None)
    assert next_day(table, 1, 1) == 2
    with pytest.raises(CannotPlay, match="B06 has played until now; another day fits from 29 Nov 20:0"):
        plan(table, day=2, again=True)
    later = plan(table, NOW + timedelta(days=1), day=2, again=True)
    assert later is not None
    assert play([later], lambda _: None).answers["refused"] == 1
    assert (Shoe.objects.count(), Round.objects.count()) == (2, 16)


@pytest.mark.usefixtures("short_day")
def test_the_summary_counts_what_was_played() -> None:
    (table,) = house("B06")
    play([planned(table)], lambda _: None)
    assert rounds_to_settle(["B06"]).count() == 8
    for round_ in Round.objects.all():
        settle_round(round_id=round_.pk, now=NOW)
    assert not rounds_to_settle(["B06"]).exists()
    lines = list(summary(["B06"]))
    assert lines[0] == f"1 tables, 1 shoes, 8 rounds, {Bet.objects.count():,} bets"
    assert "rounds: 8 settled" in lines
    assert any(line.startswith("money: ") for line in lines)


@pytest.mark.parametrize(
    ("minor", "written"),
    [(0, "0.00 THB"), (5, "0.05 THB"), (123_456_789, "1,234,567.89 THB"), (-150, "−1.50 THB")],
)
def test_money_is_written_to_the_satang(minor: int, written: str) -> None:
    assert money(minor) == written


@pytest.mark.usefixtures("short_day")
def test_the_demo_itself_settles_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = house("B06")
    play([planned(table)], lambda _: None)
    wanted: list[str] = []
    monkeypatch.setattr(WorkerAtHand, "want", lambda self: wanted.append("worker"))
    monkeypatch.setattr(settling, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(settling, "RING_SECONDS", 0.0)
    monkeypatch.setattr(settling, "LOOK_SECONDS", 0.0)
    said: list[int] = []
    with pytest.raises(NobodySettles, match="8 rounds wait and no worker has settled one"):
        wait_until_settled(["B06"], WorkerAtHand(lambda _: None), said.append)
    assert (said, wanted[:1]) == ([8], ["worker"])
    assert rounds_to_settle(["B06"]).count() == 8


def test_a_key_is_kept_and_made_anew_only_where_it_is_not_good(settings: object, tmp_path: object) -> None:
    settings.BLUECARD_STATE = tmp_path  # type: ignore[attr-defined]
    one, other = house("B01", "B02")
    key = key_of(one, now=NOW)
    assert key_of(one, now=NOW) == key
    path = platform_folder() / "B01.key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text(key_of(other, now=NOW))
    assert key_of(one, now=NOW) not in (key, key_of(other, now=NOW))
    assert list(ApiKey.objects.order_by("pk").values_list("table__code", "scopes")) == [
        ("B01", ["feed:write"]),
        ("B02", ["feed:write"]),
        ("B01", ["feed:write"]),
    ]


@pytest.mark.usefixtures("short_day")
def test_the_command_plays_once_and_says_so_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerAtHand, "want", lambda self: work())
    monkeypatch.setattr(settling, "RING_SECONDS", 0.0)
    said = demo("--tables", "B06", "--shoes", "1")
    assert "rounds: 7 settled, 1 resulted" in said  # one is held by an incident that nobody decided about
    before = FeedEvent.objects.count()
    again = demo("--tables", "B06", "--shoes", "1")
    assert "B06 has played this day; --again plays another one" in again
    assert FeedEvent.objects.count() == before


def demo(*arguments: str) -> str:
    said = StringIO()
    call_command("demo", *arguments, stdout=said)
    return said.getvalue()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tables", "B01,B9"], "no demo table B9; there are B01, B02, B03, B04, B05, B06"),
        (["--tables", " "], "no demo table named; there are B01, B02, B03, B04, B05, B06"),
        (["--shoes", "0"], "--shoes 0: from 1 to 6"),
        (["--days", "31"], "--days 31: from 1 to 30"),
        (["--live", "X"], "no demo table X; there are B01, B02, B03, B04, B05, B06"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_set_up(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError) as error:
        call_command("demo", *arguments)
    assert str(error.value) == said
    assert not GameTable.objects.exists()


def test_the_demo_does_not_run_in_production(settings: object) -> None:
    settings.IS_PRODUCTION = True  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="does not run in production mode"):
        call_command("demo")
