"""The page of reports: what many rounds, incidents and complaints add up to, with files to take away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from audit.admin.frame import require
from audit.admin.reports_asked import Asked, read_asked
from audit.admin.reports_files import csv_of, workbook_of
from audit.report_sections import SECTIONS, sections_of
from tables.house import house_zone
from tables.models import GameTable
from tables.templatetags.felt import write_day

PERMISSION: Final = "audit.export_reports"


def show_reports(request: HttpRequest, frame: dict[str, Any]) -> HttpResponse:
    """Show the reports of some days, or hand them out as a file; what cannot be read is told."""
    require(request, PERMISSION)
    tables = dict(GameTable.objects.order_by("code").values_list("code", "pk"))
    asked = read_asked(request.GET, tables, datetime.now(UTC).astimezone(house_zone()).date())
    form, section = request.GET.get("as", ""), request.GET.get("section", "")
    problems = dict(asked.problems)
    if form not in ("", "csv", "xlsx"):
        problems["as"] = _("A report is handed out as csv or xlsx.")
    if form == "csv" and section not in SECTIONS:
        problems["section"] = _("There is no such report: there are %(names)s.") % {
            "names": ", ".join(SECTIONS)
        }
    if not problems and form:
        name = f"reports-{asked.from_text}-{asked.until_text}{asked.table and '-' + asked.table}"
        if form == "csv":
            return csv_of(sections_of(asked.span, [section])[0], name)
        return workbook_of(sections_of(asked.span), about_of(asked), name)
    context = {
        **frame,
        "title": _("Reports"),
        "asked": asked,
        "problems": problems,
        "tables": list(tables),
        "about": about_of(asked),
        "sections": [] if problems else sections_of(asked.span),
        "query": request_of(asked),
    }
    return TemplateResponse(request, "bluecard/reports.html", context, status=400 if problems else 200)


def about_of(asked: Asked) -> str:
    """Say what the reports are about: the days, and the table if one is named."""
    days = {"first": write_day(asked.first), "last": write_day(asked.last)}
    said = _("%(first)s to %(last)s") % days
    return f"{said}, {asked.table}" if asked.table else f"{said}, {_('all tables')}"


def request_of(asked: Asked) -> dict[str, str]:
    """Return what asks for the same reports again."""
    return {"from": asked.from_text, "until": asked.until_text, "table": asked.table}
