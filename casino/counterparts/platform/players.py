"""The players, all made up: what each likes to bet, how high, and how carefully."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from casino.counterparts.platform.chance import Chance
from tables.rules.rulebook import Rulebook, Side

PLAYERS: Final = 80
FIRST_NUMBER: Final = 10_001
BAHT: Final = 100  # satang

UNITS_BAHT: Final = (20, 50, 100, 100, 200, 200, 500, 500, 1_000, 2_000, 5_000, 10_000)
ROUND_BAHT: Final = (20, 50, 100, 200, 300, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 50_000)
MOST_MAIN_BAHT: Final = 50_000
MOST_SIDE_BAHT: Final = 5_000


class Habit(StrEnum):
    """How a player chooses a side."""

    BANKER = "banker"
    PLAYER = "player"
    STREAK = "streak"  # what won last
    CHOP = "chop"  # what did not win last
    WHIM = "whim"


@dataclass(slots=True)
class Gambler:
    """One player at one table, with the mood of the moment."""

    reference: str
    habit: Habit
    unit_baht: int
    favourites: tuple[str, ...]
    side_share: int  # of ten rounds, in how many a side bet is made
    insures: int  # of ten chances to insure, how many are taken
    doubles: bool  # bets twice as much after a loss
    hedges: bool  # now and then bets on both sides
    stays: int = 0  # rounds until the player leaves the table
    stake_baht: int = field(default=0)

    def main_kind(self, chance: Chance, rulebook: Rulebook, last_winner: str | None) -> str:
        """Choose the main bet of this round."""
        other = {"player": Side.BANKER, "banker": Side.PLAYER}
        match self.habit:
            case Habit.BANKER | Habit.PLAYER if chance.happens(0.9):
                side = Side(self.habit.value)
            case Habit.STREAK if last_winner:
                side = Side(last_winner)
            case Habit.CHOP if last_winner:
                side = other[last_winner]
            case _:
                side = chance.one_of((Side.PLAYER, Side.BANKER))
        return rulebook.main_kinds[side][0]

    def main_stake(self, chance: Chance) -> int:
        """Choose what to put on the main bet, in satang."""
        if self.stake_baht == 0 or not self.doubles:
            self.stake_baht = self.unit_baht * chance.one_of((1, 1, 1, 2, 2, 3, 5))
        return min(self.stake_baht, MOST_MAIN_BAHT) * BAHT

    def side_stake(self, chance: Chance) -> int:
        """Choose what to put on a side bet, in satang: less, and a round sum."""
        wanted = self.unit_baht * chance.one_of((1, 2, 2, 5, 10)) // 10
        fitting = [baht for baht in ROUND_BAHT if baht <= min(max(wanted, 20), MOST_SIDE_BAHT)]
        return fitting[-1] * BAHT

    def remember(self, won: bool | None) -> None:
        """Go on from a round that was won, lost, or neither."""
        if won is None or not self.doubles:
            return
        self.stake_baht = 0 if won or self.stake_baht >= self.unit_baht * 32 else self.stake_baht * 2


def gambler(seed: object, number: int, rulebook: Rulebook) -> Gambler:
    """Make one of the players; the same one has the same habits at every table."""
    chance = Chance(seed, "player", number)
    habit = chance.weighted(tuple(Habit), (30, 20, 20, 10, 20))
    unit = chance.one_of(UNITS_BAHT)
    side_share, insures = chance.one_of((2, 4, 6, 9)), chance.one_of((1, 3, 5, 8))
    doubles, hedges = chance.happens(0.25), chance.happens(0.15)
    sides = [kind for kind, bet in rulebook.bets.items() if bet.backs is None]
    chance.shuffle(sides)
    return Gambler(
        reference=f"P-{FIRST_NUMBER + number}",
        habit=habit,
        unit_baht=unit,
        favourites=tuple(sides[: chance.between(2, 4)]),
        side_share=side_share,
        insures=insures,
        doubles=doubles,
        hedges=hedges,
    )
