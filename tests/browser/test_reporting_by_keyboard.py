"""A known case is reported by keyboard alone: how many interactions it takes, and how long the product."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from audit.models import Incident, Ruling
from tables.models import Hold
from tests.browser.walks import Open, half_dealt, report_before
from tests.tables.playing import Platform, make_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_INTERACTIONS = 5


class Keyboard:
    """The only thing that touches a page: it counts the keys, and the seconds from the first one on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed: list[str] = []
        self.began = 0.0

    def press(self, key: str) -> None:
        self.began = self.began or time.monotonic()
        self.pressed.append(key)
        self.page.keyboard.press(key)


def report_by_keys(platform: Platform, open_as: Open, *facts: str) -> Keyboard:
    """Report what happened at this table before, with the facts that are asked for, and send it."""
    report_before(platform)
    round_ = half_dealt(platform)
    page = open_as(f"/admin/tables/round/{round_.pk}/change/", "supervisor")
    page.wait_for_load_state("networkidle")
    keys = Keyboard(page)
    keys.press("i")
    page.wait_for_url("**/incident/report/**")
    keys.press("1")
    for letter in facts:
        expect(page.locator(f"[data-letter={letter}]")).to_be_visible()
        keys.press(letter)
    expect(page.locator(".bc-remedy")).to_be_visible()
    keys.press("Control+Enter")
    page.wait_for_url("**/ruling/*/change/")
    assert Hold.objects.filter(round=round_, lifted_at=None).exists()
    return keys


def keep_figures(keys: Keyboard, record: Callable[[str, object], None]) -> None:
    """Keep the figures with the result; the seconds are told, not judged: a machine under load is slow."""
    seconds = round(time.monotonic() - keys.began, 1)
    record("interactions", len(keys.pressed))
    record("seconds", seconds)
    print(f"{len(keys.pressed)} interactions ({', '.join(keys.pressed)}) and {seconds} s")


def test_a_case_without_facts_takes_three_keys(
    platform: Platform, open_as: Open, record_property: Callable[[str, object], None]
) -> None:
    keys = report_by_keys(platform, open_as)
    keep_figures(keys, record_property)
    assert keys.pressed == ["i", "1", "Control+Enter"]
    assert len(keys.pressed) <= MOST_INTERACTIONS
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.status, ruling.is_proposed_by_rule) == ("void_round", "requested", True)


def test_a_fact_that_decides_takes_one_key_more(
    platform: Platform, open_as: Open, record_property: Callable[[str, object], None]
) -> None:
    live = Platform(make_table("B05", "live-commission"), at=datetime.now(UTC) - timedelta(minutes=5))
    live.start(burn=None)
    keys = report_by_keys(live, open_as, "a")  # it fell off the table; that a round is running is known
    keep_figures(keys, record_property)
    assert len(keys.pressed) == 4 <= MOST_INTERACTIONS
    incident = Incident.objects.order_by("-pk")[0]
    assert incident.facts == {"off_table": True, "round_running": True}
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.facts) == ("void_round", {"also": ["replace_shoe"]})
