"""Faults that can be switched on, so that everything a wallet may do wrong can be seen done wrong.

A fault lasts for the next so many requests for transactions and is forgotten by a restart.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

#: Faults of a whole request: the first one switched on takes the next request.
REQUEST_FAULTS = ("timeout", "answer_twice", "lose_answer", "error_500")
#: Faults of one player, all in force at the same time.
PLAYER_FAULTS = ("refuse_player", "short_of_money")
FAULTS = REQUEST_FAULTS + PLAYER_FAULTS
MAX_REQUESTS = 1_000_000
MAX_SECONDS = 600


class BadFault(Exception):
    """A fault cannot be switched on as asked; its text names the field and the rule."""


@dataclass(slots=True)
class Fault:
    """One fault and for how many requests it goes on."""

    fault: str
    requests: int
    seconds: int
    player: str | None
    available_minor: int
    reason: str


@dataclass(frozen=True, slots=True)
class InForce:
    """What goes wrong with one request."""

    request_fault: str | None = None
    seconds: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    short: dict[str, int] = field(default_factory=dict)


def read_fault(raw: object) -> Fault:
    """Return the fault that a decoded JSON value describes.

    :raises BadFault: if the fault is unknown or a field is of the wrong type or out of range.
    """
    if not isinstance(raw, dict) or raw.get("fault") not in FAULTS:
        raise BadFault(f"fault must be one of {', '.join(FAULTS)}")
    if unknown := raw.keys() - set(Fault.__slots__):
        raise BadFault(f"unknown field: {', '.join(sorted(unknown))}")

    def whole(name: str, default: int, low: int, high: int) -> int:
        value = raw.get(name, default)
        if type(value) is not int or not low <= value <= high:
            raise BadFault(f"{name} must be an integer from {low} to {high}")
        return value

    player = raw.get("player")
    if (raw["fault"] in PLAYER_FAULTS) != (isinstance(player, str) and player != ""):
        raise BadFault(f"player must be named for {' and '.join(PLAYER_FAULTS)}, and only for them")
    reason = raw.get("reason", "the account is closed")
    if not isinstance(reason, str):
        raise BadFault("reason must be a text")
    return Fault(
        fault=raw["fault"],
        requests=whole("requests", 1, 1, MAX_REQUESTS),
        seconds=whole("seconds", 30, 0, MAX_SECONDS),
        player=player,
        available_minor=whole("available_minor", 0, 0, 10**18),
        reason=reason,
    )


class Faults:
    """The faults switched on now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def switch_on(self, fault: Fault) -> None:
        """Add a fault behind those already there."""
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Switch every fault off."""
        with self._lock:
            self._faults.clear()

    def listed(self) -> list[dict[str, Any]]:
        """Return the faults in force and how many requests each still takes."""
        with self._lock:
            return [{name: getattr(fault, name) for name in Fault.__slots__} for fault in self._faults]

    def take(self) -> InForce:
        """Return what goes wrong with the request at hand, and count it."""
        with self._lock:
            chosen: Fault | None = None
            refused: dict[str, str] = {}
            short: dict[str, int] = {}
            for fault in self._faults:
                if fault.player is None:
                    if chosen is not None:
                        continue
                    chosen = fault
                elif fault.fault == "refuse_player":
                    refused[fault.player] = fault.reason
                else:
                    short[fault.player] = fault.available_minor
                fault.requests -= 1
            self._faults = [fault for fault in self._faults if fault.requests > 0]
        if chosen is None:
            return InForce(refused=refused, short=short)
        return InForce(chosen.fault, chosen.seconds, refused, short)
