"""Attached files are kept apart from what can never be erased, and given out only as they were attached."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.test import Client

from audit.models import Attachment, AttachmentFile, Incident
from audit.rules.attachments import BadAttachment
from audit.services.attachments import AttachmentGone, attach_file, erase_attachment, open_attachment
from audit.services.incidents import report_incident
from casino import settings as house_settings
from tables.models import JournalEntry
from tables.services.actors import Actor, NotAllowed
from tests.audit import hostile
from tests.audit.deciding import make_user
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    settings.ATTACHMENT_MAX_COUNT = 2
    yield tmp_path / "attachments"


@pytest.fixture
def user() -> User:
    return make_user("pim", "audit.report_incident", "audit.attach_file")


@pytest.fixture
def incident(user: User) -> Incident:
    actor = Actor.of_user(user)
    return report_incident(
        table=make_table(rulebook="live-commission"),
        code="player_equipment",
        facts={},
        actor=actor,
        at=NOON,
        user=user,
    )


def attach(incident: Incident, user: User, data: bytes, name: str = "../slip.png") -> Attachment:
    actor = Actor.of_user(user)
    return attach_file(subject=incident, data=data, name=name, actor=actor, at=NOON, user=user)


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_is_kept_under_a_name_nobody_gave_it(incident: Incident, user: User, folder: Path) -> None:
    attachment = attach(incident, user, hostile.png(3, 2))
    assert (attachment.kind, attachment.width_px, attachment.height_px) == ("png", 3, 2)
    assert attachment.file.name == "slip.png"
    [path] = files_in(folder)
    assert path.name == attachment.file.stored_as
    assert "slip" not in str(path)
    assert path.stat().st_mode & 0o777 == 0o600
    served = open_attachment(attachment=attachment, actor=Actor.of_user(user), at=NOON)
    assert (served.name, served.content_type) == ("slip.png", "image/png")
    actions = JournalEntry.objects.filter(action__startswith="attachment.").order_by("pk")
    assert [(entry.action, entry.subject_label) for entry in actions] == [
        ("attachment.added", incident.number),
        ("attachment.opened", incident.number),
    ]
    for entry in actions:  # neither the name nor a digest somebody could try files against
        assert b"slip" not in bytes(entry.body)
        assert attachment.file.sha256.encode() not in bytes(entry.body)


@pytest.mark.parametrize("data", [b"", hostile.HTML, hostile.png()[:40], hostile.PDF[:-9]])
def test_a_refused_file_leaves_nothing(data: bytes, incident: Incident, user: User, folder: Path) -> None:
    with pytest.raises(BadAttachment):
        attach(incident, user, data)
    assert not Attachment.objects.exists()
    assert not files_in(folder)


def test_no_more_files_than_the_house_allows(incident: Incident, user: User, folder: Path) -> None:
    attach(incident, user, b"one")
    attach(incident, user, b"two")
    with pytest.raises(BadAttachment, match="attachment/too-many"):
        attach(incident, user, b"three")
    assert Attachment.objects.count() == len(files_in(folder)) == 2


def test_who_may_attach_nothing_leaves_nothing(incident: Incident, folder: Path) -> None:
    with pytest.raises(NotAllowed):
        attach(incident, make_user("nobody"), b"text")
    assert not files_in(folder)


def test_a_file_that_was_changed_in_the_store_is_not_given_out(
    incident: Incident, user: User, folder: Path
) -> None:
    attachment = attach(incident, user, b"the dealer took two cards")
    [path] = files_in(folder)
    path.write_bytes(b"the dealer took one card")
    with pytest.raises(AttachmentGone, match="not the one that was attached"):
        open_attachment(attachment=attachment, actor=Actor.of_user(user), at=NOON)
    path.unlink()
    with pytest.raises(AttachmentGone, match="missing"):
        open_attachment(attachment=attachment, actor=Actor.of_user(user), at=NOON)


def test_erasing_takes_file_name_and_salt_and_leaves_that_it_was_there(
    incident: Incident, user: User, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    attachment = attach(incident, user, b"call me at home")
    actor = Actor.of_user(user)
    with django_capture_on_commit_callbacks(execute=True):
        assert erase_attachment(attachment=attachment, actor=actor, at=NOON)
    assert not erase_attachment(attachment=attachment, actor=actor, at=NOON)
    assert not AttachmentFile.objects.exists()
    assert not files_in(folder)
    attachment.refresh_from_db()
    assert attachment.size_bytes == 15
    with pytest.raises(AttachmentGone, match="erased"):
        open_attachment(attachment=attachment, actor=actor, at=NOON)


def test_what_was_attached_cannot_be_changed(incident: Incident, user: User) -> None:
    attachment = attach(incident, user, b"text")
    with pytest.raises(DatabaseError), transaction.atomic():
        Attachment.objects.filter(pk=attachment.pk).update(size_bytes=5)


def test_the_folder_lies_outside_what_the_web_server_serves(
    incident: Incident, user: User, client: Client, settings: Any
) -> None:
    kept = Path(house_settings.EVIDENCE_FOLDER).resolve()
    for served in (house_settings.STATIC_ROOT, *house_settings.STATICFILES_DIRS):
        there = Path(served).resolve()
        assert not kept.is_relative_to(there) and not there.is_relative_to(kept)
    assert not settings.MEDIA_ROOT and getattr(settings, "WHITENOISE_ROOT", None) is None
    attachment = attach(incident, user, b"two cards", name="slip.txt")
    [file] = [path for path in Path(settings.EVIDENCE_FOLDER).rglob("*") if path.is_file()]
    assert file.read_bytes() == b"two cards" and attachment.file.stored_as in file.name
    below = file.relative_to(settings.EVIDENCE_FOLDER)
    for path in (f"/{below}", f"/static/{below}", f"/media/{below}", f"/static/../evidence/{below}"):
        assert client.get(path).status_code == 404, path
