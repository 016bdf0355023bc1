"""What a ruling does besides moving money: to the cards, the deals, the shoe and the table."""

from datetime import datetime

from django.db.models import Max

from audit.models import DecisionKind, Ruling, RulingKind
from audit.queries.rulings_in_force import placed_cards
from audit.services.telling import tell_table
from tables import locks
from tables.models import (
    Card,
    CardPlace,
    CardSource,
    Deal,
    DealStatus,
    InsuranceOffer,
    Round,
    RoundStatus,
    Shoe,
    ShoeStatus,
    TableStatus,
    require_transition,
)
from tables.rules.cards import Card as Face

SHOE_ENDS = {
    "replace_shoe": (ShoeStatus.REPLACED, "replaced by ruling"),
    "reshuffle": (ShoeStatus.REPLACED, "reshuffled by ruling"),
    "cancel_shoe": (ShoeStatus.CANCELLED, "cancelled by ruling"),
}


def correct_cards(round_: Round, cards: dict[str, str], ruling: Ruling, *, at: datetime) -> None:
    """Put the cards of a round's live deal where a ruling says they lie.

    A card that lies right keeps its row; a moved or misread one is superseded; one that should not have been
    dealt becomes an extra card; a missed one is entered as the next of the shoe.
    """
    deal = Deal.objects.get(round=round_, status=DealStatus.LIVE.value)
    lying = placed_cards(deal)
    wrong = {place: card for place, card in lying.items() if cards.get(place) != str(card.face)}
    wanted = {place: text for place, text in cards.items() if place not in lying or place in wrong}
    rows: list[Card] = []
    for place, text in wanted.items():
        # A card with this face that lies wrongly was moved; else the card lying here was misread.
        source = next((name for name, card in wrong.items() if str(card.face) == text), None)
        if source is None and place in wrong and text not in {str(card.face) for card in wrong.values()}:
            source = place
        old = wrong.pop(source) if source is not None else None
        rows.append(_card(round_, deal, place, Face.parse(text), ruling, at, old))
    for card in wrong.values():
        rows.append(_card(round_, None, CardPlace.EXTRA.value, card.face, ruling, at, card))
    for row in rows:
        row.save(force_insert=True)


def _card(
    round_: Round, deal: Deal | None, place: str, face: Face, ruling: Ruling, at: datetime, old: Card | None
) -> Card:
    if old is None:
        shoe = Shoe.objects.select_for_update(no_key=True).get(pk=round_.shoe_id)
        shoe.cards_out += 1
        shoe.save(update_fields=["cards_out"])
        position = shoe.cards_out
    else:
        position = old.position
    return Card(
        shoe_id=round_.shoe_id,
        position=position,
        place=place,
        rank=face.rank,
        suit=face.suit,
        round=round_,
        deal=deal,
        source=CardSource.KEYED.value,
        at=at,
        authority=ruling.uuid,
        supersedes=old,
    )


def deal_again(round_: Round, ruling: Ruling, *, at: datetime) -> None:
    """Kill the live deal and start the next; the bets stand and the round returns to dealing."""
    deal = Deal.objects.get(round=round_, status=DealStatus.LIVE.value)
    InsuranceOffer.objects.filter(deal=deal, closed_at__isnull=True).update(closed_at=at)
    deal.status, deal.died_at = DealStatus.DEAD.value, at
    deal.save(update_fields=["status", "died_at"])
    last = Deal.objects.filter(round=round_).aggregate(last=Max("number"))["last"]
    Deal.objects.create(round=round_, number=last + 1, started_at=at, authority=ruling.uuid)
    if round_.status == RoundStatus.INSURANCE:
        round_.status = RoundStatus.DEALING.value
    if round_.status == RoundStatus.BETTING:
        return
    if round_.status != RoundStatus.DEALING:
        require_transition(round_.status, RoundStatus.DEALING)
    round_.status = RoundStatus.DEALING.value
    round_.outcome = round_.player_total = round_.banker_total = round_.claimed = None
    round_.resulted_at = round_.settled_at = None
    round_.save()


def revive_deal(round_: Round, number: int, *, at: datetime) -> None:
    """Take back a re-deal: the deal it killed lives again, and the one that followed is dead."""
    Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).update(
        status=DealStatus.DEAD.value, died_at=at
    )
    Deal.objects.filter(round=round_, number=number).update(status=DealStatus.LIVE.value, died_at=None)


def end_shoe_and_table(ruling: Ruling, *, at: datetime) -> None:
    """Do to the shoe and the table what the ruling orders, and tell the table."""
    orders = set(ruling.facts.get("also", ()))
    if ruling.kind in (
        RulingKind.REPLACE_SHOE,
        RulingKind.RESHUFFLE,
        RulingKind.CANCEL_SHOE,
        RulingKind.CLOSE_TABLE,
    ):
        orders.add(ruling.kind)
    state = locks.lock_table_state(ruling.table_id)
    for order in sorted(orders & SHOE_ENDS.keys()):
        status, words = SHOE_ENDS[order]
        shoe = ruling.shoe
        if shoe is not None and shoe.status == ShoeStatus.OPEN:
            shoe.status, shoe.ended_at, shoe.end_reason = status.value, max(at, shoe.started_at), words
            shoe.save(update_fields=["status", "ended_at", "end_reason"])
            if state.shoe_id == shoe.pk:
                state.shoe = None
                state.save(update_fields=["shoe"])
        data = {"reason": words}
        tell_table(ruling.table, DecisionKind.SHOE_REPLACED, at=at, shoe=shoe, ruling=ruling, data=data)
    if "close_table" in orders:
        ruling.table.status = TableStatus.CLOSED_BY_FAULT.value
        ruling.table.save(update_fields=["status"])
        tell_table(ruling.table, DecisionKind.TABLE_CLOSED, at=at, ruling=ruling)
