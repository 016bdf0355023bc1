"""The facts the project itself keeps: which workers are there, and who is signed in where."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models


class WorkerHeartbeat(models.Model):
    """When a Celery worker last said that it lives, by the database's clock."""

    worker = models.CharField(max_length=200, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.worker} at {self.at:%H:%M:%S}"


class AccountState(models.Model):
    """What the house keeps of an account besides what Django does."""

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.PROTECT, primary_key=True, related_name="state"
    )
    #: Empty where none was chosen: the browser's.
    language = models.CharField(max_length=2, blank=True)
    #: Until when the password that somebody else made for it opens; empty once it has one of its own.
    first_password_until = models.DateTimeField(null=True)
    #: Until when two persons allow that it is given a new password.
    new_password_until = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=models.Q(language__in=["", "en", "th"]), name="accountstate_language_known"
            )
        ]

    def __str__(self) -> str:
        return f"state of account {self.account_id}"


class SignedInSession(AbstractBaseSession):
    """A browser's session: whose it is, and when, from where and with what it began."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="sessions", editable=False
    )
    began_at = models.DateTimeField(null=True)
    address = models.CharField(max_length=45)
    browser = models.CharField(max_length=200)

    objects: ClassVar[Any] = BaseSessionManager()

    class Meta(AbstractBaseSession.Meta):
        default_permissions = ()
        permissions = (
            ("manage_accounts", "Enter people, give and take roles, end sessions, give new passwords"),
        )

    @classmethod
    def get_session_store_class(cls) -> type:
        from casino.sessions import SessionStore

        return SessionStore
