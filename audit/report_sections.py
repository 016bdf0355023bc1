"""The reports as tables: the same columns on the page, in a CSV file and on a sheet of the workbook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from audit.complaint_words import OUTCOMES as DECIDED
from audit.complaint_words import REFUSED_BECAUSE
from audit.queries import reports
from audit.queries.reports import Span
from audit.words import RULING_KINDS
from tables.words import OUTCOMES, spoken

Value = int | float | Fraction | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Its kind is count, money, share, exact (a share to four places), rate or deviations."""

    key: str
    label: str
    kind: str = "count"


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a code for machines, its name for people, a value for each column, and its bar."""

    code: str
    name: str
    values: Sequence[Value]
    currency: str = ""
    bar: Value = None
    mark: Value = None  # where the expectation lies, on the scale of the bar


@dataclass(frozen=True, slots=True)
class Section:
    """One report; `of` says whose rows they are, `counts` what it counts, `empty` what would fill it."""

    key: str
    title: str
    counts: str
    of: Column
    columns: Sequence[Column]
    lines: Sequence[Line]
    bar_label: str
    empty: str

    @property
    def has_money(self) -> bool:
        return any(line.currency for line in self.lines)

    @property
    def largest(self) -> float:
        """Return what the longest bar stands for."""
        drawn = [value for line in self.lines for value in (line.bar, line.mark)]
        return max((abs(float(value)) for value in drawn if value is not None), default=0.0)


def outcomes(span: Span) -> Section:
    return Section(
        "outcomes",
        _("Outcomes against the exact odds"),
        _(
            "Settled rounds whose betting opened in the period; void rounds are left out. Expected is the "
            "share over all orders of a fresh shoe; chance alone seldom differs by more than 3 standard "
            "deviations."
        ),
        Column("outcome", pgettext("of a coup", "Outcome")),
        [
            Column("counted", _("Counted")),
            Column("share", _("Share"), "share"),
            Column("expected_share", _("Expected"), "exact"),
            Column("standard_deviations", _("Standard deviations"), "deviations"),
        ],
        [
            Line(
                line.outcome,
                spoken(OUTCOMES, line.outcome),
                (line.counted, line.share, line.expected, line.deviations),
                bar=line.share,
                mark=line.expected,
            )
            for line in reports.outcomes_of(span)
        ],
        _("share, and the share expected as a line"),
        _("No round was settled in these days. Each settled round counts here by its outcome."),
    )


def kept(span: Span) -> Section:
    return Section(
        "kept",
        _("What the house kept"),
        _(
            "Rounds whose betting opened in the period and that have a settlement, each by its newest "
            "revision; of a void round the stakes went back whole."
        ),
        Column("table", _("Table")),
        [
            Column("rounds", _("Rounds")),
            Column("stakes_minor", _("Stakes"), "money"),
            Column("returned_minor", _("Returned"), "money"),
            Column("kept_minor", _("Kept"), "money"),
            Column("kept_share", _("Kept of stakes"), "share"),
        ],
        [
            Line(
                line.table,
                line.table or _("All tables"),
                (line.settled, line.stakes_minor, line.returned_minor, line.kept_minor, line.hold),
                line.currency,
                bar=line.hold,
            )
            for line in reports.money_of(span)
            if line.settled
        ],
        _("kept of stakes; red where the house lost"),
        _("No round was settled in these days. A round counts here once it has a settlement."),
    )


def voids(span: Span) -> Section:
    return Section(
        "voids",
        _("Rounds made void"),
        _(
            "Rounds whose betting opened in the period, and which of them are void now; their stakes went "
            "back."
        ),
        Column("table", _("Table")),
        [
            Column("rounds", _("Rounds")),
            Column("void_rounds", pgettext("rounds", "Void")),
            Column("void_share", _("Share"), "share"),
            Column("stakes_returned_minor", _("Stakes returned"), "money"),
        ],
        [
            Line(
                line.table,
                line.table or _("All tables"),
                (line.rounds, line.voids, share := Fraction(line.voids, line.rounds), line.void_stakes_minor),
                line.currency,
                bar=share,
            )
            for line in reports.money_of(span)
        ],
        _("share of rounds that are void"),
        _("No betting was opened in these days. Rounds appear here as tables play."),
    )


def dealers(span: Span) -> Section:
    return Section(
        "dealers",
        _("Incidents by dealer"),
        _(
            "Incidents reported in the period, by who dealt the round, for each 1,000 rounds whose betting "
            "opened in the period and ended with the bell; the highest rate first."
        ),
        Column("dealer", _("Dealer")),
        [
            Column("rounds", _("Rounds dealt")),
            Column("incidents", _("Incidents")),
            Column("incidents_per_1000_rounds", _("Per 1,000 rounds"), "rate"),
        ],
        [
            Line(
                line.reference,
                f"{line.name} · {line.reference}" if line.reference else _("No dealer recorded"),
                (line.rounds, line.incidents, line.per_thousand),
                bar=line.per_thousand,
            )
            for line in reports.dealers_of(span)
        ],
        _("incidents for each 1,000 rounds"),
        _("Nobody dealt a round in these days, and no incident was reported."),
    )


def rulings(span: Span) -> Section:
    return Section(
        "rulings",
        _("Rulings carried out"),
        _(
            "Rulings asked for in the period and applied, with the rounds they were applied to and the sums "
            "that were approved."
        ),
        Column("kind", _("Decision")),
        [
            Column("rulings", _("Rulings")),
            Column("rounds", _("Rounds")),
            Column("given_minor", _("Given back"), "money"),
            Column("taken_minor", pgettext("money", "Taken back"), "money"),
        ],
        [
            Line(
                line.kind,
                spoken(RULING_KINDS, line.kind),
                (line.rulings, line.rounds, line.given_minor, line.taken_minor),
                line.currency,
                bar=line.rounds,
            )
            for line in reports.rulings_of(span)
        ],
        _("rounds"),
        _("No ruling of these days was carried out. One appears here once a second person has approved it."),
    )


def complaints(span: Span) -> Section:
    found = reports.complaints_of(span)
    counted: list[tuple[str, str, int, int]] = [
        ("received", pgettext("complaint", "Received"), found.received, found.received),
        *(
            (
                f"refused:{reason}",
                _("Refused: %(reason)s") % {"reason": spoken(REFUSED_BECAUSE, reason)},
                count,
                found.received,
            )
            for reason, count in found.refused.items()
        ),
        ("upheld", spoken(DECIDED, "upheld"), found.upheld, found.received),
        ("rejected", spoken(DECIDED, "rejected"), found.rejected, found.received),
        ("merged", _("Merged"), found.merged, found.received),
        ("open", _("Not decided yet"), found.open, found.received),
        ("answered_late", _("Answered late, of those answered"), found.answered_late, found.answered),
    ]
    return Section(
        "complaints",
        _("What became of complaints"),
        _("Complaints received in the period, by where they stand now; shares are of those received."),
        Column("what", _("Complaint")),
        [Column("complaints", _("Complaints")), Column("share", _("Share"), "share")],
        [
            Line(code, name, (count, share), bar=share)
            for code, name, count, of in counted
            for share in [Fraction(count, of) if of else None]
        ]
        if found.received
        else [],
        _("share"),
        _("No complaint was received in these days."),
    )


SECTIONS: Final[dict[str, Callable[[Span], Section]]] = {
    "outcomes": outcomes,
    "kept": kept,
    "dealers": dealers,
    "rulings": rulings,
    "voids": voids,
    "complaints": complaints,
}


def sections_of(span: Span, keys: Iterable[str] = SECTIONS) -> list[Section]:
    """Work out the reports of a span, or those named."""
    return [SECTIONS[key](span) for key in keys]
