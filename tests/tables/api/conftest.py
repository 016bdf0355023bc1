"""A table with two rounds played, and those who ask about it."""

from typing import Any

import pytest
from django.test import Client

from tables.models import Round
from tests.tables.api.clients import key_client
from tests.tables.playing import Platform, make_table

BANKER_WINS = "KS 2H QD KH KC 10H"  # 0 and 2 after four cards; K and 10 drawn
TIE_ON_SIX = "6H 6C KS QD"  # 6 and 6, both stand


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
