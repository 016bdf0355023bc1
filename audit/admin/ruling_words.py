"""A ruling and an incident in words: what it is about, what it does, which rule it rests on."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.models import Incident, Ruling, RulingKind
from audit.services.incidents import ESCALATE_AFTER
from tables.queries.rulebooks import rules_of
from tables.rules.rulebook import Passage
from tables.templatetags.felt import spoken_language, state_badge, version_words
from tables.words import CARD_ORDINALS, FINDINGS, State, spoken

_TITLES: Final = {
    RulingKind.STAND: gettext_lazy("Let %(subject)s stand"),
    RulingKind.VOID_ROUND: gettext_lazy("Void %(subject)s"),
    RulingKind.VOID_KINDS: gettext_lazy("Void kinds of bet of %(subject)s"),
    RulingKind.RE_DEAL: gettext_lazy("Deal %(subject)s again"),
    RulingKind.CORRECT: gettext_lazy("Correct the cards of %(subject)s"),
    RulingKind.VOID_RANGE: gettext_lazy("Void %(subject)s"),
    RulingKind.VOID_SHOE: gettext_lazy("Void every round of %(subject)s"),
    RulingKind.REPLACE_SHOE: gettext_lazy("Replace %(subject)s"),
    RulingKind.RESHUFFLE: gettext_lazy("Reshuffle %(subject)s"),
    RulingKind.CANCEL_SHOE: gettext_lazy("Cancel %(subject)s"),
    RulingKind.CLOSE_TABLE: gettext_lazy("Close %(subject)s"),
    RulingKind.REINSTATE: gettext_lazy("Take a ruling on %(subject)s out of force"),
}
_OF_A_SHOE: Final = frozenset(
    {RulingKind.VOID_SHOE, RulingKind.REPLACE_SHOE, RulingKind.RESHUFFLE, RulingKind.CANCEL_SHOE}
)


class Rule(NamedTuple):
    """The rule something rests on, in both languages."""

    passage: str
    rulebook: str
    text_en: str
    text_th: str
    is_house: bool


def title_of(kind: RulingKind, subject: str) -> str:
    """Say what a ruling does to what it is about, as the title of its page."""
    return str(_TITLES[kind]) % {"subject": subject}


def subject_of(ruling: Ruling, first: int | None, last: int | None) -> str:
    """Say what a ruling is about; `first` and `last` are the numbers of its rounds."""
    kind = RulingKind(ruling.kind)
    if kind is RulingKind.CLOSE_TABLE:
        return _("table %(code)s") % {"code": ruling.table.code}
    if (kind in _OF_A_SHOE or first is None) and ruling.shoe is not None:
        return _("shoe %(id)s") % {"id": ruling.shoe.public_id}
    if first is None:
        return _("table %(code)s") % {"code": ruling.table.code}
    if first == last:
        return _("round %(number)s") % {"number": first}
    return _("rounds %(first)s to %(last)s") % {"first": first, "last": last}


def ruling_badge(ruling: Ruling) -> SafeString:
    """Show a ruling's state."""
    if ruling.status == "applying" and ruling.wants_stop:
        return state_badge(words.RULING_STATES["applying"], _("stops after this round"))
    if ruling.status == "stopped" and not ruling.wants_stop:
        return state_badge(State("running", "clock", _("About to go on")))
    return state_badge(words.RULING_STATES[ruling.status])


def incident_badge(incident: Incident, now: Any) -> SafeString:
    """Show an incident's state; one that holds a round for over ten minutes is red."""
    return state_badge(words.INCIDENT_STATES[incident_state(incident, now)])


def incident_state(incident: Incident, now: Any) -> str:
    """Return the state of an incident to show."""
    holds = incident.hold is not None and incident.hold.lifted_at is None
    is_late = holds and now - incident.reported_at > ESCALATE_AFTER
    return "late" if incident.status == "open" and is_late else incident.status


def incident_title(incident: Incident) -> str:
    """Name an incident as its rulebook does; trouble of the feed by our own words."""
    entry = rules_of(incident.rulebook_id).incidents.get(incident.code)
    if entry is not None:
        return entry.title.in_language(spoken_language())
    return spoken(FINDINGS, incident.code)


def rule_of(rulebook: Any, passage_id: str) -> Rule:
    """Read a passage of a rulebook in both languages; one that is not there shows by its name alone."""
    passage: Passage | None = rules_of(rulebook.pk).passages.get(passage_id)
    named = version_words(rulebook)
    if passage is None:
        return Rule(passage_id, named, "", "", True)
    return Rule(passage_id, named, passage.text.en, passage.text.th, passage.source == "house")


def say_facts(facts: Mapping[str, Any]) -> list[tuple[str, str | Promise]]:
    """Write the facts of an incident, each with its name."""
    return [(spoken(words.FACTS, name), say_fact(name, value)) for name, value in facts.items()]


def say_fact(name: str, value: Any) -> str | Promise:
    """Write the value of a fact."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name == "card_number":
        return spoken(CARD_ORDINALS, value)
    return spoken(words.PHASES, value)


def say_outcome(note: str) -> str:
    """Say what became of a ruling; a note that nobody has put into words stands as it was written."""
    for pattern, word in words.OUTCOMES:
        if found := re.fullmatch(pattern, note, re.DOTALL):
            return str(word) % found.groupdict()
    return note
