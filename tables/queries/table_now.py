"""What lies on a table now, for whoever keys in play: the shoe, the round, its cards, and those typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from tables.models import (
    COUP_PLACES,
    Card,
    CardSource,
    Deal,
    DealStatus,
    GameTable,
    Round,
    RoundStatus,
    Shoe,
    ShoeStatus,
)
from tables.queries.coups import Dealing, read_dealing
from tables.rules.cards import Card as Face
from tables.rules.drawing import Place, due_next

OVER = (RoundStatus.RESULTED, RoundStatus.SETTLED, RoundStatus.VOIDED)
DEALING = (RoundStatus.DEALING, RoundStatus.INSURANCE)


@dataclass(frozen=True, slots=True)
class TableNow:
    """The shoe that lies on a table and the round that stands in it, over or not."""

    shoe: Shoe | None
    round: Round | None
    first_missing_seq: int
    gap_seen_seq: int | None

    @property
    def round_in_play(self) -> Round | None:
        return None if self.round is None or self.round.status in OVER else self.round

    @property
    def is_dealing(self) -> bool:
        return self.round is not None and self.round.status in DEALING


def read_now(table: GameTable) -> TableNow:
    """Read a table's state, which is best loaded with the table."""
    state = table.state
    shoe = state.shoe if state.shoe is not None and state.shoe.status == ShoeStatus.OPEN else None
    return TableNow(shoe, state.round if shoe else None, state.next_seq, state.gap_seen_seq)


def cards_lying(now: TableNow) -> dict[Place, Card]:
    """Return the cards in places of the round in play."""
    if now.round_in_play is None:
        return {}
    cards = Card.objects.filter(
        round=now.round_in_play,
        deal__status=DealStatus.LIVE.value,
        place__in=COUP_PLACES,
        superseded_by__isnull=True,
    ).select_related("superseded_by")
    return {Place(card.place): card for card in cards}


def lay(now: TableNow, lying: Mapping[Place, Card], typed: Mapping[Place, Face], at: datetime) -> Dealing:
    """Lay typed cards in their places over those lying, as the round's page would show them."""
    rows = [card for place, card in lying.items() if place not in typed]
    position = now.shoe.cards_out if now.shoe else 0
    for place, face in typed.items():
        here = lying.get(place)
        if here is None:
            position += 1
        rows.append(
            Card(
                place=place.value,
                position=here.position if here else position,
                rank=face.rank,
                suit=face.suit,
                source=CardSource.KEYED.value,
                at=at,
            )
        )
    deal = Deal(number=1, status=DealStatus.LIVE.value, started_at=at)
    return read_dealing(deal, rows, now.shoe.decks if now.shoe else 8)


def place_in_order(faces: Iterable[Face]) -> tuple[dict[Place, Face], int]:
    """Give cards in dealt order their places by the drawing table; also count those it has no place for."""
    placed: dict[Place, Face] = {}
    hands: tuple[list[Face], list[Face]] = ([], [])
    left = 0
    for face in faces:
        due = None if left else due_next(*hands)
        if due is None:
            left += 1
            continue
        placed[due] = face
        hands[0 if due.value[0] == "P" else 1].append(face)
    return placed, left
