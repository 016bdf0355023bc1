"""Print the JSON Schema of the feed's events, as published in docs/schema."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from tables.feed.events import event_schema


def schema_text() -> str:
    """Return the published form of the schema: indented, ending with a line end."""
    return json.dumps(event_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    help = "Print the JSON Schema (2020-12) of one feed event."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(schema_text(), ending="")
