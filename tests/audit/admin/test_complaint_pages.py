"""Pages of complaints: by time left, what a role may press, what stays typed, and who looked."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import Attachment, Complaint, ComplaintChannel, VideoHold
from audit.rules.complaints import Said
from audit.services.complaint_watch import escalate_complaints
from audit.services.complaints import file_complaint
from audit.templatetags.complaints import say_left
from casino.roles import ROLES
from tables.models import Bet, JournalEntry, Player, Round
from tables.services.actors import SYSTEM
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.playing import Platform, make_table, publish_all

pytestmark = pytest.mark.django_db
LIST, NEW = "/admin/audit/complaint/", "/admin/audit/complaint/new/"


@pytest.fixture
def platform(db: Any) -> Platform:
    """Provide a table that plays now: pages compare with the clock on the wall."""
    publish_all()
    platform = Platform(make_table(rulebook="commission"), at=datetime.now(UTC) - timedelta(minutes=10))
    platform.start(burn=2)
    return platform


@pytest.fixture
def agent(platform: Platform) -> User:
    return make_user("pim", *ROLES["support"].permissions)


@pytest.fixture
def desk(agent: User) -> Client:
    return browser_of(agent)


def filed(round_: Round, *, at: datetime | None = None, **changes: Any) -> Complaint:
    said = Said(
        **{
            "played_at": round_.betting_opened_at,
            "table": "B01",
            "dealer": "Mali Chantara",
            "round": round_.public_id,
            "player": "P-10001",
            "disputed": "Banker stood on five",
            **changes,
        }
    )
    at = at or datetime.now(UTC)
    channel = ComplaintChannel.CHAT
    return file_complaint(said=said, channel=channel, language="th", actor=SYSTEM, user=None, at=at).complaint


def page_of(complaint: Complaint, client: Client) -> str:
    return client.get(f"/admin/audit/complaint/{complaint.pk}/change/").content.decode()


def press(client: Client, complaint: Complaint, verb: str, **typed: Any) -> tuple[int, str]:
    complaint.refresh_from_db()
    data = {"seen_version": complaint.version, **typed}
    answer = client.post(f"/admin/audit/complaint/{complaint.pk}/{verb}/", data)
    return answer.status_code, answer.content.decode()


def typed(round_: Round, **changes: Any) -> dict[str, Any]:
    """Type what a form holds; the time is written in the table's zone."""
    local = (round_.betting_opened_at + timedelta(hours=7)).strftime("%Y-%m-%dT%H:%M")
    return {
        "q": round_.public_id,
        "player": "P-10001",
        "played_at": local,
        "dealer": "Mali Chantara",
        "disputed": "wrong card",
        "contact": "chat 1",
        "channel": "chat",
        "language": "th",
        "key": "0123456789abcdef",
        "do": "record",
        **changes,
    }


def test_the_round_page_leads_to_the_form_with_the_round_beside_it(played: Round, desk: Client) -> None:
    page = desk.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    assert f'href="{NEW}?round={played.pk}"' in page
    assert "Video, camera B01" in page
    form = desk.get(f"{NEW}?round={played.pk}").content.decode()
    assert "Round found" in form and "The round as dealt" in form
    assert "23 h" in form and "24 hours from the result" in form
    assert 'value="B01" selected' in form
    # What the rule asks the player for is not given away.
    assert 'name="dealer" value=""' in form


def test_the_form_compares_then_records_once(played: Round, desk: Client, agent: User) -> None:
    look = desk.post(NEW, typed(played, dealer="Lin Wei", do="look")).content.decode()
    assert "4 of 5 agree" in look and "Player confirms Mali Chantara" in look
    confirmed = desk.post(NEW, typed(played, dealer="Lin Wei", do="", confirm="dealer")).content.decode()
    assert "5 of 5 agree" in confirmed and not Complaint.objects.exists()
    first = desk.post(NEW, typed(played))
    second = desk.post(NEW, typed(played))
    complaint = Complaint.objects.get()
    assert first["Location"] == second["Location"] == f"/admin/audit/complaint/{complaint.pk}/change/"
    assert (complaint.status, complaint.filed_by, complaint.round) == ("received", agent, played)
    assert VideoHold.objects.get().causes.get().complaint == complaint


def test_what_cannot_be_read_is_told_and_everything_typed_stays(played: Round, desk: Client) -> None:
    answer = desk.post(NEW, typed(played, played_at="yesterday"))
    page = answer.content.decode()
    assert answer.status_code == 400 and "year-month-day" in page
    assert "wrong card" in page and not Complaint.objects.exists()


def test_a_time_is_told_in_the_players_own_zone(played: Round, desk: Client) -> None:
    london = played.betting_opened_at.astimezone(ZoneInfo("Europe/London")).strftime("%Y-%m-%dT%H:%M")
    told = typed(played, played_at=london, zone="Europe/London")
    assert "5 of 5 agree" in desk.post(NEW, {**told, "do": "look"}).content.decode()
    assert "4 of 5 agree" in desk.post(NEW, {**told, "zone": "", "do": "look"}).content.decode()
    unknown = desk.post(NEW, {**told, "zone": "Europe/Atlantis"})
    page = unknown.content.decode()
    assert unknown.status_code == 400 and "The time zone is not understood." in page
    assert 'value="Europe/Atlantis"' in page and "wrong card" in page
    desk.post(NEW, told)
    complaint = Complaint.objects.get()
    assert (complaint.checks["played_at"], complaint.events.get().words.zone) == ("agrees", "Europe/London")


def test_a_slip_and_a_bet_in_the_box_find_the_round(played: Round, desk: Client) -> None:
    slip = played.public_id[:-1] + ("A" if played.public_id[-1] != "A" else "C")
    page = desk.post(NEW, {"q": slip, "do": "look"}).content.decode()
    assert "Mistyped" in page and f'name="meant" value="{played.public_id}"' in page
    # The suggestion is a button of the form: taking it keeps what was typed before.
    page = desk.post(NEW, typed(played, q=slip, do="", meant=played.public_id)).content.decode()
    assert "Round found" in page and "wrong card" in page and not Complaint.objects.exists()
    page = desk.post(NEW, {"q": "b1", "do": "look"}).content.decode()
    assert "Round found" in page and 'name="bet" value="b1"' in page


def test_another_round_in_the_box_takes_out_what_the_first_filled_in(
    played: Round, platform: Platform, desk: Client
) -> None:
    other = platform.play("9H 2D KC QS", ("b9", "P-10009", "player", 10_000))
    page = desk.post(NEW, {"q": "b1", "do": "look"}).content.decode()
    assert 'name="round" value="1"' in page and 'name="bet" value="b1"' in page
    filled = dict(re.findall(r'name="(filled_\w+|round|bet)" value="([^"]*)"', page))
    again = desk.post(NEW, {**filled, "table": "B01", "q": other.public_id, "do": "look"}).content.decode()
    assert 'name="round" value="2"' in again and 'name="bet" value=""' in again
    # What the player said stays, whichever round is looked at.
    said = {**filled, "table": "B01", "round": "17", "bet": "b1", "q": other.public_id, "do": "look"}
    assert 'name="round" value="17"' in desk.post(NEW, said).content.decode()


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(days=10), "10 days left"),
        (timedelta(days=10) - timedelta(seconds=2), "10 days left"),
        (timedelta(days=9, hours=23, minutes=59), "9 days 23 h left"),
        (timedelta(days=2), "2 days left"),
        (timedelta(days=2) - timedelta(seconds=1), "47 h 59 min left"),
        (timedelta(minutes=59, seconds=59), "59 min left"),
        (timedelta(seconds=-1), "Over"),
    ],
)
def test_the_time_left_is_said_to_the_hour(left: timedelta, words: str) -> None:
    assert say_left(left) == words


def test_without_a_detail_it_is_recorded_and_the_rule_refuses_it(played: Round, desk: Client) -> None:
    answer = desk.post(NEW, typed(played, dealer=""), follow=True)
    assert "refused by the rule: A required detail is missing" in answer.content.decode()
    assert Complaint.objects.get().refusal == "incomplete"


def test_the_list_stands_by_time_left_and_those_that_are_over_come_last(
    platform: Platform, played: Round, desk: Client
) -> None:
    now = datetime.now(UTC)
    over = filed(played, dealer="")
    later = filed(played, at=now)
    sooner = filed(played, at=now - timedelta(minutes=5), player="P-10002")
    page = desk.get(LIST).content.decode()
    shown = re.findall(r"C-\d{4,}(?=</a>)", page)
    assert shown == [sooner.number, later.number, over.number]
    assert "10 days left" in page and "9 days 23 h left" in page
    narrowed = desk.get(f"{LIST}?player={sooner.player_id}").content.decode()
    assert re.findall(r"C-\d{4,}(?=</a>)", narrowed) == [sooner.number]
    assert len(re.findall(r"C-\d{4,}(?=</a>)", desk.get(f"{LIST}?round={played.pk}").content.decode())) == 3


def test_time_left_is_told_in_the_tables_zone_and_in_utc(
    platform: Platform, played: Round, desk: Client
) -> None:
    complaint = filed(played)
    utc = complaint.answer_due_at
    local = utc + timedelta(hours=7)  # Bangkok's clocks are never changed
    told = [(f"{at:%H:%M}", f"{at:%S}", f"{at.day} {at:%b %Y}") for at in (local, utc)]
    (here, here_seconds, day), (there, there_seconds, other_day) = told
    for path in (LIST, "/admin/"):
        page = desk.get(path).content.decode()
        other = f"{there} UTC" if other_day == day else f"{there} UTC, {other_day}"
        assert f">{here} Bangkok, {day} · {other}</span>" in page, path
    clock = page_of(complaint, desk).split('<dl class="bc-deadline-zones">')[1].split("</dl>")[0]
    words = " ".join(re.sub(r"<[^>]*>", " ", clock).split())
    wanted = f"Asia/Bangkok {here}:{here_seconds} , {day} UTC {there}:{there_seconds} , {other_day}"
    assert words == wanted


def test_one_whose_answer_is_nearly_due_is_shown_as_escalated(played: Round, desk: Client) -> None:
    now = datetime.now(UTC)
    complaint = filed(played, at=now)
    pages = (LIST, "/admin/", f"/admin/audit/complaint/{complaint.pk}/change/")
    assert not any("Escalated</span>" in desk.get(path).content.decode() for path in pages)
    assert escalate_complaints(now=complaint.answer_due_at - timedelta(hours=1)) == 1
    assert all("Escalated</span>" in desk.get(path).content.decode() for path in pages)


def test_a_list_asks_as_much_for_many_as_for_one(platform: Platform, played: Round, desk: Client) -> None:
    filed(played)
    desk.get(LIST)
    counts = []
    for more in (0, 19):
        for _ in range(more):
            filed(played)
        with CaptureQueriesContext(connection) as asked:
            desk.get(LIST)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_each_role_sees_its_own_buttons(played: Round, desk: Client) -> None:
    complaint = filed(played)
    manager = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    auditor = browser_of(make_user("orn", *ROLES["auditor"].permissions))
    assert "/accept/" in page_of(complaint, desk)
    assert "<button" not in page_of(complaint, auditor).split("bc-columns")[-1].split("</main>")[0]
    press(desk, complaint, "accept")
    press(desk, complaint, "review")
    assert "/uphold/" not in page_of(complaint, desk) and "/uphold/" in page_of(complaint, manager)
    assert press(desk, complaint, "uphold", reason="x")[0] == 403
    assert press(auditor, complaint, "note", text="x")[0] == 403
    answer = manager.post(
        f"/admin/audit/complaint/{complaint.pk}/uphold/", {"seen_version": 3, "reason": "camera 3"}
    )
    assert answer["Location"] == f"/admin/audit/ruling/ask/?round={played.pk}&complaint={complaint.pk}"
    asked = manager.get(answer["Location"] + "&kind=void_round").content.decode()
    assert complaint.number in asked and f'name="complaint" value="{complaint.pk}"' in asked


def test_whoever_is_second_sees_who_was_first_and_keeps_the_text(played: Round, desk: Client) -> None:
    complaint = filed(played)
    manager = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    manager.post(f"/admin/audit/complaint/{complaint.pk}/accept/", {"seen_version": 1})
    answer = desk.post(
        f"/admin/audit/complaint/{complaint.pk}/refuse/", {"seen_version": 1, "reason": "a long reason"}
    )
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody was quicker." in page and "was changed by nattaya" in page
    complaint.refresh_from_db()
    assert complaint.status == "accepted"
    # Accepted meanwhile, it has no field for this reason any more; the text is shown all the same.
    assert "What you had typed" in page and "a long reason</blockquote>" in page
    # Reloaded, or asked for another text to begin with, the address of the refusal leads to the page itself.
    again = desk.get(f"/admin/audit/complaint/{complaint.pk}/refuse/?template=late")
    assert (again.status_code, again["Location"]) == (
        302,
        f"/admin/audit/complaint/{complaint.pk}/change/?template=late",
    )


def test_an_answer_before_the_ruling_is_warned_of_and_closes_nothing_unasked(
    played: Round, desk: Client
) -> None:
    complaint = filed(played)
    manager = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    press(desk, complaint, "accept")
    assert "No ruling about it has been carried out yet" not in page_of(complaint, desk)
    press(desk, complaint, "review")
    press(manager, complaint, "uphold", reason="camera 3")
    page = page_of(complaint, desk)
    assert "No ruling about it has been carried out yet" in page
    assert 'name="closes" value="yes">' in page


def test_a_refused_note_stays_a_note(played: Round, desk: Client) -> None:
    complaint = filed(played)
    press(desk, complaint, "accept")
    long = "x" * 20001
    status, page = press(desk, complaint, "note", text=long)
    assert status == 400
    note = page.split('id="note-text"')[1].split("</textarea>")[0]
    answer = page.split('id="answer-text"')[1].split("</textarea>")[0]
    assert long in note and long not in answer


def test_an_answer_begins_in_the_players_language_and_is_kept_as_sent(played: Round, desk: Client) -> None:
    complaint = filed(played)
    press(desk, complaint, "accept")
    page = page_of(complaint, desk)
    assert f"เราได้รับคำร้องเรียนของคุณเกี่ยวกับรอบ {played.public_id}" in page
    english = desk.get(f"/admin/audit/complaint/{complaint.pk}/change/?language=en").content.decode()
    assert f"we have received your complaint about round {played.public_id}" in english
    complaint.refresh_from_db()
    due = complaint.answer_due_at.astimezone(ZoneInfo("Asia/Bangkok"))
    assert f"{due.year + 543} {due:%H:%M}\n" in page  # the year of the letter's calendar
    assert f"{due:%b} {due.year} {due:%H:%M}." in english
    press(desk, complaint, "answer", text="เรียน ผู้เล่น แก้ไขแล้ว", language="th", template="accepted")
    event = complaint.events.get(action="answered")
    assert (event.text.text, event.data["language"]) == ("เรียน ผู้เล่น แก้ไขแล้ว", "th")
    assert "แก้ไขแล้ว" in page_of(complaint, desk)


def test_every_look_at_a_players_data_is_written_down(played: Round, desk: Client) -> None:
    complaint = filed(played)
    player = Player.objects.get(identity__reference="P-10001")
    bet = Bet.objects.get(platform_bet_id="b1")
    looks = {
        f"/admin/audit/complaint/{complaint.pk}/change/": ("complaint", complaint.number),
        f"/admin/tables/player/{player.pk}/change/": ("player", f"player {player.pk}"),
        f"/admin/tables/bet/{bet.pk}/change/": ("bet", "b1"),
        "/admin/lookup/?q=P-10001": ("lookup", "lookup"),
    }
    for path, (way, reason) in looks.items():
        before = JournalEntry.objects.count()
        desk.get(path)
        entry = JournalEntry.objects.get(action="player.seen", subject_id=player.pk, **newest(before))
        body = bytes(entry.body).decode()
        assert f'"player":{player.pk}' in body and f'"for":"{reason}"' in body and f'"way":"{way}"' in body
    desk.get(f"/admin/tables/round/{played.pk}/change/")
    assert JournalEntry.objects.filter(action="players.seen", subject_id=played.pk).count() == 1


def newest(before: int) -> dict[str, Any]:
    """Narrow to what was written after so many entries."""
    keys = list(JournalEntry.objects.order_by("pk").values_list("pk", flat=True))
    return {"pk__in": keys[before:]}


def test_a_number_in_the_box_leads_to_its_page(played: Round, desk: Client) -> None:
    complaint = filed(played)
    answer = desk.get("/admin/lookup/", {"q": complaint.number.lower()})
    assert answer["Location"] == f"/admin/audit/complaint/{complaint.pk}/change/"


def test_the_dashboard_shows_what_waits(played: Round, desk: Client) -> None:
    complaint = filed(played)
    page = desk.get("/admin/").content.decode()
    assert "Complaints by time left" in page and complaint.number in page
    assert "Video about to lapse" not in page  # it has a day left
    VideoHold.objects.update(status="refused", last_error="the camera was off")
    page = desk.get("/admin/").content.decode()
    assert "Video about to lapse" in page and "Hold refused" in page


def test_files_come_with_the_form_and_a_refused_one_is_named(
    platform: Platform, desk: Client, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))
    settings.ATTACHMENT_MAX_COUNT = 1
    sent = [("page.png", b"<html>"), ("chat.txt", b"two cards"), ("more.txt", b"and this")]
    files = [SimpleUploadedFile(name, data) for name, data in sent]
    said = desk.post(NEW, typed(round_, do="record", files=files), follow=True).content.decode()
    assert "page.png was not attached. This is HTML, SVG or XML." in said
    assert "more.txt was not attached. So many files are attached already" in said
    complaint = Complaint.objects.get()
    [kept] = Attachment.objects.filter(subject_kind="complaint", subject_id=complaint.pk)
    assert kept.file.name == "chat.txt"
    assert f"/admin/audit/attachment/{kept.uuid}/file/" in page_of(complaint, desk)


def test_a_letter_has_its_dates_and_words_in_its_own_language(
    platform: Platform, desk: Client, settings: Any
) -> None:
    settings.COMPLAINT_WHEN_INCOMPLETE = "wait"
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))
    complaint = filed(round_, dealer="")
    page = page_of(complaint, desk)  # an English page about a letter in Thai
    letter = page.split('id="answer-text"')[1].split("</textarea>")[0]
    assert "ดีลเลอร์" in letter and "Dealer" not in letter
    english = desk.get(f"/admin/audit/complaint/{complaint.pk}/change/?language=en").content.decode()
    assert "Dealer" in english.split('id="answer-text"')[1].split("</textarea>")[0]


@pytest.mark.parametrize(
    ("role", "may"), [("support", True), ("manager", True), ("auditor", False), ("supervisor", False)]
)
def test_the_list_leads_to_the_form(role: str, may: bool, platform: Platform) -> None:
    page = browser_of(make_user(role, *ROLES[role].permissions)).get(LIST).content.decode()
    assert (f'href="{NEW}"' in page) is may


def test_comparing_shows_a_players_bets_and_is_a_look(played: Round, desk: Client) -> None:
    player = Player.objects.get(identity__reference="P-10001")
    desk.post(NEW, typed(played, do="look"))
    entry = JournalEntry.objects.get(action="player.seen", subject_id=player.pk)
    assert b'"way":"admin:audit_complaint_new"' in bytes(entry.body)
    desk.post(NEW, typed(played, do="record"))
    assert JournalEntry.objects.filter(action="player.seen").count() == 1  # the filing is its own entry
