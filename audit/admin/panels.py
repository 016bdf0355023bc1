"""What decisions add to the pages of play: buttons in their heads, questions and decisions of a round."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit import words
from audit.admin.ask import ask_url
from audit.admin.report import report_url
from audit.admin.ruling_words import incident_badge, incident_title, ruling_badge
from audit.models import Incident, Notice, RulingKind, RulingRound
from tables.admin.panels import HeadButton, add_head_buttons, add_round_panel
from tables.models import GameTable, Round, RoundStatus, Shoe

SHOWN = 20


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
    return [*buttons, *_report_button(request, query, "main")]


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
            HeadButton(_("Close the table"), ask_url(query, RulingKind.CLOSE_TABLE), "lock", "grave"),
        ]
    return [*buttons, *_report_button(request, query, "")]


def _report_button(request: HttpRequest, query: str, tone: str) -> list[HeadButton]:
    if not request.user.has_perm("audit.report_incident"):
        return []
    return [HeadButton(_("Report incident"), report_url(query), "flag", tone, "i")]


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
        "notices_count": Notice.objects.filter(round=found).count(),
        "round": found,
        "zone": found.table.zone,
    }
    return SafeString(render_to_string("bluecard/decide/questions.html", context, request))


add_head_buttons("round", round_buttons)
add_head_buttons("shoe", shoe_buttons)
add_head_buttons("gametable", table_buttons)
add_round_panel("side", questions_panel)
