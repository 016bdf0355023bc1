"""A round's timeline tells what was questioned and decided, and where on its video each moment is."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import RulingKind
from tables.models import Round
from tables.templatetags.felt import into_video
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import approve, ask, make_user
from tests.tables.playing import NOON

pytestmark = pytest.mark.django_db


def timeline(client: Client, round_: Round) -> list[str]:
    page = client.get(f"/admin/tables/round/{round_.pk}/change/").content.decode()
    (drawn,) = re.findall(r'<ol class="bc-timeline">(.*?)</ol>', page, re.DOTALL)
    items = re.findall(r"<li.*?</li>", drawn, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", item)).split()) for item in items]


def test_a_ruling_stands_in_the_timeline_with_who_asked_and_decided(
    played: Round, supervisor: User, manager: User, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=NOON.replace(hour=13))
    told = timeline(office, played)
    assert any(f"Ruling {ruling.number} asked for: Void the round" in line for line in told)
    assert not any("Approved" in line for line in told)
    approve(manager, ruling, at=NOON.replace(hour=13, minute=1))
    assert any(f"Ruling {ruling.number}: Approved" in line for line in timeline(office, played))
    blind = browser_of(make_user("clerk", "tables.view_round"))
    assert not any("Ruling" in line for line in timeline(blind, played))


def test_moments_of_the_round_say_how_far_into_the_video_they_are(played: Round, office: Client) -> None:
    told = timeline(office, played)
    assert told[0].endswith("Betting opened 0:00")
    assert any(re.search(r"Result .* \d+:\d\d$", line) for line in told)
    ends = played.resulted_at
    assert ends is not None
    assert into_video(ends.replace(year=ends.year + 1), played) == ""
    assert into_video(played.betting_opened_at.replace(year=2000), played) == ""
