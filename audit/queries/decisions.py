"""What a table is told, as it is written out to the table itself."""

from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from audit.models import TableDecision, TableWebhook
from tables.queries.commit_order import settled_up_to


def decision_body(decision: TableDecision) -> dict[str, Any]:
    """Return a decision as the table gets it, whether it asks or is called: our IDs beside its own."""
    round_, shoe = decision.round, decision.shoe
    return {
        "id": decision.pk,
        "table": decision.table.code,
        "kind": decision.kind,
        "round": round_.public_id if round_ else None,
        "platform_round": round_.platform_id if round_ else None,
        "shoe": shoe.public_id if shoe else None,
        "platform_shoe": shoe.platform_id if shoe else None,
        "ruling": decision.ruling.number if decision.ruling else None,
        "data": decision.data,
        "decided_at": decision.created_at,
    }


def loaded_decisions() -> QuerySet[TableDecision]:
    """Return decisions with all that is told of them."""
    return TableDecision.objects.select_related("table", "round", "shoe", "ruling")


def decisions_after(table_id: int, after: int, limit: int) -> tuple[list[TableDecision], int, bool]:
    """Read what a table was told after number `after`: rows, the number to go on from, whether more waits.

    Call it outside a transaction: a decision that is still being written is waited for.
    """
    settled = settled_up_to(TableDecision, after)
    if settled <= after:
        return [], after, False
    rows = list(
        loaded_decisions().filter(table=table_id, pk__gt=after, pk__lte=settled).order_by("pk")[: limit + 1]
    )
    if len(rows) > limit:
        rows.pop()
        return rows, rows[-1].pk, True
    return rows, settled, False


def tables_to_call(now: datetime) -> list[int]:
    """List the tables with a webhook whose oldest decision not yet acknowledged is due."""
    oldest = TableDecision.objects.filter(table=OuterRef("table_id"), acknowledged_at__isnull=True)
    due = TableWebhook.objects.filter(is_active=True).annotate(
        due=Subquery(oldest.order_by("pk").values("due_at")[:1])
    )
    return list(due.filter(due__lte=now).order_by("due").values_list("table_id", flat=True))
