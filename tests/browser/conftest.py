"""A real chromium in front of a real server: skipped, loudly, where there is no chromium."""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.scene import Scene, play_scene
from tests.database import OwnTestDatabase

CHROMIUM = next(
    (path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), ""
)
CHROMIUM = CHROMIUM or shutil.which("google-chrome") or ""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


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
def look(browser: Browser, server: LiveServer) -> Iterator[Any]:
    """Return a function that opens a page as a role, at a width, in a theme and a language."""
    contexts = []
    troubles: list[str] = []

    def open_page(
        path: str, *, width: int = 1280, theme: str = "light", language: str = "en", role: str = "manager"
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        contexts.append(context)
        cookies = {settings.LANGUAGE_COOKIE_NAME: language}
        if role:
            cookies[settings.SESSION_COOKIE_NAME] = session_of(role)
        context.add_cookies(
            [{"name": name, "value": value, "url": server.url} for name, value in cookies.items()]
        )
        keep = f"localStorage.adminTheme ??= '\"{theme}\"'"
        context.add_init_script(keep)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(server.url + path)
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()
    # An answer that refuses what was asked is no fault of the page, though chromium reports it.
    answers = ("status of 400", "status of 403", "status of 404", "status of 409")
    assert [trouble for trouble in troubles if not any(answer in trouble for answer in answers)] == []


def session_of(username: str) -> str:
    """Sign a demo person in and return the key of the session."""
    user = User.objects.get(username=username)
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)
