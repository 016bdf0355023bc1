"""The reports to take away: one of them as CSV for a machine, all as a workbook for a person."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import BytesIO
from typing import Final

from django.http import HttpResponse
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit.admin.exports import no_formula
from audit.report_sections import Section, Value
from tables.rules.currencies import decimals_of

XLSX_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#: What begins like a formula stays a text, in every cell.
AS_TYPED: Final = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
LONGEST_SHEET_NAME: Final = 31
FORMATS: Final = {
    "count": "#,##0",
    "share": "0.00%",
    "exact": "0.0000%",
    "rate": "#,##0.00",
    "deviations": "+0.00;-0.00;0.00",
}
HEAD_ROW: Final = 2


def csv_of(section: Section, name: str) -> HttpResponse:
    """Write one report as CSV: sums in whole minor units, shares as decimals."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}-{section.key}.csv"'
    writer = csv.writer(response)
    currency = ["currency"] if section.has_money else []
    writer.writerow([section.of.key, "name", *(column.key for column in section.columns), *currency])
    for line in section.lines:
        texts = [no_formula(line.code), no_formula(line.name)]
        own = [line.currency] if section.has_money else []
        writer.writerow([*texts, *map(_plain, line.values), *own])
    return response


def workbook_of(sections: Sequence[Section], about: str, name: str) -> HttpResponse:
    """Write all reports as a workbook, a sheet each; sums in whole currency with their decimals."""
    file = BytesIO()
    with Workbook(file, AS_TYPED) as book:
        for section in sections:
            _fill(book, book.add_worksheet(section.title[:LONGEST_SHEET_NAME]), section, about)
    response = HttpResponse(file.getvalue(), content_type=XLSX_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
    return response


def _plain(value: Value) -> int | str:
    if value is None or isinstance(value, int):
        return "" if value is None else value
    return f"{float(value):.6f}"


def _fill(book: Workbook, sheet: Worksheet, section: Section, about: str) -> None:
    strong = book.add_format({"bold": True})
    sheet.write_string(0, 0, f"{section.title}: {about}", strong)
    sheet.write_string(1, 0, section.counts if section.lines else section.empty)
    labels = [section.of.label, *(column.label for column in section.columns)]
    for at, label in enumerate(labels):
        sheet.write_string(HEAD_ROW, at, label, strong)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, len(labels), 18)
    sheet.freeze_panes(HEAD_ROW + 1, 1)
    for row, line in enumerate(section.lines, start=HEAD_ROW + 1):
        sheet.write_string(row, 0, line.name)
        for at, (column, value) in enumerate(zip(section.columns, line.values, strict=True), start=1):
            if value is None:
                continue
            decimals = decimals_of(line.currency) if column.kind == "money" else 0
            form = FORMATS.get(column.kind) or f"#,##0{'.' * bool(decimals)}{'0' * decimals}"
            # A workbook holds doubles: the whole number of minor units is divided once, and rounded once.
            number = int(value) / 10**decimals if column.kind == "money" else float(value)
            sheet.write_number(row, at, number, book.add_format({"num_format": form}))
        if line.currency:
            sheet.write_string(row, len(labels), line.currency)
