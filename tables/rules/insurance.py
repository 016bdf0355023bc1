"""When insurance is offered, at which odds, and how much of it may be bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tables.rules.cards import Card, hand_total
from tables.rules.drawing import Coup, due_next
from tables.rules.rulebook import INSURANCE_KINDS, OTHER_SIDE, InsuranceRow, Phase, Rulebook, Side

Rows = Mapping[tuple[Side, Phase], InsuranceRow]
Offers = Mapping[tuple[str, str], Fraction]

_NO_ROWS: Rows = {}


def rows_now(rulebook: Rulebook, player: Sequence[Card], banker: Sequence[Card]) -> Rows:
    """Find the insurance on sale for the cards lying open, by side and phase.

    Nothing is sold unless a card is still to come (`insurance/insurance`).
    """
    phase = _phase_of(player, banker)
    if rulebook.insurance is None or phase is None or due_next(player, banker) is None:
        return _NO_ROWS
    totals = {Side.PLAYER: hand_total(player), Side.BANKER: hand_total(banker)}
    return {
        (row.side, phase): row
        for row in rulebook.insurance.rows
        if row.phase is phase
        and totals[row.side] in row.own_totals
        and totals[OTHER_SIDE[row.side]] in row.other_totals
    }


def rows_of_coup(rulebook: Rulebook, coup: Coup) -> Rows:
    """Find all insurance that was on sale in the course of a complete coup, by side and phase."""
    if rulebook.insurance is None or len(coup.player) + len(coup.banker) == 4:
        return _NO_ROWS
    rows = dict(rows_now(rulebook, coup.player[:2], coup.banker[:2]))
    if len(coup.player) == 3:
        rows |= rows_now(rulebook, coup.player, coup.banker[:2])
    return rows


def offers(rulebook: Rulebook, player: Sequence[Card], banker: Sequence[Card]) -> Offers:
    """Give the odds of the insurance on sale for the cards lying open, by kind of bet and phase."""
    return _odds(rows_now(rulebook, player, banker))


def offers_of_coup(rulebook: Rulebook, coup: Coup) -> Offers:
    """Give the odds of all insurance on sale in the course of a complete coup, by kind of bet and phase."""
    return _odds(rows_of_coup(rulebook, coup))


def _odds(rows: Rows) -> Offers:
    return {(INSURANCE_KINDS[side], phase.value): row.odds for (side, phase), row in rows.items()}


def _phase_of(player: Sequence[Card], banker: Sequence[Card]) -> Phase | None:
    match len(player), len(banker):
        case 2, 2:
            return Phase.FOUR_CARDS
        case 3, 2:
            return Phase.PLAYER_THIRD
    return None
