"""What was questioned and decided, in the words of one language."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from audit import complaint_words
from audit import words as decided
from audit.models import Complaint, Consent
from audit.pack.blocks import TEXT, Block, both, table
from audit.pack.facts import Facts
from audit.pack.rows import Row
from audit.queries.complaint_rounds import missing_of
from tables import words
from tables.queries.rulebooks import rules_of
from tables.rules.sentences import Language

#: Detail -> the name of what was said of it.
COLUMNS: Final = {
    "played_at": "played_at",
    "table": "table_text",
    "dealer": "dealer_text",
    "round_number": "round_text",
    "player": "player_text",
    "bet": "bet_text",
}


def decision_sections(facts: Facts, language: Language) -> list[Block]:
    """Tell of incidents and rulings, and of complaints where there are any."""
    complaints = [_complaint_section(one, facts) for one in facts.complaints]
    if not facts.rounds and not facts.is_shoe:
        return complaints  # nothing can be reported or decided of no round
    zone = facts.zone
    blocks: list[Block] = []
    for one in facts.incidents:
        entry = rules_of(one.rulebook_id).incidents.get(one.code)
        title = entry.title.in_language(language) if entry else one.code
        remedies = ", ".join(words.spoken(decided.REMEDIES, remedy) for remedy in one.remedies)
        rows = [
            [_("Incident"), f"{one.number}: {title}"],
            [_("Reported"), both(one.reported_at, zone)],
            [_("The rule says"), f"{remedies} ({one.passage})"],
        ]
        if one.note:
            rows.append([_("Note"), one.note])
        blocks.append({"kind": "facts", "rows": rows})
    for ruling in facts.rulings:
        state = decided.RULING_STATES.get(ruling.status)
        rows = [
            [_("Ruling"), f"{ruling.number}: {decided.RULING_KINDS[ruling.kind]}"],
            [_("State"), str(state.word) if state else ruling.status],
            [_("Passage"), ruling.passage],
            [_("Asked"), f"{ruling.requested_by_person.name}, {both(ruling.requested_at, zone)}"],
            [_("Reason"), ruling.reason],
        ]
        if ruling.decided_by_person:
            by = f"{ruling.decided_by_person.name}, {both(ruling.decided_at, zone)}"
            rows.append([_("Decided"), by])
            rows.append([_("Reason of the decision"), ruling.decision_reason or "–"])
        blocks.append({"kind": "facts", "rows": rows})
    if not blocks:
        blocks = [{"kind": "prose", "text": _("Nothing was reported, and nothing was decided.")}]
    return [{"title": _("Incidents and rulings"), "blocks": blocks}, *complaints]


def _complaint_section(one: Complaint, facts: Facts) -> Block:
    """Tell how a complaint went; what was said only where the pack may hold it."""
    zone = facts.zone
    said = [row for row in facts.tables["complaint_words"] if row["complaint"] == one.number]
    rows = [
        [_("State"), str(complaint_words.COMPLAINT_STATES[one.status].word)],
        [pgettext("person", "Player"), facts.player(one.player_id) if one.player_id else "–"],
        [_("Received"), both(one.received_at, zone)],
        [_("Could be received until"), both(one.window_ends_at, zone)],
        [_("Answer due"), both(one.answer_due_at, zone)],
    ]
    if one.refusal:
        rows.insert(1, [_("Refused because"), str(complaint_words.REFUSED_BECAUSE[one.refusal])])
    if one.outcome:
        rows.insert(1, [_("Outcome"), str(complaint_words.OUTCOMES[one.outcome])])
    if one.merged_into:
        rows.append([_("Goes on as"), one.merged_into.number])
    if missing := missing_of(one):
        named = ", ".join(str(complaint_words.DETAILS[detail]) for detail in missing)
        rows.append([_("Missing details"), named])
    rows += [
        [str(word), _compared(name, one.checks[name], said[-1] if said else {}, zone)]
        for name, word in complaint_words.DETAILS.items()
        if name in one.checks
    ]
    blocks: list[Block] = [{"kind": "facts", "rows": rows}]
    blocks += [{"kind": "prose", "text": row["disputed"]} for row in said[-1:] if row["disputed"]]
    blocks += [
        {"kind": "facts", "rows": consent_rows(consent, zone)}
        for consent in facts.video.consents
        if consent.complaint_id == one.pk
    ]
    steps = [row for row in facts.tables["complaint_steps"] if row["complaint"] == one.number]
    columns = [(_("Time"), TEXT), (_("What was done"), TEXT), (_("By"), TEXT), (_("Text"), TEXT)]
    lines = [
        [
            row["at"][:19].replace("T", " "),
            str(complaint_words.ACTIONS[row["action"]]),
            row["by"],
            row["text"],
        ]
        for row in steps
    ]
    blocks.append(table(columns, lines, note=_("Times in UTC."), wide=3))
    files = [row for row in facts.tables["attachments"] if row["of"] == one.number]
    blocks += [
        {"kind": "facts", "rows": [[_("Attachment"), f"{row['kind']}, SHA-256 {row['sha256'] or '–'}"]]}
        for row in files
    ]
    return {"title": _("Complaint %(number)s") % {"number": one.number}, "blocks": blocks}


def _compared(name: str, match: str, said: Row, zone: str) -> str:
    """Tell how a detail compares with the record, after what was said where that is known."""
    told = said.get(COLUMNS[name], "")
    if name == "played_at" and told:
        told = both(datetime.fromisoformat(told), said["zone"] or zone)
    word = str(complaint_words.MATCHES[match].word)
    return f"{told} · {word}" if told else word


def consent_rows(one: Consent, zone: str) -> list[list[str]]:
    """Tell who asked for what takes two persons, who decided it, when and why."""
    state = str(complaint_words.CONSENT_STATES[one.status].word)
    rows = [
        [str(complaint_words.CONSENT_KINDS[one.kind]), state],
        [_("Asked"), f"{one.requested_by_person.name}, {both(one.requested_at, zone)}"],
        [_("Reason"), one.reason],
    ]
    if one.decided_by_person:
        rows.append([_("Decided"), f"{one.decided_by_person.name}, {both(one.decided_at, zone)}"])
        rows.append([_("Reason of the decision"), one.decision_reason or "–"])
    return rows
