"""A shoe from its start to its end: cut, burn, blue card, and cards that go to no place of a coup."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Max

from tables.models import Card, CardPlace, CardSource, GameTable, RoundStatus, Shoe, ShoeStatus
from tables.queries.rulebooks import rules_of
from tables.rules.cards import Card as Face
from tables.rules.incidents import incident_of_card_out
from tables.rules.round_id import make_shoe_id
from tables.rules.shoe import BlueCardMoment, burn_due, is_unshuffled, last_round, order_fingerprint
from tables.services.cards import add_card
from tables.services.findings import find
from tables.services.play import Play, PlayRefused, is_over


def gaming_date_of(table: GameTable, at: datetime) -> date:
    """Return the gaming date a moment belongs to at a table: its day starts at the table's hour and zone."""
    local = at.astimezone(ZoneInfo(table.zone))
    return (local - timedelta(hours=table.gaming_day_starts_hour)).date()


def start_shoe(play: Play, *, platform_id: str, decks: int, card_set: str = "") -> Shoe:
    """Put a new shoe on the table; one that still lies there is ended, with a finding.

    `card_set` names the decks in it, as the house does; empty where nobody says.

    :raises PlayRefused: if the rulebook in force plays with another number of decks.
    """
    rulebook = play.rulebook_in_force()
    wanted = rules_of(rulebook.pk).decks
    if decks != wanted:
        raise PlayRefused(
            "decks", f"{rulebook.code}/decks", f"{decks} decks; the rulebook plays with {wanted}"
        )
    gaming_date = gaming_date_of(play.table, play.at)
    same_day = Shoe.objects.filter(table=play.table, gaming_date=gaming_date)
    number = (same_day.aggregate(last=Max("number"))["last"] or 0) + 1
    if number > 99:
        raise PlayRefused("shoe", "shoe/number", f"{play.table.code} has had 99 shoes on {gaming_date}")
    if play.shoe is not None:
        end_shoe(play, reason="a new shoe was started", status=ShoeStatus.ENDED)
    shoe = Shoe.objects.create(
        table=play.table,
        rulebook=rulebook,
        gaming_date=gaming_date,
        number=number,
        public_id=make_shoe_id(play.table.code, gaming_date, number),
        platform_id=platform_id,
        decks=decks,
        card_set=card_set,
        started_at=play.at,
    )
    play.shoe, play.round, play.deal, play.offer = shoe, None, None, None
    play.placed, play.accepted, play.openings, play.counted_rounds = {}, {}, None, None
    play.copies.clear()
    play.state.shoe, play.state.round = shoe, None
    return shoe


def place_cut_card(play: Play, *, from_back: int) -> None:
    """Note where the blue card was cut in, counted in cards from the back.

    :raises PlayRefused: if a round was dealt already, or the place is outside the shoe.
    """
    shoe = play.need_shoe()
    if play.round is not None:
        raise PlayRefused("from_back", "shoe/blue-card", "the blue card is cut in before the first round")
    if not 1 <= from_back < shoe.decks * 52:
        raise PlayRefused(
            "from_back", "shoe/blue-card", f"{from_back} is outside a shoe of {shoe.decks * 52}"
        )
    shoe.cut_from_back = from_back
    play.touch_shoe()


def burn_cards(
    play: Play,
    *,
    turned: Face | None,
    count: int,
    faces: list[Face | None],
    source: CardSource = CardSource.SCAN,
) -> None:
    """Turn the first card up and burn cards besides it. A burn that is not what the rule asks is a finding.

    :raises PlayRefused: if cards were burned or a round was opened already, or the faces outnumber the cards.
    """
    shoe = play.need_shoe()
    if shoe.burn_done is not None:
        raise PlayRefused("count", "shoe/start", "this shoe's cards were burned already")
    if play.round is not None:
        raise PlayRefused("count", "shoe/start", "cards are burned before the first round")
    if len(faces) > count:
        raise PlayRefused("faces", "shoe/start", f"{len(faces)} faces for {count} burned cards")
    rules = play.rules()
    try:
        due: int | None = burn_due(rules.burn, turned, shoe.decks)
    except ValueError:
        due = None
    if shoe.cards_out + count + (turned is not None) > shoe.decks * 52:
        raise PlayRefused("count", "shoe/card-count", f"the shoe has not {count} cards left")
    if turned is not None:
        add_card(play, CardPlace.TURNED, turned, source=source)
    for face in [*faces, *[None] * (count - len(faces))]:
        add_card(play, CardPlace.BURNED, face, source=source)
    shoe.burn_due, shoe.burn_done = due, count
    if due is None:
        find(play, "burn_first_card_missing", may_change_money=False, done=count, rule=rules.burn_passage.id)
    elif due != count:
        card = str(turned) if turned else None
        find(
            play,
            "burn_differs",
            may_change_money=False,
            due=due,
            done=count,
            turned=card,
            rule=rules.burn_passage.id,
        )


def show_blue_card(play: Play) -> None:
    """Note that the blue card came out, and with it which round is the last.

    :raises PlayRefused: if it came out already.
    """
    shoe = play.need_shoe()
    if shoe.blue_card_at is not None:
        raise PlayRefused("type", "shoe/blue-card", "this shoe's blue card came out already")
    shoe.blue_card_at, shoe.blue_card_after = play.at, shoe.cards_out
    play.touch_shoe()
    rules = play.rules()
    round_ = play.round
    number = round_.number if round_ else 0
    if round_ is None or is_over(round_):
        moment = BlueCardMoment.AS_DISCARD
    elif not play.placed:
        moment, number = BlueCardMoment.AS_FIRST_CARD, number - 1
    else:
        moment = BlueCardMoment.DURING_ROUND
    shoe.last_round_number = last_round(rules.blue_card, moment, number)
    if shoe.cut_from_back is None:
        find(play, "cut_card_not_recorded", may_change_money=False, out_before=shoe.cards_out)
    elif shoe.cards_out != shoe.decks * 52 - shoe.cut_from_back:
        expected = shoe.decks * 52 - shoe.cut_from_back
        find(
            play, "blue_card_elsewhere", may_change_money=False, expected=expected, out_before=shoe.cards_out
        )
    if round_ is not None and not is_over(round_) and round_.number > shoe.last_round_number:
        find(play, "dealt_past_last_round", may_change_money=True, last_round=shoe.last_round_number)


def take_card_out(
    play: Play, *, reason: CardPlace, face: Face | None, source: CardSource, device: str = ""
) -> None:
    """Record a card that left the shoe for no place of the coup: discard, exposed, dropped or extra."""
    running = play.round is not None and not is_over(play.round)
    add_card(play, reason, face, source=source, device=device, in_round=running)
    if reason is CardPlace.DISCARD:
        return
    phase = _phase_of(play)
    code, facts = incident_of_card_out(reason.value, face_seen=face is not None, phase=phase)
    entry = play.rules().incidents.get(code)
    find(
        play,
        f"card_{reason.value}",
        may_change_money=running and (entry is None or entry.remedy(facts).may_change_money),
        card=str(face) if face else None,
        face="seen" if face else "unseen",
        phase=phase,
    )


def _phase_of(play: Play) -> str:
    if play.round is None or is_over(play.round):
        return "start"
    return "betting" if play.round.status == RoundStatus.BETTING else "dealing"


def end_shoe(play: Play, *, reason: str, status: ShoeStatus, left: int | None = None) -> None:
    """Take the shoe off the table, and look at it as a whole."""
    shoe = play.need_shoe()
    shoe.status, shoe.ended_at, shoe.end_reason = status.value, max(play.at, shoe.started_at), reason
    play.touch_shoe()
    if play.round is not None and not is_over(play.round):
        find(play, "round_without_result", may_change_money=True)
    counted = shoe.decks * 52 - shoe.cards_out
    if left is not None and left != counted:
        find(play, "card_count", may_change_money=False, round_=None, left=left, counted=counted)
    _look_at_order(play, shoe)
    # Written at once: only one shoe of a table may be open, and a new one may start in this batch.
    shoe.save()
    play.shoe, play.state.shoe = None, None


def _look_at_order(play: Play, shoe: Shoe) -> None:
    stored = Card.objects.filter(shoe=shoe, superseded_by__isnull=True, rank__isnull=False)
    seen = {card.position: card.face for card in stored}
    seen |= {card.position: card.face for card in play.new_cards if card.rank and card.shoe_id == shoe.pk}
    faces = [seen.get(position) for position in range(1, shoe.cards_out + 1)]
    if is_unshuffled(faces):
        find(play, "deck_order_not_shuffled", may_change_money=False)
    fingerprint = order_fingerprint(faces)
    if fingerprint is None:
        return
    shoe.order_fingerprint = fingerprint
    earlier = Shoe.objects.filter(order_fingerprint=fingerprint).exclude(pk=shoe.pk).first()
    if earlier is not None:
        find(play, "deck_order_repeated", may_change_money=False, earlier_shoe=earlier.public_id)
