"""What the newest revision of a round ought to say, worked out with the pure engine alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class Overlay(NamedTuple):
    """What rulings in force lay over the engine's verdicts, as the newest revision keeps it."""

    void_all: bool = False
    void_kinds: Sequence[str] = ()
    is_open: bool = False


NOTHING_OVER_IT = Overlay()
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
    """The verdicts of one revision, and what lies over them."""

    rounding: Rounding
    coup: Coup | None = None
    deal_id: int | None = None
    verdicts: Mapping[Key, Verdict] = field(default_factory=dict)
    offered: Mapping[Key, Fraction] = field(default_factory=dict)
    overlay: Overlay = NOTHING_OVER_IT
    pays_odds_shown: bool = False

    def verdict_of(self, bet: Staked) -> Verdict:
        """Give the verdict of one bet.

        Insurance of a dead deal is void, and so is insurance that the coup does not offer at the odds it was
        sold at (after a correction, for instance).

        :raises KeyError: if the rulebook knows no such bet.
        """
        if self.overlay.void_all or bet.kind in self.overlay.void_kinds:
            return VOID
        if bet.phase and bet.deal_id != self.deal_id:
            return VOID
        if self.overlay.is_open:
            return OPEN
        key = (bet.kind, bet.phase)
        if not bet.phase:
            return self.verdicts[key]
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
    rules: Rules,
    *,
    status: str,
    overlay: Overlay,
    decks: int,
    deal_id: int | None,
    cards: Mapping[str, tuple[str, str]],
) -> Expected:
    """Work out what the newest revision of a round ought to say; the one place that knows.

    The round's state decides whether its bets are void or open; the overlay may void kinds of bet besides.
    `cards` are rank and suit by place, as they lie in the live deal now.

    :raises IllegalCoup: if the cards of a round that was settled are no lawful coup.
    :raises ValueError: if one of them was never seen.
    """
    if status != RoundStatus.SETTLED:
        # Neither void nor settled: it was settled once and is being dealt again. Its bets are open meanwhile.
        is_void = status == RoundStatus.VOIDED
        over = Overlay(is_void, overlay.void_kinds, not is_void)
        return Expected(rules.rounding, deal_id=deal_id, overlay=over)
    coup = arrange({Place(place): Face(*face) for place, face in cards.items()}, decks)
    return Expected(
        rules.rounding,
        coup,
        deal_id,
        verdicts(rules, coup),
        offers_of_coup(rules, coup),
        Overlay(void_kinds=overlay.void_kinds),
        pays_odds_shown=rules.insurance is not None and rules.insurance.wrong_odds is WrongOdds.SHOWN,
    )
