"""What is being typed, drawn as cards: the same pure rules and the same layout as the round's page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.admin.coup_view import CoupView, view_coup
from tables.queries.table_now import TableNow, cards_lying, lay, place_in_order
from tables.rules.cards import CARD_BY_TEXT
from tables.rules.cards import Card as Face
from tables.rules.drawing import Place
from tables.rules.rulebook import Rulebook as Rules
from tables.rules.shoe import burn_due
from tables.templatetags.felt import say_card

MOST_TYPED = 200


@dataclass(frozen=True, slots=True)
class Preview:
    """Cards typed so far: a coup or one card, a note on what cannot be, and both in words."""

    coup: CoupView | None = None
    card: Face | None = None
    note: str = ""
    said: str = ""


def preview_coup(now: TableNow, text: str, at: datetime) -> Preview:
    """Lay the cards of a coup as they are typed; a card not finished yet is waited for."""
    faces, unread = _read(text)
    typed, too_many = place_in_order(faces)
    coup = view_coup(lay(now, cards_lying(now), typed, at))
    note = _("%(text)s is no card") % {"text": unread} if unread else ""
    if too_many:
        note = ngettext(
            "The drawing table ends before this: %(count)s card too many.",
            "The drawing table ends before this: %(count)s cards too many.",
            too_many,
        ) % {"count": too_many}
    return Preview(coup=coup, note=note, said=_say(coup, note))


def preview_card(now: TableNow, place: str, text: str, at: datetime) -> Preview:
    """Lay one card into the round in play as it is typed."""
    faces, unread = _read(text)
    lying = cards_lying(now)
    known = next((one for one in Place if one.value == place), None)
    typed = {known: faces[0]} if faces and known else {}
    note = _("%(text)s is no card") % {"text": unread} if unread else ""
    if typed and known in lying:
        note = _("%(place)s holds %(card)s already") % {"place": place, "card": lying[known].face.face}
        typed = {}
    coup = view_coup(lay(now, lying, typed, at))
    return Preview(coup=coup, note=note, said=_say(coup, note))


def preview_burn(text: str, rules: Rules) -> Preview:
    """Show the card turned up, and how many cards the rule burns besides it."""
    faces, unread = _read(text)
    if unread:
        note = _("%(text)s is no card") % {"text": unread}
        return Preview(note=note, said=note)
    card = faces[0] if faces else None
    try:
        due = burn_due(rules.burn, card, rules.decks)
    except ValueError:
        return Preview(said=_("The card turned up decides how many are burned."))
    said = ngettext("The rule burns %(count)s card.", "The rule burns %(count)s cards.", due) % {"count": due}
    return Preview(card=card, said=f"{say_card(card)}. {said}" if card else said)


def _read(text: str) -> tuple[list[Face], str]:
    """Read cards up to the first that is none; the last one may still be half typed."""
    tokens = text[:MOST_TYPED].upper().replace(",", " ").split()
    faces: list[Face] = []
    for number, token in enumerate(tokens, start=1):
        face = CARD_BY_TEXT.get(token)
        if face is None:
            is_begun = number == len(tokens) and any(known.startswith(token) for known in CARD_BY_TEXT)
            return faces, "" if is_begun else token[:20]
        faces.append(face)
    return faces, ""


def _say(coup: CoupView, note: str) -> str:
    """Say the hands as a screen reader should hear them after a card."""
    hands = [f"{hand.name} {hand.total}" for hand in (coup.player, coup.banker) if hand.total is not None]
    return ". ".join([*hands, coup.winner, *([note] if note else [])])
