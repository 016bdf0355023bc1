"""A house's rules as frozen values: what `document` reads from a rulebook and every other rule works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal, NamedTuple

from tables.rules.facts import Condition, Facts
from tables.rules.incidents import MONEY_REMEDIES, DoneBy, Remedy
from tables.rules.money import Rounding
from tables.rules.shoe import BlueCardRule, BurnRule
from tables.rules.verdict import Result, Verdict


class UnknownRulebook(LookupError):
    """There is no such rulebook, or its document is wrong; the message says which."""


HOUSE: Final = "house"  # the source of a rule on which the house's written rules are silent


class Text(NamedTuple):
    """The same words in both languages."""

    en: str
    th: str

    def in_language(self, language: Literal["en", "th"]) -> str:
        return self.th if language == "th" else self.en


@dataclass(frozen=True, slots=True)
class Passage:
    """One rule in words, cited as `insurance/blue-card`."""

    id: str
    source: str  # the key of one of the rulebook's sources, or `house`
    is_reading: bool  # the source is silent or unclear here; this is how we read it
    text: Text


class Side(StrEnum):
    PLAYER = "player"
    BANKER = "banker"


class Phase(StrEnum):
    """The two moments at which totals lie open and a card is still to come."""

    FOUR_CARDS = "four_cards"
    PLAYER_THIRD = "player_third"


class SideResult(StrEnum):
    """How a round ended, seen from one side."""

    WIN = "win"
    LOSS = "loss"
    TIE = "tie"


class BothSides(StrEnum):
    """What becomes of a player's second bet when one backs the Player and the other the Banker."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    ALLOWED_WITHOUT_INSURANCE = "allowed_without_insurance"


@dataclass(frozen=True, slots=True)
class Window:
    """The rounds of a shoe in which a bet is open; `last` None is the end of the shoe."""

    first: int
    last: int | None
    passage: Passage

    def is_open(self, round_number: int) -> bool:
        return self.first <= round_number and (self.last is None or round_number <= self.last)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a bet's pay table; `odds` are what is paid, a commission already taken off."""

    condition: Condition
    verdict: Verdict


LOST: Final = Verdict(Result.LOST)


@dataclass(frozen=True, slots=True)
class Bet:
    """A kind of bet: the first row whose condition holds decides, and where none holds it loses."""

    kind: str
    title: Text
    backs: Side | None  # a main bet on that side; None for every other bet
    rows: tuple[Row, ...]
    window: Window | None
    needs_one_of: tuple[str, ...]  # kinds of which the player must hold one first
    commission: Fraction
    passage: Passage

    def verdict(self, facts: Facts) -> Verdict:
        """Say what becomes of this bet in a coup with these facts."""
        for row in self.rows:
            if row.condition.holds(facts):
                return row.verdict
        return LOST


@dataclass(frozen=True, slots=True)
class InsuranceRow:
    """Insurance on one side, sold at one phase on these totals."""

    phase: Phase
    side: Side
    own_totals: frozenset[int]
    other_totals: frozenset[int]
    odds: Fraction
    pays_on: frozenset[SideResult]
    returned_on: frozenset[SideResult]
    passage: Passage

    def verdict(self, ended: SideResult) -> Verdict:
        """Say what becomes of it when the round ends like this for the insured side."""
        if ended in self.pays_on:
            return Verdict(Result.WON, self.odds)
        return Verdict(Result.PUSH) if ended in self.returned_on else LOST


class CapMeasure(StrEnum):
    WINNINGS = "winnings"
    STAKE = "stake"


class CapShare(StrEnum):
    PHASE = "phase"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class InsuranceCap:
    """What insurance may come to: its winnings (or its stake) at most `share` of the main bet."""

    measure: CapMeasure
    share: Fraction
    shared_in: CapShare  # purchases of one phase share a cap, or all of the round
    passage: Passage


class WrongOdds(StrEnum):
    """At which odds insurance pays that the dealer showed at wrong ones."""

    SCHEDULE = "schedule"
    SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class Insurance:
    rows: tuple[InsuranceRow, ...]
    cap: InsuranceCap
    wrong_odds: WrongOdds
    wrong_odds_passage: Passage
    passage: Passage

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases at which insurance is sold, in the order of the round."""
        return tuple(phase for phase in Phase if any(row.phase is phase for row in self.rows))

    @property
    def sides(self) -> tuple[Side, ...]:
        return tuple(side for side in Side if any(row.side is side for row in self.rows))


INSURANCE_KINDS: Final = {Side.PLAYER: "player_insurance", Side.BANKER: "banker_insurance"}
OTHER_SIDE: Final = {Side.PLAYER: Side.BANKER, Side.BANKER: Side.PLAYER}
INSURED_SIDE: Final[Mapping[str, Side]] = {kind: side for side, kind in INSURANCE_KINDS.items()}


class IncidentCondition(NamedTuple):
    """Circumstances that must all be as named; a circumstance nobody stated meets no condition."""

    wanted: tuple[tuple[str, frozenset[str | int | bool]], ...] = ()

    def holds(self, circumstances: Mapping[str, str | int | bool]) -> bool:
        return all(name in circumstances and circumstances[name] in values for name, values in self.wanted)


@dataclass(frozen=True, slots=True)
class RemedyCase:
    """What the house does in one kind of circumstances."""

    condition: IncidentCondition
    remedies: tuple[Remedy, ...]
    manager_may: tuple[Remedy, ...]  # what the manager chooses among or may add
    done_by: DoneBy | None
    passage: Passage

    @property
    def may_change_money(self) -> bool:
        return not MONEY_REMEDIES.isdisjoint(self.remedies)


@dataclass(frozen=True, slots=True)
class Incident:
    """A kind of incident; its last case has no condition, so there is always a remedy."""

    code: str
    title: Text
    cases: tuple[RemedyCase, ...]

    def remedy(self, circumstances: Mapping[str, str | int | bool]) -> RemedyCase:
        """Find the first case that fits these circumstances."""
        for case in self.cases:
            if case.condition.holds(circumstances):
                return case
        raise ValueError(f"{self.code}: no case without a condition")

    @property
    def may_change_money(self) -> bool:
        """True when some case may change what a round pays."""
        return any(case.may_change_money for case in self.cases)


class ComplaintField(StrEnum):
    """What a complaint must name."""

    PLAYED_AT = "played_at"
    TABLE = "table"
    DEALER = "dealer"
    ROUND_NUMBER = "round_number"


@dataclass(frozen=True, slots=True)
class Complaints:
    needs: tuple[ComplaintField, ...]
    within_hours: int
    video_hours: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class Windows:
    """What counts for the windows of bets and for the roads, and where windows do not apply."""

    void_rounds_count: bool
    lifted_on_animation_tables: bool
    passage: Passage
    void_rounds_on_roads: bool = False


@dataclass(frozen=True, eq=False)
class Rulebook:
    """One version of a house's rules; two of them are the same only when they are the same object."""

    id: str
    version: int
    title: Text
    sources: Mapping[str, Text]
    passages: Mapping[str, Passage]  # by full id, for instance `insurance/blue-card`
    decks: int
    decks_passage: Passage
    drawing_passage: Passage
    rounding: Rounding
    rounding_passage: Passage
    bets: Mapping[str, Bet]
    windows: Windows
    both_sides: BothSides
    both_sides_passage: Passage
    must_confirm_bets: bool
    confirmation_passage: Passage
    insurance: Insurance | None
    burn: BurnRule
    burn_passage: Passage
    discards_between_rounds: bool
    discards_passage: Passage
    blue_card: BlueCardRule
    blue_card_passage: Passage
    incidents: Mapping[str, Incident]
    complaints: Complaints

    @property
    def void_counts_for_windows(self) -> bool:
        return self.windows.void_rounds_count

    @property
    def remedies(self) -> Mapping[str, Incident]:
        """The catalogue of incidents, by code."""
        return self.incidents

    @cached_property
    def main_kinds(self) -> Mapping[Side, tuple[str, ...]]:
        """The kinds of bet that back each side."""
        return {side: tuple(kind for kind, bet in self.bets.items() if bet.backs is side) for side in Side}

    @cached_property
    def insurance_kinds(self) -> tuple[str, ...]:
        """The kinds of insurance bet this rulebook knows."""
        return tuple(INSURANCE_KINDS[side] for side in self.insurance.sides) if self.insurance else ()

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of bet this rulebook knows, insurance last."""
        return (*self.bets, *self.insurance_kinds)
