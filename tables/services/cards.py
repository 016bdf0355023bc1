"""Cards as they leave the shoe: recorded in order, counted against what the decks hold."""

from tables.models import Card, CardPlace, CardSource
from tables.rules.cards import Card as Face
from tables.rules.drawing import Place
from tables.services.findings import find
from tables.services.play import Play, PlayRefused


def add_card(
    play: Play,
    place: CardPlace,
    face: Face | None,
    *,
    source: CardSource,
    device: str = "",
    in_round: bool = False,
) -> Card:
    """Record the next card that left the shoe. A copy too many, or a card too many, becomes a finding."""
    shoe = play.need_shoe()
    if shoe.cards_out >= shoe.decks * 52:
        raise PlayRefused(
            "card", "shoe/card-count", f"all {shoe.decks * 52} cards of the shoe are out already"
        )
    shoe.cards_out += 1
    play.touch_shoe()
    card = Card(
        shoe=shoe,
        position=shoe.cards_out,
        place=place.value,
        rank=face.rank if face else None,
        suit=face.suit if face else None,
        round=play.round if in_round else None,
        deal=play.deal if place.value in Place.__members__ else None,
        source=source.value,
        device=device,
        at=play.at,
    )
    play.new_cards.append(card)
    if face:
        count_copy(play, face)
    return card


def count_copy(play: Play, face: Face) -> None:
    """Count a face among those seen of this shoe; one more than the decks hold is a finding."""
    shoe = play.need_shoe()
    play.copies[str(face)] += 1
    if play.copies[str(face)] > shoe.decks:
        find(play, "too_many_copies", may_change_money=True, card=str(face), copies=play.copies[str(face)])
