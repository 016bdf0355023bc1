"""The money of a ruling by kind of bet and by player: what it would move, or what it moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from audit.models import Ruling, RulingKind, RulingStatus
from audit.queries.previews import RoundPreview, preview_round
from tables.models import Round
from tables.queries.people import references_of
from tables.queries.revisions import KindMove, moves_by_kind, moves_by_player
from tables.rules.drawing import IllegalCoup

BOOKED = frozenset({RulingStatus.APPLYING, RulingStatus.STOPPED, RulingStatus.APPLIED})
WAITING = frozenset({RulingStatus.REQUESTED, RulingStatus.APPROVED})

# Of many rounds only voids are asked for at once: each bet returns its stake.
_VOIDED: Final = """
    SELECT b.kind, b.player_id, coalesce(l.returned_minor, 0) AS before, b.stake_minor AS after
    FROM tables_bet b
    LEFT JOIN LATERAL (
        SELECT id FROM tables_settlement s WHERE s.round_id = b.round_id ORDER BY revision DESC LIMIT 1
    ) newest ON true
    LEFT JOIN tables_settlementline l ON l.settlement_id = newest.id AND l.bet_id = b.id
    WHERE b.round_id = ANY(%(rounds)s) AND b.status = 'accepted'
"""
# What was booked is the first revision under the ruling; a later one settles the second deal it ordered.
_BOOKED: Final = """
    SELECT b.kind, b.player_id, l.returned_minor - l.moved_minor AS before, l.returned_minor AS after
    FROM audit_rulinground rr
    JOIN tables_settlement s ON s.round_id = rr.round_id AND s.authority = %(authority)s
        AND s.revision = rr.base_revision + 1
    JOIN tables_settlementline l ON l.settlement_id = s.id
    JOIN tables_bet b ON b.id = l.bet_id
    WHERE rr.ruling_id = %(ruling)s
"""
_BY_KIND: Final = """
SELECT kind, count(*), sum(before), sum(after), sum(after - before) FROM ({rows}) AS moved
GROUP BY kind ORDER BY abs(sum(after - before)) DESC, kind
"""
_BY_PLAYER: Final = """
SELECT player_id, sum(before), sum(after), sum(after - before) FROM ({rows}) AS moved
GROUP BY player_id ORDER BY abs(sum(after - before)) DESC, player_id LIMIT %(limit)s OFFSET %(offset)s
"""
_KEPT: Final = """
SELECT count(*), sum(s.kept_minor)
FROM unnest(%(rounds)s::bigint[], %(revisions)s::int[]) AS r (round_id, revision)
JOIN tables_settlement s ON s.round_id = r.round_id AND s.revision = r.revision
"""
_COUNT: Final = "SELECT count(DISTINCT player_id) FROM ({rows}) AS moved"


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """One player under a ruling; sums in minor units."""

    player_id: int
    reference: str
    before_minor: int
    after_minor: int
    moved_minor: int


@dataclass(frozen=True, slots=True)
class RulingMoney:
    """What a ruling moves. Everything is empty where no bet is touched."""

    kinds: tuple[KindMove, ...]
    players: tuple[PlayerLine, ...]
    players_count: int
    is_booked: bool = False

    @property
    def before_minor(self) -> int:
        return sum(kind.before_minor for kind in self.kinds)

    @property
    def after_minor(self) -> int:
        return sum(kind.after_minor for kind in self.kinds)

    @property
    def moved_minor(self) -> int:
        return sum(kind.moved_minor for kind in self.kinds)

    @property
    def largest_minor(self) -> int:
        return max((abs(kind.moved_minor) for kind in self.kinds), default=0)


NOTHING: Final = RulingMoney((), (), 0)


def money_of_parts(
    parts: Sequence[RoundPreview], *, limit: int | None = None, offset: int = 0
) -> RulingMoney:
    """Read what rounds under a preview would move, and a page of its players."""
    moving = [part for part in parts if part.plan is not None]
    if not moving:
        return NOTHING
    if len(moving) > 1:
        ids = [part.round.pk for part in moving]
        return _read(_VOIDED, {"rounds": ids}, limit, offset, is_booked=False)
    (part,) = moving
    assert part.plan is not None
    rows = moves_by_player(part.round, part.plan, limit=limit, offset=offset)
    return RulingMoney(
        tuple(moves_by_kind(part.round, part.plan)), _named([tuple(row) for row in rows]), part.totals.players
    )


def money_of_ruling(ruling: Ruling, *, limit: int | None = None, offset: int = 0) -> RulingMoney:
    """Read what a ruling moves, or as far as it was carried out, what it moved.

    Of one that was refused, expired or overtaken before it began nothing is told but the sums kept with it.
    """
    status = RulingStatus(ruling.status)
    if status in BOOKED or (status is RulingStatus.STALE and ruling.started_at is not None):
        keys = {"ruling": ruling.pk, "authority": ruling.uuid}
        return _read(_BOOKED, keys, limit, offset, is_booked=True)
    if status not in WAITING:
        return NOTHING
    rounds = Round.objects.filter(ruling_rounds__ruling=ruling).select_related("shoe").order_by("pk")
    if ruling.rounds_count > 1:
        ids = list(rounds.values_list("pk", flat=True))
        return _read(_VOIDED, {"rounds": ids}, limit, offset, is_booked=False)
    kind = RulingKind(ruling.kind)
    try:
        parts = [preview_round(one, kind, ruling.facts, reinstates=ruling.reinstates) for one in rounds]
    except (IllegalCoup, ValueError, KeyError):
        return NOTHING
    return money_of_parts(parts, limit=limit, offset=offset)


def house_result_before(revisions: Mapping[int, int]) -> int | None:
    """Return what the house kept of rounds, by their revisions, in minor units; None if one has none."""
    asked = {"rounds": list(revisions), "revisions": list(revisions.values())}
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, asked)
        count, kept = cursor.fetchone()
    return int(kept) if count and count == len(revisions) else None


def _read(rows: str, keys: dict[str, Any], limit: int | None, offset: int, *, is_booked: bool) -> RulingMoney:
    with connection.cursor() as cursor:
        cursor.execute(_BY_KIND.format(rows=rows), keys)
        kinds = tuple(KindMove(kind, *map(int, sums)) for kind, *sums in cursor.fetchall())
        cursor.execute(_BY_PLAYER.format(rows=rows), {**keys, "limit": limit, "offset": offset})
        players = _named(cursor.fetchall())
        cursor.execute(_COUNT.format(rows=rows), keys)
        count = int(cursor.fetchone()[0])
    return RulingMoney(kinds, players, count, is_booked)


def _named(rows: Sequence[tuple[Any, ...]]) -> tuple[PlayerLine, ...]:
    names = references_of(row[0] for row in rows)
    return tuple(PlayerLine(row[0], names[row[0]], *map(int, row[1:])) for row in rows)
