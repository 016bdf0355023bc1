"""A coup as the layout shows it: hands with their sums, the winner, why each card was drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tables import words
from tables.queries.coups import Dealing, DealtCard
from tables.rules.cards import hand_total
from tables.rules.drawing import Place, Reason


class Step(NamedTuple):
    """A card of a hand, and the hand's total once it lay there; None while a face is unseen."""

    card: DealtCard
    total: int | None


@dataclass(frozen=True, slots=True)
class HandView:
    name: str
    steps: Sequence[Step]
    total: int | None
    sum_text: str
    is_winner: bool
    due: Place | None


@dataclass(frozen=True, slots=True)
class CoupView:
    player: HandView
    banker: HandView
    is_complete: bool
    winner: str
    score: str
    notes: Sequence[str]
    reasons: Sequence[Reason]
    problem_heading: str = ""
    problem: str = ""


def view_coup(dealing: Dealing) -> CoupView:
    """Prepare a deal for the layout, in the language of this request."""
    coup = dealing.coup
    outcome = coup.outcome.value if coup else ""
    player = _hand(str(words.OUTCOMES["player"]), dealing.player, outcome == "player", dealing.due, "P")
    banker = _hand(str(words.OUTCOMES["banker"]), dealing.banker, outcome == "banker", dealing.due, "B")
    notes = []
    if coup and coup.player_pair:
        notes.append(str(words.BET_KINDS["player_pair"]))
    if coup and coup.banker_pair:
        notes.append(str(words.BET_KINDS["banker_pair"]))
    return CoupView(
        player=player,
        banker=banker,
        is_complete=coup is not None,
        winner=str(words.WINNERS[outcome]) if outcome else _still(dealing),
        score=f"{coup.player_total} – {coup.banker_total}" if coup else "",
        notes=notes,
        reasons=dealing.reasons,
        problem_heading=_("These cards break the drawing rules:") if dealing.problem else "",
        problem=dealing.problem.message if dealing.problem else "",
    )


def _still(dealing: Dealing) -> str:
    if dealing.problem:
        return _("Not lawful")
    return _("Dealing") if dealing.is_live else _("Not finished")


def _hand(name: str, cards: Sequence[DealtCard], is_winner: bool, due: Place | None, side: str) -> HandView:
    faces = [card.face for card in cards if card.face is not None]
    total = _total_of(cards)
    return HandView(
        name=name,
        steps=[Step(card, _total_of(cards[: place + 1])) for place, card in enumerate(cards)],
        total=total,
        sum_text=_sum_text([face.value for face in faces]) if total is not None and len(faces) > 1 else "",
        is_winner=is_winner,
        due=due if due is not None and due.value[0] == side else None,
    )


def _total_of(cards: Sequence[DealtCard]) -> int | None:
    """Add up cards that lie open; None where there is none, or one that nobody saw."""
    faces = [card.face for card in cards if card.face is not None]
    return hand_total(faces) if faces and len(faces) == len(cards) else None


def _sum_text(values: Sequence[int]) -> str:
    """Write how a total comes about: `6 + 6 + 4 = 16`, with the sum only where its tens are dropped."""
    text = " + ".join(str(value) for value in values)
    return f"{text} = {sum(values)}" if sum(values) > 9 else text


def describe_outcome(outcome: str, player_total: Any, banker_total: Any) -> str:
    """Say an outcome with its totals: `Player wins 6–2`."""
    if not outcome:
        return _("Void")
    score = f"{player_total}–{banker_total}" if player_total is not None else ""
    return f"{words.WINNERS[outcome]} {score}".strip()
