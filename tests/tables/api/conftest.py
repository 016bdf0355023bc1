"""A table with two rounds played, and clients that ask as a machine or as a person."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tables.models import GameTable, Round
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.tables.playing import NOON, Platform, make_table

BANKER_WINS = "KS 2H QD KH KC 10H"  # 0 and 2 after four cards; K and 10 drawn
TIE_ON_SIX = "6H 6C KS QD"  # 6 and 6, both stand

KeyClient = Callable[..., Client]


def key_client(table: GameTable | None, *scopes: str) -> Client:
    """Return a client that signs its requests with a new key."""
    _, text = make_api_key(label="test", table=table, scopes=scopes, actor=SYSTEM, at=NOON)
    return Client(headers={"Authorization": f"Bearer {text}"})


def staff_client(*permissions: str, is_staff: bool = True) -> Client:
    """Return a client signed in as a person with these permissions of `tables`."""
    user = User.objects.create_user("somebody", is_staff=is_staff)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def platform(db: Any) -> Platform:
    """Provide table B01, open, with a shoe, and nothing played."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def rounds(platform: Platform) -> list[Round]:
    """Provide two settled rounds, three bets in the first and one in the second."""
    return [
        platform.play(
            BANKER_WINS,
            ("b1", "P-10001", "banker", 200),
            ("b2", "P-10002", "player", 200),
            ("b3", "P-10001", "tie", 100),
        ),
        platform.play(TIE_ON_SIX, ("b4", "P-10002", "tie", 500)),
    ]


@pytest.fixture
def reader(platform: Platform) -> Client:
    """Provide a client that may read play and wallet of all tables."""
    return key_client(None, "play:read", "wallet:read")


@pytest.fixture
def sender(platform: Platform) -> Client:
    """Provide the client of table B01's own feed."""
    return key_client(platform.table, "feed:write")
