"""Asking the recorder about holds, one after the other, until it has said something about each.

A hold is claimed by moving its due time ahead, asked about with no lock and no transaction open, and the word
is written down by itself. Wherever the process dies in between, the due time comes and the same is asked
again; the recorder knows each hold by its own ID.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from audit import locks
from audit.models import VIDEO_FLOW, VideoHold, VideoHoldStatus
from audit.recorder_client import NoAnswer, RecorderClient, RecorderWord
from audit.services.video import record_hold
from tables.rules.retries import LONGEST_DELAY, retry_delay
from tables.services.actors import SYSTEM

logger = logging.getLogger(__name__)

#: Longer than a request takes that is still alive.
CLAIMED_FOR = timedelta(seconds=30)
LAPSED_AT_ONCE = 200
WORDS = {
    RecorderWord.HELD: VideoHoldStatus.HELD,
    RecorderWord.REFUSED: VideoHoldStatus.REFUSED,
    RecorderWord.LAPSED: VideoHoldStatus.LAPSED,
    RecorderWord.RELEASED: VideoHoldStatus.RELEASED,
}


def ask_recorder(*, hold_ids: list[int], now: datetime, client: RecorderClient | None = None) -> int:
    """Ask about holds that are due; return how many the recorder said something about.

    The first one without an answer ends it: the recorder is away, and the sweep asks again.

    :raises RuntimeError: inside a transaction, which would keep rows locked while the recorder thinks.
    """
    answered = 0
    with client or RecorderClient(settings.RECORDER_URL, settings.RECORDER_SECRET) as wire:
        for hold_id in hold_ids:
            hold = _claim(hold_id, now)
            if hold is None:
                continue
            try:
                word, why = _ask(wire, hold)
            except NoAnswer as problem:
                _postpone(hold, str(problem), now)
                break
            answered += _write_down(hold, word, why, now)
    return answered


def _claim(hold_id: int, now: datetime) -> VideoHold | None:
    with transaction.atomic(durable=True):
        hold = locks.lock_video_hold(hold_id)
        if hold.due_at is None or hold.due_at > now:
            return None
        hold.attempts = min(hold.attempts + 1, 32_767)
        hold.due_at = now + CLAIMED_FOR
        hold.save(update_fields=["attempts", "due_at"])
    return hold


def _ask(wire: RecorderClient, hold: VideoHold) -> tuple[RecorderWord, str]:
    if hold.status == VideoHoldStatus.RELEASING:
        return wire.release(hold.uuid)
    return wire.hold(hold.uuid, camera=hold.camera, from_at=hold.from_at, to_at=hold.to_at)


def _postpone(hold: VideoHold, error: str, now: datetime) -> None:
    """Ask later, each time longer; another's claim is left alone."""
    error = "".join(one if one.isprintable() else " " for one in error[:300])
    delay = retry_delay(hold.attempts) or LONGEST_DELAY
    mine = VideoHold.objects.filter(pk=hold.pk, due_at=hold.due_at)
    mine.update(due_at=now + delay, last_error=error)
    logger.warning("the recorder did not answer about %s: %s", hold.uuid, error)


@transaction.atomic
def _write_down(asked: VideoHold, word: RecorderWord, why: str, now: datetime) -> bool:
    """Write down what the recorder said; False when it is what is known, or makes no sense in this state."""
    hold = locks.lock_video_hold(asked.pk)
    status = WORDS[word]
    if hold.status == status:
        VideoHold.objects.filter(pk=hold.pk).update(due_at=None)
        return False
    if status not in VIDEO_FLOW[VideoHoldStatus(hold.status)]:
        _postpone(asked, f"the recorder says {word.value} of a hold that is {hold.status}", now)
        return False
    hold.status, hold.answered_at, hold.due_at = status.value, now, None
    hold.last_error = "".join(one if one.isprintable() else " " for one in why)
    hold.released_at = now if status is VideoHoldStatus.RELEASED else None
    hold.save(update_fields=["status", "answered_at", "due_at", "last_error", "released_at"])
    record_hold(f"video.{status.value}", hold, SYSTEM, now)
    return True


def lapse_holds(*, now: datetime) -> int:
    """Raise the alarm for holds whose video is gone and about which the recorder said nothing.

    It is asked on, seldom: perhaps it held after all, and only its answer was lost.
    """
    late = VideoHold.objects.filter(status=VideoHoldStatus.ASKED.value, lapses_at__lt=now)
    alarmed = 0
    for hold_id in list(late.values_list("pk", flat=True)[:LAPSED_AT_ONCE]):
        with transaction.atomic():
            hold = locks.lock_video_hold(hold_id)
            # One that has not been asked yet is asked first: the recorder may keep more than it has to.
            if hold.status != VideoHoldStatus.ASKED or not hold.attempts:
                continue
            hold.status, hold.alarmed_at = VideoHoldStatus.LAPSED.value, now
            hold.due_at = now + LONGEST_DELAY
            hold.save(update_fields=["status", "alarmed_at", "due_at"])
            record_hold("video.alarm", hold, SYSTEM, now)
            logger.error("video of %s has lapsed without an answer of the recorder", hold.round.public_id)
            alarmed += 1
    return alarmed
