"""What can go wrong at a table, as every rulebook must name it, and what may be done about it.

The codes and remedies are closed lists; which remedy a code gets under which circumstances is the rulebook's.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Remedy(StrEnum):
    """What a rulebook can order after an incident."""

    STANDS = "stands"  # settle as dealt
    VOID = "void"  # cancel the round, return all bets
    VOID_INSURANCE = "void_insurance"  # return the insurance bets only
    RE_DEAL = "re-deal"  # the cards dealt are dead, the bets stand, the round is dealt again
    CORRECT = "correct"  # put right and go on
    REUSE = "reuse"  # the card goes on in play
    DISCARD = "discard"
    RESCAN = "rescan"
    NO_EFFECT = "no_effect"
    REPLACE_SHOE = "replace_shoe"
    RESHUFFLE = "reshuffle"
    CLOSE_TABLE = "close_table"
    MANAGER = "manager"  # the manager decides


# A remedy that can change what a round pays, so that the round must wait for it.
MONEY_REMEDIES: Final = frozenset(
    {Remedy.VOID, Remedy.VOID_INSURANCE, Remedy.RE_DEAL, Remedy.CORRECT, Remedy.MANAGER}
)


class DoneBy(StrEnum):
    """Who carries the remedy out, where the rules name someone."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    MANAGER = "manager"


INCIDENT_CODES: Final = (
    "shuffle_error",
    "card_exposed_in_shuffle",
    "card_exposed_in_start_or_burn",
    "startup_error",
    "two_cards_dealt",
    "card_exposed_while_betting",
    "card_exposed_in_drawing",
    "extra_card_after_round",
    "card_dropped_outside_deal",
    "card_dropped_seen",
    "card_dropped_unseen",
    "card_misplaced",
    "misdeal",
    "dealt_past_last_round",
    "dealt_before_insurance_closed",
    "insurance_odds_missing",
    "insurance_odds_misplaced",
    "insurance_odds_wrong",
    "insurance_opened_by_wrong_card",
    "scan_failed",
    "player_equipment",
    "system_failure",
)

# Circumstances a remedy may depend on: name -> possible values ("yes" and "no" are written as booleans).
INCIDENT_FACTS: Final[Mapping[str, tuple[str | int | bool, ...]]] = {
    "phase": ("shuffle", "start", "betting", "dealing", "insurance", "after_round"),
    "face_seen": (False, True),
    "off_table": (False, True),  # fell off the table; no = it only left the camera's view
    "round_running": (False, True),
    "player_card_dealt": (False, True),  # a card of this shoe has been dealt to the Player
    "card_number": (1, 2, 3, 4, 5, 6),  # which card of the round
    "paid_already": (False, True),
    "later_cards_depend": (False, True),
}

Facts = dict[str, str | int | bool]


def incident_of_card_out(reason: str, *, face_seen: bool, phase: str) -> tuple[str, Facts]:
    """Return which incident a card is that left the shoe for no place of a coup, and what is known of it.

    `reason` is `dropped`, `exposed` or `extra`; `phase` is `betting` or `dealing`, or `start` while no round
    runs.
    """
    is_running = phase != "start"
    match reason:
        case "dropped":
            code = "card_dropped_seen" if face_seen else "card_dropped_unseen"
            facts: Facts = {"face_seen": face_seen, "round_running": is_running}
            return (code if is_running else "card_dropped_outside_deal"), facts
        case "exposed":
            codes = {"betting": "card_exposed_while_betting", "dealing": "card_exposed_in_drawing"}
            return codes.get(phase, "card_exposed_in_start_or_burn"), {"phase": phase}
    return "extra_card_after_round", {"face_seen": face_seen}
