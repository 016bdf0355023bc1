"""What the next revision of a round would return, computed from nothing, in sets.

`Plan` is all that decides. The same common table expressions settle a round and preview a ruling, so that
what was approved and what is booked are worked out by one statement.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from tables.models import Deal, Round, Settlement
from tables.queries.rulebooks import rules_of
from tables.rules.bets import verdicts
from tables.rules.drawing import Coup
from tables.rules.insurance import offers_of_coup
from tables.rules.rulebook import Rulebook as Rules
from tables.rules.rulebook import WrongOdds


@dataclass(frozen=True, slots=True)
class Plan:
    """A round's live deal and what rulings lay over it.

    `coup` is None where nothing decides yet: every bet is void (`void_all`), or open again (`is_open`).
    """

    deal: Deal | None
    coup: Coup | None
    void_all: bool = False
    void_kinds: frozenset[str] = frozenset()
    is_open: bool = False

    @property
    def overlay(self) -> dict[str, Any]:
        """Return what the settlement keeps of the rulings in force."""
        return {"void_all": self.void_all, "void_kinds": sorted(self.void_kinds), "is_open": self.is_open}


# `verdict` is what the engine said, a row a kind and phase. A bet of a dead deal is void, and so is insurance
# that the coup does not offer at the odds it was sold at. Odds shown pay insurance alone, and only where
# the rulebook says so. What was paid before is looked up bet by bet: joined, its rows, of which there may be
# no statistics yet, could be read anew for each bet.
PAID = """
verdict AS (
    SELECT * FROM unnest(
        %(kinds)s::text[], %(phases)s::text[], %(results)s::text[],
        %(nums)s::bigint[], %(dens)s::bigint[], %(odds)s::text[]
    ) AS v (kind, phase, result, num, den, odds)
), judged AS (
    SELECT b.id, b.platform_bet_id, b.player_id, b.kind, b.phase, b.deal_id, b.odds_offered, b.odds_shown,
        b.stake_minor, coalesce(p.result, '') AS before, CASE
            WHEN %(void_all)s OR b.kind = ANY(%(void_kinds)s::text[]) THEN 'void'
            WHEN b.deal_id <> %(deal)s THEN 'void'
            WHEN %(is_open)s THEN 'open'
            WHEN b.phase <> '' AND v.odds IS DISTINCT FROM b.odds_offered THEN 'void'
            ELSE v.result END AS result,
        CASE WHEN %(pays_shown)s AND b.phase <> '' AND b.odds_shown <> ''
            THEN split_part(b.odds_shown, '/', 1)::bigint ELSE v.num END AS num,
        CASE WHEN %(pays_shown)s AND b.phase <> '' AND b.odds_shown <> ''
            THEN coalesce(nullif(split_part(b.odds_shown, '/', 2), ''), '1')::bigint ELSE v.den END AS den,
        coalesce(p.returned_minor, 0) AS before_minor
    FROM tables_bet b
    LEFT JOIN verdict v ON v.kind = b.kind AND v.phase = b.phase
    LEFT JOIN LATERAL (
        SELECT result, returned_minor FROM tables_settlementline
        WHERE settlement_id = %(previous)s AND bet_id = b.id LIMIT 1
    ) p ON true
    WHERE b.round_id = %(round)s AND b.status = 'accepted'
), paid AS MATERIALIZED (
    SELECT id, platform_bet_id, player_id, kind, phase, deal_id, odds_offered, odds_shown, stake_minor,
        before, result, before_minor, CASE result
            WHEN 'won' THEN stake_minor + bluecard_winnings(stake_minor, num, den, %(rounding)s)
            WHEN 'push' THEN stake_minor WHEN 'void' THEN stake_minor ELSE 0 END AS returned_minor
    FROM judged
)
"""

TOTALS = f"""
WITH {PAID}, player AS (
    SELECT player_id, sum(returned_minor - before_minor) AS moved FROM paid GROUP BY player_id
)
SELECT
    (SELECT count(*) FROM paid), (SELECT count(*) FROM paid WHERE returned_minor <> before_minor),
    (SELECT count(*) FROM player),
    (SELECT coalesce(sum(stake_minor), 0) FROM paid), (SELECT coalesce(sum(before_minor), 0) FROM paid),
    (SELECT coalesce(sum(returned_minor), 0) FROM paid),
    (SELECT coalesce(sum(moved), 0) FROM player WHERE moved > 0),
    (SELECT coalesce(-sum(moved), 0) FROM player WHERE moved < 0),
    (SELECT encode(sha256(convert_to(coalesce(string_agg(
        id || ' ' || before || ' ' || before_minor || ' ' || result || ' ' || returned_minor,
        E'\\n' ORDER BY id
    ), ''), 'UTF8')), 'hex') FROM paid)
"""

BY_KIND = f"""
WITH {PAID}
SELECT kind, count(*), sum(before_minor), sum(returned_minor), sum(returned_minor - before_minor)
FROM paid GROUP BY kind ORDER BY abs(sum(returned_minor - before_minor)) DESC, kind
"""

BY_PLAYER = f"""
WITH {PAID}
SELECT player_id, sum(before_minor), sum(returned_minor), sum(returned_minor - before_minor)
FROM paid GROUP BY player_id
ORDER BY abs(sum(returned_minor - before_minor)) DESC, player_id LIMIT %(limit)s OFFSET %(offset)s
"""


# The same of many rounds that are void as a whole: every bet returns its stake, whatever was dealt.
VOID_TOTALS = """
WITH newest AS (
    SELECT DISTINCT ON (round_id) round_id, id, revision FROM tables_settlement
    WHERE round_id = ANY(%(rounds)s) ORDER BY round_id, revision DESC
), paid AS MATERIALIZED (
    SELECT b.round_id, b.id, b.player_id, b.stake_minor, coalesce(p.result, '') AS before,
        coalesce(p.returned_minor, 0) AS before_minor
    FROM tables_bet b
    LEFT JOIN newest n ON n.round_id = b.round_id
    LEFT JOIN tables_settlementline p ON p.settlement_id = n.id AND p.bet_id = b.id
    WHERE b.round_id = ANY(%(rounds)s) AND b.status = 'accepted'
), player AS (
    SELECT round_id, sum(stake_minor - before_minor) AS moved FROM paid GROUP BY round_id, player_id
), moved AS (
    SELECT round_id, count(*) AS players, coalesce(sum(moved) FILTER (WHERE moved > 0), 0) AS given,
        coalesce(-sum(moved) FILTER (WHERE moved < 0), 0) AS taken
    FROM player GROUP BY round_id
), summed AS (
    SELECT round_id, count(*) AS bets, count(*) FILTER (WHERE stake_minor <> before_minor) AS changed,
        sum(stake_minor) AS stakes, sum(before_minor) AS before,
        encode(sha256(convert_to(string_agg(
            id || ' ' || before || ' ' || before_minor || ' void ' || stake_minor, E'\n' ORDER BY id
        ), 'UTF8')), 'hex') AS digest
    FROM paid GROUP BY round_id
)
SELECT r.id, coalesce(n.revision, 0), s.bets, s.changed, m.players, s.stakes, s.before, s.stakes, m.given,
    m.taken, s.digest
FROM unnest(%(rounds)s::bigint[]) AS r (id)
LEFT JOIN newest n ON n.round_id = r.id
LEFT JOIN summed s ON s.round_id = r.id
LEFT JOIN moved m ON m.round_id = r.id
"""


class Totals(NamedTuple):
    """A revision summed up; all sums in minor units, `digest` covers each bet before and after."""

    bets: int
    bets_changed: int
    players: int
    stakes_minor: int
    before_minor: int
    after_minor: int
    given_minor: int
    taken_minor: int
    digest: str

    @property
    def moved_minor(self) -> int:
        return self.given_minor - self.taken_minor


NO_TOTALS = Totals(0, 0, 0, 0, 0, 0, 0, 0, hashlib.sha256(b"").hexdigest())


class KindMove(NamedTuple):
    kind: str
    bets: int
    before_minor: int
    after_minor: int
    moved_minor: int


class PlayerMove(NamedTuple):
    player_id: int
    before_minor: int
    after_minor: int
    moved_minor: int


def newest_revision(round_: Round) -> Settlement | None:
    """Return a round's newest revision, if it was ever settled."""
    return Settlement.objects.filter(round=round_).order_by("-revision").first()


def totals_of(round_: Round, plan: Plan) -> Totals:
    """Sum up what the next revision would do, and digest every bet before and after."""
    (row,) = _rows(TOTALS, round_, plan)
    *counts, digest = row
    bets, changed, players, stakes, before, after, given, taken = map(int, counts)
    return Totals(bets, changed, players, stakes, before, after, given, taken, digest)


def void_totals(rounds: Sequence[Round]) -> dict[int, tuple[int, Totals]]:
    """Sum up, in one statement, what voiding each of these rounds would do; with the revision it has now."""
    with connection.cursor() as cursor:
        cursor.execute(VOID_TOTALS, {"rounds": [round_.pk for round_ in rounds]})
        rows = cursor.fetchall()
    found = {}
    for round_id, revision, *counts, digest in rows:
        if digest is None:
            found[round_id] = (revision, NO_TOTALS)
            continue
        bets, changed, players, stakes, before, after, given, taken = map(int, counts)
        totals = Totals(bets, changed, players, stakes, before, after, given, taken, digest)
        found[round_id] = (revision, totals)
    return found


def moves_by_kind(round_: Round, plan: Plan) -> list[KindMove]:
    """List what the next revision moves, a row a kind of bet, the largest first."""
    return [KindMove(kind, *map(int, sums)) for kind, *sums in _rows(BY_KIND, round_, plan)]


def moves_by_player(
    round_: Round, plan: Plan, *, limit: int | None = None, offset: int = 0
) -> list[PlayerMove]:
    """List what the next revision moves, a row a player, the largest first."""
    rows = _rows(BY_PLAYER, round_, plan, limit=limit, offset=offset)
    return [PlayerMove(*map(int, row)) for row in rows]


def _rows(statement: str, round_: Round, plan: Plan, **more: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {**parameters(round_, plan, newest_revision(round_)), **more})
        return cursor.fetchall()


def parameters(round_: Round, plan: Plan, previous: Settlement | None) -> dict[str, Any]:
    """Give the statement what it needs of a plan: the verdicts as arrays, and the overlay."""
    rules = rules_of(round_.rulebook_id)
    rows = verdict_rows(rules, plan.coup)
    parts = [(row["odds"] or "0").partition("/") for row in rows]
    return {
        "kinds": [row["kind"] for row in rows],
        "phases": [row["phase"] for row in rows],
        "results": [row["result"] for row in rows],
        "nums": [int(numerator) for numerator, _, _ in parts],
        "dens": [int(denominator or 1) for _, _, denominator in parts],
        "odds": [row["offered"] for row in rows],
        "void_all": plan.void_all,
        "void_kinds": sorted(plan.void_kinds),
        "is_open": plan.is_open,
        "deal": plan.deal.pk if plan.deal else 0,
        "pays_shown": rules.insurance is not None and rules.insurance.wrong_odds is WrongOdds.SHOWN,
        "previous": previous.pk if previous else None,
        "round": round_.pk,
        "rounding": rules.rounding.value,
    }


def verdict_rows(rules: Rules, coup: Coup | None) -> list[dict[str, Any]]:
    """List what the engine says of each kind and phase; nothing without a coup."""
    if coup is None:
        return []
    on_sale = offers_of_coup(rules, coup)
    return [
        {
            "kind": kind,
            "phase": phase,
            "result": verdict.result.value,
            "odds": str(verdict.odds) if verdict.odds is not None else None,
            "offered": str(on_sale[kind, phase]) if phase else None,
        }
        for (kind, phase), verdict in verdicts(rules, coup).items()
    ]
