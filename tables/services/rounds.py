"""A round from the opening of betting to the table's own result. What is wrong is found while it is read."""

from typing import Any

from django.db.models import Max

from tables.models import (
    Card,
    CardPlace,
    CardSource,
    Deal,
    DealStatus,
    Hold,
    InsuranceOffer,
    Round,
    RoundStatus,
    Rulebook,
    Shoe,
    TableStatus,
    require_transition,
)
from tables.queries.doubts import doubt_about
from tables.queries.rulebooks import rules_of
from tables.rules.cards import Card as Face
from tables.rules.drawing import Coup, IllegalCoup, Place, arrange, due_next
from tables.rules.insurance import offers
from tables.rules.round_id import make_round_id
from tables.rules.rulebook import Phase
from tables.services.cards import add_card, count_copy
from tables.services.findings import find, lift_holds
from tables.services.play import Play, PlayRefused, enter_round, is_over

ILLEGAL_CARD = "illegal_card"
ILLEGAL_COUP = "illegal_coup"
CLAIM_DIFFERS = "claim_differs"
# What a correction of the cards can put right.
CARD_FINDINGS = frozenset({ILLEGAL_CARD, ILLEGAL_COUP, CLAIM_DIFFERS})
# A round of a shoe about which something is to be decided.
SHOE_IN_DOUBT = "shoe_in_doubt"
FIRST_FOUR = frozenset({Place.P1, Place.B1, Place.P2, Place.B2})
# Where the cards lie that insurance at a phase was sold on.
LIES_AT = {Phase.FOUR_CARDS: FIRST_FOUR, Phase.PLAYER_THIRD: FIRST_FOUR | {Place.P3}}


def open_betting(play: Play, *, platform_id: str, number: int) -> Round:
    """Begin a round. One that comes after the shoe's last round is recorded, found and held.

    :raises PlayRefused: if no shoe is ready, or the number or the platform's ID was used already.
    """
    shoe = play.need_shoe()
    if play.table.status != TableStatus.OPEN:
        raise PlayRefused("table", "table/open", f"{play.table.code} is {play.table.status}; open it first")
    last = play.round
    highest = last.number if last else 0
    if number <= highest:
        raise PlayRefused(
            "number", "round/number", f"round {number} of this shoe was played; the next is {highest + 1}"
        )
    if Round.objects.filter(table=play.table, platform_id=platform_id).exists():
        raise PlayRefused(
            "round", "round/platform-id", f"{platform_id} was used for a round of {play.table.code}"
        )
    if last is not None and not is_over(last):
        find(play, "round_without_result", may_change_money=True)
    rulebook = play.rulebook_in_force()
    round_ = Round.objects.create(
        public_id=make_round_id(play.table.code, shoe.gaming_date, shoe.number, number),
        platform_id=platform_id,
        table=play.table,
        shoe=shoe,
        rulebook=rulebook,
        dealer=play.state.dealer,
        camera=play.table.camera or play.table.code,
        number=number,
        window_number=_count_rounds(play, shoe, rulebook) + 1,
        betting_opened_at=play.at,
    )
    enter_round(play, round_, None)
    play.begun.add(round_.pk)
    if number != highest + 1:
        find(play, "round_number_skipped", may_change_money=False, expected=highest + 1, number=number)
    if shoe.burn_done is None and play.rules().burn.by != "none":
        find(play, "burn_not_recorded", may_change_money=False, rule=play.rules().burn_passage.id)
    if shoe.last_round_number is not None and number > shoe.last_round_number:
        find(play, "dealt_past_last_round", may_change_money=True, last_round=shoe.last_round_number)
    if shoe.pk not in play.doubts:
        play.doubts[shoe.pk] = doubt_about(shoe)
    if (because := play.doubts[shoe.pk]) is not None:
        find(play, SHOE_IN_DOUBT, may_change_money=True, because=because)
    return round_


def _count_rounds(play: Play, shoe: Shoe, rulebook: Rulebook) -> int:
    """Count the rounds before this one that bet windows go by; from the next on, this one is among them."""
    if play.counted_rounds is None:
        counted = Round.objects.filter(shoe=shoe)
        if not rules_of(rulebook.pk).void_counts_for_windows:
            counted = counted.exclude(status=RoundStatus.VOIDED.value)
        play.counted_rounds = counted.count()
    play.counted_rounds += 1
    return play.counted_rounds - 1


def close_betting(play: Play, round_: Round) -> None:
    """Ring the bell: the cards may come."""
    require_transition(round_.status, RoundStatus.DEALING)
    if play.at < round_.betting_opened_at:
        raise PlayRefused("at", "round/times", "the bell rings after betting was opened")
    _move(round_, RoundStatus.DEALING, betting_closed_at=play.at)
    play.deal = _start_deal(play, round_)


def _move(round_: Round, status: RoundStatus, **facts: Any) -> None:
    """Bring a round to its next state at once: a batch may take it through several, and each is checked."""
    round_.status = status.value
    for name, value in facts.items():
        setattr(round_, name, value)
    round_.save(update_fields=["status", *facts])


def _start_deal(play: Play, round_: Round) -> Deal:
    last = play.deal.number if play.deal else 0
    if round_.pk not in play.begun:
        last = Deal.objects.filter(round=round_).aggregate(last=Max("number"))["last"] or 0
    play.openings = []
    return Deal.objects.create(round=round_, number=last + 1, started_at=play.at)


def deal_card(
    play: Play, round_: Round, *, place: Place, face: Face, source: CardSource, device: str = ""
) -> Card:
    """Lay a card. One that the drawing table did not ask for lies there all the same, is found and holds.

    :raises PlayRefused: if no cards are being dealt, or a card lies there already.
    """
    if round_.status not in (RoundStatus.DEALING, RoundStatus.INSURANCE) or play.deal is None:
        raise PlayRefused("type", "round/states", f"no cards are dealt while the round is {round_.status}")
    if place in play.placed:
        raise PlayRefused("place", "round/places", f"{place.value} holds {play.placed[place].face} already")
    if round_.status == RoundStatus.INSURANCE:
        # The dealer did not wait for insurance to close: the round stands, and the time to insure is over.
        find(play, "dealt_before_insurance_closed", may_change_money=False, card=str(face))
        _end_offer(play, round_)
    due = _due(play)
    card = add_card(play, CardPlace(place.value), face, source=source, device=device, in_round=True)
    play.placed[place] = card
    if place is not due:
        find(
            play,
            ILLEGAL_CARD,
            may_change_money=True,
            place=place.value,
            card=str(face),
            due=due.value if due else None,
        )
    return card


def _due(play: Play) -> Place | None:
    """Return the place the drawing table asks for now; the first empty one where the cards cannot be read."""
    player, banker = play.faces()
    try:
        return due_next(player, banker)
    except ValueError:
        return next((place for place in Place if place not in play.placed), None)


def note_scan_failed(play: Play, round_: Round, *, place: Place, device: str) -> None:
    """Note that the scanner could not read a card; what it was comes by a rescan or by hand."""
    if is_over(round_):
        raise PlayRefused("round", "round/states", f"the round is {round_.status}")
    find(play, "scan_failed", may_change_money=False, place=place.value, device=device)


def correct_card(
    play: Play,
    round_: Round,
    *,
    place: Place,
    face: Face | None,
    to: Place | None,
    source: CardSource,
    device: str = "",
) -> Card:
    """Put a card of the deal right: its face, its place, or both; what lay at `to` comes to `place`.

    Before the result the correction is taken as it is, and holds for cards now lawful are lifted. After it
    the cards stay as they were: what was claimed is a finding, and money moves by a ruling only.

    :raises PlayRefused: if no card lies there, or nothing would change.
    """
    old = play.placed.get(place)
    if old is None:
        raise PlayRefused("place", "round/places", f"no card lies at {place.value}")
    old_face = old.face
    new_face, new_place = face or old_face, to or place
    if (new_face, new_place) == (old_face, place):
        raise PlayRefused("card", "round/places", f"{place.value} holds {old_face} already")
    if is_over(round_):
        find(
            play,
            "corrected_after_result",
            may_change_money=True,
            place=place.value,
            card=str(old_face),
            to=new_place.value,
            new_card=str(new_face),
        )
        return old
    other = play.placed.get(new_place) if new_place is not place else None
    if (sold := _sold_by(play, {place, new_place})) is not None:
        find(
            play,
            "insurance_on_wrong_card",
            may_change_money=True,
            place=place.value,
            card=str(old_face),
            to=new_place.value,
            new_card=str(new_face),
            phase=sold.phase,
        )
    del play.placed[place]
    card = _supersede(play, old, new_place, new_face, source, device)
    if other is not None:
        _supersede(play, other, place, other.face, source, device)
    _lift_if_lawful(play, round_)
    return card


def _sold_by(play: Play, places: set[Place]) -> InsuranceOffer | None:
    """Return the insurance that could be bought because of what lay at these places."""
    offers_made = [one for one in play.openings_of_deal() if one.offered]
    return next((one for one in offers_made if places & LIES_AT[Phase(one.phase)]), None)


def _supersede(play: Play, old: Card, place: Place, face: Face, source: CardSource, device: str) -> Card:
    card = Card(
        shoe=old.shoe,
        position=old.position,
        place=place.value,
        rank=face.rank,
        suit=face.suit,
        round=old.round,
        deal=old.deal,
        source=source.value,
        device=device,
        at=play.at,
        supersedes=old,
    )
    if old.face != face:
        play.copies[str(old.face)] -= 1
        count_copy(play, face)
    play.placed[place] = card
    play.new_cards.append(card)
    return card


def _lift_if_lawful(play: Play, round_: Round) -> None:
    """Lift the holds of unlawful cards once those lying now are the start of a lawful coup."""
    player: list[Face] = []
    banker: list[Face] = []
    while (due := due_next(player, banker)) is not None and due in play.placed:
        (player if due.value[0] == "P" else banker).append(play.placed[due].face)
    if len(player) + len(banker) == len(play.placed):
        lift_holds(play, round_, CARD_FINDINGS, because="the cards were put right at the table")


def open_insurance(play: Play, round_: Round, *, phase: str, shown: dict[str, str]) -> InsuranceOffer:
    """Open insurance at a phase. Odds that the table shows otherwise than the rulebook are a finding.

    :raises PlayRefused: if the rulebook knows no such phase, or it was opened in this deal already.
    """
    require_transition(round_.status, RoundStatus.INSURANCE)
    rules = play.rules()
    phases = [item.value for item in rules.insurance.phases] if rules.insurance else []
    if phase not in phases:
        known = ", ".join(phases) or "none"
        raise PlayRefused("phase", f"{rules.id}/insurance", f"insurance has no phase {phase}; known: {known}")
    if play.deal is None or any(one.phase == phase for one in play.openings_of_deal()):
        raise PlayRefused(
            "phase", f"{rules.id}/insurance", f"insurance {phase} was opened in this deal already"
        )
    on_sale = offers(rules, *play.faces())
    offered = {kind: str(odds) for (kind, at_phase), odds in on_sale.items() if at_phase == phase}
    play.offer = InsuranceOffer.objects.create(
        deal=play.deal, phase=phase, offered=offered, shown=shown, opened_at=play.at
    )
    play.openings_of_deal().append(play.offer)
    _move(round_, RoundStatus.INSURANCE)
    if not offered:
        find(play, "insurance_not_due", may_change_money=False, phase=phase)
    for kind, odds in shown.items():
        if kind in offered and odds != offered[kind]:
            find(
                play, "insurance_odds_wrong", may_change_money=False, bet=kind, shown=odds, due=offered[kind]
            )
    for kind in offered:
        if shown and kind not in shown:
            find(play, "insurance_odds_missing", may_change_money=False, bet=kind, due=offered[kind])
    return play.offer


def close_insurance(play: Play, round_: Round, *, phase: str) -> None:
    """End the time to insure.

    :raises PlayRefused: if insurance is not open at this phase.
    """
    if play.offer is None or play.offer.phase != phase or round_.status != RoundStatus.INSURANCE:
        raise PlayRefused("phase", f"{play.rules().id}/insurance", f"insurance {phase} is not open")
    _end_offer(play, round_)


def _end_offer(play: Play, round_: Round) -> None:
    if play.offer is not None:
        play.offer.closed_at = max(play.at, play.offer.opened_at)
        play.offer.save(update_fields=["closed_at"])
        play.offer = None
    _move(round_, RoundStatus.DEALING)


def claim_result(play: Play, round_: Round, *, outcome: str, player_total: int, banker_total: int) -> None:
    """Take the table's result, work it out from the cards as well, and promise the settlement.

    Cards that are no lawful coup, or a claim that differs, hold the round: it waits and says why.
    """
    require_transition(round_.status, RoundStatus.RESULTED)
    if round_.betting_closed_at is not None and play.at < round_.betting_closed_at:
        raise PlayRefused("at", "round/times", "a result comes after the bell")
    claim = {"outcome": outcome, "player_total": player_total, "banker_total": banker_total}
    try:
        coup = read_deal(play.placed, round_.shoe.decks)
    except IllegalCoup as error:
        _move(round_, RoundStatus.RESULTED, resulted_at=play.at, claimed=claim)
        find(play, ILLEGAL_COUP, may_change_money=True, fault=error.code.value, error=str(error))
        return
    own = {
        "outcome": coup.outcome.value,
        "player_total": coup.player_total,
        "banker_total": coup.banker_total,
    }
    _move(round_, RoundStatus.RESULTED, resulted_at=play.at, claimed=claim, **own)
    if own != claim:
        find(play, CLAIM_DIFFERS, may_change_money=True, claimed=claim, ours=own)
    if not is_held(play, round_):
        play.resulted.append(round_.pk)


def is_held(play: Play, round_: Round) -> bool:
    """Say whether a hold is open on a round, counting those of this batch."""
    if any(hold.round == round_ and hold.lifted_at is None for hold in play.new_holds):
        return True
    if round_.pk in play.begun:
        return False
    return Hold.objects.filter(round=round_, lifted_at__isnull=True).exists()


def read_deal(placed: dict[Place, Card], decks: int) -> Coup:
    """Read the cards of a deal as a coup.

    :raises IllegalCoup: if they break the drawing rules.
    """
    return arrange({place: card.face for place, card in placed.items()}, decks)


def start_redeal(play: Play, round_: Round) -> Deal:
    """Kill the live deal and start another in the same round; the bets stand, insurance is bought anew.

    Where the second deal was ordered it is there already, and waits for its first card: the table only says
    that it obeys.

    :raises PlayRefused: if nothing was dealt, or the round is over.
    """
    if is_over(round_) or play.deal is None:
        raise PlayRefused(
            "round", "round/states", f"a round that is {round_.status} is not dealt again by its feed"
        )
    if play.deal.authority is not None and not play.placed:
        return play.deal
    if round_.status == RoundStatus.INSURANCE:
        _end_offer(play, round_)
    play.deal.status, play.deal.died_at = DealStatus.DEAD.value, play.at
    play.deal.save(update_fields=["status", "died_at"])
    play.placed = {}
    play.accepted = {}
    play.deal = _start_deal(play, round_)
    play.begun.discard(round_.pk)  # its bets stand, and are read anew
    find(play, "redeal_without_decision", may_change_money=True)
    return play.deal
