"""What waits for a person: requests to decide, incidents that hold rounds, rulings under way."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, F, Max, Min, Q

from audit.models import (
    EvidencePack,
    Incident,
    IncidentStatus,
    PackStatus,
    Person,
    Ruling,
    RulingRoundStatus,
    RulingStatus,
    SetupChange,
)
from audit.queries.setup_changes import changes_waiting

SHOWN = 12
MOST_READ = 4 * SHOWN
UNDER_WAY = [status.value for status in (RulingStatus.APPROVED, RulingStatus.APPLYING, RulingStatus.STOPPED)]
_COUNTS = """
SELECT (SELECT count(*) FROM audit_incident WHERE status = 'open'),
    (SELECT count(*) FROM audit_ruling WHERE status = 'requested'),
    (SELECT count(*) FROM audit_setupchange WHERE status = 'requested' AND expires_at >= now()),
    (SELECT count(*) FROM tables_walletdelivery WHERE status = 'dead'),
    (SELECT count(*) FROM audit_complaint WHERE answered_at IS NULL
        AND status IN ('received', 'waiting', 'accepted', 'under_review', 'upheld', 'rejected'))
"""


class Waiting(NamedTuple):
    """How much waits, for the menu."""

    incidents: int
    rulings: int
    changes: int
    dead_letters: int
    complaints: int


@dataclass(frozen=True, slots=True)
class Queue:
    """What one person has before them, the most urgent first."""

    to_decide: tuple[Ruling, ...]  # asked for by somebody else, soonest expiry first
    to_decide_count: int
    own: tuple[Ruling, ...]  # asked for by this person
    incidents: tuple[Incident, ...]  # open, oldest first
    incidents_count: int
    under_way: tuple[Ruling, ...]


def waiting_counts() -> Waiting:
    """Count in one query what is open: incidents, requests of both sorts, dead letters, complaints."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS)
        return Waiting(*cursor.fetchone())


def queue_of(user: Any, now: datetime) -> Queue:
    """Read what waits, in a number of queries that does not grow with it."""
    person = Person.objects.filter(accounts__user=user).first()
    waiting = _with_rounds(Ruling.objects.filter(status=RulingStatus.REQUESTED.value, expires_at__gte=now))
    asked = list(waiting.order_by("expires_at")[:MOST_READ])
    own = [one for one in asked if _is_of(one, user, person)]
    others = [one for one in asked if one not in own]
    incidents = Incident.objects.filter(status=IncidentStatus.OPEN.value)
    related = ("table", "round__table", "shoe", "rulebook", "hold")
    # Those that hold a round come before those that hold nothing, each the oldest first.
    holds = Q(hold__isnull=False, hold__lifted_at__isnull=True)
    urgent = incidents.select_related(*related).annotate(holds=holds).order_by("-holds", "reported_at", "pk")
    read = list(urgent[:MOST_READ])
    under_way = _with_rounds(Ruling.objects.filter(status__in=UNDER_WAY)).annotate(
        rounds_done=Count("rounds", filter=Q(rounds__status=RulingRoundStatus.APPLIED.value))
    )
    return Queue(
        to_decide=tuple(others[:SHOWN]),
        to_decide_count=len(others) if len(asked) < MOST_READ else _count_of_others(user, person, now),
        own=tuple(own[:SHOWN]),
        incidents=tuple(read[:SHOWN]),
        incidents_count=len(read) if len(read) < MOST_READ else incidents.count(),
        # Those that cannot go on come first.
        under_way=tuple(under_way.order_by(F("failures").desc(nulls_last=True), "decided_at")[:SHOWN]),
    )


def _count_of_others(user: Any, person: Person | None, now: datetime) -> int:
    """Count the requests of everybody but this person, where they are too many to read."""
    mine = Q(requested_by_person=person) if person is not None else Q(requested_by=user)
    waiting = Ruling.objects.filter(status=RulingStatus.REQUESTED.value, expires_at__gte=now)
    return waiting.exclude(mine).count()


def _is_of(ruling: Ruling, user: Any, person: Person | None) -> bool:
    """Say whether a person asked for a ruling themselves."""
    if person is not None:
        return ruling.requested_by_person_id == person.pk
    return ruling.requested_by_id == user.pk


def changes_to_decide(user: Any, now: datetime) -> tuple[int, list[SetupChange]]:
    """Count the changes of the set-up that somebody else asked for and that wait, and read the first."""
    waiting = changes_waiting(now).exclude(requested_by_person__accounts__user=user)
    first = list(waiting[: SHOWN + 1])
    return len(first) if len(first) <= SHOWN else waiting.count(), first[:SHOWN]


def packs_under_way() -> list[EvidencePack]:
    """Read the evidence packs that are asked for and not made yet, the oldest first."""
    waiting = [PackStatus.WAITING.value, PackStatus.MAKING.value]
    return list(EvidencePack.objects.filter(status__in=waiting).order_by("asked_at")[:SHOWN])


def _with_rounds(rulings: Any) -> Any:
    return rulings.select_related("table", "shoe", "requested_by_person").annotate(
        first_number=Min("rounds__round__number"),
        last_number=Max("rounds__round__number"),
        only_round_id=Min("rounds__round__public_id"),
        failures=Max("rounds__failures", filter=Q(rounds__status=RulingRoundStatus.WAITING.value)),
    )
