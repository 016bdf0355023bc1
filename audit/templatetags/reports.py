"""Tags of the reports: a figure by its kind, and its bar."""

from fractions import Fraction

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from audit.report_sections import Column, Line, Section, Value
from tables.rules.currencies import MINUS, write_money
from tables.templatetags.felt import with_currency
from tables.templatetags.rulebook import share as exact_share

register = template.Library()

LONGEST = 120  # of a bar, in its own units


@register.simple_tag
def cells(section: Section, line: Line) -> list[tuple[Column, str]]:
    """Pair the columns of a report with what a row shows in them."""
    return [
        (column, figure(column.kind, value, line.currency))
        for column, value in zip(section.columns, line.values, strict=True)
    ]


def figure(kind: str, value: Value, currency: str) -> str:
    """Write a value as its kind is written; a dash where there is none."""
    if value is None:
        return "–"
    if kind == "money":
        return with_currency(write_money(int(value), currency), currency)
    if kind == "exact":
        return exact_share(Fraction(value))
    if kind == "share":
        return f"{float(value) * 100:.2f} %".replace("-", MINUS)
    if kind == "rate":
        return f"{float(value):,.2f}"
    if kind == "deviations":
        return f"{float(value):+.2f}".replace("-", MINUS)
    return f"{int(value):,}"


@register.simple_tag
def figure_bar(section: Section, line: Line) -> SafeString:
    """Draw a row's figure as a bar, red below nothing, with a line where the expectation lies."""
    if line.bar is None or not section.largest:
        return mark_safe("")
    mark: SafeString | str = ""
    if line.mark is not None:
        at = f"{LONGEST * float(line.mark) / section.largest:.1f}"
        mark = format_html('<path d="M{} 0v14" class="mark"/>', at)
    return format_html(
        '<svg class="bc-report-bar" viewBox="0 0 {} 14" width="{}" height="14" aria-hidden="true">'
        '<rect y="2" width="{}" height="10" rx="2" class="{}"/>{}</svg>',
        LONGEST + 2,
        LONGEST + 2,
        f"{LONGEST * abs(float(line.bar)) / section.largest:.1f}",
        "loss" if line.bar < 0 else "gain",
        mark,
    )
