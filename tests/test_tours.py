"""The tours of docs/ lead somewhere: each address opens for its role, and shows what is promised."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from casino.counterparts.platform import write_day
from casino.demo import complaints, settling
from casino.demo import play as demo_play
from casino.demo.settling import WorkerAtHand
from casino.roles import ROLES
from casino.runtime.places import ROOT
from tests.casino.working import work
from tests.database import OwnTestDatabase

TOUR = re.compile(r"^## [^\n`]*`(\w+)`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"`(/[^`]*)`")
SEEN = re.compile(r"“([^”]+)”|\*\*([^*]+)\*\*")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a tour: who, in which language, where, and what stands there."""

    login: str
    language: str
    number: int
    address: str
    seen: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.login} {self.language} {self.number}: {self.address}"


def steps_of(guide: str, language: str) -> list[Step]:
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    return [
        Step(login, language, int(number), address, words_seen(said))
        for login, tour in TOUR.findall(text)
        for number, said in STEP.findall(tour)
        for address in ADDRESS.findall(said)
    ]


def words_seen(said: str) -> tuple[str, ...]:
    return tuple(" ".join((quoted or bold).split()) for quoted, bold in SEEN.findall(said))


STEPS = steps_of("tours.md", "en")
THAI_STEPS = steps_of("tours.th.md", "th")


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: Any, own_database: OwnTestDatabase) -> Iterator[None]:
    """Play a short day of the demo once, with every incident and complaint."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_play, "write_day", partial(write_day, rounds=12))
        patch.setattr(WorkerAtHand, "want", lambda self: work())
        patch.setattr(settling, "RING_SECONDS", 0.0)
        # So few rounds are over in a quarter of an hour: complaints about them come closer together.
        patch.setattr(complaints, "APART", 1)
        patch.setattr(complaints, "MINUTE", timedelta(seconds=1))
        own_database.empty()  # the tours name rulings and complaints by their numbers
        call_command("demo", "--shoes", "1", stdout=StringIO())
        yield
        own_database.empty()


def test_every_role_has_a_tour_of_five_to_eight_steps() -> None:
    numbers = {login: {step.number for step in STEPS if step.login == login} for login in ROLES}
    assert all(5 <= len(found) <= 8 for found in numbers.values()), numbers
    assert {step.login for step in STEPS} == set(ROLES)
    assert all(step.seen for step in STEPS + THAI_STEPS)


def test_a_thai_tour_goes_the_way_of_the_english_one() -> None:
    for login in ROLES:
        ways = [[step.address for step in of if step.login == login] for of in (STEPS, THAI_STEPS)]
        assert ways[0] == ways[1] != []


@pytest.mark.parametrize("login", list(ROLES))
def test_what_a_tour_names_is_there(login: str, demo: None, django_db_blocker: Any) -> None:
    wrong = []
    with django_db_blocker.unblock():
        client = Client()
        client.force_login(User.objects.get(username=login))
        for step in (step for step in STEPS + THAI_STEPS if step.login == login):
            client.cookies[settings.LANGUAGE_COOKIE_NAME] = step.language
            answer = client.get(step.address, follow=True)
            page = text_of(answer.content.decode())
            missing = [words for words in step.seen if words not in page]
            if answer.status_code != 200 or missing:
                wrong.append(f"{step}: {answer.status_code}, without {missing}")
    assert not wrong, "\n".join(wrong)


def text_of(page: str) -> str:
    """Return what can be read on a page: words between tags, and what fields and buttons say."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    said = re.findall(r'(?:aria-label|placeholder|title|value)="([^"]*)"', bare)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare) + " " + " ".join(said)).split())
