"""A real chromium in front of a real server: skipped, loudly, where there is no chromium."""

import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from casino.sessions import SessionStore
from tables.models import Round
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.browser.scene import Scene, play_scene
from tests.browser.walks import Open
from tests.database import OwnTestDatabase
from tests.tables.playing import Platform, make_table, publish_all


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies here as needing a browser, and skip it where there is none."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM:
                item.add_marker(pytest.mark.skip(reason="NO CHROMIUM HERE: apt-get install chromium"))
    if not CHROMIUM:
        warnings.warn("no chromium on this machine: the browser tests are skipped", stacklevel=1)


@pytest.fixture(scope="module")
def beside_a_loop() -> Iterator[None]:
    """Let Django work in this thread although Playwright runs an event loop in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="module")
def browser(beside_a_loop: None) -> Iterator[Browser]:
    """Start one chromium for the tests of a module."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def scene(
    beside_a_loop: None, django_db_setup: None, django_db_blocker: Any, own_database: OwnTestDatabase
) -> Iterator[Scene]:
    """Play the scene once for a module, committed, and clear it away after."""
    with django_db_blocker.unblock():
        yield play_scene()
        connection.close()
        own_database.empty()


@pytest.fixture(scope="module")
def server(scene: Scene) -> Iterator[LiveServer]:
    """Serve the scene for a module. (`live_server` would empty the database after each test.)"""
    live = LiveServer("localhost")
    yield live
    live.stop()


@pytest.fixture
def troubles() -> Iterator[list[str]]:
    """Collect what pages complain of in the console; at the end there must be nothing."""
    heard: list[str] = []
    yield heard
    # An answer that refuses what was asked is no fault of the page, though chromium reports it.
    answers = ("status of 400", "status of 403", "status of 404", "status of 409")
    assert [trouble for trouble in heard if not any(answer in trouble for answer in answers)] == []


@pytest.fixture
def look(browser: Browser, server: LiveServer, troubles: list[str]) -> Iterator[Any]:
    """Return a function that opens a page as a role, at a width, in a theme and a language."""
    contexts = []

    def open_page(
        path: str, *, width: int = 1280, theme: str = "light", language: str = "en", role: str = "manager"
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        contexts.append(context)
        context.add_init_script(f"localStorage.adminTheme ??= '\"{theme}\"'")
        sign_in(context, server.url, role, language)
        page = heard_page(context, troubles)
        page.goto(server.url + path)
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def platform(transactional_db: None) -> Platform:
    """Provide a table under the insurance rulebook, and the demo's people."""
    publish_all()
    call_command("set_up_roles", "--demo", verbosity=0)
    platform = Platform(make_table("B03", "insurance"), at=datetime.now(UTC) - timedelta(minutes=5))
    platform.start()
    return platform


@pytest.fixture
def swapped(platform: Platform) -> Round:
    """Provide a settled round whose fifth and sixth card were keyed the wrong way round."""
    return platform.play(
        "6S KH 6D 5C 7S 4H",
        ("b1", "P-16002", "player", 5_000_000),
        ("b2", "P-10625", "banker", 3_000_000),
        ("b3", "P-10977", "tie", 100_000),
    )


@pytest.fixture
def open_as(browser: Browser, live_server: LiveServer, troubles: list[str]) -> Iterator[Open]:
    """Return a function that opens a page as somebody of the demo, in a database emptied after each test."""
    contexts = []

    def open_page(
        path: str,
        role: str,
        *,
        width: int = 1280,
        language: str = "en",
        script: bool = True,
        touch: bool = False,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
            java_script_enabled=script,
            has_touch=touch,
        )
        contexts.append(context)
        sign_in(context, live_server.url, role, language)
        page = heard_page(context, troubles)
        page.set_default_timeout(60_000)
        page.goto(live_server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def sign_in(context: BrowserContext, url: str, role: str, language: str) -> None:
    """Give a browser a session and a language."""
    cookies = {settings.LANGUAGE_COOKIE_NAME: language}
    if role:
        cookies[settings.SESSION_COOKIE_NAME] = session_of(role)
    context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])


def heard_page(context: BrowserContext, troubles: list[str]) -> Page:
    """Open a page whose complaints are heard."""
    page = context.new_page()
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    return page


def session_of(username: str) -> str:
    """Sign a demo person in and return the key of the session."""
    user = User.objects.get(username=username)
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)
