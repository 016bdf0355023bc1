"""Every page at two widths, light and dark, in both languages: nothing overflows, overlaps or fails axe."""

from collections.abc import Callable
from itertools import product

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.measures import (
    cut_off_in,
    overflow_of,
    overlaps_of,
    scrolling_tables_in,
    serious_findings_of,
)
from tests.browser.scene import Scene

pytestmark = pytest.mark.browser

Look = Callable[..., Page]

MODELS = ("round", "shoe", "gametable", "bet", "finding", "settlement", "wallettransaction", "journalentry")
LISTS = [f"/admin/tables/{model}/" for model in (*MODELS, "feedevent", "rulebook", "dealer", "player")]
RECORDS: dict[str, Callable[[Scene], str]] = {
    "corrected round": lambda scene: f"/admin/tables/round/{scene.corrected.pk}/change/",
    "corrected round, refused bets": lambda scene: (
        f"/admin/tables/round/{scene.corrected.pk}/change/?bets=refused"
    ),
    "held round": lambda scene: f"/admin/tables/round/{scene.held.pk}/change/",
    "round dealt again": lambda scene: f"/admin/tables/round/{scene.redealt.pk}/change/",
    "round being dealt": lambda scene: f"/admin/tables/round/{scene.dealing.pk}/change/",
    "shoe": lambda scene: f"/admin/tables/shoe/{scene.shoe.pk}/change/",
    "table": lambda scene: f"/admin/tables/gametable/{scene.shoe.table_id}/change/",
    "settlement": lambda scene: (
        f"/admin/tables/settlement/{scene.corrected.settlements.latest('revision').pk}/change/"
    ),
    "rulebook": lambda scene: f"/admin/tables/rulebook/{scene.shoe.rulebook_id}/change/",
    "revisions": lambda scene: f"/admin/tables/round/{scene.corrected.pk}/revisions/",
    "player": lambda scene: (
        f"/admin/tables/player/{scene.corrected.bets.earliest('placed_at').player_id}/change/"
    ),
    "mistyped": lambda scene: f"/lookup?q={scene.corrected.public_id[:-1]}Z",
    "several hits": lambda _scene: "/lookup?q=P-1042",
    "no hit": lambda _scene: "/lookup?q=nothing-like-this",
    "empty list": lambda _scene: "/admin/tables/round/?status=voided",
}
LOOKS = list(product((1280, 390), ("light", "dark"), ("en", "th")))


def check(page: Page) -> None:
    """Hold a page against everything that is measured, and say all that is wrong at once."""
    wrong = {
        "wider than the window": overflow_of(page) > 0,
        "texts on each other": overlaps_of(page),
        "cut off": cut_off_in(page),
        "tables that scroll": scrolling_tables_in(page),
        "axe": serious_findings_of(page),
    }
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(("width", "theme", "language"), LOOKS)
def test_the_page_of_a_round(width: int, theme: str, language: str, look: Look, scene: Scene) -> None:
    for name in ("corrected round", "held round", "round being dealt"):
        check(look(RECORDS[name](scene), width=width, theme=theme, language=language))


@pytest.mark.parametrize("path", LISTS)
def test_a_list(path: str, look: Look) -> None:
    for width, theme, language in ((1280, "light", "th"), (390, "dark", "en")):
        check(look(path, width=width, theme=theme, language=language))


@pytest.mark.parametrize("name", RECORDS)
def test_a_record(name: str, look: Look, scene: Scene) -> None:
    for width, theme, language in ((1280, "dark", "en"), (390, "light", "th")):
        check(look(RECORDS[name](scene), width=width, theme=theme, language=language))


def test_a_phone_shows_what_a_revision_paid_without_scrolling(look: Look, scene: Scene) -> None:
    page = look(RECORDS["revisions"](scene), width=390)
    edge = "(cell) => cell.getBoundingClientRect().right"
    assert page.locator(".bc-history tbody .has-rule").first.evaluate(edge) <= 390 - 14
    whose = page.locator(".bc-history tbody th").first
    before = whose.evaluate(edge)
    page.locator(".bc-may-scroll").evaluate("(wrap) => { wrap.scrollLeft = 300; }")
    assert whose.evaluate(edge) == before


@pytest.mark.parametrize("language", ["en", "th"])
def test_every_font_a_page_draws_with_is_asked_for_early(language: str, look: Look, scene: Scene) -> None:
    page = look(RECORDS["rulebook"](scene), language=language)
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.endsWith('.woff2'))"
    )
    early = page.evaluate("[...document.querySelectorAll('link[rel=preload]')].map((link) => link.href)")
    assert sorted(set(loaded)) == sorted(early)


def test_nothing_of_a_rulebook_moves_when_the_script_comes(look: Look, scene: Scene) -> None:
    page = look(RECORDS["rulebook"](scene), width=390)
    facts = page.locator(".bc-page-facts")
    with_script = facts.bounding_box()
    page.route("**/shell*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.reload()
    assert facts.bounding_box() == with_script


@pytest.mark.parametrize(
    "asked",
    ["?from=2026-11-29&until=2026-11-30", "?from=2020-01-01&until=2020-01-01", "?from=x&table=x&as=x"],
)
def test_the_reports_full_empty_and_asked_for_wrongly(asked: str, look: Look) -> None:
    for width, theme, language in ((1280, "dark", "en"), (390, "light", "th")):
        page = look(f"/admin/reports/{asked}", width=width, theme=theme, language=language)
        check(page)
        assert scrolling_tables_in(page) == [], (width, theme, language)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_to_sign_in(width: int, look: Look) -> None:
    for language in ("en", "th"):
        check(look("/admin/login/", width=width, language=language, role=""))


@pytest.mark.parametrize("path", ["me/", "me/second-factor/"])
def test_ones_own_account(path: str, look: Look) -> None:
    for width, theme, language in ((1280, "light", "th"), (390, "dark", "en")):
        check(look(f"/admin/auth/user/{path}", width=width, theme=theme, language=language))


@pytest.mark.parametrize(
    "path",
    ["", "do/enter/", "{}/change/", "{}/do/give-role/", "{}/do/take-role/", "{}/do/new-password/"],
)
def test_accounts_as_an_administrator_manages_them(path: str, look: Look, scene: Scene) -> None:
    path = path.format(User.objects.get(username="manager").pk)
    for width, theme, language in ((1280, "light", "th"), (390, "dark", "en")):
        check(
            look(
                f"/admin/auth/user/{path}",
                width=width,
                theme=theme,
                language=language,
                role="administrator",
            )
        )


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_rulebook_on_paper_is_the_rulebook_alone_dark_on_light(
    language: str, look: Look, scene: Scene
) -> None:
    page = look(RECORDS["rulebook"](scene), theme="dark", language=language)
    page.emulate_media(media="print")
    check(page)
    colour = "getComputedStyle(document.documentElement).getPropertyValue('--bc-text')"
    assert page.evaluate(colour).strip() == "#18181b"
    assert [page.locator(part).is_visible() for part in (".bc-top", "#side", ".bc-actions")] == [False] * 3
    assert page.locator(".bc-odds").is_visible() and page.locator(".bc-passages").is_visible()


def test_no_page_asks_for_inline_script_or_style(look: Look, scene: Scene) -> None:
    for path in ("/admin/tables/round/", RECORDS["corrected round"](scene), RECORDS["shoe"](scene)):
        page = look(path)
        html = page.request.get(page.url).text()
        assert "<style" not in html
        assert " style=" not in html
        assert " onclick=" not in html
        assert all('src="' in tag for tag in html.split("<script")[1:])


def test_no_page_reaches_for_another_server(look: Look, scene: Scene, server: LiveServer) -> None:
    page = look("/admin/tables/round/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url + RECORDS["corrected round"](scene))
    page.wait_for_load_state("networkidle")
    assert asked
    assert [url for url in asked if not url.startswith(server.url)] == []
