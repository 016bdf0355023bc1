"""The drawing rules: whose card comes next, whether a coup was dealt lawfully, and why each card was drawn.

All house rules agree on the tableau (`insurance/draw`, `commission/draw`, `no-commission/draw`, `live/draw`),
so it is one table here and not part of a rulebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tables.rules.cards import CARD_BY_TEXT, Card, hand_total


class Outcome(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Place(StrEnum):
    """Where a card of a coup lies."""

    P1 = "P1"
    B1 = "B1"
    P2 = "P2"
    B2 = "B2"
    P3 = "P3"
    B3 = "B3"


DEAL_ORDER: Final = (Place.P1, Place.B1, Place.P2, Place.B2, Place.P3, Place.B3)
INITIAL_PLACES: Final = DEAL_ORDER[:4]

NATURALS: Final = frozenset({8, 9})
PLAYER_DRAWS_ON: Final = frozenset({0, 1, 2, 3, 4, 5})


@dataclass(frozen=True, slots=True)
class BankerLine:
    """One line of the tableau: what the Banker does with one two-card total."""

    draws_after_stand: bool
    draws_on_third: frozenset[int]


_ANY: Final = frozenset(range(10))

BANKER_TABLEAU: Final[Mapping[int, BankerLine]] = {
    0: BankerLine(True, _ANY),
    1: BankerLine(True, _ANY),
    2: BankerLine(True, _ANY),
    3: BankerLine(True, _ANY - {8}),
    4: BankerLine(True, frozenset({2, 3, 4, 5, 6, 7})),
    5: BankerLine(True, frozenset({4, 5, 6, 7})),
    6: BankerLine(False, frozenset({6, 7})),
    7: BankerLine(False, frozenset()),
}


class IllegalCoupCode(StrEnum):
    MISSING_INITIAL_CARDS = "missing_initial_cards"
    MISSING_PLAYER_THIRD = "missing_player_third"
    MISSING_BANKER_THIRD = "missing_banker_third"
    EXTRA_CARD = "extra_card"
    UNKNOWN_CARD = "unknown_card"
    TOO_MANY_COPIES = "too_many_copies"


class IllegalCoup(ValueError):
    """Cards that no lawful coup consists of; `str()` gives the code, a colon and the message."""

    def __init__(
        self,
        code: IllegalCoupCode,
        message: str,
        *,
        position: int,
        due: Place | None,
        card: str | None = None,
        standing: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(f"{code.value}: {message}")
        self.code = code
        self.message = message
        self.card = card  # what was dealt there, None where nothing was
        self.standing = standing  # Player's and Banker's two-card totals, None before four cards lie
        self.position = position  # of the first wrong card, counted from 1 in dealt order
        self.due = due  # what the tableau wanted there; None when nothing more


@dataclass(frozen=True, slots=True)
class Coup:
    """A complete, lawful deal."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_total: int
    banker_total: int

    @property
    def outcome(self) -> Outcome:
        if self.player_total > self.banker_total:
            return Outcome.PLAYER
        return Outcome.BANKER if self.banker_total > self.player_total else Outcome.TIE

    @property
    def margin(self) -> int:
        """Points between the two hands, 0 on a tie."""
        return abs(self.player_total - self.banker_total)

    @property
    def player_natural(self) -> bool:
        return len(self.player) == 2 and self.player_total >= 8

    @property
    def banker_natural(self) -> bool:
        return len(self.banker) == 2 and self.banker_total >= 8

    @property
    def player_pair(self) -> bool:
        """True when the Player's first two cards are of equal rank; 10 and K are no pair."""
        return self.player[0].rank == self.player[1].rank

    @property
    def banker_pair(self) -> bool:
        """True when the Banker's first two cards are of equal rank."""
        return self.banker[0].rank == self.banker[1].rank

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order dealt."""
        player, banker = self.player, self.banker
        return (player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:])

    @property
    def placed(self) -> dict[Place, Card]:
        """The cards by place, in the order dealt."""
        places = [*INITIAL_PLACES]
        if len(self.player) == 3:
            places.append(Place.P3)
        if len(self.banker) == 3:
            places.append(Place.B3)
        return dict(zip(places, self.cards, strict=True))


def _due_fifth(player_total: int, banker_total: int) -> Place | None:
    if player_total in NATURALS or banker_total in NATURALS:
        return None
    if player_total in PLAYER_DRAWS_ON:
        return Place.P3
    return Place.B3 if BANKER_TABLEAU[banker_total].draws_after_stand else None


def _due_sixth(banker_total: int, player_third: int) -> Place | None:
    line = BANKER_TABLEAU.get(banker_total)  # None for a natural, on which the Banker stands
    return Place.B3 if line is not None and player_third in line.draws_on_third else None


_DUE_FIFTH: Final = {(p, b): _due_fifth(p, b) for p in range(10) for b in range(10)}
_DUE_SIXTH: Final = {(b, third): _due_sixth(b, third) for b in range(10) for third in range(10)}
_DUE_BY_SHAPE: Final = {
    (0, 0): Place.P1,
    (1, 0): Place.B1,
    (1, 1): Place.P2,
    (2, 1): Place.B2,
    (2, 3): None,
    (3, 3): None,
}


def due_next(player: Sequence[Card], banker: Sequence[Card]) -> Place | None:
    """Name the place the tableau gives the next card to, or None when the coup is complete.

    The cards so far are taken to be lawful: a Player's third card is believed to have been due.

    :raises ValueError: if the hands could not stand like this at any moment of a deal.
    """
    shape = (len(player), len(banker))
    if shape == (2, 2):
        return _DUE_FIFTH[hand_total(player), hand_total(banker)]
    if shape == (3, 2):
        return _DUE_SIXTH[hand_total(banker), player[2].value]
    try:
        return _DUE_BY_SHAPE[shape]
    except KeyError:
        raise ValueError(f"no deal has {shape[0]} Player and {shape[1]} Banker cards") from None


def read_coup(cards: Sequence[Card | str], decks: int = 8) -> Coup:
    """Read cards in the order dealt (P1 B1 P2 B2, P3 if drawn, B3 if drawn) as a coup.

    Cards may be given as text. The cards are walked in that order, so the first wrong one decides the error;
    only more copies of a card than the decks hold are named before anything else.

    :raises IllegalCoup: if the cards break the drawing rules.
    """
    if len(cards) > decks:
        _refuse_excess_copies(cards, decks)
    player: list[Card] = []
    banker: list[Card] = []
    due = due_next(player, banker)
    for position, given in enumerate(cards, start=1):
        if due is None:
            raise _extra_card(given, position, player, banker)
        card = CARD_BY_TEXT.get(str(given))
        if card is None:
            raise _unknown_card(given, position, due)
        (player if due[0] == "P" else banker).append(card)
        due = due_next(player, banker)
    if due is not None:
        raise _missing_card(due, len(player) + len(banker) + 1, player, banker)
    return Coup(tuple(player), tuple(banker), hand_total(player), hand_total(banker))


def arrange(placed: Mapping[Place, Card], decks: int = 8) -> Coup:
    """Read the same from cards lying in named places.

    :raises IllegalCoup: if a place is empty that the tableau fills, or filled that it leaves empty.
    """
    if len(placed) > decks:
        _refuse_excess_copies([placed[place] for place in DEAL_ORDER if place in placed], decks)
    player: list[Card] = []
    banker: list[Card] = []
    while (due := due_next(player, banker)) is not None:
        position = len(player) + len(banker) + 1
        if due is Place.B3 and len(player) == 2 and Place.P3 in placed:
            raise _extra_card(placed[Place.P3], position, player, banker)
        card = placed.get(due)
        if card is None:
            raise _missing_card(due, position, player, banker)
        (player if due[0] == "P" else banker).append(card)
    coup = Coup(tuple(player), tuple(banker), hand_total(player), hand_total(banker))
    for place in DEAL_ORDER[4:]:
        if place in placed and place not in coup.placed:
            raise _extra_card(placed[place], len(coup.placed) + 1, player, banker)
    return coup


PLACE_WORDS: Final = {
    Place.P1: "the Player's first card",
    Place.B1: "the Banker's first card",
    Place.P2: "the Player's second card",
    Place.B2: "the Banker's second card",
    Place.P3: "the Player's third card",
    Place.B3: "the Banker's third card",
}


def _missing_card(due: Place, position: int, player: Sequence[Card], banker: Sequence[Card]) -> IllegalCoup:
    code = {
        Place.P3: IllegalCoupCode.MISSING_PLAYER_THIRD,
        Place.B3: IllegalCoupCode.MISSING_BANKER_THIRD,
    }.get(due, IllegalCoupCode.MISSING_INITIAL_CARDS)
    message = f"card {position} is missing; {PLACE_WORDS[due]} was due"
    if due not in DEAL_ORDER[4:]:
        return IllegalCoup(code, message, position=position, due=due)
    message += f" ({_standing(player, banker)})"
    return IllegalCoup(code, message, position=position, due=due, standing=_totals(player, banker))


def _extra_card(given: object, position: int, player: Sequence[Card], banker: Sequence[Card]) -> IllegalCoup:
    due = due_next(player, banker)
    card = _shortened(given)
    wanted = "nothing more was due" if due is None else f"{PLACE_WORDS[due]} was due instead"
    message = f"card {position} ({card}) should not have been dealt; {wanted} ({_standing(player, banker)})"
    standing = _totals(player, banker)
    return IllegalCoup(
        IllegalCoupCode.EXTRA_CARD, message, position=position, due=due, card=card, standing=standing
    )


def _unknown_card(given: object, position: int, due: Place) -> IllegalCoup:
    card = _shortened(given)
    message = (
        f"card {position} ({card!r}) is no card; {PLACE_WORDS[due]} was due "
        "(rank A 2-10 J Q K, then suit S H D C)"
    )
    return IllegalCoup(IllegalCoupCode.UNKNOWN_CARD, message, position=position, due=due, card=card)


def _refuse_excess_copies(cards: Sequence[Card | str], decks: int) -> None:
    copies: Counter[str] = Counter()
    for position, given in enumerate(cards, start=1):
        card = str(given)
        copies[card] += 1
        if copies[card] > decks and card in CARD_BY_TEXT:
            raise IllegalCoup(
                IllegalCoupCode.TOO_MANY_COPIES,
                f"card {position} ({card}) is one copy more than the {decks} decks hold; "
                "another card, or none, was due",
                position=position,
                due=None,
                card=card,
            )


def _shortened(given: object) -> str:
    text = str(given)
    return text if len(text) <= 12 else f"{text[:12]}…"


def _totals(player: Sequence[Card], banker: Sequence[Card]) -> tuple[int, int]:
    return hand_total(player[:2]), hand_total(banker[:2])


def _standing(player: Sequence[Card], banker: Sequence[Card]) -> str:
    """Say in words what the tableau looked at."""
    words = f"Player {hand_total(player[:2])}, Banker {hand_total(banker[:2])} after four cards"
    if len(player) == 3:
        words += f", Player's third worth {player[2].value}"
    return words


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing the tableau said about a coup: a code and the values its sentence is filled with."""

    code: str
    values: Mapping[str, int | str]


def explain(coup: Coup) -> tuple[Reason, Reason, Reason]:
    """Give the three reasons of a coup: natural or not, the Player's line, the Banker's line."""
    player_total, banker_total = hand_total(coup.player[:2]), hand_total(coup.banker[:2])
    return (
        _explain_natural(player_total, banker_total),
        _explain_player(coup, player_total, banker_total),
        _explain_banker(coup, player_total, banker_total),
    )


def _explain_natural(player_total: int, banker_total: int) -> Reason:
    match (player_total in NATURALS, banker_total in NATURALS):
        case (False, False):
            code = "no_natural"
        case (True, False):
            code = "player_natural"
        case (False, True):
            code = "banker_natural"
        case _ if player_total == banker_total:
            code = "equal_naturals"
        case _:
            code = "player_higher_natural" if player_total > banker_total else "banker_higher_natural"
    return Reason(code, {"player_total": player_total, "banker_total": banker_total})


def _explain_player(coup: Coup, player_total: int, banker_total: int) -> Reason:
    if player_total in NATURALS:
        return Reason("player_stands_on_own_natural", {"total": player_total})
    values: dict[str, int | str]
    if banker_total in NATURALS:
        values = {"total": player_total, "banker_total": banker_total}
        return Reason("player_stands_on_banker_natural", values)
    if len(coup.player) == 2:
        return Reason("player_stands", {"total": player_total})
    values = {"total": player_total, "card": str(coup.player[2]), "after": coup.player_total}
    return Reason("player_draws", values)


def _explain_banker(coup: Coup, player_total: int, banker_total: int) -> Reason:
    if banker_total in NATURALS:
        return Reason("banker_stands_on_own_natural", {"total": banker_total})
    values: dict[str, int | str]
    if player_total in NATURALS:
        values = {"total": banker_total, "player_total": player_total}
        return Reason("banker_stands_on_player_natural", values)
    values = {"total": banker_total}
    drew = len(coup.banker) == 3
    if drew:
        values |= {"card": str(coup.banker[2]), "after": coup.banker_total}
    if len(coup.player) == 3:
        values["third"] = coup.player[2].value
    after = "third" if len(coup.player) == 3 else "stand"
    return Reason(f"banker_{'draws' if drew else 'stands'}_after_{after}", values)
