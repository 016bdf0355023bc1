"""What a round paid: its bets by revision, and the money of each player."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs

from tables.models import (
    Bet,
    BetStatus,
    Settlement,
    SettlementLine,
    WalletTransaction,
)
from tables.queries.people import references_of

ROWS_SHOWN = 12


class BetOrder(StrEnum):
    LARGEST = "largest"
    KIND = "kind"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class BetResult:
    """What one revision gave a bet."""

    result: str
    returned_minor: int


@dataclass(frozen=True, slots=True)
class BetRow:
    bet: Bet
    player: str
    results: tuple[BetResult | None, ...]  # one for each revision shown
    difference_minor: int  # newest revision against the one before, or against the stake


@dataclass(frozen=True, slots=True)
class PlayerRow:
    player_id: int
    player: str
    staked_minor: int
    returned_before_minor: int | None  # by the revision before the newest
    returned_minor: int
    moved_minor: int
    transaction: WalletTransaction | None


@dataclass(frozen=True, slots=True)
class Moves:
    """What a revision moved: how many players it gave money, and how many it took money back from."""

    gaining: int
    gained_minor: int
    losing: int
    lost_minor: int


def moves_of(settlement: Settlement) -> Moves:
    """Sum up the wallet transactions of a revision."""
    up, down = Q(amount_minor__gt=0), Q(amount_minor__lt=0)
    sums = WalletTransaction.objects.filter(settlement=settlement).aggregate(
        gaining=Count("id", filter=up),
        gained=Sum("amount_minor", filter=up),
        losing=Count("id", filter=down),
        lost=Sum("amount_minor", filter=down),
    )
    return Moves(sums["gaining"], int(sums["gained"] or 0), sums["losing"], -int(sums["lost"] or 0))


def bets_of_round(round_id: int, settlements: list[Settlement], order: BetOrder) -> list[BetRow]:
    """Return the first bets of a round in an order, with what the last two revisions gave each."""
    shown = settlements[-2:]
    bets: QuerySet[Bet] = Bet.objects.filter(round_id=round_id)
    if order is BetOrder.REFUSED:
        found = list(bets.filter(~Q(status=BetStatus.ACCEPTED.value)).order_by("id")[:ROWS_SHOWN])
    elif order is BetOrder.KIND:
        found = list(
            bets.filter(status=BetStatus.ACCEPTED.value).order_by("kind", "-stake_minor")[:ROWS_SHOWN]
        )
    elif len(shown) == 2:
        lines = SettlementLine.objects.filter(settlement=shown[-1]).annotate(size=Abs("moved_minor"))
        wanted = list(lines.order_by("-size", "bet_id").values_list("bet_id", flat=True)[:ROWS_SHOWN])
        by_id = Bet.objects.in_bulk(wanted)
        found = [by_id[bet_id] for bet_id in wanted]
    else:
        found = list(bets.filter(status=BetStatus.ACCEPTED.value).order_by("-stake_minor", "id")[:ROWS_SHOWN])
    return _bet_rows(found, shown)


def _bet_rows(bets: list[Bet], settlements: list[Settlement]) -> list[BetRow]:
    results: dict[tuple[int, int], BetResult] = {}
    lines = SettlementLine.objects.filter(settlement__in=settlements, bet__in=bets)
    for settlement_id, bet_id, result, returned in lines.values_list(
        "settlement_id", "bet_id", "result", "returned_minor"
    ):
        results[settlement_id, bet_id] = BetResult(result, returned)
    players = references_of(bet.player_id for bet in bets)
    rows = []
    for bet in bets:
        by_revision = tuple(results.get((settlement.pk, bet.pk)) for settlement in settlements)
        newest = by_revision[-1] if by_revision else None
        before = by_revision[-2] if len(by_revision) == 2 else None
        base = before.returned_minor if before else bet.stake_minor
        difference = newest.returned_minor - base if newest else 0
        rows.append(BetRow(bet, players[bet.player_id], by_revision, difference))
    return rows


def players_of_round(settlements: list[Settlement], *, limit: int = ROWS_SHOWN) -> list[PlayerRow]:
    """Return the players a settled round moved most money for, one row each."""
    if not settlements:
        return []
    newest = settlements[-1]
    sums = (
        SettlementLine.objects.filter(settlement=newest)
        .values(player_id=F("bet__player_id"))
        .annotate(staked=Sum("bet__stake_minor"), returned=Sum("returned_minor"), moved=Sum("moved_minor"))
        .annotate(size=Abs("moved"))
        .order_by("-size", "player_id")[:limit]
    )
    totals = list(sums)
    player_ids = [row["player_id"] for row in totals]
    before = _returned_before(settlements[-2], player_ids) if len(settlements) > 1 else {}
    sent = transactions_of(newest, player_ids)
    names = references_of(player_ids)
    return [
        PlayerRow(
            player_id=row["player_id"],
            player=names[row["player_id"]],
            staked_minor=int(row["staked"]),
            returned_before_minor=before.get(row["player_id"]) if len(settlements) > 1 else None,
            returned_minor=int(row["returned"]),
            moved_minor=int(row["moved"]),
            transaction=sent.get(row["player_id"]),
        )
        for row in totals
    ]


def _returned_before(settlement: Settlement, player_ids: Iterable[int]) -> dict[int, int]:
    rows = (
        SettlementLine.objects.filter(settlement=settlement, bet__player_id__in=list(player_ids))
        .values(player_id=F("bet__player_id"))
        .annotate(returned=Sum("returned_minor"))
    )
    return {row["player_id"]: int(row["returned"]) for row in rows}


def transactions_of(settlement: Settlement, player_ids: Iterable[int]) -> dict[int, WalletTransaction]:
    """Return the wallet transactions a revision made for these players, with how far each has got."""
    found = WalletTransaction.objects.filter(settlement=settlement, player_id__in=list(player_ids))
    return {
        transaction.player_id: transaction for transaction in found.select_related("delivery", "receivable")
    }
