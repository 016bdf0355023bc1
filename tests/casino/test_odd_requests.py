"""Whatever a browser or a machine sends to any page, the answer is no fault of ours."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = pytest.mark.django_db

ODD_TEXTS = ["\x00", "a\x00b", "\ud800", "é", "🂡", "x" * 4000, "%00", "../..", "'; --", "-1", "9" * 40]
ODD_BYTES = [b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\r\nX: y", b"{", b"\xef\xbb\xbf{}"]
ODD_PARTS = ["-1", "9" * 30, "a%00b", "%ED%A0%80"]
ODD_VALUES = [b"a\x00b", b"9" * 40]
NAMES = ("q", "from", "until", "to", "limit", "cursor", "after", "status", "table", "p", "before", "all", "o")
MEDIA_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
COOKIES = ["sessionid", "csrftoken", "messages", "django_language"]
HEADERS = [
    "HTTP_ACCEPT",
    "HTTP_ACCEPT_LANGUAGE",
    "HTTP_ACCEPT_ENCODING",
    "HTTP_AUTHORIZATION",
    "HTTP_COOKIE",
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_REFERER",
    "HTTP_ORIGIN",
    "HTTP_X_REQUEST_ID",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_HOST",
    "CONTENT_TYPE",
    "CONTENT_LENGTH",
    "QUERY_STRING",
]


def addresses(patterns: Any = None, before: str = "/") -> Iterator[str]:
    """List the address of every page, with `<…>` for what a path takes."""
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, here)
        elif isinstance(pattern, URLPattern) and "(?P" not in here:
            yield here


def spell(address: str, value: str) -> str:
    """Put a value into every place of an address."""
    parts = []
    for part in address.replace("^", "").replace("$", "").split("/"):
        parts.append(value if "<" in part else part)
    return "/".join(parts)


PAGES = sorted({page for page in addresses() if "logout" not in page and "jsi18n" not in page})


@pytest.fixture
def client() -> Client:
    user = User.objects.create_superuser("odd", password="x")
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def check(answer: Any, what: object) -> None:
    assert answer.status_code < 500 or answer.status_code == 503, (what, answer.content[:300])


def test_every_page_is_looked_at() -> None:
    assert len(PAGES) > 60
    assert "/admin/login/" in PAGES
    assert "/api/v1/rounds/<str:round_id>" in PAGES


@pytest.mark.parametrize("value", ODD_PARTS)
def test_odd_parts_of_a_path(value: str, client: Client) -> None:
    for page in PAGES:
        if "<" in page:
            check(client.get(spell(page, value)), (page, value))
            check(client.post(spell(page, value)), (page, value))


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_cookies(text: str, client: Client) -> None:
    for name in COOKIES:
        other = Client(raise_request_exception=False)
        other.cookies[name] = text.encode("utf-8", "surrogatepass").decode("latin-1")
        for page in ("/admin/", "/admin/login/", "/api/v1/tables", "/health/live"):
            check(other.get(page), (name, page))


@pytest.mark.parametrize("raw", ODD_BYTES, ids=range(len(ODD_BYTES)))
def test_odd_headers(raw: bytes, client: Client) -> None:
    value = raw.decode("latin-1")
    for name in HEADERS:
        for page in ("/admin/", "/admin/tables/round/", "/api/v1/rounds", "/api/v1/openapi.json", "/"):
            check(client.get(page, **{name: value}), (name, page))
            check(client.post(page, **{name: value}), (name, page))


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_log_ins(text: str) -> None:
    client = Client(raise_request_exception=False)
    typed = {"username": text, "password": text, "next": text}
    quiet = {name: value.encode("utf-8", "surrogatepass") for name, value in typed.items()}
    check(client.post("/admin/login/", quiet), "login")
    check(client.post("/i18n/setlang/", {"language": quiet["username"], "next": quiet["next"]}), "language")
    check(client.get("/admin/login/", {"next": quiet["next"]}), "next")


@pytest.mark.parametrize("value", ODD_VALUES, ids=range(len(ODD_VALUES)))
def test_odd_questions(value: bytes, client: Client) -> None:
    for page in PAGES:
        for name in NAMES if "<" not in page else ():
            check(client.get(page, {name: value}), (page, name))


@pytest.mark.parametrize("raw", ODD_BYTES[:2], ids=range(2))
def test_odd_bodies(raw: bytes, client: Client) -> None:
    for page in PAGES:
        for media_type in MEDIA_TYPES:
            check(client.post(spell(page, "1"), raw, content_type=media_type), (page, media_type))
