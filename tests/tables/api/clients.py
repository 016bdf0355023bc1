"""Clients that ask as a machine or as a person."""

from django.contrib.auth.models import Permission, User
from django.test import Client

from tables.models import GameTable
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.tables.playing import NOON


def key_client(table: GameTable | None, *scopes: str) -> Client:
    """Return a client that signs its requests with a new key."""
    _, text = make_api_key(label="test", table=table, scopes=scopes, actor=SYSTEM, at=NOON)
    return Client(headers={"Authorization": f"Bearer {text}"})


def staff_client(*permissions: str, is_staff: bool = True) -> Client:
    """Return a client signed in as a person with these permissions of `tables`."""
    user = User.objects.create_user(f"somebody-{User.objects.count()}", is_staff=is_staff)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client
