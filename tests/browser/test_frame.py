"""The frame of every page, by keyboard and on a phone; and the round page read like a person reads it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.measures import serious_findings_of
from tests.browser.scene import OUTCOMES, Scene

pytestmark = pytest.mark.browser

Look = Callable[..., Page]


def test_a_slash_goes_to_the_look_up_box_and_enter_to_the_round(look: Look, scene: Scene) -> None:
    page = look("/admin/tables/bet/")
    page.keyboard.press("/")
    expect(page.locator("#lookup-box")).to_be_focused()
    page.keyboard.type(scene.corrected.public_id.lower().replace("-", ""))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(scene.corrected.public_id)


def test_a_slash_typed_into_a_field_stays_there(look: Look) -> None:
    page = look("/admin/tables/wallettransaction/")
    page.locator("#searchbar").fill("")
    page.locator("#searchbar").press("/")
    expect(page.locator("#searchbar")).to_have_value("/")


def test_the_language_is_switched_on_the_page_one_is_on(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/round/{scene.corrected.pk}/change/")
    page.get_by_role("button", name="ไทย").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "th")
    expect(page.locator("#timeline-heading")).to_have_text("ลำดับเหตุการณ์")
    expect(page.locator(".bc-reasons")).to_contain_text("แบงเกอร์ 5 แต้ม จั่ว")
    assert page.url.endswith(f"/admin/tables/round/{scene.corrected.pk}/change/")


def test_light_and_dark_are_switched_and_kept(look: Look) -> None:
    page = look("/admin/tables/round/", theme="light")
    expect(page.locator("html")).not_to_have_class(re.compile(r"\bdark\b"))
    page.get_by_role("button", name="Light or dark").first.click()
    expect(page.locator("html")).to_have_class(re.compile(r"\bdark\b"))
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 16, 19)")
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 16, 19)")


def test_the_menu_of_a_phone_opens_and_closes_by_keyboard(look: Look) -> None:
    page = look("/admin/tables/round/", width=390)
    expect(page.locator("#side")).not_to_be_visible()
    page.get_by_role("button", name="Open the menu").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#side")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#side")).not_to_be_visible()
    expect(page.get_by_role("button", name="Open the menu")).to_be_focused()


def test_the_first_key_leads_past_the_menu(look: Look) -> None:
    page = look("/admin/tables/round/")
    page.keyboard.press("Tab")
    expect(page.locator(".bc-skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_the_round_page_says_what_was_dealt_and_why(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/round/{scene.corrected.pk}/change/")
    felt = page.locator(".bc-felt").first
    faces = [face.get_attribute("aria-label") for face in felt.locator("svg.bc-card").all()]
    assert faces == [
        "6 of spades",
        "6 of diamonds",
        "4 of hearts",
        "king of hearts",
        "5 of clubs",
        "7 of spades",
    ]
    expect(felt.locator(".bc-winner")).to_have_text("Player wins")
    expect(felt.locator(".bc-score")).to_have_text("6 – 2")
    headings = felt.locator(".bc-reasons h3").all_inner_texts()
    assert headings == ["No natural", "Player 2 draws", "Banker 5 draws"]
    expect(page.locator(".bc-banner.is-corrected")).to_contain_text("Was Tie 9–9, is Player wins 6–2.")


def test_the_bead_plate_shows_the_shoe_up_to_the_round(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/round/{scene.corrected.pk}/change/")
    beads = page.locator(".bc-beads li a").all_inner_texts()
    assert "".join(beads) == OUTCOMES + "P"
    expect(page.locator(".bc-beads li.is-here a")).to_have_text("P")
    counts = page.locator(".bc-counts").first.locator("span:not(.bc-disc)").all_inner_texts()
    assert counts == ["19", "15", "7"]


def test_the_bets_are_shown_by_revision_largest_change_first(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/round/{scene.corrected.pk}/change/")
    first = page.locator("#bets tbody tr").first.locator("th, td").all_inner_texts()
    assert [text.strip() for text in first] == [
        "W88120445",
        "P-16002",
        "Player",
        "50,000.00",
        "1",
        "push",
        "50,000.00",
        "won",
        "100,000.00",
        "+50,000.00",
    ]


def test_a_held_round_says_why_it_waits(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/round/{scene.held.pk}/change/")
    banner = page.locator(".bc-banner.is-waits")
    expect(banner).to_contain_text("Held: this round waits to be settled.")
    expect(banner).to_contain_text("The table's result differs from ours")


def test_a_shoe_page_adds_up(look: Look, scene: Scene) -> None:
    page = look(f"/admin/tables/shoe/{scene.shoe.pk}/change/")
    assert page.locator(".bc-strip li").count() == 416
    numbers = [int(text) for text in page.locator(".bc-sum b").all_inner_texts()]
    assert sum(numbers[:-1]) == numbers[-1] == 416
    expect(page.locator(".bc-sheet-foot").first).to_contain_text("Adds up")


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_rounds_of_a_shoe_are_read_without_scrolling_sideways(
    language: str, look: Look, scene: Scene
) -> None:
    page = look(f"/admin/tables/shoe/{scene.shoe.pk}/change/", language=language)
    table = page.locator("section[aria-labelledby=rounds-heading] .bc-table-wrap")
    assert table.evaluate("(box) => box.scrollWidth - box.clientWidth") == 0


@pytest.mark.parametrize(
    ("language", "heading", "own"), [("en", "Keys", "Report incident"), ("th", "แป้นลัด", "แจ้งเหตุ")]
)
def test_a_question_mark_says_the_keys_of_the_page(
    language: str, heading: str, own: str, look: Look, scene: Scene
) -> None:
    page = look(f"/admin/tables/round/{scene.corrected.pk}/change/", language=language)
    page.keyboard.press("?")
    keys = page.locator("dialog#keys")
    expect(keys.get_by_role("heading")).to_have_text(heading)
    everywhere = keys.locator("dl").first.locator("dt").all_inner_texts()
    assert everywhere == ["/", "Ctrl K", "j k ↓ ↑", "Ctrl Enter", "Esc", "?"]
    expect(keys.locator("[data-own-keys] dt").first).to_have_text("i")
    expect(keys.locator("[data-own-keys] dd").first).to_contain_text(own)
    assert serious_findings_of(page) == []
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_control_and_k_goes_anywhere_and_looks_anything_up(look: Look, scene: Scene) -> None:
    page = look("/admin/tables/bet/")
    page.keyboard.press("Control+k")
    page.keyboard.type("sho")
    expect(page.locator("#palette [aria-selected=true]")).to_have_text("Shoes")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#palette [aria-selected=true]")).to_have_text("Look up “sho”")
    assert serious_findings_of(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/admin/tables/shoe/$"))
    page.keyboard.press("Control+k")
    page.keyboard.type(scene.corrected.public_id)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(scene.corrected.public_id)


def test_an_arrow_goes_to_the_first_row_of_a_list_and_scrolls_any_other_page(look: Look) -> None:
    page = look("/admin/tables/round/")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".bc-table tbody th a").nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#timeline-heading")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator("body")).to_be_focused()


def test_j_and_the_arrows_walk_what_waits_on_the_first_page(look: Look) -> None:
    page = look("/admin/")
    rows = page.locator("#live [data-row]")
    page.keyboard.press("ArrowDown")
    expect(page.locator("body")).to_be_focused()  # until a row is taken, an arrow scrolls
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    wanted = rows.nth(0).get_attribute("href")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(str(wanted)) + "$"))


def test_j_and_k_walk_the_rows_and_enter_opens_one(look: Look) -> None:
    page = look("/admin/tables/round/")
    rows = page.locator(".bc-table tbody th a")
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(1)).to_be_focused()
    wanted = rows.nth(1).inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(wanted)
