"""A small house behind the pages, and people of each role in front of them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import models
from django.test import Client

from casino.roles import ROLES
from tables.models import (
    ApiKey,
    Bet,
    Dealer,
    FeedEvent,
    Finding,
    GameTable,
    JournalEntry,
    Player,
    Receivable,
    Reconciliation,
    Round,
    Rulebook,
    Settlement,
    Shoe,
    WalletDelivery,
    WalletTransaction,
)
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.tables.playing import NOON, Platform, make_table

SignIn = Callable[[str], Client]

#: For each model with a list: what has to differ between rows, as text with the number of the row in it.
ROWS: dict[type[models.Model], dict[str, Any]] = {
    Round: {"public_id": "Z{:02}", "platform_id": "R-{:02}", "number": 100},
    Shoe: {"public_id": "S{:02}", "number": 10, "status": "ended", "ended_at": NOON + timedelta(days=1)},
    GameTable: {"code": "C{:02}"},
    Bet: {"platform_bet_id": "copy-{:02}"},
    Finding: {},
    Settlement: {},  # each of another round, for a later revision needs a ruling
    WalletTransaction: {"key": "copy-{:02}"},
    JournalEntry: {},
    FeedEvent: {"event_id": "copy-{:02}", "seq": 10_000},
    Rulebook: {"version": 10, "content_hash": "{:064x}"},
    Dealer: {"reference": "D-copy-{:02}"},
    Player: {},
    ApiKey: {"prefix": "copy{:02}"},
}
#: All models with a list. Rows of the last ones stand on other rows: tests of their own make them.
LISTED: list[type[models.Model]] = [*ROWS, WalletDelivery, Receivable, Reconciliation]


@pytest.fixture
def table(db: Any) -> GameTable:
    """Provide table B01 under the insurance rulebook, open, without a shoe."""
    table = make_table(rulebook="insurance")
    Platform(table).say("table_opened")
    return table


@pytest.fixture
def platform(db: Any) -> Platform:
    """Provide table B01 under the insurance rulebook, open, with a shoe, and nothing played."""
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


@pytest.fixture
def played(platform: Platform) -> Round:
    """Provide one settled round with three bets and the key of its table, and nothing else."""
    make_api_key(label="B01", table=platform.table, scopes=["feed:write"], actor=SYSTEM, at=NOON)
    return platform.play(
        "KS 2H QD KH KC 10H",
        ("b1", "P-10001", "banker", 10_000),
        ("b2", "P-10002", "player", 20_000),
        ("b3", "P-10001", "tie", 500),
    )


@pytest.fixture
def sign_in(db: Any) -> SignIn:
    """Return a function that signs a person of a role in, and gives their browser."""
    if not Group.objects.filter(name="auditor").exists():
        call_command("set_up_roles", verbosity=0)

    def sign_in(role: str) -> Client:
        user = User.objects.create_user(
            f"a-{role}", password="x", is_staff=True, first_name="Ann", last_name="B"
        )
        user.groups.add(Group.objects.get(name=role))
        client = Client()
        client.force_login(user)
        return client

    assert set(ROLES) >= {"auditor", "support", "administrator"}
    return sign_in


def copy_rows(model: type[models.Model], count: int) -> None:
    """Add rows like the first of a model, different only where they must be."""
    if model is Settlement:
        copy_rows(Round, count)
    first = model._default_manager.order_by("pk")[0]
    rounds = list(Round.objects.order_by("-pk")[:count])
    rows = []
    for number in range(count):
        row = model._default_manager.get(pk=first.pk)
        row.pk = None
        row._state.adding = True
        for field, value in ROWS[model].items():
            if isinstance(value, str) and "{" in value:
                value = value.format(number + 1)
            elif isinstance(value, int):
                value = value + number
            setattr(row, field, value)
        if isinstance(row, Settlement):
            row.round = rounds[number]
        rows.append(row)
    model._default_manager.bulk_create(rows)
