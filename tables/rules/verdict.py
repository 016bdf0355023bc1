"""What became of a kind of bet: its result and, when it won, the exact odds it was paid at."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple


class Result(StrEnum):
    """What a bet's line of a settlement says."""

    WON = "won"
    LOST = "lost"
    PUSH = "push"
    VOID = "void"
    OPEN = "open"


class Verdict(NamedTuple):
    """A result; `odds` (to one, without the stake) only when the bet won."""

    result: Result
    odds: Fraction | None = None
