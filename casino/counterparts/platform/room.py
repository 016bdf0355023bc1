"""Who sits at a table, and what they bet in a round, mistakes included."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.players import BAHT, PLAYERS, ROUND_BAHT, Gambler, gambler
from tables.rules.acceptance import Situation, refusal
from tables.rules.bets import NO_PHASE, verdicts
from tables.rules.drawing import Coup
from tables.rules.insurance import Offers
from tables.rules.rulebook import INSURANCE_KINDS, OTHER_SIDE, BothSides, Rulebook, Side
from tables.rules.verdict import Result

FEWEST_BETS: Final = 8
LOWEST_BAHT: Final = 20
HIGHEST_BAHT: Final = 50_000
HIGHEST_SIDE_BAHT: Final = 5_000
LOWEST_INSURANCE_BAHT: Final = 1

Limits = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many play at a table, and how much they may bet in a round."""

    mark: str  # in the names of what happens before them: other players make another day
    seats: tuple[int, int]
    most_bets: int
    most_before_cards: int  # the rest is left to insurance


USUAL: Final = Crowd("", (9, 20), 60, 48)
FULL: Final = Crowd("f", (30, 44), 150, 120)


@dataclass(slots=True)
class Wager:
    """A bet as it will be sent; `after_ms` counts from the moment the chance to bet opened."""

    player: str
    kind: str
    stake_minor: int
    after_ms: int
    phase: str = NO_PHASE
    odds: Fraction | None = None
    confirmed: bool = True
    is_taken_back: bool = False

    @property
    def is_early(self) -> bool:
        return self.after_ms < 0


def limits_of(rulebook: Rulebook) -> Limits:
    """Set what the tables show: the lowest and the highest stake of every kind, in satang."""
    limits = {}
    for kind, bet in rulebook.bets.items():
        highest = HIGHEST_SIDE_BAHT if bet.backs is None else HIGHEST_BAHT
        limits[kind] = (LOWEST_BAHT * BAHT, highest * BAHT)
    for kind in rulebook.insurance_kinds:
        limits[kind] = (LOWEST_INSURANCE_BAHT * BAHT, HIGHEST_BAHT * BAHT)
    return limits


@dataclass
class Room:
    """The players round one table."""

    seed: object
    rulebook: Rulebook
    chance: Chance
    crowd: Crowd = USUAL
    seated: list[Gambler] = field(default_factory=list)
    last_winner: str | None = None
    round_number: int = 0
    accepted: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    offered: dict[tuple[str, str], Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.limits = limits_of(self.rulebook)
        self._known = [gambler(self.seed, number, self.rulebook) for number in range(PLAYERS)]
        self._sides = [kind for kind, bet in self.rulebook.bets.items() if bet.backs is None]

    def place_bets(self, round_number: int, open_ms: int) -> list[Wager]:
        """Let everybody bet in a round whose betting lasts so long, in the order placed."""
        self.round_number, self.accepted, self.offered = round_number, {}, {}
        self._change_seats()
        wagers: list[Wager] = []
        for player in self.seated:
            wagers.extend(self._bets_of(player, open_ms))
        while len(wagers) < FEWEST_BETS:
            wagers.append(self._main(self.chance.one_of(self.seated), open_ms))
        wagers = wagers[: self.crowd.most_before_cards]
        self._slip(wagers, open_ms)
        wagers.sort(key=lambda wager: wager.after_ms)
        self._judge(wagers, open_ms)
        return wagers

    def insure(self, phase: str, offers: Offers, open_ms: int, room_left: int) -> list[Wager]:
        """Let players insure at the odds offered now, rightly or wrongly, in the order bought."""
        self.offered |= offers
        wagers: list[Wager] = []
        for player in self.seated:
            wagers.extend(self._insurance_of(player, phase, offers, open_ms))
        wagers = wagers[:room_left]
        wagers.sort(key=lambda wager: wager.after_ms)
        self._judge(wagers, open_ms)
        return wagers

    def see_result(self, coup: Coup) -> None:
        """Let everybody take the result to heart."""
        outcomes = verdicts(self.rulebook, coup)
        for player in self.seated:
            stakes = self.accepted.get(player.reference, {})
            results = [outcomes[key].result for key in stakes if key[0] in self._main_kinds()]
            if results:
                player.remember(None if Result.PUSH in results else Result.WON in results)
        if coup.outcome.value != "tie":
            self.last_winner = coup.outcome.value

    def _main_kinds(self) -> set[str]:
        return {kind for kinds in self.rulebook.main_kinds.values() for kind in kinds}

    def _change_seats(self) -> None:
        for player in self.seated:
            player.stays -= 1
        self.seated = [player for player in self.seated if player.stays > 0]
        low, high = self.crowd.seats
        waiting = [player for player in self._known if player not in self.seated]
        self.chance.shuffle(waiting)
        while len(self.seated) < low or (len(self.seated) < high and self.chance.happens(0.45)):
            newcomer = waiting.pop()
            newcomer.stays, newcomer.stake_baht = self.chance.between(6, 50), 0
            self.seated.append(newcomer)

    def _bets_of(self, player: Gambler, open_ms: int) -> Iterator[Wager]:
        if not self.chance.happens(0.85):
            return
        if self.chance.happens(0.92):
            main = self._main(player, open_ms)
            yield main
            may_hedge = self.rulebook.both_sides is not BothSides.REFUSED
            if player.hedges and may_hedge and self.chance.happens(0.3):
                side = self.rulebook.bets[main.kind].backs or Side.PLAYER
                other = self.rulebook.main_kinds[OTHER_SIDE[side]][0]
                yield self._wager(player, other, max(main.stake_minor // 2, LOWEST_BAHT * BAHT), open_ms)
        if self.chance.between(1, 10) <= player.side_share:
            for kind in self._side_kinds(player):
                yield self._wager(player, kind, player.side_stake(self.chance), open_ms)

    def _side_kinds(self, player: Gambler) -> list[str]:
        kinds = self.chance.some_of(player.favourites, self.chance.one_of((1, 1, 2, 3)))
        if self._sides and self.chance.happens(0.2):
            kinds.append(self.chance.one_of(self._sides))
        # Out of its window a kind is greyed out; a few try it all the same.
        return [kind for kind in dict.fromkeys(kinds) if self._is_open(kind) or self.chance.happens(0.02)]

    def _is_open(self, kind: str) -> bool:
        window = self.rulebook.bets[kind].window
        return window is None or window.is_open(self.round_number)

    def _main(self, player: Gambler, open_ms: int) -> Wager:
        kind = player.main_kind(self.chance, self.rulebook, self.last_winner)
        return self._wager(player, kind, player.main_stake(self.chance), open_ms)

    def _wager(self, player: Gambler, kind: str, stake_minor: int, open_ms: int) -> Wager:
        # Most bet in the middle of the time, some at the last second.
        early, late = self.chance.between(1_500, open_ms - 300), self.chance.between(1_500, open_ms - 300)
        return Wager(player.reference, kind, stake_minor, (early + late) // 2)

    def _slip(self, wagers: list[Wager], open_ms: int) -> None:
        """Make the mistakes of a round: late, early, too high, unconfirmed, on both sides, regretted."""
        slips: tuple[tuple[float, str], ...] = (
            (0.12, "late"), (0.02, "early"), (0.08, "limit"), (0.10, "regret"),
            (0.15 if self.rulebook.must_confirm_bets else 0, "unconfirmed"),
            (0.10 if self.rulebook.both_sides is BothSides.REFUSED else 0, "both"),
        )  # fmt: skip
        for share, slip in slips:
            if not self.chance.happens(share):
                continue
            wager = self.chance.one_of(wagers)
            match slip:
                case "late":
                    wager.after_ms = open_ms + self.chance.between(150, 1_400)
                case "early":
                    wager.after_ms = -self.chance.between(200, 900)
                case "limit":
                    wager.stake_minor = self.chance.one_of((5, 10, 60_000, 100_000, 250_000)) * BAHT
                case "unconfirmed":
                    wager.confirmed = False
                case "both":
                    self._bet_against(wager, wagers, open_ms)
                case "regret" if not self.rulebook.must_confirm_bets and 0 < wager.after_ms < open_ms - 6_000:
                    # A confirmed bet cannot be undone where bets are confirmed.
                    wager.is_taken_back = True

    def _bet_against(self, wager: Wager, wagers: list[Wager], open_ms: int) -> None:
        side = self.rulebook.bets[wager.kind].backs
        if side is not None and len(wagers) < self.crowd.most_before_cards:
            other = self.rulebook.main_kinds[OTHER_SIDE[side]][0]
            when = min(wager.after_ms + self.chance.between(500, 4_000), open_ms - 100)
            wagers.append(Wager(wager.player, other, wager.stake_minor, when))

    def _insurance_of(self, player: Gambler, phase: str, offers: Offers, open_ms: int) -> Iterator[Wager]:
        stakes = self.accepted.get(player.reference, {})
        for side, kind in INSURANCE_KINDS.items():
            main = sum(stakes.get((main_kind, NO_PHASE), 0) for main_kind in self.rulebook.main_kinds[side])
            odds = offers.get((kind, phase))
            when = self.chance.between(600, open_ms - 200)
            if self.chance.happens(0.02):
                when = open_ms + self.chance.between(100, 900)
            if odds is None:
                if main and self.chance.happens(0.01):  # not on sale: an old picture on the player's screen
                    yield Wager(player.reference, kind, LOWEST_BAHT * BAHT, when, phase, Fraction(3, 2))
                continue
            if not main:
                if self.chance.happens(0.01):
                    yield Wager(player.reference, kind, LOWEST_BAHT * BAHT, when, phase, odds)
                continue
            if self.chance.between(1, 10) <= player.insures:
                yield Wager(player.reference, kind, self._insured(main, odds), when, phase, odds)

    def _insured(self, main: int, odds: Fraction) -> int:
        """Choose an insurance stake: all that is allowed, half of it, a round sum, or too much."""
        most = main * odds.denominator // odds.numerator
        way = self.chance.weighted(("all", "half", "round", "over"), (45, 25, 24, 6))
        fitting = [baht * BAHT for baht in (1, 2, 5, 10, *ROUND_BAHT) if baht * BAHT <= most]
        match way:
            case "over":
                return most + max(most // 2 // BAHT * BAHT, BAHT)
            case "half":
                return max(most // 2, LOWEST_INSURANCE_BAHT * BAHT)
            case "round" if fitting:
                return fitting[-1]
        return max(most, 1)

    def _judge(self, wagers: list[Wager], open_ms: int) -> None:
        """Keep count of what is accepted, as the platform learns it from the answers to its bets."""
        situation = Situation(self.round_number, animation=False, offers=self.offered, limits=self.limits)
        for wager in wagers:
            stakes = self.accepted.setdefault(wager.player, {})
            if wager.is_taken_back or wager.is_early or wager.after_ms > open_ms:
                continue
            if self.rulebook.must_confirm_bets and not wager.confirmed:
                continue
            key = wager.kind, wager.phase
            if refusal(self.rulebook, situation, stakes, *key, wager.stake_minor) is None:
                stakes[key] = stakes.get(key, 0) + wager.stake_minor
