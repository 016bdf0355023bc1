"""Whether a bet is taken: stake, window, both sides, main bet, insurance and limits, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from tables.rules.bets import NO_PHASE
from tables.rules.insurance import Offers
from tables.rules.rulebook import (
    INSURED_SIDE,
    OTHER_SIDE,
    Bet,
    BothSides,
    CapMeasure,
    CapShare,
    InsuranceCap,
    Phase,
    Rulebook,
    Side,
)

MIN_STAKE_MINOR: Final = 1
MAX_STAKE_MINOR: Final = 10**15


class Refusal(StrEnum):
    """Why a bet is refused; where several apply, the first in this order is named."""

    BAD_STAKE = "bad_stake"
    BET_NOT_IN_RULEBOOK = "bet_not_in_rulebook"
    OUTSIDE_WINDOW = "outside_window"
    BOTH_SIDES = "both_sides"
    NO_MAIN_BET = "no_main_bet"
    INSURANCE_NOT_OFFERED = "insurance_not_offered"
    INSURANCE_OVER_CAP = "insurance_over_cap"
    # What only a table knows, not a coup on paper.
    OUTSIDE_LIMITS = "outside_limits"
    BEFORE_BETTING = "before_betting"
    AFTER_BELL = "after_bell"
    NOT_CONFIRMED = "not_confirmed"


Accepted = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a bet is judged against besides the rulebook and the player's other bets."""

    round_number: int  # the count that bet windows go by
    animation: bool
    offers: Offers  # all insurance offered in this deal so far, by kind and phase
    limits: Mapping[str, tuple[int, int]] | None = None  # smallest and largest stake by kind


def refusal(
    rulebook: Rulebook,
    situation: Situation,
    accepted: Accepted,
    kind: str,
    phase: str,
    stake: int,
) -> Refusal | None:
    """Say why a bet is refused, or None when it is taken.

    `accepted` holds one player's stakes taken so far in this round, summed by kind and phase; the caller adds
    to it when None comes back. Main bets must be put before what depends on them (see `stage_of`).
    """
    if not MIN_STAKE_MINOR <= stake <= MAX_STAKE_MINOR:
        return Refusal.BAD_STAKE
    bet = rulebook.bets.get(kind)
    if bet is None:
        reason = _refuse_insurance(rulebook, situation, accepted, kind, phase, stake)
    else:
        reason = _refuse_bet(rulebook, situation, accepted, bet)
    if reason is None and situation.limits is not None:
        return _refuse_by_limits(situation.limits, accepted, kind, phase, stake)
    return reason


def stage_of(rulebook: Rulebook, kind: str) -> int:
    """Say in which turn a bet of this kind is looked at, when many are put at once.

    0: bets that need no other, main bets among them; 1: bets that need a main bet; 2: insurance.
    """
    bet = rulebook.bets.get(kind)
    if bet is None:
        return 2
    return 1 if bet.needs_one_of else 0


def _refuse_bet(rulebook: Rulebook, situation: Situation, accepted: Accepted, bet: Bet) -> Refusal | None:
    window = bet.window
    if window is not None and not window.is_open(situation.round_number):
        lifted = situation.animation and rulebook.windows.lifted_on_animation_tables
        if not lifted:
            return Refusal.OUTSIDE_WINDOW
    backs = bet.backs if rulebook.both_sides is BothSides.REFUSED else None
    if backs is not None and _main_stake(rulebook, accepted, OTHER_SIDE[backs]):
        return Refusal.BOTH_SIDES
    if bet.needs_one_of and not any((kind, NO_PHASE) in accepted for kind in bet.needs_one_of):
        return Refusal.NO_MAIN_BET
    return None


def _refuse_insurance(
    rulebook: Rulebook, situation: Situation, accepted: Accepted, kind: str, phase: str, stake: int
) -> Refusal | None:
    """Refuse insurance in the order main bet, both sides, offer, cap (`insurance/insurance-cap`)."""
    if rulebook.insurance is None or kind not in rulebook.insurance_kinds:
        return Refusal.BET_NOT_IN_RULEBOOK
    side = INSURED_SIDE[kind]
    main = _main_stake(rulebook, accepted, side)
    if not main:
        return Refusal.NO_MAIN_BET
    if rulebook.both_sides is not BothSides.ALLOWED and _main_stake(rulebook, accepted, OTHER_SIDE[side]):
        return Refusal.BOTH_SIDES
    odds = situation.offers.get((kind, phase))
    if odds is None:
        return Refusal.INSURANCE_NOT_OFFERED
    cap = rulebook.insurance.cap
    if cap.shared_in is CapShare.PHASE:
        bought = accepted.get((kind, phase), 0) + stake
        used, parts = _measured(cap, bought, odds)
    else:
        used, parts = _bought_in_round(cap, situation.offers, accepted, kind, phase, stake)
    # Compared in whole numbers: used / parts against main x share.
    over = used * cap.share.denominator > main * cap.share.numerator * parts
    return Refusal.INSURANCE_OVER_CAP if over else None


def _measured(cap: InsuranceCap, bought: int, odds: Fraction) -> tuple[int, int]:
    """Give what a purchase takes of the cap, as numerator and denominator."""
    if cap.measure is CapMeasure.STAKE:
        return bought, 1
    return bought * odds.numerator, odds.denominator


def _bought_in_round(
    cap: InsuranceCap, offers: Offers, accepted: Accepted, kind: str, phase: str, stake: int
) -> tuple[int, int]:
    """Give what the purchases of all phases, this one included, take of a cap that the round shares."""
    total = Fraction(0)
    for bought_in in (each.value for each in Phase):
        bought = accepted.get((kind, bought_in), 0) + (stake if bought_in == phase else 0)
        if bought:
            total += Fraction(*_measured(cap, bought, offers[kind, bought_in]))
    return total.numerator, total.denominator


def _refuse_by_limits(
    limits: Mapping[str, tuple[int, int]], accepted: Accepted, kind: str, phase: str, stake: int
) -> Refusal | None:
    """Hold a table's limits: a bet at least the smallest, a player's bets of a kind at most the largest."""
    if kind not in limits:
        return None
    smallest, largest = limits[kind]
    if stake < smallest or accepted.get((kind, phase), 0) + stake > largest:
        return Refusal.OUTSIDE_LIMITS
    return None


def _main_stake(rulebook: Rulebook, accepted: Accepted, side: Side) -> int:
    total = 0
    for kind in rulebook.main_kinds[side]:
        total += accepted.get((kind, NO_PHASE), 0)
    return total
