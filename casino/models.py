"""The one fact the project itself keeps: which workers are there."""

from django.db import models


class WorkerHeartbeat(models.Model):
    """When a Celery worker last said that it lives, by the database's clock."""

    worker = models.CharField(max_length=200, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.worker} at {self.at:%H:%M:%S}"
