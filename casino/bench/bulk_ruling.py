"""`bench bulk`: many settled rounds voided by one ruling, at one, two and four worker processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

from django.utils import timezone

from audit.models import Ruling, RulingKind
from audit.services.applying import claim_ruling
from audit.tasks import help_ruling
from casino.bench.deciding import Deciders
from casino.bench.figure import Figure, Ratio, Say, Size, Timed, alternate, peak_mb, seconds_of
from casino.bench.house import FilledRound, House, open_house, owner_connection, players_of
from tables.tasks import settle_rounds

BETS_A_ROUND = 500
WORKERS = (1, 2, 4)
FASTER_AT_TWO = 1.5
#: Peak memory may differ by this much and still be called flat.
FLAT = 1.1


def bench_bulk(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figures of one void of many rounds: its time by workers, its memory by rounds."""
    rounds = size.rows
    house, deciders = House(open_house(), players_of(BETS_A_ROUND)), Deciders()
    count = len(WORKERS) * size.runs
    say(f"filling and settling {count} times {rounds:,} rounds of {BETS_A_ROUND} bets")
    filled = iter([_fill(house, rounds) for _ in range(count)])
    few = _fill(house, max(2, rounds // 10))
    house.settle_down()
    asked: list[float] = []
    peaks: dict[int, float] = {}

    def with_workers(workers: int) -> Timed:
        def void(_run: int) -> float:
            chosen = next(filled)
            begun = time.perf_counter()
            ruling = deciders.approved(RulingKind.VOID_RANGE, chosen, {})
            asked.append(time.perf_counter() - begun)
            seconds, peaks[workers] = _carry_out(ruling, workers)
            return seconds

        return void

    say("voiding")
    figure = Figure("bulk", f"{rounds:,} rounds of {BETS_A_ROUND} bets voided as one ruling")
    names = {workers: f"{workers} worker process{'es' if workers > 1 else ''}" for workers in WORKERS}
    figure.runs = alternate(
        {name: with_workers(workers) for workers, name in names.items()},
        runs=size.runs,
        say=say,
    )
    for workers in WORKERS[1:]:
        target = FASTER_AT_TWO if workers == 2 else None
        figure.compare(
            f"one / {names[workers]}", names[1], names[workers], target=target, is_met_when="at least"
        )
    figure.values["bets a second at two"] = round(rounds * BETS_A_ROUND / figure.medians[names[2]])
    figure.values["asking, previewing and approving, s"] = round(sorted(asked)[len(asked) // 2], 3)
    yield figure

    memory = Figure("bulk.memory", "peak memory of the process that carries it out", unit="MB")
    _, fewer = _carry_out(deciders.approved(RulingKind.VOID_RANGE, few, {}), 1)
    memory.runs = {f"{len(few):,} rounds": [fewer], f"{rounds:,} rounds": [peaks[1]]}
    memory.ratios.append(Ratio(f"{rounds:,} rounds / {len(few):,} rounds", peaks[1] / fewer, FLAT))
    yield memory


def _fill(house: House, rounds: int) -> list[FilledRound]:
    filled = [house.fill_round(BETS_A_ROUND) for _ in range(rounds)]
    settle_rounds([round_.id for round_ in filled])
    return filled


def _carry_out(ruling: Ruling, workers: int) -> tuple[float, float]:
    """Let so many processes carry a ruling out together; return the seconds and the most memory one had.

    They are up and connected before the clock starts, as workers are.
    """
    command = [sys.executable, "-m", "casino.bench", "help-ruling", str(ruling.pk)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(workers)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()

        def work() -> None:
            if not claim_ruling(ruling_id=ruling.pk, now=timezone.now()):
                raise RuntimeError(f"{ruling.number} could not be claimed")
            for process in processes:
                assert process.stdin is not None
                process.stdin.write("go\n")
                process.stdin.flush()
            answers.extend(process.stdout.readline() for process in processes if process.stdout)

        answers: list[str] = []
        seconds = seconds_of(work)
        _refuse_unequal_work(ruling)
        return seconds, max(json.loads(answer)["peak_mb"] for answer in answers)
    finally:
        for process in processes:
            process.terminate()
            process.communicate()


def help_one(ruling_id: int) -> Iterator[str]:
    """Be one of the processes: say that it is up, wait to be told, work, and say how much memory it took."""
    Ruling.objects.filter(pk=ruling_id).exists()  # connects
    yield "ready"
    sys.stdin.readline()
    help_ruling(ruling_id)
    yield json.dumps({"peak_mb": peak_mb()})


# A void gives every stake back: what the newest revisions returned is what was staked, bet by bet.
WORK = """
SELECT count(DISTINCT s.round_id), count(*), count(*) FILTER (WHERE line.returned_minor <> b.stake_minor),
    (SELECT status FROM audit_ruling WHERE id = %(ruling)s)
FROM audit_rulinground rr
JOIN tables_settlement s ON s.round_id = rr.round_id AND s.revision = rr.base_revision + 1
JOIN tables_settlementline line ON line.settlement_id = s.id JOIN tables_bet b ON b.id = line.bet_id
WHERE rr.ruling_id = %(ruling)s
"""


def _refuse_unequal_work(ruling: Ruling) -> None:
    """Look at what was written, outside every measurement.

    :raises RuntimeError: if a round or a bet was left out, or the ruling is not at its end.
    """
    with owner_connection() as owner:
        done = owner.execute(WORK, {"ruling": ruling.pk}).fetchone()
    rounds = ruling.rounds_count
    if done != (rounds, rounds * BETS_A_ROUND, 0, "applied"):
        raise RuntimeError(f"{ruling.number} was not carried out whole: {done}")
