"""The first page while it is looked at: it is quiet while nothing changes, and its numbers add up."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import RulingKind
from audit.services.incidents import report_incident
from casino import dashboard
from casino.roles import ROLES
from tables.models import GameTable, Round, TableStatus
from tables.queries.money_today import MoneyToday, money_of
from tables.queries.work import LastBead, WorkWaiting, last_beads, work_waiting
from tables.services.actors import Actor
from tables.services.settlement import settle_round
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import ask, make_user, rule
from tests.audit.services.test_complaints import DAY as DAY_LONG
from tests.audit.services.test_complaints import MOMENT, file, result_at, said_of
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db

LIVE = "/admin/live/"
DAY = date(2026, 11, 29)


@pytest.fixture
def _at_one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no minute begin between two polls."""
    now = datetime.now(UTC)

    class Still(datetime):
        @classmethod
        def now(cls, tz=None):
            return now

    monkeypatch.setattr(dashboard, "datetime", Still)


def hold_a_round(platform: Platform) -> Round:
    """Play a round of which the table claims another result than its cards give."""
    name = platform.open_round()
    platform.bet(name, ("h1", "P-1", "player", 250), ("h2", "P-2", "banker", 190))
    platform.say("betting_closed", round=name)
    for place, card in zip(("P1", "B1", "P2", "B2"), ("9S", "KC", "JD", "6C"), strict=True):
        platform.say("card", round=name, place=place, card=card)
    platform.say("round_result", round=name, outcome="banker", player_total=9, banker_total=6)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    return round_


@pytest.mark.usefixtures("_at_one_minute")
def test_a_poll_sends_nothing_while_nothing_changed(played: Round, supervisor: User, office: Client) -> None:
    first = office.get("/admin/").content.decode()
    assert 'hx-get="/admin/live/"' in first
    fresh = office.get(LIVE)
    assert fresh.status_code == 200
    page = fresh.content.decode()
    assert page.count('id="live"') == 1
    assert 'id="live-head" hx-swap-oob="true"' in page
    assert "<html" not in page
    (again,) = re.findall(r'hx-get="(/admin/live/\?seen=[0-9a-f]{16})"', page)
    for _ in range(2):
        quiet = office.get(again)
        assert (quiet.status_code, quiet.content) == (204, b"")

    actor = Actor.of_user(supervisor)
    report_incident(
        table=played.table,
        code="misdeal",
        facts={},
        actor=actor,
        at=datetime.now(UTC),
        round_=played,
        user=supervisor,
    )
    changed = office.get(again)
    assert changed.status_code == 200
    assert played.public_id in changed.content.decode()


def test_who_is_signed_out_is_sent_to_sign_in_by_the_whole_page(db: None) -> None:
    answer = Client().get(LIVE)
    assert (answer.status_code, answer.headers["HX-Refresh"], answer.content) == (204, "true", b"")


def test_a_poll_asks_as_often_for_many_rounds_as_for_one(platform: Platform, office: Client) -> None:
    counts = []
    for more in (1, 12):
        for number in range(more):
            platform.play("9H 2D KC QS", (f"q{more}-{number}", "P-1", "player", 100))
        office.get(LIVE)
        with CaptureQueriesContext(connection) as asked:
            assert office.get(LIVE).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 25


def test_an_incident_is_reported_from_the_line_of_its_table(
    platform: Platform, supervisor: User, office: Client
) -> None:
    report, table = "/admin/audit/incident/report/", platform.table
    desk = browser_of(supervisor)
    assert f'href="{report}?table={table.pk}"' in desk.get(LIVE).content.decode()
    round_ = platform.round(platform.open_round())
    line = f'href="{report}?round={round_.pk}"'
    assert line in desk.get(LIVE).content.decode()
    assert desk.get(f"{report}?round={round_.pk}").status_code == 200
    # Not to who may not report, nor at a table that is closed.
    watcher = browser_of(make_user("watcher", "tables.view_gametable", "tables.view_round"))
    shown = watcher.get(LIVE).content.decode()
    assert table.code in shown
    assert report not in shown
    GameTable.objects.filter(pk=table.pk).update(status=TableStatus.CLOSED)
    shown = desk.get(LIVE).content.decode()
    assert table.code in shown
    assert report not in shown


def test_the_money_of_the_day_by_newest_revision(
    platform: Platform, played: Round, supervisor: User, manager: User
) -> None:
    days = {platform.table.pk: DAY}
    # Player wins: 100.00 at one to one returns 200.00; 300.00 on Banker is lost.
    assert money_of(days) == [MoneyToday("THB", 40_000, 20_000, 20_000, 0, 0)]
    hold_a_round(platform)
    assert money_of(days) == [MoneyToday("THB", 40_000, 20_000, 20_000, 0, 440)]
    rule(supervisor, manager, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    # Both stakes come back: 400.00, of which 200.00 were there already.
    assert money_of(days) == [MoneyToday("THB", 40_000, 40_000, 0, 20_000, 440)]
    assert money_of({platform.table.pk: date(2026, 11, 28)}) == []
    assert money_of({}) == []


def test_every_sum_leads_to_its_list(
    platform: Platform, played: Round, supervisor: User, manager: User, office: Client
) -> None:
    held = hold_a_round(platform)
    rule(supervisor, manager, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    listed = "/admin/tables/settlement/?gaming_date=2026-11-29"
    assert office.get(listed).content.decode().count(f"{played.public_id}</a>") == 2
    assert office.get(f"{listed}&by=ruling").content.decode().count(f"{played.public_id}</a>") == 1
    assert (
        played.public_id
        not in office.get("/admin/tables/settlement/?gaming_date=2026-11-28").content.decode()
    )
    findings = office.get("/admin/tables/finding/?held=open").content.decode()
    assert held.public_id in findings
    assert "The table&#x27;s result differs from ours" in findings
    assert held.public_id not in office.get("/admin/tables/finding/?held=noted").content.decode()


def test_the_stakes_held_lead_to_the_rounds_whoever_held_them(
    platform: Platform,
    played: Round,
    supervisor: User,
    office: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = hold_a_round(platform)
    name = platform.open_round()
    platform.bet(name, ("h3", "P-1", "player", 17_700))
    platform.say("betting_closed", round=name)
    reported = platform.round(name)
    for round_ in (reported, played):
        report_incident(
            table=round_.table,
            code="card_dropped_unseen",
            facts={},
            actor=Actor.of_user(supervisor),
            at=datetime.now(UTC),
            round_=round_,
            user=supervisor,
        )
    assert not reported.findings.exists()
    (sums,) = money_of({platform.table.pk: DAY})
    assert sums.held_minor == 17_700 + 440

    class ThatDay(datetime):
        @classmethod
        def now(cls, tz=None):
            return platform.at

    monkeypatch.setattr(dashboard, "datetime", ThatDay)
    page = office.get("/admin/").content.decode()
    (url,) = re.findall(r'href="([^"]+)">181\.40<', page)
    held = office.get(url.replace("&amp;", "&")).content.decode()
    listed = re.findall(r'<th scope="row"><a[^>]*>([^<]+)</a>', held)
    assert sorted(listed) == sorted([found.public_id, reported.public_id])
    # A round held after it was settled is disputed: its stakes are not among those held.
    disputed = office.get("/admin/tables/round/?hold=disputed").content.decode()
    assert re.findall(r'<th scope="row"><a[^>]*>([^<]+)</a>', disputed) == [played.public_id]
    assert (
        reported.public_id
        not in office.get("/admin/tables/round/?gaming_date=2026-11-28&hold=held").content.decode()
    )


def test_what_the_menu_counts_is_what_its_number_leads_to(
    platform: Platform, played: Round, supervisor: User, manager: User, office: Client
) -> None:
    agent = make_user("pim", *ROLES["support"].permissions)
    in_time = result_at(played) + timedelta(minutes=5)
    due = file(said_of(played), agent, in_time).complaint
    assert file(said_of(played), agent, result_at(played) + DAY_LONG + MOMENT).complaint.status == "refused"
    rule(supervisor, manager, RulingKind.VOID_ROUND, [platform.play("9H 2D KC QS")], at=datetime.now(UTC))
    asked = ask(supervisor, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    page = office.get("/admin/").content.decode()
    counts = re.findall(r'<a class="bc-nav-count" href="([^"]+)" aria-label="([^"]+)">(\d+)</a>', page)
    assert [(words, number) for _url, words, number in counts] == [
        ("Complaints, waiting: 1", "1"),
        ("Rulings, waiting: 1", "1"),
    ]
    for (url, _words, _number), wanted in zip(counts, (due.number, asked.number), strict=True):
        listed = office.get(url.replace("&amp;", "&")).content.decode()
        assert re.findall(r'<th scope="row"><a[^>]*>([^<]+)</a>', listed) == [wanted]


def test_a_poll_brings_the_counts_of_the_menu(played: Round, supervisor: User, office: Client) -> None:
    before = office.get(LIVE).content.decode()
    assert '<span id="nav-count-rulings" hx-swap-oob="true"></span>' in before
    ask(supervisor, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    (count,) = re.findall(
        r'<span id="nav-count-rulings" hx-swap-oob="true">(.*?)</span>', office.get(LIVE).content.decode()
    )
    assert ">1</a>" in count


@pytest.mark.parametrize("role", ["supervisor", "support", "administrator", "manager", "auditor"])
def test_everybody_sees_how_far_the_journal_is_sealed(role: str, played: Round) -> None:
    page = browser_of(make_user(f"a-{role}", *ROLES[role].permissions)).get("/admin/").content.decode()
    (seal,) = re.findall(r'<(?:a|p)[^>]*class="bc-seal.*?</(?:a|p)>', page, re.DOTALL)
    assert "Nothing is sealed yet" in seal
    may_open = "audit.view_checkpoint" in ROLES[role].permissions
    assert ("/admin/audit/checkpoint/" in seal) is may_open


def test_the_first_page_says_how_many_complaints_wait_in_all(played: Round, office: Client) -> None:
    agent = make_user("pim", *ROLES["support"].permissions)
    for _ in range(9):
        file(said_of(played), agent, result_at(played) + timedelta(minutes=5))
    page = office.get("/admin/").content.decode()
    sheet = page.split('id="complaints-heading"')[1].split("</section>")[0]
    assert "the first 8 of 9" in sheet
    assert 'href="/admin/audit/complaint/?answer=waits"' in sheet


def test_the_last_rounds_of_a_shoe_and_the_work_that_waits(platform: Platform) -> None:
    for cards in ("9H 2D KC QS", "2D 9H QS KC", "9H 9D KC QS", *("9H 2D KC QS",) * 7):
        round_ = platform.play(cards, (f"w{platform.seq}", "P-1", "tie", 100))
    beads = last_beads([round_.shoe_id])[round_.shoe_id]
    assert beads[0] == LastBead(3, "tie", is_void=False)
    assert [bead.number for bead in beads] == [3, 4, 5, 6, 7, 8, 9, 10]
    assert work_waiting() == WorkWaiting(rounds_to_settle=0, messages_on_the_way=1)  # of the tie, 8 to 1
    hold_a_round(platform)
    assert work_waiting().rounds_to_settle == 0  # it waits for a person, not for the worker
