"""What a complaint names, held against the record: a table of cases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from audit.rules.complaints import (
    Detail,
    Match,
    Recorded,
    Said,
    compare,
    how_many_agree,
    missing_details,
)

NEEDS = ("played_at", "table", "dealer", "round_number")
# The round of the mock-up: bets from 02:40:12, the result at 02:41:09.
ROUND = Recorded(
    begun_at=datetime(2026, 11, 28, 19, 40, 12, tzinfo=UTC),
    ended_at=datetime(2026, 11, 28, 19, 41, 9, tzinfo=UTC),
    table="B05",
    dealer="Lin Mei",
    round_id="B05-20261128-09-017-T",
    number=17,
    platform_id="R-5581",
    is_player=True,
)
SAID = Said(
    played_at=datetime(2026, 11, 28, 19, 40, tzinfo=UTC),
    table="B05",
    dealer="Lin Mei",
    round="17",
    player="P-14071",
)


def at(minute: int, second: int = 0) -> datetime:
    return datetime(2026, 11, 28, 19, minute, second, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "detail", "match"),
    [
        ({}, Detail.PLAYED_AT, Match.AGREES),  # 02:40 is any moment of that minute
        ({"played_at": at(41)}, Detail.PLAYED_AT, Match.AGREES),
        ({"played_at": at(42)}, Detail.PLAYED_AT, Match.DIFFERS),
        ({"played_at": at(39)}, Detail.PLAYED_AT, Match.DIFFERS),
        ({"played_at": at(40, 11), "has_seconds": True}, Detail.PLAYED_AT, Match.DIFFERS),
        ({"played_at": at(40, 12), "has_seconds": True}, Detail.PLAYED_AT, Match.AGREES),
        ({"played_at": at(41, 9), "has_seconds": True}, Detail.PLAYED_AT, Match.AGREES),
        ({"played_at": at(41, 10), "has_seconds": True}, Detail.PLAYED_AT, Match.DIFFERS),
        ({"table": " b05 "}, Detail.TABLE, Match.AGREES),
        ({"table": "B06"}, Detail.TABLE, Match.DIFFERS),
        ({"dealer": "LIN  mei"}, Detail.DEALER, Match.AGREES),
        ({"dealer": "Lín Méi"}, Detail.DEALER, Match.AGREES),
        ({"dealer": "Lin Wei"}, Detail.DEALER, Match.DIFFERS),
        ({"round": "017"}, Detail.ROUND_NUMBER, Match.AGREES),
        ({"round": "b05-20261128-09-017-t"}, Detail.ROUND_NUMBER, Match.AGREES),
        ({"round": "R-5581"}, Detail.ROUND_NUMBER, Match.AGREES),  # as the platform calls it
        ({"round": "r-5581"}, Detail.ROUND_NUMBER, Match.DIFFERS),
        ({"round": "18"}, Detail.ROUND_NUMBER, Match.DIFFERS),
        ({"round": "B05-20261128-09-018-T"}, Detail.ROUND_NUMBER, Match.DIFFERS),
        ({}, Detail.PLAYER, Match.AGREES),
        ({"player": ""}, Detail.PLAYER, Match.MISSING),
        ({}, Detail.BET, Match.MISSING),
    ],
)
def test_a_detail_agrees_or_differs(changes: dict[str, object], detail: Detail, match: Match) -> None:
    assert compare(replace(SAID, **changes), ROUND)[detail] is match  # type: ignore[arg-type]


# In Berlin on 25 October 2026 clocks showed 02:30 at 00:30 UTC, and again at 01:30 UTC.
@pytest.mark.parametrize(
    ("begun", "zone", "match"),
    [
        ("00:29:40", "Europe/Berlin", Match.AGREES),
        ("01:29:40", "Europe/Berlin", Match.AGREES),
        ("02:29:40", "Europe/Berlin", Match.DIFFERS),
        ("01:29:40", "Asia/Bangkok", Match.DIFFERS),
        ("01:29:40", "", Match.DIFFERS),
    ],
)
def test_a_time_that_clocks_put_back_showed_twice_agrees_with_either(
    begun: str, zone: str, match: Match
) -> None:
    start = datetime.fromisoformat(f"2026-10-25T{begun}+00:00")
    record = replace(ROUND, begun_at=start, ended_at=start + timedelta(seconds=50))
    said = replace(SAID, played_at=datetime(2026, 10, 25, 0, 30, tzinfo=UTC), zone=zone)
    assert compare(said, record)[Detail.PLAYED_AT] is match


def test_the_tones_of_thai_names_tell_them_apart() -> None:
    thai = replace(ROUND, dealer="มาลี")
    assert compare(replace(SAID, dealer="มาลี"), thai)[Detail.DEALER] is Match.AGREES
    assert compare(replace(SAID, dealer="ม้าลี"), thai)[Detail.DEALER] is Match.DIFFERS


def test_without_a_record_there_is_nothing_to_compare_with() -> None:
    assert set(compare(SAID, None).values()) == {Match.UNKNOWN, Match.MISSING}
    assert compare(SAID, replace(ROUND, dealer=None))[Detail.DEALER] is Match.UNKNOWN
    playing = replace(ROUND, ended_at=None)
    assert compare(replace(SAID, played_at=at(55)), playing)[Detail.PLAYED_AT] is Match.AGREES


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        (SAID, ()),
        (Said(), (Detail.PLAYED_AT, Detail.TABLE, Detail.DEALER, Detail.ROUND_NUMBER)),
        (replace(SAID, dealer="  "), (Detail.DEALER,)),
        (replace(SAID, player="", disputed=""), ()),
    ],
)
def test_the_rule_asks_for_four_details(said: Said, missing: tuple[Detail, ...]) -> None:
    assert missing_details(said, NEEDS) == missing


def test_another_house_may_ask_for_less() -> None:
    assert missing_details(Said(), ("table", "round_number")) == (Detail.TABLE, Detail.ROUND_NUMBER)


def test_those_that_were_named_are_counted() -> None:
    checks = compare(replace(SAID, dealer="Lin Wei"), ROUND)
    assert how_many_agree(list(checks.values())) == (4, 5)
