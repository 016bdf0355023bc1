"""A shoe as the pages show it: how far it has got, where its cards went, and how its rounds ended."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from tables.models import (
    COUP_PLACES,
    Card,
    CardPlace,
    DealStatus,
    Finding,
    Round,
    RoundStatus,
    Settlement,
    Shoe,
)
from tables.queries.coups import face_of
from tables.queries.rulebooks import rules_of
from tables.rules.cards import Card as Face
from tables.rules.ranks import RankCounts, count_ranks
from tables.rules.shoe import ShoeLedger, Whereabouts

FIRST_PAIR_PLACES = ("P1", "B1", "P2", "B2")
CARDS_A_ROW = 52

_WHEREABOUTS = {
    CardPlace.TURNED: Whereabouts.TURNED,
    CardPlace.BURNED: Whereabouts.BURNED,
    CardPlace.DISCARD: Whereabouts.DISCARD,
    CardPlace.EXPOSED: Whereabouts.EXPOSED,
    CardPlace.EXTRA: Whereabouts.EXTRA,
    CardPlace.DROPPED: Whereabouts.DROPPED,
}


@dataclass(frozen=True, slots=True)
class Bead:
    """How one round of a shoe ended by its newest revision; no outcome while it has none."""

    round_id: int
    number: int
    outcome: str
    is_void: bool
    is_ruled: bool  # settled again by a ruling, and not void
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class ShoeProgress:
    """How far a shoe has got, and which part of it one round (or nothing) takes."""

    cards: int
    out: int
    first: int | None  # of the round looked at
    last: int | None
    blue_card_after: int | None
    is_blue_card_out: bool


@dataclass(frozen=True, slots=True)
class StripCard:
    """One of the 416 positions: what lay there and what became of it."""

    position: int
    face: Face | None
    whereabouts: Whereabouts | None  # None: not dealt yet
    round_id: int | None
    round_number: int | None
    opens_round: bool  # the first card of a round, or of another deal of it
    is_void: bool
    is_corrected: bool
    is_blue_card_next: bool

    @property
    def is_even_round(self) -> bool:
        return self.round_number is not None and self.round_number % 2 == 0


@dataclass(frozen=True, slots=True)
class ShoePage:
    shoe: Shoe
    progress: ShoeProgress
    ledger: ShoeLedger
    strip: tuple[tuple[StripCard, ...], ...]
    turned: Face | None
    beads: tuple[Bead, ...]
    left_out: tuple[Bead, ...]  # void rounds that the rulebook does not draw
    ranks: RankCounts
    findings: tuple[Finding, ...]


def progress_of(shoe: Shoe, first: int | None = None, last: int | None = None) -> ShoeProgress:
    """Say how far a shoe has got; the blue card lies where it came out, else where it was cut in."""
    cards = shoe.decks * CARDS_A_ROW
    blue = shoe.blue_card_after
    if blue is None and shoe.cut_from_back is not None:
        blue = cards - shoe.cut_from_back
    return ShoeProgress(cards, shoe.cards_out, first, last, blue, shoe.blue_card_at is not None)


def beads_of_shoe(shoe_id: int, up_to: int | None = None) -> list[Bead]:
    """Return the rounds of a shoe in order, each by its newest revision, in two queries."""
    rounds = Round.objects.filter(shoe_id=shoe_id)
    cards = Card.objects.filter(
        shoe_id=shoe_id,
        place__in=FIRST_PAIR_PLACES,
        deal__status=DealStatus.LIVE.value,
        superseded_by__isnull=True,
    )
    if up_to is not None:
        rounds = rounds.filter(number__lte=up_to)
        cards = cards.filter(round__number__lte=up_to)
    ruled = Settlement.objects.filter(round=OuterRef("pk"), authority__isnull=False)
    ranks: dict[int, dict[str, str | None]] = {}
    for round_id, place, rank in cards.values_list("round_id", "place", "rank"):
        ranks.setdefault(round_id, {})[place] = rank
    return [
        Bead(
            round_id=pk,
            number=number,
            outcome=outcome or "",
            is_void=status == RoundStatus.VOIDED,
            is_ruled=is_ruled and status != RoundStatus.VOIDED,
            player_pair=_is_pair(ranks.get(pk, {}), "P1", "P2"),
            banker_pair=_is_pair(ranks.get(pk, {}), "B1", "B2"),
        )
        for pk, number, outcome, status, is_ruled in rounds.order_by("number").values_list(
            "id", "number", "outcome", "status", Exists(ruled)
        )
    ]


def on_roads(beads: Sequence[Bead], rulebook_id: int) -> tuple[Bead, ...]:
    """Return the rounds that the roads are drawn of; whether void ones are among them the rulebook says."""
    draws_void = rules_of(rulebook_id).windows.void_rounds_on_roads
    return tuple(bead for bead in beads if bead.outcome and (draws_void or not bead.is_void))


def _is_pair(ranks: dict[str, str | None], first: str, second: str) -> bool:
    return ranks.get(first) is not None and ranks.get(first) == ranks.get(second)


def read_shoe_page(shoe: Shoe) -> ShoePage:
    """Read everything the page of a shoe shows, in a number of queries that does not grow with the shoe."""
    cards = list(
        Card.objects.filter(shoe=shoe, superseded_by__isnull=True)
        .select_related("deal")
        .only("position", "place", "rank", "suit", "round_id", "supersedes_id", "deal__status")
        .order_by("position")
    )
    beads = beads_of_shoe(shoe.pk)
    counts = Counter(whereabouts_of(card) for card in cards)
    turned = next((card for card in cards if card.place == CardPlace.TURNED), None)
    drawn = on_roads(beads, shoe.rulebook_id)
    findings = Finding.objects.filter(Q(shoe=shoe)).select_related("round", "hold").order_by("-id")[:20]
    return ShoePage(
        shoe=shoe,
        progress=progress_of(shoe),
        ledger=ShoeLedger(shoe.decks, counts),
        strip=_strip(shoe, cards, {bead.round_id: bead for bead in beads}),
        turned=face_of(turned) if turned else None,
        beads=drawn,
        left_out=tuple(bead for bead in beads if bead.is_void and bead not in drawn),
        ranks=count_ranks((card.rank for card in cards if card.rank is not None), shoe.decks),
        findings=tuple(findings),
    )


def whereabouts_of(card: Card) -> Whereabouts:
    """Say what became of a card; one in a coup counts as dead with its deal."""
    if card.place in COUP_PLACES:
        is_dead = card.deal is not None and card.deal.status == DealStatus.DEAD
        return Whereabouts.DEAD_DEAL if is_dead else Whereabouts.IN_ROUND
    return _WHEREABOUTS[CardPlace(card.place)]


def _strip(shoe: Shoe, cards: list[Card], rounds: dict[int, Bead]) -> tuple[tuple[StripCard, ...], ...]:
    by_position = {card.position: card for card in cards}
    blue = progress_of(shoe).blue_card_after
    strip = []
    deal_before: tuple[int | None, int | None] = (None, None)
    for position in range(1, shoe.decks * CARDS_A_ROW + 1):
        card = by_position.get(position)
        round_ = rounds.get(card.round_id or 0) if card is not None else None
        in_coup = card is not None and card.place in COUP_PLACES
        deal = (card.round_id, card.deal_id) if card is not None and in_coup else deal_before
        strip.append(
            StripCard(
                position=position,
                face=face_of(card) if card else None,
                whereabouts=whereabouts_of(card) if card else None,
                round_id=round_.round_id if round_ else None,
                round_number=round_.number if round_ else None,
                opens_round=deal != deal_before,
                is_void=in_coup and round_ is not None and round_.is_void,
                is_corrected=card is not None and card.supersedes_id is not None,
                is_blue_card_next=position == (blue or 0) + 1 and blue is not None,
            )
        )
        deal_before = deal
    return tuple(tuple(strip[i : i + CARDS_A_ROW]) for i in range(0, len(strip), CARDS_A_ROW))
