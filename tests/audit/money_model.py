"""The money of one round, worked out a second time: nothing here comes from the product.

Cards are texts in dealt order. What a round pays is a table of sentences; what rulings do to it is a list of
them. The product is held against it after every step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PIPS = {"A": 1, "10": 0, "J": 0, "Q": 0, "K": 0} | {str(pips): pips for pips in range(2, 10)}
#: Player's total and the Banker's totals at which insuring the Player is sold after four cards: pays n to m.
PLAYER_INSURANCE = {5: ((4,), (3, 2)), 6: ((0, 1, 2, 3, 4, 5), (5, 2)), 7: ((0, 1, 2, 3, 4, 5), (4, 1))}


@dataclass(frozen=True)
class Coup:
    """A coup as it was dealt: Player, Banker, Player, Banker, then the third cards."""

    text: str
    thirds: str = ""  # who drew: "", "P", "B" or "PB"

    @property
    def places(self) -> dict[str, str]:
        names = ["P1", "B1", "P2", "B2", *(f"{side}3" for side in self.thirds)]
        return dict(zip(names, self.text.split(), strict=True))

    def points(self, side: str, cards: int = 3) -> int:
        lying = [self.places.get(f"{side}{number}") for number in range(1, cards + 1)]
        return sum(PIPS[card[:-1]] for card in lying if card) % 10

    @property
    def winner(self) -> str:
        player, banker = self.points("P"), self.points("B")
        return "tie" if player == banker else "player" if player > banker else "banker"

    @property
    def insures_player_at(self) -> tuple[int, int] | None:
        if not self.thirds:
            return None
        bankers, odds = PLAYER_INSURANCE.get(self.points("P", 2), ((), (0, 1)))
        return odds if self.points("B", 2) in bankers else None


def pays(kind: str, coup: Coup, pays_half_on_6: bool) -> tuple[int, int] | str:
    """Say what a bet that is no insurance gets: odds as n to m, or `push` or `lost`."""
    winner, cards = coup.winner, len(coup.places)
    if winner == "tie" and kind in ("player", "banker"):
        return "push"
    with_6 = winner == "banker" and coup.points("B") == 6
    banker = (95, 100) if not pays_half_on_6 else (1, 2) if with_6 else (1, 1)
    rank = {place: card[:-1] for place, card in coup.places.items()}
    won = {
        "player": (winner == "player", (1, 1)),
        "banker": (winner == "banker", banker),
        "tie": (winner == "tie", (8, 1)),
        "player_pair": (rank["P1"] == rank["P2"], (11, 1)),
        "big": (cards > 4, (1, 2)),
        "small": (cards == 4, (3, 2)),
        "super_6_plus": (with_6, (18, 1) if "B" in coup.thirds else (12, 1)),
    }
    is_won, odds = won[kind]
    return odds if is_won else "lost"


@dataclass(frozen=True)
class Bet:
    id: str
    player: str
    kind: str
    stake: int
    deal: int = 0  # insurance belongs to a deal
    sold_at: tuple[int, int] | None = None


@dataclass
class Ruled:
    """A ruling that was carried out."""

    kind: str
    kinds: frozenset[str] = frozenset()
    before: Coup | None = None
    killed: int = 0
    is_in_force: bool = True


@dataclass
class Model:
    """One round: its deals, its bets, what was ruled, and what each bet was paid, leg by leg."""

    pays_half_on_6: bool
    status: str = "resulted"
    deals: dict[int, Coup | None] = field(default_factory=dict)
    live: int = 1
    bets: list[Bet] = field(default_factory=list)
    rulings: list[Ruled] = field(default_factory=list)
    legs: dict[str, list[int]] = field(default_factory=dict)
    revisions: int = 0

    @property
    def coup(self) -> Coup | None:
        return self.deals[self.live]

    def in_force(self, *kinds: str) -> list[Ruled]:
        return [ruled for ruled in self.rulings if ruled.is_in_force and ruled.kind in kinds]

    def paid(self, bet: Bet) -> int:
        return sum(self.legs.get(bet.id, []))

    def due(self, bet: Bet) -> tuple[str, int]:
        """Return what a bet should have now: a word, and what comes back with the stake in it."""
        void_kinds = {kind for ruled in self.in_force("void_kinds") for kind in ruled.kinds}
        if self.status == "voided" or bet.kind in void_kinds:
            return "void", bet.stake
        if self.status == "dealing":
            return ("void", bet.stake) if bet.deal else ("open", 0)
        coup = self.coup
        assert coup is not None
        if bet.deal:
            if bet.deal != self.live or coup.insures_player_at != bet.sold_at:
                return "void", bet.stake
            verdict = {"tie": "push", "player": "lost", "banker": bet.sold_at}[coup.winner]
        else:
            verdict = pays(bet.kind, coup, self.pays_half_on_6)
        if not isinstance(verdict, tuple):
            return str(verdict), bet.stake if verdict == "push" else 0
        return "won", bet.stake + bet.stake * verdict[0] // verdict[1]

    def settle(self) -> None:
        """Write a revision: every bet gets the difference to what it has."""
        self.revisions += 1
        for bet in self.bets:
            self.legs.setdefault(bet.id, []).append(self.due(bet)[1] - self.paid(bet))

    # --- what may be asked, and what it does ----------------------------------------------------------

    def is_settled(self) -> bool:
        return self.status in ("settled", "voided")

    def settle_if_due(self) -> None:
        if self.status == "resulted":
            self.status = "settled"
            self.settle()

    def correct(self, coup: Coup) -> bool:
        if coup == self.coup:
            return False
        self.rulings.append(Ruled("correct", before=self.coup))
        self.deals[self.live] = coup
        return self._apply()

    def void_kinds(self, kinds: frozenset[str]) -> bool:
        self.rulings.append(Ruled("void_kinds", kinds=kinds))
        return self._apply()

    def void(self) -> bool:
        if self.status == "voided":
            return False
        self.rulings.append(Ruled("void_round"))
        self.status = "voided"
        self.settle()
        return True

    def re_deal(self) -> bool:
        if self.status == "voided":
            return False
        self.rulings.append(Ruled("re_deal", killed=self.live))
        was_settled, self.status = self.is_settled(), "dealing"
        self.live = max(self.deals) + 1
        self.deals[self.live] = None
        if was_settled:
            self.settle()
        return True

    def deal(self, coup: Coup) -> None:
        self.deals[self.live], self.status = coup, "resulted"

    def reinstate(self, ruled: Ruled) -> bool:
        """Take a ruling out of force; one of cards only while no later one of cards rests on it."""
        resting = self.in_force("correct", "re_deal")
        if ruled.kind in ("correct", "re_deal") and resting[-1] is not ruled:
            return False
        if ruled.kind == "correct" and ruled.before is None:
            return False
        coup = self.deals[ruled.killed] if ruled.kind == "re_deal" else self.coup
        stays_void = self.status == "voided" and ruled.kind != "void_round"
        if coup is None and self.status != "dealing" and not stays_void:
            return False  # there would be no cards to pay by
        ruled.is_in_force = False
        if ruled.kind == "void_round":
            self.status = "settled"
        elif ruled.kind == "correct":
            self.deals[self.live] = ruled.before
        elif ruled.kind == "re_deal":
            self.live = ruled.killed
            if self.status in ("dealing", "resulted") and coup is not None:
                self.status = "settled"
        return self._apply()

    def _apply(self) -> bool:
        if self.is_settled():
            self.settle()
        return True
