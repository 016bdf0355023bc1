"""Which video shows a round, and what of it is held or about to be gone."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import Case, F, Prefetch, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from audit.models import VideoHold, VideoHoldCause, VideoHoldStatus
from tables.models import Round
from tables.queries.rulebooks import rules_of

LAPSE_SOON: Final = timedelta(hours=6)


class VideoReference(NamedTuple):
    """Where a round is on video: the camera above its table, from the opening of betting to the result.

    `to_at` is None while the round is played. Without a hold the recorder lets go of it at `expires_at`.
    """

    camera: str
    from_at: datetime
    to_at: datetime | None
    expires_at: datetime


def video_of(round_: Round) -> VideoReference:
    """Return the video reference of a round: all of it stands in the round itself and in its rulebook.

    The camera is the one that was above the table when betting opened; a round of before has its table's.
    """
    end = round_.resulted_at
    kept = timedelta(hours=rules_of(round_.rulebook_id).complaints.video_hours)
    return VideoReference(
        round_.camera or round_.table.code,
        round_.betting_opened_at,
        end,
        (end or round_.betting_opened_at) + kept,
    )


def holds_of(round_: Round) -> list[VideoHold]:
    """Return the holds on a round's video, the newest first."""
    return list(loaded_holds().filter(round=round_).order_by("-pk"))


def loaded_holds() -> QuerySet[VideoHold]:
    """Return holds with what is shown of them."""
    causes = VideoHoldCause.objects.select_related("incident", "ruling", "complaint").order_by("pk")
    return VideoHold.objects.select_related("round__table").prefetch_related(Prefetch("causes", causes))


class UrgentHolds(NamedTuple):
    """Holds about to lapse, the soonest first; those that did so unanswered or were refused, the newest.

    An alarm stands until somebody has taken note of it.
    """

    lapsing: list[VideoHold]
    alarms: list[VideoHold]


def urgent_holds(now: datetime, most: int) -> UrgentHolds:
    """Return in one query what is urgent about video, so many of each kind: neither hides the other."""
    asked, lapses = VideoHoldStatus.ASKED.value, F("lapses_at")
    is_refused = Q(status=VideoHoldStatus.REFUSED.value, lapses_at__gte=now, noted_at__isnull=True)
    is_late = Q(status=VideoHoldStatus.LAPSED.value, alarmed_at__isnull=False, noted_at__isnull=True)
    is_near = Q(status=asked, lapses_at__lte=now + LAPSE_SOON)
    soonest = Case(When(status=asked, then=lapses))
    place = Window(
        RowNumber(),
        partition_by=Case(When(status=asked, then=1), default=0),
        order_by=[soonest.asc(nulls_last=True), lapses.desc(), F("id").desc()],
    )
    holds = VideoHold.objects.filter(is_refused | is_late | is_near).annotate(place=place)
    found = list(holds.filter(place__lte=most).select_related("round__table").order_by("place"))
    return UrgentHolds(
        [hold for hold in found if hold.status == asked], [hold for hold in found if hold.status != asked]
    )


def due_holds(now: datetime, limit: int = 50) -> list[int]:
    """Return the holds about which the recorder is to be asked now."""
    due = VideoHold.objects.filter(due_at__lte=now).order_by("due_at")
    return list(due.values_list("pk", flat=True)[:limit])
