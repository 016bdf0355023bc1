"""Celery: the bell that says there is work. The work itself, and its truth, lie in PostgreSQL."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("bluecard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
