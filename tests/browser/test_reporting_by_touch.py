"""A known case is reported on a phone by thumb alone, from the first page on."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from audit.models import Incident, Ruling
from tables.models import Hold
from tests.browser.walks import Open, check, half_dealt, report_before
from tests.tables.playing import Platform, make_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_INTERACTIONS = 5
THUMB = 44
WIDTH = 390

# What of the page's end lies behind a bar once the page is scrolled to its end.
HIDDEN_AT_THE_END = """
(bar) => {
  window.scrollTo(0, document.documentElement.scrollHeight);
  const top = document.querySelector(bar).getBoundingClientRect().top;
  return [...document.querySelectorAll('main *')]
    .filter((element) => !element.children.length && !element.closest(bar))
    .filter((element) => element.checkVisibility({checkVisibilityCSS: true}))
    .map((element) => [element.getBoundingClientRect(), element.outerHTML.slice(0, 80)])
    .filter(([box, html]) => box.height && box.bottom > top)
    .map(([box, html]) => html);
}
"""


def within_reach(page: Page, bar: str) -> list[Locator]:
    """Hold the buttons of a bar against a thumb, at both ends of the page, and give them back."""
    buttons = page.locator(f"{bar} .bc-button").all()
    assert buttons
    for end in (0, 1_000_000):
        page.evaluate("(end) => window.scrollTo(0, end)", end)
        for button in buttons:
            box = button.bounding_box()
            assert box
            assert box["height"] >= THUMB
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= WIDTH
            assert 450 <= box["y"] <= 900 - box["height"]
    assert page.evaluate(HIDDEN_AT_THE_END, bar) == []
    return buttons


@pytest.mark.parametrize(("rulebook", "facts"), [("insurance", 0), ("live-commission", 1)])
def test_a_known_case_is_reported_by_taps_from_the_first_page(
    rulebook: str,
    facts: int,
    platform: Platform,
    open_as: Open,
    record_property: Callable[[str, object], None],
) -> None:
    if facts:
        platform = Platform(make_table("B05", rulebook), at=datetime.now(UTC) - timedelta(minutes=5))
        platform.start(burn=None)
    report_before(platform)
    round_ = half_dealt(platform)
    page = open_as("/admin/", "supervisor", width=WIDTH, touch=True)
    page.wait_for_load_state("networkidle")
    tapped = []

    def tap(target: Locator) -> None:
        tapped.append(target.inner_text())
        box = target.bounding_box()
        assert box
        assert box["height"] >= THUMB
        target.tap()

    tap(page.get_by_role("link", name=f"Report incident {platform.table.code}"))
    page.wait_for_url(f"**/incident/report/?round={round_.pk}")
    tap(page.locator("[data-number='1']"))
    for letter in "a"[:facts]:
        tap(page.locator(f"[data-letter={letter}]"))
    expect(page.locator(".bc-remedy")).to_be_visible()
    (send,) = within_reach(page, ".bc-report-send")
    check(page)
    tap(send)
    page.wait_for_url("**/ruling/*/change/")
    record_property("interactions", len(tapped))
    assert len(tapped) == 3 + facts <= MOST_INTERACTIONS
    assert Hold.objects.filter(round=round_, lifted_at=None).exists()
    assert Incident.objects.order_by("-pk")[0].round == round_
    assert Ruling.objects.get().kind == "void_round"


@pytest.mark.parametrize("language", ["en", "th"])
@pytest.mark.parametrize("role", ["supervisor", "manager", "support", "auditor"])
def test_the_buttons_of_a_round_stay_within_reach(
    role: str, language: str, platform: Platform, open_as: Open
) -> None:
    round_ = half_dealt(platform)
    page = open_as(
        f"/admin/tables/round/{round_.pk}/change/", role, width=WIDTH, language=language, touch=True
    )
    bar = ".bc-page-head .bc-actions"
    within_reach(page, bar)
    check(page)
    page.emulate_media(media="print")
    expect(page.locator(bar)).to_be_hidden()


def test_in_a_low_window_the_buttons_of_a_round_stay_in_its_head(platform: Platform, open_as: Open) -> None:
    page = open_as(f"/admin/tables/round/{half_dealt(platform).pk}/change/", "manager", width=WIDTH)
    page.set_viewport_size({"width": WIDTH, "height": 400})
    position = page.locator(".bc-page-head .bc-actions").evaluate("(bar) => getComputedStyle(bar).position")
    assert position == "static"
