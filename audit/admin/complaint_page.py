"""The page of one complaint: where it stands, what can be done, what it says when somebody was quicker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import complaint_words as words
from audit.admin.ask import ask_url
from audit.admin.attachment import attachments_context
from audit.admin.complaint_view import (
    bets_of,
    coup_of,
    may_withdraw,
    read_local,
    read_zone,
    rows_of_checks,
    say_missing,
    say_window,
    video_context,
    zone_names,
)
from audit.admin.evidence import pack_url
from audit.admin.refusals import REFUSING, Refusal, refusal_of
from audit.admin.ruling_words import ruling_badge
from audit.models import Complaint, ComplaintAction, ComplaintEvent, Consent, RulingStatus
from audit.queries.complaint_rounds import Meant, missing_of, recorded_of
from audit.rules.answers import TEMPLATES, Language, fitting_template
from audit.rules.complaints import Said
from audit.services import complaint_verbs as verbs
from audit.services.complaints import add_information, may_say_more, said_last
from audit.services.consents import ask_to_admit, give_consent, refuse_consent, withdraw_consent
from audit.services.looks import look_at_complaint
from audit.words import RULING_KINDS
from tables.admin.record import Crumb
from tables.house import house_zone
from tables.models import GameTable, Round
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import clock_text, day

HANDLE, DECIDE = "audit.handle_complaint", "audit.decide_complaint"
REQUEST, GIVE = "audit.request_consent", "audit.give_consent"


class Verb(NamedTuple):
    """Something that can be done to a complaint: its word, when, by whom, and what has to be typed."""

    word: Any
    icon: str
    permission: str
    statuses: frozenset[str]
    needs: str = ""  # reason or nothing
    tone: str = ""


def _in(*statuses: str) -> frozenset[str]:
    return frozenset(statuses)


VERBS: Final[dict[str, Verb]] = {
    "accept": Verb(gettext_lazy("Accept"), "tick", HANDLE, _in("received"), tone="main"),
    "review": Verb(gettext_lazy("Begin the review"), "search", HANDLE, _in("accepted"), tone="main"),
    "uphold": Verb(
        gettext_lazy("Uphold"), "scales", DECIDE, _in("under_review"), needs="reason", tone="main"
    ),
    "reject": Verb(gettext_lazy("Reject"), "close", DECIDE, _in("under_review"), needs="reason"),
    "wait": Verb(gettext_lazy("Wait for information"), "pause", HANDLE, _in("received"), needs="reason"),
    "refuse": Verb(
        gettext_lazy("Refuse"), "close", HANDLE, _in("received", "waiting"), needs="reason", tone="grave"
    ),
    "take": Verb(
        gettext_lazy("Take it over"), "people", HANDLE, _in("accepted", "under_review", "upheld", "rejected")
    ),
    "close": Verb(gettext_lazy("Close"), "lock", HANDLE, _in("upheld", "rejected")),
    "reopen": Verb(gettext_lazy("Open again"), "redo", DECIDE, _in("closed", "refused"), needs="reason"),
}


@dataclass(slots=True)
class Redone:
    """What is shown again after something was refused: why, and what had been typed."""

    refusal: Refusal
    verb: str
    typed: Mapping[str, Any]


def do_verb(request: HttpRequest, complaint: Complaint, verb: str) -> HttpResponse | Redone:
    """Do what a button of the page asks for; return where to go on, or what to show again."""
    given = request.POST
    try:
        said = _do(request, complaint, verb, given)
    except REFUSING as error:
        return Redone(refusal_of(error), verb, given)
    except NotAllowed as error:
        raise PermissionDenied from error
    messages.success(request, said)
    complaint.refresh_from_db()
    if verb == "uphold" and request.user.has_perm("audit.request_ruling"):
        return HttpResponseRedirect(ask_url(f"round={complaint.round_id}&complaint={complaint.pk}"))
    return HttpResponseRedirect(reverse("admin:audit_complaint_change", args=[complaint.pk]))


def _do(request: HttpRequest, complaint: Complaint, verb: str, given: QueryDict) -> str:
    who: dict[str, Any] = {
        "actor": Actor.of_user(request.user),
        "user": request.user,
        "at": datetime.now(UTC),
    }
    seen = given.get("seen_version", "")
    on = {
        "complaint_id": complaint.pk,
        "seen_version": int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0,
        **who,
    }
    number = {"number": complaint.number}
    reason, text = given.get("reason", ""), given.get("text", "")
    done: dict[str, Callable[[], Any]] = {
        "accept": lambda: verbs.accept_complaint(**on),
        "review": lambda: verbs.review_complaint(**on),
        "wait": lambda: verbs.wait_for_information(**on, reason=reason),
        "refuse": lambda: verbs.refuse_complaint(**on, reason=reason),
        "uphold": lambda: verbs.decide_complaint(**on, reason=reason, is_upheld=True),
        "reject": lambda: verbs.decide_complaint(**on, reason=reason, is_upheld=False),
        "close": lambda: verbs.close_complaint(**on),
        "reopen": lambda: verbs.reopen_complaint(**on, reason=reason),
        "take": lambda: verbs.assign_complaint(**on, owner=request.user),
        "information": lambda: add_information(**on, said=_further(complaint, given)),
        "note": lambda: verbs.note_complaint(**on, text=text),
        "merge": lambda: verbs.merge_complaint(**on, into_number=given.get("into", "")),
        "answer": lambda: verbs.answer_complaint(
            **on,
            text=text,
            language="th" if given.get("language") == "th" else "en",
            template=given.get("template", "")[:32],
            closes=given.get("closes") == "yes",
        ),
        "admit": lambda: ask_to_admit(complaint_id=complaint.pk, reason=reason, **who),
        "consent": lambda: give_consent(consent_id=_consent(complaint), reason=reason, **who),
        "dissent": lambda: refuse_consent(consent_id=_consent(complaint), reason=reason, **who),
        "withdraw": lambda: withdraw_consent(consent_id=_consent(complaint), reason=reason, **who),
    }
    done[verb]()
    return str(SAID[verb]) % number


def _further(complaint: Complaint, given: QueryDict) -> Said:
    """Read what the player said further; what was left empty stays as it was said before."""
    usual = ZoneInfo(complaint.table.zone) if complaint.table else house_zone()
    zone = read_zone(given.get("zone", ""), usual)
    names = ("table", "dealer", "round", "player", "bet")
    typed = given.get("played_at", "")
    return Said(
        played_at=read_local(typed, zone),
        has_seconds=typed.count(":") > 1,
        zone=zone.key if typed else "",
        **{name: given.get(name, "").strip() for name in names},
    )


def _consent(complaint: Complaint) -> int:
    newest = complaint.consents.order_by("-pk").first()
    return newest.pk if newest else 0


SAID: Final = {
    "accept": gettext_lazy("%(number)s is accepted, and yours."),
    "review": gettext_lazy("%(number)s is under review."),
    "wait": gettext_lazy("%(number)s waits for information."),
    "refuse": gettext_lazy("%(number)s is refused."),
    "uphold": gettext_lazy("%(number)s is upheld. Ask for the ruling that puts the round right."),
    "reject": gettext_lazy("%(number)s is rejected. The player waits for the answer."),
    "close": gettext_lazy("%(number)s is closed."),
    "reopen": gettext_lazy("%(number)s is open again."),
    "take": gettext_lazy("%(number)s is yours."),
    "information": gettext_lazy("The details of %(number)s are taken down, and judged anew."),
    "note": gettext_lazy("The note is written on %(number)s."),
    "merge": gettext_lazy("%(number)s goes on as the other complaint."),
    "answer": gettext_lazy(
        "The answer to %(number)s is kept. Nothing is sent by itself: carry it to the player."
    ),
    "admit": gettext_lazy("A second person is asked to admit %(number)s."),
    "consent": gettext_lazy("%(number)s is admitted."),
    "dissent": gettext_lazy("%(number)s stays refused."),
    "withdraw": gettext_lazy("The request is withdrawn. %(number)s stays refused."),
}


def page_context(request: HttpRequest, complaint: Complaint, redone: Redone | None) -> dict[str, Any]:
    """Give everything the page shows; what was typed before a refusal stays in its place.

    Whichever way the page is drawn, that is a look at what the player said, and written down.
    """
    now = datetime.now(UTC)
    look_at_complaint(complaint, actor=Actor.of_user(request.user), at=now)
    round_ = _round_of(complaint)
    zone = complaint.table.zone if complaint.table else house_zone().key
    said = said_last(complaint)
    typed = redone.typed if redone else {}
    context: dict[str, Any] = {
        "complaint": complaint,
        "title": _("Complaint %(number)s") % {"number": complaint.number},
        "crumbs": [
            Crumb(_("Complaints"), reverse("admin:audit_complaint_changelist")),
            Crumb(complaint.number),
        ],
        "refusal": redone.refusal if redone else None,
        "typed": typed,
        "said": said,
        "now": now,
        "zone": zone,
        "round": round_,
        "is_running": complaint.is_waited_for,
        "reopened_at": _reopened_at(complaint),
        "steps": _steps(complaint),
        "merged": _merged(complaint),
        "missing": say_missing(missing_of(complaint)),
        "verbs": _verbs(request, complaint),
        "needs_reason": any(verb.needs for _name, verb in _verbs(request, complaint)),
        "may_note": complaint.status != "closed" and request.user.has_perm(HANDLE),
        "may_add": may_say_more(complaint) and request.user.has_perm(HANDLE),
        "zones": zone_names(),
        "tables": list(GameTable.objects.order_by("code").values_list("code", flat=True)),
        "duplicates": _duplicates(complaint) if request.user.has_perm(HANDLE) else [],
        "rulings": [
            (one, RULING_KINDS[one.kind], ruling_badge(one)) for one in complaint.rulings.order_by("pk")
        ],
        "ask_url": _ask_url(request, complaint),
        "pack_url": pack_url(request, complaint),
        **attachments_context(request, complaint),
        "consent": complaint.consents.select_related("requested_by_person", "decided_by_person")
        .order_by("-pk")
        .first(),
    }
    context |= _consent_buttons(request, complaint, context["consent"])
    # A note and an answer are both called text: a note that was refused must not turn up in the letter.
    context |= _answer(request, complaint, typed if redone and redone.verb == "answer" else {}, said, zone)
    context |= _kept(redone, context)
    if round_ is not None:
        meant = Meant(round_, round_.table, complaint.player)
        context |= {
            "checks": rows_of_checks(said, recorded_of(meant, said), complaint.checks, zone),
            "coup": coup_of(round_),
            "bets": bets_of(round_, complaint.player),
            "player_shown": said.player,
            "currency": round_.table.currency,
            "window_label": say_window(round_, complaint.event_kind) if complaint.event_kind else "",
            **video_context(request, round_),
        }
    return context


def _round_of(complaint: Complaint) -> Round | None:
    rounds = Round.objects.select_related("table", "shoe", "rulebook", "dealer")
    return rounds.get(pk=complaint.round_id) if complaint.round_id else None


def _steps(complaint: Complaint) -> list[ComplaintEvent]:
    return list(complaint.events.select_related("text", "words").order_by("-version"))


def _reopened_at(complaint: Complaint) -> datetime | None:
    """Return when it was opened again last: from then the time to answer it runs."""
    reopened = complaint.events.filter(action=ComplaintAction.REOPENED.value).order_by("-version")
    return reopened.values_list("at", flat=True).first()


def _merged(complaint: Complaint) -> list[tuple[Complaint, str]]:
    """List those that go on as this one, and theirs in turn, each with where its player is reached."""
    found: list[Complaint] = []
    into = [complaint.pk]
    while into:
        rows = list(Complaint.objects.filter(merged_into__in=into).order_by("pk"))
        found += rows
        into = [one.pk for one in rows]
    return [(one, said_last(one).contact) for one in found]


def _verbs(request: HttpRequest, complaint: Complaint) -> list[tuple[str, Verb]]:
    """List what this person can do to it now; a late one is let in by two persons and not otherwise."""
    is_shut = complaint.merged_into_id is not None or (complaint.status, complaint.refusal) == (
        "refused",
        "late",
    )
    return [
        (name, verb)
        for name, verb in VERBS.items()
        if complaint.status in verb.statuses
        and request.user.has_perm(verb.permission)
        and not is_shut
        and not (name == "take" and complaint.owner_id == request.user.pk)
    ]


def _ask_url(request: HttpRequest, complaint: Complaint) -> str:
    may = complaint.status == "upheld" and request.user.has_perm("audit.request_ruling")
    return ask_url(f"round={complaint.round_id}&complaint={complaint.pk}") if may else ""


def _consent_buttons(request: HttpRequest, complaint: Complaint, consent: Consent | None) -> dict[str, Any]:
    is_late = (complaint.status, complaint.refusal) == ("refused", "late")
    is_open = consent is not None and consent.status == "requested"
    may_ask = is_late and not is_open and request.user.has_perm(REQUEST)
    is_whole = not missing_of(complaint)
    return {
        "may_ask_admission": may_ask and is_whole,
        "is_first_completed": may_ask and not is_whole,
        "may_consent": is_late and is_open and request.user.has_perm(GIVE),
        "may_withdraw": may_withdraw(request.user, consent),
        "withdraw_url": reverse("admin:audit_complaint_verb", args=[complaint.pk, "withdraw"]),
    }


def _duplicates(complaint: Complaint) -> list[Complaint]:
    if None in (complaint.round_id, complaint.player_id) or complaint.merged_into_id is not None:
        return []
    same = Complaint.objects.filter(
        round=complaint.round_id, player=complaint.player_id, merged_into__isnull=True
    )
    return list(same.exclude(pk=complaint.pk).order_by("pk")[:5])


def _kept(redone: Redone | None, context: Mapping[str, Any]) -> dict[str, Any]:
    """Give back a note in its field, and a text whose field went away with the state it was for."""
    if redone is None:
        return {}
    has_field = context["needs_reason"] or context["may_ask_admission"] or context["may_consent"]
    lost = "" if has_field else redone.typed.get("reason", "")
    if redone.verb in ("note", "answer") and not context["may_note"]:
        lost = redone.typed.get("text", "")
    return {
        "note_text": redone.typed.get("text", "") if redone.verb == "note" else "",
        "kept_reason": lost,
        "says_more": redone.verb == "information",
    }


def _answer(
    request: HttpRequest, complaint: Complaint, typed: Mapping[str, Any], said: Any, zone: str
) -> dict[str, Any]:
    """Begin an answer from the template that fits, or the one chosen, in the player's language."""
    if complaint.status in ("received", "closed") or not request.user.has_perm(HANDLE):
        return {"may_answer": False}
    fitting = fitting_template(complaint.status, complaint.refusal, complaint.outcome)
    name = request.GET.get("template", fitting)
    name = name if name in TEMPLATES else fitting
    language = request.GET.get("language", complaint.language)
    spoken: Language = "th" if language == "th" else "en"
    with translation.override(spoken):  # the letter's language, not the page's
        facts = {
            "number": complaint.number,
            "round": complaint.round.public_id if complaint.round else said.round,
            "due": f"{day(complaint.answer_due_at, zone)} {clock_text(complaint.answer_due_at, zone)[:5]}",
            "missing": say_missing(missing_of(complaint)),
        }
    return {
        "may_answer": True,
        "answer_template": typed.get("template", name),
        "answer_language": typed.get("language", spoken),
        "answer_text": typed.get("text")
        or TEMPLATES[name].fill(spoken, {k: v for k, v in facts.items() if v}),
        "templates": [(key, word, key == name) for key, word in words.TEMPLATE_NAMES.items()],
        "answer_languages": [(key, word, key == spoken) for key, word in words.LANGUAGES.items()],
        "may_close_by_it": complaint.status in ("upheld", "rejected"),
        # The text for what is upheld says that the round was ruled anew: true only once it was.
        "waits_for_ruling": complaint.status == "upheld"
        and not complaint.rulings.filter(status=RulingStatus.APPLIED).exists(),
    }
