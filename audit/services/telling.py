"""Telling the table what was decided, and each player what it means, with or before the money."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction

from audit.models import DecisionKind, Ruling, RulingKind, RulingRound, TableDecision, TableWebhook
from audit.rules.notices import Happening, notice_text
from tables.models import GameTable, Round, Settlement, Shoe, TableStatus
from tables.queries.rulebooks import rules_of
from tables.rules.currencies import decimals_of
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
GROUP BY b.player_id ORDER BY b.player_id
ON CONFLICT DO NOTHING
"""


# Before a round is settled there are no lines: whoever has a bet that the decision touches is told.
WRITE_EARLY_NOTICES = """
INSERT INTO audit_notice (player_id, round_id, ruling_id, text_en, text_th, moved_minor, created_at)
SELECT player_id, %(round)s, %(ruling)s,
    replace(%(en)s, '{moved}', ltrim(bluecard_money(sum(stake_minor), %(scale)s), '+')),
    replace(%(th)s, '{moved}', ltrim(bluecard_money(sum(stake_minor), %(scale)s), '+')),
    0, %(now)s
FROM tables_bet
WHERE round_id = %(round)s AND status = 'accepted'
    AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s::text[]))
GROUP BY player_id ORDER BY player_id
ON CONFLICT DO NOTHING
"""


def happening_of(
    ruling: Ruling, round_: Round, before: str, after: str, *, is_paid: bool = True
) -> Happening:
    """Gather what is said to everybody in a round of the ruling; `before` and `after` are its outcomes."""
    passage = rules_of(round_.rulebook_id).passages.get(ruling.passage)
    return Happening(
        kind=ruling.kind,
        round_id=round_.public_id,
        rule_en=passage.text.en if passage else ruling.passage,
        rule_th=passage.text.th if passage else ruling.passage,
        before=before,
        after=after,
        currency=ruling.table.currency,
        scale=decimals_of(ruling.table.currency),
        is_paid=is_paid,
    )


def write_late_notices(round_: Round, settlement: Settlement) -> None:
    """Write to players whose bets of a void kind were read after the ruling, and who heard nothing yet.

    Called with the money: the engine settles the round, and what was told before stays as it is.
    """
    in_force = RulingRound.objects.filter(
        round=round_, is_in_force=True, ruling__kind=RulingKind.VOID_KINDS.value
    )
    for row in in_force.select_related("ruling__table").order_by("ruling_id"):
        outcome = settlement.outcome
        happening = happening_of(row.ruling, round_, outcome, outcome, is_paid=False)
        kinds = row.ruling.facts["kinds"]
        write_early_notices(round_, row.ruling, happening, kinds=kinds, at=settlement.created_at)


def write_notices(settlement: Settlement, ruling: Ruling, happening: Happening, *, at: datetime) -> None:
    """Write a notice to every player of a round, in both languages, in one statement."""
    of_round = {"round": settlement.round_id, "settlement": settlement.pk}
    _write(WRITE_NOTICES, of_round, ruling, happening, at)


def write_early_notices(
    round_: Round, ruling: Ruling, happening: Happening, *, kinds: Sequence[str] | None, at: datetime
) -> None:
    """Write a notice to the players of a round yet to be settled; `kinds` of bet choose among them."""
    of_round = {"round": round_.pk, "kinds": list(kinds) if kinds is not None else None}
    _write(WRITE_EARLY_NOTICES, of_round, ruling, happening, at)


def _write(
    statement: str, of_round: dict[str, Any], ruling: Ruling, happening: Happening, at: datetime
) -> None:
    texts = {"en": notice_text(happening, "en"), "th": notice_text(happening, "th")}
    more: dict[str, Any] = {"ruling": ruling.pk, "scale": happening.scale, "now": at}
    with connection.cursor() as cursor:
        cursor.execute(statement, {**of_round, **texts, **more})
