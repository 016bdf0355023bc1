"""The video of a pack's rounds, in the words of one language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from audit import complaint_words
from audit.models import VideoHold
from audit.pack.blocks import TEXT, Block, both, local, table
from audit.pack.facts import Facts
from audit.pack.questions import consent_rows
from audit.pack.video_rows import cause_of, noted_by


def video_section(facts: Facts) -> Block:
    """Tell where rounds are on video and what the recorder said of each hold.

    In a pack about a shoe only of rounds that have holds; the rest stands in the tables.
    """
    zone = facts.zone
    held = {hold.round_id for hold in facts.video.holds}
    blocks: list[Block] = []
    for round_ in facts.rounds:
        if facts.is_shoe and round_.pk not in held:
            continue
        reference = facts.video.references[round_.pk]
        rows = [
            [_("Round"), round_.public_id],
            [_("Camera"), reference.camera],
            [_("From"), both(reference.from_at, zone)],
            [_("Until"), both(reference.to_at, zone)],
            [_("Lapses without a hold"), both(reference.expires_at, zone)],
        ]
        holds = [hold for hold in facts.video.holds if hold.round_id == round_.pk]
        blocks += [{"kind": "facts", "rows": rows}, _holds(holds, facts)]
        blocks += [
            {
                "kind": "facts",
                "rows": [
                    [_("Taken note of"), f"{noted_by(hold)}, {both(hold.noted_at, zone)}"],
                    [_("Reason"), hold.noted_because],
                ],
            }
            for hold in holds
            if hold.noted_at
        ]
    blocks += [
        {"kind": "facts", "rows": consent_rows(consent, zone)}
        for consent in facts.video.consents
        if consent.video_hold_id
    ]
    if facts.is_shoe:
        note = _("The camera and the times of every round stand in video.csv.")
        blocks.append({"kind": "prose", "text": note})
    return {"title": _("Video"), "blocks": blocks}


def _holds(holds: list[VideoHold], facts: Facts) -> Block:
    zone = facts.zone
    told = {one.pk for one in facts.complaints}
    return table(
        [
            (_("Hold asked"), TEXT),
            (_("State"), TEXT),
            (_("Recorder answered"), TEXT),
            (_("Recorder said"), TEXT),
            (_("What it is held for"), TEXT),
        ],
        [
            [
                local(hold.asked_at, zone),
                str(complaint_words.VIDEO_STATES[hold.status].word),
                local(hold.answered_at, zone),
                str(complaint_words.RECORDER_REASONS.get(hold.last_error, hold.last_error)) or "–",
                ", ".join(_cause(cause_of(cause, told)) for cause in hold.causes.all()),
            ]
            for hold in holds
        ],
        empty=_("Nobody asked for it to be held."),
        wide=3,
    )


def _cause(name: str) -> str:
    return _("another complaint") if name == "complaint" else name
