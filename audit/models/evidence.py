"""What is laid beside an incident, a ruling or a complaint, and archives made for outsiders."""

from datetime import datetime
from enum import StrEnum
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from audit.rules.attachments import AttachmentKind
from tables.models.fields import id_field, one_of


class AttachmentSubject(StrEnum):
    """What a file can be attached to."""

    INCIDENT = "incident"
    RULING = "ruling"
    COMPLAINT = "complaint"


class Attachment(models.Model):
    """That a file was attached, and to what it is held: a salted digest of its bytes. Never changed.

    The file, its name and the salt lie apart, where they can be erased.
    """

    append_only = True

    uuid = models.UUIDField(_("attachment"), default=uuid4, unique=True, editable=False)
    subject_kind = models.CharField(_("kind of subject"), max_length=9)
    subject_id = models.BigIntegerField(_("subject"))
    kind = models.CharField(_("kind"), max_length=4)
    size_bytes = models.PositiveIntegerField(_("bytes"))
    width_px = models.PositiveIntegerField(_("width"), null=True)
    height_px = models.PositiveIntegerField(_("height"), null=True)
    commitment = models.BinaryField(_("SHA-256 of salt and bytes"), max_length=32)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    added_by_key = models.CharField(_("key"), max_length=12, blank=True)
    added_at = models.DateTimeField(_("attached"))

    class Meta:
        verbose_name = _("attachment")
        verbose_name_plural = _("attachments")
        default_permissions = ("view",)
        permissions = [("attach_file", "Attach files")]
        constraints = [
            models.CheckConstraint(condition=Q(size_bytes__gte=1), name="attachment_is_not_empty"),
            models.CheckConstraint(
                condition=Q(width_px__isnull=True, height_px__isnull=True, kind__in=["pdf", "text"])
                | Q(width_px__gte=1, height_px__gte=1, kind__in=["png", "jpeg"]),
                name="attachment_pictures_have_measures",
            ),
            models.CheckConstraint(
                condition=Q(added_by__isnull=False, added_by_key="")
                | Q(added_by__isnull=True, added_by_key__gt=""),
                name="attachment_added_by_somebody",
            ),
            one_of("subject_kind", AttachmentSubject, "attachment_subject_known"),
            one_of("kind", AttachmentKind, "attachment_kind_known"),
        ]
        indexes = [
            models.Index(fields=["subject_kind", "subject_id", "id"], name="attachment_of_subject"),
        ]

    def __str__(self) -> str:
        return str(self.uuid)


class AttachmentFile(models.Model):
    """The erasable half: where the bytes lie, what the file was called, and the salt."""

    attachment = models.OneToOneField(
        Attachment, on_delete=models.PROTECT, primary_key=True, related_name="file"
    )
    name = models.CharField(_("name"), max_length=120)
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    salt = models.BinaryField(_("salt"), max_length=16)
    stored_as = models.CharField(_("stored as"), max_length=32, unique=True)

    class Meta:
        verbose_name = _("file of an attachment")
        verbose_name_plural = _("files of attachments")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="attachmentfile_sha256_form"
            ),
            models.CheckConstraint(
                condition=Q(stored_as__regex=r"^[0-9a-f]{32}$"), name="attachmentfile_stored_as_form"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PackSubject(StrEnum):
    """What an evidence pack can be about."""

    ROUND = "round"
    SHOE = "shoe"
    COMPLAINT = "complaint"


class PackStatus(StrEnum):
    """How far a pack has got; one whose maker died is taken up again and stays `making`."""

    WAITING = "waiting"
    MAKING = "making"
    READY = "ready"
    FAILED = "failed"


# What may follow what; a trigger holds the same table.
PACK_FLOW: dict[PackStatus, frozenset[PackStatus]] = {
    PackStatus.WAITING: frozenset({PackStatus.MAKING}),
    PackStatus.MAKING: frozenset({PackStatus.READY, PackStatus.FAILED}),
    PackStatus.READY: frozenset(),
    PackStatus.FAILED: frozenset(),
}


class EvidencePack(models.Model):
    """One archive of evidence: what it is about, who asked, and how far it has got."""

    append_only = True
    updatable_columns = (
        "status", "step", "attempts", "started_at", "finished_at", "stored_as", "size_bytes", "sha256",
        "problem",
    )  # fmt: skip

    number = models.CharField(_("evidence pack"), max_length=12, unique=True)
    subject_kind = models.CharField(_("kind of subject"), max_length=9)
    subject_id = models.BigIntegerField(_("subject"))
    subject_label = id_field(_("about"), 24)
    table = models.ForeignKey(
        "tables.GameTable", on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("table")
    )
    names_players = models.BooleanField(_("names players"))
    status = models.CharField(_("state"), max_length=7, default=PackStatus.WAITING.value)
    step = models.PositiveSmallIntegerField(_("step"), default=0)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_by_key = models.CharField(_("key"), max_length=12, blank=True)
    asked_at = models.DateTimeField(_("asked"))
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    stored_as = models.CharField(_("stored as"), max_length=32, blank=True)
    size_bytes = models.BigIntegerField(_("bytes"), null=True)
    sha256 = models.CharField(_("SHA-256"), max_length=64, blank=True)
    problem = models.CharField(_("problem"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("evidence pack")
        verbose_name_plural = _("evidence packs")
        default_permissions = ("view",)
        permissions = [("export_evidence", "Make and fetch evidence packs")]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status=PackStatus.READY.value)
                | Q(
                    stored_as__regex=r"^[0-9a-f]{32}$",
                    sha256__regex=r"^[0-9a-f]{64}$",
                    size_bytes__gte=1,
                    finished_at__isnull=False,
                ),
                name="evidencepack_ready_is_there",
            ),
            models.CheckConstraint(
                condition=~Q(status=PackStatus.FAILED.value) | Q(problem__gt=""),
                name="evidencepack_failed_says_why",
            ),
            models.CheckConstraint(
                condition=Q(started_at__isnull=True) | Q(started_at__gte=F("asked_at")),
                name="evidencepack_times_ordered",
            ),
            one_of("subject_kind", PackSubject, "evidencepack_subject_known"),
            one_of("status", PackStatus, "evidencepack_status_known"),
        ]
        indexes = [
            models.Index(fields=["-asked_at", "-id"], name="evidencepack_newest"),
            models.Index(fields=["subject_kind", "subject_id", "-id"], name="evidencepack_of_subject"),
            models.Index(
                fields=["asked_at"],
                condition=Q(status__in=[PackStatus.WAITING.value, PackStatus.MAKING.value]),
                name="evidencepack_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def stated_at(self) -> datetime:
        """The moment its facts are of, to the second: when it was begun, or else when it was asked for."""
        return (self.started_at or self.asked_at).replace(microsecond=0)
