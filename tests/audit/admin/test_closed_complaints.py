"""A closed complaint takes nothing but its reopening, and whoever was too late keeps what was typed."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit.models import Attachment
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


def test_no_file_is_attached_after_the_end(
    played: Round, desk: Client, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    complaint = filed(played)
    office = browser_of(make_user("nattaya", *ROLES["manager"].permissions))
    url = f"/admin/audit/attachment/add/complaint/{complaint.pk}/"

    def attach() -> str:
        file = SimpleUploadedFile("chat.txt", b"two cards")
        return desk.post(url, {"file": file}, follow=True).content.decode()

    for step in ("accept", "review"):
        press(desk, complaint, step)
    press(office, complaint, "reject", reason="dealt by the rules")
    assert url in page_of(complaint, desk) and "chat.txt is attached." in attach()
    press(office, complaint, "answer", text="No.", language="en", template="rejected", closes="yes")
    assert url not in page_of(complaint, desk)
    assert "It is closed. Say why it is opened again." in attach()
    assert Attachment.objects.count() == 1
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 1
    press(office, complaint, "reopen", reason="the player sent a picture")
    assert "chat.txt is attached." in attach()
