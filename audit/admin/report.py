"""The page on which an incident is reported: what happened, the facts that decide, the remedy, one button.

Every choice is a link, so that the page works from the keyboard and without a script; the address holds what
was chosen. Only the last button sends something.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from audit import words
from audit.admin.ask import ask_url
from audit.admin.frame import draw, require
from audit.admin.refusals import REFUSING, Refusal, refusal_of, refuse
from audit.admin.ruling_words import rule_of, say_fact
from audit.admin.subjects import Subject, read_subject
from audit.admin.two_coups import one_coup
from audit.models import RulingKind
from audit.queries.approvals import open_ruling_on, takes_second_person
from audit.queries.catalogue import (
    Choice,
    catalogue_of,
    decided_case,
    fact_text,
    facts_that_decide,
    known_facts,
    read_facts,
)
from audit.queries.rulings_in_force import texts_of
from audit.services.asking import BadRuling, preview_ruling
from audit.services.incidents import needs_decision
from audit.services.reporting import Proposal, Reported, proposal_of, report_and_ask
from audit.services.rulings import proposed_kinds
from tables.admin.record import Crumb
from tables.admin.round import state_of_hold
from tables.models import Deal, DealStatus
from tables.rules.incidents import INCIDENT_FACTS
from tables.rules.rulebook import Incident as Entry
from tables.rules.rulebook import RemedyCase
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import spoken_language

FIRST_SHOWN = 6
LONGEST_NOTE = 2000
LETTERS = "asdfghjkl"


class Option(NamedTuple):
    """A value of a fact: a link that chooses it."""

    word: Any
    url: str
    is_chosen: bool
    letter: str


class Asking(NamedTuple):
    """A fact that is asked for."""

    name: str
    options: list[Option]


class Shown(NamedTuple):
    """An incident of the catalogue to choose."""

    code: str
    title: str
    url: str
    number: int
    is_chosen: bool


def report_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the way to a report, and report when the button is pressed."""
    require(request, "audit.report_incident")
    now = datetime.now(UTC)
    subject = read_subject(request.GET)
    rulebook = subject.rulebook(now)
    choices = catalogue_of(rulebook, subject.table.pk, now)
    entry = next((c.entry for c in choices if c.entry.code == request.GET.get("code")), None)
    facts = _facts(entry, subject, request.GET) if entry else {}
    case = decided_case(entry, facts) if entry else None
    refusal: Refusal | None = None
    if request.method == "POST":
        answer = _report(request, subject, entry, case, facts, now)
        if isinstance(answer, HttpResponse):
            return answer
        refusal = answer
    context = {
        "title": _("Report incident"),
        "crumbs": [
            Crumb(_("Incidents"), reverse("admin:audit_incident_changelist")),
            *subject.crumbs(),
            Crumb(_("Report")),
        ],
        "subject": subject,
        "back_url": subject.url,
        "shown_state": _shown_state(subject),
        "refusal": refusal,
        "note": request.POST.get("note", ""),
        "zone": subject.table.zone,
        "coup": _coup(subject),
        "shown": _shown(subject, choices, entry, shows_all="all" in request.GET),
        "all_count": len(choices),
        "all_url": _url(subject, all="1"),
        "shows_all": "all" in request.GET,
        "entry": entry,
        "asking": _asking(subject, entry, facts) if entry else [],
        "case": case,
        "open_ruling": open_ruling_on(subject.round) if subject.round else None,
        "action": request.get_full_path(),
        "currency": subject.table.currency,
    }
    if entry is not None and case is not None:
        context |= _remedy(request, subject, rulebook, case)
    status = refusal.status if refusal else 200
    return draw(model_admin, request, "bluecard/decide/report.html", context, status)


def _shown_state(subject: Subject) -> str:
    """Name the state of the round as lists do: held or disputed under an open hold, else its own."""
    if subject.round is None:
        return ""
    is_held = subject.round.holds.filter(lifted_at__isnull=True).exists()
    return state_of_hold(subject.round, is_held) or subject.round.status


def _facts(entry: Entry, subject: Subject, given: QueryDict) -> dict[str, Any]:
    names = facts_that_decide(entry)
    return {**known_facts(names, subject.round, subject.shoe), **read_facts(entry, given)}


def _url(subject: Subject, **more: str) -> str:
    query = QueryDict(subject.query, mutable=True)
    query.update(more)
    return f"?{query.urlencode()}"


def _shown(subject: Subject, choices: list[Choice], entry: Entry | None, *, shows_all: bool) -> list[Shown]:
    """Show the most frequent ones, and the chosen one wherever it stands."""
    listed = [choice.entry for choice in choices]
    if not shows_all:
        first = listed[:FIRST_SHOWN]
        listed = first if entry is None or entry in first else [*first[:-1], entry]
    more = {"all": "1"} if shows_all else {}
    return [
        Shown(
            one.code,
            one.title.in_language(spoken_language()),
            _url(subject, code=one.code, **more),
            number if number < 10 else 0,
            one is entry,
        )
        for number, one in enumerate(listed, start=1)
    ]


def _asking(subject: Subject, entry: Entry, facts: Mapping[str, Any]) -> list[Asking]:
    """Ask for the facts that change the remedy; a letter on the keyboard chooses each value."""
    letters = iter(LETTERS)
    chosen = {name: fact_text(value) for name, value in facts.items()}
    return [
        Asking(
            str(words.FACTS[name]),
            [
                Option(
                    say_fact(name, value),
                    _url(subject, code=entry.code, **{**chosen, name: fact_text(value)}),
                    facts.get(name) == value and name in facts,
                    next(letters, ""),
                )
                for value in _in_order(INCIDENT_FACTS[name])
            ],
        )
        for name in facts_that_decide(entry)
    ]


def _in_order(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Put yes before no, as people ask."""
    return (True, False) if values == (False, True) else values


def _coup(subject: Subject) -> Any:
    if subject.round is None:
        return None
    deal = Deal.objects.filter(round=subject.round, status=DealStatus.LIVE.value).first()
    cards = texts_of(deal)
    return one_coup(cards, subject.round.shoe.decks) if cards else None


def _remedy(request: HttpRequest, subject: Subject, rulebook: Any, case: RemedyCase) -> dict[str, Any]:
    """Say what the house's rules order, what it moves, and what the button will do."""
    remedies = [remedy.value for remedy in case.remedies]
    proposal = proposal_of(case, rulebook, subject.round, subject.shoe)
    may_ask = request.user.has_perm("audit.request_ruling")
    holds = case.may_change_money and subject.round is not None
    context: dict[str, Any] = {
        "remedy": ", ".join(str(words.REMEDIES[remedy]) for remedy in remedies),
        "remedy_icon": words.REMEDY_ICONS.get(remedies[0], "tick"),
        "rule": rule_of(rulebook, case.passage.id),
        "done_by": words.DONE_BY[case.done_by.value] if case.done_by else "",
        "manager_may": ", ".join(str(words.REMEDIES[remedy.value]) for remedy in case.manager_may),
        "holds": holds,
        "asks": proposal is not None and may_ask,
        "corrects": proposed_kinds(case)[0] is RulingKind.CORRECT and subject.round is not None and may_ask,
        "may_choose": may_ask and needs_decision(case),
        "waits": needs_decision(case),
    }
    if proposal is not None and may_ask and proposal.rounds:
        context |= _effect(request, subject, proposal)
    context["button"] = _button(subject, proposal if may_ask else None, context)
    return context


def _effect(request: HttpRequest, subject: Subject, proposal: Proposal) -> dict[str, Any]:
    try:
        seen = preview_ruling(
            kind=proposal.kind,
            rounds=proposal.rounds,
            table=subject.table,
            facts=proposal.facts,
            actor=Actor.of_user(request.user),
            shoe=proposal.shoe,
        )
    except BadRuling as error:
        return {"no_effect": refusal_of(error)}
    moved = seen.given_minor + seen.taken_minor
    return {
        "seen": seen,
        "net_minor": seen.given_minor - seen.taken_minor,
        "needs_second": takes_second_person(subject.table, proposal.kind, len(seen.rounds), moved),
    }


def _button(subject: Subject, proposal: Proposal | None, context: Mapping[str, Any]) -> str:
    """Say on the button what pressing it does."""
    name = {"subject": subject.name}
    if proposal is not None:
        what = {**name, "decision": str(words.RULING_KINDS[proposal.kind.value])}
        if context["holds"]:
            return _("Hold %(subject)s, ask: %(decision)s") % what
        return _("Report, ask: %(decision)s") % what
    if context["corrects"]:
        return _("Hold %(subject)s, enter the cards") % name
    if context["holds"]:
        return _("Hold %(subject)s, call the manager") % name
    return _("Report it")


def _report(
    request: HttpRequest,
    subject: Subject,
    entry: Entry | None,
    case: RemedyCase | None,
    facts: Mapping[str, Any],
    now: datetime,
) -> HttpResponse | Refusal:
    """Report what was chosen; return where to go on, or why not."""
    if entry is None:
        return refuse("incident/code", field="code")
    if case is None:
        return refuse("incident/unanswered", field="facts")
    wants_another = request.POST.get("then") == "another"
    try:
        reported = report_and_ask(
            table=subject.table,
            code=entry.code,
            facts=facts,
            note=request.POST.get("note", "").strip()[:LONGEST_NOTE],
            user=request.user,
            actor=Actor.of_user(request.user),
            at=now,
            round_=subject.round,
            shoe=subject.shoe,
            wants_ruling=not wants_another,
        )
    except REFUSING as error:
        return refusal_of(error)
    except NotAllowed as error:
        raise PermissionDenied from error
    _say(request, subject, reported, case)
    corrects = proposed_kinds(case)[0] is RulingKind.CORRECT and subject.round is not None
    if (
        (wants_another or corrects)
        and reported.ruling is None
        and request.user.has_perm("audit.request_ruling")
    ):
        kind = RulingKind.CORRECT if corrects and not wants_another else None
        return HttpResponseRedirect(ask_url(f"{subject.query}&incident={reported.incident.pk}", kind))
    if reported.ruling is not None:
        return HttpResponseRedirect(reverse("admin:audit_ruling_change", args=[reported.ruling.pk]))
    return HttpResponseRedirect(reverse("admin:audit_incident_change", args=[reported.incident.pk]))


def _say(request: HttpRequest, subject: Subject, reported: Reported, case: RemedyCase) -> None:
    said = {"number": reported.incident.number, "subject": subject.name}
    if reported.is_repeat:
        messages.info(request, _("%(number)s was reported already. Nothing more was done.") % said)
        return
    if reported.incident.hold_id is not None:
        messages.success(request, _("%(number)s is reported, %(subject)s is held.") % said)
    else:
        messages.success(request, _("%(number)s is reported.") % said)
    if reported.ruling is not None:
        number = {"number": reported.ruling.number}
        messages.success(
            request, _("%(number)s is asked for; somebody who may decide has 30 minutes.") % number
        )
    if reported.refusal is not None:
        why = refusal_of(reported.refusal)
        messages.warning(
            request, _("No ruling was asked for: %(why)s") % {"why": f"{why.words} {why.detail}"}
        )


def report_url(query: str) -> str:
    """Return the address of this page for a subject."""
    return f"{reverse('admin:audit_incident_report')}?{query}"
