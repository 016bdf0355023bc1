"""Keys of machines: made with the secret shown once, revoked for good, by administrators only."""

import re

import pytest
from django.test import Client

from casino.roles import ROLES
from tables.models import ApiKey, JournalEntry
from tables.services.actors import SYSTEM
from tables.services.api_keys import RevokedApiKey, find_key, make_api_key
from tests.tables.admin.acting import said, text_of
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import NOON, Platform

MAKE = "/admin/tables/apikey/do/make/"


@pytest.fixture
def key(platform: Platform) -> ApiKey:
    """Provide the key of table B01."""
    key, _text = make_api_key(
        label="Table B01", table=platform.table, scopes=["feed:write"], actor=SYSTEM, at=NOON
    )
    return key


@pytest.mark.parametrize("role", ROLES)
def test_keys_are_made_and_revoked_by_who_manages_them(role: str, key: ApiKey, sign_in: SignIn) -> None:
    client = sign_in(role)
    allowed = "tables.manage_api_keys" in ROLES[role].permissions
    revoke = f"/admin/tables/apikey/{key.pk}/do/revoke/"
    for url in (MAKE, revoke):
        assert client.get(url).status_code == (200 if allowed else 403), url
        if not allowed:
            assert client.post(url, {"label": "x", "scopes": "play:read"}).status_code == 403, url
    key.refresh_from_db()
    assert (ApiKey.objects.count(), key.revoked_at) == (1, None)
    if "tables.view_apikey" in ROLES[role].permissions:
        assert ("do/make/" in client.get("/admin/tables/apikey/").content.decode()) is allowed
        page = client.get(f"/admin/tables/apikey/{key.pk}/change/").content.decode()
        assert ("do/revoke/" in page) is allowed
        assert key.secret_hash not in page


def test_a_key_is_made_and_its_secret_shown_once(platform: Platform, sign_in: SignIn) -> None:
    client = sign_in("administrator")
    made = client.post(MAKE, {"label": " Scanner ", "table": "B01", "scopes": ["feed:write", "play:read"]})
    secret = re.search(r'value="(bc_[0-9a-f]{12}_[^"]{43})"', made.content.decode())
    assert secret is not None
    assert "no-store" in made["Cache-Control"]
    found = find_key(secret[1])
    assert found is not None and found.table is not None
    assert (found.label, found.table.code, found.scopes) == ("Scanner", "B01", ["feed:write", "play:read"])
    assert JournalEntry.objects.get(action="api_key.made").actor_kind == "user"
    for url in ("/admin/tables/apikey/", f"/admin/tables/apikey/{found.pk}/change/"):
        page = client.get(url).content.decode()
        assert found.prefix in page
        assert secret[1].rsplit("_", 1)[-1] not in page


@pytest.mark.parametrize(
    ("typed", "label", "rule"),
    [
        ({"label": "", "scopes": "play:read"}, "Label", "form/required"),
        ({"label": "x" * 81, "scopes": "play:read"}, "Label", "api-key/label"),
        ({"label": "a\x00b", "scopes": "play:read"}, "Label", "form/null_characters_not_allowed"),
        ({"label": "x"}, "What it opens", "api-key/scopes"),
        ({"label": "x", "scopes": "all"}, "What it opens", "form/invalid_choice"),
        ({"label": "x", "scopes": "feed:write"}, "Table", "api-key/table"),
        ({"label": "x", "scopes": "play:read", "table": "Z99"}, "Table", "form/invalid_choice"),
    ],
)
def test_a_key_that_cannot_be_is_refused(
    typed: dict[str, str], label: str, rule: str, platform: Platform, sign_in: SignIn
) -> None:
    answer = sign_in("administrator").post(MAKE, typed)
    assert answer.status_code == 400
    assert (label, rule) in [(str(each.label), each.rule) for each in answer.context["problems"]]
    assert answer.context["form"]["label"].value() == typed["label"]
    assert not ApiKey.objects.exists()


def test_a_key_is_revoked_once_and_for_good(platform: Platform, sign_in: SignIn) -> None:
    key, text = make_api_key(label="Old", table=None, scopes=["play:read"], actor=SYSTEM, at=NOON)
    client = sign_in("administrator")
    url = f"/admin/tables/apikey/{key.pk}/do/revoke/"
    assert f"bc_{key.prefix}" in text_of(client.get(url))
    done = client.post(url, follow=True)
    assert said(done) == [f"The key {key.prefix} (Old) is revoked; it opens nothing any more."]
    with pytest.raises(RevokedApiKey):
        find_key(text)
    again = client.post(url)
    assert again.status_code == 400
    assert "The key was revoked already." in text_of(again)
    assert JournalEntry.objects.filter(action="api_key.revoked").count() == 1


def test_a_list_says_when_a_key_was_last_used_and_is_narrowed_by_state(
    platform: Platform, sign_in: SignIn
) -> None:
    used, text = make_api_key(label="Used", table=None, scopes=["play:read"], actor=SYSTEM, at=NOON)
    make_api_key(label="Fresh", table=None, scopes=["play:read"], actor=SYSTEM, at=NOON)
    bearer = {"authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/rounds", headers=bearer).status_code == 200
    used.refresh_from_db()
    first = used.last_used_at
    assert first is not None
    assert Client().get("/api/v1/rounds", headers=bearer).status_code == 200
    used.refresh_from_db()
    assert used.last_used_at == first  # not written at every request
    ApiKey.objects.filter(pk=used.pk).update(revoked_at=NOON)
    client = sign_in("administrator")
    page = text_of(client.get("/admin/tables/apikey/?revoked=yes"))
    assert "Used" in page and "Fresh" not in page
    page = text_of(client.get("/admin/tables/apikey/?revoked=no"))
    assert "Fresh" in page and "never" in page
    assert "read rounds, shoes, bets and settlements" in text_of(
        client.get(f"/admin/tables/apikey/{used.pk}/change/")
    )


@pytest.mark.parametrize("key", ["0", "9" * 40, "abc"])
def test_a_key_that_is_none(key: str, sign_in: SignIn) -> None:
    url = f"/admin/tables/apikey/{key}/do/revoke/"
    assert sign_in("administrator").post(url).status_code in (302, 403, 404)
    assert Client().post(url).status_code == 302
