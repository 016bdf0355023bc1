"""The project itself as a Django app: the workers' heartbeat, sessions, the guard at the database's door."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.backends.signals import connection_created


class CasinoConfig(AppConfig):
    """Wiring that needs Django to be ready."""

    name = "casino"
    verbose_name = "Bluecard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Put the guard at the database's door, and note where each session begins."""
        from casino.runtime.guard import on_connection
        from casino.sessions import note_beginning

        connection_created.connect(on_connection, dispatch_uid="casino.runtime.guard")
        import_module("casino.accounts")  # what two persons may do to an account reaches audit from there
        user_logged_in.connect(note_beginning, dispatch_uid="casino.sessions")
