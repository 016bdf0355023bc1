"""Signing in: who guesses passwords waits, and nobody else with them."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client

pytestmark = pytest.mark.django_db
RIGHT = "correct horse battery"


@pytest.fixture(autouse=True)
def ann() -> User:
    return User.objects.create_user("ann", password=RIGHT, is_staff=True, is_superuser=True)


def sign_in(password: str, *, name: str = "ann", address: str = "192.0.2.7", language: str = "en") -> int:
    answer = Client(headers={"accept-language": language}).post(
        "/admin/login/", {"username": name, "password": password, "next": "/admin/"}, REMOTE_ADDR=address
    )
    return answer.status_code


def test_the_right_password_signs_in_after_four_wrong_ones() -> None:
    assert [sign_in("wrong") for _ in range(4)] == [200] * 4
    assert sign_in(RIGHT) == 302


def test_after_the_fifth_the_right_one_waits_too_and_the_page_says_for_how_long() -> None:
    assert [sign_in("wrong") for _ in range(5)] == [200, 200, 200, 200, 429]
    assert sign_in(RIGHT) == 429
    data = {"username": "ann", "password": RIGHT}
    page = Client().post("/admin/login/", data, REMOTE_ADDR="192.0.2.7").content.decode()
    assert "This account cannot sign in from here for 15 minutes" in page
    thai = Client(headers={"accept-language": "th"})
    assert "15 นาที" in thai.post("/admin/login/", data, REMOTE_ADDR="192.0.2.7").content.decode()


@pytest.mark.parametrize("on_the_way", [None, "", "https://elsewhere.example/", "//elsewhere.example/"])
def test_who_was_on_the_way_nowhere_begins_at_the_first_page(on_the_way: str | None) -> None:
    typed = {"username": "ann", "password": RIGHT} | ({} if on_the_way is None else {"next": on_the_way})
    answer = Client().post("/admin/login/", typed)
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_who_was_on_the_way_somewhere_gets_there() -> None:
    typed = {"username": "ann", "password": RIGHT, "next": "/admin/tables/round/"}
    assert Client().post("/admin/login/", typed)["Location"] == "/admin/tables/round/"


def test_others_and_other_addresses_do_not_wait_with_them() -> None:
    User.objects.create_user("bob", password=RIGHT, is_staff=True)
    assert [sign_in("wrong") for _ in range(5)][-1] == 429
    assert sign_in(RIGHT, name="bob") == 302
    assert sign_in(RIGHT, address="192.0.2.8") == 302


@pytest.mark.parametrize(("minutes", "status"), [(14, 429), (16, 302)])
def test_the_wait_ends_by_itself_and_tries_in_between_do_not_lengthen_it(minutes: int, status: int) -> None:
    assert [sign_in("wrong") for _ in range(6)][-1] == 429
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=minutes))
    assert sign_in(RIGHT) == status


def test_a_success_forgets_what_was_wrong_before() -> None:
    assert [sign_in(word) for word in ("wrong", "wrong", "wrong", RIGHT)][-1] == 302
    assert [sign_in("wrong") for _ in range(4)] == [200] * 4


def test_no_password_is_kept() -> None:
    sign_in("a-secret-guess")
    assert "a-secret-guess" not in str(AccessAttempt.objects.values_list())
    assert AccessAttempt.objects.get().username == "ann"
