"""Around the pages: what a browser may load, and accounts that are shown but never edited."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client

from casino.content_policy import POLICY

pytestmark = pytest.mark.django_db


def signed_in(role: str) -> Client:
    call_command("set_up_roles", verbosity=0)
    user = User.objects.create_user(
        f"a-{role}", password="x", is_staff=True, first_name="Ann", last_name="Bee"
    )
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


def test_pages_of_the_back_office_may_load_our_own_files_only() -> None:
    answer = Client().get("/admin/login/")
    assert answer["Content-Security-Policy"] == POLICY
    assert "unsafe-inline" not in POLICY


def test_other_paths_are_left_alone() -> None:
    assert "Content-Security-Policy" not in Client().get("/health/live")


def test_the_top_bar_says_who_is_signed_in_and_in_which_role() -> None:
    page = signed_in("auditor").get("/admin/tables/round/").content.decode()
    assert "<b>Ann Bee</b>Auditor" in page
    assert '<span class="bc-avatar" aria-hidden="true">AB</span>' in page


@pytest.mark.parametrize(("role", "status"), [("administrator", 200), ("auditor", 200), ("support", 403)])
def test_accounts_are_shown_to_those_who_answer_for_them(role: str, status: int) -> None:
    client = signed_in(role)
    assert client.get("/admin/auth/user/").status_code == status
    own = User.objects.get(username=f"a-{role}")
    assert client.get(f"/admin/auth/user/{own.pk}/change/").status_code == status


def test_no_account_is_edited_here_even_by_a_superuser() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    other = User.objects.create_user("other", password="x")
    assert client.post(f"/admin/auth/user/{other.pk}/change/", {"is_superuser": "on"}).status_code == 403
    assert client.post("/admin/auth/user/add/", {"username": "new"}).status_code == 403
    other.refresh_from_db()
    assert not other.is_superuser
    assert not User.objects.filter(username="new").exists()


@pytest.mark.parametrize(("language", "heading"), [("en", "There is nothing here"), ("th", "ไม่มีอะไรอยู่ที่นี่")])
def test_a_path_that_leads_nowhere_is_told_in_the_language_of_the_reader(language: str, heading: str) -> None:
    answer = Client(headers={"accept-language": language}).get("/admin/nowhere/at/all/", follow=True)
    assert answer.status_code in (200, 404)  # signed out, the way leads over the log-in
    answer = Client(headers={"accept-language": language}).get("/nowhere")
    assert answer.status_code == 404
    assert heading in answer.content.decode()
