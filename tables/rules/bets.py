"""What a coup makes of every kind of bet a rulebook knows, and what a stake then returns."""

from __future__ import annotations

from tables.rules.drawing import Coup, Outcome
from tables.rules.facts import facts_of
from tables.rules.insurance import rows_of_coup
from tables.rules.money import Rounding
from tables.rules.rulebook import INSURANCE_KINDS, Rulebook, Side, SideResult
from tables.rules.verdict import Result, Verdict

__all__ = ["NO_PHASE", "Result", "Verdict", "ended_for", "returned_minor", "verdicts"]

NO_PHASE = ""  # the phase of every bet that is no insurance


def verdicts(rulebook: Rulebook, coup: Coup) -> dict[tuple[str, str], Verdict]:
    """Settle every kind of bet against a coup, keyed by kind and phase.

    The phase is `""` except for insurance, which is there only where this coup offered it.
    """
    facts = facts_of(coup)
    settled = {(kind, NO_PHASE): bet.verdict(facts) for kind, bet in rulebook.bets.items()}
    for (side, phase), row in rows_of_coup(rulebook, coup).items():
        settled[INSURANCE_KINDS[side], phase.value] = row.verdict(ended_for(side, coup.outcome))
    return settled


def ended_for(side: Side, outcome: Outcome) -> SideResult:
    """Say how a round ended for one side."""
    if outcome is Outcome.TIE:
        return SideResult.TIE
    return SideResult.WIN if outcome.value == side.value else SideResult.LOSS


def returned_minor(stake_minor: int, verdict: Verdict, rounding: Rounding) -> int:
    """Return what goes back to the player, stake included, in minor units; 0 when the bet lost or is open.

    What does not divide is rounded on the winnings.

    :raises ValueError: if the stake is below one minor unit.
    """
    if stake_minor < 1:
        raise ValueError(f"stake below one minor unit: {stake_minor}")
    match verdict.result:
        case Result.WON:
            odds = verdict.odds
            if odds is None:
                raise ValueError("a bet that won has odds")
            return stake_minor + rounding.apply(stake_minor * odds.numerator, odds.denominator)
        case Result.PUSH | Result.VOID:
            return stake_minor
        case Result.LOST | Result.OPEN:
            return 0
