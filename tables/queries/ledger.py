"""The ledger checked from nothing: cards, rulebook and bets say what each newest revision ought to say.

Rounds are read in batches, each from one snapshot, their bets through a server-side cursor: the memory
needed does not grow with the ledger, and what is settled meanwhile cannot look like an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from tables.models import RoundStatus, Rulebook
from tables.queries.ledger_expected import Expected, Overlay, Staked, expected_of
from tables.queries.ledger_sql import BETS, CARDS, FOREIGN_LINES, HEADS, MOVES, WALLET
from tables.queries.lines import line_text
from tables.rules.document import RulebookError, parse_rulebook
from tables.rules.rulebook import Rulebook as Rules
from tables.rules.verdict import Result, Verdict

BATCH_ROUNDS = 500
BATCH_BETS = 100_000


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing that is not as it should be; `bet` is the platform's ID, `player` the internal one."""

    round: str
    what: str
    is_there: str
    should_be: str
    bet: str | None = None
    player: int | None = None

    def __str__(self) -> str:
        subject = f" bet {self.bet}" if self.bet else f" player #{self.player}" if self.player else ""
        return f"{self.round}{subject}: {self.what} is {self.is_there}, should be {self.should_be}"


@dataclass(slots=True)
class Counts:
    """How much was looked at. Money is in minor units, by currency."""

    rounds: int = 0
    not_settled: int = 0
    bets: int = 0
    disagreements: int = 0
    stakes_minor: dict[str, int] = field(default_factory=dict)
    returned_minor: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Sums:
    """A settlement's totals as they should be, and the digest of the lines that are there."""

    bets: int = 0
    stakes: int = 0
    returned: int = 0
    moved_there: int = 0
    players: set[int] = field(default_factory=set)
    digest: Any = field(default_factory=hashlib.sha256)
    is_first: bool = True


class _Head(NamedTuple):
    """A round with its live deal and its newest revision; the columns of HEADS in their order."""

    id: int
    public_id: str
    status: str
    rulebook_id: int
    outcome: str | None
    player_total: int | None
    banker_total: int | None
    decks: int
    currency: str
    live_deal_id: int | None
    settlement_id: int | None
    revision: int
    deal_id: int | None
    settled_by_id: int
    authority: UUID | None
    settled_outcome: str
    verdicts: str
    overlay: str
    bets_count: int
    players_count: int
    stakes_minor: int
    returned_minor: int
    kept_minor: int
    moved_minor: int
    lines_digest: bytes
    lines_format: int


class _Row(NamedTuple):
    """An accepted bet, or one with a line, beside its line; the columns of BETS in their order."""

    round_id: int
    id: int
    platform_bet_id: str
    player_id: int
    is_accepted: bool
    result: str | None
    returned_minor: int | None
    moved_minor: int | None
    moved_in_all: int | None
    staked: Staked


def verify_ledger(
    *,
    table_code: str | None = None,
    first_day: date | None = None,
    last_day: date | None = None,
    counts: Counts,
    on_batch: Callable[[], None] = lambda: None,
) -> Iterator[Disagreement]:
    """Check the newest revision of every round of a table, or of all, and yield what does not agree.

    Days are gaming dates, both included. `counts` grows while the caller reads on; `on_batch` is called
    between batches.
    """
    last_id, rulebooks = 0, _Rulebooks()
    while True:
        with _snapshot():
            heads = _heads(last_id, table_code, first_day, last_day)
            if not heads:
                return
            for found in _check_batch(heads, rulebooks, counts):
                counts.disagreements += 1
                yield found
        last_id = heads[-1].id
        on_batch()


@contextmanager
def _snapshot() -> Iterator[None]:
    """Hold one snapshot of the database; inside somebody's transaction, that one."""
    is_inside = connection.in_atomic_block
    with transaction.atomic():
        if not is_inside:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _heads(
    last_id: int, table_code: str | None, first_day: date | None, last_day: date | None
) -> list[_Head]:
    """Read the next rounds in order of id, as many as a batch may hold bets."""
    with connection.cursor() as cursor:
        cursor.execute(
            HEADS,
            {
                "last": last_id,
                "table": table_code,
                "first_day": first_day,
                "last_day": last_day,
                "limit": BATCH_ROUNDS,
            },
        )
        found = [_Head._make(row) for row in cursor.fetchall()]
    bets = 0
    for count, head in enumerate(found, start=1):
        bets += head.bets_count
        if bets >= BATCH_BETS:
            return found[:count]
    return found


def _check_batch(heads: list[_Head], rulebooks: _Rulebooks, counts: Counts) -> Iterator[Disagreement]:
    settled: dict[int, tuple[_Head, Expected]] = {}
    cards = _cards([head.live_deal_id for head in heads])
    for head in heads:
        if head.settlement_id is None:
            if head.status in (RoundStatus.SETTLED, RoundStatus.VOIDED):
                yield Disagreement(head.public_id, "settlement", "missing", f"there: it is {head.status}")
            else:
                counts.not_settled += 1
            continue
        counts.rounds += 1
        try:
            expected = expected_of(
                rulebooks.rules_of(head.rulebook_id),
                status=head.status,
                overlay=Overlay(**json.loads(head.overlay)),
                decks=head.decks,
                deal_id=head.live_deal_id,
                cards=cards.get(head.live_deal_id or 0, {}),
            )
        except _UnsoundRulebook as problem:
            yield Disagreement(head.public_id, "rulebook", str(problem), "as it was published")
        except ValueError as problem:  # an unlawful coup, or an unseen card
            yield Disagreement(head.public_id, "cards", str(problem), "a lawful coup")
        else:
            settled[head.id] = head, expected
            yield from _check_head(head, expected)
    yield from _check_lines(settled, counts)
    yield from _check_moves([head for head in heads if head.settlement_id is not None])


class _UnsoundRulebook(Exception):
    """A document that is not the one that was published, or no rulebook."""


class _Rulebooks:
    """The rules of rounds, each version looked at once."""

    def __init__(self) -> None:
        self._looked_at: dict[int, Rules | _UnsoundRulebook] = {}

    def rules_of(self, rulebook_id: int) -> Rules:
        """Give the rules of a version.

        :raises _UnsoundRulebook: if its document was altered or cannot be read.
        """
        if rulebook_id not in self._looked_at:
            self._looked_at[rulebook_id] = self._look_at(rulebook_id)
        found = self._looked_at[rulebook_id]
        if isinstance(found, _UnsoundRulebook):
            raise found
        return found

    def _look_at(self, rulebook_id: int) -> Rules | _UnsoundRulebook:
        published = Rulebook.objects.only("document", "content_hash").get(pk=rulebook_id)
        digest = hashlib.sha256(published.document.encode()).hexdigest()
        if digest != published.content_hash:
            return _UnsoundRulebook(f"a document with the SHA-256 {digest}")
        try:
            return parse_rulebook(published.document, check_every_row=False)
        except RulebookError as problem:
            return _UnsoundRulebook(f"unreadable ({problem})")


def _cards(deal_ids: list[int | None]) -> dict[int, dict[str, tuple[str, str]]]:
    """Read the cards that lie in deals now: rank and suit by place, corrections included."""
    cards: dict[int, dict[str, tuple[str, str]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(CARDS, [[deal_id for deal_id in deal_ids if deal_id is not None]])
        for deal_id, place, rank, suit in cursor.fetchall():
            cards.setdefault(deal_id, {})[place] = (rank, suit)
    return cards


def _check_head(head: _Head, expected: Expected) -> Iterator[Disagreement]:
    """Compare what round and settlement say of the coup with the coup itself."""
    coup = expected.coup
    pairs: list[tuple[str, Any, Any]] = [("rulebook of the settlement", head.settled_by_id, head.rulebook_id)]
    if coup is not None:
        pairs += [
            ("deal of the settlement", head.deal_id, head.live_deal_id),
            ("outcome of the settlement", head.settled_outcome, coup.outcome.value),
            ("outcome", head.outcome, coup.outcome.value),
            ("the Player's total", head.player_total, coup.player_total),
            ("the Banker's total", head.banker_total, coup.banker_total),
            ("verdicts", _as_text(_verdicts_kept(head)), _as_text(expected.verdicts)),
        ]
    for what, is_there, should_be in pairs:
        if is_there != should_be:
            yield Disagreement(head.public_id, what, str(is_there), str(should_be))


def _verdicts_kept(head: _Head) -> dict[tuple[str, str], Verdict]:
    """Read the verdicts that the settlement keeps beside its lines."""
    return {
        (row["kind"], row["phase"]): Verdict(
            Result(row["result"]), None if row["odds"] is None else Fraction(row["odds"])
        )
        for row in json.loads(head.verdicts)
    }


def _as_text(verdicts: Mapping[tuple[str, str], Verdict]) -> str:
    said = (
        " ".join(filter(None, (kind, phase, verdict.result.value, str(verdict.odds or ""))))
        for (kind, phase), verdict in sorted(verdicts.items())
    )
    return ", ".join(said)


def _check_lines(settled: dict[int, tuple[_Head, Expected]], counts: Counts) -> Iterator[Disagreement]:
    """Compare each line with what the engine says of its bet, and the totals with their sums."""
    sums = {round_id: _Sums() for round_id in settled}
    heads = [head for head, _ in settled.values()]
    ids = [head.id for head in heads], [head.settlement_id for head in heads]
    with connection.chunked_cursor() as cursor:
        cursor.execute(BETS, ids)
        rows = (_Row._make((*row[:9], Staked._make(row[9:]))) for row in cursor)
        for round_id, bets in groupby(rows, key=lambda row: row.round_id):
            head, expected = settled[round_id]
            for bet in bets:
                yield from _check_line(head, expected, bet, sums[round_id])
    with connection.cursor() as cursor:
        cursor.execute(FOREIGN_LINES, ids)
        for round_id, bet_id, round_of_bet in cursor.fetchall():
            name = settled[round_id][0].public_id
            yield Disagreement(name, "line", f"for a bet of {round_of_bet}", "none", bet=bet_id)
    for round_id, (head, _) in settled.items():
        yield from _check_totals(head, sums.pop(round_id), counts)


def _check_line(head: _Head, expected: Expected, bet: _Row, sums: _Sums) -> Iterator[Disagreement]:
    name = head.public_id
    if bet.result is not None:
        line = line_text(
            head.lines_format,
            bet_id=bet.id,
            platform_bet_id=bet.platform_bet_id,
            player_id=bet.player_id,
            staked=bet.staked,
            result=bet.result,
            returned_minor=bet.returned_minor or 0,
        )
        sums.digest.update((line if sums.is_first else f"\n{line}").encode())
        sums.is_first = False
        sums.moved_there += bet.moved_minor or 0
    if not bet.is_accepted:
        yield Disagreement(
            name, "line", f"{bet.result} {bet.returned_minor}", "none", bet=bet.platform_bet_id
        )
        return
    if bet.result is None and head.status not in (RoundStatus.SETTLED, RoundStatus.VOIDED):
        return  # sold in a deal that came after the newest revision; the next one has its line
    try:
        verdict = expected.verdict_of(bet.staked)
    except KeyError:
        kind = " ".join(filter(None, (bet.staked.kind, bet.staked.phase)))
        yield Disagreement(name, "kind", kind, "one of its rulebook", bet=bet.platform_bet_id)
        return
    returned = expected.returned_of(bet.staked, verdict)
    sums.bets += 1
    sums.stakes += bet.staked.stake_minor
    sums.returned += returned
    sums.players.add(bet.player_id)
    if bet.result is None:
        should_be = f"{verdict.result.value} {returned}"
        yield Disagreement(name, "line", "missing", should_be, bet=bet.platform_bet_id)
        return
    yield from _compare_line(name, bet, verdict, returned)


def _compare_line(name: str, bet: _Row, verdict: Verdict, returned: int) -> Iterator[Disagreement]:
    if bet.result != verdict.result:
        yield Disagreement(name, "result", str(bet.result), verdict.result.value, bet=bet.platform_bet_id)
    if bet.returned_minor != returned:
        yield Disagreement(name, "returned", str(bet.returned_minor), str(returned), bet=bet.platform_bet_id)
    if bet.moved_in_all != bet.returned_minor:
        yield Disagreement(
            name,
            "moved by all revisions",
            str(bet.moved_in_all),
            f"{bet.returned_minor}, what its newest line returns",
            bet=bet.platform_bet_id,
        )


def _check_totals(head: _Head, sums: _Sums, counts: Counts) -> Iterator[Disagreement]:
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("bets", head.bets_count, sums.bets),
        ("players", head.players_count, len(sums.players)),
        ("stakes", head.stakes_minor, sums.stakes),
        ("returned in all", head.returned_minor, sums.returned),
        ("kept", head.kept_minor, sums.stakes - sums.returned),
        ("moved in all", head.moved_minor, sums.moved_there),
        ("digest of the lines", bytes(head.lines_digest).hex(), sums.digest.hexdigest()),
    )
    for what, is_there, should_be in pairs:
        if is_there != should_be:
            yield Disagreement(head.public_id, what, str(is_there), str(should_be))
    counts.bets += sums.bets
    for totals, amount in ((counts.stakes_minor, sums.stakes), (counts.returned_minor, sums.returned)):
        totals[head.currency] = totals.get(head.currency, 0) + amount


def _check_moves(heads: list[_Head]) -> Iterator[Disagreement]:
    """Compare what the lines of each revision moved with its own total and with what the wallet is told."""
    names = {head.id: head.public_id for head in heads}
    with connection.chunked_cursor() as cursor:
        cursor.execute(MOVES, [list(names)])
        for round_id, revision, is_there, should_be in cursor:
            yield Disagreement(
                names[round_id], f"moved by revision {revision}", str(is_there), str(should_be)
            )
    with connection.chunked_cursor() as cursor:
        cursor.execute(WALLET, [list(names)])
        for round_id, revision, player_id, what, is_there, should_be in cursor:
            yield Disagreement(
                names[round_id], f"{what} of revision {revision}", is_there, should_be, player=player_id
            )
