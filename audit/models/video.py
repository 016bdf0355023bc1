"""Holds on video: asked of the recorder at once, and kept until two persons release them."""

from enum import StrEnum
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import one_of


class VideoHoldStatus(StrEnum):
    """`asked` and `releasing` wait for the recorder's word."""

    ASKED = "asked"
    HELD = "held"
    REFUSED = "refused"
    LAPSED = "lapsed"
    RELEASING = "releasing"
    RELEASED = "released"


VIDEO_FLOW: dict[VideoHoldStatus, frozenset[VideoHoldStatus]] = {
    VideoHoldStatus.ASKED: frozenset({VideoHoldStatus.HELD, VideoHoldStatus.REFUSED, VideoHoldStatus.LAPSED}),
    # A late word of the recorder that it held after all.
    VideoHoldStatus.LAPSED: frozenset({VideoHoldStatus.HELD}),
    VideoHoldStatus.HELD: frozenset({VideoHoldStatus.RELEASING}),
    VideoHoldStatus.RELEASING: frozenset({VideoHoldStatus.RELEASED}),
    VideoHoldStatus.REFUSED: frozenset(),
    VideoHoldStatus.RELEASED: frozenset(),
}


class VideoHold(models.Model):
    """A round's piece of video that the recorder is to keep beyond its 24 hours."""

    append_only = True
    updatable_columns = (
        "status", "attempts", "due_at", "answered_at", "alarmed_at", "last_error", "release", "released_at",
        "noted_at", "noted_by", "noted_because",
    )  # fmt: skip

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, related_name="video_holds")
    camera = models.CharField(_("camera"), max_length=24)
    from_at = models.DateTimeField(_("from"))
    to_at = models.DateTimeField(_("to"), null=True)
    lapses_at = models.DateTimeField(_("lapses without a hold"))
    status = models.CharField(_("state"), max_length=9, default=VideoHoldStatus.ASKED.value)
    asked_at = models.DateTimeField(_("hold asked"))
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due"), null=True)
    answered_at = models.DateTimeField(_("recorder answered"), null=True)
    alarmed_at = models.DateTimeField(_("alarm"), null=True)
    last_error = models.CharField(_("last error"), max_length=300, blank=True)
    release = models.ForeignKey("audit.Consent", on_delete=models.PROTECT, null=True, related_name="+")
    released_at = models.DateTimeField(_("released"), null=True)
    noted_at = models.DateTimeField(_("taken note of"), null=True)
    noted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    noted_because = models.TextField(_("why nothing is left to do"), blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("hold on video")
        verbose_name_plural = _("holds on video")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(to_at__isnull=True) | Q(to_at__gte=F("from_at")), name="videohold_times_ordered"
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[VideoHoldStatus.RELEASING.value, VideoHoldStatus.RELEASED.value])
                | Q(release__isnull=False),
                name="videohold_released_by_two",
            ),
            # A round that is dealt again ends later, and what is dealt then is held as well; what is being
            # released is asked for anew, under another name.
            models.UniqueConstraint(
                fields=["round", "camera", "to_at"],
                condition=Q(status__in=["asked", "held"]),
                nulls_distinct=False,
                name="videohold_one_per_piece",
            ),
            models.CheckConstraint(
                condition=Q(noted_at__isnull=True, noted_by__isnull=True, noted_because="")
                | Q(noted_at__isnull=False, noted_by__isnull=False, noted_because__gt=""),
                name="videohold_noted_says_why",
            ),
            one_of("status", VideoHoldStatus, "videohold_status_known"),
        ]
        indexes = [
            models.Index(fields=["-asked_at", "-id"], name="videohold_newest"),
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="videohold_due"),
            models.Index(
                fields=["lapses_at"],
                condition=Q(status=VideoHoldStatus.ASKED.value),
                name="videohold_about_to_lapse",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.camera} {self.uuid}"

    @property
    def is_alarm(self) -> bool:
        """Say whether the video is lost, or not kept, and nobody has taken note of it yet."""
        is_lost = self.status == VideoHoldStatus.LAPSED and self.alarmed_at is not None
        return self.noted_at is None and (is_lost or self.status == VideoHoldStatus.REFUSED)


class VideoHoldCause(models.Model):
    """What a hold is for: an incident, a ruling or a complaint."""

    append_only = True

    hold = models.ForeignKey(VideoHold, on_delete=models.PROTECT, related_name="causes")
    incident = models.ForeignKey(
        "audit.Incident", on_delete=models.PROTECT, null=True, related_name="video_causes"
    )
    ruling = models.ForeignKey(
        "audit.Ruling", on_delete=models.PROTECT, null=True, related_name="video_causes"
    )
    complaint = models.ForeignKey(
        "audit.Complaint", on_delete=models.PROTECT, null=True, related_name="video_causes"
    )
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("cause of a hold on video")
        verbose_name_plural = _("causes of holds on video")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(incident__isnull=False, ruling=None, complaint=None)
                | Q(incident=None, ruling__isnull=False, complaint=None)
                | Q(incident=None, ruling=None, complaint__isnull=False),
                name="videoholdcause_is_one_thing",
            )
        ]

    def __str__(self) -> str:
        return f"cause of {self.hold_id}"
