"""The wallet's own books: balances per player and currency, each transaction once, in an append-only file.

The file is the truth and memory is only its reading. Every line is a CRC-32 and a JSON record. One request is
one line and one fsync, so that a request is in the books whole or not at all, whenever the process is killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT = "wallet-log-1"
KINDS = ("credit", "adjustment", "cancel", "rollback")
OPTIONAL = {"force"}
MAX_AMOUNT_MINOR = 10**18
TEXT_MAX = 200
CURRENCY = re.compile(r"[A-Z]{3}")


class StoreError(Exception):
    """The store cannot be trusted or cannot be written; the process has to end."""


class BadMessage(Exception):
    """One message cannot be booked as it stands; its text names the field and the rule."""


@dataclass(frozen=True, slots=True)
class Message:
    """One movement of one player's money, as the other side asks for it.

    `force` books a debit whatever is there. It says how and not what, so the key does not answer for it.
    """

    key: str
    round: str
    revision: int
    player: str
    kind: str
    amount_minor: int
    currency: str
    bets: tuple[str, ...]
    force: bool = False

    def fingerprint(self) -> bytes:
        """Return a digest that is equal for equal bodies; the order of the bets carries no meaning."""
        body = {**asdict(self), "bets": sorted(self.bets)}
        del body["force"]
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What one message is told."""

    key: str | None
    status: str
    available_minor: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Booked:
    """One transaction in the books, without its bets, which stay in the file."""

    number: int
    at: str
    message: Message
    fingerprint: bytes
    available_minor: int

    def public(self) -> dict[str, Any]:
        """Return the transaction as the feed shows it."""
        message = self.message
        return {
            "number": self.number,
            "at": self.at,
            "key": message.key,
            "round": message.round,
            "revision": message.revision,
            "player": message.player,
            "kind": message.kind,
            "amount_minor": message.amount_minor,
            "currency": message.currency,
            "available_minor": self.available_minor,
            "forced": message.force,
        }


def read_message(raw: object) -> Message:
    """Return the message that a decoded JSON value holds.

    :raises BadMessage: if a field is missing, unknown, of the wrong type or out of range.
    """
    if not isinstance(raw, dict):
        raise BadMessage("a message must be a JSON object")
    known = set(Message.__slots__)
    if missing := known - OPTIONAL - raw.keys():
        raise BadMessage(f"missing field: {', '.join(sorted(missing))}")
    # A field that is not understood may change what the message means, so it is never skipped.
    if unknown := raw.keys() - known:
        raise BadMessage(f"unknown field: {', '.join(sorted(unknown))}")
    for field in ("key", "round", "player"):
        if not isinstance(raw[field], str) or not 1 <= len(raw[field]) <= TEXT_MAX:
            raise BadMessage(f"{field} must be a text of 1 to {TEXT_MAX} characters")
    if type(raw["revision"]) is not int or raw["revision"] < 1:
        raise BadMessage("revision must be an integer from 1")
    if raw["kind"] not in KINDS:
        raise BadMessage(f"kind must be one of {', '.join(KINDS)}")
    amount = raw["amount_minor"]
    if type(amount) is not int or amount == 0 or abs(amount) > MAX_AMOUNT_MINOR:
        raise BadMessage("amount_minor must be an integer other than 0, at most 10^18 either way")
    if raw["kind"] == "credit" and amount < 0:
        raise BadMessage("amount_minor of a credit must be above 0")
    if not isinstance(raw["currency"], str) or not CURRENCY.fullmatch(raw["currency"]):
        raise BadMessage("currency must be three capital letters")
    bets = raw["bets"]
    if not isinstance(bets, list) or not all(isinstance(bet, str) for bet in bets):
        raise BadMessage("bets must be a list of texts")
    force = raw.get("force", False)
    if type(force) is not bool or (force and amount > 0):
        raise BadMessage("force must be true or false, and only a debit can be forced")
    return Message(**{**raw, "bets": tuple(bets)})


class Ledger:
    """Balances and transactions, kept in memory and in one file that only this process writes."""

    def __init__(self, path: Path, *, opening_minor: int) -> None:
        self._lock = threading.Lock()
        self._broken = False
        self._balances: dict[tuple[str, str], int] = {}
        self._booked: list[Booked] = []
        self._by_key: dict[str, Booked] = {}
        self.opening_minor = opening_minor
        self._file = self._open(path)

    def _open(self, path: Path) -> int:
        """Open, lock and read the file; start it when it is new; cut off a line that was being written."""
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise StoreError(f"another process keeps {path}") from None
        whole = 0
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    break  # never answered for: the process died while it wrote this
                self._replay(_decode(line, path=path, number=number), path=path, first=number == 1)
                whole += len(line)
        if whole < os.fstat(file).st_size:
            os.ftruncate(file, whole)
        if whole == 0:
            _append(file, {"format": FORMAT, "opening_minor": self.opening_minor})
        # What was read may have survived only in the page cache. It is answered for from now on.
        os.fsync(file)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        return file

    def _replay(self, record: dict[str, Any], *, path: Path, first: bool) -> None:
        if first:
            if record.get("format") != FORMAT:
                raise StoreError(f"{path} is not a wallet's log of format {FORMAT}")
            # The opening balance belongs to the books: a later start with another option changes nothing.
            self.opening_minor = record["opening_minor"]
            return
        for entry in record["entries"]:
            expected = entry.pop("available_minor")
            message = read_message(entry)
            available = self.available(message) + message.amount_minor
            booked = Booked(len(self._booked) + 1, record["at"], message, message.fingerprint(), available)
            if booked.available_minor != expected:
                raise StoreError(f"{path}: {booked.message.key} gives another balance than was written")
            self._book(booked)

    def available(self, message: Message) -> int:
        """Return the money in the account that a message is about."""
        return self._balances.get((message.player, message.currency), self.opening_minor)

    def known(self, key: str) -> Booked | None:
        """Return the transaction that took a key, if any did."""
        return self._by_key.get(key)

    def _book(self, booked: Booked) -> None:
        message = booked.message
        self._balances[message.player, message.currency] = booked.available_minor
        self._booked.append(booked)
        self._by_key[message.key] = booked

    def post(
        self,
        raw_messages: Sequence[object],
        *,
        at: str,
        refused: Mapping[str, str] | None = None,
        short: Mapping[str, int] | None = None,
    ) -> list[Answer]:
        """Book what can be booked, in the order given, and return one answer per message.

        Only an applied message takes its key; one that was refused or found too little money may come again.
        `refused` gives a reason per player, `short` the money per player that debits shall find: both are
        faults switched on from outside.

        :raises StoreError: if the file cannot be written; nothing is answered and the process has to end.
        """
        batch = _Batch(self, at=at, refused=refused or {}, short=short or {})
        with self._lock:
            if self._broken:
                raise StoreError("the log could not be written earlier")
            answers = [batch.answer(raw) for raw in raw_messages]
            if batch.booked:
                entries = [{**asdict(b.message), "available_minor": b.available_minor} for b in batch.booked]
                try:
                    _append(self._file, {"at": at, "entries": entries})
                except StoreError:
                    self._broken = True  # half a line may stand there: nothing may be written behind it
                    raise
                for booked in batch.booked:
                    self._book(booked)
            return answers

    def accounts(self, player: str) -> dict[str, int]:
        """Return a player's money per currency, for the currencies in which something was booked."""
        with self._lock:
            return {currency: money for (name, currency), money in self._balances.items() if name == player}

    def feed(self, *, after: int, limit: int) -> list[Booked]:
        """Return up to `limit` transactions with a number above `after`, in the order they were booked."""
        with self._lock:
            return self._booked[after : after + limit]

    def size(self) -> int:
        """Return how many transactions are in the books."""
        return len(self._booked)


class _Batch:
    """One request while it is worked out: what it would book, on top of what is in the books."""

    def __init__(
        self, ledger: Ledger, *, at: str, refused: Mapping[str, str], short: Mapping[str, int]
    ) -> None:
        self.booked: list[Booked] = []
        self._ledger = ledger
        self._at = at
        self._refused = refused
        self._short = short
        self._keys: dict[str, Booked] = {}
        self._balances: dict[tuple[str, str], int] = {}

    def answer(self, raw: object) -> Answer:
        """Return the answer to the next message of the request, as if those before it were booked."""
        try:
            message = read_message(raw)
        except BadMessage as problem:
            key = raw.get("key") if isinstance(raw, dict) else None
            return Answer(key if isinstance(key, str) else None, "refused", None, str(problem))
        key, account, fingerprint = message.key, (message.player, message.currency), message.fingerprint()
        available = self._balances.get(account, self._ledger.available(message))
        if known := self._keys.get(key) or self._ledger.known(key):
            if known.fingerprint == fingerprint:
                return Answer(key, "duplicate", known.available_minor)
            return Answer(key, "conflict", available, "this key was used for another body")
        if message.player in self._refused:
            return Answer(key, "refused", available, self._refused[message.player])
        found = self._short.get(message.player, available)
        if message.amount_minor < 0 and found < -message.amount_minor and not message.force:
            return Answer(key, "insufficient", max(found, 0), "not enough money")
        number = self._ledger.size() + len(self.booked) + 1
        booked = Booked(number, self._at, message, fingerprint, available + message.amount_minor)
        self.booked.append(booked)
        self._keys[key] = booked
        self._balances[account] = booked.available_minor
        return Answer(key, "applied", booked.available_minor)


def _append(file: int, record: dict[str, Any]) -> None:
    """Write one record durably.

    :raises StoreError: if the disk refuses; what is in the file then is found out by the next start.
    """
    body = json.dumps(record, separators=(",", ":")).encode()
    line = memoryview(b"%08x %s\n" % (zlib.crc32(body), body))
    try:
        while line:
            line = line[os.write(file, line) :]
        os.fsync(file)
    except OSError as problem:
        raise StoreError(f"cannot write the log: {problem}") from problem


def _decode(line: bytes, *, path: Path, number: int) -> dict[str, Any]:
    """Return the record of a whole line.

    :raises StoreError: if the line is not what was written.
    """
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        raise StoreError(f"{path}, line {number}: damaged (the checksum does not fit)")
    record: dict[str, Any] = json.loads(body)
    return record
