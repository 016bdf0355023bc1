"""From a player's words to the answer, as three people walk it: taken down, upheld, ruled, settled again."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from audit.models import Complaint, ComplaintChannel, ComplaintEvent, Ruling, VideoHold
from audit.rules.complaints import Said
from audit.services.complaint_verbs import accept_complaint
from audit.services.complaints import file_complaint
from audit.services.consents import ask_to_admit
from tables.models import FeedEvent, Round
from tables.services.actors import Actor
from tests.audit import hostile
from tests.browser.measures import scrolling_tables_in
from tests.browser.walks import LOOKS, TWO_LOOKS, Open, button, carry_out, check, page_of, refused_by
from tests.tables.playing import Platform, lines_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ANSWERS = {
    "en": "you are right about round {round}",
    "th": "คุณถูกต้องเกี่ยวกับรอบ {round}",
}


def page_about(complaint: Complaint) -> str:
    return reverse("admin:audit_complaint_change", args=[complaint.pk])


def press(page: Page, verb: str) -> None:
    """Press the button of a verb on a complaint's page, and wait for the page that follows."""
    page.locator(f"button[formaction$='/{verb}/'], form[action$='/{verb}/'] button").first.click()
    page.wait_for_load_state("networkidle")


def take_down(page: Page, round_: Round, dealer: str) -> None:
    """Fill the form in as the player says it."""
    local = round_.betting_opened_at.astimezone(ZoneInfo("Asia/Bangkok"))
    page.fill("#said-player", "P-16002")
    page.fill("#said-time", local.strftime("%Y-%m-%dT%H:%M"))
    page.fill("#said-dealer", dealer)
    page.fill("#said-disputed", "ไพ่ใบที่สามวางผิดฝั่ง ขอให้ตรวจสอบด้วยครับ")
    page.fill("#said-contact", "chat 4411")


def complained(round_: Round, *, hours: int = 0) -> Complaint:
    """File a complaint by a machine, so many hours after the result."""
    said = Said(
        played_at=round_.betting_opened_at.replace(second=0, microsecond=0),
        zone="Asia/Bangkok",
        table="B03",
        dealer="Lin Wei",
        round=round_.public_id,
        player="P-16002",
        disputed="The third card lay on the wrong side.",
        contact="chat 4411",
    )
    result = FeedEvent.objects.get(round=round_, type="round_result").received_at
    filed = file_complaint(
        said=said,
        channel=ComplaintChannel.CHAT,
        language="th",
        actor=Actor.of_key("0123456789ab"),
        user=None,
        at=result + timedelta(hours=hours, seconds=5),
    )
    return filed.complaint


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_a_complaint_goes_from_intake_to_its_answer(
    width: int, language: str, swapped: Round, open_as: Open, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    desk = open_as(f"/admin/tables/round/{swapped.pk}/change/", "support", width=width, language=language)
    desk.locator("a.bc-button[href*='/complaint/new/']").click()
    desk.wait_for_url("**/complaint/new/**")
    check(desk)
    desk.locator("#said-language").select_option(language)
    take_down(desk, swapped, "Lin Wei")
    desk.locator("button[value=look]").first.click()
    desk.wait_for_load_state("networkidle")
    expect(desk.locator("tr.is-differing")).to_have_count(1)  # right round, wrong dealer
    check(desk)
    desk.locator("button[name=confirm]").click()
    desk.wait_for_load_state("networkidle")
    expect(desk.locator("#said-dealer")).to_have_value("Mali Chantara")
    expect(desk.locator("tr.is-differing")).to_have_count(0)
    picture = {"name": "screen.png", "mimeType": "image/png", "buffer": hostile.png(30, 20)}
    desk.set_input_files("#said-files", picture)
    desk.locator("button[value=record]").click()
    desk.wait_for_url("**/complaint/*/change/")
    check(desk)
    complaint = Complaint.objects.get()
    assert (complaint.status, complaint.language, complaint.round) == ("received", language, swapped)
    assert VideoHold.objects.get(round=swapped).causes.get().complaint == complaint
    expect(desk.locator("#attachments")).to_contain_text("screen.png")
    expect(desk.locator(f"a[href$='/evidencepack/ask/complaint/{complaint.pk}/']")).to_be_visible()
    press(desk, "accept")
    press(desk, "review")
    check(desk)
    assert scrolling_tables_in(desk) == []

    office = open_as(page_about(complaint), "manager", width=width, language=language)
    office.fill("#reason", "camera 3 shows it")
    press(office, "uphold")
    office.wait_for_url("**/ruling/ask/**")
    floor = open_as(page_about(complaint), "supervisor", width=width, language=language)
    check(floor)
    floor.locator("a.bc-button-main[href*='complaint=']").click()
    floor.locator("a.bc-kind[href*='kind=correct']").click()
    floor.fill("#place-P3", "4h")
    floor.fill("#place-B3", "7s")
    floor.fill("#reason", "as the camera shows")
    expect(floor.locator("#ask-seen .is-marked")).to_have_count(4)
    floor.locator("button[value=ask]").click()
    floor.wait_for_url("**/ruling/*/change/")
    check(floor)
    ruling = Ruling.objects.get()
    assert ruling.complaint == complaint

    office.goto(office.url.split("/admin/")[0] + page_of(ruling))
    office.fill("#reason", "agreed")
    button(office, language, "approve").click()
    expect(office.locator("#progress")).to_be_visible()
    carry_out(ruling)
    assert lines_of(swapped) == {"b1": ("won", 10_000_000), "b2": ("lost", 0), "b3": ("lost", 0)}

    desk.goto(desk.url.split("/admin/")[0] + page_about(complaint))
    check(desk)
    sentence = ANSWERS[language].format(round=swapped.public_id)
    text = desk.locator("#answer-text")
    assert sentence in text.input_value()
    text.fill(text.input_value() + "\n\nPim")
    press(desk, "answer")
    check(desk)
    complaint.refresh_from_db()
    assert (complaint.status, complaint.outcome) == ("closed", "upheld")
    sent = ComplaintEvent.objects.get(action="answered")
    assert sentence in sent.text.text and sent.text.text.endswith("Pim")
    assert sent.data["language"] == language


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_whoever_comes_second_is_told_and_keeps_what_was_typed(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    complaint = complained(swapped)
    office = open_as(page_about(complaint), "manager", width=width, language=language)
    agent = User.objects.get(username="support")
    now = datetime.now(UTC)
    accept_complaint(
        complaint_id=complaint.pk, seen_version=1, actor=Actor.of_user(agent), user=agent, at=now
    )
    office.fill("#reason", "nobody saw it")
    press(office, "refuse")
    refused_by(office, "complaint/changed")
    check(office)
    complaint.refresh_from_db()
    assert (complaint.status, complaint.version) == ("accepted", 2)


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_a_late_one_is_let_in_by_a_manager_whom_somebody_asked(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    complaint = complained(swapped, hours=24)
    desk = open_as(page_about(complaint), "support", width=width, language=language)
    expect(desk.locator(".bc-deadline.is-wrong")).to_be_visible()
    check(desk)
    desk.fill("#admit-reason", "our chat was down")
    press(desk, "admit")
    office = open_as("/admin/", "manager", width=width, language=language)
    office.locator(f"#consents-heading ~ *, ul a[href='{page_about(complaint)}']").first.wait_for()
    office.locator(f"a[href='{page_about(complaint)}']").first.click()
    check(office)
    press(office, "consent")
    complaint.refresh_from_db()
    assert (complaint.status, complaint.refusal) == ("accepted", "late")


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_lists_and_pages_beside_the_walk(
    width: int, language: str, swapped: Round, platform: Platform, open_as: Open
) -> None:
    complained(swapped)
    late = complained(swapped, hours=30)
    agent = User.objects.get(username="support")
    at = late.received_at
    ask_to_admit(complaint_id=late.pk, reason="ours", actor=Actor.of_user(agent), user=agent, at=at)
    hold = VideoHold.objects.get()
    for path in (
        "/admin/audit/complaint/",
        "/admin/audit/videohold/",
        f"/admin/audit/videohold/{hold.pk}/change/",
        "/admin/audit/complaint/new/",
        f"/admin/tables/round/{swapped.pk}/change/",
        "/admin/",
    ):
        check(open_as(path, "manager", width=width, language=language))
