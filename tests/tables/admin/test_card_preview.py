"""The cards are drawn while they are typed, with scripts or without."""

import re

import pytest

from tables.models import GameTable
from tests.tables.admin.acting import counted, url_of
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform


@pytest.mark.parametrize(
    ("cards", "shown", "words"),
    [
        ("", [], "Player"),
        ("6H 4", ["6 of hearts"], "due next"),
        ("6h 4h 3c 5s", ["6 of hearts", "3 of clubs", "4 of hearts", "5 of spades"], "Tie"),
        ("9H,2D,KC,QS", ["9 of hearts", "king of clubs", "2 of diamonds", "queen of spades"], "Player wins"),
        ("6H XX", ["6 of hearts"], "XX is no card"),
        ("9H 2D KC QS 4C", ["9 of hearts", "king of clubs"], "1 card too many"),
        ("10", [], "due next"),
        ("\x00<i>", [], "&lt;I&gt; is no card"),
    ],
)
def test_the_cards_are_drawn_while_they_are_typed(
    cards: str, shown: list[str], words: str, platform: Platform, sign_in: SignIn
) -> None:
    before = counted()
    client = sign_in("supervisor")
    answer = client.get(url_of(platform.table, "coup"), {"preview": "1", "cards": cards})
    assert answer.status_code == 200
    page = answer.content.decode()
    faces = re.findall(r'aria-label="([^"]+ of \w+)"', page)
    assert faces[: len(shown)] == shown
    assert words in page
    assert counted() == before


def test_without_scripts_the_page_itself_shows_the_cards(platform: Platform, sign_in: SignIn) -> None:
    answer = sign_in("supervisor").get(
        url_of(platform.table, "coup"), {"cards": "9H 2D KC QS", "number": "1"}
    )
    page = answer.content.decode()
    assert 'name="cards" value="9H 2D KC QS"' in page
    assert "Player wins" in page


def test_the_burn_that_is_due_is_said(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    for card, words in {"6S": "The rule burns 6 cards.", "A": "The card turned up decides"}.items():
        page = client.get(url_of(table, "burn"), {"preview": "1", "turned": card}).content.decode()
        assert words in page


def test_a_missed_card_is_drawn_among_those_lying(platform: Platform, sign_in: SignIn) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    client = sign_in("supervisor")
    for place, words in {"B1": "2 of diamonds", "P1": "P1 holds 9♥ already", "ZZ": "9 of hearts"}.items():
        query = {"preview": "1", "place": place, "card": "2D"}
        assert words in client.get(url_of(platform.table, "card"), query).content.decode()
