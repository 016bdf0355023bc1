"""The catalogue of incidents as a person reports from it: most frequent first, only the facts that decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product

from django.db.models import Count

from audit.models import Incident
from tables.models import CardPlace, Round, RoundStatus, Rulebook, Shoe
from tables.queries.rulebooks import rules_of
from tables.rules.incidents import INCIDENT_FACTS
from tables.rules.rulebook import Incident as Entry
from tables.rules.rulebook import RemedyCase

FactValue = str | int | bool
RECENT = timedelta(days=90)
IN_PLAY = (RoundStatus.BETTING, RoundStatus.DEALING, RoundStatus.INSURANCE)


@dataclass(frozen=True, slots=True)
class Choice:
    """One incident of the catalogue and how often it was reported at this table lately."""

    entry: Entry
    count: int


def catalogue_of(rulebook: Rulebook, table_id: int, now: datetime) -> list[Choice]:
    """List the incidents a rulebook knows, those that happen most at this table first."""
    seen = Incident.objects.filter(table_id=table_id, reported_at__gte=now - RECENT)
    counts = dict(seen.order_by().values_list("code").annotate(count=Count("id")))
    entries = rules_of(rulebook.pk).incidents.values()
    return sorted((Choice(entry, counts.get(entry.code, 0)) for entry in entries), key=lambda c: -c.count)


def facts_that_decide(entry: Entry) -> tuple[str, ...]:
    """Name the facts on which an incident's remedy depends, in the order they are asked."""
    named = {name for case in entry.cases for name, _values in case.condition.wanted}
    return tuple(name for name in INCIDENT_FACTS if name in named)


def decided_case(entry: Entry, facts: Mapping[str, FactValue]) -> RemedyCase | None:
    """Return the remedy once the facts given leave no other; None while an open one still could change it."""
    missing = [name for name in facts_that_decide(entry) if name not in facts]
    cases = {
        id(case): case
        for values in product(*(INCIDENT_FACTS[name] for name in missing))
        for case in [entry.remedy({**facts, **dict(zip(missing, values, strict=True))})]
    }
    return next(iter(cases.values())) if len(cases) == 1 else None


def known_facts(names: Sequence[str], round_: Round | None, shoe: Shoe | None) -> dict[str, FactValue]:
    """Fill in what the record itself says, so that nobody has to be asked for it first."""
    known: dict[str, FactValue] = {}
    if "round_running" in names:
        known["round_running"] = round_ is not None and round_.status in {status.value for status in IN_PLAY}
    if "player_card_dealt" in names and shoe is not None:
        known["player_card_dealt"] = shoe.cards.filter(place=CardPlace.P1.value).exists()
    if "paid_already" in names and round_ is not None:
        known["paid_already"] = round_.status == RoundStatus.SETTLED
    return known


def read_facts(entry: Entry, given: Mapping[str, str]) -> dict[str, FactValue]:
    """Read facts as a form sends them: `yes`, `no`, a number or a word; what is none of these is left out."""
    read: dict[str, FactValue] = {}
    for name in facts_that_decide(entry):
        by_text = {fact_text(value): value for value in INCIDENT_FACTS[name]}
        if given.get(name) in by_text:
            read[name] = by_text[given[name]]
    return read


def fact_text(value: FactValue) -> str:
    """Write a fact's value as a form sends it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
