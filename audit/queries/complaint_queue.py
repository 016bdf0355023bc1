"""What waits because of complaints: answers by time left, consents, and video about to lapse."""

from datetime import datetime
from typing import Any

from audit.models import RUNNING_STATUSES, Complaint, Consent, ConsentStatus
from audit.queries.video import urgent_holds
from tables.house import house_zone

SHOWN = 8
RUNNING = [status.value for status in RUNNING_STATUSES]


def questions_waiting(user: Any, now: datetime) -> dict[str, Any]:
    """Read what the first page shows this person of complaints and video, the soonest first."""
    context: dict[str, Any] = {"now": now, "house_zone": house_zone().key}
    if user.has_perm("audit.view_complaint"):
        running = Complaint.objects.filter(status__in=RUNNING, answered_at__isnull=True)
        first = list(
            running.select_related("table", "round", "owner").order_by("answer_due_at", "pk")[: SHOWN + 1]
        )
        context["complaints_waiting"] = first[:SHOWN]
        context["complaints_count"] = len(first) if len(first) <= SHOWN else running.count()
    if user.has_perm("audit.give_consent"):
        context["consents_waiting"], context["consents_count"] = _consents(user, now)
    if user.has_perm("audit.view_videohold"):
        context["video_lapsing"], context["video_alarms"] = urgent_holds(now, SHOWN)
    return context


def _consents(user: Any, now: datetime) -> tuple[list[Consent], int]:
    """Read the first consents another person than this one may give, and count all of them."""
    open_ones = Consent.objects.filter(status=ConsentStatus.REQUESTED.value, expires_at__gte=now)
    related = ("complaint", "video_hold__round", "requested_by_person")
    others = open_ones.exclude(requested_by_person__accounts__user=user)
    shown = list(others.select_related(*related).order_by("expires_at")[: SHOWN + 1])
    return shown[:SHOWN], len(shown) if len(shown) <= SHOWN else others.count()
