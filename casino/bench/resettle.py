"""`bench resettle`: a settled round of many bets corrected from Player to Banker and settled again, whole."""

from __future__ import annotations

from collections.abc import Iterator

from audit.models import Ruling, RulingKind
from audit.services.applying import claim_ruling
from audit.tasks import apply_rulings
from casino.bench.deciding import Deciders
from casino.bench.figure import Figure, Say, Size, alternate, seconds_of
from casino.bench.house import (
    BANKER_WON,
    PLAYER_WON,
    FilledRound,
    House,
    open_house,
    owner_connection,
    players_of,
)
from casino.bench.prepared import PreparedRows
from tables.models import Settlement
from tables.tasks import settle_rounds

CORRECTED, PREPARED = "corrected and settled again", "prepared rows inserted"
SLOWEST = 1.5

Ruled = tuple[FilledRound, Ruling]


def bench_resettle(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figure of carrying out an approved correction of one round, from the claim to the end."""
    rows, players = size.rows, players_of(size.rows)
    house, deciders = House(open_house(), players), Deciders()
    say(f"filling and settling {2 * size.runs + 1} rounds of {rows:,} bets")

    def player_won() -> Ruled:
        round_ = house.fill_round(rows, players=players, dealt=PLAYER_WON)
        settle_rounds([round_.id])
        return round_, deciders.approved(RulingKind.CORRECT, [round_], {"cards": BANKER_WON.cards})

    model, of_model = player_won()
    _carry_out(of_model)
    ours, theirs = [], []
    for run in range(size.runs):
        ours.append(player_won())
        round_, ruling = player_won()
        # What rests on no ruling that is being carried out, the database refuses: so it is claimed as well.
        _claim(ruling)
        theirs.append(PreparedRows(run, model, round_, rulings=(of_model, ruling)))
    house.settle_down()
    say("settling again")
    figure = Figure("resettle", f"one round of {rows:,} bets of {players:,} players from Player to Banker")
    figure.runs = alternate(
        {
            CORRECTED: lambda run: seconds_of(lambda: _carry_out(ours[run][1])),
            PREPARED: lambda run: seconds_of(theirs[run].insert),
        },
        runs=size.runs,
        say=say,
    )
    _refuse_unequal_work([round_.id for round_, _ in ours] + [one.round.id for one in theirs])
    figure.compare("settling again / inserting prepared rows", CORRECTED, PREPARED, target=SLOWEST)
    settlement = Settlement.objects.get(round_id=ours[-1][0].id, revision=2)
    figure.values["bets a second"] = round(rows / figure.medians[CORRECTED])
    figure.values["wallet transactions"] = settlement.wallet_transactions.count()
    figure.values["notices"] = ours[-1][1].notices.count()
    yield figure


def _carry_out(ruling: Ruling) -> None:
    apply_rulings([ruling.pk])
    ruling.refresh_from_db()
    if ruling.status != "applied":
        raise RuntimeError(f"{ruling.number} is {ruling.status}: {ruling.outcome_note}")


def _claim(ruling: Ruling) -> None:
    if not claim_ruling(ruling_id=ruling.pk, now=ruling.requested_at):
        raise RuntimeError(f"{ruling.number} could not be claimed")


# What each second revision came to: a contestant that left something out would be fast for nothing.
WORK = """
SELECT count(*), sum(line.returned_minor), sum(line.moved_minor),
    (SELECT count(*) FROM tables_wallettransaction t JOIN tables_walletdelivery d ON d.transaction_id = t.id
        WHERE t.settlement_id = s.id),
    (SELECT sum(amount_minor) FROM tables_wallettransaction t WHERE t.settlement_id = s.id),
    (SELECT sum(moved_minor) FROM audit_notice WHERE round_id = s.round_id)
FROM tables_settlement s JOIN tables_settlementline line ON line.settlement_id = s.id
WHERE s.revision = 2 AND s.round_id = ANY(%s) GROUP BY s.id
"""


def _refuse_unequal_work(round_ids: list[int]) -> None:
    """Look at what was written, outside every measurement.

    :raises RuntimeError: if the rounds, filled alike, did not come to the same.
    """
    with owner_connection() as owner:
        done = owner.execute(WORK, [round_ids]).fetchall()
    if len(done) != len(round_ids) or len(set(done)) != 1:
        raise RuntimeError(f"the contestants did not do the same work: {sorted(set(done))}")
