"""Celery: the bell that says there is work. The work itself, and its truth, lie in PostgreSQL."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("bluecard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def prepare_worker(sender: Any, **_signal: Any) -> None:
    """Refuse a role that may do too much, before the first task is taken."""
    refuse_unfit_database()


@beat_init.connect
def prepare_beat(**_signal: Any) -> None:
    """Refuse a role that may do too much, as the worker does."""
    refuse_unfit_database()


def refuse_unfit_database() -> None:
    """End this process if it would work as owner or superuser; Celery swallows any milder exception here."""
    from casino.runtime.guard import UnfitDatabase, look_at_the_door

    try:
        look_at_the_door()
    except UnfitDatabase as error:
        raise SystemExit(f"bluecard: {error}") from error


@app.on_after_configure.connect
def add_heartbeat(sender: Celery, **_signal: Any) -> None:
    """Let each worker say that it lives."""
    from casino.heartbeat import HeartbeatStep

    sender.steps["worker"].add(HeartbeatStep)
