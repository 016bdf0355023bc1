"""All revisions of a round side by side, what each changed marked; and what a ruling moves, as a file."""

import json
import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import Ruling, RulingKind
from casino.roles import ROLES
from tables.models import Round
from tests.audit.admin.conftest import PLAYER_WINS, browser_of
from tests.audit.deciding import ask, make_user, rule
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db

BANKER_WINS = {"P1": "2D", "B1": "9H", "P2": "KC", "B2": "QS"}


@pytest.fixture
def thrice(played: Round, supervisor: User, manager: User) -> Round:
    """Provide a round settled three times: Player 9 to 2; corrected to Banker 9 to 2; then void."""
    rule(supervisor, manager, RulingKind.CORRECT, [played], facts={"cards": BANKER_WINS})
    played.refresh_from_db()
    rule(supervisor, manager, RulingKind.VOID_ROUND, [played])
    played.refresh_from_db()
    return played


def cells_of(page: str) -> list[list[str]]:
    """Return the text of each cell of the table's body, a changed one with a star."""
    body = page.split("<tbody>")[1].split("</tbody>")[0]
    rows = []
    for row in body.split("<tr>")[1:]:
        cells = re.findall(r"<t[dh]([^>]*)>(.*?)</t[dh]>", row, re.DOTALL)
        rows.append(
            [
                ("*" if "is-changed" in attributes else "") + " ".join(re.sub(r"<[^>]+>", " ", cell).split())
                for attributes, cell in cells
            ]
        )
    return rows


def test_every_revision_stands_beside_the_others_and_changes_are_marked(
    thrice: Round, office: Client
) -> None:
    round_page = office.get(f"/admin/tables/round/{thrice.pk}/change/").content.decode()
    url = f"/admin/tables/round/{thrice.pk}/revisions/"
    assert url in round_page
    page = office.get(url).content.decode()
    # b1: 100.00 on Player; b2: 300.00 on Banker at 0.95.
    assert [[cell.replace(" changed", "") for cell in row[3:]] for row in cells_of(page)] == [
        ["300.00", "lost 0.00", "*won 585.00", "*void 300.00", "+300.00"],
        ["100.00", "won 200.00", "*lost 0.00", "*void 100.00", "−100.00"],
    ]
    for ruling in Ruling.objects.all():
        assert ruling.number in page
    assert "the engine" in page and "+385.00" in page  # 585.00 less 200.00


def test_each_revision_shows_the_cards_it_was_computed_from(thrice: Round, office: Client) -> None:
    page = office.get(f"/admin/tables/round/{thrice.pk}/revisions/").content.decode()
    head = page.split("<thead>")[1].split("</thead>")[0].split('class="is-num has-rule"')[1:4]
    shown = [" ".join(re.sub(r"<[^>]+>|\ufe0e", " ", revision).split()) for revision in head]
    assert "P 9♥ K♣ B 2♦ Q♠" in shown[0]
    assert "P 2♦ changed K♣ B 9♥ changed Q♠" in shown[1]
    assert "changed" not in shown[2]


def test_the_history_is_found_by_the_public_id_and_only_by_who_may_see_bets(
    thrice: Round, office: Client
) -> None:
    assert office.get(f"/admin/tables/round/{thrice.public_id}/revisions/").status_code == 200
    assert office.get("/admin/tables/round/999999999/revisions/").status_code == 404
    machine_room = browser_of(make_user("rung", *ROLES["administrator"].permissions))
    assert machine_room.get(f"/admin/tables/round/{thrice.pk}/revisions/").status_code == 403


def test_a_round_without_a_revision_says_so(platform: Platform, office: Client) -> None:
    name = platform.open_round()
    page = office.get(f"/admin/tables/round/{platform.round(name).pk}/revisions/").content.decode()
    assert "This round is not settled yet" in page


def test_the_history_pages_and_asks_as_often_for_many_bets_as_for_one(
    platform: Platform, office: Client
) -> None:
    counts = []
    for players in (1, 60):
        bets = [(f"h{players}-{i}", f"P-{i}", "player", 100 + i) for i in range(players)]
        round_ = platform.play(PLAYER_WINS, *bets)
        url = f"/admin/tables/round/{round_.pk}/revisions/"
        office.get(url)
        with CaptureQueriesContext(connection) as asked:
            page = office.get(url).content.decode()
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert len(cells_of(page)) == 50
    assert len(cells_of(office.get(f"{url}?page=2").content.decode())) == 10


def test_a_preview_and_a_ruling_are_exported_for_machines(
    played: Round, supervisor: User, floor: Client
) -> None:
    answer = floor.get(f"/admin/audit/ruling/ask/?round={played.pk}&kind=void_round&as=json")
    assert answer["Content-Disposition"] == 'attachment; filename="preview-void_round-B01.json"'
    body = json.loads(answer.content)
    assert body["rounds"] == [
        {
            "round": played.public_id,
            "revision": 1,
            "bets": 2,
            "given_minor": 30_000,
            "taken_minor": 10_000,
        }
    ]
    assert body["players"] == [
        {"player": "P-10002", "before_minor": 0, "after_minor": 30_000, "difference_minor": 30_000},
        {"player": "P-10001", "before_minor": 20_000, "after_minor": 10_000, "difference_minor": -10_000},
    ]
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played])
    kept = json.loads(floor.get(f"/admin/audit/ruling/{ruling.pk}/moves.json").content)
    assert (kept["ruling"], kept["preview_hash"]) == (ruling.number, body["preview_hash"])
    assert kept["players"] == body["players"]
    assert kept["rounds"] == [{**body["rounds"][0], "state": "waiting"}]


def test_a_range_lists_the_rounds_it_would_touch_before_it_is_asked_for(
    platform: Platform, floor: Client
) -> None:
    rounds = [platform.play(PLAYER_WINS, (f"r{n}", "P-1", "player", 100)) for n in range(4)]
    url = f"/admin/audit/ruling/ask/?shoe={rounds[0].shoe_id}&kind=void_range&from=2&to=3"
    page = floor.get(url).content.decode()
    assert "Rounds it would touch" in page
    assert [round_.public_id in page for round_ in rounds] == [False, True, True, False]


def test_a_period_of_a_table_lists_the_rounds_that_opened_in_it(platform: Platform, floor: Client) -> None:
    rounds = []
    for n in range(4):
        rounds.append(platform.play(PLAYER_WINS, (f"p{n}", "P-1", "player", 100)))
        platform.at += timedelta(minutes=2)
    first, last = (
        one.betting_opened_at.astimezone(ZoneInfo("Asia/Bangkok")).strftime("%Y-%m-%dT%H:%M")
        for one in (rounds[1], rounds[3])
    )
    about = f"table={platform.table.pk}&kind=void_range&from={first}&to={last}"
    page = floor.get(f"/admin/audit/ruling/ask/?{about}").content.decode()
    assert "Rounds it would touch" in page
    # The minute ends before the last one opened, seconds later.
    assert [round_.public_id in page for round_ in rounds] == [False, True, True, False]


def test_a_dealers_page_leads_to_what_the_dealer_dealt(platform: Platform, floor: Client) -> None:
    rounds = [platform.play(PLAYER_WINS, (f"d{n}", "P-1", "player", 100)) for n in range(2)]
    platform.say("dealer_in", dealer="D-08", name="Kanya Phrom")
    other = platform.play(PLAYER_WINS, ("d9", "P-1", "player", 100))
    page = floor.get(f"/admin/tables/dealer/{rounds[0].dealer_id}/change/").content.decode()
    (url,) = re.findall(r'href="([^"]*kind=void_range[^"]*)"', page)
    shown = floor.get(url.replace("&amp;", "&")).content.decode()
    assert [round_.public_id in shown for round_ in (*rounds, other)] == [True, True, False]


def test_a_revision_names_the_ruling_it_was_made_by_and_all_of_its_digest(
    played: Round, supervisor: User, manager: User, office: Client
) -> None:
    ruling = rule(supervisor, manager, RulingKind.VOID_ROUND, [played])
    first, second = played.settlements.order_by("revision")
    page = office.get(f"/admin/tables/settlement/{second.pk}/change/").content.decode()
    assert f'href="/admin/audit/ruling/{ruling.pk}/change/">{ruling.number}</a>' in page
    assert str(ruling.uuid) not in page
    assert bytes(second.lines_digest).hex() in page
    assert "the engine" in office.get(f"/admin/tables/settlement/{first.pk}/change/").content.decode()
