"""Read a file of feed events: JSON Lines, or one JSON array of events."""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tables.feed.body import BadBody, split_events
from tables.feed.reader import EventAnswer, UnknownTable, read_lines
from tables.services.actors import Actor

CHUNK_LINES = 500
CHUNK_BYTES = 8 * 1024 * 1024
PROGRESS_FROM = 2_000  # lines; a shorter file is read before anybody asks how far it is
SHOWN = 40  # answers printed in words; the others are counted
WRONG_USE, SOME_NOT_TAKEN = 2, 1
TAKEN = frozenset({"accepted", "repeat"})

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class Line(NamedTuple):
    """One event of the file: its number, its bytes, and the table it goes to ('' where it says none)."""

    number: int
    body: bytes
    table: str


class _Address(msgspec.Struct):
    table: str = ""


_address = msgspec.json.Decoder(_Address)


class Command(BaseCommand):
    help = (
        "Read feed events from FILE ('-': standard input), JSON Lines or a JSON array. Repeats do no harm, "
        "so a file may be read again. Exit status: 0 all events are in, 1 some were not taken (each is "
        "named, the others are in), 2 nothing could be read (no such file or table, empty, not UTF-8 JSON)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="file of events, or - for standard input")
        parser.add_argument("--table", metavar="CODE", help="the table; without it each event's own `table`")
        parser.add_argument("--json", action="store_true", help="print the answer to each event as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        name: str = options["file"]
        self._counts: Counter[str] = Counter()
        self._refused_bets: Counter[str] = Counter()
        with _opened(name) as file:
            lines = _lines(file, name, options["table"])
            for chunk in _chunks(lines):
                self._take(chunk, as_json=options["json"])
                if chunk[-1].number >= PROGRESS_FROM:
                    self.stderr.write(f"{chunk[-1].number:,} events read", ending="\r")
        if not self._counts:
            raise CommandError(f"{name} is empty: no events in it (feed/format)", returncode=WRONG_USE)
        self._sum_up()
        if not TAKEN.issuperset(self._counts):
            sys.exit(SOME_NOT_TAKEN)

    def _take(self, chunk: list[Line], *, as_json: bool) -> None:
        """Read some lines, those of one table after the other's, and say what became of them."""
        for table, grouped in groupby(chunk, key=lambda line: line.table):
            lines = list(grouped)
            if not table:
                for line in lines:
                    self._report(line, _unaddressed(line.body), as_json=as_json)
                continue
            try:
                answer = read_lines(
                    table,
                    [line.body for line in lines],
                    actor=Actor.of_table(table),
                    received_at=timezone.now(),
                )
            except UnknownTable as error:
                raise CommandError(f"line {lines[0].number}: {error}", returncode=WRONG_USE) from error
            for line, event in zip(lines, answer.events, strict=True):
                self._report(line, event, as_json=as_json)

    def _report(self, line: Line, answer: EventAnswer, *, as_json: bool) -> None:
        self._counts[answer.status] += 1
        self._refused_bets.update(bet.reason for bet in answer.refused_bets)
        if as_json:
            written = msgspec.json.encode({"line": line.number} | msgspec.to_builtins(answer))
            self.stdout.write(written.decode())
        elif answer.status not in TAKEN:
            shown = sum(count for status, count in self._counts.items() if status not in TAKEN)
            if shown <= SHOWN:
                self.stderr.write(f"line {line.number}: {_in_words(answer)}{_cut_off(line, answer)}")

    def _sum_up(self) -> None:
        counts = ", ".join(f"{count:,} {status}" for status, count in sorted(self._counts.items()))
        self.stderr.write(f"{sum(self._counts.values()):,} events: {counts}")
        if self._refused_bets:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in self._refused_bets.most_common())
            self.stderr.write(f"{sum(self._refused_bets.values()):,} bets refused: {reasons}")


def _in_words(answer: EventAnswer) -> str:
    where = f"event {answer.id or '?'}, seq {answer.seq if answer.seq is not None else '?'}"
    expected = f" (expected seq {answer.expected_seq})" if answer.expected_seq is not None else ""
    return f"{where}: {answer.status}{expected}: {answer.error or 'no reason given'}"


def _cut_off(line: Line, answer: EventAnswer) -> str:
    is_cut = answer.status == "unreadable" and line.body[-1:] not in (b"\n", b"}")
    return " (the file ends in the middle of this line; what stands before it is in)" if is_cut else ""


def _unaddressed(body: bytes) -> EventAnswer:
    """Answer an event that names no table to read it for."""
    try:
        _address.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"not an event: {error}"
    else:
        message = "field table is missing, and no --table was given"
    return EventAnswer(
        id=None, seq=None, status="unreadable", error=message, refused_bets=[], expected_seq=None
    )


def _chunks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Gather lines so that neither many nor long ones fill the memory."""
    chunk: list[Line] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line.body)
        if len(chunk) >= CHUNK_LINES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise CommandError(f"cannot read {name}: {error.strerror}", returncode=WRONG_USE) from error
        yield file


def _lines(file: BinaryIO, name: str, table: str | None) -> Iterator[Line]:
    """Yield the events of a file, whichever of the two forms it has.

    :raises CommandError: if nothing in it can be read.
    """
    number, first = next(((number, line) for number, line in enumerate(file, 1) if line.strip()), (0, b""))
    if first.startswith(BYTE_ORDER_MARKS):
        raise CommandError(
            f"{name} begins with a byte-order mark; save it as UTF-8 without one (feed/format)",
            returncode=WRONG_USE,
        )
    if first.lstrip().startswith(b"["):
        try:
            bodies: Iterable[tuple[int, bytes]] = list(enumerate(split_events(first + file.read()), start=1))
        except BadBody as error:
            raise CommandError(f"{name} is no JSON array of events: {error}", returncode=WRONG_USE) from error
    elif first and not first.lstrip().startswith(b"{"):
        raise CommandError(
            f"{name} is neither JSON Lines nor a JSON array of events: it begins with "
            f"{first[:20]!r} (feed/format)",
            returncode=WRONG_USE,
        )
    else:
        bodies = enumerate(chain([first], file), start=number)
    for number, body in bodies:
        if body.strip():
            yield Line(number, body, table or _table_of(body))


def _table_of(body: bytes) -> str:
    try:
        return _address.decode(body).table
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
