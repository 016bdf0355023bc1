"""Keys are made and revoked by those who may, leave a journal entry, and are found by their text alone."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tables.models import ApiKey, JournalEntry
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.api_keys import KEY_FORM, RevokedApiKey, find_key, make_api_key, revoke_api_key
from tables.services.setup import BadSetup
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db

KEEPER = Actor("user", "1", "Keeper", frozenset({"tables.manage_api_keys"}))
STRANGER = Actor("user", "2", "Stranger", frozenset({"tables.view_apikey"}))


def make(**changed: Any) -> tuple[ApiKey, str]:
    facts: dict[str, Any] = {
        "label": "Table 1",
        "table": None,
        "scopes": ["play:read"],
        "actor": KEEPER,
        "at": NOON,
    }
    return make_api_key(**facts | changed)


def test_a_key_is_found_by_its_text_and_by_nothing_else() -> None:
    key, text = make()
    assert KEY_FORM.fullmatch(text)
    assert find_key(text) == key
    _, other = make()
    secret_of_other = other.split("_", 2)[2]
    assert find_key(f"bc_{key.prefix}_{secret_of_other}") is None
    for wrong in ("", text[:-1], text + "x", text.upper(), "bc__", text.replace("bc_", "xx_")):
        assert find_key(wrong) is None, wrong


def test_only_the_hash_is_kept() -> None:
    key, text = make()
    kept = ApiKey.objects.values().get()
    assert text.split("_", 2)[2] not in str(kept)
    assert len(key.secret_hash) == 64


def test_making_and_revoking_are_journalled() -> None:
    table = make_table()
    key, text = make(table=table, scopes=["play:read", "feed:write"])
    made = JournalEntry.objects.get(action="api_key.made")
    assert b'"scopes":["feed:write","play:read"],"table":"B01"' in bytes(made.body)
    assert text.encode() not in bytes(made.body)
    assert (made.subject_id, made.actor_id) == (key.pk, "1")
    assert revoke_api_key(key_id=key.pk, actor=KEEPER, at=NOON + timedelta(hours=1)) is True
    assert JournalEntry.objects.get(action="api_key.revoked").subject_id == key.pk
    with pytest.raises(RevokedApiKey):
        find_key(text)
    # Again changes nothing.
    assert revoke_api_key(key_id=key.pk, actor=KEEPER, at=NOON + timedelta(hours=2)) is False
    assert JournalEntry.objects.filter(action="api_key.revoked").count() == 1
    assert ApiKey.objects.get().revoked_at == NOON + timedelta(hours=1)


WRONG = {
    "no label": ({"label": "  "}, "label"),
    "a label too long": ({"label": "x" * 81}, "label"),
    "a label with NUL": ({"label": "a\x00"}, "label"),
    "no scope": ({"scopes": []}, "scopes"),
    "an unknown scope": ({"scopes": ["play:write"]}, "scopes"),
    "a feed of all tables": ({"scopes": ["feed:write"]}, "table"),
}


@pytest.mark.parametrize(("changed", "field"), WRONG.values(), ids=WRONG)
def test_what_is_no_key_is_not_made(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(BadSetup) as caught:
        make(**changed)
    assert caught.value.field == field
    assert (ApiKey.objects.count(), JournalEntry.objects.count()) == (0, 0)


def test_others_may_neither_make_nor_revoke() -> None:
    key, _ = make()
    with pytest.raises(NotAllowed, match=r"tables\.manage_api_keys"):
        make(actor=STRANGER)
    with pytest.raises(NotAllowed, match=r"tables\.manage_api_keys"):
        revoke_api_key(key_id=key.pk, actor=STRANGER, at=NOON)
    assert ApiKey.objects.get().revoked_at is None


# --- The command ------------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("api_key", *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_command_makes_lists_and_revokes() -> None:
    make_table()
    text = run(
        "make", "--label", "Table 1", "--table", "B01", "--scope", "feed:write", "--scope", "play:read"
    )
    key = find_key(text)
    assert key is not None
    assert (key.table and key.table.code, key.scopes) == ("B01", ["feed:write", "play:read"])
    listed = run("list")
    assert key.prefix in listed
    assert "in force" in listed
    assert text not in listed
    assert "is revoked" in run("revoke", key.prefix)
    assert "was revoked before" in run("revoke", key.prefix)
    assert "revoked 20" in run("list")
    assert JournalEntry.objects.filter(actor_id=SYSTEM.id, action="api_key.made").exists()


def test_the_command_says_what_is_wrong() -> None:
    with pytest.raises(CommandError, match="no table has the code B99"):
        run("make", "--label", "x", "--table", "B99", "--scope", "feed:write")
    with pytest.raises(CommandError, match="invalid choice"):
        run("make", "--label", "x", "--scope", "play:write")
    with pytest.raises(CommandError, match="is for one table"):
        run("make", "--label", "x", "--scope", "feed:write")
    with pytest.raises(CommandError, match="no key begins with bc_nobody"):
        run("revoke", "nobody")
