"""Tags for a list of records: its cells with their names, its filters, its pages.

Nothing here imports `tables.admin`: Unfold loads all tag libraries while it is itself being imported.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import template
from django.contrib.admin.utils import label_for_field, lookup_field
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

BEFORE_VAR = "before"  # the query parameter that names the row a page of a long list starts after

register = template.Library()


class Cell(NamedTuple):
    label: str
    value: Any
    is_number: bool
    url: str


@register.simple_tag
def list_columns(cl: ChangeList) -> list[Cell]:
    """Return the heads of a list's columns."""
    return [
        Cell(str(label_for_field(name, cl.model, cl.model_admin)), None, _is_number(cl, name), "")
        for name in cl.list_display
    ]


@register.simple_tag
def list_rows(cl: ChangeList) -> Iterator[list[Cell]]:
    """Return the rows of a list; the first cell of each leads to the record."""
    columns = list_columns(cl)
    for found in cl.result_list:
        yield [
            Cell(
                column.label,
                _value(cl, name, found),
                column.is_number,
                cl.url_for_result(found) if first else "",
            )
            for first, name, column in zip(
                [True] + [False] * (len(columns) - 1), cl.list_display, columns, strict=True
            )
        ]


def _value(cl: ChangeList, name: Any, found: Model) -> Any:
    _field, _attribute, value = lookup_field(name, found, cl.model_admin)
    return "" if value is None else value


def _is_number(cl: ChangeList, name: Any) -> bool:
    return bool(getattr(getattr(cl.model_admin, name, None), "is_number", False))


@register.simple_tag
def page_numbers(cl: ChangeList) -> list[int | str]:
    """Return the page numbers worth showing, with … where some are left out."""
    # A short list is shown whole whatever page the address names, so that number may be none of its pages.
    number = max(1, min(cl.page_num, cl.paginator.num_pages))
    pages = cl.paginator.get_elided_page_range(number, on_each_side=1, on_ends=1)
    return [page if isinstance(page, int) else "…" for page in pages]


@register.simple_tag(takes_context=True)
def page_url(context: Context, cl: ChangeList, page: int) -> str:
    """Return the address of a page of this list, filters kept."""
    return cl.get_query_string({"p": page})


@register.simple_tag
def older_url(cl: ChangeList) -> str:
    """Return the address of the rows older than this page's last, from which counting starts anew."""
    last = list(cl.result_list)[-1:]
    return cl.get_query_string({BEFORE_VAR: last[0].pk}, ["p"]) if last else ""


@register.simple_tag
def newest_url(cl: ChangeList) -> str:
    """Return the address of this list from its newest row, or nothing when it starts there."""
    return cl.get_query_string({}, ["p", BEFORE_VAR]) if BEFORE_VAR in cl.params else ""


@register.simple_tag
def kept_inputs(cl: ChangeList) -> SafeString:
    """Keep what links have set (the bets of one round) when the filter form is sent."""
    kept = mark_safe("")
    hidden: list[Any] = [spec for spec in cl.filter_specs if getattr(spec, "is_hidden", False)]
    for spec in hidden:
        if spec.value():
            kept += format_html(
                '<input type="hidden" name="{}" value="{}">', spec.parameter_name, spec.value()
            )
    return kept


@register.simple_tag
def has_conditions(cl: ChangeList) -> bool:
    """Say whether the list is narrowed by anything."""
    return bool(cl.query) or bool(cl.has_active_filters) or BEFORE_VAR in cl.params
