"""What the clock does for the project itself."""

from typing import Any

from celery import shared_task

from casino.sessions import SessionStore


@shared_task(name="casino.clear_sessions")
def clear_sessions(**_newer: Any) -> None:
    """Delete the sessions whose time is up: nobody can use them any more."""
    SessionStore.clear_expired()
