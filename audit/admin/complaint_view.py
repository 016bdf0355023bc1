"""What the pages of complaints show of a round: the details compared, the coup, the player's bets."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit import complaint_words as words
from audit.admin.two_coups import one_coup
from audit.models import Consent, ConsentStatus, VideoHoldStatus
from audit.queries.complaint_times import filing_window
from audit.queries.rulings_in_force import texts_of
from audit.queries.video import VideoReference, holds_of, video_of
from audit.rules.complaints import Match, Recorded, Said, how_many_agree
from audit.rules.deadlines import Unit
from audit.services.complaint_record import BadComplaint
from tables.admin.round_sheets import odds_of, write_odds
from tables.models import Bet, Deal, DealStatus, Player, Round, Settlement, SettlementLine
from tables.queries.people import note_named
from tables.templatetags.felt import clock, clock_text, day, time_element

BETS_SHOWN = 20
#: Beyond its time video is there only under a hold; one that was just asked for may be.
NOT_GONE = frozenset({VideoHoldStatus.ASKED, VideoHoldStatus.HELD, VideoHoldStatus.RELEASING})
#: How the names of zones begin that are places; the others are abbreviations and relics.
PLACES = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


class CheckRow(NamedTuple):
    """One detail: what the player says, what was recorded, whether the two agree."""

    name: str
    word: Any
    said: str
    recorded: str
    match: str


class Checks(NamedTuple):
    """The details compared, and how many of those that were named agree."""

    rows: list[CheckRow]
    agree: int
    named: int
    differing: list[CheckRow]


class BetRow(NamedTuple):
    """A bet of the player in the round, with its newest line and what it pays to one."""

    bet: Bet
    line: SettlementLine | None
    odds: str


def may_withdraw(user: Any, consent: Consent | None) -> bool:
    """Say whether a request for consent waits that this account made."""
    return (
        consent is not None
        and consent.status == ConsentStatus.REQUESTED
        and consent.expires_at >= datetime.now(UTC)
        and consent.requested_by_id == user.pk
        and user.has_perm("audit.request_consent")
    )


def rows_of_checks(said: Said, recorded: Recorded | None, checks: Mapping[str, str], zone: str) -> Checks:
    """Put each detail beside the record; the bet only where one was named."""
    spoken = {
        "played_at": _moment(said, zone),
        "table": said.table,
        "dealer": said.dealer,
        "round_number": said.round,
        "player": said.player,
        "bet": said.bet,
    }
    known = _recorded_words(recorded, checks, zone)
    rows = [
        CheckRow(name, words.DETAILS[name], spoken[name] or "–", known[name], checks[name])
        for name in spoken
        if name in checks and (name != "bet" or said.bet)
    ]
    agree, named = how_many_agree([Match(row.match) for row in rows])
    return Checks(rows, agree, named, [row for row in rows if row.match == Match.DIFFERS])


def read_local(text: str, zone: ZoneInfo) -> datetime | None:
    """Read a time as a form sends it, in a zone; None where nothing was typed.

    :raises BadComplaint: if it is none.
    """
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadComplaint("played_at", "complaint/time", "that is no time") from error


@cache
def zone_names() -> tuple[str, ...]:
    """Return the time zones that a player may be in, by name."""
    return ("UTC", *sorted(name for name in available_timezones() if name.startswith(PLACES)))


def read_zone(text: str, usual: ZoneInfo) -> ZoneInfo:
    """Read the zone in which a player tells the time; where none was named, it is the usual one.

    :raises BadComplaint: if there is no such zone.
    """
    if not text.strip():
        return usual
    if text.strip() not in zone_names():
        raise BadComplaint("zone", "complaint/zone", "there is no such time zone")
    return ZoneInfo(text.strip())


def _moment(said: Said, zone: str) -> SafeString | str:
    if said.played_at is None:
        return ""
    written = clock_text(said.played_at, zone)
    shown = f"{day(said.played_at, zone)}, {written if said.has_seconds else written[:5]}"
    return time_element(said.played_at, shown)


def _recorded_words(recorded: Recorded | None, checks: Mapping[str, str], zone: str) -> dict[str, str]:
    if recorded is None:
        return dict.fromkeys(words.DETAILS, "–")
    ended = clock(recorded.ended_at, zone) or _("still played")
    belongs, belongs_not = _("is in this round"), _("is not in this round")
    has_bets = ngettext("%(count)s bet in this round", "%(count)s bets in this round", recorded.bets)
    return {
        "played_at": format_html("{}–{}", clock(recorded.begun_at, zone), ended),
        "table": recorded.table,
        "dealer": recorded.dealer or "–",
        "round_number": _("%(number)s, shoe %(shoe)s")
        % {"number": recorded.number, "shoe": recorded.round_id.split("-")[2]},
        "player": has_bets % {"count": recorded.bets}
        if checks.get("player") == Match.AGREES
        else belongs_not,
        "bet": belongs if checks.get("bet") == Match.AGREES else belongs_not,
    }


def say_missing(missing: Iterable[Any]) -> str:
    """Name the details that are missing, in the reader's language."""
    return ", ".join(str(words.DETAILS[str(getattr(one, "value", one))]) for one in missing)


def coup_of(round_: Round) -> Any:
    """Return the coup of a round as it lies now, or None where no card was dealt."""
    deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    cards = texts_of(deal)
    return one_coup(cards, round_.shoe.decks) if cards else None


def bets_of(round_: Round, player: Player | None) -> list[BetRow]:
    """Return the player's bets in a round, each with what the newest revision gave it."""
    if player is None:
        return []
    note_named([player.pk])
    bets = list(Bet.objects.filter(round=round_, player=player).order_by("pk")[:BETS_SHOWN])
    newest = Settlement.objects.filter(round=round_).order_by("-revision").first()
    lines = SettlementLine.objects.filter(settlement=newest, bet__in=bets) if newest else []
    by_bet = {line.bet_id: line for line in lines}
    paid = odds_of(newest)
    return [
        BetRow(bet, by_bet.get(bet.pk), write_odds(paid.get((bet.kind, bet.phase)) or bet.odds_offered))
        for bet in bets
    ]


PERIODS = {
    Unit.HOURS: lambda count: ngettext("%(count)s hour", "%(count)s hours", count),
    Unit.DAYS: lambda count: ngettext("%(count)s day", "%(count)s days", count),
    Unit.BUSINESS_DAYS: lambda count: ngettext("%(count)s business day", "%(count)s business days", count),
    Unit.WEEKS: lambda count: ngettext("%(count)s week", "%(count)s weeks", count),
}


def say_window(round_: Round, kind: str) -> str:
    """Say for how long a complaint can be received, and from what."""
    period = filing_window(round_)
    span = PERIODS[period.unit](period.count) % {"count": period.count}
    said = {"period": span, "event": str(words.EVENTS[kind])}
    return _("to receive it, %(period)s from the %(event)s") % said


def watch_url(video: VideoReference) -> str:
    """Return where the recorder plays a round."""
    piece = {"camera": video.camera, "from": video.from_at.isoformat()}
    if video.to_at:
        piece["to"] = video.to_at.isoformat()
    return f"{settings.RECORDER_URL}/v1/video?{urlencode(piece)}"


def video_context(request: HttpRequest, round_: Round) -> dict[str, Any]:
    """Return what the sheet of a round's video shows, and to whom."""
    video, holds = video_of(round_), holds_of(round_)
    may_see = request.user.has_perm("audit.view_videohold")
    is_over = video.expires_at <= datetime.now(UTC)
    is_gone = is_over and all(hold.status not in NOT_GONE for hold in holds)
    return {
        "video": video,
        "video_is_over": is_over,
        "video_is_gone": is_gone,
        "holds": holds,
        "may_see_holds": may_see,
        "watch_url": watch_url(video) if may_see and settings.RECORDER_URL and not is_gone else "",
    }
