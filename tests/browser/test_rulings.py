"""From a report at the table to the player's notice, as two people walk it: two languages, two widths."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect

from audit.models import Incident, Ruling
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling
from audit.services.reporting import report_and_ask
from tables.models import Hold, Round
from tables.services.actors import Actor
from tests.browser.conftest import session_of
from tests.browser.measures import cut_off_in, overflow_of, overlaps_of, serious_findings_of
from tests.tables.playing import Platform, lines_of, make_table, publish_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

expect.set_options(timeout=30_000)  # a machine under load draws slowly
Open = Callable[..., Page]
LOOKS = list(product((1280, 390), ("en", "th")))
WORDS = {
    "en": {"approve": "Approve and settle again", "refuse": "Refuse", "applied": "Applied", "void": "Void"},
    "th": {"approve": "อนุมัติและคิดเงินใหม่", "refuse": "ปฏิเสธ", "applied": "ดำเนินการแล้ว", "void": "โมฆะ"},
}


@pytest.fixture
def platform(transactional_db: Any) -> Platform:
    """Provide a table under the insurance rulebook, and the demo's people."""
    publish_all()
    call_command("set_up_roles", "--demo", verbosity=0)
    platform = Platform(make_table("B03", "insurance"), at=datetime.now(UTC) - timedelta(minutes=5))
    platform.start()
    return platform


@pytest.fixture
def round_(platform: Platform) -> Round:
    """Provide a settled round whose fifth and sixth card were keyed the wrong way round."""
    return platform.play(
        "6S KH 6D 5C 7S 4H",
        ("b1", "P-16002", "player", 5_000_000),
        ("b2", "P-10625", "banker", 3_000_000),
        ("b3", "P-10977", "tie", 100_000),
    )


@pytest.fixture
def open_as(browser: Browser, live_server: Any, django_db_blocker: Any) -> Iterator[Open]:
    """Return a function that opens a page as somebody of the demo."""
    contexts = []

    def open_page(
        path: str, role: str, *, width: int = 1280, language: str = "en", script: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, reduced_motion="reduce", java_script_enabled=script
        )
        contexts.append(context)
        cookies = {settings.LANGUAGE_COOKIE_NAME: language, settings.SESSION_COOKIE_NAME: session_of(role)}
        context.add_cookies(
            [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(live_server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def check(page: Page) -> None:
    """Hold a page against everything that is measured."""
    page.wait_for_load_state("networkidle")
    assert overflow_of(page) <= 0
    assert overlaps_of(page) == []
    assert cut_off_in(page) == []
    assert serious_findings_of(page) == []


def carry_out(ruling: Ruling) -> None:
    """Do what the worker does."""
    assert claim_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))
    while apply_next_round(ruling_id=ruling.pk, now=datetime.now(UTC)):
        pass
    finish_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))


def report_before(platform: Platform) -> None:
    """Let a card have dropped at this table before, so that it stands first on the list."""
    earlier = platform.play("9H 2D KC QS")
    user = User.objects.get(username="supervisor")
    actor = Actor.of_user(user)
    at = datetime.now(UTC)
    report_and_ask(
        table=platform.table,
        code="card_dropped_unseen",
        facts={},
        note="",
        user=user,
        actor=actor,
        at=at,
        round_=earlier,
        wants_ruling=False,
    )


def half_dealt(platform: Platform) -> Round:
    """Deal three cards of a round, with bets on it."""
    name = platform.open_round()
    platform.bet(name, ("c1", "P-16002", "player", 250_000), ("c2", "P-10625", "banker", 90_000))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "2H"), ("B1", "8C"), ("P2", "JD")):
        platform.say("card", round=name, place=place, card=card)
    return platform.round(name)


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_a_report_by_keyboard_becomes_a_void_that_another_person_approves(
    width: int, language: str, platform: Platform, open_as: Open
) -> None:
    report_before(platform)
    round_ = half_dealt(platform)
    page = open_as(f"/admin/tables/round/{round_.pk}/change/", "supervisor", width=width, language=language)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("i")  # 1: report
    page.wait_for_url("**/incident/report/**")
    check(page)
    page.keyboard.press("1")  # 2: what happened
    expect(page.locator(".bc-remedy")).to_be_visible()
    check(page)
    page.keyboard.press("Control+Enter")  # 3: send
    page.wait_for_url("**/ruling/*/change/")
    check(page)
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.status, ruling.is_proposed_by_rule) == ("void_round", "requested", True)
    assert Hold.objects.filter(round=round_, lifted_at=None).exists()
    expect(page.locator("form[action$='/approve/']")).to_have_count(0)  # a supervisor does not decide

    office = open_as("/admin/", "manager", width=width, language=language)
    check(office)
    office.locator(f"a[href='/admin/audit/ruling/{ruling.pk}/change/']").first.click()
    check(office)
    office.fill("#reason", "camera 3 shows it")
    office.get_by_role("button", name=WORDS[language]["approve"]).click()
    expect(office.locator("#progress")).to_be_visible()
    check(office)
    carry_out(ruling)
    expect(office.get_by_text(WORDS[language]["applied"], exact=True).first).to_be_visible()
    check(office)
    assert lines_of(round_) == {"c1": ("void", 250_000), "c2": ("void", 90_000)}
    office.locator(".bc-link", has_text=round_.public_id).first.click()
    expect(office.locator("#questions-heading")).to_be_visible()
    check(office)
    office.goto(office.url.split("/admin/")[0] + f"/admin/audit/notice/?ruling={ruling.pk}")
    expect(office.locator("tbody tr")).to_have_count(2)
    check(office)
    office.locator("tbody th a").first.click()
    expect(office.get_by_text(f"Round {round_.public_id} was declared void")).to_be_visible()
    expect(office.get_by_text(f"รอบ {round_.public_id}")).to_be_visible()
    check(office)


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_a_correction_is_drawn_beside_the_old_coup_and_settles_again(
    width: int, language: str, round_: Round, open_as: Open
) -> None:
    page = open_as(f"/admin/tables/round/{round_.pk}/change/", "supervisor", width=width, language=language)
    page.locator("a[href*='kind=correct']").click()  # first click
    page.fill("#place-P3", "4h")
    page.fill("#place-B3", "7s")
    page.fill("#reason", "I keyed them the wrong way round")
    expect(page.locator("#ask-seen .is-marked")).to_have_count(4)
    check(page)
    page.locator("button[value=ask]").click()  # second click
    page.wait_for_url("**/ruling/*/change/")
    expect(page.locator(".bc-duel .is-marked")).to_have_count(4)
    check(page)
    ruling = Ruling.objects.get()
    assert ruling.facts["cards"] == {"P1": "6S", "B1": "KH", "P2": "6D", "B2": "5C", "P3": "4H", "B3": "7S"}

    office = open_as(f"/admin/audit/ruling/{ruling.pk}/change/", "manager", width=width, language=language)
    office.fill("#reason", "seen")
    office.get_by_role("button", name=WORDS[language]["approve"]).dblclick()
    expect(office.locator("#progress")).to_be_visible()
    ruling.refresh_from_db()
    assert ruling.status == "approved"
    carry_out(ruling)
    expect(office.get_by_text(WORDS[language]["applied"], exact=True).first).to_be_visible()
    # Player 6, Banker 2: the Player's bet wins, the tie and the Banker's lose.
    assert lines_of(round_) == {"b1": ("won", 10_000_000), "b2": ("lost", 0), "b3": ("lost", 0)}
    office.go_back()
    check(office)


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_a_refusal_without_a_reason_says_so_and_loses_nothing(
    width: int, language: str, round_: Round, open_as: Open
) -> None:
    page = open_as(
        f"/admin/audit/ruling/ask/?round={round_.pk}&kind=void_round",
        "supervisor",
        width=width,
        language=language,
    )
    page.fill("#reason", "cards fell off the table")
    page.locator("button[value=ask]").click()
    page.wait_for_url("**/ruling/*/change/")
    ruling = Ruling.objects.get()
    office = open_as(f"/admin/audit/ruling/{ruling.pk}/change/", "manager", width=width, language=language)
    office.get_by_role("button", name=WORDS[language]["refuse"], exact=True).click()
    expect(office.locator("[role=alert]")).to_be_visible()
    check(office)
    office.fill("#reason", "the camera shows nothing")
    office.get_by_role("button", name=WORDS[language]["refuse"], exact=True).click()
    expect(office.locator(".bc-quote", has_text="the camera shows nothing")).to_be_visible()
    check(office)
    ruling.refresh_from_db()
    assert (ruling.status, ruling.decision_reason) == ("refused", "the camera shows nothing")


def test_everything_works_without_a_script(platform: Platform, open_as: Open) -> None:
    report_before(platform)
    round_ = half_dealt(platform)
    page = open_as(f"/admin/audit/incident/report/?round={round_.pk}", "supervisor", script=False)
    page.locator("a.bc-kind").first.click()
    page.locator(".bc-report-send button").click()
    page.wait_for_url("**/ruling/*/change/")
    assert Incident.objects.filter(round=round_).count() == 1
    assert Ruling.objects.get().kind == "void_round"
