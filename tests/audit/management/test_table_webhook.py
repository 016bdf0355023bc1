"""`manage.py table_webhook`: the secret is printed when it is made, and by nothing afterwards."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from audit.models import DecisionKind, TableDecision, TableWebhook
from audit.services.telling import tell_table
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("table_webhook", *arguments, stdout=out)
    return out.getvalue()


def test_a_webhook_from_the_first_to_the_last() -> None:
    table = make_table()
    assert run("show", "B01") == "B01 is not called; it may ask.\n"
    secret = run("set", "B01", "http://127.0.0.1:8200/hook").strip()
    assert len(secret) == 43
    assert TableWebhook.objects.get().secret == secret
    tell_table(table, DecisionKind.VOID, at=NOON)
    TableDecision.objects.update(attempts=2, last_error="HTTP 503: no")
    said = run("show", "B01")
    number = TableDecision.objects.get().pk
    assert said.startswith("B01 is called at http://127.0.0.1:8200/hook since ")
    assert said.endswith(f"Not acknowledged: 1; the oldest is {number} (void): 2 attempts, HTTP 503: no.\n")
    assert secret not in said
    assert run("remove", "B01") == "B01 is called no more.\n"
    assert run("remove", "B01") == "B01 was not called.\n"


def test_what_cannot_be_is_said_and_changes_nothing() -> None:
    with pytest.raises(CommandError, match="no table has the code B01; there are: none"):
        run("set", "B01", "http://127.0.0.1/")
    make_table()
    with pytest.raises(CommandError, match="url: http:// or https:// is wanted"):
        run("set", "B01", "gopher://127.0.0.1/")
    assert not TableWebhook.objects.exists()
