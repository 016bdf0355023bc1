"""The lines judge reads: their shape, and what exactly is wrong with one that has another.

The fast reader checks the shape while it parses. What it refuses is read once more with the standard library,
which knows integers of any size, so that each mistake is named by field and rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from tables.rules.rulebook import INSURED_SIDE, Phase

PHASES: Final = frozenset(phase.value for phase in Phase)
_BOM: Final = b"\xef\xbb\xbf"
# Python refuses to read longer integers; a stake of that size is out of range whatever its digits are.
_LONGEST_INTEGER: Final = 1000


class BetLine(msgspec.Struct):
    """One bet of a line."""

    id: str
    bet: str
    stake: int
    phase: str | None = None
    player: str | None = None


class Line(msgspec.Struct):
    """One coup with its bets."""

    id: str
    rulebook: str
    cards: list[str]
    bets: list[BetLine]
    round_number: int = 1
    animation: bool = False


class BadLine(ValueError):
    """A line that cannot be judged; `line_id` is its id where one could be read."""

    def __init__(self, message: str, line_id: str | None = None) -> None:
        super().__init__(message)
        self.line_id = line_id


_DECODER: Final = msgspec.json.Decoder(Line)


def read_line(raw: bytes) -> Line:
    """Read one line.

    :raises BadLine: if it is not JSON, lacks a field, or has one of the wrong type or range.
    """
    try:
        line = _DECODER.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        line = _read_carefully(raw)
    if line.round_number < 1:
        raise BadLine(f"round_number: {line.round_number} is below 1", line.id)
    seen = set()
    for bet in line.bets:
        if bet.id in seen:
            raise BadLine(f"bets: the id {_short(bet.id)} is used twice", line.id)
        seen.add(bet.id)
        if bet.bet in INSURED_SIDE and bet.phase not in PHASES:
            given = "is missing" if bet.phase is None else f"{_short(bet.phase)} is unknown"
            raise BadLine(
                f"bet {_short(bet.id)}: phase {given}; insurance needs {' or '.join(Phase)}", line.id
            )
    return line


def _read_carefully(raw: bytes) -> Line:
    """Read a line that the fast reader refused, and say what is wrong with it."""
    value, flaw = _parse(raw)
    line_id = value.get("id") if isinstance(value, dict) else None
    if not isinstance(line_id, str):
        line_id = None
    if flaw is not None:
        raise BadLine(flaw, line_id)
    if not isinstance(value, dict):
        raise BadLine(f"a line is a JSON object, not {_kind_of(value)}")
    fields = _Fields(value, "", line_id)
    return Line(
        id=fields.text("id"),
        rulebook=fields.text("rulebook"),
        cards=_read_cards(fields, line_id),
        bets=_read_bets(fields, line_id),
        round_number=fields.whole("round_number") if "round_number" in value else 1,
        animation=fields.yes_or_no("animation") if "animation" in value else False,
    )


def _parse(raw: bytes) -> tuple[Any, str | None]:
    """Parse a line leniently: what can be read of it, and why it is still no good JSON line."""
    flaw = None
    if raw.startswith(_BOM):
        raw = raw[len(_BOM) :]
        flaw = "not JSON: the line begins with a byte-order mark; save the file as UTF-8 without one"
    if not raw.strip():
        return None, flaw or "not JSON: the line is empty"
    try:
        value = json.loads(raw.decode("utf-8"), parse_int=_integer, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        return None, f"not JSON: byte {error.start + 1} is not UTF-8"
    except json.JSONDecodeError as error:
        return None, flaw or f"not JSON: {error.msg} at character {error.pos + 1}"
    except _NotJSON as error:
        return None, flaw or f"not JSON: {error}"
    except RecursionError:
        return None, flaw or "not JSON that can be read: nested too deeply"
    return value, flaw


class _NotJSON(ValueError):
    pass


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJSON(f"{name} is no JSON number")


def _integer(digits: str) -> int:
    if len(digits) <= _LONGEST_INTEGER:
        return int(digits)
    return int(digits[:_LONGEST_INTEGER])


class _Fields:
    """Typed access to one JSON object, naming field and rule where it is wrong."""

    def __init__(self, values: Mapping[str, Any], where: str, line_id: str | None) -> None:
        self.values = values
        self.where = where
        self.line_id = line_id

    def _get(self, name: str) -> Any:
        if name not in self.values:
            self._fail(name, "is missing")
        return self.values[name]

    def _fail(self, name: str, message: str) -> NoReturn:
        raise BadLine(f"{self.where}{name}: {message}", self.line_id)

    def text(self, name: str) -> str:
        value = self._get(name)
        if not isinstance(value, str):
            self._fail(name, f"text is wanted, not {_kind_of(value)}")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.values.get(name) is None else self.text(name)

    def whole(self, name: str) -> int:
        value = self._get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self._fail(name, f"a JSON integer is wanted, not {_kind_of(value)}")
        return value

    def yes_or_no(self, name: str) -> bool:
        value = self._get(name)
        if not isinstance(value, bool):
            self._fail(name, f"true or false is wanted, not {_kind_of(value)}")
        return value

    def array(self, name: str) -> list[Any]:
        value = self._get(name)
        if not isinstance(value, list):
            self._fail(name, f"an array is wanted, not {_kind_of(value)}")
        return value


def _read_cards(fields: _Fields, line_id: str | None) -> list[str]:
    cards = fields.array("cards")
    for place, card in enumerate(cards):
        if not isinstance(card, str):
            raise BadLine(f"cards[{place}]: text is wanted, not {_kind_of(card)}", line_id)
    return cards


def _read_bets(fields: _Fields, line_id: str | None) -> list[BetLine]:
    bets = []
    for place, value in enumerate(fields.array("bets")):
        if not isinstance(value, dict):
            raise BadLine(f"bets[{place}]: an object is wanted, not {_kind_of(value)}", line_id)
        bet = _Fields(value, f"bets[{place}].", line_id)
        bets.append(
            BetLine(
                id=bet.text("id"),
                bet=bet.text("bet"),
                stake=bet.whole("stake"),
                phase=bet.optional_text("phase"),
                player=bet.optional_text("player"),
            )
        )
    return bets


def _kind_of(value: Any) -> str:
    """Say what kind of JSON value something is, with the value where it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return "an integer"
        case float():
            return f"a number with a fraction or exponent ({value!r})"
        case str():
            return f"text ({_short(value)})"
        case list():
            return "an array"
    return "an object"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
