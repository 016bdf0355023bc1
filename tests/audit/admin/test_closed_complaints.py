"""A closed complaint takes nothing but its reopening, and whoever was too late keeps what was typed."""

import pytest
from django.test import Client

from casino.roles import ROLES
from tables.models import Round
from tests.audit.admin.conftest import browser_of
from tests.audit.admin.test_complaint_pages import agent, desk, filed, page_of, platform, press
from tests.audit.deciding import make_user

__all__ = ["agent", "desk", "platform"]
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("verb", ["note", "answer"])
def test_what_comes_after_the_end_is_refused_and_stays_typed(verb: str, played: Round, desk: Client) -> None:
    complaint = filed(played)
    office = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    assert f"/{complaint.pk}/note/" in page_of(complaint, desk)
    for step in ("accept", "review"):
        press(desk, complaint, step)
    press(office, complaint, "reject", reason="dealt by the rules")
    press(office, complaint, "answer", text="No.", language="en", template="rejected", closes="yes")
    page = page_of(complaint, office)
    assert [name for name in ("note", "answer", "reopen") if f"/{complaint.pk}/{name}/" in page] == ["reopen"]
    status, page = press(desk, complaint, verb, text="the player called again", language="en")
    assert (status, "It is closed. Say why it is opened again." in page) == (409, True)
    assert "the player called again</blockquote>" in page
    complaint.refresh_from_db()
    assert (complaint.status, complaint.version) == ("closed", 6)
