"""Incidents: the list, the page of one, and the way to report another."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.admin.ask import ask_url
from audit.admin.attachment import attachments_context
from audit.admin.report import report_page
from audit.admin.ruling_words import incident_badge, incident_title, rule_of, ruling_badge, say_facts
from audit.models import Incident, IncidentStatus, Ruling
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import TableFilter, choice_filter, date_range_filter, related_filter
from tables.admin.record import Crumb, link
from tables.templatetags.felt import moment
from tables.words import spoken

STATES = {code: state for code, state in words.INCIDENT_STATES.items() if code != "late"}


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    list_display = ("number", "state", "what", "table_code", "round_id_shown", "source_word", "reported")
    list_filter = (
        date_range_filter("reported_at"),
        TableFilter,
        choice_filter(gettext_lazy("state"), "status", STATES),
        choice_filter(gettext_lazy("source"), "source", words.INCIDENT_SOURCES),
        related_filter(gettext_lazy("round"), "round"),
        related_filter(gettext_lazy("shoe"), "shoe"),
    )
    prefix_fields = ("number",)
    search_words = gettext_lazy("Number starts with")
    newest_by = ("reported_at", "id")
    related = ("table", "round__table", "round__rulebook", "shoe", "rulebook", "hold")
    record_template = "bluecard/decide/incident.html"
    list_lead = gettext_lazy("What went wrong at the tables, newest first, and what became of it.")
    empty_heading = gettext_lazy("No incident was reported")
    empty_words = gettext_lazy(
        "An incident is reported from the page of a round, a shoe or a table, by the table itself, or found "
        "in its feed."
    )

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("state"))
    def state(self, found: Incident) -> SafeString:
        return incident_badge(found, datetime.now(UTC))

    @column(gettext_lazy("what happened"))
    def what(self, found: Incident) -> str:
        return incident_title(found)

    @column(gettext_lazy("table"))
    def table_code(self, found: Incident) -> str:
        return found.table.code

    @column(gettext_lazy("round"))
    def round_id_shown(self, found: Incident) -> SafeString | str:
        return link("round", found.round_id, found.round.public_id, is_id=True) if found.round else ""

    @column(gettext_lazy("source"))
    def source_word(self, found: Incident) -> str:
        return spoken(words.INCIDENT_SOURCES, found.source)

    @column(gettext_lazy("reported"), is_number=True)
    def reported(self, found: Incident) -> SafeString:
        return moment(found.reported_at, found.table.zone)

    def get_urls(self) -> list[URLPattern]:
        report = self.admin_site.admin_view(self.report)
        return [path("report/", report, name="audit_incident_report"), *super().get_urls()]

    def report(self, request: HttpRequest) -> HttpResponse:
        """Report an incident."""
        return report_page(self, request)

    def page_context(self, request: HttpRequest, found: Incident) -> dict[str, Any]:
        now = datetime.now(UTC)
        query = f"round={found.round_id}" if found.round_id else f"table={found.table_id}"
        if not found.round_id and found.shoe_id:
            query = f"shoe={found.shoe_id}"
        is_open = found.status == IncidentStatus.OPEN
        rulings = Ruling.objects.filter(incident=found).select_related("table", "requested_by_person")
        may_ask = is_open and request.user.has_perm("audit.request_ruling")
        by = found.reported_by
        return {
            **attachments_context(request, found),
            "incident": found,
            "title": incident_title(found),
            "crumbs": [
                Crumb(_("Incidents"), reverse("admin:audit_incident_changelist")),
                Crumb(found.number),
            ],
            "badge": incident_badge(found, now),
            "facts": say_facts(found.facts),
            "remedy": ", ".join(spoken(words.REMEDIES, remedy) for remedy in found.remedies),
            "rule": rule_of(found.rulebook, found.passage),
            "source_word": spoken(words.INCIDENT_SOURCES, found.source),
            "reporter": (by.get_full_name() or by.get_username()) if by else "",
            "age": (found.closed_at or now) - found.reported_at,
            "is_open": is_open,
            "rulings": [
                (one, words.RULING_KINDS[one.kind], ruling_badge(one)) for one in rulings.order_by("pk")
            ],
            "ask_url": ask_url(f"{query}&incident={found.pk}") if may_ask else "",
            "zone": found.table.zone,
        }
