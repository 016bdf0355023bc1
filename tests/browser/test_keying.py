"""A supervisor keys a coup without touching a mouse, on a table whose feed says nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Page, expect

from tables.models import GameTable
from tests.browser.measures import cut_off_in, overflow_of, overlaps_of, serious_findings_of
from tests.database import OwnTestDatabase
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.browser

Look = Callable[..., Page]


@pytest.fixture(scope="module")
def scene(
    beside_a_loop: None, django_db_setup: None, django_db_blocker: Any, own_database: OwnTestDatabase
) -> Iterator[GameTable]:
    """Open table B01 with a shoe, cut and burned, and let people of three roles in."""
    with django_db_blocker.unblock():
        table = make_table(rulebook="insurance")
        Platform(table).start()
        call_command("set_up_roles", verbosity=0)
        for role in ("supervisor", "manager", "administrator"):
            user = User.objects.create_user(role, password="x", is_staff=True, first_name="Ann")
            user.groups.add(Group.objects.get(name=role))
        yield table
        connection.close()
        own_database.empty()


def check(page: Page) -> None:
    """Hold a page against everything that is measured."""
    assert overflow_of(page) <= 0
    assert overlaps_of(page) == []
    assert cut_off_in(page) == []
    assert serious_findings_of(page) == []


def test_a_coup_is_keyed_by_keyboard_and_its_round_seen(look: Look, scene: GameTable) -> None:
    page = look(f"/admin/tables/gametable/{scene.pk}/change/", role="supervisor")
    page.get_by_role("link", name="Key a coup").focus()
    page.keyboard.press("Enter")
    entry = page.get_by_label("Cards in the order dealt")
    expect(entry).to_be_focused()
    page.keyboard.type("9h 2d k")
    faces = page.locator(".bc-preview svg.bc-card:not(.bc-card-slot)")
    expect(faces).to_have_count(2)
    page.keyboard.type("c qs")
    expect(faces).to_have_count(4)
    expect(page.locator(".bc-preview .bc-winner")).to_have_text("Player wins")
    expect(page.locator("[data-preview-said]")).to_have_text("Player 9. Banker 2. Player wins")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("B01-")
    expect(page.locator(".bc-messages")).to_contain_text("is keyed: Player wins, 9–2.")
    labels = [face.get_attribute("aria-label") for face in page.locator(".bc-felt svg.bc-card").all()]
    assert labels == ["9 of hearts", "king of clubs", "2 of diamonds", "queen of spades"]


def test_a_refusal_keeps_what_was_typed_and_puts_the_cursor_there(look: Look, scene: GameTable) -> None:
    page = look(f"/admin/tables/gametable/{scene.pk}/do/coup/", role="supervisor")
    page.keyboard.type("2H 2D KC QS")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was done.")
    expect(page.get_by_role("alert")).to_contain_text("coup/drawing")
    entry = page.get_by_label("Cards in the order dealt")
    expect(entry).to_be_focused()
    expect(entry).to_have_value("2H 2D KC QS")
    check(page)


def test_without_scripts_the_cards_are_shown_by_a_button(
    look: Look, scene: GameTable, browser: Any, server: Any
) -> None:
    signed_in = look(f"/admin/tables/gametable/{scene.pk}/do/coup/", role="supervisor").context
    context = browser.new_context(java_script_enabled=False, storage_state=signed_in.storage_state())
    page = context.new_page()
    page.goto(f"{server.url}/admin/tables/gametable/{scene.pk}/do/coup/")
    page.get_by_label("Cards in the order dealt").fill("9H 2D KC QS")
    page.get_by_role("button", name="Show the cards").click()
    expect(page.locator(".bc-preview .bc-winner")).to_have_text("Player wins")
    expect(page.get_by_label("Cards in the order dealt")).to_have_value("9H 2D KC QS")
    context.close()


@pytest.mark.parametrize(
    ("width", "theme", "language"), [(1280, "light", "en"), (390, "dark", "th"), (390, "light", "en")]
)
def test_the_pages_of_actions(width: int, theme: str, language: str, look: Look, scene: GameTable) -> None:
    on_table = f"/admin/tables/gametable/{scene.pk}/do"
    pages = {
        f"{on_table}/coup/?cards=6H+4H+3C+5S": "supervisor",
        f"{on_table}/burn/": "supervisor",
        f"{on_table}/gap/": "manager",
        "/admin/tables/gametable/do/set-up/": "administrator",
        "/admin/tables/apikey/do/make/": "administrator",
        f"/admin/tables/gametable/{scene.pk}/change/": "administrator",
    }
    for path, role in pages.items():
        check(look(path, width=width, theme=theme, language=language, role=role))
