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
            ("manage_accounts", "End sessions of others and take away a second factor that is lost"),
        )

    @classmethod
    def get_session_store_class(cls) -> type:
        from casino.sessions import SessionStore

        return SessionStore
