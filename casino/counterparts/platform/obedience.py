"""What a table does when it hears a decision: the rest of its script, written anew.

Pure: the same script and the same orders give the same events, so that a table that was stopped can be taken
up again at the very event at which it stood. No card is lost or made: what a round does not need any more is
discarded before the next one, so that the shoe runs out, and the blue card comes, as it lay there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.script import Event
from tables.rules.cards import ALL_CARDS, Card
from tables.rules.drawing import Place, arrange, due_next

VOID: Final = "void"
RE_DEAL: Final = "re_deal"
CORRECTED: Final = "corrected"
SHOE_REPLACED: Final = "shoe_replaced"
TABLE_CLOSED: Final = "table_closed"
#: Others are for the record: a round that stands or waits for its money is played on.
OBEYED: Final = frozenset({VOID, RE_DEAL, CORRECTED, SHOE_REPLACED, TABLE_CLOSED})

PAUSE_MS: Final = 3_000  # until the dealer does what was ordered
CARD_MS: Final = 1_200
NEXT_ROUND_MS: Final = 8_000
BEFORE_ROUND_MS: Final = 5_000
MOST_CARDS: Final = 6
#: Of a round that gives its cards to another one's second deal, these are dealt there.
DEALT_AGAIN: Final = frozenset(
    {"card", "card_corrected", "scan_failed", "insurance_opened", "insurance_closed", "round_result"}
)


@dataclass(frozen=True, slots=True)
class Order:
    """What was decided, and how far the table was when it heard."""

    seq: int  # of the first event that was not yet sent
    kind: str
    subject: str = ""  # the table's own ID of the round or the shoe
    ruling: str = ""
    cards: Mapping[str, str] = field(default_factory=dict)  # by place, of a correction
    plays_out: bool = False  # of a closing: the round in play first


def order_of(decision: Mapping[str, Any], seq: int) -> Order | None:
    """Read a decision as it is told to tables; None where the table has nothing to do."""
    kind = decision["kind"]
    if kind not in OBEYED:
        return None
    subject = decision["platform_shoe"] if kind == SHOE_REPLACED else decision["platform_round"]
    cards = decision["data"].get("cards", {})
    plays_out = kind == TABLE_CLOSED and decision["data"].get("status") == "closed"
    return Order(seq, kind, subject or "", decision["ruling"] or "", cards, plays_out)


def obey(events: Sequence[Event], order: Order) -> list[Event]:
    """Return the events of a script with all that follows an order as the order wants it.

    An order about something that is over, or not of this script, changes nothing. Where the script ends with
    the order the table has to start anew, or is closed.
    """
    sent = [event for event in events if event["seq"] < order.seq]
    rest = [event for event in events if event["seq"] >= order.seq]
    match order.kind:
        case "table_closed":
            return [*sent, *_round_in_play(sent, rest)] if order.plays_out else sent
        case "shoe_replaced":
            return sent if order.subject and _shoe_of(sent) == order.subject else list(events)
    if not order.subject or _last(sent, "betting_opened", "round") != order.subject:
        return list(events)
    is_over = any(event["type"] == "round_result" and event["round"] == order.subject for event in sent)
    left, tail = ([], rest) if is_over else _split(rest, order.subject)
    match order.kind:
        case "re_deal":
            new, tail = _dealt_again(sent, left, tail, order)
        case _ if is_over:
            return list(events)
        case "corrected":
            new = _as_corrected(sent, left, order)
        case _:
            new = _run_out(left)
    return _renumbered(sent, _timed(sent, new), tail)


def _round_in_play(sent: Sequence[Event], rest: Sequence[Event]) -> list[Event]:
    """Return what is left of the round in play; nothing where none is, or where it gets no result."""
    round_id = _last(sent, "betting_opened", "round")
    for place, event in enumerate(rest):
        if event["type"] == "round_result" and event["round"] == round_id:
            return list(rest[: place + 1])
    return []


def _split(rest: Sequence[Event], round_id: str) -> tuple[list[Event], list[Event]]:
    """Part what is left of a round from what comes after it."""
    for place, event in enumerate(rest):
        if event["type"] == "round_result" and event["round"] == round_id:
            return list(rest[: place + 1]), list(rest[place + 1 :])
    return list(rest), []


def _run_out(left: Sequence[Event]) -> list[Event]:
    """Discard the cards that were not dealt yet; the blue card comes where it lies."""
    faces = _faces_read(left)
    out: list[Event] = []
    for event in left:
        if event["type"] == "card" and _is_face(event["card"]):
            out.append({"type": "card_out", "reason": "discard", "card": faces[event["place"]]})
        elif event["type"] in ("card_out", "blue_card"):
            out.append(_at_dealers_pace(event))
    return out


def _at_dealers_pace(event: Event) -> Event:
    return {name: value for name, value in event.items() if name != "at"}


def _as_corrected(sent: Sequence[Event], left: Sequence[Event], order: Order) -> list[Event]:
    """Say the result of the cards as they were put right; those entered in the shoe's order are out of it."""
    entered = max(len(order.cards) - _places_dealt(sent, order.subject), 0)
    run_out = _run_out(left)
    discards = [event for event in run_out if event["type"] != "blue_card"]
    said = [_result(order.subject, order.cards), *discards[entered:]]
    blue = _blue_after(run_out)
    return said if blue is None else _with_blue(said, max(blue - entered, 0))


def _dealt_again(
    sent: Sequence[Event], left: Sequence[Event], tail: Sequence[Event], order: Order
) -> tuple[list[Event], list[Event]]:
    """Deal the round again from the cards of the one that would come next, which then never opens."""
    opened = next((place for place, event in enumerate(tail) if event["type"] == "betting_opened"), None)
    ended = next((place for place, event in enumerate(tail) if event["type"] == "shoe_ended"), len(tail))
    if opened is None or opened > ended:
        return _dealt_from_the_back(sent, left, tail, order)
    before, following = list(tail[:opened]), tail[opened:]
    given, after = _split(following, following[0]["round"])
    deal = [event | {"round": order.subject} for event in given if event["type"] in DEALT_AGAIN]
    undealt = [*_run_out(left), *_run_out(before)]
    said = _blue_among([_started(order), *deal], undealt, _blue_after([*undealt, *given]))
    # Whatever else happened between the two rounds happens between this one and the one after.
    moved = [
        event | {"at": after[0]["at"] - BEFORE_ROUND_MS}
        for event in before
        if event["type"] not in ("card_out", "blue_card")
    ]
    return said, [*moved, *_numbers_down(after)]


def _dealt_from_the_back(
    sent: Sequence[Event], left: Sequence[Event], tail: Sequence[Event], order: Order
) -> tuple[list[Event], list[Event]]:
    """Deal the shoe's last round again from the cards behind the blue one; there may be too few."""
    cards = _cards_left([*sent, *left, *tail], order)
    if len(cards) < MOST_CARDS:
        return _run_out(left), list(tail)
    hands: dict[str, list[Card]] = {"P": [], "B": []}
    deal: list[Event] = []
    while (due := due_next(hands["P"], hands["B"])) is not None:
        card = cards[len(deal)]
        hands[due.value[0]].append(card)
        deal.append({"type": "card", "round": order.subject, "place": due.value, "card": str(card)})
    result = _result(order.subject, {event["place"]: event["card"] for event in deal})
    run_out = _run_out(left)
    said = _blue_among([_started(order), *deal, result], run_out, _blue_after(run_out))
    fewer = [
        event | {"left": event["left"] - len(deal)} if event["type"] == "shoe_ended" else event
        for event in tail
    ]
    return said, fewer


def _blue_among(deal: Sequence[Event], run_out: Sequence[Event], blue: int | None) -> list[Event]:
    """Put the blue card, if it comes, among the cards of a second deal and those discarded after it."""
    said = [*deal, *(event for event in run_out if event["type"] != "blue_card")]
    # Before the first card of a deal it would say that the round should not be; one card later it does not.
    return said if blue is None else _with_blue(said, max(blue, 1))


def _started(order: Order) -> Event:
    return {"type": "redeal_started", "round": order.subject, "decision": order.ruling}


def _result(round_id: str, cards: Mapping[str, str]) -> Event:
    coup = arrange({Place(place): Card.parse(card) for place, card in cards.items()})
    return {
        "type": "round_result",
        "round": round_id,
        "outcome": coup.outcome.value,
        "player_total": coup.player_total,
        "banker_total": coup.banker_total,
    }


def _cards_left(events: Sequence[Event], order: Order) -> list[Card]:
    """List the cards of the shoe that no event shows, shuffled in a way that follows from the order."""
    start = max(place for place, event in enumerate(events) if event["type"] == "shoe_started")
    seen: Counter[str] = Counter()
    for event in events[start:]:
        if event["type"] in ("card", "card_out"):
            seen[event["card"] or ""] += 1
        elif event["type"] == "burned":
            seen.update([*event.get("faces", ()), event["turned"] or ""])
    unseen = [card for card in ALL_CARDS for _ in range(events[start]["decks"] - seen[str(card)])]
    Chance("back of the shoe", order.subject, order.seq).shuffle(unseen)
    return unseen


def _blue_after(events: Iterable[Event]) -> int | None:
    """Count the cards before the blue one; None where it does not come."""
    out = 0
    for event in events:
        if event["type"] == "blue_card":
            return out
        out += _takes_a_card(event)
    return None


def _with_blue(events: Sequence[Event], after: int) -> list[Event]:
    """Let the blue card come after so many cards, as late as may be."""
    places = [place for place, event in enumerate(events) if _takes_a_card(event)]
    place = places[after] if after < len(places) else len(events)
    return [*events[:place], {"type": "blue_card"}, *events[place:]]


def _takes_a_card(event: Event) -> bool:
    return event["type"] == "card_out" or (event["type"] == "card" and _is_face(event["card"]))


def _is_face(text: str) -> bool:
    try:
        Card.parse(text)
    except ValueError:
        return False
    return True


def _faces_read(left: Sequence[Event]) -> dict[str, str]:
    """Return what lies at each place in the end: a card that was misread is put right afterwards."""
    return {event["place"]: event["card"] for event in left if event["type"] in ("card", "card_corrected")}


def _places_dealt(sent: Sequence[Event], round_id: str) -> int:
    """Count the places of a round's live deal that hold a card."""
    places: set[str] = set()
    for event in sent:
        if event.get("round") != round_id:
            continue
        if event["type"] == "redeal_started":
            places.clear()
        elif _takes_a_card(event):
            places.add(event["place"])
    return len(places)


def _shoe_of(sent: Sequence[Event]) -> str | None:
    """Return the shoe that lies on the table after these events."""
    shoe = None
    for event in sent:
        if event["type"] == "shoe_started":
            shoe = event["shoe"]
        elif event["type"] == "shoe_ended":
            shoe = None
    return shoe


def _last(events: Sequence[Event], type_: str, name: str) -> Any:
    return next((event[name] for event in reversed(events) if event["type"] == type_), None)


def _numbers_down(after: Sequence[Event]) -> list[Event]:
    """Count the rounds of this shoe without the one that never opened."""
    numbered: list[Event] = []
    is_this_shoe = True
    for event in after:
        is_this_shoe = is_this_shoe and event["type"] != "shoe_ended"
        if event["type"] == "betting_opened" and is_this_shoe:
            event = event | {"number": event["number"] - 1}
        numbered.append(event)
    return numbered


def _timed(sent: Sequence[Event], new: Sequence[Event]) -> list[Event]:
    """Give new events their times: what was scripted keeps its own pace, the rest takes the dealer's."""
    now = (sent[-1]["at"] if sent else 0) + PAUSE_MS
    timed: list[Event] = []
    before: int | None = None
    for event in new:
        own = event.get("at")
        now += own - before if own is not None and before is not None else CARD_MS
        before = own
        timed.append(event | {"at": now})
    return timed


def _renumbered(sent: Sequence[Event], new: Sequence[Event], tail: Sequence[Event]) -> list[Event]:
    """Put the three parts together: numbers and ids in order, the tail a pause after what is new."""
    first = sent[-1]["seq"] + 1
    series = sent[-1]["id"].rpartition("-")[0]
    ends = new[-1]["at"] if new else sent[-1]["at"]
    shift = ends + NEXT_ROUND_MS - tail[0]["at"] if tail else 0
    ids: dict[str, str] = {}
    written: list[Event] = []
    for seq, event in enumerate([*new, *(_later(event, shift) for event in tail)], start=first):
        own = f"{series}-{seq:05}"
        if "id" in event:
            ids[event["id"]] = own
        event = event | {"id": own, "table": sent[-1]["table"], "seq": seq}
        if "supersedes" in event:
            event["supersedes"] = ids.get(event["supersedes"], event["supersedes"])
        written.append(event)
    return [*sent, *written]


def _later(event: Event, shift: int) -> Event:
    moved = event | {"at": event["at"] + shift}
    if event["type"] == "bets":
        moved["bets"] = [bet | {"at": bet["at"] + shift} for bet in event["bets"]]
    return moved
