"""What waits for a person: requests to decide, incidents that hold rounds, rulings under way."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, Q

from audit.models import Incident, IncidentStatus, Person, Ruling, RulingStatus, SetupChange
from audit.queries.setup_changes import changes_waiting

SHOWN = 12
UNDER_WAY = [status.value for status in (RulingStatus.APPROVED, RulingStatus.APPLYING, RulingStatus.STOPPED)]
_COUNTS = """
SELECT (SELECT count(*) FROM audit_incident WHERE status = 'open'),
    (SELECT count(*) FROM audit_ruling WHERE status = 'requested'),
    (SELECT count(*) FROM audit_setupchange WHERE status = 'requested' AND expires_at >= now()),
    (SELECT count(*) FROM tables_walletdelivery WHERE status = 'dead'),
    (SELECT count(*) FROM audit_complaint
        WHERE status IN ('received', 'waiting', 'accepted', 'under_review', 'upheld', 'rejected'))
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
    is_own = Q(requested_by_person=person) if person else Q(requested_by=user)
    incidents = Incident.objects.filter(status=IncidentStatus.OPEN.value)
    related = ("table", "round__table", "shoe", "rulebook", "hold")
    # Those that hold a round come before those that hold nothing, each the oldest first.
    oldest = sorted(
        incidents.select_related(*related).order_by("reported_at")[: 4 * SHOWN],
        key=lambda one: one.hold_id is None,
    )
    return Queue(
        to_decide=tuple(waiting.exclude(is_own).order_by("expires_at")[:SHOWN]),
        own=tuple(waiting.filter(is_own).order_by("expires_at")[:SHOWN]),
        incidents=tuple(oldest[:SHOWN]),
        incidents_count=incidents.count(),
        under_way=tuple(
            _with_rounds(Ruling.objects.filter(status__in=UNDER_WAY)).order_by("decided_at")[:SHOWN]
        ),
    )


def changes_to_decide(user: Any, now: datetime) -> list[SetupChange]:
    """Read the changes of the set-up that somebody else asked for and that wait."""
    return list(changes_waiting(now).exclude(requested_by_person__accounts__user=user)[:SHOWN])


def _with_rounds(rulings: Any) -> Any:
    return rulings.select_related("table", "shoe", "requested_by_person").annotate(
        first_number=Min("rounds__round__number"),
        last_number=Max("rounds__round__number"),
        only_round_id=Min("rounds__round__public_id"),
    )
