"""What the pages of complaints say of a time nobody understands, of nobody named, of video that is gone."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from audit.models import Complaint, VideoHold
from casino.roles import ROLES
from tables.models import Round
from tests.audit.admin.conftest import browser_of
from tests.audit.admin.test_complaint_pages import NEW, agent, desk, filed, page_of, platform, press, typed
from tests.audit.deciding import make_user
from tests.tables.playing import Platform, make_table, publish_all

pytestmark = pytest.mark.django_db
__all__ = ["agent", "desk", "platform"]

TIME = "The date and time of play is not understood. Write it as year-month-day and hour:minute, such as"
ZONE = "The time zone is not understood. Write it by its name, such as Asia/Bangkok."


@pytest.fixture(autouse=True)
def recorder(settings: Any) -> None:
    settings.RECORDER_URL = "https://recorder.test"


@pytest.mark.parametrize("pressed", ["look", "record"])
@pytest.mark.parametrize(
    ("changed", "told", "in_thai"),
    [
        ({"played_at": "2026-11-31T20:48"}, f"{TIME} 2026-11-29 20:48.", "ไม่เข้าใจวันและเวลาที่เล่น"),
        ({"zone": "Bangkok time"}, ZONE, "ไม่เข้าใจเขตเวลา"),
    ],
)
def test_a_time_that_is_not_understood_is_told_so_and_not_called_missing(
    played: Round, desk: Client, pressed: str, changed: dict[str, str], told: str, in_thai: str
) -> None:
    answer = desk.post(NEW, typed(played, do=pressed, **changed))
    page = unescape(answer.content.decode())
    assert answer.status_code == 400 and told in page
    assert "A required detail is missing" not in page and "wrong card" in page
    assert not Complaint.objects.exists()
    desk.cookies["django_language"] = "th"
    assert in_thai in desk.post(NEW, typed(played, do=pressed, **changed)).content.decode()


def test_a_time_left_empty_is_still_called_missing(played: Round, desk: Client) -> None:
    page = desk.post(NEW, typed(played, do="look", played_at="")).content.decode()
    assert "A required detail is missing" in page


def row_of_player(page: str) -> str:
    (row,) = re.findall(r'<th scope="row" class="bc-quiet">Player</th>.*?</tr>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", row).split())


def test_where_no_player_was_named_it_says_that_and_no_more(played: Round, desk: Client) -> None:
    assert row_of_player(desk.post(NEW, typed(played, player="", do="look")).content.decode()) == (
        "Player No player was named"
    )
    named = desk.post(NEW, typed(played, player="P-10009", do="look")).content.decode()
    assert row_of_player(named) == "Player P-10009 is not in this round Differs"
    assert row_of_player(page_of(filed(played, player=""), desk)) == "Player No player was named"


def test_the_end_of_an_id_is_a_character_be_it_a_letter_or_a_digit(played: Round, desk: Client) -> None:
    page = desk.post(NEW, typed(played, do="look")).content.decode()
    assert f"check character {played.public_id[-1]} is right" in page and "check letter" not in page


# --- video ------------------------------------------------------------------------------------------


def round_of(hours: int) -> Round:
    """Play a round so many hours ago."""
    publish_all()
    platform = Platform(make_table(rulebook="commission"), at=datetime.now(UTC) - timedelta(hours=hours))
    platform.start(burn=2)
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))


def video_of(page: str) -> str:
    sheet = page.split('aria-labelledby="video-heading"')[1].split("</section>")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", sheet)).split())


@pytest.mark.parametrize(
    ("hours", "status", "said", "is_watched"),
    [
        (1, "asked", "Without a hold it lapses", True),
        (26, "asked", "Without a hold it lapsed", True),
        (26, "held", "Without a hold it lapsed", True),
        (26, "lapsed", "Lapsed", False),
        (26, "refused", "Lapsed", False),
        (26, "", "Lapsed", False),
    ],
)
def test_video_that_is_gone_is_told_in_the_past_and_not_offered(
    hours: int, status: str, said: str, is_watched: bool
) -> None:
    round_ = round_of(hours)
    desk = browser_of(make_user("pim", *ROLES["support"].permissions))
    if status:
        complaint = filed(round_, at=datetime.now(UTC) - timedelta(hours=min(hours, 3) - 1))
        VideoHold.objects.update(status=status)
        page = page_of(complaint, desk)
    else:
        page = desk.get(f"{NEW}?round={round_.pk}").content.decode()
    assert round_.resulted_at is not None
    until = (round_.resulted_at + timedelta(hours=24 + 7)).strftime("%-d %b %Y %H:%M:%S")
    shown = video_of(page)
    assert f" {said} {until}" in shown
    assert ("Watch " in shown) is is_watched


def test_a_known_reason_of_the_recorder_is_told_in_the_readers_language(played: Round, desk: Client) -> None:
    complaint = filed(played)
    VideoHold.objects.update(status="refused", last_error="the camera was off", answered_at=datetime.now(UTC))
    assert "Recorder said The camera was off." in video_of(page_of(complaint, desk))
    desk.cookies["django_language"] = "th"
    assert "เครื่องบันทึกแจ้ง กล้องปิดอยู่" in video_of(page_of(complaint, desk))


def test_another_reason_is_marked_as_the_recorders_own_words(played: Round, desk: Client) -> None:
    complaint = filed(played)
    VideoHold.objects.update(status="refused", last_error="disk 3 is worn", answered_at=datetime.now(UTC))
    desk.cookies["django_language"] = "th"
    page = page_of(complaint, desk)
    assert "ตามถ้อยคำของเครื่องบันทึก disk 3 is worn" in video_of(page)
    assert '<q lang="en">disk 3 is worn</q>' in page


def test_what_kept_an_answer_from_coming_is_not_called_the_recorders_word(
    played: Round, desk: Client
) -> None:
    complaint = filed(played)
    VideoHold.objects.update(last_error="HTTP 500: well")
    assert "Why there is no answer yet HTTP 500: well" in video_of(page_of(complaint, desk))


# --- rights -----------------------------------------------------------------------------------------


def test_an_act_that_is_refused_is_not_called_a_look(played: Round, desk: Client) -> None:
    complaint = filed(played)
    press(desk, complaint, "accept")
    press(desk, complaint, "review")
    status, page = press(desk, complaint, "uphold", reason="x")
    assert status == 403 and "You may not do this" in page and "You may not see this" not in page
    look = browser_of(make_user("nobody")).get(f"/admin/audit/complaint/{complaint.pk}/change/")
    assert look.status_code == 403 and "You may not see this" in look.content.decode()
    desk.cookies["django_language"] = "th"
    assert "คุณไม่มีสิทธิ์ทำสิ่งนี้" in press(desk, complaint, "uphold", reason="x")[1]
