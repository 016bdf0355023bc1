"""Reading what a rulebook sells: bets as rows of conditions on facts, and the insurance schedule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from tables.rules.document_passages import Passages, read_text
from tables.rules.facts import FACTS, Condition, Value
from tables.rules.fields import Field
from tables.rules.rulebook import (
    INSURED_SIDE,
    Bet,
    CapMeasure,
    CapShare,
    Insurance,
    InsuranceCap,
    InsuranceRow,
    Passage,
    Phase,
    Row,
    Side,
    SideResult,
    Window,
    WrongOdds,
)
from tables.rules.verdict import Result, Verdict

_KIND: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TOTALS: Final = tuple(range(10))
_BET_OPTIONS: Final = ("backs", "commission", "window", "needs_one_of")


def read_bets(field: Field, passages: Passages) -> Mapping[str, Bet]:
    """Read all bets that are no insurance, by kind."""
    entries = field.entries()
    if not entries:
        field.fail("a rulebook without bets")
    bets: dict[str, Bet] = {}
    for kind, entry in entries.items():
        with field.report.going_on():
            bets[kind] = _read_bet(kind, entry, passages)
    for kind, bet in bets.items():
        for needed in bet.needs_one_of:
            if needed not in entries:
                entries[kind].note(f"needs_one_of: unknown bet {needed!r}")
            elif needed in bets and bets[needed].needs_one_of:
                entries[kind].note(f"needs_one_of: {needed} needs another bet itself")
    return MappingProxyType(bets)


def _read_bet(kind: str, entry: Field, passages: Passages) -> Bet:
    if kind in INSURED_SIDE:
        entry.fail("insurance is described under insurance, not under bets")
    if _KIND.fullmatch(kind) is None or len(kind) > 40:
        entry.fail(f"{kind!r} is no kind of bet such as player_pair (at most 40 characters)")
    fields = entry.mapping(["title", "passage", "pays"], _BET_OPTIONS)
    commission = fields["commission"].rate() if "commission" in fields else Fraction(0)
    rows: list[Row] = []
    fields["pays"].each(lambda item: rows.append(_read_row(item, commission)))
    if not rows and not entry.report.has_errors:
        fields["pays"].fail("a bet that pays on nothing")
    return Bet(
        kind=kind,
        title=read_text(fields["title"]),
        backs=fields["backs"].choice(Side) if "backs" in fields else None,
        rows=tuple(rows),
        window=_read_window(fields["window"], passages) if "window" in fields else None,
        needs_one_of=tuple(item.text() for item in fields["needs_one_of"].one_or_more())
        if "needs_one_of" in fields
        else (),
        commission=commission,
        passage=passages.cited(fields["passage"]),
    )


def _read_window(field: Field, passages: Passages) -> Window:
    fields = field.mapping(["passage"], ["first", "last"])
    first = fields["first"].whole(1, 9999) if "first" in fields else 1
    last = fields["last"].whole(1, 9999) if "last" in fields else None
    if last is not None and last < first:
        fields["last"].fail(f"the window closes with round {last}, before it opens with round {first}")
    return Window(first, last, passages.cited(fields["passage"]))


def _read_row(field: Field, commission: Fraction) -> Row:
    """Read one row: a condition, and either odds or `result: push` or `result: lost`."""
    fields = field.mapping([], ["when", "odds", "result"])
    condition = _read_condition(fields["when"]) if "when" in fields else Condition()
    if ("odds" in fields) == ("result" in fields):
        field.fail("a row has either odds or a result")
    if "odds" in fields:
        odds = fields["odds"].odds()
        return Row(condition, Verdict(Result.WON, fields["odds"].within_bounds(odds * (1 - commission))))
    result = fields["result"].name_among(["push", "lost"], "result")
    return Row(condition, Verdict(Result(result)))


def _read_condition(field: Field) -> Condition:
    wanted = []
    for name, entry in field.entries().items():
        with field.report.going_on():
            if name not in FACTS:
                entry.fail(f"unknown fact {name!r}; known: {', '.join(FACTS)}")
            wanted.append((name, _read_values(name, entry)))
    if not wanted and not field.report.has_errors:
        field.fail("an empty condition; leave `when` out where the row always applies")
    return Condition(tuple(wanted))


def _read_values(name: str, field: Field) -> frozenset[Value]:
    fact = FACTS[name]
    if fact.is_yes_or_no:
        return frozenset({field.yes_or_no()})
    if fact.is_number:
        return frozenset(field.numbers(tuple(int(value) for value in fact.values if isinstance(value, int))))
    names = [str(value) for value in fact.values]
    return frozenset(item.name_among(names, f"value of {name}") for item in field.one_or_more())


def read_insurance(field: Field | None, passages: Passages) -> Insurance | None:
    """Read the insurance schedule; a rulebook without one sells no insurance."""
    if field is None:
        return None
    fields = field.mapping(["passage", "cap", "wrong_odds", "phases"])
    rows: list[InsuranceRow] = []
    for name, phase_field in fields["phases"].entries().items():
        with field.report.going_on():
            if name not in list(Phase):
                phase_field.fail(f"unknown phase {name!r}; known: {', '.join(Phase)}")
            sides = phase_field.mapping([], list(Side))
            for side, table in sides.items():
                rows += _read_schedule(Phase(name), Side(side), table, passages)
    if not rows and not field.report.has_errors:
        fields["phases"].fail("no insurance at any phase; leave the section out where none is sold")
    wrong_odds = fields["wrong_odds"].mapping(["pay", "passage"])
    return Insurance(
        rows=tuple(rows),
        cap=_read_cap(fields["cap"], passages),
        wrong_odds=wrong_odds["pay"].choice(WrongOdds),
        wrong_odds_passage=passages.cited(wrong_odds["passage"]),
        passage=passages.cited(fields["passage"]),
    )


def _read_cap(field: Field, passages: Passages) -> InsuranceCap:
    fields = field.mapping(["measure", "share", "shared_in", "passage"])
    share = fields["share"].odds()
    if share == 0:
        fields["share"].fail("a cap of nothing; leave the section insurance out where none is sold")
    return InsuranceCap(
        measure=fields["measure"].choice(CapMeasure),
        share=share,
        shared_in=fields["shared_in"].choice(CapShare),
        passage=passages.cited(fields["passage"]),
    )


def _read_schedule(phase: Phase, side: Side, field: Field, passages: Passages) -> list[InsuranceRow]:
    fields = field.mapping(["passage", "rows"])
    passage = passages.cited(fields["passage"])
    rows: list[InsuranceRow] = []
    fields["rows"].each(lambda item: rows.append(_read_insurance_row(phase, side, item, passage, passages)))
    return rows


def _read_insurance_row(
    phase: Phase, side: Side, field: Field, passage: Passage, passages: Passages
) -> InsuranceRow:
    fields = field.mapping(["own", "other", "odds"], ["pays_on", "returned_on", "passage"])
    pays_on = _read_endings(fields["pays_on"]) if "pays_on" in fields else frozenset({SideResult.LOSS})
    if "returned_on" in fields:
        returned_on = _read_endings(fields["returned_on"])
    else:
        returned_on = frozenset({SideResult.TIE}) - pays_on
    if pays_on & returned_on:
        field.fail("the same ending both pays and returns the stake")
    odds = fields["odds"].odds()
    if odds == 0:
        fields["odds"].fail("insurance that pays nothing")
    return InsuranceRow(
        phase=phase,
        side=side,
        own_totals=fields["own"].numbers(_TOTALS),
        other_totals=fields["other"].numbers(_TOTALS),
        odds=odds,
        pays_on=pays_on,
        returned_on=returned_on,
        passage=passages.cited(fields["passage"]) if "passage" in fields else passage,
    )


def _read_endings(field: Field) -> frozenset[SideResult]:
    """Read endings seen from the insured side; `none` is no ending at all."""
    items = field.one_or_more()
    if len(items) == 1 and items[0].text() == "none":
        return frozenset()
    return frozenset(item.choice(SideResult) for item in items)
