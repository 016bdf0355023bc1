"""Persons behind accounts, and changes of the house's set-up that take two of them."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import one_of


class Person(models.Model):
    """A human being who works here. Several accounts may be one person's; decisions count persons."""

    name = models.CharField(_("name"), max_length=120)
    created_at = models.DateTimeField(_("entered"))

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("persons")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name


class PersonAccount(models.Model):
    """The link of an account to its person. Once made it is changed by two other persons only."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="person_account"
    )
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="accounts")
    change = models.ForeignKey("audit.SetupChange", on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = _("account of a person")
        verbose_name_plural = _("accounts of persons")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.user_id} is {self.person_id}"


class ChangeKind(StrEnum):
    """What of the set-up takes two persons."""

    THRESHOLDS = "thresholds"
    PERSON_LINK = "person_link"
    ROLE = "role"
    ACCESS = "access"
    RULEBOOK = "rulebook"


class ChangeStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class SetupChange(models.Model):
    """A change of thresholds, person links, deciding roles or rulebooks: one asks, another approves."""

    kind = models.CharField(_("kind"), max_length=12)
    payload = models.JSONField(_("what is to change"))
    reason = models.TextField(_("reason"))
    status = models.CharField(_("state"), max_length=9, default=ChangeStatus.REQUESTED.value)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_by_person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(_("asked"))
    expires_at = models.DateTimeField(_("expires"))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_by_person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(_("decided"), null=True)
    decision_reason = models.TextField(_("reason of the decision"), blank=True)

    class Meta:
        verbose_name = _("change of the set-up")
        verbose_name_plural = _("changes of the set-up")
        default_permissions = ("view",)
        permissions = [
            ("request_setup_change", "Ask for a change of the set-up"),
            ("approve_setup_change", "Approve a change of the set-up"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(decided_by_person__isnull=True)
                | ~Q(status=ChangeStatus.APPROVED.value)
                | ~Q(decided_by_person=F("requested_by_person")),
                name="setupchange_four_eyes",
            ),
            models.CheckConstraint(
                condition=~Q(status=ChangeStatus.APPROVED.value) | Q(decided_by_person__isnull=False),
                name="setupchange_approved_by_someone",
            ),
            models.CheckConstraint(condition=Q(reason__gt=""), name="setupchange_says_why"),
            one_of("kind", ChangeKind, "setupchange_kind_known"),
            one_of("status", ChangeStatus, "setupchange_status_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
