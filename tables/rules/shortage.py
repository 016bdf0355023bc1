"""What is done about a debit for which the wallet found too little money."""

from __future__ import annotations

from enum import StrEnum


class DebitPolicy(StrEnum):
    """What a table does when the wallet has less than is to be taken back."""

    FORCE = "force"
    RECEIVABLE = "take"
    HOLD = "hold"


class Step(StrEnum):
    """What follows an answer `insufficient`."""

    FORCE = "force"  # the same debit again, to be booked whatever is there
    TAKE = "take"  # a smaller debit: what is there
    OWE = "owe"  # nothing is there: all of it is owed
    HOLD = "hold"  # a person decides


def step_after_shortage(
    policy: DebitPolicy, *, asked_minor: int, available_minor: int | None, was_forced: bool
) -> Step:
    """Return what follows when `asked_minor`, below zero for a debit, found only `available_minor`.

    An answer that makes no sense is for a person: too little money for a credit, a forced debit refused,
    enough money and yet not. So each smaller debit is smaller than the one before, and asking ends.
    """
    makes_sense = asked_minor < 0 and not was_forced
    if not makes_sense or policy is DebitPolicy.HOLD:
        return Step.HOLD
    if policy is DebitPolicy.FORCE:
        return Step.FORCE
    if available_minor is None or available_minor >= -asked_minor:
        return Step.HOLD
    return Step.TAKE if available_minor > 0 else Step.OWE
