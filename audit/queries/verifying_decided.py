"""What was decided and disputed against the journal: a forged ruling has no entry, a complaint its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from typing import Any, Final, NamedTuple

from django.db import connection

from audit.commitments import commitment, state_of, terms_of, words_kept
from audit.models import (
    Attachment,
    Complaint,
    ComplaintEvent,
    ComplaintText,
    ComplaintWords,
    Incident,
    Ruling,
    SignIn,
    VideoHold,
    VideoHoldStatus,
)
from audit.queries.verifying import Problem
from tables.services.journal import moment

BATCH = 2_000
SPOKEN_OF: Final = {"ruling": Ruling, "incident": Incident, "complaint": Complaint}
ROUNDS = """
SELECT rr.ruling_id, u.number, u.kind, u.preview_hash, r.public_id, rr.base_revision, rr.bets_count,
    rr.given_minor, rr.taken_minor, rr.preview_digest, rr.before_minor, rr.after_minor, s.returned_minor
FROM audit_rulinground rr JOIN audit_ruling u ON u.id = rr.ruling_id JOIN tables_round r ON r.id = rr.round_id
LEFT JOIN tables_settlement s ON s.round_id = rr.round_id AND s.revision = rr.base_revision
ORDER BY rr.ruling_id, rr.round_id
"""
APPROVED: Final = ("approved", "applying", "stopped", "applied")
#: What nothing follows, each with an entry of its name.
ENDED: Final = ("applied", "refused", "expired", "stale", "withdrawn")


class Step(NamedTuple):
    """What an entry says of one step of a complaint."""

    action: str
    entry: int
    data: Mapping[str, Any]
    by: int | None
    at: datetime


class Decided:
    """What the entries of one reading of the journal say of incidents, rulings and complaints."""

    def __init__(self) -> None:
        self.subjects: dict[str, dict[int, str]] = {kind: {} for kind in SPOKEN_OF}
        self.requests: dict[int, Mapping[str, Any]] = {}
        self.approvals: dict[int, Mapping[str, Any]] = {}
        self.signed_in: set[int] = set()
        self.ended: dict[int, str] = {}
        self.steps: dict[tuple[int, int], Step] = {}
        self.attached: dict[str, tuple[str, int, Mapping[str, Any]]] = {}
        self.video: dict[int, tuple[int, Mapping[str, Any]]] = {}
        self.video_asked: set[tuple[datetime, str]] = set()
        self.video_alarmed: dict[int, datetime] = {}

    def note(
        self,
        entry: int,
        action: str,
        kind: str,
        subject_id: int,
        label: str,
        data: Mapping[str, Any],
        *,
        by: int | None,
        at: datetime,
    ) -> None:
        """Take down what an entry says of a decision; `by` is the account of a person."""
        if kind == "videohold":
            self._note_video(entry, action, subject_id, data, at)
        if kind not in self.subjects:
            return
        self.subjects[kind][subject_id] = label
        if action == "ruling.requested":
            self.requests[subject_id] = data
        elif action == "ruling.approved":
            self.approvals[subject_id] = data
        elif action.startswith("ruling.") and action.removeprefix("ruling.") in ENDED:
            self.ended[subject_id] = action.removeprefix("ruling.")
        elif action == "ruling.signed_in":
            self.signed_in.add(data["sign_in"])
        elif action == "attachment.added":
            self.attached[data["attachment"]] = label, entry, data
        elif kind == "complaint" and "version" in data:
            step = Step(action.removeprefix("complaint."), entry, data, by, at)
            self.steps[subject_id, data["version"]] = step

    def _note_video(
        self, entry: int, action: str, hold_id: int, data: Mapping[str, Any], at: datetime
    ) -> None:
        self.video[hold_id] = entry, data
        if action == "video.asked":  # one entry for all that were asked for at once
            rounds = (data["round"], *data.get("rounds_besides", ()))
            self.video_asked |= {(at, public_id) for public_id in rounds}
        elif action == "video.alarm":
            self.video_alarmed[hold_id] = at

    def compare(self) -> Iterator[Problem]:
        """Name what the rows say and no entry does, and what they say otherwise."""
        for kind, model in SPOKEN_OF.items():
            told = dict(self.subjects[kind])
            for id_, number in model._default_manager.order_by("pk").values_list("pk", "number"):
                label = told.pop(id_, None)
                if label is None:
                    yield Problem(f"{kind}_forged", f"{kind} {number} has no entry in the journal")
                elif label != number:
                    yield Problem(f"{kind}_altered", f"{kind} {number} is called {label} in the journal")
            for number in told.values():
                yield Problem(f"{kind}_deleted", f"{kind} {number} is gone, and the journal tells of it")
        yield from self._rulings()
        yield from _rounds()
        yield from self._complaints()
        yield from self._events()
        yield from self._attachments()
        yield from self._videos()
        yield from _texts()

    def _rulings(self) -> Iterator[Problem]:
        sign_ins = {(one.ruling_id, one.user_id): one.pk for one in SignIn.objects.order_by("-pk")}
        for id_, number in SignIn.objects.order_by("pk").values_list("pk", "ruling__number"):
            if id_ not in self.signed_in:
                yield Problem("sign_in_forged", f"a sign-in for ruling {number} has no entry in the journal")
        rulings = Ruling.objects.select_related("table", "incident", "complaint").order_by("pk")
        for ruling in rulings.iterator(BATCH):
            yield from self._ending(ruling)
            is_approved = ruling.status in APPROVED
            said = self.approvals.get(ruling.pk) if is_approved else self.requests.get(ruling.pk)
            if said is None:
                if is_approved:
                    nobody = (ruling.pk, ruling.decided_by_id) not in sign_ins
                    more = ", nor did who decided sign in for it" if nobody else ""
                    words = f"ruling {ruling.number} was approved and no entry says so{more}"
                    yield Problem("ruling_forged", words)
            elif differing := _differing(_asked(ruling, is_approved), said):
                what = "approved" if is_approved else "asked for"
                yield Problem("ruling_altered", f"ruling {ruling.number} is not what was {what}: {differing}")
            elif said.get("sign_in") not in (None, *sign_ins.values()):
                yield Problem("ruling_altered", f"the sign-in for ruling {ruling.number} is gone")

    def _ending(self, ruling: Ruling) -> Iterator[Problem]:
        """Hold what became of a ruling against the entry that ended it: none comes back, none ends unsaid."""
        there = ruling.status if ruling.status in ENDED else ""
        said = self.ended.get(ruling.pk, "")
        if there != said and ruling.pk in self.subjects["ruling"]:
            told = said or "no end of it"
            words = f"ruling {ruling.number} is {ruling.status}, and the journal says {told}"
            yield Problem("ruling_altered", words)

    def _complaints(self) -> Iterator[Problem]:
        rows = Complaint.objects.select_related("table", "round", "merged_into").order_by("pk")
        for one in rows.iterator(BATCH):
            step = self.steps.get((one.pk, one.version))
            if step is None:
                if one.pk in self.subjects["complaint"]:
                    words = f"complaint {one.number} is at version {one.version}, of which no entry tells"
                    yield Problem("complaint_altered", words)
            elif differing := _differing(state_of(one), step.data):
                words = f"complaint {one.number}: its {differing} is not what was written"
                yield Problem("complaint_altered", words, step.entry)

    def _events(self) -> Iterator[Problem]:
        told = dict(self.steps)
        events = ComplaintEvent.objects.select_related("complaint").order_by("pk")
        for event in events.iterator(BATCH):
            step = told.pop((event.complaint_id, event.version), None)
            name = f"complaint {event.complaint.number}: step {event.version}"
            if step is None:
                yield Problem("complaint_forged", f"{name} ({event.action}) has no entry in the journal")
            elif (
                event.by_id,
                event.actor_label,
                event.at,
                event.action,
                event.from_status,
                event.to_status,
                event.data,
            ) != (
                step.by,
                step.data.get("by", event.actor_label),  # one of an older version says no name
                step.at,
                step.action,
                step.data["from"],
                step.data["status"],
                step.data["details"],
            ):
                yield Problem("complaint_altered", f"{name} is not what was written", step.entry)
        for (_, version), step in sorted(told.items()):
            yield Problem("complaint_deleted", f"step {version} of a complaint is gone", step.entry)

    def _videos(self) -> Iterator[Problem]:
        """Compare each hold on video with the newest entry about it, and its alarm with the one raised."""
        told = dict(self.video)
        for hold in VideoHold.objects.select_related("round").order_by("pk").iterator(BATCH):
            entry, said = told.pop(hold.pk, (None, {"status": VideoHoldStatus.ASKED.value}))
            name = f"the hold on video {hold}"
            if entry is None and (hold.asked_at, hold.round.public_id) not in self.video_asked:
                yield Problem("video_forged", f"{name} has no entry in the journal")
                continue
            there = {
                "round": hold.round.public_id,
                "camera": hold.camera,
                "from": moment(hold.from_at),
                "to": moment(hold.to_at) if hold.to_at else None,
                "lapses_at": moment(hold.lapses_at),
                "status": hold.status,
            }
            alarm = "" if hold.alarmed_at == self.video_alarmed.get(hold.pk) else "alarm"
            if differing := ", ".join(filter(None, (_differing(there, said), alarm))):
                yield Problem("video_altered", f"{name}: its {differing} is not what was written", entry)
        for entry, said in told.values():
            yield Problem("video_deleted", f"a hold on the video of {said['round']} is gone", entry)

    def _attachments(self) -> Iterator[Problem]:
        """Compare what is attached; a file is compared with the commitment whenever it is given out."""
        told = dict(self.attached)
        for one in Attachment.objects.order_by("pk").iterator(BATCH):
            subject = self.subjects[one.subject_kind].get(one.subject_id)
            said = told.pop(str(one.uuid), None)
            if said is None:
                words = f"attachment {one.uuid} to {one.subject_kind} {subject} has no entry in the journal"
                yield Problem("attachment_forged", words)
                continue
            label, entry, data = said
            if (label, one.kind, one.size_bytes, bytes(one.commitment).hex()) != (
                subject,
                data["kind"],
                data["bytes"],
                data["commitment"],
            ):
                yield Problem("attachment_altered", f"attachment {one.uuid} is not what was attached", entry)
        for uuid, (label, entry, _) in told.items():
            yield Problem("attachment_deleted", f"attachment {uuid} to {label} is gone", entry)


def _rounds() -> Iterator[Problem]:
    """Work out again the hash that each ruling's preview was approved under, from the rounds that it lists.

    What a round returned before is what its settlement says; where nothing moves it is not summed up.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(ROUNDS)
        rows = map(_Part._make, cursor)
        for (number, kind, approved), parts in groupby(rows, key=lambda part: part[1:4]):
            digest, is_summed = sha256(f"{kind}\n".encode()), True
            for part in parts:
                digest.update(
                    f"{part.round} {part.base_revision} {part.bets} {part.given_minor} {part.taken_minor} "
                    f"{part.digest}\n".encode()
                )
                moved = part.given_minor - part.taken_minor
                before = (part.returned_minor or 0) if part.bets else 0
                is_summed = is_summed and (part.before_minor, part.after_minor) == (before, before + moved)
            if digest.hexdigest() != approved or not is_summed:
                words = f"what ruling {number} does to its rounds is not what was asked for and approved"
                yield Problem("ruling_altered", words)


class _Part(NamedTuple):
    """One round of a ruling; the columns of ROUNDS in their order."""

    ruling_id: int
    number: str
    kind: str
    approved: str
    round: str
    base_revision: int
    bets: int
    given_minor: int
    taken_minor: int
    digest: str
    before_minor: int
    after_minor: int
    returned_minor: int | None


def _asked(ruling: Ruling, is_approved: bool) -> dict[str, Any]:
    """Return what the entry of a ruling's request, or of its approval, says of it."""
    return {
        **terms_of(ruling),
        **({"person": ruling.decided_by_person_id} if is_approved else {}),
    }


def _differing(there: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    """Name what is not as an entry says; one of an older version of the product says less."""
    return ", ".join(sorted(name for name in there if name in said and there[name] != said[name]))


def _texts() -> Iterator[Problem]:
    """Compare what was said, noted and answered with the commitments, as far as it was not erased."""
    loaded = {"erased_at__isnull": True}
    for words in ComplaintWords.objects.filter(**loaded).select_related("event__complaint").iterator(BATCH):
        if commitment(bytes(words.salt), words_kept(words)) != words.event.data.get("words_commitment"):
            yield _text_problem(words.event, "what the player said")
    for text in ComplaintText.objects.filter(**loaded).select_related("event__complaint").iterator(BATCH):
        if commitment(bytes(text.salt), {"text": text.text}) != text.event.data.get("text_commitment"):
            yield _text_problem(text.event, "its text")


def _text_problem(event: ComplaintEvent, what: str) -> Problem:
    words = f"complaint {event.complaint.number}, step {event.version}: {what} is not what was written"
    return Problem("complaint_text_altered", words)
