"""The timeline of a thing: sentences with before and after, for who sees the thing and the journal."""

import html
import re
from datetime import timedelta
from enum import StrEnum
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import (
    ChangeKind,
    ComplaintChannel,
    ComplaintStatus,
    IncidentStatus,
    RulingStatus,
    VideoHoldStatus,
)
from audit.rules.complaints import Said
from audit.services.complaint_verbs import accept_complaint, note_complaint
from audit.services.complaint_watch import escalate_complaints
from audit.services.complaints import add_information, file_complaint
from audit.services.setup_changes import request_change
from casino.roles import ROLES
from casino.runtime.places import ROOT
from tables.journal_words import say_action, say_value
from tables.models import GameTable, JournalEntry, Round, TableStatus
from tables.services.actors import SYSTEM, Actor
from tables.services.setup import change_table_limits
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.playing import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def auditor(db: Any) -> Client:
    return browser_of(make_user("orn", *ROLES["auditor"].permissions))


def url_of(kind: str, pk: int) -> str:
    return reverse("admin:tables_journalentry_of", args=[kind, pk])


def lines(client: Client, url: str) -> list[str]:
    """Return each entry of a timeline as one line of text."""
    page = client.get(url).content.decode()
    items = re.findall(r"<li>\s*<div class=\"bc-row\">.*?</li>", page, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", item)).split()) for item in items]


def test_a_table_says_what_was_changed_and_what_it_was_before(played: Round, auditor: Client) -> None:
    table = GameTable.objects.get()
    boss = make_user("rung", *ROLES["administrator"].permissions)
    at = NOON + timedelta(hours=2)
    for limits in ((5_000, 200_000), (5_000, 300_000)):
        change_table_limits(table=table, limits=limits, actor=Actor.of_user(boss), at=at)
    newest = lines(auditor, url_of("gametable", table.pk))[0]
    entry = JournalEntry.objects.latest("pk").pk
    assert newest == (
        f"The limits were changed rung 29 Nov 2026 14:00:00 · entry {entry:,} Highest stake 200,000 300,000"
    )
    page = auditor.get(reverse("admin:tables_gametable_change", args=[table.pk])).content.decode()
    assert url_of("gametable", table.pk) in page


def test_a_complaint_tells_its_states_and_the_texts_that_are_kept(played: Round, auditor: Client) -> None:
    said = Said(
        played_at=played.betting_opened_at,
        table=played.table.code,
        dealer="Mali Chantara",
        round=played.public_id,
        disputed="the third card",
    )
    who = {"channel": ComplaintChannel.CHAT, "language": "th", "actor": SYSTEM, "user": None, "at": NOON}
    complaint = file_complaint(said=said, **who).complaint
    agent = make_user("pim", *ROLES["support"].permissions)
    by = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    accept_complaint(complaint_id=complaint.pk, seen_version=1, **by)
    note_complaint(complaint_id=complaint.pk, seen_version=None, text="asked", **by)
    told = lines(auditor, url_of("complaint", complaint.pk))
    assert [line.split(" 29 Nov")[0] for line in told] == ["Note pim", "Accepted pim", "Received bluecard"]
    assert told[1].endswith("State Received Accepted")
    browser = browser_of(agent)
    assert browser.get(url_of("complaint", complaint.pk)).status_code == 403  # sees no journal
    auditor.cookies["django_language"] = "th"
    assert lines(auditor, url_of("round", played.pk))[-1].startswith("คิดผลรอบแล้ว")


def test_what_a_player_says_otherwise_later_is_told_in_words_with_what_it_was(
    played: Round, auditor: Client
) -> None:
    said = Said(
        played_at=played.betting_opened_at,
        table="B01",
        dealer="Somebody",
        round=str(played.number),
        disputed="x",
    )
    who: dict[str, Any] = {"actor": SYSTEM, "user": None, "at": NOON}
    complaint = file_complaint(said=said, channel=ComplaintChannel.CHAT, language="th", **who).complaint
    add_information(complaint_id=complaint.pk, seen_version=1, said=Said(dealer="Mali Chantara"), **who)
    escalate_complaints(now=complaint.answer_due_at)
    told = lines(auditor, url_of("complaint", complaint.pk))
    assert told[1].split(" · ")[1].split(" ", 2)[2] == "Dealer Differs Agrees"
    assert told[0].startswith("Escalated: the answer is due bluecard") and "none" not in told[0]
    auditor.cookies["django_language"] = "th"
    assert lines(auditor, url_of("complaint", complaint.pk))[1].endswith("ดีลเลอร์ ไม่ตรง ตรงกัน")


def test_a_long_history_is_read_in_pages_and_asks_no_more_for_more(
    played: Round, auditor: Client, django_assert_max_num_queries: Any
) -> None:
    table = GameTable.objects.get()
    for number in range(1, 131):
        at = NOON + timedelta(hours=2, minutes=number)
        change_table_limits(table=table, limits=(5_000, 200_000 + 100 * number), actor=SYSTEM, at=at)
    with django_assert_max_num_queries(12):
        newest = auditor.get(url_of("gametable", table.pk)).content.decode()
    (older,) = re.findall(r'href="([^"]*\?before=\d+)"', newest)
    shown, rest = lines(auditor, url_of("gametable", table.pk)), lines(auditor, older)
    assert (len(shown), shown[0][-15:]) == (100, "212,900 213,000")
    # The change before the oldest of a page is read too: what was before stands on either side of the edge.
    assert (shown[-1][-15:], rest[0][-15:]) == ("203,000 203,100", "202,900 203,000")
    assert len(rest) == JournalEntry.objects.filter(subject_type="gametable").count() - 100
    last = auditor.get(older).content.decode()
    assert "Older than these" in newest and "Older than these" not in last
    assert f'href="{url_of("gametable", table.pk)}">Newest<' in last


def test_a_thing_that_no_entry_speaks_of_has_a_page_that_says_so(played: Round, auditor: Client) -> None:
    assert not JournalEntry.objects.filter(subject_type="shoe").exists()
    record = auditor.get(f"/admin/tables/shoe/{played.shoe_id}/change/").content.decode()
    assert f'href="{url_of("shoe", played.shoe_id)}"' in record
    page = auditor.get(url_of("shoe", played.shoe_id))
    assert page.status_code == 200
    assert "The journal says nothing of it." in page.content.decode()
    assert played.shoe.public_id in page.content.decode()


def test_a_thing_that_has_a_number_only_is_called_by_what_it_is_in_the_readers_language(
    played: Round, auditor: Client
) -> None:
    boss = make_user("rung", *ROLES["administrator"].permissions)
    change = request_change(
        kind=ChangeKind.THRESHOLDS,
        payload={"table": played.table_id, "second_person_minor": 1, "sign_in_again_minor": 2},
        reason="lower",
        user=boss,
        actor=Actor.of_user(boss),
        at=NOON,
    )
    auditor.cookies["django_language"] = "th"
    page = auditor.get(url_of("setupchange", change.pk)).content.decode()
    assert "การเปลี่ยนการตั้งค่า" in page and "thresholds" not in page


#: Kinds of thing whose entries tell their state, and every state it can have.
STATES: dict[str, type[StrEnum]] = {
    "complaint": ComplaintStatus,
    "gametable": TableStatus,
    "incident": IncidentStatus,
    "ruling": RulingStatus,
    "videohold": VideoHoldStatus,
}


@pytest.mark.parametrize("kind", STATES)
def test_every_state_that_an_entry_tells_has_its_word(kind: str) -> None:
    assert {each for each in STATES[kind] if say_value(kind, "status", each.value) == each.value} == set()


def test_who_sees_the_thing_but_not_the_journal_is_refused(played: Round, auditor: Client) -> None:
    assert (
        browser_of(make_user("clerk", "tables.view_round")).get(url_of("round", played.pk)).status_code == 403
    )
    blind = browser_of(make_user("reader", "tables.view_journalentry"))
    assert blind.get(url_of("round", played.pk)).status_code == 403
    for kind, pk in (("round", 999_999), ("nothing", 1), ("session", 1), ("round", 2**64)):
        assert auditor.get(url_of(kind, pk)).status_code == 404


#: An action as services write it: a thing and what happened to it.
ACTION = re.compile(
    r'"((?:account|api_key|attachment|card|complaint|consent|coup|decision|evidence|feed|incident|person|players?|round'
    r'|rulebook|ruling|setup|shoe|table|table_webhook|video|wallet)\.[a-z_]+)"'
)


def test_every_action_that_a_service_writes_has_its_sentence() -> None:
    sources = [path for app in ("tables", "audit") for path in (ROOT / app / "services").glob("*.py")]
    actions = {action for path in sources for action in ACTION.findall(path.read_text())}
    assert len(actions) > 50
    assert sorted(action for action in actions if say_action(action) == action) == []
    assert say_action("table.opened") == "The table was opened"
    assert say_action("complaint.upheld") == "Upheld"
    assert say_action("ruling.stale") == "Overtaken by a change"
    assert say_action("some.thing") == "some.thing"  # better the code than nothing
