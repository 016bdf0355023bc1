"""What the newest revision of a round ought to say, worked out with the pure engine alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from tables.models import RoundStatus
from tables.rules.bets import Result, Verdict, returned_minor, verdicts
from tables.rules.cards import Card as Face
from tables.rules.drawing import Coup, Place, arrange
from tables.rules.insurance import offers_of_coup
from tables.rules.money import Rounding
from tables.rules.rulebook import Rulebook as Rules
from tables.rules.rulebook import WrongOdds

VOID = Verdict(Result.VOID)
OPEN = Verdict(Result.OPEN)

Key = tuple[str, str]  # kind and phase


class Staked(NamedTuple):
    """What a bet's verdict depends on besides the coup."""

    kind: str
    phase: str
    deal_id: int | None
    stake_minor: int
    odds_offered: str
    odds_shown: str


@dataclass(frozen=True, slots=True)
class Expected:
    """The verdicts of one revision. `everything` is set where one verdict holds for every bet."""

    rounding: Rounding
    coup: Coup | None = None
    deal_id: int | None = None
    verdicts: Mapping[Key, Verdict] = field(default_factory=dict)
    offered: Mapping[Key, Fraction] = field(default_factory=dict)
    everything: Verdict | None = None
    pays_odds_shown: bool = False

    def verdict_of(self, bet: Staked) -> Verdict:
        """Give the verdict of one bet.

        Insurance of a dead deal is void, and so is insurance that the coup does not offer at the odds it was
        sold at (after a correction, for instance).

        :raises KeyError: if the rulebook knows no such bet.
        """
        if self.everything is not None:
            return self.everything
        key = (bet.kind, bet.phase)
        if not bet.phase:
            return self.verdicts[key]
        if bet.deal_id != self.deal_id:
            return VOID
        offered = self.offered.get(key)
        if offered is None or not bet.odds_offered or offered != Fraction(bet.odds_offered):
            return VOID
        verdict = self.verdicts[key]
        if verdict.result is Result.WON and self.pays_odds_shown and bet.odds_shown:
            return Verdict(Result.WON, Fraction(bet.odds_shown))
        return verdict

    def returned_of(self, bet: Staked, verdict: Verdict) -> int:
        """Give what goes back to the player, in minor units."""
        return returned_minor(bet.stake_minor, verdict, self.rounding)


def expected_of(
    rules: Rules, *, status: str, decks: int, deal_id: int | None, cards: Mapping[str, tuple[str, str]]
) -> Expected:
    """Work out what the newest revision of a round ought to say; the one place that knows.

    `cards` are rank and suit by place, as they lie in the live deal now.

    :raises IllegalCoup: if the cards of a round that was settled are no lawful coup.
    :raises ValueError: if one of them was never seen.
    """
    if status == RoundStatus.VOIDED:
        return Expected(rules.rounding, everything=VOID)
    if status != RoundStatus.SETTLED:
        # It was settled and is being dealt again: until then its bets are open.
        return Expected(rules.rounding, everything=OPEN)
    coup = arrange({Place(place): Face(*face) for place, face in cards.items()}, decks)
    return Expected(
        rules.rounding,
        coup,
        deal_id,
        verdicts(rules, coup),
        offers_of_coup(rules, coup),
        pays_odds_shown=rules.insurance is not None and rules.insurance.wrong_odds is WrongOdds.SHOWN,
    )
