"""The reader of a table's feed: each event exactly once, in order, in chunks that are each one transaction.

What was answered `accepted` is durable. A bad event keeps its sequence number: it is stored as refused and
holds its round until an event that `supersedes` it puts it right. Whatever was sent may be sent again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from django.db import DataError, IntegrityError, OperationalError, connection
from psycopg.errors import DeadlockDetected

from tables.feed.events import FIELDS, MAX_EVENT_BYTES, AnyEvent, Bets, Event, decoder
from tables.feed.verbs import VERBS
from tables.models import Bet, BetStatus, EventStatus, FeedEvent, Finding, GameTable, IllegalTransition
from tables.services import floor
from tables.services.actors import Actor
from tables.services.bets import RefusedBet
from tables.services.findings import find, lift_holds
from tables.services.journal import moment, record
from tables.services.play import Play, PlayRefused, is_over, live_play

CLOCK_AHEAD = timedelta(seconds=60)
LATE_AFTER = timedelta(seconds=60)
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
CHUNK_EVENTS = 200
CHUNK_BYTES = 4 * 1024 * 1024
DEADLOCK_TRIES = 5
REFUSED = "event_refused"


class UnknownTable(Exception):
    """No table has this code."""

    def __init__(self, code: str) -> None:
        super().__init__(f"no table has the code {code!r}")
        self.code = code


@dataclass(slots=True)
class EventAnswer:
    """What became of one event. `refused_bets` names bets of an accepted event that were not taken."""

    id: str | None
    seq: int | None
    status: str  # accepted, repeat, refused, conflict, gap, unreadable
    error: str | None = None
    refused_bets: list[RefusedBet] = field(default_factory=list)
    expected_seq: int | None = None


@dataclass(slots=True)
class FeedAnswer:
    """The answers in the order sent, and the sequence number the table must go on with."""

    events: list[EventAnswer]
    next_seq: int


@dataclass(slots=True)
class _Sent:
    """One event as it came: its header, and the event itself when it could be decoded."""

    id: str
    seq: int
    type: str
    digest: bytes
    body: bytes
    supersedes: str
    at: datetime | None
    event: AnyEvent | None
    error: str


def read_lines(
    table_code: str,
    lines: Iterable[bytes],
    *,
    actor: Actor,
    received_at: datetime,
    request_id: str = "",
) -> FeedAnswer:
    """Read events, one JSON text each, and answer every one.

    :raises UnknownTable: if no table has this code.
    """
    table = (
        GameTable.objects.select_related("rulebook")
        .defer("rulebook__document")
        .filter(code=table_code)
        .first()
    )
    if table is None:
        raise UnknownTable(table_code)
    answers: list[EventAnswer] = []
    next_seq = 0
    for chunk in _chunks(lines):
        sent = [_open(line, table.code) for line in chunk]
        try:
            more, next_seq = _read_chunk(table, sent, actor, received_at, request_id)
        except (IntegrityError, DataError):
            # Something unforeseen broke a constraint. Alone, each event shows whether it is the one.
            more = []
            for one in sent:
                answer, next_seq = _read_alone(table, one, actor, received_at, request_id)
                more.append(answer)
        answers += more
    if not answers:
        next_seq = table.state.next_seq
    return FeedAnswer(answers, next_seq)


def _chunks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Cut the events into transactions; one that supersedes another begins anew, to find it stored."""
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        if chunk and (
            len(chunk) >= CHUNK_EVENTS or size + len(line) > CHUNK_BYTES or b'"supersedes"' in line
        ):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def _open(line: bytes, table_code: str) -> _Sent | EventAnswer:
    """Decode one event, or say why its place in the order cannot even be read."""
    event: AnyEvent | None = None
    error = ""
    if len(line) > MAX_EVENT_BYTES:
        error = f"event: {len(line)} bytes; at most {MAX_EVENT_BYTES} (feed/size)"
    try:
        if not error:
            event = decoder.decode(line)
    except msgspec.ValidationError as problem:
        error = _explain(problem)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        return EventAnswer(None, None, "unreadable", f"event: not JSON: {problem} (feed/format)")
    try:
        # msgspec refuses numbers beyond a double; the header beside them is still to be read.
        plain: Any = msgspec.to_builtins(event) if event is not None else json.loads(line)
    except (ValueError, RecursionError) as problem:
        return EventAnswer(None, None, "unreadable", f"event: not JSON: {problem} (feed/format)")
    if event is not None and (field_name := _outside_calendar(event)):
        event, error = None, f"{field_name}: outside the years 2000 to 2199 (feed/clock)"
    return _header(plain, event, error, table_code)


def _outside_calendar(event: AnyEvent) -> str:
    """Name the field whose time nobody means, and which no column could give back; empty when all will do."""
    if not EARLIEST <= event.at < LATEST:
        return "at"
    if isinstance(event, Bets):
        for place, bet in enumerate(event.bets):
            if isinstance(bet.at, datetime) and not EARLIEST <= bet.at < LATEST:
                return f"bets[{place}].at"
    return ""


def _header(plain: Any, event: AnyEvent | None, error: str, table_code: str) -> _Sent | EventAnswer:
    if not isinstance(plain, dict):
        return EventAnswer(None, None, "unreadable", "event: a JSON object is wanted (feed/format)")
    event_id, seq = plain.get("id"), plain.get("seq")
    if (
        not isinstance(event_id, str)
        or not 1 <= len(event_id) <= 64
        or not event_id.isascii()
        or not event_id.isprintable()
    ):
        return EventAnswer(
            None, None, "unreadable", "id: 1 to 64 printable characters are wanted (feed/format)"
        )
    if isinstance(seq, bool) or not isinstance(seq, int) or not 1 <= seq <= 2**53:
        return EventAnswer(event_id, None, "unreadable", "seq: a whole number from 1 is wanted (feed/format)")
    if plain.get("table") != table_code:
        return EventAnswer(
            event_id, seq, "unreadable", f"table: this is the feed of {table_code} (feed/table)"
        )
    digest = hashlib.sha256(_canonical(plain)).digest()
    kept = _kept(plain)
    type_, supersedes = plain.get("type"), plain.get("supersedes")
    return _Sent(
        id=event_id,
        seq=seq,
        type=type_[:24] if isinstance(type_, str) and type_.isprintable() else "",
        digest=digest,
        body=_canonical(kept),
        supersedes=supersedes[:64] if isinstance(supersedes, str) and supersedes.isprintable() else "",
        at=event.at if event is not None else None,
        event=event,
        error=error,
    )


def _kept(plain: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of an event: nothing here can be erased, and a player's reference may have to be.

    Bets become rows, and only their number stays, none where they are no list. Under a name that no event
    has, which is refused, anything may stand; how many such there were is kept.
    """
    kept = {name: value for name, value in plain.items() if name in FIELDS}
    if "bets" in plain:
        bets = plain["bets"]
        kept["bets"] = len(bets) if isinstance(bets, list) else 0
    if left_out := len(plain) - len(kept):
        kept["left_out"] = left_out
    return kept


def _canonical(plain: Any) -> bytes:
    """Write an event as one text whatever its spacing and order was, lone surrogates included."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()


def _explain(problem: msgspec.ValidationError) -> str:
    """Turn the decoder's words into field, fault and rule."""
    message, _, path = str(problem).partition(" - at ")
    name = path.strip("`").removeprefix("$").removeprefix(".") or "event"
    said = f"{name}: {message} (feed/format)"[:500]
    return "".join(character if character.isprintable() else "\ufffd" for character in said)


class _Chunk:
    """One transaction's worth of reading."""

    def __init__(self, play: Play, sent: list[_Sent | EventAnswer], received_at: datetime) -> None:
        self.play, self.received_at = play, received_at
        ids = [one.id for one in sent if isinstance(one, _Sent)]
        stored = FeedEvent.objects.filter(table=play.table, event_id__in=ids)
        self.known = {
            row.event_id: (bytes(row.body_hash), row.pk) for row in stored.only("event_id", "body_hash")
        }
        self.rows: list[FeedEvent] = []
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence('tables_feedevent', 'id')) "
                "FROM generate_series(1, %s)",
                [len(ids)],
            )
            self.keys = iter([key for (key,) in cursor.fetchall()])

    def read(self, one: _Sent | EventAnswer) -> EventAnswer:
        if isinstance(one, EventAnswer):
            return one
        state = self.play.state
        if one.id in self.known:
            return self._repeat(one)
        if one.seq > state.next_seq:
            floor.note_gap(self.play, seen_seq=one.seq)
            error = f"seq: {one.seq} came, {state.next_seq} was expected; send from there on (feed/gap)"
            return EventAnswer(one.id, one.seq, "gap", error, expected_seq=state.next_seq)
        if one.seq < state.next_seq:
            error = f"seq: {one.seq} was used by another event; the next is {state.next_seq} (feed/sequence)"
            return EventAnswer(one.id, one.seq, "conflict", error, expected_seq=state.next_seq)
        return self._take(one)

    def _repeat(self, one: _Sent) -> EventAnswer:
        digest, key = self.known[one.id]
        if digest != one.digest:
            error = "id: this event was sent before with another body (feed/repeat)"
            return EventAnswer(one.id, one.seq, "conflict", error)
        refused = Bet.objects.filter(event_id=key, status=BetStatus.REFUSED.value).order_by("pk")
        pairs = refused.values_list("platform_bet_id", "refusal")
        return EventAnswer(one.id, one.seq, "repeat", refused_bets=[RefusedBet(*pair) for pair in pairs])

    def _take(self, one: _Sent) -> EventAnswer:
        play, key = self.play, next(self.keys)
        play.at = one.at or self.received_at
        error, refused = one.error, []
        if not error and one.event is not None:
            try:
                refused = self._act(one.event, key)
            except PlayRefused as problem:
                error = str(problem)
            except IllegalTransition as problem:
                error = f"type: {problem} (round/states)"
        self._store(one, key, error)
        if error:
            self.refuse(one, error)
            return EventAnswer(one.id, one.seq, "refused", error)
        return EventAnswer(one.id, one.seq, "accepted", refused_bets=refused)

    def _act(self, event: AnyEvent, key: int) -> list[RefusedBet]:
        if event.at - self.received_at > CLOCK_AHEAD:
            raise PlayRefused("at", "feed/clock", "more than 60 seconds ahead of this clock")
        settles = self._superseded(event)
        refused = VERBS[type(event)](self.play, event, key) or []
        if settles is not None and settles.round is not None:
            lift_holds(
                self.play,
                settles.round,
                frozenset({REFUSED}),
                because=f"superseded by event {event.id}",
                event_id=settles.data["event_id"],
            )
        return refused

    def _superseded(self, event: Event) -> Finding | None:
        """Return the finding about the refused event that this one puts right."""
        if not isinstance(event.supersedes, str):
            return None
        table = self.play.table
        old = FeedEvent.objects.filter(table=table, event_id=event.supersedes).first()
        if old is None or old.status != EventStatus.REFUSED:
            raise PlayRefused(
                "supersedes", "feed/supersedes", f"{event.supersedes} is no refused event of this table"
            )
        again = FeedEvent.objects.filter(
            table=table, supersedes=event.supersedes, status=EventStatus.ACCEPTED.value, seq__gt=old.seq
        )
        if again.exists():
            raise PlayRefused("supersedes", "feed/supersedes", f"{event.supersedes} was put right already")
        found = Finding.objects.filter(table=table, code=REFUSED, data__event_id=event.supersedes)
        return found.select_related("round").first()

    def refuse(self, one: _Sent, error: str) -> None:
        """Note the refused event; the round in play waits for the one that supersedes it."""
        running = self.play.round is not None and not is_over(self.play.round)
        find(
            self.play,
            REFUSED,
            may_change_money=running,
            event_id=one.id,
            seq=one.seq,
            type=one.type,
            error=error,
        )

    def _store(self, one: _Sent, key: int, error: str) -> None:
        play = self.play
        play.state.next_seq = one.seq + 1
        play.state.last_event_at = play.at
        if play.state.gap_seen_seq is not None and play.state.next_seq >= play.state.gap_seen_seq:
            floor.close_gap(play)
        self.known[one.id] = (one.digest, key)
        self.rows.append(
            FeedEvent(
                pk=key,
                table=play.table,
                event_id=one.id,
                seq=one.seq,
                type=one.type,
                at=one.at,
                received_at=self.received_at,
                is_late=one.at is not None and self.received_at - one.at > LATE_AFTER,
                status=(EventStatus.REFUSED if error else EventStatus.ACCEPTED).value,
                error=error[:500],
                supersedes=one.supersedes,
                round=play.round,
                body_hash=one.digest,
                body=one.body,
            )
        )


def _read_chunk(
    table: GameTable, sent: list[_Sent | EventAnswer], actor: Actor, received_at: datetime, request_id: str
) -> tuple[list[EventAnswer], int]:
    """Read a chunk in one transaction, again if two tables entered the same new players in opposite orders.

    The database then ended one of the two, and nothing of it is left.
    """
    for tries_left in reversed(range(DEADLOCK_TRIES)):
        try:
            return _read_chunk_once(table, sent, actor, received_at, request_id)
        except OperationalError as problem:
            if not isinstance(problem.__cause__, DeadlockDetected) or not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


def _read_chunk_once(
    table: GameTable, sent: list[_Sent | EventAnswer], actor: Actor, received_at: datetime, request_id: str
) -> tuple[list[EventAnswer], int]:
    with live_play(table, actor=actor, received_at=received_at) as play:
        chunk = _Chunk(play, sent, received_at)
        answers = [chunk.read(one) for one in sent]
        _keep(chunk, request_id)
    return answers, play.state.next_seq


def _read_alone(
    table: GameTable, one: _Sent | EventAnswer, actor: Actor, received_at: datetime, request_id: str
) -> tuple[EventAnswer, int]:
    try:
        answers, next_seq = _read_chunk(table, [one], actor, received_at, request_id)
    except (IntegrityError, DataError) as problem:
        if not isinstance(one, _Sent):
            raise
        # The whole event is refused with the constraint that refused it.
        one.event, one.error = None, f"event: {str(problem).splitlines()[0]} (database)"[:500]
        answers, next_seq = _read_chunk(table, [one], actor, received_at, request_id)
    return answers[0], next_seq


def _keep(chunk: _Chunk, request_id: str) -> None:
    """Store the events and write the batch's journal entry, which carries the digest of all of them."""
    if not chunk.rows:
        return
    FeedEvent.objects.bulk_create(chunk.rows)
    digest = hashlib.sha256(b"".join(bytes(row.body_hash) for row in chunk.rows)).hexdigest()
    # Bets become rows and are left out of what is kept: one digest covers what came, one what is kept, one
    # what was made of it.
    kept = hashlib.sha256(b"".join(hashlib.sha256(row.body).digest() for row in chunk.rows)).hexdigest()
    stored = hashlib.sha256(b"".join(_stored(row) for row in chunk.rows)).hexdigest()
    refused = sum(row.status == EventStatus.REFUSED for row in chunk.rows)
    record(
        "feed.read",
        subject=chunk.play.table,
        label=chunk.play.table.code,
        actor=chunk.play.actor,
        at=chunk.received_at,
        request_id=request_id,
        data={
            "first_seq": chunk.rows[0].seq,
            "last_seq": chunk.rows[-1].seq,
            "accepted": len(chunk.rows) - refused,
            "refused": refused,
            "digest": digest,
            "kept_digest": kept,
            "stored_digest": stored,
        },
    )


def _stored(row: FeedEvent) -> bytes:
    """Hash what stands beside an event's body: place, name, times, and what became of it.

    One to a line, the refusal last: it alone is free text. The check of the journal says the same in SQL.
    """
    said = (
        row.seq,
        row.event_id,
        row.type,
        moment(row.at) if row.at else "-",
        moment(row.received_at),
        "late" if row.is_late else "in time",
        row.status,
        row.supersedes,
        row.round_id or 0,
        row.error,
    )
    return hashlib.sha256("\n".join(map(str, said)).encode()).digest()
