"""The decks of a shoe by what stands on their box: a feed or a person says it, a ruling finds them by it."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from audit.models import Ruling
from tables.models import JournalEntry, Round, Shoe
from tables.queries.journal import data_of
from tests.audit.admin.test_deciding import ask_for
from tests.tables.admin.acting import url_of
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

ASK = "/admin/audit/ruling/ask/"


@pytest.fixture
def sets(platform: Platform) -> dict[str, Round]:
    """Play three shoes of one table: the first and the last with the same cards."""
    rounds = {}
    for name, cards in (("first", "RED-041"), ("between", "BLUE-7"), ("last", "RED-041")):
        platform.say("shoe_started", shoe=name, card_set=cards)
        platform.say("cut_card_placed", from_back=14)
        platform.say("burned", turned="2S", count=2)
        rounds[name] = platform.play("9H 2D KC QS", (f"b-{name}", "P-1", "player", 100))
    return rounds


def period(**more: str) -> str:
    """Write the address of a ruling on rounds of a table between two times of its zone."""
    day = (NOON + timedelta(hours=7)).date()
    asked = {"kind": "void_range", "from": f"{day}T00:00:00", "to": f"{day}T23:59:59", **more}
    return "&".join(f"{name}={value}" for name, value in asked.items())


def test_the_feed_says_which_cards(platform: Platform) -> None:
    assert platform.say("shoe_started", shoe="S-2", card_set="RED-041").status == "accepted"
    assert list(Shoe.objects.order_by("pk").values_list("card_set", flat=True)) == ["", "RED-041"]


@pytest.mark.parametrize("wrong", ["", "two words", "x" * 65, 41, None])
def test_a_card_set_has_a_form(platform: Platform, wrong: object) -> None:
    answer = platform.say("shoe_started", shoe="S-2", card_set=wrong)
    assert (answer.status, "card_set" in answer.error) == ("refused", True)
    assert Shoe.objects.count() == 1


def test_a_ruling_on_cards_starts_from_a_search(sets: dict[str, Round], floor: Client) -> None:
    table = sets["first"].table_id
    page = floor.get(f"{ASK}?table={table}&{period(card_set='RED-041')}").content.decode()
    assert sets["first"].public_id in page and sets["last"].public_id in page
    assert sets["between"].public_id not in page
    assert re.search(r'name="card_set"[^>]* value="RED-041"|value="RED-041"[^>]* name="card_set"', page)
    fields = dict(pair.split("=", 1) for pair in period(card_set="RED-041").split("&"))
    assert ask_for(floor, f"table={table}", **fields)[0] == 302
    touched = Ruling.objects.get().rounds.order_by("round_id").values_list("round_id", flat=True)
    assert list(touched) == [sets["first"].pk, sets["last"].pk]


def test_cards_nobody_dealt_touch_nothing(sets: dict[str, Round], floor: Client) -> None:
    answer = floor.get(f"{ASK}?table={sets['first'].table_id}&{period(card_set='RED-042')}")
    page = answer.content.decode()
    assert not any(round_.public_id in page for round_ in sets.values())


def test_shoes_are_found_by_their_cards(sets: dict[str, Round], floor: Client) -> None:
    page = floor.get(f"/admin/tables/shoe/{sets['first'].shoe_id}/change/").content.decode()
    assert 'href="/admin/tables/shoe/?q=RED-041">RED-041</a>' in page
    listed = floor.get("/admin/tables/shoe/?q=RED-041").content.decode()
    assert sets["first"].shoe.public_id in listed and sets["last"].shoe.public_id in listed
    assert sets["between"].shoe.public_id not in listed


def test_a_supervisor_enters_them(floor: Client) -> None:
    table = make_table("B09", rulebook="insurance")
    url = url_of(table, "shoe")
    refused = floor.post(url, {"decks": "8", "card_set": "two words"})
    assert refused.status_code == 400
    assert "Letters, digits and signs without a space" in refused.content.decode()
    assert floor.post(url, {"decks": "8", "card_set": "BLUE-7"}).status_code == 302
    assert Shoe.objects.get(table=table).card_set == "BLUE-7"
    assert data_of(JournalEntry.objects.get(action="shoe.keyed"))["card_set"] == "BLUE-7"
