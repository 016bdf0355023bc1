"""What went wrong at a table lately, on the table's page."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit.admin.ruling_words import incident_badge, incident_title
from audit.models import Incident
from tables.admin.panels import add_record_panel
from tables.admin.record import Column, Rows, all_of
from tables.models import GameTable
from tables.templatetags.felt import moment

SHOWN = 10


def incidents_panel(request: HttpRequest, table: GameTable) -> SafeString | None:
    """List the latest incidents at a table."""
    if not request.user.has_perm("audit.view_incident"):
        return None
    now = datetime.now(UTC)
    newest = Incident.objects.filter(table=table).select_related("table", "rulebook", "hold", "round", "shoe")
    listed = reverse("admin:audit_incident_changelist")
    rows = Rows(
        _("Incidents"),
        [Column(_("Incident")), Column(_("State")), Column(_("Reported"), True)],
        [
            (
                format_html(
                    '<a class="bc-link" href="{}">{}</a>{}',
                    reverse("admin:audit_incident_change", args=[one.pk]),
                    incident_title(one),
                    _subject_of(one),
                ),
                incident_badge(one, now),
                moment(one.reported_at, table.zone),
            )
            for one in newest.order_by("-reported_at", "-pk")[:SHOWN]
        ],
        empty=_("No incident has been reported at this table."),
        more=all_of(f"{listed}?table={table.code}"),
    )
    return SafeString(render_to_string("bluecard/sheet.html", {"sheet": rows}, request))


def _subject_of(incident: Incident) -> SafeString | str:
    subject = incident.round or incident.shoe
    return (
        format_html('<br><span class="bc-id bc-small bc-soft">{}</span>', subject.public_id)
        if subject
        else ""
    )


add_record_panel("gametable", incidents_panel)
