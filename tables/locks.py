"""Every lock of play and settlement in one place: first the table's state, then rounds in order of id."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

from tables.models import Round, TableState, WalletDelivery


def lock_table_state(table_id: int) -> TableState:
    """Lock what lies on a table; all play on it goes through this row.

    :raises TableState.DoesNotExist: if the table was never set up.
    """
    return TableState.objects.select_for_update(of=("self",), no_key=True).get(pk=table_id)


def lock_round(round_id: int, *read_with: str) -> Round:
    """Lock one round; read columns of what it belongs to with it, as in `table__currency`.

    :raises Round.DoesNotExist: if there is none.
    """
    rounds = Round.objects.select_for_update(of=("self",), no_key=True)
    if read_with:
        parents = sorted({path.partition("__")[0] for path in read_with})
        rounds = rounds.select_related(*parents).only(*_columns_of_rounds(), *read_with)
    return rounds.get(pk=round_id)


def _columns_of_rounds() -> list[str]:
    return [column.name for column in Round._meta.concrete_fields]


def lock_rounds(round_ids: Iterable[int]) -> list[Round]:
    """Lock several rounds, always in order of id, so that two who want the same ones cannot deadlock."""
    rows = Round.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=list(round_ids))
    return list(rows.order_by("pk"))


def lock_delivery(transaction_id: int) -> WalletDelivery:
    """Lock the message of a wallet transaction.

    :raises WalletDelivery.DoesNotExist: if there is none.
    """
    locked = WalletDelivery.objects.select_for_update(of=("self",), no_key=True)
    return locked.select_related("transaction").get(pk=transaction_id)


def try_singleton(name: str) -> bool:
    """Take a lock of this database session that only one holder may have; False when another has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s))", [f"bluecard.{name}"])
        return bool(cursor.fetchone()[0])


@contextmanager
def singleton(name: str) -> Iterator[bool]:
    """Hold such a lock for a while, or give False; when the process dies, the lock goes with its session."""
    is_ours = try_singleton(name)
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", [f"bluecard.{name}"])
