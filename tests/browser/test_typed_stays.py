"""What was typed and not sent outlives a switch of the language, and the choice of another text."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from audit.models import Complaint, ComplaintChannel
from audit.rules.complaints import Said
from audit.services.complaint_verbs import accept_complaint
from audit.services.complaints import file_complaint
from tables.models import FeedEvent, Round
from tables.services.actors import SYSTEM, Actor
from tests.browser.walks import Open

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def switch(page: Page, language: str) -> None:
    page.locator(f"button[name=language][value={language}]").first.click()
    page.wait_for_load_state("networkidle")
    expect(page.locator("html")).to_have_attribute("lang", language)


def accepted(round_: Round) -> Complaint:
    said = Said(
        played_at=round_.betting_opened_at.replace(second=0, microsecond=0),
        zone="Asia/Bangkok",
        table="B03",
        dealer="Mali Chantara",
        round=round_.public_id,
        player="P-16002",
    )
    at = FeedEvent.objects.get(round=round_, type="round_result").received_at
    complaint = file_complaint(
        said=said, channel=ComplaintChannel.CHAT, language="th", actor=SYSTEM, user=None, at=at
    ).complaint
    pim = User.objects.get(username="support")
    return accept_complaint(
        complaint_id=complaint.pk,
        seen_version=complaint.version,
        actor=Actor.of_user(pim),
        user=pim,
        at=at,
    )


def test_a_half_filled_form_outlives_a_switch_of_the_language(swapped: Round, open_as: Open) -> None:
    desk = open_as("/admin/audit/complaint/new/", "support", width=1280, language="en")
    desk.fill("#said-player", "P-16002")
    desk.fill("#said-disputed", "the third card")
    desk.locator("#said-channel").select_option("mail")
    switch(desk, "th")
    expect(desk.locator("#said-player")).to_have_value("P-16002")
    expect(desk.locator("#said-disputed")).to_have_value("the third card")
    expect(desk.locator("#said-channel")).to_have_value("mail")
    desk.reload()
    expect(desk.locator("#said-player")).to_have_value("")  # kept for that moment only


def test_a_date_typed_by_half_is_told_and_not_sent(swapped: Round, open_as: Open) -> None:
    desk = open_as("/admin/audit/complaint/new/", "support", width=1280, language="en")
    desk.fill("#said-disputed", "the third card")
    desk.locator("#said-time").focus()
    desk.keyboard.type("11")
    assert desk.locator("#said-time").evaluate("field => field.validity.badInput")
    record = desk.get_by_role("button", name="Record the complaint")
    record.click()
    expect(desk.locator("#said-time")).to_be_focused()
    assert not Complaint.objects.exists()
    desk.fill("#said-time", "2026-11-29T20:48")
    with desk.expect_navigation():
        record.click()
    assert Complaint.objects.count() == 1


def test_what_was_compared_or_refused_outlives_a_switch_of_the_language(
    swapped: Round, open_as: Open
) -> None:
    desk = open_as("/admin/audit/complaint/new/", "support", width=1280, language="en")
    desk.fill("#find", swapped.public_id)
    desk.fill("#said-disputed", "the third card")
    with desk.expect_navigation():
        desk.get_by_role("button", name="Compare", exact=True).click()
    switch(desk, "th")
    expect(desk.locator("#find")).to_have_value(swapped.public_id)
    expect(desk.locator("#said-table")).to_have_value("B03")
    expect(desk.locator("#said-disputed")).to_have_value("the third card")

    url = f"/admin/audit/ruling/ask/?round={swapped.pk}&kind=correct"
    floor = open_as(url, "supervisor", width=1280, language="en")
    floor.fill("#place-P3", "4H")
    floor.fill("#place-B3", "7S")
    with floor.expect_navigation():
        floor.get_by_role("button", name="Ask for this ruling").click()  # without a reason
    expect(floor.locator("#reason[aria-invalid]")).to_be_visible()
    switch(floor, "th")
    expect(floor.locator("#place-P3")).to_have_value("4H")
    expect(floor.locator("#place-B3")).to_have_value("7S")


def test_taking_another_text_keeps_the_rest_and_asks_before_it_replaces(
    swapped: Round, open_as: Open
) -> None:
    url = reverse("admin:audit_complaint_change", args=[accepted(swapped).pk])
    desk = open_as(url, "support", width=1280, language="en")
    desk.fill("#note-text", "called back at noon")
    take = desk.locator(".bc-answer-choice button")
    take.click()
    desk.wait_for_url("**/change/?template=**")
    expect(desk.locator("#note-text")).to_have_value("called back at noon")
    desk.fill("#answer-text", "my own words")
    asked: list[str] = []

    def answer(dialog: object) -> None:
        asked.append(dialog.message)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    desk.on("dialog", answer)
    take.click()
    expect(desk.locator("#answer-text")).to_have_value("my own words")
    assert asked == ["The text you changed is replaced by the one you chose. Go on?"]
