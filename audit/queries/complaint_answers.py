"""The answers to complaints in an order in which none is missed by who asks for what came after the last."""

from django.db.models import Q

from audit.models import ComplaintAction, ComplaintEvent
from tables.queries.commit_order import settled_up_to


def answers_after(after: int, *, of: Q, limit: int) -> tuple[list[ComplaintEvent], int, bool]:
    """Read what was answered after number `after`: rows, the number to go on from, whether more waits.

    Call it outside a transaction: an answer that is still being written is waited for.
    """
    settled = settled_up_to(ComplaintEvent, after)
    if settled <= after:
        return [], after, False
    answers = ComplaintEvent.objects.select_related("complaint").filter(
        of, action=ComplaintAction.ANSWERED.value, pk__gt=after, pk__lte=settled
    )
    rows = list(answers.order_by("pk")[: limit + 1])
    if len(rows) > limit:
        rows.pop()
        return rows, rows[-1].pk, True
    return rows, settled, False
