"""Filters of the lists: a choice, a table, a range of days. Each is one parameter an index can serve."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tables.house import house_zone
from tables.models import GameTable


class ChoiceFilter(SimpleListFilter):
    """Filter a column by one of a few values."""

    is_date_range = False
    words: ClassVar[Mapping[str, Any]] = {}
    column: ClassVar[str] = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(code, getattr(word, "word", word)) for code, word in self.words.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        known = {code for code, _word in self.lookup_choices}
        if value not in known:
            return queryset
        return queryset.filter(**{self.column: value})


def choice_filter(name: Any, column: str, words: Mapping[str, Any]) -> type[ChoiceFilter]:
    """Make a filter of a column by the words its values have."""
    return type(
        f"{column.title().replace('_', '')}Filter",
        (ChoiceFilter,),
        {"title": name, "parameter_name": column, "column": column, "words": words},
    )


class TableFilter(ChoiceFilter):
    """Filter by the table, of which a house has dozens at most."""

    title = _("table")
    parameter_name = "table"
    column = "table__code"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(code, code) for code in GameTable.objects.order_by("code").values_list("code", flat=True)]


class RelatedFilter(SimpleListFilter):
    """Narrow a list to what belongs to one record; set by links, shown as a chip, never as a choice."""

    is_date_range = False
    is_hidden = True
    column: ClassVar[str] = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("", "")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        if not value:
            return queryset
        if not (value.isascii() and value.isdigit() and len(value) < 19):
            return queryset.none()
        return queryset.filter(**{self.column: int(value)})


def related_filter(name: Any, column: str) -> type[RelatedFilter]:
    """Make a filter that links can set, for instance the bets of one round."""
    return type(
        f"Of{column.title().replace('_', '')}",
        (RelatedFilter,),
        {"title": name, "parameter_name": column, "column": column},
    )


class GamingDateFilter(RelatedFilter):
    """Narrow a list to a gaming date; set by links, as from the money of the day."""

    title = _("gaming date")
    parameter_name = "gaming_date"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        if not value:
            return queryset
        day = read_day(value)
        return queryset.filter(**{self.column: day}) if day else queryset.none()


def gaming_date_filter(column: str) -> type[GamingDateFilter]:
    """Make a gaming-date filter of a column."""
    return type("OfGamingDate", (GamingDateFilter,), {"column": column})


class PresenceFilter(ChoiceFilter):
    """Filter by whether a column is empty: `words` names the two choices, `conditions` what each means."""

    conditions: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        condition = self.conditions.get(self.value() or "")
        return queryset.filter(**condition) if condition else queryset


class DateRangeFilter(SimpleListFilter):
    """Filter by days of the house's zone, both included; a day that is none is told, not ignored."""

    is_date_range = True
    title = _("date")
    parameter_name = "from"
    until_name = "until"
    column: ClassVar[str] = ""

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: type[Model], model_admin: Any
    ) -> None:
        until = params.pop(self.until_name, None)
        self.until_text = until[-1] if until else ""
        super().__init__(request, params, model, model_admin)
        self.from_text = self.value() or ""

    def expected_parameters(self) -> list[str | None]:
        return [self.parameter_name, self.until_name]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("", "")]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        return iter(())

    @property
    def problem(self) -> Any:
        """Say what is wrong with the days given; empty when nothing is."""
        first, last = read_day(self.from_text), read_day(self.until_text)
        if (self.from_text and first is None) or (self.until_text and last is None):
            return _("A day is written year-month-day, as in 2026-11-29.")
        if first and last and first > last:
            return _("The first day lies after the last.")
        return ""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.problem:
            return queryset.none()
        zone = house_zone()
        if first := read_day(self.from_text):
            queryset = queryset.filter(**{f"{self.column}__gte": start_of(first, zone)})
        if last := read_day(self.until_text):
            queryset = queryset.filter(**{f"{self.column}__lt": start_of(last + timedelta(days=1), zone)})
        return queryset


def date_range_filter(column: str) -> type[DateRangeFilter]:
    """Make a date-range filter of a column."""
    return type(f"{column.title().replace('_', '')}Range", (DateRangeFilter,), {"column": column})


def read_day(text: str) -> date | None:
    """Read a day as a date input sends it; None when it is none or beyond what a zone can be applied to."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9000 else None


def start_of(day: date, zone: ZoneInfo) -> datetime:
    """Return the moment at which a day begins in a zone."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)
