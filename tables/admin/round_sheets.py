"""The sheets of a round's page that need more than the template can say: bets, findings."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tables import words
from tables.admin.coup_view import describe_outcome
from tables.models import Bet, Finding, Hold, Settlement
from tables.queries.round_money import BetOrder, BetResult, BetRow
from tables.queries.round_page import RoundPage
from tables.refusal_words import rule_of_error
from tables.templatetags.felt import Minor, state_badge


class Revision(NamedTuple):
    """The head of a revision's columns."""

    name: str
    outcome: str
    short_name: str
    returned_name: str
    returned_minor: Minor


class BetLine(NamedTuple):
    bet: Bet
    player: str
    kind: str
    odds: str
    results: list[tuple[BetResult | None, Revision]]
    difference_minor: int


class FindingLine(NamedTuple):
    finding: Finding
    words: str
    badge: SafeString
    details: str


def bet_context(page: RoundPage, outcomes: Mapping[int, str]) -> dict[str, Any]:
    """Prepare the bets with a pair of columns for each of the last two revisions."""
    shown = page.settlements[-2:]
    revisions = [
        Revision(
            name=_("Revision %(number)s") % {"number": settlement.revision},
            outcome=outcomes[settlement.pk],
            short_name=_("Rev. %(number)s") % {"number": settlement.revision},
            returned_name=_("Returned, rev. %(number)s") % {"number": settlement.revision},
            returned_minor=settlement.returned_minor,
        )
        for settlement in shown
    ]
    orders = [
        (BetOrder.LARGEST.value, _("Largest change") if len(shown) > 1 else _("Largest stake")),
        (BetOrder.KIND.value, _("By kind")),
    ]
    paid = odds_of(page.newest)
    not_taken = page.money.refused + page.money.cancelled
    if not_taken:
        orders.append((BetOrder.REFUSED.value, _("Not taken %(count)s") % {"count": f"{not_taken:,}"}))
    return {
        "revisions": revisions,
        "bet_orders": orders,
        "bet_rows": [_bet_line(row, revisions, paid) for row in page.money.bets],
        "bets_in_order": not_taken if page.money.order is BetOrder.REFUSED else page.money.accepted,
        "total_difference": _total_difference(page),
    }


def _bet_line(row: BetRow, revisions: list[Revision], paid: Mapping[tuple[str, str], str]) -> BetLine:
    return BetLine(
        bet=row.bet,
        player=row.player,
        kind=say_bet(row.bet),
        odds=write_odds(paid.get((row.bet.kind, row.bet.phase)) or row.bet.odds_offered),
        results=list(zip(row.results, revisions, strict=True)),
        difference_minor=row.difference_minor,
    )


def _total_difference(page: RoundPage) -> Minor:
    if page.newest is None:
        return 0
    if page.before is not None:
        return page.newest.returned_minor - page.before.returned_minor
    return page.newest.returned_minor - page.newest.stakes_minor


def say_bet(bet: Bet) -> str:
    """Name a bet, an insurance bet with its phase."""
    kind = words.spoken(words.BET_KINDS, bet.kind)
    return f"{kind}, {words.spoken(words.PHASES, bet.phase)}" if bet.phase else kind


def odds_of(settlement: Settlement | None) -> dict[tuple[str, str], str]:
    """Return what a revision paid winning bets to one, by kind and phase."""
    rows = settlement.verdicts if settlement else []
    return {(row["kind"], row["phase"]): row["odds"] for row in rows if row.get("odds")}


def write_odds(fraction: str) -> str:
    """Write odds to one for people: `19/20` is 0.95, `5/2` is 2.5, what does not end stays a fraction."""
    numerator, slash, denominator = fraction.partition("/")
    if not slash:
        return fraction
    for decimals in range(1, 5):
        scaled, rest = divmod(int(numerator) * 10**decimals, int(denominator))
        if rest == 0:
            whole, part = divmod(scaled, 10**decimals)
            return f"{whole}.{part:0{decimals}}"
    return fraction


def finding_lines(page: RoundPage) -> list[FindingLine]:
    """Prepare the findings, newest first, each with whether it holds the round."""
    holds = {hold.finding_id: hold for hold in page.holds if hold.finding_id}
    return [
        FindingLine(
            finding,
            words.spoken(words.FINDINGS, finding.code),
            hold_badge(holds.get(finding.pk)),
            say_details(finding.data),
        )
        for finding in reversed(page.findings)
    ]


def hold_badge(hold: Hold | None) -> SafeString:
    """Show whether a finding holds its round."""
    if hold is None:
        return state_badge(words.HOLD_STATES["noted"])
    return state_badge(words.HOLD_STATES["open" if hold.lifted_at is None else "lifted"])


def say_details(data: Any, name: str = "") -> str:
    """Write a finding's details on one line; `name` says which detail a single value is."""
    if not isinstance(data, dict):
        return _say_value(data, name)
    return ", ".join(
        f"{words.spoken(words.DETAILS, name)}: {_say_value(value, name)}" for name, value in data.items()
    )


def _say_value(value: Any, name: str = "") -> str:
    match value:
        case {"outcome": outcome, "player_total": player_total, "banker_total": banker_total}:
            return describe_outcome(outcome, player_total, banker_total)
        case dict():
            return " ".join(
                f"{words.spoken(words.DETAILS, inner)} {_say_value(one, inner)}"
                for inner, one in value.items()
            )
        case list():
            return " ".join(_say_value(inner, name) for inner in value)
        case bool():
            return _("yes") if value else _("no")
        case None:
            return "–"
    if name == "error" and (said := rule_of_error(str(value))):
        return f"{said} {value}"
    return str(words.DETAIL_VALUES.get(name, {}).get(str(value), value))
