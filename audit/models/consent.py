"""What takes two persons besides rulings and the set-up: a late complaint admitted, a video hold released."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import one_of


class ConsentKind(StrEnum):
    LATE_COMPLAINT = "late_complaint"
    VIDEO_RELEASE = "video_release"


class ConsentStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Consent(models.Model):
    """One person asks, another consents; what was asked never changes."""

    append_only = True
    updatable_columns = ("status", "decided_by", "decided_by_person", "decided_at", "decision_reason")

    kind = models.CharField(_("kind"), max_length=16)
    complaint = models.ForeignKey(
        "audit.Complaint", on_delete=models.PROTECT, null=True, related_name="consents"
    )
    video_hold = models.ForeignKey(
        "audit.VideoHold", on_delete=models.PROTECT, null=True, related_name="consents"
    )
    reason = models.TextField(_("reason"))
    status = models.CharField(_("state"), max_length=9, default=ConsentStatus.REQUESTED.value)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_by_person = models.ForeignKey("audit.Person", on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(_("asked"))
    expires_at = models.DateTimeField(_("expires"))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_by_person = models.ForeignKey(
        "audit.Person", on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    decision_reason = models.TextField(_("reason of the decision"), blank=True)

    class Meta:
        verbose_name = _("consent of a second person")
        verbose_name_plural = _("consents of a second person")
        default_permissions = ("view",)
        permissions = [
            ("request_consent", "Ask for a second person's consent"),
            ("give_consent", "Consent as the second person, or refuse"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=ConsentKind.LATE_COMPLAINT.value, complaint__isnull=False, video_hold=None)
                | Q(kind=ConsentKind.VIDEO_RELEASE.value, complaint=None, video_hold__isnull=False),
                name="consent_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=~Q(status=ConsentStatus.APPROVED.value)
                | Q(decided_by_person__isnull=False, decided_at__isnull=False),
                name="consent_given_by_someone",
            ),
            models.CheckConstraint(
                condition=Q(decided_by_person__isnull=True)
                | ~Q(status=ConsentStatus.APPROVED.value)
                | ~Q(decided_by_person=F("requested_by_person")),
                name="consent_four_eyes",
            ),
            models.CheckConstraint(condition=Q(reason__gt=""), name="consent_says_why"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("requested_at")), name="consent_times_ordered"
            ),
            models.UniqueConstraint(
                fields=["complaint"],
                condition=Q(status=ConsentStatus.REQUESTED.value),
                name="consent_one_open_per_complaint",
            ),
            models.UniqueConstraint(
                fields=["video_hold"],
                condition=Q(status=ConsentStatus.REQUESTED.value),
                name="consent_one_open_per_hold",
            ),
            one_of("kind", ConsentKind, "consent_kind_known"),
            one_of("status", ConsentStatus, "consent_status_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
