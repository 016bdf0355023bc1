"""What takes a second person besides rulings: a late complaint let in, a hold on video released.

One asks, another consents, and the consent carries it out in the same transaction. The database refuses the
change without an approved consent of two persons.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction

from audit import locks
from audit.models import (
    Complaint,
    ComplaintAction,
    ComplaintRefusal,
    ComplaintStatus,
    Consent,
    ConsentKind,
    ConsentStatus,
    VideoHold,
    VideoHoldStatus,
)
from audit.queries.persons import person_of
from audit.services.complaint_record import BadComplaint, write_event
from audit.services.complaint_verbs import require_what_the_rule_asks
from audit.services.rulings import CannotDecide
from audit.services.video import hold_video, release_video
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import moment, record

EXPIRES_AFTER: Final = timedelta(days=1)
REQUEST = "audit.request_consent"
GIVE = "audit.give_consent"


@transaction.atomic
def ask_to_admit(*, complaint_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> Consent:
    """Ask a second person to let a late complaint in.

    :raises CannotDecide: if it was not refused for being late, or somebody asked already.
    :raises CannotChange: if it does not name yet what the rule asks for.
    """
    complaint = locks.lock_complaint(complaint_id)
    if complaint.status != ComplaintStatus.REFUSED or complaint.refusal != ComplaintRefusal.LATE:
        raise CannotDecide("consent/late", f"{complaint.number} was not refused for being late")
    require_what_the_rule_asks(complaint)
    return _ask(ConsentKind.LATE_COMPLAINT, reason, actor, user, at, complaint=complaint)


@transaction.atomic
def ask_to_release(*, hold_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> Consent:
    """Ask a second person to release a hold on video.

    :raises CannotDecide: if nothing is held, or somebody asked already.
    """
    hold = locks.lock_video_hold(hold_id)
    if hold.status != VideoHoldStatus.HELD:
        raise CannotDecide("consent/held", f"the video of {hold.round.public_id} is {hold.status}, not held")
    return _ask(ConsentKind.VIDEO_RELEASE, reason, actor, user, at, video_hold=hold)


def _ask(
    kind: ConsentKind,
    reason: str,
    actor: Actor,
    user: Any,
    at: datetime,
    *,
    complaint: Complaint | None = None,
    video_hold: VideoHold | None = None,
) -> Consent:
    actor.require(REQUEST)
    if not reason.strip():
        raise BadComplaint("reason", "complaint/reason", "say it in words")
    try:
        with transaction.atomic():
            consent = Consent.objects.create(
                kind=kind.value,
                complaint=complaint,
                video_hold=video_hold,
                reason=reason.strip()[:2000],
                requested_by=user,
                requested_by_person=person_of(user),
                requested_at=at,
                expires_at=at + EXPIRES_AFTER,
            )
    except IntegrityError as error:
        if "consent_one_open" not in str(error):
            raise
        raise CannotDecide("consent/asked", "a second person was asked already; wait for that one") from error
    _record("consent.requested", consent, actor, at)
    return consent


def give_consent(*, consent_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> Consent:
    """Consent as the second person, and carry it out.

    :raises CannotDecide: if it was decided, has expired, or the same person asked for it.
    :raises CannotChange: if the complaint does not name what the rule asks for.
    """
    actor.require(GIVE)
    try:
        with transaction.atomic():
            consent = _decide(consent_id, ConsentStatus.APPROVED, reason, user, at)
            _record("consent.approved", consent, actor, at)
            if consent.kind == ConsentKind.LATE_COMPLAINT:
                _admit(consent, actor, user, at)
            else:
                _release(consent, actor, at)
    except IntegrityError as error:
        if "consent_four_eyes" not in str(error):
            raise
        raise CannotDecide(
            "consent/four-eyes", "another person than the one who asked has to consent"
        ) from error
    return consent


@transaction.atomic
def refuse_consent(*, consent_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> Consent:
    """Refuse to consent; nothing happens.

    :raises CannotDecide: if it was decided, or no reason is given.
    """
    actor.require(GIVE)
    if not reason.strip():
        raise CannotDecide("consent/reason", "say why it is refused")
    consent = _decide(consent_id, ConsentStatus.REFUSED, reason, user, at)
    _record("consent.refused", consent, actor, at)
    return consent


@transaction.atomic
def withdraw_consent(*, consent_id: int, reason: str, actor: Actor, user: Any, at: datetime) -> Consent:
    """Withdraw a request before anybody decided it; nothing happens, and it can be asked for anew.

    :raises CannotDecide: if another account asked for it, or it was decided.
    """
    actor.require(REQUEST)
    if Consent.objects.get(pk=consent_id).requested_by_id != user.pk:  # who asked never changes
        raise CannotDecide("consent/other", "only who asked withdraws it")
    consent = _decide(consent_id, ConsentStatus.WITHDRAWN, reason, user, at)
    _record("consent.withdrawn", consent, actor, at)
    return consent


def _decide(consent_id: int, status: ConsentStatus, reason: str, user: Any, at: datetime) -> Consent:
    # The thing before the consent about it, as whoever asks locks them.
    known = Consent.objects.get(pk=consent_id)
    if known.complaint_id is not None:
        locks.lock_complaint(known.complaint_id)
    elif known.video_hold_id is not None:
        locks.lock_video_hold(known.video_hold_id)
    consent = locks.lock_consent(consent_id)
    if consent.status != ConsentStatus.REQUESTED:
        rule = "consent/withdrawn" if consent.status == ConsentStatus.WITHDRAWN else "consent/decided"
        raise CannotDecide(rule, f"this was {consent.status} already; nothing was done")
    if at > consent.expires_at:
        raise CannotDecide(
            "consent/expired", f"this request expired at {moment(consent.expires_at)}; ask again"
        )
    consent.status, consent.decided_by, consent.decided_by_person = status.value, user, person_of(user)
    consent.decided_at, consent.decision_reason = at, reason.strip()[:2000]
    consent.save(update_fields=["status", "decided_by", "decided_by_person", "decided_at", "decision_reason"])
    return consent


def _admit(consent: Consent, actor: Actor, user: Any, at: datetime) -> None:
    complaint = locks.lock_complaint(consent.complaint_id or 0)
    require_what_the_rule_asks(complaint)
    write_event(
        complaint,
        ComplaintAction.ADMITTED,
        actor=actor,
        user=user,
        at=at,
        to=ComplaintStatus.ACCEPTED,
        data={"consent": consent.pk},
        columns={"admission": consent, "owner": consent.requested_by},
    )
    if complaint.round is not None:
        hold_video([complaint.round], at=at, complaint=complaint)


def _release(consent: Consent, actor: Actor, at: datetime) -> None:
    hold = locks.lock_video_hold(consent.video_hold_id or 0)
    if hold.status != VideoHoldStatus.HELD:
        raise CannotDecide("consent/held", f"the video of {hold.round.public_id} is {hold.status}, not held")
    release_video(hold, consent, actor=actor, at=at)


def expire_consents(*, now: datetime) -> int:
    """Mark requests nobody consented to in time; return how many."""
    late = Consent.objects.filter(status=ConsentStatus.REQUESTED.value, expires_at__lt=now)
    expired = 0
    for consent_id in list(late.values_list("pk", flat=True)[:200]):
        with transaction.atomic():
            consent = locks.lock_consent(consent_id)
            if consent.status == ConsentStatus.REQUESTED:
                consent.status = ConsentStatus.EXPIRED.value
                consent.save(update_fields=["status"])
                _record("consent.expired", consent, SYSTEM, now)
                expired += 1
    return expired


def _record(action: str, consent: Consent, actor: Actor, at: datetime) -> None:
    record(
        action,
        subject=consent,
        label=f"{consent.kind} {consent.pk}",
        actor=actor,
        at=at,
        data={
            "kind": consent.kind,
            "complaint": consent.complaint.number if consent.complaint else None,
            "video_hold": str(consent.video_hold.uuid) if consent.video_hold else None,
            "reason": consent.reason,
            "decision": consent.decision_reason,
        },
    )
