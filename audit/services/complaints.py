"""Taking complaints down: what the rule asks for, which round is meant, whether it is in time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from audit.commitments import commitment, words_of
from audit.models import (
    Complaint,
    ComplaintAction,
    ComplaintChannel,
    ComplaintRefusal,
    ComplaintSource,
    ComplaintStatus,
)
from audit.queries.complaint_rounds import Meant, find_meant, recorded_of
from audit.queries.complaint_times import Disputed, answer_due, disputed_event, window_end
from audit.rules.complaints import Detail, Said, compare, missing_details
from audit.rules.deadlines import is_in_time
from audit.services.attachments import NotTaken, Sent, attach_files
from audit.services.complaint_record import (
    BadComplaint,
    CannotChange,
    begin_complaint,
    check_words,
    open_complaint,
    write_event,
)
from audit.services.numbers import next_number
from audit.services.video import hold_video
from tables.models import Round
from tables.queries.rulebooks import rules_of
from tables.services.actors import Actor

HANDLE = "audit.handle_complaint"
#: What a rule asks for where no round is known whose rulebook could say.
USUAL_NEEDS = tuple(detail.value for detail in Detail)[:4]


@dataclass(frozen=True, slots=True)
class Judged:
    """What becomes of a complaint by the rules alone, before any person looks at it."""

    meant: Meant
    event: Disputed | None
    window_ends_at: datetime | None
    missing: tuple[Detail, ...]
    checks: dict[str, str]
    status: ComplaintStatus
    refusal: ComplaintRefusal | None


@dataclass(frozen=True, slots=True)
class Filed:
    """A complaint that was taken down; a repeat of a request finds the one it made before."""

    complaint: Complaint
    is_repeat: bool = False
    did_you_mean: tuple[str, ...] = ()
    files_refused: tuple[NotTaken, ...] = ()


def judge_complaint(said: Said, *, received_at: datetime, chosen: Round | None = None) -> Judged:
    """Find the round that is meant and say what the rule makes of a complaint that came at this moment.

    A late one is refused whatever else it lacks; then the required details count; then whether there is such
    a round.
    """
    meant = find_meant(said, chosen)
    round_ = meant.round
    said = _with_what_the_id_says(said, meant)
    needs = [need.value for need in rules_of(round_.rulebook_id).complaints.needs] if round_ else USUAL_NEEDS
    missing = missing_details(said, needs)
    checks = {detail.value: match.value for detail, match in compare(said, recorded_of(meant, said)).items()}
    event = disputed_event(round_) if round_ else None
    until = window_end(round_, event) if round_ and event else None
    status, refusal = _verdict(until, received_at, is_known=round_ is not None, is_complete=not missing)
    return Judged(meant, event, until, missing, checks, status, refusal)


def _with_what_the_id_says(said: Said, meant: Meant) -> Said:
    """Fill in the table, where the player gave the round's whole ID, which begins with it."""
    text = said.round.strip()
    if meant.round is None or said.table.strip() or text.isdigit() or text == meant.round.platform_id:
        return said
    changed = {name: getattr(said, name) for name in Said.__dataclass_fields__}
    return Said(**{**changed, "table": meant.round.table.code})


def _verdict(
    until: datetime | None, received_at: datetime, *, is_known: bool, is_complete: bool
) -> tuple[ComplaintStatus, ComplaintRefusal | None]:
    if until is not None and not is_in_time(received_at, until):
        return ComplaintStatus.REFUSED, ComplaintRefusal.LATE
    if not is_complete:
        if settings.COMPLAINT_WHEN_INCOMPLETE == "wait":
            return ComplaintStatus.WAITING, None
        return ComplaintStatus.REFUSED, ComplaintRefusal.INCOMPLETE
    if not is_known:
        return ComplaintStatus.REFUSED, ComplaintRefusal.UNKNOWN_ROUND
    return ComplaintStatus.RECEIVED, None


def file_complaint(
    *,
    said: Said,
    channel: ComplaintChannel,
    language: str,
    actor: Actor,
    user: Any,
    at: datetime,
    sender: str = "",
    idempotency_key: str = "",
    chosen: Round | None = None,
    files: Iterable[Sent] = (),
) -> Filed:
    """Take a complaint down. `at` is the moment the server received it, and decides whether it is in time.

    The same key of the same sender finds the complaint it made before, and makes no second one. A file that
    is not taken does not keep the complaint from being taken down.

    :raises NotAllowed: if the actor may not take complaints.
    :raises BadComplaint: naming what cannot be taken down.
    :raises CannotChange: if the key was used for another complaint.
    """
    if user is not None:
        actor.require(HANDLE)
    check_words(said)
    if idempotency_key and (known := _filed_before(said, sender, idempotency_key)):
        return known
    try:
        with transaction.atomic():
            filed = _file(said, channel, language, actor, user, at, sender, idempotency_key, chosen)
            refused = attach_files(subject=filed.complaint, files=files, actor=actor, at=at, user=user)
            return replace(filed, files_refused=tuple(refused))
    except IntegrityError as error:
        if "complaint_once_per_key" not in str(error):
            raise
        known = _filed_before(said, sender, idempotency_key)
        if known is None:
            raise
        return known


def _filed_before(said: Said, sender: str, key: str) -> Filed | None:
    complaint = Complaint.objects.filter(sender=sender, idempotency_key=key).first()
    if complaint is None:
        return None
    event = complaint.events.select_related("words").get(version=1)
    words = event.words
    if (
        words.erased_at is None
        and commitment(bytes(words.salt), words_of(said)) != event.data["words_commitment"]
    ):
        raise CannotChange(
            "complaint/key", f"this key was used for {complaint.number}, which says something else"
        )
    return Filed(complaint, is_repeat=True)


def _file(
    said: Said,
    channel: ComplaintChannel,
    language: str,
    actor: Actor,
    user: Any,
    at: datetime,
    sender: str,
    idempotency_key: str,
    chosen: Round | None,
) -> Filed:
    judged = judge_complaint(said, received_at=at, chosen=chosen)
    complaint = Complaint(
        number=next_number("C"),
        status=judged.status.value,
        received_at=at,
        answer_due_at=answer_due(at, judged.meant.table),
        source=(ComplaintSource.PERSON if user is not None else ComplaintSource.API).value,
        channel=channel.value,
        language=language,
        filed_by=user,
        sender=sender,
        idempotency_key=idempotency_key,
        **_columns(judged),
    )
    data = {"missing": [detail.value for detail in judged.missing], "refusal": complaint.refusal}
    begin_complaint(complaint, actor=actor, user=user, at=at, said=said, data=data)
    _hold(complaint, judged, at)
    return Filed(complaint, did_you_mean=judged.meant.did_you_mean)


def _columns(judged: Judged) -> dict[str, Any]:
    return {
        "refusal": judged.refusal.value if judged.refusal else "",
        "table": judged.meant.table,
        "round": judged.meant.round,
        "player": judged.meant.player,
        "event_kind": judged.event.kind.value if judged.event else "",
        "event_at": judged.event.at if judged.event else None,
        "window_ends_at": judged.window_ends_at,
        "checks": judged.checks,
    }


def _hold(complaint: Complaint, judged: Judged, at: datetime) -> None:
    """Ask for the video at once, unless the complaint came too late to be looked at."""
    if judged.meant.round is not None and judged.refusal is not ComplaintRefusal.LATE:
        hold_video([judged.meant.round], at=at, complaint=complaint)


@transaction.atomic
def add_information(
    *, complaint_id: int, seen_version: int | None, said: Said, actor: Actor, user: Any, at: datetime
) -> Complaint:
    """Take down what a player says further, and judge anew; what was not said again stays as it was said.

    The time of the first receipt counts. One that came late stays refused for it, whatever is added: it may
    be made whole, so that two persons can let it in.

    :raises CannotChange: if somebody was quicker, or the complaint is past being looked at anew.
    :raises BadComplaint: naming what cannot be taken down.
    """
    if user is not None:
        actor.require(HANDLE)
    complaint = open_complaint(complaint_id, seen_version)
    if not may_say_more(complaint):
        raise CannotChange(
            "complaint/state", f"{complaint.number} is {complaint.status}: its details are settled"
        )
    said = _filled_up(said, complaint)
    check_words(said)
    is_late = complaint.status == ComplaintStatus.REFUSED
    same_round = said.round.strip() == said_last(complaint).round
    chosen = complaint.round if same_round or is_late else None
    judged = judge_complaint(said, received_at=complaint.received_at, chosen=chosen)
    was_known = complaint.round_id
    to = None if judged.status == complaint.status else judged.status
    if (complaint.status, to) == (ComplaintStatus.RECEIVED, ComplaintStatus.WAITING):
        to = None  # it was complete before; what is left out now is not taken away
    columns = _columns(judged) if to or judged.meant.round else {"checks": judged.checks}
    if is_late:
        # The round and its clock stay: what it is late for is what the two persons look at.
        to, columns = None, {"checks": judged.checks, "player": judged.meant.player}
    write_event(
        complaint,
        ComplaintAction.INFORMATION,
        actor=actor,
        user=user,
        at=at,
        to=to,
        said=said,
        data={"missing": [detail.value for detail in judged.missing]},
        columns=columns,
    )
    if judged.meant.round is not None and judged.meant.round.pk != was_known:
        _hold(complaint, judged, at)
    return complaint


def may_say_more(complaint: Complaint) -> bool:
    """Say whether details can be added: before it is taken on, and where it came late and is to be let in."""
    is_late = (complaint.status, complaint.refusal) == (ComplaintStatus.REFUSED, ComplaintRefusal.LATE)
    return is_late or complaint.status in (ComplaintStatus.WAITING, ComplaintStatus.RECEIVED)


def said_last(complaint: Complaint) -> Said:
    """Return what the player said last of everything, as it was taken down."""
    events = complaint.events.filter(words__isnull=False).select_related("words")
    newest = events.order_by("-version").first()
    if newest is None:
        return Said()
    words = newest.words
    return Said(
        played_at=words.played_at,
        has_seconds=bool(words.played_at and words.played_at.second),
        zone=words.zone,
        table=words.table_text,
        dealer=words.dealer_text,
        round=words.round_text,
        player=words.player_text,
        bet=words.bet_text,
        disputed=words.disputed,
        contact=words.contact,
    )


def _filled_up(said: Said, complaint: Complaint) -> Said:
    """Fill what was not said this time with what was said before. A time is one thing with its zone."""
    before = said_last(complaint)
    new_time = {"has_seconds", "zone"} if said.played_at is not None else set()
    return Said(
        **{
            name: getattr(said, name) if name in new_time else getattr(said, name) or getattr(before, name)
            for name in Said.__dataclass_fields__
        }
    )


__all__ = [
    "BadComplaint",
    "Filed",
    "Judged",
    "add_information",
    "file_complaint",
    "judge_complaint",
    "may_say_more",
    "said_last",
]
