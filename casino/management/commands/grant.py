"""Tell PostgreSQL what the run-time role may do."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from psycopg.conninfo import conninfo_to_dict

from casino.runtime.grants import grant_to


class Command(BaseCommand):
    """Give the run-time role its rights, as the schema's owner; to be run after each migration."""

    help = "Give the role of DATABASE_URL its rights: it may only read and add in append-only tables."

    def add_arguments(self, parser: Any) -> None:
        """Take the role's name where DATABASE_URL is not at hand."""
        parser.add_argument("--role", default=None, help="the run-time role; by default that of DATABASE_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Grant in one transaction, so that no moment has half the rights."""
        role = options["role"] or conninfo_to_dict(settings.DATABASE_URL).get("user")
        if not role:
            raise CommandError("name the run-time role: --role, or the user in DATABASE_URL")
        with transaction.atomic():
            append_only = grant_to(str(role))
        self.stdout.write(f"{role} may only read and add in {append_only} tables")
