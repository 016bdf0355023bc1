"""One box for everything: round ID, table and time, the platform's ID, bet, wallet key, player."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import translation
from django.utils.formats import date_format

from tables.models import Bet, GameTable, Player, Round, Shoe, WalletTransaction
from tables.rules.round_id import BadRoundId, BadRoundIdCode, make_round_id, parse_round_id

LONGEST: Final = 120
HITS_OF_A_KIND: Final = 10
READ_OF_A_KIND: Final = HITS_OF_A_KIND + 1

#: Where no round was in play at a time, those so near to it are shown.
NEAR: Final = timedelta(minutes=30)

# B03 13:39, B03 13:39:12, B03 2026-11-29 13:39, B03 29 Nov 2026 13:39, B03 13:39 Lin Mei
_TABLE_AND_TIME: Final = re.compile(
    r"(?P<table>[A-Za-z0-9]{2,6})[\s,]+"
    r"(?:(?P<day>\d{4}-\d{2}-\d{2}|\d{1,2}\s+[^\d\s]+\s+\d{4})[\sT,]+)?"
    r"(?P<hour>[0-2]?\d)[:.](?P<minute>[0-5]\d)(?:[:.](?P<second>[0-5]\d))?"
    r"(?:[\s,]+(?P<dealer>[^\W\d_][^\d]{0,79}))?",
)


class Found(StrEnum):
    ROUND = "round"
    SHOE = "shoe"
    BET = "bet"
    PLAYER = "player"
    WALLET_TRANSACTION = "wallettransaction"


class Hit(NamedTuple):
    """One record that answers a look-up."""

    kind: Found
    pk: int
    label: str
    is_exact: bool
    begun_at: datetime | None = None  # of a round found by its time
    zone: str = ""


class Slip(StrEnum):
    """What is wrong with a text that looks like a round ID."""

    MISTYPED = "mistyped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a look-up found; `slip` tells a mistyped round ID from one that names no round."""

    text: str
    hits: tuple[Hit, ...] = ()
    slip: Slip | None = None
    suggestions: tuple[Hit, ...] = ()  # rounds that exist, one slip away
    message: str = ""
    more: frozenset[Found] = frozenset()  # of these kinds more are there than are listed
    is_near: bool = False  # no round was in play at that time; these are the nearest
    dealt_by: str | None = None  # where another dealer was named than the record does; "" where it names none

    @property
    def only_hit(self) -> Hit | None:
        """Return the record to go to at once: the only one found, or the only one that fits exactly."""
        if self.is_near:
            return None
        exact = [hit for hit in self.hits if hit.is_exact]
        if len(exact) == 1:
            return exact[0]
        return self.hits[0] if len(self.hits) == 1 else None


def look_up(text: str, *, kinds: frozenset[Found], zone: ZoneInfo, now: datetime) -> Answer:
    """Find what a text names, among the kinds of record the asker may see.

    Every question is answered by an index, so it costs the same at ten million rounds as at one.
    """
    text = text.strip()
    if not text or len(text) > LONGEST or "\x00" in text:
        return Answer(text[:LONGEST].replace("\x00", ""))
    if Found.ROUND in kinds:
        answer = _round_by_id(text) or _round_by_time(text, zone, now)
        if answer is not None and answer.slip is None:
            return answer
    else:
        answer = None
    hits = _by_reference(text, kinds)
    if hits:
        return _first_of(text, hits)
    return answer or Answer(text)


def _first_of(text: str, hits: list[Hit]) -> Answer:
    """List so many of each kind, and say of which there are more."""
    shown: list[Hit] = []
    more: set[Found] = set()
    for kind in Found:
        of_kind = [hit for hit in hits if hit.kind is kind]
        shown += of_kind[:HITS_OF_A_KIND]
        if len(of_kind) > HITS_OF_A_KIND:
            more.add(kind)
    return Answer(text, tuple(shown), more=frozenset(more))


def _round_by_id(text: str) -> Answer | None:
    try:
        public_id = make_round_id(*parse_round_id(text))
    except BadRoundId as error:
        found = tuple(_rounds(list(error.candidates))[:HITS_OF_A_KIND])
        if error.code is BadRoundIdCode.WRONG_CHECK or found:
            return Answer(text, slip=Slip.MISTYPED, suggestions=found, message=error.message)
        return None
    found = tuple(_rounds([public_id]))
    if found:
        return Answer(text, found)
    return Answer(public_id, slip=Slip.UNKNOWN)


def _rounds(public_ids: list[str]) -> list[Hit]:
    if not public_ids:
        return []
    rows = dict(Round.objects.filter(public_id__in=public_ids).values_list("public_id", "pk"))
    return [Hit(Found.ROUND, rows[name], name, is_exact=True) for name in public_ids if name in rows]


def _round_by_time(text: str, zone: ZoneInfo, now: datetime) -> Answer | None:
    """Find the rounds in play at a table's time; without a day, on this day or the one before."""
    match = _TABLE_AND_TIME.fullmatch(text)
    if match is None:
        return None
    table = GameTable.objects.filter(code=match["table"].upper()).first()
    if table is None:
        return None
    # A time without seconds means any moment of its minute.
    span = timedelta(seconds=1 if match["second"] else 60)
    try:
        moments = sorted(_moments(match, ZoneInfo(table.zone), now))
        found = {row[0]: row for at in moments for row in _played_at(table, at, span)}
        if not found:
            near = {row[0]: row for at in moments for row in _near(table, at, span)}
            hits = tuple(
                Hit(Found.ROUND, pk, name, False, at, table.zone) for pk, name, at, *_ in near.values()
            )
            message = f"no round of {table.code} was in play then; these are the nearest" if hits else ""
            return Answer(text, hits, message=message, is_near=bool(hits))
    except (ValueError, OverflowError):
        return None
    named = _plain(match["dealer"] or "")
    hits = tuple(
        Hit(Found.ROUND, pk, name, not named or named == _plain(dealer or ""), at, table.zone)
        for pk, name, at, _, dealer in found.values()
    )
    if any(hit.is_exact for hit in hits):
        return Answer(text, hits)
    *_, (_, name, _, _, dealer) = found.values()
    message = f"{name} was dealt by {dealer or 'a dealer who is not recorded'}"
    return Answer(text, hits, message=message, dealt_by=dealer or "")


def _played_at(table: GameTable, at: datetime, span: timedelta) -> list[tuple[Any, ...]]:
    """Return the rounds begun within a span, and the one that was under way when it began."""
    begun = _rounds_of(table).filter(betting_opened_at__gte=at, betting_opened_at__lt=at + span)
    rows = list(begun.order_by("betting_opened_at", "pk")[:HITS_OF_A_KIND])
    before = _before(table, at)
    return [before, *rows] if before is not None and (before[3] is None or before[3] >= at) else rows


def _near(table: GameTable, at: datetime, span: timedelta) -> list[tuple[Any, ...]]:
    """Return the last round begun before a span and the first one after it, if they are near."""
    later = _rounds_of(table).filter(
        betting_opened_at__gte=at + span, betting_opened_at__lte=at + span + NEAR
    )
    both = (_before(table, at), later.order_by("betting_opened_at", "pk").first())
    return [row for row in both if row is not None]


def _before(table: GameTable, at: datetime) -> tuple[Any, ...] | None:
    earlier = _rounds_of(table).filter(betting_opened_at__lt=at, betting_opened_at__gte=at - NEAR)
    return earlier.order_by("-betting_opened_at", "-pk").first()


def _rounds_of(table: GameTable) -> QuerySet[Any, tuple[Any, ...]]:
    rounds = Round.objects.filter(table=table)
    return rounds.values_list("pk", "public_id", "betting_opened_at", "resulted_at", "dealer__name")


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


def _day(text: str) -> date:
    """Read a day as people type it, or as the pages print it in either language: `29 พ.ย. 2569`.

    :raises ValueError: if it is none.
    """
    if "-" in text:
        return date.fromisoformat(text)
    number, month, year = text.split()
    months = _month_numbers()
    if month.casefold() not in months:
        raise ValueError(f"no month: {month}")
    buddhist = 543 if int(year) > 2400 else 0
    return date(int(year) - buddhist, months[month.casefold()], int(number))


@cache
def _month_numbers() -> dict[str, int]:
    """Name the months of both languages, long and short, as the pages write them."""
    numbers: dict[str, int] = {}
    for language in ("en", "th"):
        with translation.override(language):
            for month in range(1, 13):
                for form in ("M", "F", "N"):
                    numbers[date_format(date(2026, month, 1), form).casefold()] = month
    return numbers


def _moments(match: re.Match[str], zone: ZoneInfo, now: datetime) -> set[datetime]:
    """Return what a local time means: two moments where clocks that are put back show it twice."""
    clock = time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
    day = _day(match["day"]) if match["day"] else now.astimezone(zone).date()
    local = datetime.combine(day, clock, tzinfo=zone)
    if not match["day"] and local > now:
        local -= timedelta(days=1)
    return {local.replace(fold=fold).astimezone(UTC) for fold in (0, 1)}


def _by_reference(text: str, kinds: frozenset[Found]) -> list[Hit]:
    hits: list[Hit] = []
    if Found.ROUND in kinds:
        rounds = Round.objects.filter(platform_id=text).order_by("-id").values_list("pk", "public_id")
        hits += [Hit(Found.ROUND, pk, name, is_exact=True) for pk, name in rounds[:READ_OF_A_KIND]]
        prefix = text.upper()
        if len(prefix) >= 4 and not hits:
            begun = Round.objects.filter(public_id__startswith=prefix).order_by("public_id")
            rows = begun.values_list("pk", "public_id")[:READ_OF_A_KIND]
            hits += [Hit(Found.ROUND, pk, name, is_exact=name == prefix) for pk, name in rows]
    if Found.SHOE in kinds:
        shoes = Shoe.objects.filter(public_id=text.upper()).values_list("pk", "public_id")
        hits += [Hit(Found.SHOE, pk, name, is_exact=True) for pk, name in shoes]
    if Found.BET in kinds:
        bets = Bet.objects.filter(platform_bet_id__startswith=text).order_by("platform_bet_id")
        named = bets.values_list("pk", "platform_bet_id")[:READ_OF_A_KIND]
        hits += [Hit(Found.BET, pk, name, is_exact=name == text) for pk, name in named]
    if Found.PLAYER in kinds:
        players = Player.objects.filter(identity__reference__startswith=text).order_by("identity__reference")
        known = players.values_list("pk", "identity__reference")[:READ_OF_A_KIND]
        hits += [Hit(Found.PLAYER, pk, name, is_exact=name == text) for pk, name in known]
    if Found.WALLET_TRANSACTION in kinds:
        sent = WalletTransaction.objects.filter(key=text).values_list("pk", "key")
        hits += [Hit(Found.WALLET_TRANSACTION, pk, name, is_exact=True) for pk, name in sent]
    return hits
