"""Asking for a pack, fetching it, and attaching files, in the browser of each role."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from audit.models import Attachment, Complaint, ComplaintChannel, EvidencePack, Incident
from audit.pack.making import make_pack
from audit.rules.complaints import Said
from audit.services.complaints import file_complaint
from audit.services.incidents import report_incident
from casino.roles import ROLES
from tables.models import Round
from tables.services.actors import SYSTEM
from tests.audit import hostile
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.playing import NOON

pytestmark = pytest.mark.django_db
MAY_EXPORT = {"supervisor": False, "manager": True, "support": True, "auditor": True, "administrator": False}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "evidence.key")
    return tmp_path


@pytest.fixture
def incident(played: Round) -> Incident:
    facts: dict[str, Any] = {}
    return report_incident(
        table=played.table, round_=played, code="misdeal", facts=facts, actor=SYSTEM, at=NOON
    )


@pytest.mark.parametrize(("role", "may"), MAY_EXPORT.items())
def test_who_may_export_asks_and_fetches(role: str, may: bool, played: Round) -> None:
    browser = browser_of(make_user(role, *ROLES[role].permissions))
    ask = reverse("admin:audit_evidencepack_ask", args=["round", played.pk])
    page = browser.get(reverse("admin:tables_round_change", args=[played.pk])).content.decode()
    assert (ask in page) is may
    if not may:
        assert browser.get(ask).status_code == 403
        assert browser.post(ask).status_code == 403
        assert not EvidencePack.objects.exists()
        return
    assert "What the pack holds" in browser.get(ask).content.decode()
    assert not EvidencePack.objects.exists()  # a look changes nothing
    shown = browser.post(ask)
    pack = EvidencePack.objects.get()
    assert shown.headers["Location"] == reverse("admin:audit_evidencepack_change", args=[pack.pk])
    waiting = browser.get(shown.headers["Location"]).content.decode()
    assert "Step 0 of 3: waits for a worker." in waiting
    file_url = reverse("admin:audit_evidencepack_file", args=[pack.pk])
    assert file_url not in waiting
    assert browser.get(file_url).status_code == 302  # not ready: the page says so
    assert make_pack(pack_id=pack.pk, now=timezone.now())
    assert file_url in browser.get(shown.headers["Location"]).content.decode()
    answer = browser.get(file_url)
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="{pack.number}-{played.public_id}.zip"'
    )
    assert "evidence.pdf" in zipfile.ZipFile(io.BytesIO(answer.content)).namelist()


def test_the_list_finds_a_pack_by_its_round_and_in_thai(played: Round) -> None:
    browser = browser_of(make_user("orn", *ROLES["auditor"].permissions))
    url = reverse("admin:audit_evidencepack_changelist")
    assert "No evidence pack was asked for" in browser.get(url).content.decode()
    browser.post(reverse("admin:audit_evidencepack_ask", args=["shoe", played.shoe_id]))
    pack = EvidencePack.objects.get()
    assert pack.number in browser.get(url, {"q": played.shoe.public_id[:8].lower()}).content.decode()
    assert pack.number not in browser.get(url, {"q": "Z99"}).content.decode()
    assert pack.number not in browser.get(url, {"status": "ready"}).content.decode()
    browser.cookies["django_language"] = "th"
    assert "ชุดหลักฐาน" in browser.get(url).content.decode()


def upload(data: bytes, name: str) -> dict[str, Any]:
    return {"file": SimpleUploadedFile(name, data, content_type="image/png")}


def test_a_picture_is_attached_and_saved_again_but_never_shown(incident: Incident) -> None:
    browser = browser_of(make_user("suda", *ROLES["supervisor"].permissions))
    page = reverse("admin:audit_incident_change", args=[incident.pk])
    url = reverse("admin:audit_attachment_attach", args=["incident", incident.pk])
    assert url in browser.get(page).content.decode()
    assert browser.post(url, upload(hostile.jpeg(), "slip.png")).headers["Location"] == page
    attachment = Attachment.objects.get()
    shown = browser.get(page).content.decode()
    assert "slip.jpg is attached." in shown
    answer = browser.get(reverse("admin:audit_attachment_file", args=[attachment.uuid]))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="slip.jpg"'
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_refused_file_says_why(incident: Incident) -> None:
    browser = browser_of(make_user("suda", *ROLES["supervisor"].permissions))
    url = reverse("admin:audit_attachment_attach", args=["incident", incident.pk])
    said = browser.post(url, upload(hostile.HTML, "slip.png"), follow=True).content.decode()
    assert "The file was not attached. This is HTML, SVG or XML." in said
    said = browser.post(url, {}, follow=True).content.decode()
    assert "Choose a file first." in said
    assert not Attachment.objects.exists()


@pytest.fixture
def complaint(played: Round) -> Complaint:
    said = Said(
        played_at=played.betting_opened_at,
        table=played.table.code,
        dealer="Mali Chantara",
        round=played.public_id,
        disputed="the third card",
    )
    channel = ComplaintChannel.CHAT
    return file_complaint(
        said=said, channel=channel, language="th", actor=SYSTEM, user=None, at=NOON
    ).complaint


def test_a_complaint_takes_files_and_gives_them_to_who_may_see_it(complaint: Complaint) -> None:
    desk = browser_of(make_user("pim", *ROLES["support"].permissions))
    page = reverse("admin:audit_complaint_change", args=[complaint.pk])
    url = reverse("admin:audit_attachment_attach", args=["complaint", complaint.pk])
    assert url in desk.get(page).content.decode()
    assert desk.post(url, upload(b"two cards", "chat.txt")).headers["Location"] == page
    attachment = Attachment.objects.get()
    file_url = reverse("admin:audit_attachment_file", args=[attachment.uuid])
    auditor = browser_of(make_user("orn", *ROLES["auditor"].permissions))
    shown = auditor.get(page).content.decode()
    assert (file_url in shown, url in shown) == (True, False)
    assert auditor.get(file_url).content == b"two cards"
    administrator = browser_of(make_user("rung", *ROLES["administrator"].permissions))
    assert administrator.get(file_url).status_code == 403


def test_a_pack_about_a_complaint_is_asked_for_on_its_page(complaint: Complaint) -> None:
    desk = browser_of(make_user("pim", *ROLES["support"].permissions))
    page = reverse("admin:audit_complaint_change", args=[complaint.pk])
    ask = reverse("admin:audit_evidencepack_ask", args=["complaint", complaint.pk])
    assert ask in desk.get(page).content.decode()
    assert "the answers as they were sent, and the attached files" in desk.get(ask).content.decode()
    shown = desk.post(ask)
    pack = EvidencePack.objects.get()
    assert (pack.subject_kind, pack.subject_label) == ("complaint", complaint.number)
    assert make_pack(pack_id=pack.pk, now=timezone.now())
    assert f'href="{page}"' in desk.get(shown.headers["Location"]).content.decode()
    answer = desk.get(reverse("admin:audit_evidencepack_file", args=[pack.pk]))
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert "the third card" in archive.read("tables/complaint_words.csv").decode()


def test_a_complaint_without_a_round_offers_one_as_well(complaint: Complaint) -> None:
    said = Said(disputed="somewhere, some day")
    channel = ComplaintChannel.MAIL
    filed = file_complaint(said=said, channel=channel, language="en", actor=SYSTEM, user=None, at=NOON)
    desk = browser_of(make_user("pim", *ROLES["support"].permissions))
    page = reverse("admin:audit_complaint_change", args=[filed.complaint.pk])
    ask = reverse("admin:audit_evidencepack_ask", args=["complaint", filed.complaint.pk])
    assert ask in desk.get(page).content.decode()
    shown = desk.get(ask).content.decode()
    assert "The complaint names no round that there is" in shown and "The deal drawn" not in shown
    url = desk.post(ask).headers["Location"]
    assert make_pack(pack_id=EvidencePack.objects.get().pk, now=timezone.now())
    assert filed.complaint.number in desk.get(url).content.decode()
    assert filed.complaint.number in desk.get(reverse("admin:audit_evidencepack_changelist")).content.decode()


def test_who_may_not_attach_or_look_gets_nothing(incident: Incident) -> None:
    keeper = browser_of(make_user("suda", *ROLES["supervisor"].permissions))
    url = reverse("admin:audit_attachment_attach", args=["incident", incident.pk])
    keeper.post(url, upload(b"text", "a.txt"))
    file_url = reverse("admin:audit_attachment_file", args=[Attachment.objects.get().uuid])
    auditor = browser_of(make_user("orn", *ROLES["auditor"].permissions))
    assert auditor.post(url, upload(b"text", "a.txt")).status_code == 403
    assert auditor.get(file_url).status_code == 200
    administrator = browser_of(make_user("rung", *ROLES["administrator"].permissions))
    assert administrator.get(file_url).status_code == 403
    assert keeper.get(reverse("admin:audit_attachment_attach", args=["player", 1])).status_code == 404
