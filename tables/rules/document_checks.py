"""What only the whole of a rulebook shows: rows that never apply or overlap, insurance without a bet."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from tables.rules.fields import Report, Severity
from tables.rules.odds import odds_of
from tables.rules.possible import coups_meeting, insured_endings
from tables.rules.rulebook import InsuranceRow, Phase, Rulebook, Side, SideResult


def check_rows(rulebook: Rulebook, report: Report) -> None:
    """Report every row of a bet or of the insurance schedule that cannot do anything."""
    for kind in rulebook.bets:
        _check_bet(rulebook, kind, report)
    if rulebook.insurance is not None:
        for side in rulebook.insurance.sides:
            if not rulebook.main_kinds[side]:
                report.add("insurance", f"insures the {side.value} side, which no bet backs")
        for phase, side in product(Phase, Side):
            _check_schedule(_rows_at(rulebook, phase, side), phase, side, report)


def warn_of_gifts(rulebook: Rulebook, report: Report) -> None:
    """Warn where a bet, or insurance in some situation, brings the player more than it costs."""
    odds = odds_of(rulebook)
    for kind, bet in odds.bets.items():
        if bet.house_edge < 0:
            report.add(f"bets.{kind}", _favours(bet.house_edge), Severity.WARNING)
    for sold in odds.insurance:
        if sold.house_edge >= 0:
            continue
        phase, player_total, banker_total = sold.visible
        own, other = player_total, banker_total
        if sold.side is Side.BANKER:
            own, other = other, own
        rows = _rows_at(rulebook, phase, sold.side)
        place = next(n for n, row in enumerate(rows) if own in row.own_totals and other in row.other_totals)
        path = f"insurance.phases.{phase.value}.{sold.side.value}.rows[{place}]"
        at = f"at Player {player_total}, Banker {banker_total}"
        report.add(path, f"{_favours(sold.house_edge)} {at}", Severity.WARNING)


def _favours(house_edge: Fraction) -> str:
    hundredths = -house_edge * 10_000
    return f"favours the player by {hundredths.numerator // hundredths.denominator / 100:.2f} %"


def _rows_at(rulebook: Rulebook, phase: Phase, side: Side) -> list[InsuranceRow]:
    rows = rulebook.insurance.rows if rulebook.insurance is not None else ()
    return [row for row in rows if row.phase is phase and row.side is side]


def _check_bet(rulebook: Rulebook, kind: str, report: Report) -> None:
    taken = 0
    for place, row in enumerate(rulebook.bets[kind].rows):
        path = f"bets.{kind}.pays[{place}]"
        meeting = coups_meeting(row.condition)
        if not meeting:
            report.add(path, "impossible: no coup can meet this condition")
        elif not meeting & ~taken:
            report.add(path, "never reached: the rows above it take every coup that meets it")
        taken |= meeting


def _check_schedule(rows: list[InsuranceRow], phase: Phase, side: Side, report: Report) -> None:
    first_row_for: dict[tuple[int, int], int] = {}
    for place, row in enumerate(rows):
        path = f"insurance.phases.{phase.value}.{side.value}.rows[{place}]"
        for totals in sorted(product(row.own_totals, row.other_totals)):
            earlier = first_row_for.setdefault(totals, place)
            if earlier != place:
                message = (
                    f"overlaps row {earlier + 1}: both hold for own total {totals[0]}, other {totals[1]}"
                )
                report.add(path, message)
                break
        endings = _endings(row)
        if not endings:
            report.add(path, "impossible: at these totals no card is to come, so insurance is never offered")
        elif not endings & row.pays_on:
            ends = ", ".join(sorted(ending.value for ending in row.pays_on)) or "nothing"
            report.add(path, f"can never be paid: it pays on {ends}, which cannot follow from these totals")


def _endings(row: InsuranceRow) -> set[SideResult]:
    """Find how rounds insured by this row can end for the insured side."""
    endings: set[SideResult] = set()
    for own, other in product(row.own_totals, row.other_totals):
        is_player = row.side is Side.PLAYER
        totals = (own, other) if is_player else (other, own)
        for player_total, banker_total in insured_endings(row.phase).get(totals, ()):
            ahead = player_total - banker_total if is_player else banker_total - player_total
            endings.add(SideResult.TIE if ahead == 0 else SideResult.WIN if ahead > 0 else SideResult.LOSS)
    return endings
