"""How Django knows this app."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TablesConfig(AppConfig):
    """What was dealt and what it paid."""

    name = "tables"
    verbose_name = _("Tables")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the tasks, so that eager mode finds them registered and never dials the broker."""
        import_module("tables.tasks")
