"""`bench settle`: one round of many bets settled whole, beside the same rows merely inserted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from django.utils import timezone

from casino.bench.bulk import settle_with_bulk
from casino.bench.figure import Figure, Ratio, Say, Size, alternate, peak_mb, seconds_of
from casino.bench.house import FilledRound, House, open_house, owner_connection, players_of
from casino.bench.prepared import PreparedRows
from tables.models import Settlement
from tables.services.settlement import settle_round
from tables.tasks import settle_rounds

ONE_STATEMENT, PREPARED = "settled by one statement", "prepared rows inserted"
BULK, OF_WHICH_UPDATE = "bulk_create + bulk_update", "of which bulk_update"
SLOWEST, FASTER = 1.5, 4.0
#: Peak memory may differ by this much and still be called flat.
FLAT = 1.1


def bench_settle(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figures of settling a round of bets, and of the memory it needs."""
    rows, players = size.rows, players_of(size.rows)
    house = House(open_house(), max(players, players_of(rows * 10)))
    say(f"filling {3 * size.runs + 1} rounds of {rows:,} bets")
    model = house.fill_round(rows, players=players)
    _settle(model)
    sets = [_fill(house, rows, players, model, run) for run in range(size.runs)]
    house.settle_down()
    updates: list[float] = []

    def with_bulk(run: int) -> float:
        round_ = sets[run][2]
        return seconds_of(lambda: updates.append(settle_with_bulk(round_id=round_.id, now=timezone.now())))

    say("settling")
    figure = Figure("settle", f"one round of {rows:,} bets of {players:,} players, whole")
    figure.runs = alternate(
        {
            ONE_STATEMENT: lambda run: seconds_of(lambda: _settle(sets[run][0])),
            PREPARED: lambda run: seconds_of(sets[run][1].insert),
            BULK: with_bulk,
        },
        runs=size.runs,
        say=say,
    )
    _refuse_unequal_work([round_.id for ours, theirs, bulk in sets for round_ in (ours, theirs.round, bulk)])
    figure.runs[OF_WHICH_UPDATE] = updates
    figure.compare("settling / inserting prepared rows", ONE_STATEMENT, PREPARED, target=SLOWEST)
    figure.compare(
        "bulk_create + bulk_update / settling", BULK, ONE_STATEMENT, target=FASTER, is_met_when="at least"
    )
    without_update = figure.medians[BULK] - figure.medians[OF_WHICH_UPDATE]
    figure.ratios.append(
        Ratio("bulk_create alone / settling", without_update / figure.medians[ONE_STATEMENT])
    )
    settlement = Settlement.objects.get(round_id=sets[-1][0].id)
    figure.values["bets a second"] = round(rows / figure.medians[ONE_STATEMENT])
    figure.values["wallet transactions"] = settlement.wallet_transactions.count()
    yield figure
    yield _bench_memory(house, rows, say)


def _fill(
    house: House, rows: int, players: int, model: FilledRound, run: int
) -> tuple[FilledRound, PreparedRows, FilledRound]:
    ours, theirs, bulk = (house.fill_round(rows, players=players) for _ in range(3))
    return ours, PreparedRows(run, model, theirs), bulk


def _settle(round_: FilledRound) -> None:
    if not isinstance(settle_round(round_id=round_.id, now=timezone.now()), Settlement):
        raise RuntimeError(f"{round_.public_id} could not be settled")


# What each round came to: a contestant that left something out would be fast for nothing.
WORK = """
SELECT count(*), sum(line.returned_minor), sum(line.moved_minor),
    (SELECT count(*) FROM tables_wallettransaction t JOIN tables_walletdelivery d ON d.transaction_id = t.id
        WHERE t.settlement_id = s.id),
    (SELECT sum(amount_minor) FROM tables_wallettransaction t WHERE t.settlement_id = s.id),
    (SELECT count(*) FROM tables_journalentry WHERE subject_type = 'round' AND subject_id = s.round_id),
    (SELECT count(*) FROM tables_outbox WHERE bell = 'settle' AND subject_id = s.round_id)
FROM tables_settlement s JOIN tables_settlementline line ON line.settlement_id = s.id
WHERE s.round_id = ANY(%s) GROUP BY s.id
"""


def _refuse_unequal_work(round_ids: list[int]) -> None:
    """Look at what was written, outside every measurement.

    :raises RuntimeError: if the rounds, filled alike, did not come to the same.
    """
    with owner_connection() as owner:
        done = owner.execute(WORK, [round_ids]).fetchall()
    if len(done) != len(round_ids) or len(set(done)) != 1:
        raise RuntimeError(f"the contestants did not do the same work: {sorted(set(done))}")


def _bench_memory(house: House, rows: int, say: Say) -> Figure:
    """Let a process settle a round as a worker does: a tenth of the bets, as many, ten times as many."""
    sizes = (max(1, rows // 10), rows, rows * 10)
    figure = Figure("settle.memory", "peak memory of the settling process", unit="MB")
    for bets in sizes:
        say(f"settling {bets:,} bets in a process of its own")
        round_ = house.fill_round(bets, players=players_of(bets))
        house.settle_down()
        command = [sys.executable, "-m", "casino.bench", "settle-one", str(round_.id)]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        measured = json.loads(answer.stdout.splitlines()[-1])
        figure.runs[f"{bets:,} bets"] = [measured["peak_mb"]]
        figure.values[f"seconds for {bets:,} bets"] = measured["seconds"]
    first, *_, last = (f"{bets:,} bets" for bets in sizes)
    figure.compare(f"{last} / {first}", last, first, target=FLAT)
    return figure


def settle_one(round_id: int) -> dict[str, float]:
    """Run the worker's task for one round; return the seconds and the most memory the process ever had."""
    seconds = seconds_of(lambda: settle_rounds([round_id]))
    if not Settlement.objects.filter(round_id=round_id).exists():
        raise RuntimeError(f"round {round_id} could not be settled")
    return {"seconds": seconds, "peak_mb": peak_mb()}
