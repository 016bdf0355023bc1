"""Settlements against their entries: sums, lines, cards, how it was played, and what the wallet is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from audit.queries.verifying import Problem
from tables.models import RoundStatus
from tables.queries.lines import lines_sql
from tables.services.journal import moment

SETTLEMENTS = f"""
SELECT w.entry_id, s.deal_id, s.outcome, s.bets_count, s.stakes_minor, s.returned_minor, s.moved_minor,
    s.lines_digest, s.authority::text, s.revision = (
        SELECT max(revision) FROM tables_settlement newest WHERE newest.round_id = s.round_id),
    (SELECT sha256(convert_to({lines_sql(bet="b", line="l", written_in="w.written_in")}, 'UTF8'))
     FROM tables_settlementline l JOIN tables_bet b ON b.id = l.bet_id WHERE l.settlement_id = s.id),
    s.lines_format, s.created_at, r.status, r.dealer_id, r.betting_opened_at, r.betting_closed_at,
    r.resulted_at, d.authority::text
FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::int[]) AS w (entry_id, round_id, revision, written_in)
JOIN tables_settlement s ON s.round_id = w.round_id AND s.revision = w.revision
JOIN tables_round r ON r.id = s.round_id
LEFT JOIN tables_deal d ON d.id = s.deal_id
"""
ALL_SETTLEMENTS = """
SELECT s.id, r.public_id, s.round_id, s.revision FROM tables_settlement s
JOIN tables_round r ON r.id = s.round_id ORDER BY s.id
"""
CARDS = """
SELECT deal_id, place, rank || suit, NOT EXISTS (SELECT 1 FROM tables_card n WHERE n.supersedes_id = c.id)
FROM tables_card c WHERE deal_id = ANY(%s) AND place = ANY(%s)
"""
# What each player is told, against what the sealed lines of this revision return otherwise than those of the
# one before. What was returned before is looked up bet by bet, as where it is settled.
MONEY = """
WITH revision AS MATERIALIZED (
    SELECT w.entry_id, w.label, s.id, s.revision, s.created_at, house.currency, (
        SELECT id FROM tables_settlement b WHERE b.round_id = s.round_id AND b.revision = s.revision - 1
    ) AS before_id
    FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::int[]) AS w (entry_id, label, round_id, revision)
    JOIN tables_settlement s ON s.round_id = w.round_id AND s.revision = w.revision
    JOIN tables_round r ON r.id = s.round_id JOIN tables_gametable house ON house.id = r.table_id
), line AS (
    SELECT v.id, b.player_id, b.id AS bet_id, l.moved_minor,
        l.returned_minor - coalesce(p.returned_minor, 0) AS owed_minor
    FROM revision v JOIN tables_settlementline l ON l.settlement_id = v.id
    JOIN tables_bet b ON b.id = l.bet_id
    LEFT JOIN LATERAL (
        SELECT returned_minor FROM tables_settlementline
        WHERE settlement_id = v.before_id AND bet_id = b.id LIMIT 1
    ) p ON true
), owed AS (
    SELECT id, player_id, sum(owed_minor) AS minor, bool_and(moved_minor = owed_minor) AS is_as_moved,
        array_agg(bet_id ORDER BY bet_id) AS bet_ids
    FROM line GROUP BY id, player_id
), told AS (
    SELECT v.id, t.player_id, sum(t.amount_minor) AS minor, count(*) AS many, min(t.bet_ids) AS bet_ids,
        bool_and(
            t.key = v.label || '/' || v.revision || '/' || t.player_id
            AND t.currency = v.currency AND t.created_at = v.created_at
        ) AS is_so_named
    FROM revision v JOIN tables_wallettransaction t ON t.settlement_id = v.id GROUP BY v.id, t.player_id
)
SELECT v.entry_id, count(*), min(player_id)
FROM owed FULL JOIN told USING (id, player_id) JOIN revision v USING (id)
WHERE coalesce(owed.minor, 0) <> coalesce(told.minor, 0) OR NOT owed.is_as_moved
    OR told.many > 1 OR NOT told.is_so_named OR told.bet_ids <> owed.bet_ids
GROUP BY v.entry_id ORDER BY v.entry_id
"""
PLACES = ["P1", "B1", "P2", "B2", "P3", "B3"]
OVER = (RoundStatus.SETTLED, RoundStatus.VOIDED)


class Settled(NamedTuple):
    """What an entry says of one revision of a round."""

    round_id: int
    label: str
    at: datetime
    data: Mapping[str, Any]


class _There(NamedTuple):
    """A revision as it is kept, with its round and its deal; the columns of SETTLEMENTS in their order."""

    deal_id: int | None
    outcome: str
    bets: int
    stakes_minor: int
    returned_minor: int
    moved_minor: int
    digest: bytes
    authority: str | None
    is_newest: bool
    lines: bytes
    lines_format: int
    created_at: datetime
    status: str
    dealer_id: int | None
    betting_opened_at: datetime
    betting_closed_at: datetime | None
    resulted_at: datetime | None
    deal_authority: str | None


def check_settlements(settlements: Mapping[int, Settled]) -> Iterator[Problem]:
    """Compare revisions with what was sealed of them: sums, lines, cards, times, and the money that moves."""
    if not settlements:
        return
    arguments = [
        list(settlements),
        [said.round_id for said in settlements.values()],
        [said.data["revision"] for said in settlements.values()],
        [said.data.get("lines_format", 1) for said in settlements.values()],
    ]
    there = {row[0]: _There._make(row[1:]) for row in _rows(SETTLEMENTS, arguments)}
    cards = _cards([row.deal_id for row in there.values() if row.deal_id is not None])
    sound: dict[int, Settled] = {}
    for id_, said in settlements.items():
        row = there.get(id_)
        if row is None:
            yield Problem("settlement_deleted", f"{_name(said)} is gone", id_)
        elif _are_lines_sealed(row, said.data):
            sound[id_] = said
        else:
            yield Problem("lines_altered", f"{_name(said)}: its lines are not those that were settled", id_)
        if row is not None:
            yield from _compare(id_, said, row, cards)
    yield from _check_money(sound)


def _name(said: Settled) -> str:
    return f"round {said.label}: revision {said.data['revision']}"


def _are_lines_sealed(row: _There, data: Mapping[str, Any]) -> bool:
    digests = {bytes(row.lines).hex(), bytes(row.digest).hex()}
    return digests == {data["lines_digest"]} and row.lines_format == data.get("lines_format", 1)


def _compare(
    id_: int, said: Settled, row: _There, cards: Mapping[int, list[tuple[str, str, bool]]]
) -> Iterator[Problem]:
    data, name = said.data, _name(said)
    money = (int(row.stakes_minor), int(row.returned_minor), int(row.moved_minor))
    sums = (row.outcome, row.bets, *money, row.authority)
    names = ("outcome", "bets", "stakes_minor", "returned_minor", "moved_minor", "authority")
    wanted = tuple(data[key] for key in names)
    if sums != wanted:
        yield Problem("settlement_altered", f"{name} is {sums}, was settled as {wanted}", id_)
    if row.created_at != said.at:
        yield Problem("settlement_altered", f"{name} was settled at {moment(said.at)}, not as it says", id_)
    if data["cards"] and not _are_there(data["cards"], cards.get(row.deal_id or 0, []), row.is_newest):
        words = f"{name}: the cards are not {' '.join(data['cards'])}, by which it was settled"
        yield Problem("cards_altered", words, id_)
    if differing := sorted(_played_otherwise(row, data.get("played", {}))):
        words = f"{name}: {', '.join(differing)} of its round is not what it was when it was settled"
        yield Problem("round_altered", words, id_)


def _played_otherwise(row: _There, played: Mapping[str, Any]) -> Iterator[str]:
    """Name what is not as the entry says; a round that is dealt again has other times until it is settled."""
    there: dict[str, Any] = {"dealer": row.dealer_id, "authority": row.deal_authority}
    times: dict[str, datetime | None] = {"betting_opened_at": row.betting_opened_at}
    if row.is_newest and row.status in OVER:
        times |= {"betting_closed_at": row.betting_closed_at, "resulted_at": row.resulted_at}
    there |= {name: moment(at) if at else None for name, at in times.items()}
    return (name for name, value in there.items() if name in played and played[name] != value)


def _check_money(settlements: Mapping[int, Settled]) -> Iterator[Problem]:
    """Compare what the wallet is told with what the lines say, where those are the ones that were sealed."""
    arguments = [
        list(settlements),
        [said.label for said in settlements.values()],
        [said.round_id for said in settlements.values()],
        [said.data["revision"] for said in settlements.values()],
    ]
    for id_, players, first in _rows(MONEY, arguments) if settlements else ():
        words = f"what the wallet is told of {players} players (#{first}) is not what its lines moved"
        yield Problem("wallet_altered", f"{_name(settlements[id_])}: {words}", id_)


def _cards(deal_ids: list[int]) -> dict[int, list[tuple[str, str, bool]]]:
    found: dict[int, list[tuple[str, str, bool]]] = {}
    for deal_id, place, face, is_current in _rows(CARDS, [deal_ids, PLACES]):
        found.setdefault(deal_id, []).append((place, face, is_current))
    return found


def _are_there(wanted: list[str], there: list[tuple[str, str, bool]], is_newest: bool) -> bool:
    """Say whether the cards are those that lie there now, or for an older revision lay there once."""
    current = sorted((PLACES.index(place), face) for place, face, is_current in there if is_current)
    if is_newest:
        return [face for _, face in current] == wanted
    return not Counter(wanted) - Counter(face for _, face, _ in there)


def _rows(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
