"""One who follows the wallet transactions never misses one, however late it commits."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db.models import Q

from tables.models import WalletTransaction
from tables.queries import wallet_feed
from tables.queries.wallet_feed import transactions_after
from tests.database import OwnTestDatabase
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)

INSERT = """
INSERT INTO tables_wallettransaction
    (key, settlement_id, player_id, kind, amount_minor, currency, bet_ids, created_at)
SELECT %s, settlement_id, player_id, kind, amount_minor, currency, bet_ids, created_at
FROM tables_wallettransaction ORDER BY id LIMIT 1
"""


@pytest.fixture
def played() -> int:
    """Provide one transaction; its number is returned."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    platform.play("6H 6C KS QD", ("b1", "P-1", "tie", 500))
    return WalletTransaction.objects.get().pk


@pytest.fixture
def slow(own_database: OwnTestDatabase) -> Iterator[psycopg.Connection]:
    """Provide another session, whose transaction ends when the test says so."""
    with psycopg.connect(own_database.app_url) as connection:
        yield connection


@pytest.fixture
def quick(own_database: OwnTestDatabase) -> Iterator[psycopg.Connection]:
    """Provide a session that commits at once."""
    with psycopg.connect(own_database.app_url, autocommit=True) as connection:
        yield connection


def follow(after: int) -> tuple[list[str], int]:
    rows, after, _ = transactions_after(after, of=Q(), limit=50)
    return [row.key for row in rows], after


def test_a_late_commit_is_not_missed(
    monkeypatch: pytest.MonkeyPatch, played: int, slow: psycopg.Connection, quick: psycopg.Connection
) -> None:
    monkeypatch.setattr(wallet_feed, "PATIENCE_SECONDS", 0.1)
    slow.execute(INSERT, ["first"])  # takes the lower number, and is not committed yet
    quick.execute(INSERT, ["second"])
    seen, after = follow(played)
    assert (seen, after) == ([], played)
    slow.commit()
    seen, after = follow(after)
    assert seen == ["first", "second"]
    assert follow(after) == ([], after)


def test_asking_only_for_what_is_greater_would_miss_it(
    played: int, slow: psycopg.Connection, quick: psycopg.Connection
) -> None:
    """The twin: without looking at who still writes, the one that commits late is never seen."""

    def naive(after: int) -> list[str]:
        return list(
            WalletTransaction.objects.filter(pk__gt=after).order_by("pk").values_list("key", flat=True)
        )

    slow.execute(INSERT, ["first"])
    quick.execute(INSERT, ["second"])
    assert naive(played) == ["second"]
    after = WalletTransaction.objects.get(key="second").pk
    slow.commit()
    assert naive(after) == []


def test_a_number_given_up_does_not_hold_the_others_back(
    played: int, slow: psycopg.Connection, quick: psycopg.Connection
) -> None:
    slow.execute(INSERT, ["first"])
    slow.rollback()
    quick.execute(INSERT, ["second"])
    assert follow(played)[0] == ["second"]


def test_what_stands_before_the_one_being_written_is_shown(
    monkeypatch: pytest.MonkeyPatch, played: int, slow: psycopg.Connection, quick: psycopg.Connection
) -> None:
    monkeypatch.setattr(wallet_feed, "PATIENCE_SECONDS", 0.1)
    quick.execute(INSERT, ["before"])
    slow.execute(INSERT, ["late"])
    quick.execute(INSERT, ["beyond"])
    seen, after = follow(played)
    assert seen == ["before"]
    slow.commit()
    assert follow(after)[0] == ["late", "beyond"]
