"""Holds on video: asked for with what is in dispute, in its transaction, and released by two persons."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import prefetch_related_objects

from audit import locks
from audit.models import Complaint, Consent, Incident, Ruling, VideoHold, VideoHoldCause, VideoHoldStatus
from audit.queries.video import video_of
from audit.services.complaint_record import BadComplaint, CannotChange
from tables.models import Round
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import moment, record

ASK = "audit.ask_recorder"
NOTE = "audit.give_consent"
LONGEST_REASON = 2_000
RUNG_AT_ONCE = 50
OPEN = [VideoHoldStatus.ASKED.value, VideoHoldStatus.HELD.value]


def hold_video(
    rounds: Sequence[Round],
    *,
    at: datetime,
    incident: Incident | None = None,
    ruling: Ruling | None = None,
    complaint: Complaint | None = None,
) -> list[VideoHold]:
    """Ask for a hold on the video of rounds, for one cause; what is asked for already gets the cause.

    Call inside the cause's transaction: its row is the promise, and the bell rings after COMMIT.
    """
    if not rounds:
        return []
    holds, fresh = _open_holds(rounds, at)
    VideoHoldCause.objects.bulk_create(
        VideoHoldCause(hold=hold, incident=incident, ruling=ruling, complaint=complaint, at=at)
        for hold in holds
    )
    _record_asked(fresh, at)
    for start in range(0, len(fresh), RUNG_AT_ONCE):
        ids = [hold.pk for hold in fresh[start : start + RUNG_AT_ONCE]]
        transaction.on_commit(partial(outbox.ring, ASK, ids))
    return holds


def _record_asked(fresh: Sequence[VideoHold], at: datetime) -> None:
    """Write one entry, however many rounds are asked for at once; it stands at the first hold of them."""
    if fresh:
        others = [hold.round.public_id for hold in fresh[1:]]
        record_hold("video.asked", fresh[0], SYSTEM, at, **({"rounds_besides": others} if others else {}))


def _open_holds(rounds: Sequence[Round], at: datetime) -> tuple[list[VideoHold], list[VideoHold]]:
    """Return the open holds of each round, one made where none reaches to its end, and those made just now.

    Somebody may ask for the same in the same moment: then one of the two makes it, and the other finds it.
    """
    prefetch_related_objects(rounds, "table")
    found = VideoHold.objects.filter(round__in=rounds, status__in=OPEN).select_related("round__table")
    ends: dict[int, list[datetime | None]] = {}
    for hold in found:
        ends.setdefault(hold.round_id, []).append(hold.to_at)
    wanted = [_new_hold(round_, at) for round_ in rounds]
    made = [hold for hold in wanted if not _reaches(ends.get(hold.round_id, []), hold.to_at)]
    VideoHold.objects.bulk_create(made, ignore_conflicts=True)
    ours = {hold.uuid for hold in made}
    holds = list(found.all())
    return holds, [hold for hold in holds if hold.uuid in ours]


def _reaches(ends: Sequence[datetime | None], wanted: datetime | None) -> bool:
    """Say whether one of several holds goes as far as is wanted; one without an end goes on."""
    return any(end is None or (wanted is not None and wanted <= end) for end in ends)


def _new_hold(round_: Round, at: datetime) -> VideoHold:
    reference = video_of(round_)
    return VideoHold(
        round=round_,
        camera=reference.camera,
        from_at=reference.from_at,
        to_at=reference.to_at,
        lapses_at=reference.expires_at,
        asked_at=at,
        due_at=at,
    )


def release_video(hold: VideoHold, consent: Consent, *, actor: Actor, at: datetime) -> None:
    """Tell the recorder to let go of a locked hold. Call inside the consent's transaction."""
    hold.status, hold.release = VideoHoldStatus.RELEASING.value, consent
    hold.due_at, hold.attempts, hold.last_error = at, 0, ""
    hold.save(update_fields=["status", "release", "due_at", "attempts", "last_error"])
    record_hold("video.releasing", hold, actor, at)
    transaction.on_commit(partial(outbox.ring, ASK, [hold.pk]))


@transaction.atomic
def note_alarm(*, hold_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> VideoHold:
    """Take note that video is lost or not kept, with a reason; the alarm is over then.

    The recorder is asked on, where only its answer may have been lost.

    :raises NotAllowed: if the actor may not consent to a release either.
    :raises BadComplaint: if no reason is given.
    :raises CannotChange: if it is no alarm, or somebody took note of it already.
    """
    actor.require(NOTE)
    hold = locks.lock_video_hold(hold_id)
    reason = reason.strip()[:LONGEST_REASON]
    if not reason or "\x00" in reason:
        raise BadComplaint("reason", "complaint/reason", "say it in words")
    if not hold.is_alarm:
        raise CannotChange("video/alarm", f"the video of {hold.round.public_id} is no alarm")
    hold.noted_at, hold.noted_by, hold.noted_because = at, user, reason
    hold.save(update_fields=["noted_at", "noted_by", "noted_because"])
    record_hold("video.noted", hold, actor, at, reason=reason)
    return hold


def record_hold(action: str, hold: VideoHold, actor: Actor, at: datetime, **more: Any) -> None:
    """Write what became of a hold into the journal."""
    record(
        action,
        subject=hold,
        label=f"{hold.camera} {hold.round.public_id}"[:64],
        actor=actor,
        at=at,
        data={
            "round": hold.round.public_id,
            "camera": hold.camera,
            "from": moment(hold.from_at),
            "to": moment(hold.to_at) if hold.to_at else None,
            "lapses_at": moment(hold.lapses_at),
            "status": hold.status,
            "attempts": hold.attempts,
            **more,
        },
    )
