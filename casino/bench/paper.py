"""`bench judge` and `bench odds`: what is worked out on paper, without a database."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from casino.bench.figure import Figure, Ratio, Say, Size, alternate, seconds_of
from casino.counterparts.platform.chance import Chance
from casino.runtime.places import ROOT
from tables.rulebooks import SHIPPED, find_rulebook, load_shipped
from tables.rules.cards import ALL_CARDS, Card
from tables.rules.drawing import due_next
from tables.rules.judge import Judge

BETS_A_LINE = 20
SLOWEST_JUDGE = 4.0
SLOWEST_ODDS_SECONDS = 5.0
JUDGED, ONLY_JSON = "judged", "json.loads + json.dumps"
ONLY_START = "start of the program alone"


def bench_judge(size: Size, say: Say) -> Iterator[Figure]:
    """Take the time of judging lines of 20 bets, beside reading and writing the same lines as JSON."""
    rows = size.rows
    say(f"judging {rows:,} lines of {BETS_A_LINE} bets")
    lines = list(_lines(rows))

    def judge_all(_run: int) -> float:
        # A judge knows nothing yet, as at the start of the command.
        judge = Judge(find_rulebook)
        return seconds_of(lambda: [judge.answer(line) for line in lines])

    def json_only(_run: int) -> float:
        return seconds_of(lambda: [json.dumps(json.loads(line)) for line in lines])

    figure = Figure("judge", f"{rows:,} lines of {BETS_A_LINE} bets, one core")
    figure.runs = alternate({JUDGED: judge_all, ONLY_JSON: json_only}, runs=size.runs, say=say)
    figure.compare("judging / JSON alone", JUDGED, ONLY_JSON, target=SLOWEST_JUDGE)
    figure.values["lines a second"] = round(rows / figure.medians[JUDGED])
    figure.values["bets a second"] = round(rows * BETS_A_LINE / figure.medians[JUDGED])
    yield figure


def bench_odds(size: Size, say: Say) -> Iterator[Figure]:
    """Take the time of `manage.py odds` for every shipped rulebook, each time in a new process."""
    say("counting all coups of a fresh shoe, for each rulebook")
    figure = Figure("odds", "`manage.py odds RULEBOOK --json`, a process each: seconds of one core", unit="s")
    subjects = {name: _core_seconds("odds", name, "--json") for name in SHIPPED}
    figure.runs = alternate(
        {**subjects, ONLY_START: _core_seconds("odds", "--help")}, runs=size.runs, say=say
    )
    slowest = max(SHIPPED, key=lambda name: figure.medians[name])
    figure.compare(f"{slowest} / {ONLY_START}", slowest, ONLY_START)
    seconds = figure.medians[slowest]
    figure.ratios.append(Ratio("the slowest rulebook", seconds, SLOWEST_ODDS_SECONDS, unit="s"))
    yield figure


def _core_seconds(*arguments: str) -> Callable[[int], float]:
    """Measure what a command takes of a processor, whoever else wants one meanwhile."""
    command = [sys.executable, "manage.py", *arguments]

    def run(_run: int) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return run


def _lines(rows: int) -> Iterator[bytes]:
    """Make up lines that can be read: lawful coups under every rulebook, and bets of all its kinds."""
    chance = Chance("bench", "judge")
    for number in range(rows):
        rulebook = load_shipped(SHIPPED[number % len(SHIPPED)])
        line = {
            "id": f"L{number}",
            "rulebook": rulebook.id,
            "round_number": chance.between(1, 70),
            "cards": [str(card) for card in _coup(chance)],
            "bets": [_bet(chance, rulebook.kinds, place) for place in range(BETS_A_LINE)],
        }
        yield json.dumps(line).encode()


def _bet(chance: Chance, kinds: tuple[str, ...], place: int) -> dict[str, Any]:
    kind = chance.one_of(kinds)
    player, stake = f"P{chance.between(1, 5)}", chance.between(1, 1_000_000)
    bet: dict[str, Any] = {"id": f"b{place}", "player": player, "bet": kind, "stake": stake}
    if kind.endswith("_insurance"):
        bet["phase"] = chance.one_of(("four_cards", "player_third"))
    return bet


def _coup(chance: Chance) -> list[Card]:
    player: list[Card] = []
    banker: list[Card] = []
    dealt: list[Card] = []
    while (place := due_next(player, banker)) is not None:
        card = chance.one_of(ALL_CARDS)
        dealt.append(card)
        (player if place[0] == "P" else banker).append(card)
    return dealt
