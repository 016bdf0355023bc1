"""What decisions add to the pages of play: buttons in their heads, questions and decisions of a round."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Max, Min
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit import words
from audit.admin.ask import ask_url
from audit.admin.report import report_url
from audit.admin.ruling_words import incident_badge, incident_title, ruling_badge
from audit.models import (
    Complaint,
    Incident,
    Notice,
    Ruling,
    RulingKind,
    RulingRound,
    RulingStatus,
    TableDecision,
)
from tables import words as table_words
from tables.admin.panels import (
    HeadButton,
    add_authorities,
    add_head_buttons,
    add_round_lines,
    add_round_panel,
)
from tables.models import Dealer, GameTable, Round, RoundStatus, Shoe
from tables.timeline_words import Line

SHOWN = 20
SHIFT = timedelta(hours=12)
TABLES_OFFERED = 3


def round_buttons(request: HttpRequest, found: Round) -> list[HeadButton]:
    """Offer what can be asked for about a round, and to report an incident of it."""
    query = f"round={found.pk}"
    buttons = []
    if request.user.has_perm("audit.request_ruling"):
        if found.status != RoundStatus.VOIDED:
            buttons = [
                HeadButton(_("Void"), ask_url(query, RulingKind.VOID_ROUND), "struck", "grave"),
                HeadButton(_("Re-deal"), ask_url(query, RulingKind.RE_DEAL), "redo"),
                HeadButton(_("Correct"), ask_url(query, RulingKind.CORRECT), "pencil"),
            ]
        buttons.append(HeadButton(_("Other ruling"), ask_url(query), "scales"))
    if request.user.has_perm("audit.handle_complaint"):
        url = f"{reverse('admin:audit_complaint_new')}?round={found.pk}"
        tone = "" if request.user.has_perm("audit.request_ruling") else "main"
        buttons.append(HeadButton(_("Take a complaint"), url, "receipt", tone))
    return [*buttons, *_report_button(request, query, "main" if _may_ask(request) else "")]


def _may_ask(request: HttpRequest) -> bool:
    return bool(request.user.has_perm("audit.request_ruling"))


def shoe_buttons(request: HttpRequest, found: Shoe) -> list[HeadButton]:
    """Offer rulings on a range of rounds or the whole shoe, and to report an incident of it."""
    query = f"shoe={found.pk}"
    buttons = []
    if request.user.has_perm("audit.request_ruling"):
        buttons = [
            HeadButton(_("Void rounds"), ask_url(query, RulingKind.VOID_RANGE), "struck", "grave"),
            HeadButton(_("Other ruling"), ask_url(query), "scales"),
        ]
    return [*buttons, *_report_button(request, query, "main")]


def table_buttons(request: HttpRequest, found: GameTable) -> list[HeadButton]:
    """Offer to void rounds by time and dealer, to close a table, and to report an incident at it."""
    query = f"table={found.pk}"
    buttons = []
    if request.user.has_perm("audit.request_ruling"):
        buttons = [
            HeadButton(_("Void rounds"), ask_url(query, RulingKind.VOID_RANGE), "struck", "grave"),
            HeadButton(_("Close by a ruling"), ask_url(query, RulingKind.CLOSE_TABLE), "lock", "grave"),
        ]
    return [*buttons, *_report_button(request, query, "")]


def dealer_buttons(request: HttpRequest, found: Dealer) -> list[HeadButton]:
    """Offer to void what a dealer dealt lately, table by table: the search is filled in, to be narrowed."""
    if not request.user.has_perm("audit.request_ruling"):
        return []
    latest = Round.objects.filter(dealer=found).aggregate(at=Max("betting_opened_at"))["at"]
    if latest is None:
        return []
    shifts = (
        Round.objects.filter(dealer=found, betting_opened_at__gt=latest - SHIFT)
        .values("table", "table__code", "table__zone")
        .annotate(first=Min("betting_opened_at"), last=Max("betting_opened_at"))
        .order_by("-last")[:TABLES_OFFERED]
    )
    return [
        HeadButton(
            _("Void rounds at %(code)s") % {"code": shift["table__code"]},
            f"{ask_url('table=' + str(shift['table']), RulingKind.VOID_RANGE)}&{_searched(found, shift)}",
            "struck",
            "grave",
        )
        for shift in shifts
    ]


def _searched(dealer: Dealer, shift: Mapping[str, Any]) -> str:
    """Write the search for a dealer's rounds as the form sends it, in whole seconds of the table's zone."""
    zone = ZoneInfo(shift["table__zone"])
    first = shift["first"].astimezone(zone).replace(microsecond=0, tzinfo=None)
    last = shift["last"].astimezone(zone).replace(microsecond=0, tzinfo=None) + timedelta(seconds=1)
    return urlencode({"dealer": dealer.pk, "from": first.isoformat(), "to": last.isoformat()})


def _report_button(request: HttpRequest, query: str, tone: str) -> list[HeadButton]:
    if not request.user.has_perm("audit.report_incident"):
        return []
    return [HeadButton(_("Report incident"), report_url(query), "flag", tone, "i")]


def decided_lines(request: HttpRequest, found: Round) -> list[Line]:
    """Say when a round was questioned, ruled on and its table told, for who may see that."""
    lines = []
    if request.user.has_perm("audit.view_incident"):
        for incident in (
            Incident.objects.filter(round=found).select_related("rulebook").order_by("-pk")[:SHOWN]
        ):
            said = _("Incident %(number)s reported") % {"number": incident.number}
            lines.append(Line(incident.reported_at, "waits", said, incident_title(incident)))
    if request.user.has_perm("audit.view_ruling"):
        rulings = Ruling.objects.filter(rounds__round=found)
        people = ("requested_by_person", "decided_by_person")
        for ruling in rulings.select_related(*people).order_by("-pk")[:SHOWN]:
            lines += _lines_of(ruling)
        told = TableDecision.objects.filter(round=found).order_by("-pk")[:SHOWN]
        for one in told:
            said = _("Told to the table: %(what)s") % {"what": table_words.spoken(words.TOLD, one.kind)}
            lines.append(Line(one.created_at, "plain", said))
            if one.acknowledged_at:
                lines.append(Line(one.acknowledged_at, "plain", _("Acknowledged by the table")))
    if request.user.has_perm("audit.view_complaint"):
        for complaint in Complaint.objects.filter(round=found).order_by("-pk")[:SHOWN]:
            said = _("Complaint %(number)s received") % {"number": complaint.number}
            lines.append(Line(complaint.received_at, "waits", said))
    return lines


def _lines_of(ruling: Ruling) -> list[Line]:
    what = {"number": ruling.number, "kind": words.RULING_KINDS[ruling.kind]}
    asked = _("Ruling %(number)s asked for: %(kind)s") % what
    lines = [Line(ruling.requested_at, "waits", asked, ruling.requested_by_person.name)]
    if ruling.decided_at and ruling.decided_by_person:
        is_refused = ruling.status in (RulingStatus.REFUSED, RulingStatus.WITHDRAWN)
        word = words.RULING_STATES[ruling.status].word if is_refused else _("Approved")
        said = _("Ruling %(number)s: %(state)s") % {"number": ruling.number, "state": word}
        lines.append(Line(ruling.decided_at, "corrected", said, ruling.decided_by_person.name))
    return lines


def questions_panel(request: HttpRequest, found: Round) -> SafeString | None:
    """Draw what was questioned and decided about a round."""
    if not request.user.has_perm("audit.view_ruling"):
        return None
    now = datetime.now(UTC)
    rows = RulingRound.objects.filter(round=found).select_related(
        "ruling__table", "ruling__requested_by_person", "ruling__decided_by_person"
    )
    incidents = Incident.objects.filter(round=found).select_related("table", "rulebook", "hold")
    context: dict[str, Any] = {
        "rulings": [
            (row, row.ruling, words.RULING_KINDS[row.ruling.kind], ruling_badge(row.ruling))
            for row in rows.order_by("-pk")[:SHOWN]
        ],
        "incidents": [
            (one, incident_title(one), incident_badge(one, now)) for one in incidents.order_by("-pk")[:SHOWN]
        ],
        "complaints": complaints_of(request, found),
        "notices_count": Notice.objects.filter(round=found).count(),
        "round": found,
        "zone": found.table.zone,
    }
    return SafeString(render_to_string("bluecard/decide/questions.html", context, request))


def complaints_of(request: HttpRequest, found: Round) -> list[Complaint]:
    """List the complaints about a round, for whoever may see them."""
    if not request.user.has_perm("audit.view_complaint"):
        return []
    return list(Complaint.objects.filter(round=found).order_by("-pk")[:SHOWN])


def rulings_behind(request: HttpRequest, wanted: Sequence[UUID]) -> dict[UUID, SafeString]:
    """Link the rulings by whose authority revisions were made."""
    if not request.user.has_perm("audit.view_ruling"):
        return {}
    return {
        ruling.uuid: format_html(
            '<a class="bc-link bc-id" href="{}">{}</a> {}',
            reverse("admin:audit_ruling_change", args=[ruling.pk]),
            ruling.number,
            words.RULING_KINDS[ruling.kind],
        )
        for ruling in Ruling.objects.filter(uuid__in=wanted)
    }


add_authorities(rulings_behind)
add_head_buttons("round", round_buttons)
add_head_buttons("shoe", shoe_buttons)
add_head_buttons("gametable", table_buttons)
add_head_buttons("dealer", dealer_buttons)
add_round_panel("side", questions_panel)
add_round_lines(decided_lines)
