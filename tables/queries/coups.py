"""The cards of a round as they lie on the layout, by deal."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tables.models import COUP_PLACES, Card, Deal, DealStatus
from tables.rules.cards import Card as Face
from tables.rules.drawing import DEAL_ORDER, Coup, IllegalCoup, Place, Reason, arrange, due_next, explain


@dataclass(frozen=True, slots=True)
class DealtCard:
    """One card of a coup; `face` is None when nobody saw it, `was` is what stood here before a correction."""

    place: Place
    ordinal: int  # 1 to 6 in the order dealt
    position: int  # in the shoe
    face: Face | None
    source: str
    at: datetime
    was: Face | None = None


@dataclass(frozen=True, slots=True)
class Dealing:
    """One deal of a round: the cards that came, and what the drawing table makes of them."""

    number: int
    is_live: bool
    started_at: datetime
    died_at: datetime | None
    cards: tuple[DealtCard, ...]
    coup: Coup | None  # None while cards are due, unseen or against the rules
    problem: IllegalCoup | None
    due: Place | None  # where the next card goes

    @property
    def player(self) -> tuple[DealtCard, ...]:
        return tuple(card for card in self.cards if card.place.value[0] == "P")

    @property
    def banker(self) -> tuple[DealtCard, ...]:
        return tuple(card for card in self.cards if card.place.value[0] == "B")

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return explain(self.coup) if self.coup else ()


def dealings_of_round(round_id: int, decks: int) -> list[Dealing]:
    """Read the deals of a round with their cards in two queries, the deal that counts last."""
    cards = list(
        Card.objects.filter(round_id=round_id, place__in=COUP_PLACES)
        .select_related("supersedes", "superseded_by")
        .order_by("position", "id")
    )
    deals = sorted(Deal.objects.filter(round_id=round_id), key=lambda deal: (deal.status, deal.number))
    return [read_dealing(deal, [card for card in cards if card.deal_id == deal.pk], decks) for deal in deals]


def read_dealing(deal: Deal, rows: Iterable[Card], decks: int) -> Dealing:
    """Arrange the cards that stand; rows a correction replaced are passed over."""
    standing = [row for row in rows if not hasattr(row, "superseded_by")]
    standing.sort(key=lambda row: DEAL_ORDER.index(Place(row.place)))
    cards = [_dealt(row, ordinal) for ordinal, row in enumerate(standing, start=1)]
    seen = {card.place: card.face for card in cards if card.face is not None}
    coup, problem, due = None, None, None
    if len(seen) == len(cards):
        due = _due(seen)
        if due is None or due in seen:
            try:
                coup = arrange(seen, decks)
            except IllegalCoup as error:
                problem = error
    return Dealing(
        number=deal.number,
        is_live=deal.status == DealStatus.LIVE,
        started_at=deal.started_at,
        died_at=deal.died_at,
        cards=tuple(cards),
        coup=coup,
        problem=problem,
        due=due if coup is None else None,
    )


def _dealt(row: Card, ordinal: int) -> DealtCard:
    before = row.supersedes
    return DealtCard(
        place=Place(row.place),
        ordinal=ordinal,
        position=row.position,
        face=face_of(row),
        source=row.source,
        at=row.at,
        was=face_of(before) if before else None,
    )


def face_of(row: Card) -> Face | None:
    """Return the face of a card, or None when nobody saw it."""
    return Face(row.rank, row.suit) if row.rank and row.suit else None


def _due(seen: dict[Place, Face]) -> Place | None:
    player = [seen[place] for place in (Place.P1, Place.P2, Place.P3) if place in seen]
    banker = [seen[place] for place in (Place.B1, Place.B2, Place.B3) if place in seen]
    try:
        return due_next(player, banker)
    except ValueError:
        return None
