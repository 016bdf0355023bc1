"""Every revision of a round side by side: what each gave each bet, and what each changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from tables.models import COUP_PLACES, Bet, BetStatus, Card, Round, Settlement, SettlementLine
from tables.queries.coups import face_of
from tables.queries.people import references_of
from tables.queries.round_money import BetResult
from tables.rules.cards import Card as Face

BETS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Cell:
    """What a revision gave a bet, and whether that differs from the revision before."""

    result: BetResult | None
    is_changed: bool


class PlacedCard(NamedTuple):
    """A card of the coup a revision was computed from, and whether the revision before had another there."""

    place: str
    face: Face | None
    is_changed: bool


@dataclass(frozen=True, slots=True)
class HistoryRow:
    bet: Bet
    player: str
    cells: tuple[Cell, ...]  # one for each revision
    moved_minor: int  # newest revision against the first


@dataclass(frozen=True, slots=True)
class RoundHistory:
    """A page of a round's bets under all its revisions."""

    settlements: tuple[Settlement, ...]
    coups: tuple[tuple[PlacedCard, ...], ...]  # one for each revision
    rows: tuple[HistoryRow, ...]
    page: int
    has_more: bool


def history_of_round(round_: Round, page: int) -> RoundHistory:
    """Read a page of a round's history, in a number of queries that does not grow with it."""
    settlements = list(Settlement.objects.filter(round=round_).order_by("revision"))
    start = (page - 1) * BETS_SHOWN
    accepted = Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value)
    bets = list(accepted.order_by("-stake_minor", "id")[start : start + BETS_SHOWN + 1])
    shown = bets[:BETS_SHOWN]
    results = _results(settlements, shown)
    players = references_of(bet.player_id for bet in shown)
    rows = [_row(bet, players[bet.player_id], settlements, results) for bet in shown]
    coups = _coups(round_, settlements)
    return RoundHistory(tuple(settlements), coups, tuple(rows), page, len(bets) > BETS_SHOWN)


def _coups(round_: Round, settlements: Sequence[Settlement]) -> tuple[tuple[PlacedCard, ...], ...]:
    """Lay the cards of each revision: those as they came, and corrections by rulings up to it."""
    cards = list(Card.objects.filter(round=round_, place__in=COUP_PLACES).order_by("pk"))
    decided: set[UUID] = set()
    before: dict[str, Face | None] = {}
    coups = []
    for number, settlement in enumerate(settlements):
        if settlement.authority is not None:
            decided.add(settlement.authority)
        lying = _lying(cards, settlement.deal_id, decided)
        coups.append(
            tuple(
                PlacedCard(place, lying[place], number > 0 and lying[place] != before.get(place))
                for place in COUP_PLACES
                if place in lying
            )
        )
        before = lying
    return tuple(coups)


def _lying(cards: Sequence[Card], deal_id: int | None, decided: set[UUID]) -> dict[str, Face | None]:
    """Return the card at each place of a deal; a later row of a place stands in for the one before it."""
    return {
        card.place: face_of(card)
        for card in cards
        if card.deal_id == deal_id and (card.authority is None or card.authority in decided)
    }


def _results(settlements: Sequence[Settlement], bets: Sequence[Bet]) -> dict[tuple[int, int], BetResult]:
    lines = SettlementLine.objects.filter(settlement__in=settlements, bet__in=bets)
    return {
        (settlement_id, bet_id): BetResult(result, returned)
        for settlement_id, bet_id, result, returned in lines.values_list(
            "settlement_id", "bet_id", "result", "returned_minor"
        )
    }


def _row(
    bet: Bet, player: str, settlements: Sequence[Settlement], results: dict[tuple[int, int], BetResult]
) -> HistoryRow:
    given = [results.get((settlement.pk, bet.pk)) for settlement in settlements]
    cells = tuple(
        Cell(result, number > 0 and result != given[number - 1]) for number, result in enumerate(given)
    )
    returned = [result.returned_minor if result else 0 for result in given] or [0]
    return HistoryRow(bet, player, cells, returned[-1] - returned[0])
