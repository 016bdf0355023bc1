"""The page of a shoe: its strip leads to the rounds, its roads follow rulings, its queries do not grow."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import RulingKind
from tables.models import Round
from tests.audit.deciding import rule
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db

PLAYER, BANKER, TIE = "9H 2D KC QS", "2D 9H QS KC", "9H 9D KC QS"


def page_of(office: Client, round_: Round) -> str:
    return office.get(f"/admin/tables/shoe/{round_.shoe_id}/change/").content.decode()


def entries_of(page: str) -> list[str]:
    """Read the big road: what each of its entries is said to be."""
    road = page.split('class="bc-big-road"')[1].split("</svg>")[0]
    return re.findall(r'aria-label="(Round [^"]+)"', road)


def test_the_strip_leads_to_the_rounds(platform: Platform, office: Client) -> None:
    first, second = platform.play(PLAYER), platform.play(BANKER)
    page = page_of(office, second)
    strip = page.split('<ol class="bc-strip">')[1].split("</ol>")[0]
    assert strip.count("<li") == 416
    for round_ in (first, second):
        assert strip.count(f'href="/admin/tables/round/{round_.pk}/change/"') == 4
    assert "Round 2, card 8: 9 of hearts" not in strip  # three cards left for the burn and four in round 1
    assert "Round 2, card 9: 9 of hearts" in strip


def test_ties_mark_the_entry_before_them_and_those_before_any_mark_the_first(
    platform: Platform, office: Client
) -> None:
    for cards in (TIE, PLAYER, TIE, TIE, BANKER):
        last = platform.play(cards)
    assert entries_of(page_of(office, last)) == [
        "Round 2, Player, 3 ties after it",
        "Round 5, Banker",
    ]


def test_the_roads_are_drawn_anew_after_rulings(
    platform: Platform, office: Client, supervisor: User, manager: User
) -> None:
    now = datetime.now(UTC)
    rounds = [platform.play(cards) for cards in (PLAYER, PLAYER, BANKER, PLAYER)]
    page = page_of(office, rounds[0])
    assert entries_of(page) == ["Round 1, Player", "Round 2, Player", "Round 3, Banker", "Round 4, Player"]
    assert 'class="is-ruled' not in page

    rule(supervisor, manager, RulingKind.VOID_ROUND, [rounds[1]], at=now)
    cards = dict(zip(("P1", "B1", "P2", "B2"), BANKER.split(), strict=True))
    rule(supervisor, manager, RulingKind.CORRECT, [rounds[3]], at=now, facts={"cards": cards})
    page = page_of(office, rounds[0])
    assert entries_of(page) == ["Round 1, Player", "Round 3, Banker", "Round 4, Banker, by ruling"]
    assert "Void and not drawn, as the rulebook says:" in page
    strip = page.split('<ol class="bc-strip">')[1].split("</ol>")[0]
    assert strip.count(" is-void") == 4
    assert strip.count(" has-correction") >= 2


def test_the_page_asks_as_often_for_many_rounds_as_for_two(platform: Platform, office: Client) -> None:
    counts = []
    for more in (2, 18):
        for _ in range(more):
            round_ = platform.play(PLAYER)
        page_of(office, round_)
        with CaptureQueriesContext(connection) as asked:
            page_of(office, round_)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 18


def test_a_shoe_without_a_round_says_what_will_be_there(platform: Platform, office: Client) -> None:
    url = f"/admin/tables/shoe/{platform.table.shoes.get().pk}/change/"
    assert "Results appear here as rounds end." in office.get(url).content.decode()
    assert "ผลจะปรากฏเมื่อรอบจบ" in office.get(url, headers={"accept-language": "th"}).content.decode()
