"""What rulings lay over a round now, and what a ruling would make of it."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from audit.models import OPEN_STATUSES, Ruling, RulingKind, RulingRound
from tables.models import Card, Deal, DealStatus, Round, Shoe
from tables.queries.deals import coup_of
from tables.queries.revisions import Plan
from tables.rules.cards import Card as Face
from tables.rules.drawing import Coup, Place, arrange

UNSEEN = "?"
#: Decisions that end a shoe on its table, and all that are about a shoe as a whole.
TAKES_SHOE = frozenset({RulingKind.REPLACE_SHOE, RulingKind.RESHUFFLE, RulingKind.CANCEL_SHOE})
SHOE_KINDS = TAKES_SHOE | {RulingKind.VOID_SHOE}
#: What another decision may order besides that ends the shoe.
ENDS_SHOE = frozenset({"replace_shoe", "reshuffle"})
VOIDS_ROUND = frozenset({RulingKind.VOID_ROUND, RulingKind.VOID_RANGE, RulingKind.VOID_SHOE})


def kinds_void_by_ruling(round_: Round) -> frozenset[str]:
    """Return the kinds of bet that rulings in force make void in a round."""
    rows = RulingRound.objects.filter(
        round=round_, is_in_force=True, ruling__kind=RulingKind.VOID_KINDS.value
    )
    return frozenset(
        kind for facts in rows.values_list("ruling__facts", flat=True) for kind in facts.get("kinds", ())
    )


def is_overtaken(round_: Round, kind: RulingKind, facts: Mapping[str, Any]) -> bool:
    """Say whether other cards lie in a round than those a ruling about its cards was asked for on."""
    deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    match kind:
        case RulingKind.CORRECT:
            return texts_of(deal) != facts["before"]
        case RulingKind.RE_DEAL:
            return deal is None or deal.number != facts["deal"]
    return False


def concerns_shoe(kind: RulingKind, facts: Mapping[str, Any]) -> bool:
    """Say whether a ruling puts a shoe in doubt: it is about it, or takes it away besides."""
    return kind in SHOE_KINDS or bool(ENDS_SHOE & set(facts.get("also", ())))


def ruling_on_shoe(shoe: Shoe) -> str | None:
    """Return the number of the ruling by which a shoe is in doubt: one that is open, or one that voids it."""
    of_shoe = Q(kind__in=SHOE_KINDS)
    for order in ENDS_SHOE:
        of_shoe |= Q(facts__also__contains=[order])
    is_open = Q(status__in=OPEN_STATUSES)
    is_void = Q(kind=RulingKind.VOID_SHOE.value, rounds__is_in_force=True)
    found = Ruling.objects.filter(of_shoe & (is_open | is_void), shoe=shoe).order_by("pk")
    return found.values_list("number", flat=True).first()


def is_shoe_gone(ruling: Ruling) -> bool:
    """Say whether the shoe that a ruling is to take away has left the table by itself."""
    if RulingKind(ruling.kind) not in TAKES_SHOE or ruling.shoe_id is None:
        return False
    return Shoe.objects.filter(pk=ruling.shoe_id, ended_at__isnull=False).exists()


def plan_in_force(round_: Round, *, without: Ruling | None = None) -> Plan:
    """Return the plan of a round as its cards and the rulings in force make it; `without` leaves one out."""
    in_force = RulingRound.objects.filter(round=round_, is_in_force=True).select_related("ruling")
    rulings = [row.ruling for row in in_force if without is None or row.ruling_id != without.pk]
    void_all = any(RulingKind(ruling.kind) in VOIDS_ROUND for ruling in rulings)
    kinds = frozenset(
        kind
        for ruling in rulings
        if ruling.kind == RulingKind.VOID_KINDS
        for kind in ruling.facts.get("kinds", ())
    )
    deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    return Plan(deal, _coup_or_none(deal, round_), void_all=void_all, void_kinds=kinds)


def plan_under(
    round_: Round, kind: RulingKind, facts: Mapping[str, Any], *, reinstates: Ruling | None
) -> Plan:
    """Return the plan a round would have under a ruling.

    :raises IllegalCoup: if corrected cards break the drawing rules.
    """
    now = plan_in_force(round_, without=reinstates)
    if kind in VOIDS_ROUND:
        return Plan(now.deal, now.coup, void_all=True, void_kinds=now.void_kinds)
    match kind:
        case RulingKind.VOID_KINDS:
            kinds = now.void_kinds | frozenset(facts["kinds"])
            return Plan(now.deal, now.coup, void_all=now.void_all, void_kinds=kinds)
        case RulingKind.RE_DEAL:
            return Plan(None, None, void_kinds=now.void_kinds, is_open=True)
        case RulingKind.CORRECT:
            coup = corrected_coup(facts["cards"], round_.shoe.decks)
            return Plan(now.deal, coup, void_all=now.void_all, void_kinds=now.void_kinds)
        case RulingKind.REINSTATE if reinstates is not None and reinstates.kind == RulingKind.CORRECT:
            coup = corrected_coup(reinstates.facts["before"], round_.shoe.decks)
            return Plan(now.deal, coup, void_all=now.void_all, void_kinds=now.void_kinds)
        case RulingKind.REINSTATE if reinstates is not None and reinstates.kind == RulingKind.RE_DEAL:
            deal = Deal.objects.get(round=round_, number=reinstates.facts["deal"])
            return Plan(deal, _coup_or_none(deal, round_), now.void_all, now.void_kinds)
    return now


def corrected_coup(cards: Mapping[str, str], decks: int) -> Coup:
    """Read corrected cards, by place, as a coup.

    :raises IllegalCoup: if they break the drawing rules.
    :raises ValueError: if a text is no card or no place.
    """
    return arrange({Place(place): Face.parse(card) for place, card in cards.items()}, decks)


def placed_cards(deal: Deal) -> dict[str, Card]:
    """Return the cards that lie in a deal now, by place."""
    cards = Card.objects.filter(deal=deal, superseded_by__isnull=True).order_by("position")
    return {card.place: card for card in cards}


def texts_of(deal: Deal | None) -> dict[str, str]:
    """Write the cards that lie in a deal by place; one whose face nobody saw is `?`."""
    if deal is None:
        return {}
    return {place: text_of(card) for place, card in placed_cards(deal).items()}


def text_of(card: Card) -> str:
    """Write a card's face, or `?` where nobody saw it."""
    return f"{card.rank}{card.suit}" if card.rank else UNSEEN


def _coup_or_none(deal: Deal | None, round_: Round) -> Coup | None:
    if deal is None:
        return None
    try:
        return coup_of(deal, round_.shoe.decks)
    except ValueError:  # no lawful coup, or a card of it was never seen
        return None
