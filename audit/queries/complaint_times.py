"""The clocks of a complaint: what it runs from, until when it may come, when it has to be answered."""

from datetime import UTC, date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings

from audit.models import DisputedEvent, RulingKind, RulingRound
from audit.rules.deadlines import Period, Unit, deadline, parse_period
from tables.house import house_zone
from tables.models import EventStatus, FeedEvent, GameTable, Round
from tables.queries.rulebooks import rules_of

# Which rulings are a new event to dispute, and which. One that lets a round stand changes nothing.
NEW_EVENTS: dict[str, DisputedEvent] = {
    RulingKind.VOID_ROUND.value: DisputedEvent.VOID,
    RulingKind.VOID_RANGE.value: DisputedEvent.VOID,
    RulingKind.VOID_SHOE.value: DisputedEvent.VOID,
    RulingKind.VOID_KINDS.value: DisputedEvent.CORRECTION,
    RulingKind.CORRECT.value: DisputedEvent.CORRECTION,
    RulingKind.RE_DEAL.value: DisputedEvent.CORRECTION,
    RulingKind.REINSTATE.value: DisputedEvent.CORRECTION,
}


class Disputed(NamedTuple):
    """The event that may be disputed last: what it was, and when it ended by the server's clock."""

    kind: DisputedEvent
    at: datetime


def holidays() -> frozenset[date]:
    """Return the house's holidays, in which no business day falls."""
    return frozenset(date.fromisoformat(text) for text in settings.COMPLAINT_HOLIDAYS)


def filing_window(round_: Round) -> Period:
    """Return for how long a round may be complained about: as the house set it, else as its rulebook says."""
    if settings.COMPLAINT_FILING_WINDOW:
        return parse_period(settings.COMPLAINT_FILING_WINDOW)
    return Period(rules_of(round_.rulebook_id).complaints.within_hours, Unit.HOURS)


def answer_within() -> Period:
    """Return in which time a complaint is to be answered."""
    return parse_period(settings.COMPLAINT_ANSWER_WITHIN)


def disputed_event(round_: Round) -> Disputed | None:
    """Return the newest event of a round that can be disputed; None while it has no result.

    The result counts from when the server had it: the table's clock and a late feed shorten nobody's time.
    """
    results = FeedEvent.objects.filter(
        round=round_, type="round_result", status=EventStatus.ACCEPTED.value
    ).order_by("-seq")
    received = results.values_list("received_at", flat=True).first() or round_.resulted_at
    events = [Disputed(DisputedEvent.RESULT, received)] if round_.resulted_at and received else []
    rulings = RulingRound.objects.filter(
        round=round_, applied_at__isnull=False, ruling__kind__in=list(NEW_EVENTS)
    )
    events += [
        Disputed(NEW_EVENTS[kind], at)
        for kind, at in rulings.order_by("-applied_at").values_list("ruling__kind", "applied_at")[:1]
        if at is not None
    ]
    return max(events, key=lambda event: event.at) if events else None


def window_end(round_: Round, event: Disputed) -> datetime:
    """Return the last moment at which a complaint about an event is still in time."""
    zone = ZoneInfo(round_.table.zone)
    return deadline(event.at.astimezone(UTC), filing_window(round_), zone=zone, holidays=holidays())


def answer_due(received_at: datetime, table: GameTable | None) -> datetime:
    """Return until when a complaint has to be answered."""
    zone = ZoneInfo(table.zone) if table else house_zone()
    return deadline(received_at, answer_within(), zone=zone, holidays=holidays())
