"""A day of one table, complete, from a seed."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.dealing import Floor, Special
from casino.counterparts.platform.room import USUAL, Crowd, Limits, Room
from casino.counterparts.platform.script import Event, Script, at_moment
from casino.counterparts.platform.shoes import BlueAt, deal_shoe
from tables.rules.rulebook import Rulebook

PAUSE_MS = (150_000, 240_000)  # between two shoes


def series_of(seed: object, day: int, shoes: int = 3, crowd: Crowd = USUAL) -> str:
    """Name one day of play for the ids of what happens in it: days that differ have names that differ."""
    return f"s{seed}d{day}{'' if shoes == 3 else f'x{shoes}'}{crowd.mark}"


def deal_day(
    rulebook: Rulebook,
    table_code: str,
    seed: object,
    ends_at: datetime,
    *,
    shoes: int = 3,
    day: int = 1,
    first_seq: int = 1,
    rounds: int | None = None,
    closes: bool = False,
) -> Iterator[Event]:
    """Yield every event of one table's day, whose last one happens at `ends_at`.

    All but the times follows from the other arguments. Times are written in the zone of `ends_at`.
    """
    script = write_day(
        rulebook, table_code, seed, shoes=shoes, day=day, first_seq=first_seq, rounds=rounds, closes=closes
    )
    beginning = ends_at - script.length
    for event in script.events:
        yield at_moment(event, beginning)


def write_day(
    rulebook: Rulebook,
    table_code: str,
    seed: object,
    *,
    shoes: int = 3,
    day: int = 1,
    first_seq: int = 1,
    rounds: int | None = None,
    closes: bool = False,
    crowd: Crowd = USUAL,
) -> Script:
    """Write the script of one table's day; its times count from the beginning.

    `rounds` makes short shoes; with `closes` the table closes at the end.
    """
    script = Script(table_code, series_of(seed, day, shoes, crowd), first_seq)
    chance = Chance(seed, day, table_code)
    room = Room(seed, rulebook, Chance(seed, day, table_code, "room"), crowd)
    floor = Floor(rulebook, script, room, chance)
    script.say("table_opened")
    script.wait(3_000)
    say_limits(script, floor.room.limits)
    floor.rest(chance.between(65_000, 100_000))
    floor.change_dealer()
    for number in range(1, shoes + 1):
        if number > 1:
            floor.rest(chance.between(*PAUSE_MS))
        # The first shoe's blue card comes in a round, the second's between two, then as chance has it.
        blue = (BlueAt.IN_ROUND, BlueAt.BETWEEN)[number - 1] if number <= 2 else None
        specials = specials_of(rulebook)[number - 1 :: shoes]
        play_one(floor, (seed, day), number, specials, blue=blue, rounds=rounds)
    if closes:
        script.wait(chance.between(20_000, 40_000))
        script.say("table_closed", reason="end of the day")
    return script


def play_one(
    floor: Floor,
    seed: tuple[object, ...],
    number: int,
    specials: Sequence[Special],
    *,
    blue: BlueAt | None = None,
    rounds: int | None = None,
) -> None:
    """Write one shoe into the script; the specials come in rounds of their own."""
    table = floor.script.table
    cards = Chance(*seed, table, "shoe", number)
    dealt = deal_shoe(cards, floor.rulebook, blue=blue or cards.one_of(tuple(BlueAt)), rounds=rounds)
    among = cards.some_of(range(2, len(dealt.rounds)), len(specials))
    shoe_id = f"{table}-{floor.script.series}-{number}"
    floor.play_shoe(dealt, shoe_id, dict(zip(among, specials, strict=False)))


def say_limits(script: Script, limits: Limits) -> None:
    """Say the limits of every kind; those of most kinds are the default."""
    shown = {kind: {"min": low, "max": high} for kind, (low, high) in limits.items()}
    default = shown.pop(next(iter(shown)))
    script.say(
        "limits_changed",
        default=default,
        bets={kind: limit for kind, limit in shown.items() if limit != default},
    )


def specials_of(rulebook: Rulebook) -> list[Special]:
    """List what must happen once in a day of a table under this rulebook."""
    specials = [Special.RESCAN, Special.KEYED, Special.MISREAD, Special.UNKNOWN_BET, Special.GARBLED]
    lost = rulebook.incidents.get("player_equipment")
    if lost is not None and not lost.may_change_money:
        specials.append(Special.DEVICE_LOST)
    return specials
