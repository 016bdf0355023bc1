"""A request taken back by who made it, by keyboard alone, while the approver still reads it."""

import pytest
from playwright.sync_api import expect

from tables.models import Round
from tests.browser.walks import LOOKS, Open, ask_to_void, button, check, page_of, refused_by, steps_of
from tests.tables.playing import lines_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SUMMARY = {"en": "Withdraw the request", "th": "ถอนคำขอ"}
WITHDRAWN = {"en": "Withdrawn", "th": "ถอนคำขอแล้ว"}


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_who_asked_takes_it_back_and_the_approver_is_told(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    ruling = ask_to_void(swapped)
    office = open_as(page_of(ruling), "manager", width=width, language=language)
    expect(office.locator("summary", has_text=SUMMARY[language])).to_have_count(0)
    floor = open_as(page_of(ruling), "supervisor", width=width, language=language)
    floor.locator("summary", has_text=SUMMARY[language]).focus()
    floor.keyboard.press("Enter")
    expect(floor.locator("#withdraw-reason")).to_be_visible()
    check(floor)
    floor.keyboard.press("Tab")
    floor.keyboard.type("the wrong round")
    floor.keyboard.press("Tab")
    floor.keyboard.press("Enter")
    expect(floor.locator(".bc-page-facts .bc-badge", has_text=WITHDRAWN[language])).to_be_visible()
    expect(floor.locator(".bc-quote", has_text="the wrong round")).to_be_visible()
    check(floor)
    office.fill("#reason", "agreed")
    button(office, language, "approve").click()
    refused_by(office, "ruling/withdrawn")
    check(office)
    assert steps_of(ruling) == ["ruling.requested", "ruling.withdrawn"]
    assert lines_of(swapped)["b1"] == ("push", 5_000_000)
