"""Make what carries Celery's messages, where that is not made by itself."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection, transaction
from kombu.connection import Connection
from kombu.entity import Queue
from pgmq.install import get_embedded_install_sql, get_embedded_sql_version


class Command(BaseCommand):
    """Install PGMQ in the database, or declare RabbitMQ's queue of given-up messages, once."""

    help = "Install PGMQ (SQL only, no extension), or declare RabbitMQ's dead-letter queue, once."

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare the broker that the settings name; what is there is left as it is."""
        if settings.BROKER_IS_PGMQ:
            self.stdout.write(install_pgmq())
        elif settings.BROKER_URL.startswith("amqp"):
            self.stdout.write(declare_dead_letters())
        else:
            self.stdout.write("This broker needs nothing prepared")


def install_pgmq() -> str:
    """Install PGMQ's functions as the schema's owner; return what was done."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'")
        if cursor.fetchone() is not None:
            return "PGMQ is there"
        cursor.execute(get_embedded_install_sql())
    return f"PGMQ {get_embedded_sql_version()} installed"


def declare_dead_letters() -> str:
    """Declare the queue to which RabbitMQ moves what was delivered too often; return what was done."""
    dead = Queue(settings.DEAD_LETTERS, routing_key="", queue_arguments={"x-queue-type": "quorum"})
    with Connection(settings.BROKER_URL) as broker:
        dead.bind(broker.default_channel).queue_declare()
    return f"RabbitMQ keeps given-up messages in {settings.DEAD_LETTERS}"
