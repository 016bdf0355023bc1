"""What may be asked for as a ruling, and what it would do: nothing is written here."""

from collections.abc import Mapping, Sequence
from typing import Any

from audit.models import Incident, Ruling, RulingKind, RulingRound
from audit.queries.previews import Preview, preview
from audit.queries.rulings_in_force import SHOE_KINDS, TAKES_SHOE, UNSEEN, plan_under, texts_of
from tables.models import Deal, DealStatus, GameTable, Round, RoundStatus, Shoe
from tables.queries.rulebooks import rules_of
from tables.rules.cards import Card as Face
from tables.rules.drawing import IllegalCoup, Place
from tables.services.actors import Actor

OF_CARDS = (RulingKind.CORRECT, RulingKind.RE_DEAL)
ALSO = frozenset({"replace_shoe", "reshuffle", "close_table"})


class BadRuling(ValueError):
    """What was asked for cannot be ruled: names the field and the rule."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message} ({rule})")
        self.field, self.rule, self.message = field, rule, message


def preview_ruling(
    *,
    kind: RulingKind,
    rounds: Sequence[Round],
    table: GameTable,
    facts: Mapping[str, Any],
    actor: Actor,
    shoe: Shoe | None = None,
    reinstates: Ruling | None = None,
) -> Preview:
    """Show what a ruling would do as the rounds are now, as whoever asks for it would get it.

    :raises BadRuling: naming what will not do.
    """
    actor.require("audit.request_ruling")
    _, seen = look_at(kind, rounds, facts, table=table, shoe=shoe, reinstates=reinstates)
    return seen


def look_at(
    kind: RulingKind,
    rounds: Sequence[Round],
    facts: Mapping[str, Any],
    *,
    table: GameTable,
    shoe: Shoe | None,
    reinstates: Ruling | None,
) -> tuple[dict[str, Any], Preview]:
    """Check what is asked for, and return its exact facts and its preview.

    :raises BadRuling: naming what will not do.
    """
    for round_ in rounds:
        if round_.table_id != table.pk:
            raise BadRuling("rounds", "ruling/table", f"{round_.public_id} was not played on {table.code}")
    exact = _check(kind, rounds, facts, table=table, shoe=shoe, reinstates=reinstates)
    try:
        return exact, preview(rounds, kind, exact, reinstates=reinstates)
    except (IllegalCoup, ValueError) as error:
        raise BadRuling("cards", "coup/drawing", str(error)) from error


def _check(
    kind: RulingKind,
    rounds: Sequence[Round],
    facts: Mapping[str, Any],
    *,
    table: GameTable,
    shoe: Shoe | None,
    reinstates: Ruling | None,
) -> dict[str, Any]:
    """Check what belongs to a kind of ruling, and return its exact facts.

    :raises BadRuling: naming the field.
    """
    also = [name for name in facts.get("also", ()) if name in ALSO]
    if kind is RulingKind.CLOSE_TABLE:
        return {"also": also}
    if kind in SHOE_KINDS and shoe is None:
        raise BadRuling("shoe", "ruling/shoe", "name the shoe")
    if kind in TAKES_SHOE and shoe is not None:
        if shoe.ended_at is not None:
            raise BadRuling("shoe", "ruling/shoe-gone", f"{shoe.public_id} has left the table already")
        return {"also": also}
    if kind is RulingKind.STAND and not rounds:
        return {"also": also}
    if not rounds:
        raise BadRuling("rounds", "ruling/rounds", "no round is named")
    if kind in (RulingKind.VOID_RANGE, RulingKind.VOID_SHOE):
        if any(round_.status == RoundStatus.VOIDED for round_ in rounds):
            raise BadRuling("rounds", "ruling/void", "a round of them is void already; leave it out")
        if kind is RulingKind.VOID_SHOE and shoe is not None:
            _check_whole(rounds, shoe)
        return {"also": also}
    if len(rounds) != 1:
        raise BadRuling("rounds", "ruling/one-round", f"{kind.value} is about one round")
    (round_,) = rounds
    match kind:
        case RulingKind.VOID_ROUND:
            if round_.status == RoundStatus.VOIDED:
                raise BadRuling("rounds", "ruling/void", f"{round_.public_id} is void already")
        case RulingKind.VOID_KINDS:
            return {"also": also, "kinds": _kinds(round_, facts)}
        case RulingKind.RE_DEAL:
            deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
            if deal is None or round_.status == RoundStatus.VOIDED:
                raise BadRuling(
                    "rounds", "ruling/re-deal", f"{round_.public_id} has no deal to be dealt again"
                )
            if round_.shoe.ended_at is not None:
                raise BadRuling(
                    "rounds", "ruling/re-deal", "the shoe has left the table; void the round instead"
                )
            return {"also": also, "deal": deal.number}
        case RulingKind.CORRECT:
            return {"also": also, **_correction(round_, facts)}
        case RulingKind.REINSTATE:
            return {"also": also, **_reinstatement(round_, reinstates)}
    return {"also": also}


def _check_whole(rounds: Sequence[Round], shoe: Shoe) -> None:
    """Refuse to call a shoe void of which a round would be left as it is.

    :raises BadRuling: if a round is missing, or is of another shoe.
    """
    live = Round.objects.filter(shoe=shoe).exclude(status=RoundStatus.VOIDED.value)
    if {round_.pk for round_ in rounds} != set(live.values_list("pk", flat=True)):
        raise BadRuling(
            "rounds",
            "ruling/whole-shoe",
            f"these are not the rounds of {shoe.public_id} that are not void yet; look again",
        )


def check_incident(
    incident: Incident, kind: RulingKind, rounds: Sequence[Round], *, table: GameTable, shoe: Shoe | None
) -> None:
    """Refuse a ruling that answers an incident it is not about: that one would be closed, its hold lifted.

    :raises BadRuling: if it happened at another table, or in a round the ruling does not decide.
    """
    is_there = incident.table_id == table.pk
    is_of_shoe = kind in SHOE_KINDS and shoe is not None and incident.shoe_id == shoe.pk
    is_about_it = (
        incident.round_id in {None, *(round_.pk for round_ in rounds)}
        or kind is RulingKind.CLOSE_TABLE
        or is_of_shoe
    )
    if not (is_there and is_about_it):
        where = incident.round.public_id if incident.round else f"table {incident.table.code}"
        raise BadRuling("incident", "ruling/incident", f"{incident.number} is about {where}")


def _kinds(round_: Round, facts: Mapping[str, Any]) -> list[str]:
    rules = rules_of(round_.rulebook_id)
    kinds = sorted(set(facts.get("kinds", ())))
    unknown = [kind for kind in kinds if kind not in rules.kinds]
    if unknown or not kinds:
        named = ", ".join(unknown) or "none"
        raise BadRuling("kinds", "ruling/kinds", f"kinds of bet of {rules.id} are wanted; named: {named}")
    return kinds


def _correction(round_: Round, facts: Mapping[str, Any]) -> dict[str, Any]:
    deal = Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    if deal is None:
        raise BadRuling("rounds", "ruling/correct", f"nothing was dealt in {round_.public_id}")
    before = texts_of(deal)
    cards = dict(facts.get("cards", {}))
    for place, text in cards.items():
        _check_card(place, text)
    if cards == before:
        raise BadRuling("cards", "ruling/correct", "the cards are the same as recorded")
    return {"cards": cards, "before": before}


def _check_card(place: str, text: Any) -> None:
    """Refuse what cannot lie in a coup: a correction says the face of every card, seen or not before.

    :raises BadRuling: naming the place.
    """
    if place not in set(Place):
        known = ", ".join(place.value for place in Place)
        raise BadRuling("cards", "coup/places", f"{place} is no place of a coup; known: {known}")
    try:
        Face.parse(str(text))
    except ValueError as error:
        raise BadRuling(
            "cards", "card/form", f"{text!r} at {place} is no card; say the face that lies there, as 10H"
        ) from error


def _reinstatement(round_: Round, reinstates: Ruling | None) -> dict[str, Any]:
    if reinstates is None:
        raise BadRuling("reinstates", "ruling/reinstate", "name the ruling that is to be out of force")
    row = RulingRound.objects.filter(ruling=reinstates, round=round_, is_in_force=True).first()
    if row is None:
        raise BadRuling(
            "reinstates", "ruling/reinstate", f"{reinstates.number} is not in force on this round"
        )
    if reinstates.kind == RulingKind.CORRECT and UNSEEN in reinstates.facts["before"].values():
        raise BadRuling(
            "reinstates",
            "ruling/card-unseen",
            f"before {reinstates.number} a card had not been seen; correct the cards instead",
        )
    newer = RulingRound.objects.filter(
        round=round_, is_in_force=True, ruling__kind__in=OF_CARDS, applied_at__gt=row.applied_at
    )
    if reinstates.kind in OF_CARDS and newer.exists():
        raise BadRuling(
            "reinstates", "ruling/reinstate", "a later ruling rests on it; take that out of force first"
        )
    _check_payable(round_, reinstates)
    return {}


def _check_payable(round_: Round, reinstates: Ruling) -> None:
    """Refuse to let a round count again whose cards would say nothing, as one void before it was dealt.

    :raises BadRuling: if nothing could be paid by its cards.
    """
    try:
        plan = plan_under(round_, RulingKind.REINSTATE, {}, reinstates=reinstates)
    except ValueError as error:
        raise BadRuling("reinstates", "coup/drawing", str(error)) from error
    is_over = round_.status in (RoundStatus.SETTLED, RoundStatus.VOIDED)
    counts = is_over or (round_.status == RoundStatus.RESULTED and reinstates.kind == RulingKind.RE_DEAL)
    if counts and plan.coup is None and not plan.void_all:
        raise BadRuling(
            "reinstates", "ruling/no-coup", f"no lawful coup would lie in {round_.public_id} to pay by"
        )
