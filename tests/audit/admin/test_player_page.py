"""A player's page, with the player on the line: what each of the latest bets came to."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import RulingKind
from tables.models import Player, Round
from tests.audit.admin.conftest import PLAYER_WINS, browser_of
from tests.audit.deciding import make_user, rule
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db


def bets_of(client: Client, reference: str) -> list[str]:
    """Return each line of the latest bets as text."""
    player = Player.objects.get(identity__reference=reference)
    page = client.get(f"/admin/tables/player/{player.pk}/change/").content.decode()
    table = page.split("Latest bets</caption>")[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1], re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in rows]


def test_what_a_bet_came_to_follows_the_newest_revision(
    played: Round, supervisor: User, manager: User, office: Client
) -> None:
    (line,) = bets_of(office, "P-10001")
    assert "Player won 100.00 THB returned 200.00" in line
    (line,) = bets_of(office, "P-10002")
    assert "Banker lost 300.00 THB returned 0.00" in line
    rule(supervisor, manager, RulingKind.VOID_ROUND, [played])
    (line,) = bets_of(office, "P-10001")
    assert "Player void 100.00 THB returned 100.00" in line


def test_a_bet_without_a_result_says_whether_it_was_taken(platform: Platform, office: Client) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 10_000))
    (line,) = bets_of(office, "P-1")
    assert "Player Accepted 100.00 THB" in line and "returned" not in line


def test_who_sees_no_settlements_sees_bets_without_what_they_came_to(played: Round) -> None:
    clerk = browser_of(make_user("clerk", "tables.view_player", "tables.view_bet"))
    (line,) = bets_of(clerk, "P-10001")
    assert "Accepted" in line and "returned" not in line


def test_more_bets_ask_no_more(platform: Platform, office: Client) -> None:
    counts = []
    for rounds in (1, 4):
        for number in range(rounds):
            platform.play(PLAYER_WINS, (f"q{rounds}-{number}", "P-1", "player", 100))
        with CaptureQueriesContext(connection) as asked:
            bets_of(office, "P-1")
        counts.append(len(asked))
    assert counts[0] == counts[1]
