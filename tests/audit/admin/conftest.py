"""A table, two people who decide about it, and their browsers."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from casino.roles import ROLES
from tables.models import Round
from tests.audit.deciding import make_user
from tests.tables.playing import Platform, make_table, publish_all

PLAYER_WINS = "9H 2D KC QS"  # 9 to 2


@pytest.fixture
def platform(db: Any) -> Platform:
    """Provide table B01 under the commission rulebook, open, with a shoe, and nothing played."""
    publish_all()
    platform = Platform(make_table(rulebook="commission"))
    platform.start(burn=2)
    return platform


@pytest.fixture
def played(platform: Platform) -> Round:
    """Provide a settled round: the Player won 9 to 2; one bet won, one lost."""
    return platform.play(
        PLAYER_WINS, ("b1", "P-10001", "player", 10_000), ("b2", "P-10002", "banker", 30_000)
    )


@pytest.fixture
def supervisor(platform: Platform) -> User:
    return make_user("suda", *ROLES["supervisor"].permissions)


@pytest.fixture
def manager(platform: Platform) -> User:
    return make_user("nattaya", *ROLES["manager"].permissions)


@pytest.fixture
def floor(supervisor: User) -> Client:
    """Provide the browser of a supervisor."""
    return browser_of(supervisor)


@pytest.fixture
def office(manager: User) -> Client:
    """Provide the browser of a manager, who is another person than the supervisor."""
    return browser_of(manager)


def browser_of(user: User) -> Client:
    """Sign somebody in."""
    client = Client()
    client.force_login(user)
    return client
