"""A table with a settled round, and people who ask and decide over the API."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tables.models import Round
from tests.audit.deciding import MANAGES, SUPERVISES, make_user
from tests.tables.playing import Platform, make_table

SEES = ("audit.view_incident", "audit.view_ruling", "audit.view_notice", "audit.view_tabledecision")


@pytest.fixture
def platform(db: Any) -> Platform:
    """Provide table B01 with a shoe."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def round_(platform: Platform) -> Round:
    """Provide a settled round: 9 to 2, 100 on the Player won and 150 on Banker lost."""
    return platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 150))


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES, *SEES)


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES, *SEES)


def signed_in(user: User, **how: Any) -> Client:
    client = Client(**how)
    client.force_login(user)
    return client
