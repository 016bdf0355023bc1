"""What does not go through, as people see it: no reason, overtaken, run out, one's own, decided twice."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from audit.models import Ruling
from audit.services.rulings import expire_rulings
from tables.models import Round
from tables.services.settlement import settle_round
from tests.browser.walks import TWO_LOOKS, Open, ask_to_void, button, check, page_of, refused_by, steps_of
from tests.tables.playing import Platform, lines_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AS_SETTLED = {"b1": ("push", 5_000_000), "b2": ("push", 3_000_000), "b3": ("won", 900_000)}


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_a_refusal_without_a_reason_says_so_and_loses_nothing(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    page = open_as(
        f"/admin/audit/ruling/ask/?round={swapped.pk}&kind=void_round",
        "supervisor",
        width=width,
        language=language,
    )
    page.locator("button[value=ask]").click()
    refused_by(page, "ruling/reason")
    check(page)
    page.fill("#reason", "cards fell off the table")
    page.locator("button[value=ask]").click()
    page.wait_for_url("**/ruling/*/change/")
    ruling = Ruling.objects.get()
    office = open_as(page_of(ruling), "manager", width=width, language=language)
    button(office, language, "refuse").click()
    refused_by(office, "ruling/reason")
    check(office)
    office.fill("#reason", "the camera shows nothing")
    button(office, language, "refuse").click()
    expect(office.locator(".bc-quote", has_text="the camera shows nothing")).to_be_visible()
    check(office)
    ruling.refresh_from_db()
    assert (ruling.status, ruling.decision_reason) == ("refused", "the camera shows nothing")
    assert lines_of(swapped) == AS_SETTLED


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_a_round_that_changes_while_somebody_reads_makes_the_request_stale(
    width: int, language: str, platform: Platform, open_as: Open
) -> None:
    name = platform.open_round()
    platform.bet(name, ("d1", "P-16002", "player", 10_000_000))
    platform.deal(name, "9H 2D KC QS")
    round_ = platform.round(name)  # it has its result and is not settled yet
    ruling = ask_to_void(round_)
    office = open_as(page_of(ruling), "manager", width=width, language=language)
    settle_round(round_id=round_.pk, now=datetime.now(UTC))
    office.fill("#reason", "agreed")
    button(office, language, "approve").click()
    refused_by(office, "ruling/stale")
    check(office)
    ruling.refresh_from_db()
    assert ruling.status == "stale"
    assert lines_of(round_) == {"d1": ("won", 20_000_000)}


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_a_request_that_ran_out_while_somebody_reads_is_not_approved(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    ruling = ask_to_void(swapped)
    office = open_as(page_of(ruling), "manager", width=width, language=language)
    expire_rulings(now=datetime.now(UTC) + timedelta(minutes=31))  # the sweep comes by
    office.fill("#reason", "agreed")
    button(office, language, "approve").click()
    refused_by(office, "ruling/decided")
    check(office)
    ruling.refresh_from_db()
    assert ruling.status == "expired"
    assert lines_of(swapped) == AS_SETTLED


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_who_asked_is_told_that_a_second_person_decides(
    width: int, language: str, platform: Platform, open_as: Open
) -> None:
    round_ = platform.play("9H 2D KC QS", ("d1", "P-16002", "player", 10_000_000))
    ruling = ask_to_void(round_, "manager")  # takes back 100,000.00, twice the threshold
    page = open_as(page_of(ruling), "manager", width=width, language=language)
    expect(page.locator(".bc-checks .is-wrong")).to_have_count(1)
    expect(button(page, language, "approve")).to_have_count(0)
    check(page)
    # Whoever brings the form along all the same is refused by the database.
    page.locator(".bc-decision-form").evaluate(
        "form => form.action = form.action.replace('refuse', 'approve')"
    )
    page.locator(".bc-decision-form .bc-button-grave").evaluate(
        "button => button.removeAttribute('formaction')"
    )
    page.fill("#reason", "it was I who saw it")
    page.locator(".bc-decision-form .bc-button-grave").click()
    refused_by(page, "ruling/four-eyes")
    check(page)
    assert steps_of(ruling) == ["ruling.requested"]
    assert lines_of(round_) == {"d1": ("won", 20_000_000)}


def test_a_second_window_and_the_back_button_decide_nothing_twice(swapped: Round, open_as: Open) -> None:
    ruling = ask_to_void(swapped)
    one, other = (open_as(page_of(ruling), "manager") for _ in range(2))
    for page in (one, other):
        page.fill("#reason", "agreed")
    button(one, "en", "approve").click()
    expect(one.locator("#progress")).to_be_visible()
    button(other, "en", "approve").click()
    refused_by(other, "ruling/decided")
    check(other)
    one.go_back()
    expect(one.locator("#progress")).to_be_visible()
    one.go_forward()
    expect(one.locator("#progress")).to_be_visible()
    other.reload()  # which sends the form again, or lands on the page: nothing is decided by it
    assert steps_of(ruling) == ["ruling.requested", "ruling.approved"]
