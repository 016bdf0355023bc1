"""An administrator's day: people come and lose what lets them in, machines get keys, tables are set up."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page, expect

from audit.models import SetupChange
from casino.models import SignedInSession
from casino.own_account import name_of
from casino.roles import DEMO_PASSWORD
from tables.models import ApiKey, GameTable, Rulebook
from tables.rulebooks import shipped_text
from tests.browser.walks import TWO_LOOKS, Open, check
from tests.tables.playing import Platform

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIELDS = "main .bc-action [name={}]"
DONE = ".bc-messages .is-done"
OWN_WORDS = "green-window-sings"


class Desk:
    """Somebody at a window of their own."""

    def __init__(self, open_as: Open, width: int, language: str) -> None:
        self.page: Page = open_as("/admin/login/?next=/admin/", "", width=width, language=language)
        self.site = self.page.url.split("/admin/")[0]

    def sign_in(self, name: str, password: str = DEMO_PASSWORD) -> None:
        """Sign in by the page, as everybody does."""
        self.page.locator("#id_username").fill(name)
        self.page.locator("#id_password").fill(password)
        check(self.page)
        self._click(".bc-plain-form button")

    def go(self, path: str) -> None:
        """Go to a page that is found by the menu."""
        self.page.goto(self.site + path)
        check(self.page)

    def follow(self, end: str) -> None:
        """Follow the link or button whose address ends so."""
        self._click(f"main a[href$='{end}']")

    def send(self, **typed: str) -> None:
        """Fill an action's form in and send it."""
        for name, value in typed.items():
            field = self.page.locator(FIELDS.format(name))
            is_list = field.evaluate("(element) => element.tagName === 'SELECT'")
            (field.select_option if is_list else field.fill)(value)
        check(self.page)
        self._click("main .bc-action-foot button")

    def done(self) -> None:
        """Expect that the page says what was done."""
        expect(self.page.locator(DONE)).to_be_visible()
        check(self.page)

    def decide(self, change: SetupChange) -> None:
        """Approve a change that waits on one's first page."""
        self.page.goto(self.site + "/admin/")
        self.follow(f"/setupchange/{change.pk}/change/")
        self.page.locator("#reason").fill("known to me")
        check(self.page)
        self._click(".bc-decision button.bc-button-main")
        self.done()

    def _click(self, what: str) -> None:
        """Click what leads to another page, and wait for that."""
        with self.page.expect_navigation():
            self.page.locator(what).first.click()


@pytest.fixture(params=TWO_LOOKS)
def desk(request: pytest.FixtureRequest, platform: Platform, open_as: Open) -> Any:
    """Provide a way to sit down at a window, at each look."""
    width, language = request.param
    return lambda: Desk(open_as, width, language)


@pytest.fixture
def administrator(desk: Any) -> Desk:
    """Sign the administrator in."""
    found: Desk = desk()
    found.sign_in("administrator")
    found.page.wait_for_url("**/admin/")
    check(found.page)
    return found


@pytest.fixture
def manager(desk: Any) -> Desk:
    """Sign in who approves what the administrator asks for."""
    found: Desk = desk()
    found.sign_in("manager")
    found.page.wait_for_url("**/admin/")
    return found


def account_page(name: str) -> str:
    return f"/auth/user/{User.objects.get(username=name).pk}/change/"


def waiting() -> list[SetupChange]:
    return list(SetupChange.objects.filter(status="requested").order_by("pk"))


def test_who_begins_to_work_gets_a_role_that_decides_by_two(
    administrator: Desk, manager: Desk, desk: Any
) -> None:
    administrator.go("/admin/auth/user/")
    administrator.follow("/do/enter/")
    administrator.send(
        username="malee", first_name="Malee", last_name="Sae-Tang", role="manager", reason="begins on Monday"
    )
    password = administrator.page.locator("#secret").input_value()
    check(administrator.page)
    administrator.follow(account_page("malee"))
    check(administrator.page)
    role, person = waiting()
    assert (role.kind, person.kind) == ("role", "person_link")

    administrator.go(f"/admin/audit/setupchange/{role.pk}/change/")
    expect(administrator.page.locator(".bc-decision button.bc-button-main")).to_have_count(0)
    manager.decide(role)
    manager.decide(person)

    malee = desk()
    malee.sign_in("malee", password)
    malee.page.wait_for_url("**/password_change/")
    check(malee.page)
    for name, typed in (
        ("old_password", password), ("new_password1", OWN_WORDS), ("new_password2", OWN_WORDS)
    ):  # fmt: skip
        malee.page.locator(f"[name={name}]").fill(typed)
    malee.page.keyboard.press("Enter")
    malee.page.wait_for_url("**/password_change/done/")
    check(malee.page)
    malee.go("/admin/audit/setupchange/")
    user = User.objects.get(username="malee")
    assert user.has_perm("audit.approve_ruling")
    assert user.person_account.person.name == "Malee Sae-Tang"  # type: ignore[attr-defined]


def test_a_lost_telephone_a_session_left_open_and_who_goes(
    administrator: Desk, manager: Desk, desk: Any
) -> None:
    TOTPDevice.objects.create(user=User.objects.get(username="manager2"), key="31" * 20)
    prasit = desk()
    prasit.sign_in("manager2")
    expect(prasit.page.locator("#id_code[aria-invalid]")).to_be_visible()
    check(prasit.page)
    administrator.go("/admin/auth/user/")
    administrator.follow(account_page("manager2"))
    administrator.follow("/do/remove-second-factor/")
    administrator.send(reason="lost the telephone, known by sight")
    administrator.done()
    (change,) = waiting()
    assert TOTPDevice.objects.count() == 1
    manager.decide(change)
    prasit.sign_in("manager2")
    prasit.page.wait_for_url("**/admin/")

    administrator.go("/admin" + account_page("manager2"))
    (session,) = SignedInSession.objects.filter(account__username="manager2")
    administrator.follow(f"/do/end-session/{name_of(session)}/")
    administrator.send()
    administrator.done()
    # The first page asks for news and so finds out by itself that its sign-in has ended.
    prasit.page.wait_for_url("**/login/**")

    administrator.go("/admin" + account_page("support"))
    administrator.follow("/do/deactivate/")
    administrator.send(reason="has left")
    administrator.done()
    prasit.sign_in("support")
    expect(prasit.page.locator(".bc-banner.is-wrong")).to_be_visible()


def test_a_key_opens_until_it_is_revoked(administrator: Desk, platform: Platform) -> None:
    administrator.go("/admin/tables/apikey/")
    administrator.follow("/do/make/")
    administrator.page.locator("[name=scopes][value='play:read']").check()
    administrator.send(label="scanner of B03", table="B03")
    check(administrator.page)
    key = administrator.page.locator("#secret").input_value()
    machine = Client(headers={"Authorization": f"Bearer {key}"})
    rounds = "/api/v1/rounds?table=B03"
    assert machine.get(rounds).status_code == 200
    administrator.follow(f"/apikey/{ApiKey.objects.get(label='scanner of B03').pk}/change/")
    check(administrator.page)
    administrator.follow("/do/revoke/")
    administrator.send()
    administrator.done()
    assert machine.get(rounds).status_code == 401


def test_a_table_is_set_up_and_what_takes_two_is_asked_for(administrator: Desk, manager: Desk) -> None:
    administrator.go("/admin/tables/gametable/")
    administrator.follow("/do/set-up/")
    administrator.send(
        code="C07", name="Corner", rulebook="commission", currency="THB", smallest="100", largest="50000",
        zone="Asia/Bangkok", hour="6",
    )  # fmt: skip
    administrator.done()
    administrator.follow("/do/limits/")
    administrator.send(smallest="200", largest="80000")
    administrator.done()
    table = GameTable.objects.get(code="C07")
    administrator.follow(f"/ask/thresholds/?table={table.pk}")
    administrator.send(second="20000", again="40000", reason="a quiet table")
    administrator.done()
    (thresholds,) = waiting()
    manager.decide(thresholds)
    table.refresh_from_db()
    assert (table.min_stake_minor, table.max_stake_minor) == (20_000, 8_000_000)
    assert (table.second_person_minor, table.sign_in_again_minor) == (2_000_000, 4_000_000)

    administrator.go("/admin/audit/setupchange/")
    administrator.follow("/ask/rulebook/")
    document = shipped_text("insurance") + "\n# reworded\n"
    administrator.send(document=document, effective="2030-01-01T06:00", reason="clearer words")
    administrator.done()
    (rulebook,) = waiting()
    manager.decide(rulebook)
    assert Rulebook.objects.filter(code="insurance").count() == 2
    administrator.go(f"/admin/tables/gametable/{table.pk}/change/")
    administrator.follow("/do/rulebook/")
    administrator.send(rulebook="insurance")
    administrator.done()
    table.refresh_from_db()
    assert (table.rulebook.code, table.rulebook.version) == ("insurance", 1)
