"""The first page follows what happens without being loaded again, and is left alone while nothing does."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Route, expect

from audit.models import Ruling
from audit.services.rulings import refuse_ruling
from tables.models import Round
from tables.services.actors import Actor
from tests.browser.walks import Open, ask_to_void
from tests.tables.playing import Platform

pytestmark = pytest.mark.browser


def test_the_first_page_follows_what_happens_at_the_tables(
    platform: Platform, swapped: Round, open_as: Open
) -> None:
    office = open_as("/admin/", "manager")
    tables = office.locator("section[aria-labelledby=tables-heading]")
    expect(tables).to_contain_text("Round 1")
    office.evaluate("window.isTheSamePage = true")
    platform.play("9H 2D KC QS", ("l1", "P-16002", "player", 5_000))
    expect(tables).to_contain_text("Round 2", timeout=30_000)
    expect(tables.locator(".bc-last-beads .bc-disc")).to_have_count(2)
    assert office.evaluate("window.isTheSamePage")

    # Once nothing changes the server says so, and what is shown is not drawn again.
    with office.expect_response(lambda answer: answer.status == 204, timeout=60_000) as quiet:
        pass
    shown = office.locator("#live").get_attribute("hx-get") or ""
    assert shown.startswith("/admin/live/?seen=")
    assert quiet.value.url.endswith(shown)


def test_who_was_signed_out_meanwhile_is_led_to_sign_in(
    platform: Platform, swapped: Round, open_as: Open
) -> None:
    office = open_as("/admin/", "manager")
    expect(office.locator("#live")).to_be_visible()
    office.context.clear_cookies()
    office.wait_for_url("**/admin/login/**", timeout=30_000)


def test_the_focus_stays_where_it_was_when_a_part_is_drawn_anew(
    platform: Platform, swapped: Round, open_as: Open
) -> None:
    office = open_as("/admin/", "manager")
    code = office.locator("#live .bc-table-code")
    code.focus()
    ask_to_void(swapped)
    expect(office.locator("#approvals-heading + .bc-badge")).to_have_text("1")
    expect(code).to_be_focused()
    expect(office.locator("#nav-count-rulings")).to_have_text("1")
    # What had the focus is gone, decided elsewhere: the focus stays with its part of the page.
    office.locator("#live .bc-waiting a.bc-button").focus()
    ruling = Ruling.objects.get()
    manager = User.objects.get(username="manager")
    refuse_ruling(
        ruling_id=ruling.pk,
        reason="not needed",
        actor=Actor.of_user(manager),
        user=manager,
        at=datetime.now(UTC),
    )
    expect(office.locator("#nav-count-rulings")).to_have_text("")
    expect(office.locator("#live section[aria-labelledby=approvals-heading]")).to_be_focused()


@pytest.mark.parametrize(
    ("language", "said"), [("en", "No answer since {time}."), ("th", "ไม่มีการตอบกลับตั้งแต่ {time}")]
)
@pytest.mark.parametrize("fault", ["gone", "failing"])
def test_a_page_that_hears_nothing_says_so_until_it_hears_again(
    fault: str,
    language: str,
    said: str,
    platform: Platform,
    swapped: Round,
    open_as: Open,
    troubles: list[str],
) -> None:
    ask_to_void(swapped)
    office = open_as("/admin/", "manager", language=language)
    lost, left = office.locator("#live-lost .bc-banner"), office.locator("#live [data-until]").first
    expect(left).to_have_text(re.compile(r"^\d+:\d\d$"))
    expect(lost).to_be_hidden()

    def refuse(route: Route) -> None:
        route.abort() if fault == "gone" else route.fulfill(status=503)

    office.route("**/admin/live/**", refuse)
    expect(lost).to_be_visible()
    before, after = said.split("{time}")
    expect(lost).to_have_text(re.compile(re.escape(before) + r"\d\d:\d\d" + re.escape(after)))
    expect(left).to_have_text("–")
    office.unroute("**/admin/live/**")
    expect(lost).to_be_hidden()
    expect(left).to_have_text(re.compile(r"^\d+:\d\d$"))
    troubles.clear()  # what the browser itself says of answers that failed is meant here
