"""Video in an evidence pack: where its rounds are on video, the holds, and what took two persons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

from audit.models import Complaint, Consent, VideoHold, VideoHoldCause
from audit.pack.rows import Row, when
from audit.queries.video import VideoReference, loaded_holds, video_of
from tables.models import JournalEntry, JournalText, Round
from tables.queries.journal import data_of


@dataclass(frozen=True, slots=True)
class Filmed:
    """The video of rounds and the holds on it, the consents asked for, as records and as rows."""

    references: Mapping[int, VideoReference]
    holds: tuple[VideoHold, ...]
    consents: tuple[Consent, ...]
    tables: Mapping[str, list[Row]]
    entries: tuple[JournalEntry, ...]


def read_video(rounds: Collection[Round], complaints: Collection[Complaint]) -> Filmed:
    """Read where rounds are on video, what of it is held, and what was asked of a second person."""
    names = {round_.pk: round_.public_id for round_ in rounds}
    references = {round_.pk: video_of(round_) for round_ in rounds}
    holds = list(loaded_holds().filter(round__in=names).select_related("noted_by").order_by("pk"))
    consents = list(
        Consent.objects.filter(Q(complaint__in=complaints) | Q(video_hold__in=holds))
        .select_related("complaint", "video_hold", "requested_by_person", "decided_by_person")
        .order_by("pk")
    )
    entries = [*_about("videohold", holds), *_about("consent", consents)]
    told = {complaint.pk for complaint in complaints}
    return Filmed(
        references,
        tuple(holds),
        tuple(consents),
        {
            "video": [_video_row(names[key], one) for key, one in references.items()],
            "video_holds": [_hold_row(hold, names, told) for hold in holds],
            "consents": [_consent_row(consent) for consent in consents],
            "entry_texts": _text_rows(entries),
        },
        (*entries, *_asked_with_others(holds, names)),
    )


def _about(kind: str, records: Iterable[VideoHold | Consent]) -> Iterable[JournalEntry]:
    keys = [one.pk for one in records]
    return JournalEntry.objects.filter(subject_type=kind, subject_id__in=keys).order_by("pk")


def _asked_with_others(holds: Collection[VideoHold], names: Mapping[int, str]) -> list[JournalEntry]:
    """Return the entries of holds asked for with others at once: they stand at the first of those."""
    others = VideoHold.objects.filter(asked_at__in={hold.asked_at for hold in holds}).exclude(round__in=names)
    entries = JournalEntry.objects.filter(
        action="video.asked", subject_type="videohold", subject_id__in=others.values("pk")
    )
    mine = set(names.values())
    return [entry for entry in entries.order_by("pk") if mine & _rounds_besides(entry)]


def _rounds_besides(entry: JournalEntry) -> set[str]:
    try:
        return set(data_of(entry).get("rounds_besides", ()))
    except (ValueError, KeyError, TypeError):  # altered: the check of the journal names it
        return set()


def _video_row(name: str, one: VideoReference) -> Row:
    return {
        "round": name,
        "camera": one.camera,
        "from": when(one.from_at),
        "to": when(one.to_at),
        "expires_at": when(one.expires_at),
    }


def _hold_row(hold: VideoHold, names: Mapping[int, str], told: Collection[int]) -> Row:
    return {
        "hold": str(hold.uuid),
        "round": names[hold.round_id],
        "camera": hold.camera,
        "from": when(hold.from_at),
        "to": when(hold.to_at),
        "lapses_at": when(hold.lapses_at),
        "status": hold.status,
        "asked_at": when(hold.asked_at),
        "attempts": hold.attempts,
        "answered_at": when(hold.answered_at),
        "said": hold.last_error,
        "alarmed_at": when(hold.alarmed_at),
        "noted_by": noted_by(hold),
        "noted_at": when(hold.noted_at),
        "noted_because": hold.noted_because,
        "release": hold.release_id,
        "released_at": when(hold.released_at),
        "held_for": [cause_of(cause, told) for cause in hold.causes.all()],
    }


def noted_by(hold: VideoHold) -> str:
    """Name who took note that video is lost or not kept."""
    return hold.noted_by.get_full_name() or hold.noted_by.get_username() if hold.noted_by else ""


def cause_of(cause: VideoHoldCause, told: Collection[int]) -> str:
    """Name what a hold is for; a complaint that a pack does not tell of by what it is alone."""
    if cause.complaint is not None:
        return cause.complaint.number if cause.complaint_id in told else "complaint"
    found = cause.incident or cause.ruling
    return found.number if found else ""


def _consent_row(one: Consent) -> Row:
    return {
        "consent": one.pk,
        "kind": one.kind,
        "complaint": one.complaint.number if one.complaint else "",
        "hold": str(one.video_hold.uuid) if one.video_hold else "",
        "status": one.status,
        "asked_by": one.requested_by_person.name,
        "asked_at": when(one.requested_at),
        "reason": one.reason,
        "expires_at": when(one.expires_at),
        "decided_by": one.decided_by_person.name if one.decided_by_person else "",
        "decided_at": when(one.decided_at),
        "decision_reason": one.decision_reason,
    }


def _text_rows(entries: Iterable[JournalEntry]) -> list[Row]:
    """Write down the reasons in some entries; with its salt each is what its entry committed to."""
    texts = JournalText.objects.filter(entry__in=[entry.pk for entry in entries], player=None)
    return [
        {"entry": one.entry_id, "name": one.name, "text": one.text, "salt": bytes(one.salt).hex()}
        for one in texts.order_by("entry", "name")
    ]
