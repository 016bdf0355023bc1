"""Who sees what: the table of roles decides the menu and every page; nobody edits a row."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from casino.roles import ROLES
from tables.models import Round
from tests.tables.admin.conftest import LISTED, SignIn

MODELS = [model._meta.model_name for model in LISTED]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reaches_exactly_the_lists_its_permissions_name(
    role: str, played: Round, sign_in: SignIn
) -> None:
    client = sign_in(role)
    reached = {
        model
        for model in MODELS
        if client.get(reverse(f"admin:tables_{model}_changelist")).status_code == 200
    }
    allowed = {model for model in MODELS if f"tables.view_{model}" in ROLES[role].permissions}
    assert reached == allowed


@pytest.mark.parametrize("role", ROLES)
def test_the_menu_leads_to_what_the_role_may_see_and_nowhere_else(
    role: str, played: Round, sign_in: SignIn
) -> None:
    page = sign_in(role).get(reverse("admin:tables_round_changelist")).content.decode()
    side = page[page.index('id="side"') : page.index("</nav>")]
    linked = set(re.findall(r'href="/admin/tables/(\w+)/"', side))
    assert linked == {model for model in MODELS if f"tables.view_{model}" in ROLES[role].permissions}


def test_an_administrator_sees_a_round_without_its_bets(played: Round, sign_in: SignIn) -> None:
    page = (
        sign_in("administrator").get(reverse("admin:tables_round_change", args=[played.pk])).content.decode()
    )
    assert "Timeline" in page
    for hidden in ("P-10001", "Money per player", "b1<", "Journal</h2>"):
        assert hidden not in page


@pytest.mark.parametrize("kind", ["add", "delete", "change"])
def test_even_a_superuser_edits_no_row(kind: str, played: Round) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    for model in LISTED:
        first = model._default_manager.order_by("pk").first()
        args = [] if kind == "add" else [first.pk if first else 1]
        url = reverse(f"admin:tables_{model._meta.model_name}_{kind}", args=args)
        assert client.post(url, {"code": "X", "post": "yes"}).status_code in (302, 403, 404), model
        assert first is None or model._default_manager.filter(pk=first.pk).exists()


def test_who_is_not_signed_in_is_asked_to(played: Round) -> None:
    answer = Client().get(reverse("admin:tables_round_change", args=[played.pk]))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/")


def test_an_account_without_a_role_is_told_so(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("new", password="x", is_staff=True))
    assert "Your account has no role yet" in client.get(reverse("admin:index")).content.decode()


@pytest.mark.parametrize("role", ROLES)
def test_the_start_leads_each_role_to_something_it_may_see(role: str, played: Round, sign_in: SignIn) -> None:
    answer = sign_in(role).get(reverse("admin:index"), follow=True)
    assert answer.status_code == 200
