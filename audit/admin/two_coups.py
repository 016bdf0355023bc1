"""The coup as it was and as it would be, side by side, with the cards that differ marked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from tables import words
from tables.admin.coup_view import describe_outcome
from tables.rules.cards import Card as Face
from tables.rules.cards import hand_total
from tables.rules.drawing import DEAL_ORDER, Coup, IllegalCoup, Place, Reason, arrange, due_next, explain
from tables.rules.sentences import mistake
from tables.templatetags.felt import spoken_language


@dataclass(frozen=True, slots=True)
class MarkedCard:
    """A card on the felt; a marked one differs from the other coup."""

    place: str
    face: Face | None
    is_marked: bool

    @property
    def is_third(self) -> bool:
        return self.place in ("P3", "B3")


@dataclass(frozen=True, slots=True)
class MarkedHand:
    name: str
    total: int | None
    cards: tuple[MarkedCard, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarkedCoup:
    """One of the two: its hands, what it comes to, why its last card was drawn."""

    hands: tuple[MarkedHand, ...]
    outcome: str
    pairs: tuple[str, ...]
    reasons: tuple[Reason, ...]
    problem: str = ""


SIDES = {"P": "player", "B": "banker"}


def compare_coups(
    before: Mapping[str, str], after: Mapping[str, str], decks: int
) -> tuple[MarkedCoup, MarkedCoup]:
    """Draw two sets of cards by place. Texts that are no cards are shown as unseen ones."""
    changed = {place for place in {*before, *after} if before.get(place) != after.get(place)}
    return (
        _mark(before, changed, decks, {place: _was(place, before, after) for place in changed}),
        _mark(after, changed, decks, {place: _became(place, before, after, changed) for place in changed}),
    )


def one_coup(cards: Mapping[str, str], decks: int) -> MarkedCoup:
    """Draw the cards that lie, with nothing marked; a coup that is still to be finished is nothing wrong."""
    drawn = _mark(cards, set(), decks, {})
    return replace(drawn, problem="", outcome=_("Not finished")) if _is_unfinished(cards) else drawn


def _is_unfinished(cards: Mapping[str, str]) -> bool:
    hands = [
        [
            face
            for place in DEAL_ORDER
            if place.value[0] == side and (face := read_face(cards.get(place.value, "")))
        ]
        for side in SIDES
    ]
    try:
        return due_next(*hands) is not None
    except ValueError:
        return False


def _was(place: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if place not in before:
        return ""
    said = {"card": sign(before[place])}
    return _("%(card)s recorded here") % said if place in after else _("%(card)s taken out") % said


def _became(place: str, before: Mapping[str, str], after: Mapping[str, str], changed: set[str]) -> str:
    if place not in after:
        return ""
    card = after[place]
    source = next((other for other in sorted(changed) if other != place and before.get(other) == card), None)
    if source is not None:
        side = words.OUTCOMES[SIDES[source[:1]]] if source[:1] in SIDES else source
        return _("%(card)s moved from %(side)s") % {"card": sign(card), "side": side}
    if place in before:
        return _("%(card)s instead of %(other)s") % {"card": sign(card), "other": sign(before[place])}
    return _("%(card)s added") % {"card": sign(card)}


def sign(text: str) -> str:
    """Write a card with its suit's sign, `10H` as 10♥; what is no card stays as it is."""
    signs = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
    return text[:-1] + signs[text[-1]] if text[-1:] in signs else text


def _mark(cards: Mapping[str, str], changed: set[str], decks: int, notes: Mapping[str, str]) -> MarkedCoup:
    faces = {place: read_face(text) for place, text in cards.items()}
    coup, problem = _read(faces, decks)
    hands = []
    for side, name in SIDES.items():
        places = [place.value for place in DEAL_ORDER if place.value[0] == side and place.value in faces]
        seen = [face for place in places if (face := faces[place]) is not None]
        hands.append(
            MarkedHand(
                name=str(words.OUTCOMES[name]),
                total=hand_total(seen) if seen and len(seen) == len(places) else None,
                cards=tuple(MarkedCard(place, faces[place], place in changed) for place in places),
                notes=tuple(note for place in places if (note := notes.get(place, ""))),
            )
        )
    if coup is None:
        return MarkedCoup(tuple(hands), "", (), (), problem)
    pairs = [("player_pair", coup.player_pair), ("banker_pair", coup.banker_pair)]
    return MarkedCoup(
        tuple(hands),
        describe_outcome(coup.outcome.value, coup.player_total, coup.banker_total),
        tuple(str(words.BET_KINDS[kind]) for kind, is_there in pairs if is_there),
        explain(coup)[-1:],
    )


def read_face(text: str) -> Face | None:
    """Read a card, or None where the text is none."""
    try:
        return Face.parse(text)
    except ValueError:
        return None


def _read(faces: Mapping[str, Face | None], decks: int) -> tuple[Coup | None, str]:
    placed = {Place(place): face for place, face in faces.items() if face is not None and place in set(Place)}
    if len(placed) != len(faces):
        return None, _("Not every text is a card.")
    try:
        return arrange(placed, decks), ""
    except IllegalCoup as error:
        return None, mistake(error, spoken_language())
