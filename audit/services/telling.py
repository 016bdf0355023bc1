"""Telling the table what was decided, and each player what it means, with or before the money."""

from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction

from audit.models import DecisionKind, Ruling, TableDecision, TableWebhook
from audit.rules.notices import Happening, notice_text
from tables.models import GameTable, Round, Settlement, Shoe, TableStatus
from tables.services import outbox

DELIVER = "audit.deliver_decisions"


def tell_table(
    table: GameTable,
    kind: DecisionKind,
    *,
    at: datetime,
    round_: Round | None = None,
    shoe: Shoe | None = None,
    ruling: Ruling | None = None,
    data: dict[str, Any] | None = None,
) -> TableDecision:
    """Put a decision on the table's list; it is delivered until the table acknowledges it."""
    if TableWebhook.objects.filter(table=table, is_active=True).exists():
        transaction.on_commit(partial(outbox.ring, DELIVER, [table.pk]))
    return TableDecision.objects.create(
        table=table,
        round=round_,
        shoe=shoe,
        ruling=ruling,
        kind=kind.value,
        data=data or {},
        created_at=at,
        due_at=at,
    )


def tell_state(table: GameTable, at: datetime) -> TableDecision:
    """Tell a table that a person opened or closed it, and as what; why is nobody's business there."""
    kind = DecisionKind.TABLE_OPENED if table.status == TableStatus.OPEN else DecisionKind.TABLE_CLOSED
    return tell_table(table, kind, at=at, data={"status": table.status})


WRITE_NOTICES = """
INSERT INTO audit_notice (player_id, round_id, ruling_id, text_en, text_th, moved_minor, created_at)
SELECT b.player_id, %(round)s, %(ruling)s,
    replace(%(en)s, '{moved}', bluecard_money(sum(l.moved_minor), %(scale)s)),
    replace(%(th)s, '{moved}', bluecard_money(sum(l.moved_minor), %(scale)s)),
    sum(l.moved_minor), %(now)s
FROM tables_settlementline l JOIN tables_bet b ON b.id = l.bet_id
WHERE l.settlement_id = %(settlement)s
GROUP BY b.player_id
ON CONFLICT DO NOTHING
"""


def write_notices(settlement: Settlement, ruling: Ruling, happening: Happening, *, at: datetime) -> None:
    """Write a notice to every player of a round, in both languages, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            WRITE_NOTICES,
            {
                "round": settlement.round_id,
                "ruling": ruling.pk,
                "settlement": settlement.pk,
                "en": notice_text(happening, "en"),
                "th": notice_text(happening, "th"),
                "scale": happening.scale,
                "now": at,
            },
        )
