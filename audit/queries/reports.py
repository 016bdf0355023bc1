"""What many rounds, incidents and complaints add up to, over a period: each report one statement.

Sums come from settlements, never from bets, and each statement is led by the index of its time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from django.db import connection

from tables.rules.drawing import Outcome
from tables.rules.odds import enumerate_shoe

_OUTCOMES: Final = """
SELECT s.decks, r.outcome, count(*)
FROM tables_round r JOIN tables_shoe s ON s.id = r.shoe_id
WHERE {period} AND r.status = 'settled'
GROUP BY 1, 2
"""
_MONEY: Final = """
SELECT t.code, t.currency, count(*), count(newest.stakes_minor),
    coalesce(sum(newest.stakes_minor), 0), coalesce(sum(newest.returned_minor), 0),
    coalesce(sum(newest.kept_minor), 0),
    count(*) FILTER (WHERE r.status = 'voided'),
    coalesce(sum(newest.stakes_minor) FILTER (WHERE r.status = 'voided'), 0)
FROM tables_round r
JOIN tables_gametable t ON t.id = r.table_id
LEFT JOIN LATERAL (
    SELECT stakes_minor, returned_minor, kept_minor
    FROM tables_settlement x WHERE x.round_id = r.id ORDER BY x.revision DESC LIMIT 1
) newest ON true
WHERE {period}
GROUP BY 1, 2 ORDER BY 2, 1
"""
_DEALERS: Final = """
WITH dealt AS (
    SELECT coalesce(r.dealer_id, 0) AS dealer_id, count(*) AS rounds FROM tables_round r
    WHERE {period} AND r.betting_closed_at IS NOT NULL GROUP BY 1
), reported AS (
    SELECT coalesce(r.dealer_id, 0) AS dealer_id, count(*) AS incidents
    FROM audit_incident i LEFT JOIN tables_round r ON r.id = i.round_id
    WHERE {incidents} GROUP BY 1
)
SELECT coalesce(d.reference, ''), coalesce(d.name, ''), coalesce(dealt.rounds, 0),
    coalesce(reported.incidents, 0)
FROM dealt FULL JOIN reported USING (dealer_id)
LEFT JOIN tables_dealer d ON d.id = dealer_id
"""
# A ruling that was overtaken half-way has moved money too: what counts are the rounds it was applied to.
_RULINGS: Final = """
SELECT g.kind, t.currency, count(DISTINCT g.id), count(rr.id), coalesce(sum(rr.given_minor), 0),
    coalesce(sum(rr.taken_minor), 0)
FROM audit_ruling g
JOIN tables_gametable t ON t.id = g.table_id
LEFT JOIN audit_rulinground rr ON rr.ruling_id = g.id AND rr.status = 'applied'
WHERE {rulings} AND (g.status = 'applied' OR rr.id IS NOT NULL)
GROUP BY 1, 2 ORDER BY 2, 4 DESC, 1
"""
_COMPLAINTS: Final = """
SELECT CASE WHEN c.merged_into_id IS NOT NULL THEN 'merged'
            WHEN c.status = 'refused' THEN 'refused'
            WHEN c.status IN ('upheld', 'rejected', 'closed') THEN c.outcome
            ELSE 'open' END,
    CASE WHEN c.status = 'refused' AND c.merged_into_id IS NULL THEN c.refusal ELSE '' END,
    count(*), count(c.answered_at), count(*) FILTER (WHERE c.answered_at > c.answer_due_at)
FROM audit_complaint c
WHERE {complaints}
GROUP BY 1, 2
"""
#: The moment that a report goes by, and the column of the table, by the name in the statements.
_NARROWED: Final = {
    "period": ("r.betting_opened_at", "r.table_id"),
    "incidents": ("i.reported_at", "i.table_id"),
    "rulings": ("g.requested_at", "g.table_id"),
    "complaints": ("c.received_at", "c.table_id"),
}


@dataclass(frozen=True, slots=True)
class Span:
    """What is asked about: from a moment until before another, at one table or at all."""

    since: datetime
    until: datetime
    table_id: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """How often an outcome came up against how often it does over all orders of a fresh shoe."""

    outcome: str
    counted: int
    share: Fraction
    expected: Fraction
    deviations: float  # by how many standard deviations more or fewer


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """The rounds of one table, or of all of a currency (no table), each by its newest revision."""

    table: str
    currency: str
    rounds: int
    settled: int  # rounds that have a settlement, void ones among them
    stakes_minor: int
    returned_minor: int
    kept_minor: int  # may be negative
    voids: int
    void_stakes_minor: int  # stakes that went back because the round is void

    @property
    def hold(self) -> Fraction | None:
        """Return kept / stakes; None where nothing was staked."""
        return Fraction(self.kept_minor, self.stakes_minor) if self.stakes_minor else None


@dataclass(frozen=True, slots=True)
class DealerLine:
    """What one dealer dealt and what happened there; no reference stands for nobody in particular."""

    reference: str
    name: str
    rounds: int
    incidents: int

    @property
    def per_thousand(self) -> Fraction | None:
        return Fraction(1000 * self.incidents, self.rounds) if self.rounds else None


@dataclass(frozen=True, slots=True)
class RulingLine:
    """Rulings of one kind that were carried out, in one currency."""

    kind: str
    currency: str
    rulings: int
    rounds: int
    given_minor: int
    taken_minor: int


@dataclass(frozen=True, slots=True)
class ComplaintCounts:
    """Each complaint stands in one of refused, upheld, rejected, merged and open."""

    received: int
    refused: dict[str, int]
    upheld: int
    rejected: int
    merged: int
    open: int
    answered: int
    answered_late: int


def outcomes_of(span: Span) -> list[OutcomeLine]:
    """Count the outcomes of settled rounds against the exact odds of their shoes; none without a round."""
    counted: Counter[Outcome] = Counter()
    rounds: Counter[int] = Counter()
    for decks, outcome, count in _ask(_OUTCOMES, span):
        counted[Outcome(outcome)] += count
        rounds[decks] += count
    total = rounds.total()
    if not total:
        return []
    lines = []
    for outcome in Outcome:
        chances = {decks: _chance(decks, outcome) for decks in rounds}
        awaited = sum((count * chances[decks] for decks, count in rounds.items()), Fraction(0))
        spread = sum(
            (count * chances[decks] * (1 - chances[decks]) for decks, count in rounds.items()), Fraction(0)
        )
        lines.append(
            OutcomeLine(
                outcome.value,
                counted[outcome],
                Fraction(counted[outcome], total),
                awaited / total,
                float(counted[outcome] - awaited) / sqrt(spread),
            )
        )
    return lines


def money_of(span: Span) -> list[MoneyLine]:
    """Sum up what rounds took and gave back by table; a currency of several tables has a line for all."""
    lines = [MoneyLine(row[0], row[1], *map(int, row[2:])) for row in _ask(_MONEY, span)]
    found: list[MoneyLine] = []
    for currency in dict.fromkeys(line.currency for line in lines):
        own = [line for line in lines if line.currency == currency]
        found += own
        if len(own) > 1:
            found.append(_all_of(own))
    return found


def dealers_of(span: Span) -> list[DealerLine]:
    """Hold the incidents reported against the rounds dealt, by dealer: the highest rate first."""
    lines = [DealerLine(*row) for row in _ask(_DEALERS, span)]
    return sorted(lines, key=lambda line: (-(line.per_thousand or 0), -line.incidents, line.reference))


def rulings_of(span: Span) -> list[RulingLine]:
    """Sum up the rulings that were asked for in the period and carried out."""
    return [RulingLine(row[0], row[1], *map(int, row[2:])) for row in _ask(_RULINGS, span)]


def complaints_of(span: Span) -> ComplaintCounts:
    """Count what became of the complaints received in the period."""
    rows = _ask(_COMPLAINTS, span)
    ends: Counter[str] = Counter()
    for end, _reason, count, *_ in rows:
        ends[end] += count
    return ComplaintCounts(
        received=ends.total(),
        refused={reason: count for end, reason, count, *_ in sorted(rows) if end == "refused"},
        upheld=ends["upheld"],
        rejected=ends["rejected"],
        merged=ends["merged"],
        open=ends["open"],
        answered=sum(row[3] for row in rows),
        answered_late=sum(row[4] for row in rows),
    )


def _chance(decks: int, outcome: Outcome) -> Fraction:
    shoe = enumerate_shoe(decks)
    return Fraction(shoe.outcomes[outcome], shoe.combinations)


def _all_of(lines: Sequence[MoneyLine]) -> MoneyLine:
    return MoneyLine(
        "",
        lines[0].currency,
        sum(line.rounds for line in lines),
        sum(line.settled for line in lines),
        sum(line.stakes_minor for line in lines),
        sum(line.returned_minor for line in lines),
        sum(line.kept_minor for line in lines),
        sum(line.voids for line in lines),
        sum(line.void_stakes_minor for line in lines),
    )


def _ask(statement: str, span: Span) -> list[tuple[Any, ...]]:
    """Run a statement; a table is named only where one is asked for, so that its own index can lead."""
    narrowed = {
        name: f"{moment} >= %(since)s AND {moment} < %(until)s"
        + (f" AND {table} = %(table)s" if span.table_id is not None else "")
        for name, (moment, table) in _NARROWED.items()
    }
    asked = {"since": span.since, "until": span.until, "table": span.table_id}
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**narrowed), asked)
        return list(cursor.fetchall())
