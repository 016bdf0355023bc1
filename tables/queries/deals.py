"""The cards of a deal as a coup, and what keeps a round from being settled."""

from dataclasses import dataclass

from tables.models import Card, Deal, DealStatus, Hold, Round, RoundStatus
from tables.rules.drawing import Coup, IllegalCoup, Place, arrange


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round's live deal, and the lawful coup that its cards are."""

    deal: Deal
    coup: Coup


def what_to_settle(round_: Round) -> Dealt | tuple[str, ...]:
    """Return what a round is settled by, or name what keeps it: its state, each open hold, or its cards."""
    if round_.status != RoundStatus.RESULTED:
        return (f"status_{round_.status}",)
    holds = Hold.objects.filter(round=round_, lifted_at__isnull=True).order_by("pk")
    reasons = tuple(holds.values_list("reason", flat=True))
    if reasons:
        return reasons
    deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    if deal is None:
        return ("no_deal",)
    try:
        return Dealt(deal, coup_of(deal, round_.shoe.decks))
    except (IllegalCoup, ValueError):
        return ("illegal_coup",)


def coup_of(deal: Deal, decks: int) -> Coup:
    """Read the cards of a deal, corrections included, as a coup.

    :raises IllegalCoup: if they break the drawing rules.
    """
    cards = Card.objects.filter(deal=deal, superseded_by__isnull=True)
    return arrange({Place(card.place): card.face for card in cards}, decks)
