"""What is asked for, as an address or a form says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.http import QueryDict

from audit import words
from audit.admin.subjects import Subject, read_key
from audit.models import Complaint, ComplaintStatus, Incident, IncidentStatus, Ruling, RulingKind
from audit.queries.rulings_in_force import texts_of
from tables.models import Deal, DealStatus, Round, RoundStatus
from tables.rules.drawing import DEAL_ORDER

OF_A_ROUND = (
    RulingKind.VOID_ROUND,
    RulingKind.RE_DEAL,
    RulingKind.CORRECT,
    RulingKind.VOID_KINDS,
    RulingKind.STAND,
    RulingKind.REINSTATE,
)
OF_A_SHOE = (
    RulingKind.VOID_RANGE,
    RulingKind.VOID_SHOE,
    RulingKind.REPLACE_SHOE,
    RulingKind.RESHUFFLE,
    RulingKind.CANCEL_SHOE,
    RulingKind.STAND,
)
OF_A_TABLE = (RulingKind.VOID_RANGE, RulingKind.CLOSE_TABLE, RulingKind.STAND)
MOST_ROUNDS = 500
WITH_ALSO = frozenset(
    {
        RulingKind.VOID_ROUND,
        RulingKind.VOID_KINDS,
        RulingKind.STAND,
        RulingKind.RE_DEAL,
        RulingKind.VOID_RANGE,
    }
)


@dataclass(slots=True)
class Asked:
    """What is asked for, as far as it is typed."""

    subject: Subject
    kind: RulingKind | None
    rounds: list[Round]
    facts: dict[str, Any]
    reinstates: Ruling | None
    incident: Incident | None
    recorded: dict[str, str]  # the cards of the live deal, by place
    complaint: Complaint | None = None
    first: str = ""
    last: str = ""
    left_out: int = 0  # rounds of the range that are void already
    dealer: int | None = None
    card_set: str = ""


def read_asked(subject: Subject, given: QueryDict) -> Asked:
    """Read what is asked for; what cannot be read is as if it had not been typed."""
    kinds = {kind.value: kind for kind in kinds_for(subject)}
    kind = kinds.get(given.get("kind", ""))
    asked = Asked(subject, kind, [], {}, None, _incident(subject, given), {}, _complaint(subject, given))
    if subject.round is not None:
        deal = Deal.objects.filter(round=subject.round, status=DealStatus.LIVE.value).first()
        asked.recorded = texts_of(deal)
        asked.rounds = [subject.round]
    if kind in WITH_ALSO:
        asked.facts["also"] = [name for name in given.getlist("also") if name in words.ALSO]
    match kind:
        case RulingKind.CORRECT:
            asked.facts["cards"] = _read_cards(given, asked.recorded)
        case RulingKind.VOID_KINDS:
            asked.facts["kinds"] = given.getlist("kinds")
        case RulingKind.REINSTATE:
            asked.reinstates = Ruling.objects.filter(pk=read_key(given, "reinstates") or 0).first()
        case RulingKind.VOID_RANGE | RulingKind.VOID_SHOE:
            _read_rounds(asked, given)
    return asked


def kinds_for(subject: Subject) -> tuple[RulingKind, ...]:
    """List what can be asked for about a subject."""
    if subject.round is not None:
        return OF_A_ROUND
    return OF_A_SHOE if subject.shoe is not None else OF_A_TABLE


def _incident(subject: Subject, given: QueryDict) -> Incident | None:
    """Find the incident this answers: the one named, else the newest open one of the round or shoe."""
    found = Incident.objects.filter(table=subject.table, status=IncidentStatus.OPEN.value)
    if key := read_key(given, "incident"):
        return found.filter(pk=key).select_related("rulebook").first()
    if subject.round is not None:
        found = found.filter(round=subject.round)
    elif subject.shoe is not None:
        found = found.filter(shoe=subject.shoe, round=None)
    else:
        found = found.filter(shoe=None, round=None)
    return found.select_related("rulebook").order_by("-pk").first()


def _complaint(subject: Subject, given: QueryDict) -> Complaint | None:
    """Find the upheld complaint this carries out: the one named, if it is about this round."""
    upheld = Complaint.objects.filter(round=subject.round, status=ComplaintStatus.UPHELD.value)
    return upheld.filter(pk=read_key(given, "complaint") or 0).first() if subject.round else None


def _read_cards(given: QueryDict, recorded: Mapping[str, str]) -> dict[str, str]:
    if not any(place.value in given for place in DEAL_ORDER):
        return dict(recorded)
    typed = {place.value: given.get(place.value, "").strip().upper()[:3] for place in DEAL_ORDER}
    return {place: text for place, text in typed.items() if text}


def _read_rounds(asked: Asked, given: QueryDict) -> None:
    """Find the rounds meant: of a shoe by their numbers, of a table by time, dealer and cards."""
    subject = asked.subject
    if subject.shoe is None:
        rounds = _search(asked, given)
    else:
        rounds = Round.objects.filter(shoe=subject.shoe)
        if asked.kind is RulingKind.VOID_RANGE:
            asked.first, asked.last = given.get("from", ""), given.get("to", "")
            first, last = read_key(given, "from"), read_key(given, "to")
            if first is None or last is None or first > 999 or last > 999:
                return
            rounds = rounds.filter(number__gte=first, number__lte=last)
    asked.left_out = rounds.filter(status=RoundStatus.VOIDED.value).count()
    live = rounds.exclude(status=RoundStatus.VOIDED.value).select_related("shoe")
    asked.rounds = list(live.order_by("betting_opened_at", "pk")[: MOST_ROUNDS + 1])


def _search(asked: Asked, given: QueryDict) -> QuerySet[Round]:
    asked.first, asked.last = given.get("from", ""), given.get("to", "")
    first, last = _read_time(asked, asked.first), _read_time(asked, asked.last)
    if first is None or last is None:
        return Round.objects.none()
    rounds = Round.objects.filter(
        table=asked.subject.table, betting_opened_at__gte=first, betting_opened_at__lte=last
    )
    if dealer := read_key(given, "dealer"):
        asked.dealer = dealer
        rounds = rounds.filter(dealer=dealer)
    asked.card_set = given.get("card_set", "").strip()
    if asked.card_set:
        rounds = rounds.filter(shoe__card_set=asked.card_set)
    return rounds


def _read_time(asked: Asked, text: str) -> datetime | None:
    """Read a time of the table's day as a form sends it; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=zone_of(asked)) if found.tzinfo is None and 1970 < found.year < 9000 else None


def zone_of(asked: Asked) -> ZoneInfo:
    """Return the time zone of the table that is asked about."""
    return ZoneInfo(asked.subject.table.zone)
