"""What the wallet says players have stands beside what is taken back from them, once the page is there."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from audit.admin import ruling as ruling_admin
from audit.admin import ruling_view
from audit.models import Ruling, RulingKind
from tables.models import Round
from tables.queries.wallet_balances import Balances
from tests.audit.deciding import MANAGES, SUPERVISES, ask, make_user
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(client: Client) -> Client:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    # 300.00, 200.00 and 100.00 were won, which a void takes back; P-4 lost 50.00, which a void gives back.
    won = [(f"b{n}", f"P-{n}", "player", 40_000 - 10_000 * n) for n in (1, 2, 3)]
    platform.play("9H 2D KC QS", *won, ("b4", "P-4", "banker", 5_000))
    user = make_user("decider", *MANAGES)
    for code in ("view_ruling", "view_round", "view_settlement", "view_walletdelivery"):
        user.user_permissions.add(Permission.objects.get(codename=code))
    client.force_login(User.objects.get(pk=user.pk))
    return client


@pytest.fixture
def ruling(office: Client) -> Ruling:
    asker = make_user("asker", *SUPERVISES)
    return ask(asker, RulingKind.VOID_ROUND, [Round.objects.get()], at=datetime.now(UTC))


def balances(monkeypatch: pytest.MonkeyPatch, found: dict[str, int], *, is_complete: bool) -> list[Any]:
    asked: list[Any] = []

    def read(players: list[str], currency: str) -> Balances:
        asked.append((sorted(players), currency))
        return Balances(datetime.now(UTC), found, is_complete)

    monkeypatch.setattr(ruling_admin, "read_balances", read)
    return asked


def test_the_page_itself_asks_the_wallet_nothing(
    office: Client, ruling: Ruling, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = balances(monkeypatch, {}, is_complete=False)
    page = office.get(f"/admin/audit/ruling/{ruling.pk}/change/").content.decode()
    assert f'hx-get="/admin/audit/ruling/{ruling.pk}/balances/?players=1" hx-trigger="load"' in page
    assert asked == []


def test_who_has_too_little_is_shown_with_how_much(
    office: Client, ruling: Ruling, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = balances(monkeypatch, {"P-1": 30_000, "P-2": 12_550}, is_complete=False)
    part = office.get(f"/admin/audit/ruling/{ruling.pk}/balances/").content.decode()
    assert asked == [(["P-1", "P-2", "P-3"], "THB")]  # P-4 gives nothing back
    assert "74.50 short" in part and "125.50" in part  # 200.00 are to be taken back
    assert part.count(" short</span>") == 1 and part.count(">enough<") == 1
    assert "Wallet balances are advice" in part and "not all came in time" in part
    assert "hx-get" not in part
    assert "Likely receivable 74.50: 1 player short" in part


def test_the_likely_receivable_counts_those_of_other_pages(
    office: Client, ruling: Ruling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ruling_view, "PLAYERS_SHOWN", 1)
    balances(monkeypatch, {"P-1": 30_000, "P-2": 12_550, "P-3": 0}, is_complete=True)
    part = office.get(f"/admin/audit/ruling/{ruling.pk}/balances/").content.decode()
    assert part.count('<th scope="row">') == 2  # one player, and the sums
    assert "Likely receivable 174.50: 2 players short" in part


def test_the_house_result_stands_before_and_after(office: Client, ruling: Ruling) -> None:
    page = office.get(f"/admin/audit/ruling/{ruling.pk}/change/").content.decode()
    words = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    # 550.00 lost by the house in all: 600.00 won, 50.00 kept; a void leaves nothing.
    assert "House result 0.00 before −550.00" in words


def test_a_wallet_that_says_nothing_is_said_to(
    office: Client, ruling: Ruling, monkeypatch: pytest.MonkeyPatch
) -> None:
    balances(monkeypatch, {}, is_complete=False)
    part = office.get(f"/admin/audit/ruling/{ruling.pk}/balances/").content.decode()
    assert "The wallet does not say now what players have." in part and "Balance<" not in part


def test_who_may_not_see_the_wallet_is_turned_away(office: Client, ruling: Ruling) -> None:
    asker = User.objects.get(username="asker")
    asker.user_permissions.add(Permission.objects.get(codename="view_ruling"))
    office.force_login(asker)
    assert office.get(f"/admin/audit/ruling/{ruling.pk}/balances/").status_code == 403
