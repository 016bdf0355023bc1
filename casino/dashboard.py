"""The first page: what waits for whoever looks at it, and the tables as they are now."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit.admin.proof import sentence_of, tone_of
from audit.admin.ruling_words import (
    incident_badge,
    incident_state,
    incident_title,
    ruling_badge,
    subject_of,
    title_of,
)
from audit.admin.setup_words import change_title
from audit.models import Incident, Ruling, RulingKind
from audit.queries.complaint_queue import questions_waiting
from audit.queries.proof_status import proof_status
from audit.queries.queue import changes_to_decide, queue_of
from audit.queries.setup_changes import Named
from audit.services.rulings import EXPIRES_AFTER
from casino.admin_site import counted_entries
from casino.dashboard_work import jobs, load_tables, money_context, table_lines
from tables import words
from tables.house import house_zone
from tables.queries.dead_letters import dead_letters

LETTERS_SHOWN = 5
RING = 94.2
_SEEN_MARK = "?seen=now"


class RequestLine(NamedTuple):
    """A request on the list of what waits."""

    ruling: Ruling
    title: str
    round_id: str
    net_minor: Any
    left: Any
    ring: str
    badge: SafeString


class IncidentLine(NamedTuple):
    incident: Incident
    title: str
    age: Any
    is_late: bool
    badge: SafeString


def show_dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Give the whole first page what it shows to this person."""
    now = datetime.now(UTC)
    user: Any = request.user
    return {
        **context,
        "greeting": _greeting(now),
        "first_name": (user.get_full_name() or user.get_username()).split()[0],
        "live_url": reverse("admin:live"),
        **dashboard_context(request, now),
    }


def show_what_is_new(request: HttpRequest) -> HttpResponse:
    """Give the parts of the first page that live, or 204 where they still are as this person sees them.

    What ticks by itself is drawn as of the minute, so that the passing of time alone sends nothing.
    """
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    context = {
        **dashboard_context(request, now),
        "counted": counted_entries(request),
        "is_poll": True,
        "live_url": _SEEN_MARK,
    }
    drawn = render_to_string("bluecard/dashboard/poll.html", context, request)
    seen = sha256(drawn.encode()).hexdigest()[:16]
    if seen == request.GET.get("seen"):
        return HttpResponse(status=204)
    address = f"{reverse('admin:live')}?seen={seen}"
    return HttpResponse(drawn.replace(_SEEN_MARK, address))


def dashboard_context(request: HttpRequest, now: datetime) -> dict[str, Any]:
    """Read what lives on the first page: what waits for this person, the tables, jobs and money."""
    user: Any = request.user
    may_see_decisions = user.has_perm("audit.view_ruling")
    context: dict[str, Any] = {
        "may_see_decisions": may_see_decisions,
        "may_decide": user.has_perm("audit.approve_ruling"),
        "may_see_tables": user.has_perm("tables.view_gametable"),
    }
    tables = load_tables() if user.has_perm("tables.view_gametable") else []
    context["tables"] = table_lines(tables, may_report=user.has_perm("audit.report_incident"))
    if user.has_perm("tables.view_settlement"):
        context |= money_context(tables, now)
    if user.has_perm("tables.view_walletdelivery"):
        context |= _letters()
    status = proof_status(counts_pending=False)
    context |= {
        "proof_line": sentence_of(status),
        "proof_tone": tone_of(status, now),
        "may_see_proof": user.has_perm("audit.view_checkpoint"),
    }
    verifying = status.verifying if context["may_see_proof"] else None
    under_way: Any = ()
    if may_see_decisions:
        queue = queue_of(user, now)
        context |= {
            "to_decide": [_request_line(ruling, now) for ruling in queue.to_decide],
            "to_decide_count": queue.to_decide_count,
            "own": [_request_line(ruling, now) for ruling in queue.own],
            "incidents": [_incident_line(incident, now) for incident in queue.incidents],
            "incidents_count": queue.incidents_count,
        }
        under_way = queue.under_way
    context["jobs"] = jobs(user, under_way, verifying)
    if user.has_perm("audit.view_setupchange"):
        context["changes_count"], changes = changes_to_decide(user, now)
        named = Named.by(changes)
        context["changes"] = [(one, change_title(one, named), one.expires_at - now) for one in changes]
    context |= questions_waiting(user, now)
    return context


def _letters() -> dict[str, Any]:
    """Read the dead letters that wait longest, and how many there are in all."""
    waiting = dead_letters()
    oldest = waiting.select_related("transaction").order_by("answered_at", "pk")[:LETTERS_SHOWN]
    shown = [(one, words.spoken(words.GIVEN_UP_BECAUSE, one.answer)) for one in oldest]
    return {"letters": shown, "letters_count": waiting.count() if shown else 0}


def _greeting(now: datetime) -> str:
    hour = now.astimezone(house_zone()).hour
    if 5 <= hour < 12:
        return _("Good morning")
    return _("Good afternoon") if 12 <= hour < 18 else _("Good evening")


def _request_line(ruling: Any, now: datetime) -> RequestLine:
    left = ruling.expires_at - now
    share = max(0.0, min(1.0, left / EXPIRES_AFTER))
    subject = subject_of(ruling, ruling.first_number, ruling.last_number)
    return RequestLine(
        ruling,
        title_of(RulingKind(ruling.kind), subject),
        ruling.only_round_id if ruling.rounds_count == 1 else "",
        ruling.given_minor - ruling.taken_minor,
        left,
        f"{RING * share:.1f} {RING}",
        ruling_badge(ruling),
    )


def _incident_line(incident: Incident, now: datetime) -> IncidentLine:
    is_late = incident_state(incident, now) == "late"
    return IncidentLine(
        incident, incident_title(incident), now - incident.reported_at, is_late, incident_badge(incident, now)
    )
