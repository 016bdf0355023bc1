"""The reports: figures worked out by hand on a small house, on the page, in CSV and in the workbook."""

import csv
import re
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from io import BytesIO, StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.admin.reports_files import csv_of, workbook_of
from audit.models import RulingKind
from audit.queries import reports
from audit.queries.reports import Span
from audit.report_sections import SECTIONS, Column, Line, Section, sections_of
from audit.services import complaint_verbs as verbs
from audit.services.incidents import report_incident
from casino.roles import ROLES
from tables.models import Round
from tables.services.actors import Actor
from tests.audit.admin.conftest import PLAYER_WINS, browser_of
from tests.audit.deciding import make_user, rule
from tests.audit.services.test_complaints import by, file, result_at, said_of
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

PAGE = "/admin/reports/"
DAY = {"from": "2026-11-29", "until": "2026-11-29"}  # NOON's, in Bangkok
SPAN = Span(NOON - timedelta(hours=12), NOON + timedelta(hours=12))
BANKER_WINS = "2H 9D QC KS"  # 2 to 9
TIE = "9H 9D QC KS"


@pytest.fixture
def house(platform: Platform, supervisor: User, manager: User) -> list[Round]:
    """Play four rounds of which one is made void, with two incidents.

    100.00 on the Player that wins 1 : 1, 300.00 on the Banker that loses; 100.00 on the Banker that wins
    0.95 : 1; a tie without a bet; 50.00 on the Player that loses, and goes back.
    """
    rounds = [
        platform.play(PLAYER_WINS, ("a1", "P-1", "player", 10_000), ("a2", "P-2", "banker", 30_000)),
        platform.play(BANKER_WINS, ("b1", "P-1", "banker", 10_000)),
        platform.play(TIE),
        platform.play(BANKER_WINS, ("d1", "P-2", "player", 5_000)),
    ]
    rule(supervisor, manager, RulingKind.VOID_ROUND, rounds[3:], at=platform.at + timedelta(minutes=1))
    for round_ in (rounds[0], None):
        report_incident(
            table=rounds[0].table,
            code="misdeal",
            facts={},
            actor=Actor.of_user(supervisor),
            at=NOON,
            round_=round_,
            user=supervisor,
        )
    return rounds


def test_outcomes_stand_against_the_exact_odds(house: list[Round]) -> None:
    lines = {line.outcome: line for line in reports.outcomes_of(SPAN)}
    assert {name: line.counted for name, line in lines.items()} == {"player": 1, "banker": 1, "tie": 1}
    assert {line.share for line in lines.values()} == {Fraction(1, 3)}
    published = {"player": 0.446247, "banker": 0.458597, "tie": 0.095156}
    assert {name: round(float(line.expected), 6) for name, line in lines.items()} == published
    assert sum(line.expected for line in lines.values()) == 1
    # (1 − 3p) / √(3p(1 − p)) by a pocket calculator.
    by_hand = {"player": -0.39, "banker": -0.44, "tie": 1.41}
    assert {name: round(line.deviations, 2) for name, line in lines.items()} == by_hand


def test_money_is_summed_by_the_newest_revision(house: list[Round]) -> None:
    (line,) = reports.money_of(SPAN)
    assert (line.table, line.currency, line.rounds, line.settled) == ("B01", "THB", 4, 4)
    # 200.00 + 195.00 + 50.00 of 550.00.
    assert (line.stakes_minor, line.returned_minor, line.kept_minor) == (55_000, 44_500, 10_500)
    assert line.hold == Fraction(21, 110)
    assert (line.voids, line.void_stakes_minor) == (1, 5_000)


def test_incidents_are_held_against_what_a_dealer_dealt(house: list[Round]) -> None:
    found = [
        (line.reference, line.rounds, line.incidents, line.per_thousand) for line in reports.dealers_of(SPAN)
    ]
    assert found == [("D-07", 4, 1, Fraction(250)), ("", 0, 1, None)]


def test_rulings_are_summed_up_by_kind(house: list[Round]) -> None:
    (line,) = reports.rulings_of(SPAN)
    assert (line.kind, line.currency, line.rulings, line.rounds) == ("void_round", "THB", 1, 1)
    assert (line.given_minor, line.taken_minor) == (5_000, 0)


def test_complaints_are_counted_where_they_stand(house: list[Round], manager: User) -> None:
    round_ = house[0]
    said, at = replace(said_of(round_), player="P-1"), result_at(round_)
    taken = [file(said, manager, at + timedelta(minutes=minute)).complaint for minute in range(3)]
    file(replace(said, played_at=None, round="1"), manager, at)
    for complaint, is_upheld in ((taken[0], True), (taken[1], False)):
        verbs.accept_complaint(**by(manager, complaint, at))
        verbs.review_complaint(**by(manager, complaint, at))
        verbs.decide_complaint(**by(manager, complaint, at, reason="so", is_upheld=is_upheld))
    late = at + timedelta(days=11)
    said_back = {"text": "So it is.", "language": "en", "template": ""}
    verbs.answer_complaint(**by(manager, taken[0], at + timedelta(days=9), **said_back))
    verbs.answer_complaint(**by(manager, taken[1], late, **said_back))
    found = reports.complaints_of(SPAN)
    assert (found.received, found.refused) == (4, {"incomplete": 1})
    assert (found.upheld, found.rejected, found.merged, found.open) == (1, 1, 0, 1)
    assert (found.answered, found.answered_late) == (2, 1)
    by_code = {line.code: line.values for line in SECTIONS["complaints"](SPAN).lines}
    assert by_code["answered_late"] == (1, Fraction(1, 2))


def test_a_table_and_days_narrow_every_report(house: list[Round]) -> None:
    other = make_table("B02", rulebook="commission")
    for span in (
        Span(SPAN.since, SPAN.until, other.pk),
        Span(SPAN.until, SPAN.until + timedelta(days=7)),
        Span(SPAN.since - timedelta(days=7), SPAN.since),
    ):
        assert [section.key for section in sections_of(span) if section.lines] == []
    own = Span(SPAN.since, SPAN.until, house[0].table_id)
    assert [(one.key, one.lines) for one in sections_of(own)] == [
        (one.key, one.lines) for one in sections_of(SPAN)
    ]


def test_a_currency_of_two_tables_has_a_line_for_both(house: list[Round]) -> None:
    other = Platform(make_table("B02", rulebook="commission"))
    other.start()
    other.play(PLAYER_WINS, ("e1", "P-1", "player", 10_000))
    found = [(line.table, line.kept_minor, line.hold) for line in reports.money_of(SPAN)]
    assert found == [
        ("B01", 10_500, Fraction(21, 110)),
        ("B02", -10_000, Fraction(-1)),
        ("", 500, Fraction(1, 130)),
    ]


def test_the_page_shows_figures_with_their_currency(house: list[Round], office: Client) -> None:
    page = office.get(PAGE, DAY).content.decode()
    assert page.count('<section class="bc-sheet" aria-labelledby') == len(SECTIONS)
    assert '105.00 <span class="bc-currency">THB</span>' in page
    assert "19.09 %" in page and "250.00" in page and "Mali Chantara · D-07" in page
    assert page.count('class="mark"') == 3


@pytest.mark.parametrize("language", ["en", "th"])
def test_where_nothing_was_played_each_report_says_what_would_fill_it(language: str, office: Client) -> None:
    office.cookies["django_language"] = language
    page = office.get(PAGE, {"from": "2020-01-01", "until": "2020-01-07"}).content.decode()
    assert page.count('class="bc-empty"') == len(SECTIONS)


@pytest.mark.parametrize("role", ROLES)
def test_managers_and_auditors_read_reports_and_nobody_else(role: str, platform: Platform) -> None:
    client = browser_of(make_user(f"a-{role}", *ROLES[role].permissions))
    allowed = role in ("manager", "auditor")
    for more in ({}, {"as": "xlsx"}, {"as": "csv", "section": "kept"}):
        assert client.get(PAGE, more).status_code == (200 if allowed else 403)
    assert (f'href="{PAGE}"' in client.get("/admin/").content.decode()) is allowed
    assert Client().get(PAGE).status_code == 302


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"from": "29/11/2026"}, "from"),
        ({"until": "\x00"}, "until"),
        ({"from": "2026-11-30", "until": "2026-11-29"}, "from"),
        ({"from": "2026-01-01", "until": "2026-04-03"}, "until"),  # 93 days
        ({"from": "0001-01-01"}, "from"),
        ({"table": "' OR 1=é"}, "table"),
        ({"as": "pdf"}, "as"),
        ({"as": "csv", "section": "bets"}, "section"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field(asked: dict[str, str], field: str, office: Client) -> None:
    answer = office.get(PAGE, asked)
    assert answer.status_code == 400
    assert set(answer.context["problems"]) == {field}
    assert str(answer.context["problems"][field]) in answer.content.decode()


def test_92_days_are_not_too_many_and_no_days_are_the_last_seven(office: Client) -> None:
    assert office.get(PAGE, {"from": "2026-01-01", "until": "2026-04-02"}).status_code == 200
    asked = office.get(PAGE).context["asked"]
    assert (asked.last - asked.first).days == 6
    assert asked.span.until - asked.span.since == timedelta(days=7)
    assert asked.span.until > datetime.now(asked.span.until.tzinfo) > asked.span.since


def test_a_report_is_handed_out_as_csv(house: list[Round], office: Client) -> None:
    rows = {key: read_csv(office.get(PAGE, {**DAY, "as": "csv", "section": key})) for key in SECTIONS}
    assert rows["kept"] == [
        ["table", "name", "rounds", "stakes_minor", "returned_minor", "kept_minor", "kept_share", "currency"],
        ["B01", "B01", "4", "55000", "44500", "10500", "0.190909", "THB"],
    ]
    assert rows["voids"][1] == ["B01", "B01", "4", "1", "0.250000", "5000", "THB"]
    assert rows["dealers"][1] == ["D-07", "Mali Chantara · D-07", "4", "1", "250.000000"]
    assert rows["outcomes"][3][:5] == ["tie", "Tie", "1", "0.333333", "0.095156"]
    assert rows["rulings"][1] == ["void_round", "Void the round", "1", "1", "5000", "0", "THB"]
    assert len(rows["complaints"]) == 1


def test_all_reports_are_handed_out_as_a_workbook(house: list[Round], office: Client) -> None:
    answer = office.get(PAGE, {**DAY, "as": "xlsx", "table": "B01"})
    assert answer["Content-Disposition"] == 'attachment; filename="reports-2026-11-29-2026-11-29-B01.xlsx"'
    sheets = read_workbook(answer.content)
    assert list(sheets) == [
        "Outcomes against the exact odds",
        "What the house kept",
        "Incidents by dealer",
        "Rulings carried out",
        "Rounds made void",
        "What became of complaints",
    ]
    kept = sheets["What the house kept"]
    assert kept[0] == ["What the house kept: 29 Nov 2026 to 29 Nov 2026, B01"]
    assert kept[2] == ["Table", "Rounds", "Stakes", "Returned", "Kept", "Kept of stakes"]
    assert kept[3][:5] == ["B01", "4", "550", "445", "105"]
    assert kept[3][6] == "THB"


def test_a_thai_workbook_can_be_written(house: list[Round], office: Client) -> None:
    office.cookies["django_language"] = "th"
    assert len(read_workbook(office.get(PAGE, {**DAY, "as": "xlsx"}).content)) == len(SECTIONS)


@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
def test_no_cell_becomes_a_formula(begin: str) -> None:
    name = f'{begin}HYPERLINK("http://x.example")'
    section = Section(
        "dealers", "Dealers", "", Column("dealer", "Dealer"), [Column("n", "N")],
        [Line(name, name, [-1])], "", "",
    )  # fmt: skip
    assert read_csv(csv_of(section, "x"))[1] == [f"'{name}", f"'{name}", "-1"]
    content = workbook_of([section], "", "x").content
    assert read_workbook(content)["Dealers"][3] == [name, "-1"]
    with zipfile.ZipFile(BytesIO(content)) as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_more_rounds_take_no_more_queries(
    platform: Platform, supervisor: User, manager: User, house: list[Round], office: Client
) -> None:
    office.get(PAGE, DAY)
    counts = []
    for more in (0, 8):
        for number in range(more):
            round_ = platform.play(PLAYER_WINS, (f"q{number}", f"P-{number}", "player", 10_000))
            rule(supervisor, manager, RulingKind.VOID_ROUND, [round_], at=platform.at + timedelta(minutes=1))
        with CaptureQueriesContext(connection) as asked:
            assert office.get(PAGE, DAY).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 16


def read_csv(answer: Any) -> list[list[str]]:
    return list(csv.reader(StringIO(answer.content.decode())))


def read_workbook(content: bytes) -> dict[str, list[list[str]]]:
    """Read the cells of each sheet as their texts, by the file format alone."""
    with zipfile.ZipFile(BytesIO(content)) as book:
        names = [sheet.attrib["name"] for sheet in _all(book.read("xl/workbook.xml"), "sheet")]
        shared = [
            "".join(part.text or "" for part in item.iter() if part.tag.endswith("}t"))
            for item in _all(book.read("xl/sharedStrings.xml"), "si")
        ]
        found = {}
        for number, name in enumerate(names, start=1):
            rows = _all(book.read(f"xl/worksheets/sheet{number}.xml"), "row")
            found[name] = [[_text(cell, shared) for cell in row if cell.tag.endswith("}c")] for row in rows]
        return found


def _all(xml: bytes, tag: str) -> list[ElementTree.Element]:
    return [one for one in ElementTree.fromstring(xml).iter() if re.sub(r"{.*}", "", one.tag) == tag]


def _text(cell: ElementTree.Element, shared: list[str]) -> str:
    value = next((part.text or "" for part in cell if part.tag.endswith("}v")), "")
    return shared[int(value)] if cell.attrib.get("t") == "s" else value
