"""A table's page: its rulebook's versions, who dealt when, its shoes, what went wrong at it."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import RulingKind
from audit.services.incidents import report_incident
from tables.queries.table_page import shifts_of
from tables.rulebooks import shipped_text
from tables.services.actors import SYSTEM, Actor
from tables.services.setup import publish_rulebook
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import rule
from tests.tables.playing import NOON, Platform

pytestmark = pytest.mark.django_db

COUP = "9H 2D KC QS"


def page_of(office: Client, platform: Platform) -> str:
    return office.get(f"/admin/tables/gametable/{platform.table.pk}/change/").content.decode()


def test_a_shift_is_a_run_of_rounds_with_one_dealer(platform: Platform, office: Client) -> None:
    for dealer, name, rounds in (
        ("D-07", "Mali Chantara", 2),
        ("D-08", "Somsak Rattan", 1),
        ("D-07", "Mali Chantara", 3),
    ):
        platform.say("dealer_in", dealer=dealer, name=name)
        for _ in range(rounds):
            platform.play(COUP)
    shifts = shifts_of(platform.table)
    assert [(shift.name, shift.rounds) for shift in shifts] == [
        ("Mali Chantara", 3),
        ("Somsak Rattan", 1),
        ("Mali Chantara", 2),
    ]
    first = platform.table.rounds.get(number=1)
    second = platform.table.rounds.get(number=2)
    assert (shifts[-1].from_at, shifts[-1].to_at) == (first.betting_opened_at, second.resulted_at)
    page = page_of(office, platform)
    assert page.count(">Mali Chantara</a>") == 2
    assert page.count(">Somsak Rattan</a>") == 1


def test_the_versions_of_the_rulebook_say_what_they_changed(platform: Platform, office: Client) -> None:
    text = shipped_text("commission").replace("winner: tie}, odds: 8}", "winner: tie}, odds: 9}")
    publish_rulebook(text=text, effective_from=NOON + timedelta(days=900), actor=SYSTEM, at=NOON)
    page = page_of(office, platform)
    assert "1 field changed" in page
    assert "bets.tie.pays[1].odds</span> 8 → 9" in page
    assert "In force" in page
    assert "Comes into force later" in page


def test_what_went_wrong_at_the_table(platform: Platform, supervisor: User, office: Client) -> None:
    assert "No incident has been reported at this table." in page_of(office, platform)
    round_ = platform.play(COUP)
    actor = Actor.of_user(supervisor)
    report_incident(
        table=platform.table, code="misdeal", facts={}, actor=actor, at=NOON, round_=round_, user=supervisor
    )
    page = page_of(office, platform)
    assert "/admin/audit/incident/?table=B01" in page
    assert "No incident has been reported at this table." not in page


def test_the_page_asks_as_often_for_many_rounds_as_for_one(
    platform: Platform, supervisor: User, office: Client
) -> None:
    counts = []
    for more in (1, 9):
        for number in range(more):
            platform.say("dealer_in", dealer=f"D-1{number}", name=f"Dealer {number}")
            round_ = platform.play(COUP)
            report_incident(
                table=platform.table,
                code="misdeal",
                facts={},
                actor=Actor.of_user(supervisor),
                at=NOON,
                round_=round_,
                user=supervisor,
            )
        page_of(office, platform)
        with CaptureQueriesContext(connection) as asked:
            page_of(office, platform)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 20


def test_the_latest_rounds_say_what_became_of_them(
    platform: Platform, supervisor: User, manager: User, office: Client
) -> None:
    void, disputed, fine = (platform.play(COUP) for _ in range(3))
    rule(supervisor, manager, RulingKind.VOID_ROUND, [void])
    report_incident(
        table=disputed.table,
        code="card_dropped_unseen",
        facts={},
        actor=Actor.of_user(supervisor),
        at=NOON,
        round_=disputed,
        user=supervisor,
    )
    for page in (
        page_of(office, platform),
        office.get(f"/admin/tables/shoe/{void.shoe_id}/change/").content.decode(),
    ):
        rows = {
            one: page.split(f">{one.public_id}</a>")[1].split("</tr>")[0] for one in (void, disputed, fine)
        }
        assert "bc-disc-void" in rows[void]
        assert "bc-disc-player" not in rows[void]
        assert ">Disputed<" in rows[disputed]
        assert "bc-disc-player" in rows[disputed]
        assert ">Settled<" in rows[fine]


def test_a_table_says_above_what_two_persons_are_needed(platform: Platform, office: Client) -> None:
    page = page_of(office, platform)
    facts = dict(re.findall(r"<dt>([^<]+)</dt>\s*<dd[^>]*>([^<]+)</dd>", page))
    assert facts["Two persons above"] == "50,000.00 THB"
    assert facts["Sign in again above"] == "500,000.00 THB"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("Close the table", "Close by a ruling")), ("th", ("ปิดโต๊ะ", "ปิดโต๊ะโดยคำวินิจฉัย"))],
)
def test_two_ways_to_close_a_table_are_named_apart(
    language: str, words: tuple[str, str], platform: Platform, supervisor: User
) -> None:
    floor = browser_of(supervisor)
    floor.cookies["django_language"] = language
    page = page_of(floor, platform)
    actions = page.split('class="bc-actions"')[1].split("</div>")[0]
    said = [text.strip() for text in re.findall(r"</svg>([^<]+)</a>", actions)]
    assert [said.count(word) for word in words] == [1, 1]
    assert len(said) == len(set(said))
