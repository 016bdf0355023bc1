"""The first page follows what happens without being loaded again, and is left alone while nothing does."""

import pytest
from playwright.sync_api import expect

from tables.models import Round
from tests.browser.walks import Open
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
