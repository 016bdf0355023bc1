"""What a complaint's page shows of what was said: to whom it is written down, the contact, each telling."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from audit.models import Complaint, VideoHold
from audit.rules.complaints import Said
from audit.services.complaints import add_information, said_last
from casino.roles import ROLES
from tables.models import JournalEntry, Round
from tables.services.actors import SYSTEM
from tests.audit.admin.conftest import browser_of
from tests.audit.admin.test_complaint_pages import NEW, agent, desk, filed, page_of, platform, press, typed
from tests.audit.deciding import make_user
from tests.tables.playing import Platform

__all__ = ["agent", "desk", "platform"]
pytestmark = pytest.mark.django_db


def looks(complaint: Complaint) -> int:
    """Count the entries that say that somebody looked at a complaint."""
    told = JournalEntry.objects.filter(action__in=("player.seen", "complaint.seen"))
    way, number = b'"way":"complaint"', f'"for":"{complaint.number}"'.encode()
    return sum(way in (body := bytes(entry.body)) and number in body for entry in told)


def say(complaint: Complaint, **more: Any) -> None:
    who = {"actor": SYSTEM, "user": None, "at": datetime.now(UTC)}
    add_information(complaint_id=complaint.pk, seen_version=None, said=Said(**more), **who)


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


@pytest.mark.parametrize("player", ["P-10001", ""])
def test_a_page_drawn_after_a_refusal_is_a_look_as_well(player: str, played: Round, desk: Client) -> None:
    complaint = filed(played, player=player, contact="chat 4411")
    status, page = press(desk, complaint, "close")
    assert (status, "chat 4411" in page, looks(complaint)) == (409, True, 1)
    page_of(complaint, desk)
    assert looks(complaint) == 2


@pytest.mark.parametrize("role", ["support", "auditor"])
def test_where_the_player_is_reached_stands_beside_what_was_said(role: str, played: Round) -> None:
    complaint = filed(played, contact="line 081-000")
    page = page_of(complaint, browser_of(make_user("orn", *ROLES[role].permissions)))
    assert "Contact Live chat · line 081-000" in text_of(page)


def test_what_was_said_each_time_stands_at_its_step(played: Round, desk: Client) -> None:
    complaint = filed(played, dealer="Lin Wei", contact="chat 1")
    say(complaint, dealer="Mali Chantara", contact="chat 2")
    steps = page_of(complaint, desk).split('id="steps-heading"')[1].split("</section>")[0]
    newer, first = (text_of(step) for step in steps.split("<li>")[1:])
    assert "What was said then" in first and "Dealer Lin Wei" in first and "Contact chat 1" in first
    assert "Dealer Mali Chantara" in newer and "Contact chat 2" in newer
    assert "Banker stood on five" in first


def test_what_was_erased_is_shown_as_that(played: Round, desk: Client) -> None:
    complaint = filed(played, contact="chat 1")
    words = complaint.events.get().words
    words.erased_at = datetime.now(UTC)
    words.save(update_fields=["erased_at"])
    page = page_of(complaint, desk)
    assert "What was said then erased" in text_of(page) and "chat 1" not in page


def test_the_one_that_goes_on_shows_how_the_others_are_reached(played: Round, desk: Client) -> None:
    survivor, second, third = (filed(played, contact=f"mail {n}@example.com") for n in (1, 2, 3))
    press(desk, third, "merge", into=second.number)
    press(desk, second, "merge", into=survivor.number)
    page = text_of(page_of(survivor, desk))
    for one, contact in ((second, "mail 2@example.com"), (third, "mail 3@example.com")):
        assert f"{one.number} goes on as this one Live chat · {contact}" in page


def test_the_bets_have_their_odds_and_are_counted(platform: Platform, desk: Client) -> None:
    round_ = platform.play("2H 9D KC QS", ("b1", "P-10001", "banker", 200), ("b3", "P-10002", "tie", 100))
    complaint = filed(round_)
    page = page_of(complaint, desk)
    assert "1 bet in this round" in text_of(page)
    row = page.split('bc-id" href="/admin/tables/bet/')[1].split("</tr>")[0]
    assert re.search(r'data-label="Odds"><span>0\.95</span>', row)
    both = platform.play("9H 2D KC QS", ("b4", "P-10001", "tie", 100), ("b5", "P-10001", "player", 100))
    assert "2 bets in this round" in text_of(page_of(filed(both), desk))
    look = desk.post(NEW, typed(both, do="look")).content.decode()
    assert "2 bets in this round" in text_of(look)


def test_a_late_one_is_made_whole_before_anybody_is_asked(platform: Platform, desk: Client) -> None:
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))
    late = filed(round_, dealer="", at=datetime.now(UTC) + timedelta(hours=25))
    page = page_of(late, desk)
    assert "Take down what is missing first" in page and f"/{late.pk}/admit/" not in page
    status, page = press(desk, late, "admit", reason="the chat was down")
    assert (status, "A required detail is missing." in page) == (409, True)
    assert press(desk, late, "information", dealer="Mali Chantara")[0] == 302
    late.refresh_from_db()
    assert (late.status, late.refusal, said_last(late).dealer) == ("refused", "late", "Mali Chantara")
    page = page_of(late, desk)
    assert "Take down what is missing first" not in page and f"/{late.pk}/admit/" in page
    assert press(desk, late, "admit", reason="the chat was down")[0] == 302


def test_an_answer_says_that_it_is_kept_and_not_sent(played: Round, desk: Client) -> None:
    complaint = filed(played)
    press(desk, complaint, "accept")
    page = page_of(complaint, desk)
    assert "Keep the answer" in page and "Nothing is sent by itself" in page
    assert "Send the answer" not in page
    typed = {"text": "We look into it.", "language": "en", "template": "accepted"}
    url = f"/admin/audit/complaint/{complaint.pk}/answer/"
    said = desk.post(url, {"seen_version": 2, **typed}, follow=True).content.decode()
    assert "is kept. Nothing is sent by itself: carry it to the player." in said


def test_one_opened_again_has_its_time_from_then_and_one_answered_has_none(
    played: Round, desk: Client
) -> None:
    complaint = filed(played)
    office = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    for step in ("accept", "review"):
        press(desk, complaint, step)
    press(office, complaint, "reject", reason="dealt by the rules")
    assert "bc-deadline" in page_of(complaint, desk)
    press(office, complaint, "answer", text="No.", language="en", template="rejected")
    assert "bc-deadline" not in page_of(complaint, desk)
    row = desk.get("/admin/audit/complaint/").content.decode()
    assert complaint.number in row and "days left" not in row
    press(office, complaint, "close")
    press(office, complaint, "reopen", reason="camera 3")
    assert "opened again" in page_of(complaint, desk).split("bc-deadline-bar")[1].split("</section>")[0]


@pytest.mark.parametrize("role", ["manager", "support"])
def test_who_may_takes_note_of_video_that_is_gone(role: str, played: Round) -> None:
    filed(played)
    VideoHold.objects.update(status="lapsed", alarmed_at=datetime.now(UTC))
    hold = VideoHold.objects.get()
    client = browser_of(make_user("orn", *ROLES[role].permissions))
    url = f"/admin/audit/videohold/{hold.pk}/"
    assert "Lapsed without an answer" in client.get("/admin/").content.decode()
    may = role == "manager"
    assert (f'action="{url}note/"' in client.get(f"{url}change/").content.decode()) is may
    if not may:
        assert client.post(f"{url}note/", {"reason": "x"}).status_code == 403
        return
    assert client.post(f"{url}note/", {"reason": " "}).status_code == 400
    said = client.post(f"{url}note/", {"reason": "camera 4 shows it"}, follow=True).content.decode()
    assert "orn took note of it on" in said and "camera 4 shows it</blockquote>" in said
    assert f'action="{url}note/"' not in said
    assert "Lapsed without an answer" not in client.get("/admin/").content.decode()
    again = client.post(f"{url}note/", {"reason": "x"})
    assert (again.status_code, "somebody has taken note" in again.content.decode()) == (409, True)
