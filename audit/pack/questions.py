"""What was questioned and decided, in the words of one language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from audit import complaint_words
from audit import words as decided
from audit.models import Complaint
from audit.pack.blocks import TEXT, Block, both, table
from audit.pack.facts import Facts
from tables import words
from tables.queries.rulebooks import rules_of
from tables.rules.sentences import Language


def decision_sections(facts: Facts, language: Language) -> list[Block]:
    """Tell of incidents and rulings, and of complaints where there are any."""
    zone = facts.shoe.table.zone
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
    complaints = [_complaint_section(one, facts) for one in facts.complaints]
    return [{"title": _("Incidents and rulings"), "blocks": blocks}, *complaints]


def _complaint_section(one: Complaint, facts: Facts) -> Block:
    """Tell how a complaint went; what was said only where the pack may hold it."""
    zone = facts.shoe.table.zone
    said = [row for row in facts.tables["complaint_words"] if row["complaint"] == one.number]
    rows = [
        [_("State"), str(complaint_words.COMPLAINT_STATES[one.status].word)],
        [_("Player"), facts.player(one.player_id) if one.player_id else "–"],
        [_("Received"), both(one.received_at, zone)],
        [_("Could be received until"), both(one.window_ends_at, zone)],
        [_("Answer due"), both(one.answer_due_at, zone)],
    ]
    if one.refusal:
        rows.insert(1, [_("Refused because"), str(complaint_words.REFUSED_BECAUSE[one.refusal])])
    if one.outcome:
        rows.insert(1, [_("Outcome"), str(complaint_words.OUTCOMES[one.outcome])])
    rows += [
        [str(complaint_words.DETAILS[name]), str(complaint_words.MATCHES[match].word)]
        for name, match in one.checks.items()
    ]
    blocks: list[Block] = [{"kind": "facts", "rows": rows}]
    blocks += [{"kind": "prose", "text": row["disputed"]} for row in said[-1:] if row["disputed"]]
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
