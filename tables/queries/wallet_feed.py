"""The wallet transactions in an order in which none is missed by who asks for what came after the last."""

from django.db.models import Q, QuerySet

from tables.models import WalletTransaction
from tables.queries.commit_order import settled_up_to

PATIENCE_SECONDS = 1.0


def transactions_after(after: int, *, of: Q, limit: int) -> tuple[list[WalletTransaction], int, bool]:
    """Read what follows number `after`: the rows `of` chooses, the number to go on from, whether more waits.

    Call it outside a transaction: each look has to see what was committed up to that moment.
    """
    settled = settled_up_to(WalletTransaction, after, patience_seconds=PATIENCE_SECONDS)
    if settled <= after:
        return [], after, False
    rows = list(_loaded().filter(of, pk__gt=after, pk__lte=settled).order_by("pk")[: limit + 1])
    if len(rows) > limit:
        rows.pop()
        return rows, rows[-1].pk, True
    return rows, settled, False


def _loaded() -> QuerySet[WalletTransaction]:
    related = ("settlement__round", "player__identity", "delivery", "receivable")
    return WalletTransaction.objects.select_related(*related)
