"""How Django knows this app."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """What was questioned, what was decided, and what can be proved."""

    name = "audit"
    verbose_name = _("Audit")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the tasks, so that eager mode finds them registered and never dials the broker.

        What rulings in force lay over a round reaches the engine from here, and that a shoe is in doubt the
        reader of the feed; what persons do to a table reaches it, and who bet on a void kind afterwards is
        told.
        """
        import_module("audit.tasks")
        overlays = import_module("tables.queries.overlays")
        in_force = import_module("audit.queries.rulings_in_force")
        overlays.add_overlay(in_force.kinds_void_by_ruling)
        import_module("tables.queries.doubts").add_doubt(in_force.ruling_on_shoe)
        opening = import_module("tables.services.opening")
        telling = import_module("audit.services.telling")
        opening.add_teller(telling.tell_state)
        settlement = import_module("tables.services.settlement")
        settlement.add_teller(telling.write_late_notices)
