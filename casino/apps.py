"""The project itself as a Django app: the broker's schema, the workers' heartbeat, the guard at the door."""

from django.apps import AppConfig


class CasinoConfig(AppConfig):
    """Wiring that needs Django to be ready."""

    name = "casino"
    verbose_name = "Bluecard"
    default_auto_field = "django.db.models.BigAutoField"
