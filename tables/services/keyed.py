"""Play that a supervisor keys in because no scanner saw it: the same verbs as the feed's, source `keyed`.

Each action is one transaction with one journal entry. What is keyed is checked as what is scanned.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from tables.models import Card, CardSource, GameTable, Round, Shoe
from tables.rules.cards import Card as Face
from tables.rules.drawing import IllegalCoup, Place, read_coup
from tables.services import rounds, shoes
from tables.services.actors import Actor
from tables.services.journal import record
from tables.services.play import Play, PlayRefused, is_over, live_play

PERMISSION = "tables.key_play"


@contextmanager
def _keying(
    table: GameTable, action: str, *, actor: Actor, at: datetime
) -> Iterator[tuple[Play, dict[str, Any]]]:
    """Open a table's play to a person's hand; what is put into the yielded dict goes into the journal."""
    actor.require(PERMISSION)
    said: dict[str, Any] = {}
    with live_play(table, actor=actor, received_at=at) as play:
        yield play, said
        subject = play.round or play.shoe or play.table
        label = getattr(subject, "public_id", table.code)
        record(action, subject=subject, label=label, actor=actor, at=at, data=said)


def read_face(field: str, text: str) -> Face:
    """Read a card keyed as `10H`, in any case.

    :raises PlayRefused: if it is no card.
    """
    try:
        return Face.parse(text.strip().upper())
    except ValueError as error:
        raise PlayRefused(
            field, "card/form", f"{text!r} is no card: rank A 2-10 J Q K, then suit S H D C"
        ) from error


def key_shoe(*, table: GameTable, decks: int, card_set: str = "", actor: Actor, at: datetime) -> Shoe:
    """Open a shoe.

    :raises PlayRefused: if one lies on the table, or the rulebook plays with another number of decks.
    """
    with _keying(table, "shoe.keyed", actor=actor, at=at) as (play, said):
        if play.shoe is not None:
            raise PlayRefused(
                "table", "shoe/one-open", f"{play.shoe.public_id} lies on the table; end it first"
            )
        shoe = shoes.start_shoe(play, platform_id="", decks=decks, card_set=card_set)
        said.update(decks=decks, card_set=card_set)
    return shoe


def key_cut(*, table: GameTable, from_back: int, actor: Actor, at: datetime) -> Shoe:
    """Enter where the blue card was cut in, in cards from the back.

    :raises PlayRefused: if no shoe lies on the table, or a round was dealt.
    """
    with _keying(table, "shoe.cut_keyed", actor=actor, at=at) as (play, said):
        shoes.place_cut_card(play, from_back=from_back)
        said.update(from_back=from_back)
        return play.need_shoe()


def key_burn(*, table: GameTable, turned: str, count: int, actor: Actor, at: datetime) -> Shoe:
    """Enter the card turned up and how many were burned besides it; `turned` is empty where none is turned.

    :raises PlayRefused: if the burn was recorded before, or a round was dealt.
    """
    face = read_face("turned", turned) if turned.strip() else None
    if not 0 <= count <= 52:
        raise PlayRefused("count", "shoe/start", "from 0 to 52 cards are burned")
    with _keying(table, "shoe.burn_keyed", actor=actor, at=at) as (play, said):
        shoes.burn_cards(play, turned=face, count=count, faces=[], source=CardSource.KEYED)
        said.update(turned=str(face) if face else None, count=count)
        return play.need_shoe()


def key_card(
    *, table: GameTable, place: str, card: str, actor: Actor, at: datetime, number: int | None = None
) -> Card:
    """Key one card that the scanner missed, at its place in the round in play.

    With the `number` of the round that is meant, a card keyed twice or too late goes into no other round.

    :raises PlayRefused: if no round is being dealt, another one than meant is, or a card lies there.
    """
    face = read_face("card", card)
    with _keying(table, "card.keyed", actor=actor, at=at) as (play, said):
        round_ = _round_in_play(play)
        _check_meant(play, number, round_.number)
        dealt = rounds.deal_card(play, round_, place=_place(place), face=face, source=CardSource.KEYED)
        said.update(place=place, card=str(face))
    return dealt


def key_coup(*, table: GameTable, cards: str, actor: Actor, at: datetime, number: int | None = None) -> Round:
    """Key a whole coup, in the order dealt as `6H 4H 4C 6S`: the round in play, or the next one of the shoe.

    The cards a scanner did see are kept, and must be the same. With the `number` of the round that is meant,
    a form sent twice does not make the next round out of the same cards.

    :raises PlayRefused: if the cards are no lawful coup, differ from those scanned, or another round than
        the one meant is to be dealt.
    """
    faces = [read_face("cards", text) for text in cards.replace(",", " ").split()]
    with _keying(table, "coup.keyed", actor=actor, at=at) as (play, said):
        shoe = play.need_shoe()
        _check_meant(play, number, next_number(play.round))
        try:
            coup = read_coup(faces, shoe.decks)
        except IllegalCoup as error:
            raise PlayRefused("cards", "coup/drawing", str(error)) from error
        for place, card in play.placed.items():
            if not (play.round and is_over(play.round)) and coup.placed.get(place) != card.face:
                raise PlayRefused(
                    "cards", "coup/scanned", f"{place.value} was scanned as {card.face}; correct it first"
                )
        round_ = _next_round(play)
        if play.deal is None:
            rounds.close_betting(play, round_)
        for place, face in coup.placed.items():
            if place not in play.placed:
                rounds.deal_card(play, round_, place=place, face=face, source=CardSource.KEYED)
        outcome = coup.outcome.value
        rounds.claim_result(
            play, round_, outcome=outcome, player_total=coup.player_total, banker_total=coup.banker_total
        )
        said.update(cards=[str(face) for face in faces], outcome=outcome)
    return round_


def next_number(round_: Round | None) -> int:
    """Return the number of the round that a coup would be keyed into, after or into the one on the table."""
    if round_ is None:
        return 1
    return round_.number + 1 if is_over(round_) else round_.number


def _check_meant(play: Play, meant: int | None, number: int) -> None:
    if meant is not None and meant != number:
        code = play.table.code
        raise PlayRefused(
            "number", "round/meant", f"round {meant} was meant, but {code} is at round {number}; look again"
        )


def _next_round(play: Play) -> Round:
    """Return the round in play, or begin the next one of the shoe."""
    if play.round is not None and not is_over(play.round):
        return play.round
    number = next_number(play.round)
    return rounds.open_betting(
        play, platform_id=f"keyed-{play.need_shoe().public_id}-{number}", number=number
    )


def _round_in_play(play: Play) -> Round:
    if play.round is None or is_over(play.round):
        raise PlayRefused("table", "round/in-play", f"no round is in play on {play.table.code}")
    return play.round


def _place(text: str) -> Place:
    try:
        return Place(text)
    except ValueError as error:
        places = ", ".join(place.value for place in Place)
        raise PlayRefused("place", "round/places", f"{text!r} is none of {places}") from error
