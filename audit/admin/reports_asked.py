"""What a report is asked about: days of the house's zone and a table, or what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from audit.queries.reports import Span
from tables.admin.filters import read_day, start_of
from tables.house import house_zone

USUAL_DAYS = 7
MOST_DAYS = 92


@dataclass(frozen=True, slots=True)
class Asked:
    """The form as it was filled in. Where there are problems, by field, the days mean nothing."""

    from_text: str
    until_text: str
    table: str
    first: date
    last: date
    span: Span
    problems: Mapping[str, str | Promise] = field(default_factory=dict)


def read_asked(query: QueryDict, tables: Mapping[str, int], today: date) -> Asked:
    """Read the days and the table; without days the last seven, today among them."""
    texts = {name: query.get(name, "").strip() for name in ("from", "until", "table")}
    days = {name: read_day(texts[name]) for name in ("from", "until")}
    problems: dict[str, str | Promise] = {
        name: _("A day is written year-month-day, as in 2026-11-29.")
        for name, found in days.items()
        if texts[name] and found is None
    }
    last = days["until"] or today
    first = days["from"] or last - timedelta(days=USUAL_DAYS - 1)
    if not problems and first > last:
        problems["from"] = _("The first day lies after the last.")
    elif not problems and (last - first).days >= MOST_DAYS:
        problems["until"] = _("A report covers at most %(days)s days.") % {"days": MOST_DAYS}
    if texts["table"] and texts["table"] not in tables:
        problems["table"] = _("There is no such table.")
    zone = house_zone()
    span = Span(start_of(first, zone), start_of(last + timedelta(days=1), zone), tables.get(texts["table"]))
    shown = {name: texts[name] if name in problems else day.isoformat() for name, day in
             (("from", first), ("until", last))}  # fmt: skip
    return Asked(shown["from"], shown["until"], texts["table"], first, last, span, problems)
