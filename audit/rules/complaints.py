"""What a complaint has to name, and how what was said compares with what was recorded."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

MINUTE: Final = timedelta(minutes=1)


class Detail(StrEnum):
    """What a complaint may name; the first four are those of the rule `complaints`."""

    PLAYED_AT = "played_at"
    TABLE = "table"
    DEALER = "dealer"
    ROUND_NUMBER = "round_number"
    PLAYER = "player"
    BET = "bet"


class Match(StrEnum):
    """`unknown`: the record has nothing to compare with."""

    AGREES = "agrees"
    DIFFERS = "differs"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Said:
    """What the player says, as it was typed; a time of play without seconds means its whole minute."""

    played_at: datetime | None = None
    has_seconds: bool = False
    zone: str = ""
    table: str = ""
    dealer: str = ""
    round: str = ""
    player: str = ""
    bet: str = ""
    disputed: str = ""
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the record has of a round; `is_player` and `is_bet` say whether that one belongs to it.

    `bets` is how many bets the player has in it.
    """

    begun_at: datetime
    ended_at: datetime | None
    table: str
    dealer: str | None
    round_id: str
    number: int
    platform_id: str = ""
    is_player: bool | None = None
    is_bet: bool | None = None
    bets: int = 0


def missing_details(said: Said, needs: Collection[str]) -> tuple[Detail, ...]:
    """Return what the rule asks for and the complaint does not name, in the rule's order.

    A round's whole ID names its table and its number as well.
    """
    given = {
        Detail.PLAYED_AT: said.played_at is not None,
        Detail.TABLE: bool(said.table.strip()),
        Detail.DEALER: bool(said.dealer.strip()),
        Detail.ROUND_NUMBER: bool(said.round.strip()),
    }
    return tuple(detail for detail, is_given in given.items() if detail.value in needs and not is_given)


def compare(said: Said, recorded: Recorded | None) -> dict[Detail, Match]:
    """Compare each detail with the record, or say of each that there is none to compare with."""
    return {
        Detail.PLAYED_AT: _match(said.played_at is not None, recorded and _time_agrees(said, recorded)),
        Detail.TABLE: _match(
            bool(said.table.strip()), recorded and said.table.strip().upper() == recorded.table
        ),
        Detail.DEALER: _match(bool(said.dealer.strip()), recorded and _dealer_agrees(said, recorded)),
        Detail.ROUND_NUMBER: _match(bool(said.round.strip()), recorded and _round_agrees(said, recorded)),
        Detail.PLAYER: _match(bool(said.player.strip()), recorded and recorded.is_player),
        Detail.BET: _match(bool(said.bet.strip()), recorded and recorded.is_bet),
    }


def _match(is_given: bool, agrees: bool | Recorded | None) -> Match:
    if not is_given:
        return Match.MISSING
    if agrees is None:
        return Match.UNKNOWN
    return Match.AGREES if agrees else Match.DIFFERS


def _time_agrees(said: Said, recorded: Recorded) -> bool:
    """Say whether the time named touches the round, from the opening of its betting to its end."""
    span = timedelta(seconds=1) if said.has_seconds else MINUTE
    return any(
        recorded.begun_at < at + span and (recorded.ended_at is None or at <= recorded.ended_at)
        for at in _moments_meant(said)
    )


def _moments_meant(said: Said) -> set[datetime]:
    """Return what a time of play may mean: both, where clocks that were put back show it twice."""
    if said.played_at is None or not said.zone:
        return {said.played_at} if said.played_at else set()
    local = said.played_at.astimezone(ZoneInfo(said.zone))
    return {local.replace(fold=fold).astimezone(UTC) for fold in (0, 1)}


def _dealer_agrees(said: Said, recorded: Recorded) -> bool | None:
    return None if recorded.dealer is None else plain_name(said.dealer) == plain_name(recorded.dealer)


def _round_agrees(said: Said, recorded: Recorded) -> bool:
    text = said.round.strip()
    if text == recorded.platform_id:
        return True
    if text.isascii() and text.isdigit():
        return int(text) == recorded.number
    return text.upper() == recorded.round_id


def plain_name(name: str) -> str:
    """Return a name as it is compared: in one case, without double spaces or accents of its letters."""
    decomposed = unicodedata.normalize("NFKD", " ".join(name.split()).casefold())
    # Only Latin accents fall: the vowels and tones of Thai are combining marks as well, and tell names apart.
    return "".join(
        character for character in decomposed if not "\N{COMBINING GRAVE ACCENT}" <= character <= "\u036f"
    )


def how_many_agree(matches: Sequence[Match]) -> tuple[int, int]:
    """Return how many of the details that were named agree, and how many were named."""
    named = [match for match in matches if match is not Match.MISSING]
    return sum(match is Match.AGREES for match in named), len(named)
