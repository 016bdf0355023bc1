"""Make the tables that carry Celery's messages, where PostgreSQL itself is the broker."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection, transaction
from pgmq.install import get_embedded_install_sql, get_embedded_sql_version


class Command(BaseCommand):
    """Install PGMQ's functions as plain SQL, as the schema's owner; another broker needs nothing of ours."""

    help = "Install PGMQ (SQL only, no extension) where it carries Celery's messages and is not there yet."

    def handle(self, *args: Any, **options: Any) -> None:
        """Install once; a schema that is there is left as it is."""
        if not settings.BROKER_IS_PGMQ:
            self.stdout.write("The broker is another: nothing to prepare")
            return
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pgmq'")
            if cursor.fetchone() is not None:
                self.stdout.write("PGMQ is there")
                return
            cursor.execute(get_embedded_install_sql())
        self.stdout.write(f"PGMQ {get_embedded_sql_version()} installed")
