"""A table and a time in the look-up box: every round in play then, and none that was not."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tables.models import Round
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform

MINUTE = datetime(2026, 11, 29, 19, 15, tzinfo=UTC)  # 02:15 on the 30th in Bangkok


@pytest.fixture
def rounds(platform: Platform) -> list[Round]:
    """Play one that is over at 01:49, two begun in 02:15, and one at 02:40, by the table's clock."""
    begins = (timedelta(minutes=-27), timedelta(seconds=2), timedelta(seconds=40), timedelta(minutes=25))
    played = []
    for begin in begins:
        platform.at = MINUTE + begin
        played.append(platform.play("9H 2D KC QS"))
    return played


@pytest.fixture
def desk(sign_in: SignIn) -> Client:
    return sign_in("support")


def page_of(client: Client, text: str, language: str = "en") -> tuple[int, str]:
    client.cookies["django_language"] = language
    answer = client.get(reverse("admin:lookup"), {"q": text})
    return answer.status_code, answer.get("Location", "") or answer.content.decode()


def named(page: str, rounds: list[Round]) -> list[bool]:
    return [reverse("admin:tables_round_change", args=[one.pk]) in page for one in rounds]


def test_two_rounds_of_one_minute_are_both_listed(rounds: list[Round], desk: Client) -> None:
    status, page = page_of(desk, "B01 2026-11-30 02:15")
    assert (status, named(page, rounds)) == (200, [False, True, True, False])
    assert "02:15:03" in page and "No round was in play" not in page
    # A second that only one of them was in play at leads to that one.
    assert page_of(desk, "B01 2026-11-30 02:15:04") == (
        302,
        reverse("admin:tables_round_change", args=[rounds[1].pk]),
    )


def test_a_round_that_goes_on_into_the_minute_is_one_of_it(platform: Platform, desk: Client) -> None:
    platform.at = MINUTE - timedelta(seconds=3)
    round_ = platform.play("9H 2D KC QS")
    assert round_.resulted_at is not None and round_.betting_opened_at < MINUTE < round_.resulted_at
    status, place = page_of(desk, "B01 2026-11-30 02:15")
    assert (status, place) == (302, reverse("admin:tables_round_change", args=[round_.pk]))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "No round was in play at “B01 2026-11-30 02:20”."),
        ("th", "ไม่มีรอบที่กำลังเล่นใน “B01 2026-11-30 02:20”"),
    ],
)
def test_a_minute_without_a_round_says_so_and_names_the_nearest(
    language: str, said: str, rounds: list[Round], desk: Client
) -> None:
    status, page = page_of(desk, "B01 2026-11-30 02:20", language)
    assert (status, named(page, rounds), said in page) == (200, [False, False, True, True], True)


def test_one_round_that_is_only_near_is_not_opened_unasked(rounds: list[Round], desk: Client) -> None:
    status, page = page_of(desk, "B01 2026-11-30 01:40")
    assert (status, named(page, rounds)) == (200, [True, False, False, False])
    assert "No round was in play at" in page


@pytest.mark.parametrize(
    "day", ["2026-11-30", "30 Nov 2026", "30 november 2026", "30 พ.ย. 2569", "30 พฤศจิกายน 2569"]
)
def test_a_day_is_understood_as_pages_print_it(day: str, rounds: list[Round], desk: Client) -> None:
    status, page = page_of(desk, f"B01 {day} 02:15")
    assert (status, named(page, rounds)) == (200, [False, True, True, False])


@pytest.mark.parametrize("day", ["30 Foo 2026", "31 Nov 2026", "0 Nov 2026", "30 Nov 0000"])
def test_what_is_no_day_finds_nothing(day: str, rounds: list[Round], desk: Client) -> None:
    status, page = page_of(desk, f"B01 {day} 02:15")
    assert (status, "Nothing found" in page) == (404, True)
