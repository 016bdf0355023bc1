"""The Django project: wiring only. What was dealt lives in `tables`, what was questioned in `audit`."""

from casino.celery import app as celery_app

__all__ = ("celery_app",)
