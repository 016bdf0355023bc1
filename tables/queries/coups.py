"""The cards of a round as they lie on the layout, by deal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tables.models import COUP_PLACES, Card, Deal, DealStatus
from tables.rules.cards import Card as Face
from tables.rules.drawing import DEAL_ORDER, Coup, IllegalCoup, Place, Reason, arrange, due_next, explain


@dataclass(frozen=True, slots=True)
class DealtCard:
    """One card of a coup; `face` is None when nobody saw it."""

    place: Place
    ordinal: int  # 1 to 6 in the order dealt
    position: int  # in the shoe
    face: Face | None
    source: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Correction:
    """A card put right: what lay at a place, and what lies there since."""

    at: datetime
    ordinal: int
    was: Face | None
    now: Face | None


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
    first_cards: tuple[DealtCard, ...]  # as they came, before any correction
    corrections: tuple[Correction, ...]

    @property
    def player(self) -> tuple[DealtCard, ...]:
        return tuple(card for card in self.cards if card.place.value[0] == "P")

    @property
    def banker(self) -> tuple[DealtCard, ...]:
        return tuple(card for card in self.cards if card.place.value[0] == "B")

    @property
    def first_coup(self) -> Coup | None:
        """Return the coup as it was before any correction, if it was lawful."""
        placed = {card.place: card.face for card in self.first_cards if card.face is not None}
        try:
            return arrange(placed) if len(placed) == len(self.first_cards) else None
        except IllegalCoup:
            return None

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


def read_dealing(deal: Deal, rows: Sequence[Card], decks: int) -> Dealing:
    """Arrange the cards that stand; rows that a correction replaced are kept as what came first."""
    cards = _in_order(row for row in rows if not hasattr(row, "superseded_by"))
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
        first_cards=tuple(_in_order(row for row in rows if row.supersedes_id is None)),
        corrections=tuple(_corrections(rows)),
    )


def _in_order(rows: Iterable[Card]) -> list[DealtCard]:
    ordered = sorted(rows, key=lambda row: DEAL_ORDER.index(Place(row.place)))
    return [
        DealtCard(Place(row.place), ordinal, row.position, face_of(row), row.source, row.at)
        for ordinal, row in enumerate(ordered, start=1)
    ]


def _corrections(rows: Sequence[Card]) -> Iterator[Correction]:
    """Say for each row that replaced another what lay at its place until then."""
    places = [place.value for place in DEAL_ORDER if any(row.place == place for row in rows)]
    before: dict[str, Card] = {}
    for row in sorted(rows, key=lambda row: row.pk or 0):  # a card only typed so far has none
        if row.supersedes_id is not None:
            was = before.get(row.place)
            yield Correction(row.at, places.index(row.place) + 1, face_of(was) if was else None, face_of(row))
        before[row.place] = row


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
