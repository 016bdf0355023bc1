"""What tests of named actions share: addresses, what a page says, and that a refusal changes nothing."""

import html
import re
from typing import Any

from django.test import Client

from tables.models import AcceptedGap, Card, GameTable, JournalEntry, Round, Shoe


def url_of(table: GameTable, action: str) -> str:
    return f"/admin/tables/gametable/{table.pk}/do/{action}/"


def page_of(table: GameTable, client: Client) -> str:
    return client.get(f"/admin/tables/gametable/{table.pk}/change/").content.decode()


def text_of(response: Any) -> str:
    """Return what a person reads on a page, without tags and in one line."""
    body = response.content.decode()
    body = body[body.index("<main") : body.index("</main>")]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def counted() -> tuple[int, ...]:
    return tuple(model._default_manager.count() for model in (Shoe, Card, Round, JournalEntry, AcceptedGap))


def check_refusal(
    client: Client, table: GameTable, action: str, typed: dict[str, str], label: str, rule: str, words: str
) -> None:
    """Send a form that will not do: nothing happens, the page says why, and what was typed stands in it."""
    before = counted()
    answer = client.post(url_of(table, action), typed)
    assert answer.status_code == 400
    assert counted() == before
    problems = [(str(each.label), each.rule) for each in answer.context["problems"]]
    assert (label, rule) in problems or (label == "" and rule in [each[1] for each in problems])
    text = text_of(answer)
    assert words in text
    assert rule in text
    form = answer.context["form"]
    assert {name: form[name].value() for name in typed} == typed
