"""The page on which a ruling is asked for: what it is, what it would move, why; then one button.

The same address shows and asks. Whatever is typed stays when something will not do.
"""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from audit import words
from audit.admin.asked import MOST_ROUNDS, WITH_ALSO, Asked, kinds_for, read_asked, zone_of
from audit.admin.exports import FORMATS, export_preview
from audit.admin.frame import draw, require
from audit.admin.refusals import REFUSING, Refusal, refusal_of, refuse
from audit.admin.ruling_view import house_result
from audit.admin.ruling_words import incident_title, rule_of, title_of
from audit.admin.subjects import read_subject
from audit.admin.two_coups import compare_coups, one_coup
from audit.models import RulingKind, RulingRound
from audit.queries.approvals import open_ruling_on, takes_second_person
from audit.queries.previews import Preview
from audit.queries.ruling_money import money_of_parts
from audit.queries.rulings_in_force import TAKES_SHOE
from audit.services.asking import preview_ruling
from audit.services.reporting import ask_once
from audit.services.rulings import is_proposed
from tables.admin.record import Crumb
from tables.models import Bet, BetStatus, Dealer, Round, RoundStatus
from tables.rules.drawing import DEAL_ORDER
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import clock, fill_in

PLAYERS_SHOWN = 12
ROUNDS_SHOWN = 50
# Where nothing is chosen yet, nothing is wrong yet.
NOT_YET = frozenset({"ruling/correct", "ruling/kinds", "ruling/reinstate"})


def ask_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show what a ruling would do, and ask for it when the button is pressed."""
    require(request, "audit.request_ruling")
    given = request.POST if request.method == "POST" else request.GET
    asked = read_asked(read_subject(request.GET), given)
    actor = Actor.of_user(request.user)
    seen, refusal = _look(asked, actor)
    if request.GET.get("as") in FORMATS and seen is not None and asked.kind is not None:
        return export_preview(seen, asked.kind.value, asked.subject.table, request.GET["as"])
    if request.method == "POST" and given.get("do") == "ask" and asked.kind is not None:
        answer = _ask(request, asked, seen, actor, given)
        if isinstance(answer, HttpResponse):
            return answer
        refusal = answer or refusal
    elif refusal is not None and refusal.rule in NOT_YET:
        refusal = None
    context = _context(asked, seen, refusal, given)
    return draw(model_admin, request, "bluecard/decide/ask.html", context, refusal.status if refusal else 200)


def _look(asked: Asked, actor: Actor) -> tuple[Preview | None, Refusal | None]:
    """Work out what it would do, or why it cannot be asked for."""
    if asked.kind is None or (asked.kind is RulingKind.VOID_RANGE and not (asked.first and asked.last)):
        return None, None
    if len(asked.rounds) > MOST_ROUNDS:
        return None, refuse("ruling/too-many", field="rounds")
    try:
        return preview_ruling(kind=asked.kind, actor=actor, **_arguments(asked)), None
    except REFUSING as error:
        return None, refusal_of(error)
    except NotAllowed as error:
        raise PermissionDenied from error
    except ValueError as error:  # a card of the round was never seen, so nothing can be worked out from it
        return None, refuse("ruling/unseen", str(error), field="cards")


def _arguments(asked: Asked) -> dict[str, Any]:
    return {
        "rounds": asked.rounds,
        "table": asked.subject.table,
        "facts": asked.facts,
        "shoe": asked.subject.shoe,
        "reinstates": asked.reinstates,
    }


def _ask(
    request: HttpRequest, asked: Asked, seen: Preview | None, actor: Actor, given: QueryDict
) -> HttpResponse | Refusal | None:
    """Ask for it, if it is still what was shown; return where to go on, or why not."""
    if seen is None or asked.kind is None:
        return None
    reason = given.get("reason", "").strip()
    if not reason:
        return refuse("ruling/reason", field="reason")
    if given.get("seen") != seen.hash:
        return refuse("round/changed", status=409)
    try:
        ruling, is_repeat = ask_once(
            kind=asked.kind,
            reason=reason[:2000],
            user=request.user,
            actor=actor,
            at=datetime.now(UTC),
            incident=asked.incident,
            complaint=asked.complaint,
            **_arguments(asked),
        )
    except REFUSING as error:
        return refusal_of(error)
    except NotAllowed as error:
        raise PermissionDenied from error
    said = (
        _("%(number)s was asked for already.")
        if is_repeat
        else _("%(number)s is asked for. Somebody decides by %(time)s.")
    )
    until = clock(ruling.expires_at, zone_of(asked).key)
    messages.success(request, fill_in(said, number=ruling.number, time=until))
    return HttpResponseRedirect(reverse("admin:audit_ruling_change", args=[ruling.pk]))


def _context(asked: Asked, seen: Preview | None, refusal: Refusal | None, given: QueryDict) -> dict[str, Any]:
    subject, kind = asked.subject, asked.kind
    query = subject.query + (f"&incident={asked.incident.pk}" if asked.incident else "")
    query += f"&complaint={asked.complaint.pk}" if asked.complaint else ""
    passage = (
        asked.incident.passage
        if asked.incident
        else f"{subject.rulebook(datetime.now(UTC)).code}/manager-decides"
    )
    rulebook = asked.incident.rulebook if asked.incident else subject.rulebook(datetime.now(UTC))
    named = _named(asked)
    context = {
        "title": title_of(kind, named) if kind else _("Ask for a ruling on %(subject)s") % {"subject": named},
        "crumbs": [
            Crumb(_("Rulings"), reverse("admin:audit_ruling_changelist")),
            *subject.crumbs(),
            Crumb(_("Ask")),
        ],
        "subject": subject,
        "asked": asked,
        "kind": kind.value if kind else "",
        "kinds": [
            (
                each.value,
                words.RULING_KINDS[each.value],
                words.KIND_ICONS[each.value],
                words.KIND_EFFECTS[each.value],
            )
            for each in _offered(asked)
        ],
        "query": query,
        "incident": asked.incident,
        "complaint": asked.complaint,
        "incident_title": incident_title(asked.incident) if asked.incident else "",
        "rule_proposed": is_proposed(asked.incident, kind, asked.facts) if kind and asked.incident else None,
        "rule": rule_of(rulebook, passage),
        "refusal": refusal,
        "reason": given.get("reason", ""),
        "also": [(name, word, name in asked.facts.get("also", ())) for name, word in words.ALSO.items()]
        if kind in WITH_ALSO
        else [],
        "open_ruling": open_ruling_on(subject.round) if subject.round else None,
        "currency": subject.table.currency,
        "zone": subject.table.zone,
        "seen": seen,
        "back_url": subject.url,
    }
    if subject.round is not None:
        context |= _of_a_round(asked, subject.round)
    elif subject.shoe is None and kind is RulingKind.VOID_RANGE:
        dealt_here = Round.objects.filter(table=subject.table, dealer=OuterRef("pk"))
        dealers = Dealer.objects.filter(Exists(dealt_here)).order_by("name")
        context["dealers"] = [(one.pk, one.name, one.pk == asked.dealer) for one in dealers]
    if seen is not None and kind is not None:
        moved, net = seen.given_minor + seen.taken_minor, seen.given_minor - seen.taken_minor
        context |= {
            "money": money_of_parts(seen.rounds, limit=PLAYERS_SHOWN),
            "net_minor": net,
            **house_result({one.round.pk: one.base_revision for one in seen.rounds}, net),
            "needs_second": takes_second_person(subject.table, kind, len(seen.rounds), moved),
            "round_count": len(seen.rounds),
            "csv_url": f"?{_query_of(asked)}&as=csv",
            "json_url": f"?{_query_of(asked)}&as=json",
            "touched": seen.rounds[:ROUNDS_SHOWN] if len(seen.rounds) > 1 else (),
            "not_shown": max(len(seen.rounds) - ROUNDS_SHOWN, 0),
        }
    return context


def _named(asked: Asked) -> str:
    if asked.kind is RulingKind.VOID_RANGE and asked.rounds and asked.subject.shoe is not None:
        numbers = {"first": asked.rounds[0].number, "last": asked.rounds[-1].number}
        return _("rounds %(first)s to %(last)s") % numbers
    if asked.kind is RulingKind.VOID_RANGE:
        return _("rounds of %(subject)s") % {"subject": asked.subject.name}
    return asked.subject.name


def _offered(asked: Asked) -> list[RulingKind]:
    """Leave out what makes no sense for this subject now."""
    offered = list(kinds_for(asked.subject))
    round_, shoe = asked.subject.round, asked.subject.shoe
    if asked.incident is None:
        offered.remove(RulingKind.STAND)
    if round_ is None:
        is_gone = shoe is not None and shoe.ended_at is not None
        return [kind for kind in offered if not (is_gone and kind in TAKES_SHOE)]
    if not _in_force(round_).exists():
        offered.remove(RulingKind.REINSTATE)
    if round_.status == RoundStatus.VOIDED:
        offered = [kind for kind in offered if kind in (RulingKind.REINSTATE, RulingKind.STAND)]
    return offered


def _in_force(round_: Round) -> Any:
    rows = RulingRound.objects.filter(round=round_, is_in_force=True)
    return rows.select_related("ruling").order_by("-applied_at")


def _of_a_round(asked: Asked, round_: Round) -> dict[str, Any]:
    decks = round_.shoe.decks
    typed = asked.facts.get("cards", asked.recorded)
    context: dict[str, Any] = {
        "round": round_,
        "places": [
            (place.value, typed.get(place.value, ""), asked.recorded.get(place.value, ""))
            for place in DEAL_ORDER
        ],
        "before": one_coup(asked.recorded, decks) if asked.recorded else None,
    }
    match asked.kind:
        case RulingKind.CORRECT:
            context["before"], context["after"] = compare_coups(asked.recorded, typed, decks)
        case RulingKind.VOID_KINDS:
            bets = Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value)
            bet_kinds = sorted(set(bets.order_by().values_list("kind", flat=True)))
            context["bet_kinds"] = [(kind, kind in asked.facts["kinds"]) for kind in bet_kinds]
        case RulingKind.REINSTATE:
            context["in_force"] = [row.ruling for row in _in_force(round_)]
    return context


def _query_of(asked: Asked) -> str:
    """Write what is asked for as an address again."""
    query = QueryDict(asked.subject.query, mutable=True)
    query["kind"] = asked.kind.value if asked.kind else ""
    query.update(asked.facts.get("cards", {}))
    for name in ("kinds", "also"):
        query.setlist(name, asked.facts.get(name, []))
    if asked.reinstates is not None:
        query["reinstates"] = str(asked.reinstates.pk)
    if asked.kind is RulingKind.VOID_RANGE:
        query["from"], query["to"] = asked.first, asked.last
        query["dealer"], query["card_set"] = str(asked.dealer or ""), asked.card_set
    return query.urlencode()


def ask_url(query: str, kind: RulingKind | None = None) -> str:
    """Return the address of this page for a subject, and a kind if given."""
    url = f"{reverse('admin:audit_ruling_ask')}?{query}"
    return f"{url}&kind={kind.value}" if kind else url
