"""Fields of a YAML document that know their line and their path, so that every problem can name both.

Scalars are read as the text they are written as: `0.95` is nineteen twentieths and never a float. Anchors,
tags and repeated keys are refused, so that what a reader sees is what the document says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final, NoReturn, TypeVar

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Choice = TypeVar("_Choice", bound=StrEnum)

LARGEST_ODDS_PART: Final = 1000  # of numerator and denominator, so that stake times odds fits 64 bits
_DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_FRACTION: Final = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)%")
# What YAML makes of plain text by itself; everything else was written as a tag.
_PLAIN_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value", "map", "seq")
)
_YES_OR_NO: Final = {"yes": True, "true": True, "no": False, "false": False}
_RANGE: Final = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?")


class Unreadable(Exception):
    """A field could not be read; what is wrong with it has been reported."""


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a document, and where."""

    line: int
    field: str
    message: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        return f"line {self.line}: {self.severity.value}: {where}{self.message}"


@dataclass(slots=True)
class Report:
    """The problems found so far, and the line each field stands on."""

    problems: list[Problem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)

    def add(
        self, path: str, message: str, severity: Severity = Severity.ERROR, line: int | None = None
    ) -> None:
        """Report a problem at a field, on that field's line unless another is named."""
        found = line if line is not None else self.lines.get(path, 1)
        self.problems.append(Problem(found, path, message, severity))

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Let the reading go on after a field that could not be read."""
        with suppress(Unreadable):
            yield

    def in_order(self) -> list[Problem]:
        """List the problems by line."""
        return sorted(set(self.problems), key=lambda problem: (problem.line, problem.field, problem.message))

    @property
    def has_errors(self) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.problems)


def compose(text: str, report: Report) -> Field:
    """Turn YAML text into the field of the whole document.

    :raises Unreadable: if it is no YAML, is empty, or uses anchors or tags; the report says where.
    """
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        report.add("", f"not YAML: {error.problem or error.context}", line=mark.line + 1 if mark else 1)
        raise Unreadable from error
    except yaml.YAMLError as error:
        report.add("", f"not YAML: {error}", line=1)
        raise Unreadable from error
    if node is None:
        report.add("", "the document is empty", line=1)
        raise Unreadable
    _refuse_anchors_and_tags(node, report)
    return Field(node, "", report)


def _refuse_anchors_and_tags(root: yaml.Node, report: Report) -> None:
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            line = node.start_mark.line + 1
            report.add("", "an anchor is used again elsewhere: write the value out each time", line=line)
            raise Unreadable
        seen.add(id(node))
        if node.tag not in _PLAIN_TAGS:
            report.add("", f"the tag {node.tag} is not known here", line=node.start_mark.line + 1)
            raise Unreadable
        if isinstance(node, yaml.MappingNode):
            waiting.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)


class Field:
    """One value of the document with its line and its path, such as `bets.tiger.pays[0].odds`."""

    __slots__ = ("line", "node", "path", "report")

    def __init__(self, node: yaml.Node, path: str, report: Report) -> None:
        self.node = node
        self.path = path
        self.report = report
        self.line = node.start_mark.line + 1
        report.lines[path] = self.line

    def fail(self, message: str) -> NoReturn:
        """Report what is wrong with this field.

        :raises Unreadable: always.
        """
        self.report.add(self.path, message, line=self.line)
        raise Unreadable

    def entries(self) -> dict[str, Field]:
        """Read a mapping with any keys, in their order."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("fields are wanted here (name: value)")
        fields: dict[str, Field] = {}
        for key_node, value_node in self.node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.report.add(self.path, "a field's name is plain text", line=key_node.start_mark.line + 1)
                continue
            name = key_node.value
            path = f"{self.path}.{name}" if self.path else name
            if name in fields:
                self.report.add(path, "is there twice", line=key_node.start_mark.line + 1)
                continue
            fields[name] = Field(value_node, path, self.report)
            # A block value starts a line below its name; the name is where people look.
            fields[name].line = self.report.lines[path] = key_node.start_mark.line + 1
        return fields

    def mapping(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Field]:
        """Read a mapping of known fields; unknown and missing ones are reported.

        :raises Unreadable: if a required field is missing.
        """
        fields = self.entries()
        known = [*required, *optional]
        for name in sorted(fields.keys() - set(known)):
            fields.pop(name).note(f"unknown field; known here: {', '.join(known)}")
        missing = [name for name in required if name not in fields]
        for name in missing:
            self.report.add(self.path, f"{name} is missing", line=self.line)
        if missing:
            raise Unreadable
        return fields

    def note(self, message: str) -> None:
        """Report a problem here and go on."""
        self.report.add(self.path, message, line=self.line)

    def items(self) -> list[Field]:
        """Read a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            self.fail("a list is wanted here")
        return [
            Field(node, f"{self.path}[{place}]", self.report) for place, node in enumerate(self.node.value)
        ]

    def one_or_more(self) -> list[Field]:
        """Read a list, or a single value as a list of one."""
        if not isinstance(self.node, yaml.SequenceNode):
            return [self]
        items = self.items()
        if not items:
            self.fail("an empty list says nothing")
        return items

    def text(self) -> str:
        """Read text as it is written, without the space around it."""
        if not isinstance(self.node, yaml.ScalarNode):
            self.fail("a single value is wanted here")
        value = str(self.node.value).strip()
        if not value:
            self.fail("has no value")
        return value

    def matching(self, pattern: re.Pattern[str], wanted: str) -> str:
        """Read text of a certain form."""
        value = self.text()
        if pattern.fullmatch(value) is None:
            self.fail(f"{value!r} is not {wanted}")
        return value

    def yes_or_no(self) -> bool:
        value = self.text()
        if value not in _YES_OR_NO:
            self.fail(f"{value!r} is neither yes nor no")
        return _YES_OR_NO[value]

    def whole(self, smallest: int, largest: int) -> int:
        """Read a whole number within bounds."""
        value = self.text()
        if not (
            value.isascii() and value.isdigit() and len(value) <= 9 and smallest <= int(value) <= largest
        ):
            self.fail(f"{value!r} is not a whole number from {smallest} to {largest}")
        return int(value)

    def choice(self, choices: type[_Choice]) -> _Choice:
        """Read one of an enumeration's values."""
        value = self.text()
        try:
            return choices(value)
        except ValueError:
            self.fail(f"{value!r} is not one of: {', '.join(choices)}")

    def name_among(self, names: Iterable[str], what: str) -> str:
        """Read a name that must be known."""
        value = self.text()
        known = list(names)
        if value not in known:
            self.fail(f"unknown {what} {value!r}; known: {', '.join(known)}")
        return value

    def numbers(self, allowed: tuple[int, ...]) -> frozenset[int]:
        """Read whole numbers: `6`, a range `0-5`, or a list of both."""
        found: set[int] = set()
        for part in self.one_or_more():
            value = part.text()
            match = _RANGE.fullmatch(value)
            if match is None:
                part.fail(f"{value!r} is neither a number nor a range such as 0-5")
            first, last = int(match[1]), int(match[2] or match[1])
            numbers = set(range(first, last + 1))
            if not numbers or not numbers <= set(allowed):
                part.fail(f"{value} is impossible: the values are {allowed[0]} to {allowed[-1]}")
            found |= numbers
        return frozenset(found)

    def odds(self) -> Fraction:
        """Read odds to one: `8`, `0.95` or `19/20`, exactly."""
        value = self.text()
        if _DECIMAL.fullmatch(value) is None and _FRACTION.fullmatch(value) is None:
            self.fail(f"{value!r} are no odds to one; write 8, 0.95 or 19/20")
        if value.rpartition("/")[1] and int(value.partition("/")[2]) == 0:
            self.fail(f"{value!r} divides by zero")
        return self.within_bounds(Fraction(value))

    def within_bounds(self, odds: Fraction) -> Fraction:
        """Pass odds on if both their parts are small enough to be multiplied with any stake."""
        if max(odds.numerator, odds.denominator) > LARGEST_ODDS_PART:
            self.fail(f"odds of {odds}: both parts may be at most {LARGEST_ODDS_PART} in lowest terms")
        return odds

    def rate(self) -> Fraction:
        """Read a rate such as `5%` or `1/20`, at most the whole."""
        value = self.text()
        percent = _PERCENT.fullmatch(value)
        if percent is not None:
            rate = Fraction(percent[1]) / 100
        elif _FRACTION.fullmatch(value) is not None and int(value.partition("/")[2]) != 0:
            rate = Fraction(value)
        else:
            self.fail(f"{value!r} is no rate; write 5% or 1/20")
        if rate > 1:
            self.fail(f"{value} is more than the whole")
        return rate

    def each(self, read: Callable[[Field], None]) -> None:
        """Read every item of a list, going on after those that cannot be read."""
        for item in self.items():
            with self.report.going_on():
                read(item)
