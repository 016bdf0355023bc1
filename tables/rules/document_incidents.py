"""Reading a rulebook's catalogue of incidents: what the house does about each, by circumstances."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tables.rules.document_passages import Passages, read_text
from tables.rules.fields import Field
from tables.rules.incidents import INCIDENT_CODES, INCIDENT_FACTS, DoneBy, Remedy
from tables.rules.rulebook import Incident, IncidentCondition, RemedyCase

_CODE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def read_incidents(field: Field, passages: Passages) -> Mapping[str, Incident]:
    """Read the catalogue; every code that this product knows needs a remedy, others may be added."""
    entries = field.entries()
    for code in INCIDENT_CODES:
        if code not in entries:
            field.note(f"the remedy for {code} is missing")
    incidents = {}
    for code, entry in entries.items():
        with field.report.going_on():
            if _CODE.fullmatch(code) is None or len(code) > 40:
                entry.fail(f"{code!r} is no code such as card_dropped_seen (at most 40 characters)")
            incidents[code] = _read_incident(code, entry, passages)
    return MappingProxyType(incidents)


def _read_incident(code: str, entry: Field, passages: Passages) -> Incident:
    fields = entry.mapping(["title", "cases"])
    cases: list[RemedyCase] = []
    items = fields["cases"].items()
    for place, item in enumerate(items):
        with entry.report.going_on():
            case = _read_case(item, passages)
            if not case.condition.wanted and place < len(items) - 1:
                item.note("a case without `when` takes everything: the cases after it are never reached")
            cases.append(case)
    if len(cases) == len(items) and (not cases or cases[-1].condition.wanted):
        fields["cases"].fail("the remedy for all other circumstances is missing: a last case without `when`")
    return Incident(code, read_text(fields["title"]), tuple(cases))


def _read_case(field: Field, passages: Passages) -> RemedyCase:
    fields = field.mapping(["do", "passage"], ["when", "may", "by"])
    remedies = tuple(item.choice(Remedy) for item in fields["do"].one_or_more())
    may = tuple(item.choice(Remedy) for item in fields["may"].one_or_more()) if "may" in fields else ()
    if may and Remedy.MANAGER not in remedies:
        fields["may"].fail("what the manager may do needs `manager` among the remedies under do")
    if Remedy.STANDS in remedies and {Remedy.VOID, Remedy.RE_DEAL} & set(remedies):
        fields["do"].fail("a round cannot stand and be voided or dealt again")
    return RemedyCase(
        condition=_read_circumstances(fields["when"]) if "when" in fields else IncidentCondition(),
        remedies=remedies,
        manager_may=may,
        done_by=fields["by"].choice(DoneBy) if "by" in fields else None,
        passage=passages.cited(fields["passage"]),
    )


def _read_circumstances(field: Field) -> IncidentCondition:
    wanted = []
    for name, entry in field.entries().items():
        if name not in INCIDENT_FACTS:
            entry.fail(f"unknown circumstance {name!r}; known: {', '.join(INCIDENT_FACTS)}")
        wanted.append((name, _read_values(name, entry)))
    if not wanted:
        field.fail("an empty condition; leave `when` out where the case always applies")
    return IncidentCondition(tuple(wanted))


def _read_values(name: str, field: Field) -> frozenset[str | int | bool]:
    values = INCIDENT_FACTS[name]
    if isinstance(values[0], bool):
        return frozenset({field.yes_or_no()})
    if isinstance(values[0], int):
        return frozenset(field.numbers(tuple(value for value in values if isinstance(value, int))))
    names = [str(value) for value in values]
    return frozenset(item.name_among(names, name) for item in field.one_or_more())
