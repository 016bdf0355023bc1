"""From a report at the table to the player's notice, as two people walk it: two languages, two widths."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Route, expect

from audit.models import Incident, Ruling
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling
from tables.models import Hold, Round
from tests.browser.walks import (
    LOOKS,
    WORDS,
    Open,
    button,
    carry_out,
    check,
    half_dealt,
    page_of,
    report_before,
    steps_of,
)
from tests.tables.playing import Platform, lines_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
    office.locator(f"a.bc-button[href='{page_of(ruling)}']").click()
    check(office)
    if width == 390:  # the decision lies far below; the head leads there
        office.locator(".bc-to-decision").click()
        expect(office.locator("#decision-heading")).to_be_in_viewport()
    office.fill("#reason", "camera 3 shows it")
    button(office, language, "approve").click()
    expect(office.locator("#progress")).to_be_visible()
    check(office)
    carry_out(ruling)
    expect(office.get_by_text(WORDS[language]["applied"], exact=True).first).to_be_visible()
    check(office)
    assert lines_of(round_) == {"c1": ("void", 250_000), "c2": ("void", 90_000)}
    office.locator(".bc-page-facts .bc-link", has_text=round_.public_id).click()
    expect(office.locator("#questions-heading")).to_be_visible()
    check(office)
    office.locator(f"a[href='/admin/audit/notice/?round={round_.pk}']").click()
    expect(office.locator("tbody tr")).to_have_count(2)
    check(office)
    office.locator("tbody th a").first.click()
    expect(office.get_by_text(f"Round {round_.public_id} was declared void")).to_be_visible()
    expect(office.get_by_text(f"รอบ {round_.public_id}")).to_be_visible()
    check(office)


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_a_correction_is_drawn_beside_the_old_coup_and_settles_again(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    page = open_as(f"/admin/tables/round/{swapped.pk}/change/", "supervisor", width=width, language=language)
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

    office = open_as(page_of(ruling), "manager", width=width, language=language)
    office.fill("#reason", "seen")
    button(office, language, "approve").dblclick()
    expect(office.locator("#progress")).to_be_visible()
    assert steps_of(ruling) == ["ruling.requested", "ruling.approved"]  # pressed twice, done once
    carry_out(ruling)
    expect(office.get_by_text(WORDS[language]["applied"], exact=True).first).to_be_visible()
    # Player 6, Banker 2: the Player's bet wins, the tie and the Banker's lose.
    assert lines_of(swapped) == {"b1": ("won", 10_000_000), "b2": ("lost", 0), "b3": ("lost", 0)}
    office.go_back()
    check(office)
    expect(office.locator("form[action$='/approve/']")).to_have_count(0)  # nothing is left to press
    assert steps_of(ruling) == ["ruling.requested", "ruling.approved", "ruling.applied"]


def test_what_was_typed_before_the_script_was_there_is_previewed(swapped: Round, open_as: Open) -> None:
    page = open_as(f"/admin/tables/round/{swapped.pk}/change/", "supervisor")
    under_way: list[Route] = []
    page.route("**/decide*.js", lambda route: under_way.append(route))
    page.locator("a[href*='kind=correct']").click(no_wait_after=True)
    page.fill("#place-P3", "4h")
    page.fill("#place-B3", "7s")
    expect(page.locator("#ask-seen .is-marked")).to_have_count(0)
    under_way.pop().continue_()
    expect(page.locator("#ask-seen .is-marked")).to_have_count(4)


def test_everything_works_without_a_script(platform: Platform, open_as: Open) -> None:
    report_before(platform)
    round_ = half_dealt(platform)
    page = open_as(f"/admin/audit/incident/report/?round={round_.pk}", "supervisor", script=False)
    page.locator("a.bc-kind").first.click()
    page.locator(".bc-report-send button").click()
    page.wait_for_url("**/ruling/*/change/")
    assert Incident.objects.filter(round=round_).count() == 1
    ruling = Ruling.objects.get()
    assert ruling.kind == "void_round"

    office = open_as(page_of(ruling), "manager", script=False)
    office.fill("#reason", "camera 3 shows it")
    button(office, "en", "approve").click()
    expect(office.locator("#progress")).to_be_visible()
    carry_out(ruling)
    # The page asks again by itself every three seconds.
    expect(office.get_by_text("Applied", exact=True).first).to_be_visible()
    expect(office.locator("meta[http-equiv=refresh]")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_ruling_on_rounds_is_stopped_and_resumed_from_its_page(
    language: str, platform: Platform, open_as: Open
) -> None:
    rounds = [platform.play("9H 2D KC QS", (f"s{n}", "P-16002", "player", 10_000)) for n in range(3)]
    page = open_as(
        f"/admin/audit/ruling/ask/?shoe={rounds[0].shoe_id}&kind=void_range", "supervisor", language=language
    )
    page.fill("#range-from", "1")
    page.fill("#range-to", "3")
    expect(page.locator("#ask-seen")).to_contain_text("−300.00")  # each won 100.00 too much
    page.fill("#reason", "dealt past the last round")
    page.locator("button[value=ask]").click()
    page.wait_for_url("**/ruling/*/change/")
    ruling = Ruling.objects.get()
    assert ruling.rounds_count == 3

    office = open_as(page_of(ruling), "manager", language=language)
    office.fill("#reason", "the blue card was out")
    button(office, language, "approve").click()
    assert claim_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))
    assert apply_next_round(ruling_id=ruling.pk, now=datetime.now(UTC))
    expect(office.locator("#progress")).to_contain_text(re.compile(r"1 .* 3 "))
    check(office)
    office.locator("form[action$='/stop/'] button").click()
    expect(office.locator("form[action$='/resume/'] button")).to_be_visible()
    finish_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))
    ruling.refresh_from_db()
    assert ruling.status == "stopped"
    office.reload()
    check(office)
    assert [lines_of(one)[f"s{n}"] for n, one in enumerate(rounds)] == [
        ("void", 10_000),
        ("won", 20_000),
        ("won", 20_000),
    ]
    office.locator("form[action$='/resume/'] button").click()
    expect(office.locator("form[action$='/stop/'] button")).to_be_visible()
    carry_out(ruling)
    expect(office.get_by_text(WORDS[language]["applied"], exact=True).first).to_be_visible()
    assert [lines_of(one)[f"s{n}"] for n, one in enumerate(rounds)] == [("void", 10_000)] * 3
