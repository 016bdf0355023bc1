"""What happened to a round, in the order in which it happened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any

from tables.models import Finding, Hold, InsuranceOffer, Round, Settlement
from tables.models.feed import EventStatus, FeedEvent
from tables.queries.coups import Dealing, DealtCard


class Happening(StrEnum):
    BETTING_OPENED = "betting_opened"
    BELL = "bell"
    CARDS = "cards"
    CARD_CORRECTED = "card_corrected"
    SCAN_FAILED = "scan_failed"
    EVENT_REFUSED = "event_refused"
    INSURANCE_OPENED = "insurance_opened"
    INSURANCE_CLOSED = "insurance_closed"
    DEAL_KILLED = "deal_killed"
    RESULT = "result"
    FINDING = "finding"
    HELD = "held"
    LIFTED = "lifted"
    SETTLED = "settled"
    VOIDED = "voided"


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a timeline; the page turns `what` and `values` into words."""

    at: datetime
    what: Happening
    values: Mapping[str, Any] = field(default_factory=dict)


def timeline_of_round(
    round_: Round,
    *,
    dealings: list[Dealing],
    settlements: list[Settlement],
    findings: Iterable[Finding],
    holds: Iterable[Hold],
    accepted: int,
    refused: int,
) -> list[Moment]:
    """Put together what is known of a round's course, oldest first."""
    moments = [Moment(round_.betting_opened_at, Happening.BETTING_OPENED)]
    if round_.betting_closed_at:
        counts = {"accepted": accepted, "refused": refused}
        moments.append(Moment(round_.betting_closed_at, Happening.BELL, counts))
    for dealing in sorted(dealings, key=lambda dealing: dealing.number):
        moments += _cards(dealing, several=len(dealings) > 1)
    moments += _from_events(round_)
    moments += _insurance(round_)
    if round_.resulted_at:
        moments.append(Moment(round_.resulted_at, Happening.RESULT, {"claimed": round_.claimed}))
    moments += [
        Moment(finding.at, Happening.FINDING, {"code": finding.code})
        for finding in findings
        if finding.code != "scan_failed"  # has a line of its own
    ]
    for hold in holds:
        moments.append(Moment(hold.placed_at, Happening.HELD, {"reason": hold.reason}))
        if hold.lifted_at:
            moments.append(
                Moment(hold.lifted_at, Happening.LIFTED, {"by": hold.lifted_by, "reason": hold.reason})
            )
    moments += [_settled(settlement) for settlement in settlements]
    return sorted(moments, key=lambda moment: moment.at)


def _cards(dealing: Dealing, *, several: bool) -> list[Moment]:
    """Join cards that came together: the first four as one line, those of one second and source as one."""
    moments = []
    deal = dealing.number if several else None
    for _key, group in groupby(dealing.first_cards, key=_together):
        cards = list(group)
        values = {"cards": cards, "source": cards[0].source, "deal": deal}
        moments.append(Moment(cards[-1].at, Happening.CARDS, values))
    moments += [
        Moment(change.at, Happening.CARD_CORRECTED, {"change": change}) for change in dealing.corrections
    ]
    if dealing.died_at:
        moments.append(Moment(dealing.died_at, Happening.DEAL_KILLED, {"deal": dealing.number}))
    return moments


def _together(card: DealtCard) -> tuple[bool, str, int]:
    """Tell cards of one line from the next: the first four, then each third card, and by what read them."""
    is_first_four = card.ordinal <= 4
    return is_first_four, card.source, 0 if is_first_four else card.ordinal


def _from_events(round_: Round) -> list[Moment]:
    events = (
        FeedEvent.objects.filter(round=round_).exclude(at=None).only("type", "at", "status", "error", "seq")
    )
    moments = []
    for event in events.order_by("seq"):
        if event.at is None:
            continue
        if event.status == EventStatus.REFUSED:
            values = {"type": event.type, "error": event.error, "seq": event.seq}
            moments.append(Moment(event.at, Happening.EVENT_REFUSED, values))
        elif event.type == "scan_failed":
            moments.append(Moment(event.at, Happening.SCAN_FAILED))
    return moments


def _insurance(round_: Round) -> list[Moment]:
    moments = []
    for offer in InsuranceOffer.objects.filter(deal__round=round_).order_by("opened_at"):
        moments.append(Moment(offer.opened_at, Happening.INSURANCE_OPENED, {"phase": offer.phase}))
        if offer.closed_at:
            moments.append(Moment(offer.closed_at, Happening.INSURANCE_CLOSED, {"phase": offer.phase}))
    return moments


def _settled(settlement: Settlement) -> Moment:
    what = Happening.SETTLED if outcome_of(settlement) else Happening.VOIDED
    return Moment(settlement.created_at, what, {"settlement": settlement})


def outcome_of(settlement: Settlement) -> str:
    """Return how the round stands by this revision, empty when it is void."""
    return "" if settlement.overlay.get("void_all") else settlement.outcome
