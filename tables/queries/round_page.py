"""Everything the page of a round shows."""

from dataclasses import dataclass

from django.db.models import Count, Q

from tables.models import Bet, BetStatus, Finding, Hold, JournalEntry, Round, Settlement, Shoe
from tables.queries.coups import Dealing, dealings_of_round
from tables.queries.round_money import (
    BetOrder,
    BetRow,
    Moves,
    PlayerRow,
    bets_of_round,
    moves_of,
    players_of_round,
)
from tables.queries.rulebooks import rules_of
from tables.queries.shoe_page import Bead, ShoeProgress, beads_of_shoe, on_roads, progress_of
from tables.queries.timeline import Moment, timeline_of_round

JOURNAL_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Neighbour:
    pk: int
    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """A round's place in its shoe."""

    progress: ShoeProgress
    beads: tuple[Bead, ...]
    before: Neighbour | None
    after: Neighbour | None
    draws_void: bool  # void rounds lie among the beads, where the rulebook says so

    def count(self, outcome: str) -> int:
        return sum(1 for bead in self.beads if bead.outcome == outcome)


@dataclass(frozen=True, slots=True)
class Money:
    """The bets of a round and what they got; empty for those who may not see bets."""

    accepted: int
    refused: int
    cancelled: int
    order: BetOrder
    bets: tuple[BetRow, ...]
    players: tuple[PlayerRow, ...]


@dataclass(frozen=True, slots=True)
class RoundPage:
    round: Round
    dealings: tuple[Dealing, ...]
    settlements: tuple[Settlement, ...]
    timeline: tuple[Moment, ...]
    place: Place
    money: Money
    findings: tuple[Finding, ...]
    holds: tuple[Hold, ...]
    journal: tuple[JournalEntry, ...]
    moves: Moves | None  # of the newest revision, when it is not the first

    @property
    def live(self) -> Dealing | None:
        return next((dealing for dealing in self.dealings if dealing.is_live), None)

    @property
    def dead(self) -> tuple[Dealing, ...]:
        return tuple(dealing for dealing in self.dealings if not dealing.is_live)

    @property
    def newest(self) -> Settlement | None:
        return self.settlements[-1] if self.settlements else None

    @property
    def before(self) -> Settlement | None:
        return self.settlements[-2] if len(self.settlements) > 1 else None

    @property
    def open_holds(self) -> tuple[Hold, ...]:
        return tuple(hold for hold in self.holds if hold.lifted_at is None)


def read_round_page(round_: Round, *, order: BetOrder, with_money: bool, with_journal: bool) -> RoundPage:
    """Read the page of a round, in a number of queries that does not grow with its bets."""
    shoe = round_.shoe
    dealings = dealings_of_round(round_.pk, shoe.decks)
    settlements = list(Settlement.objects.filter(round=round_).order_by("revision"))
    findings = list(Finding.objects.filter(round=round_).order_by("id"))
    holds = list(Hold.objects.filter(round=round_).select_related("finding").order_by("placed_at"))
    counts = _count_bets(round_.pk)
    money = Money(
        *counts,
        order=order,
        bets=tuple(bets_of_round(round_.pk, settlements, order)) if with_money else (),
        players=tuple(players_of_round(settlements)) if with_money else (),
    )
    return RoundPage(
        round=round_,
        dealings=tuple(dealings),
        settlements=tuple(settlements),
        timeline=tuple(
            timeline_of_round(
                round_,
                dealings=dealings,
                settlements=settlements,
                findings=findings,
                holds=holds,
                accepted=counts[0],
                refused=counts[1],
            )
        ),
        place=_place(round_, shoe, dealings),
        money=money,
        findings=tuple(findings),
        holds=tuple(holds),
        journal=tuple(_journal(round_.pk)) if with_journal else (),
        moves=moves_of(settlements[-1]) if with_money and len(settlements) > 1 else None,
    )


def _count_bets(round_id: int) -> tuple[int, int, int]:
    counts = Bet.objects.filter(round_id=round_id).aggregate(
        **{status.value: Count("id", filter=Q(status=status.value)) for status in BetStatus}
    )
    return counts["accepted"], counts["refused"], counts["cancelled"]


def _place(round_: Round, shoe: Shoe, dealings: list[Dealing]) -> Place:
    positions = [card.position for dealing in dealings for card in dealing.cards]
    first, last = (min(positions), max(positions)) if positions else (None, None)
    around = Round.objects.filter(shoe=shoe).values_list("pk", "number")
    before = around.filter(number__lt=round_.number).order_by("-number").first()
    after = around.filter(number__gt=round_.number).order_by("number").first()
    return Place(
        progress=progress_of(shoe, first, last),
        beads=on_roads(beads_of_shoe(shoe.pk, up_to=round_.number), shoe.rulebook_id),
        before=Neighbour(*before) if before else None,
        after=Neighbour(*after) if after else None,
        draws_void=rules_of(shoe.rulebook_id).windows.void_rounds_on_roads,
    )


def _journal(round_id: int) -> list[JournalEntry]:
    entries = JournalEntry.objects.filter(subject_type="round", subject_id=round_id)
    return list(entries.defer("body").order_by("-id")[:JOURNAL_SHOWN])
