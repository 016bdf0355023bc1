"""What a ruling does besides moving money: to the cards, the deals, the shoe and the table."""

from datetime import datetime

from django.db.models import Max

from audit.models import DecisionKind, Ruling, RulingKind
from audit.queries.rulings_in_force import placed_cards, plan_in_force, text_of
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
from tables.services.holds import hold_unfinished

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
    wrong = {place: card for place, card in lying.items() if cards.get(place) != text_of(card)}
    wanted = {place: text for place, text in cards.items() if place not in lying or place in wrong}
    rows: list[Card] = []
    for place, text in wanted.items():
        # A card with this face that lies wrongly was moved; else the card lying here was misread.
        source = next((name for name, card in wrong.items() if text_of(card) == text), None)
        if source is None and place in wrong and text not in {text_of(card) for card in wrong.values()}:
            source = place
        old = wrong.pop(source) if source is not None else None
        rows.append(_card(round_, deal, place, Face.parse(text), ruling, at, old))
    for card in wrong.values():
        face = card.face if card.rank else None
        rows.append(_card(round_, None, CardPlace.EXTRA.value, face, ruling, at, card))
    for row in rows:
        row.save(force_insert=True)


def _card(
    round_: Round,
    deal: Deal | None,
    place: str,
    face: Face | None,
    ruling: Ruling,
    at: datetime,
    old: Card | None,
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
        rank=face.rank if face else None,
        suit=face.suit if face else None,
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
    """Take back a re-deal: the deal it killed lives again, and the one that followed is dead.

    A round that was being dealt again has its first result back.
    """
    InsuranceOffer.objects.filter(deal__round=round_, closed_at__isnull=True).update(closed_at=at)
    Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).update(
        status=DealStatus.DEAD.value, died_at=at
    )
    Deal.objects.filter(round=round_, number=number).update(status=DealStatus.LIVE.value, died_at=None)
    coup = plan_in_force(round_).coup
    if coup is None or round_.status not in (
        RoundStatus.DEALING,
        RoundStatus.INSURANCE,
        RoundStatus.RESULTED,
    ):
        return
    if round_.status == RoundStatus.INSURANCE:
        round_.status = RoundStatus.DEALING.value
        round_.save(update_fields=["status"])
    round_.status, round_.resulted_at = RoundStatus.RESULTED.value, round_.resulted_at or at
    round_.outcome = coup.outcome.value
    round_.player_total, round_.banker_total = coup.player_total, coup.banker_total
    round_.save(update_fields=["status", "resulted_at", "outcome", "player_total", "banker_total"])


def end_shoe_and_table(ruling: Ruling, *, at: datetime) -> str:
    """Do to the shoe and the table what the ruling orders, and tell the table.

    A round in play that cannot end any more is found and held: what becomes of it is decided apart. Return a
    sentence that says so, or nothing.
    """
    orders = set(ruling.facts.get("also", ()))
    if ruling.kind in (
        RulingKind.REPLACE_SHOE,
        RulingKind.RESHUFFLE,
        RulingKind.CANCEL_SHOE,
        RulingKind.CLOSE_TABLE,
    ):
        orders.add(ruling.kind)
    state = locks.lock_table_state(ruling.table_id)
    unfinished = None
    for order in sorted(orders & SHOE_ENDS.keys()):
        status, words = SHOE_ENDS[order]
        shoe = ruling.shoe
        if shoe is not None and shoe.status == ShoeStatus.OPEN:
            shoe.status, shoe.ended_at, shoe.end_reason = status.value, max(at, shoe.started_at), words
            shoe.save(update_fields=["status", "ended_at", "end_reason"])
            if state.shoe_id == shoe.pk:
                unfinished = hold_unfinished(state, because=ruling.number, at=at)
                state.shoe = None
                state.save(update_fields=["shoe"])
            data = {"reason": words}
            tell_table(ruling.table, DecisionKind.SHOE_REPLACED, at=at, shoe=shoe, ruling=ruling, data=data)
    if "close_table" in orders:
        ruling.table.status = TableStatus.CLOSED_BY_FAULT.value
        ruling.table.save(update_fields=["status"])
        unfinished = hold_unfinished(state, because=ruling.number, at=at) or unfinished
        data = {"status": ruling.table.status}
        tell_table(ruling.table, DecisionKind.TABLE_CLOSED, at=at, ruling=ruling, data=data)
    if ruling.kind == RulingKind.STAND and not ruling.rounds_count:
        tell_table(ruling.table, DecisionKind.STAND, at=at, shoe=ruling.shoe, ruling=ruling)
    if unfinished is None or unfinished.round is None:
        return ""
    return f"{unfinished.round.public_id} was in play and has no result; it is held until it is decided"
