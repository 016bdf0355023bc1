"""The bench at a tiny size: every figure with its baseline, runs and ratio. No time is judged."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from casino.bench.database import bench_database
from casino.bench.figure import Figure, Ratio, alternate, as_text, figure_from_json
from casino.runtime.places import ROOT
from tests.database import OwnTestDatabase


@pytest.fixture(scope="module")
def environment(own_database: OwnTestDatabase) -> Iterator[dict[str, str]]:
    """The environment of a bench whose server stays up between the figures."""
    yield own_database.environment()


def take(name: str, rows: int, environment: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Run the command, and return its figures by name."""
    command = [sys.executable, "manage.py", "bench", name, "--rows", str(rows), "--runs", "2", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {figure["name"]: figure for figure in json.loads(done.stdout)}


def targets(figure: dict[str, Any]) -> list[tuple[float | None, str]]:
    return [(ratio["target"], ratio["is_met_when"]) for ratio in figure["ratios"]]


@pytest.mark.slow
def test_settle(environment: dict[str, str]) -> None:
    figures = take("settle", 50, environment)
    settle, memory = figures["settle"], figures["settle.memory"]
    assert {subject: len(runs) for subject, runs in settle["runs"].items()} == {
        "settled by one statement": 2,
        "prepared rows inserted": 2,
        "bulk_create + bulk_update": 2,
        "of which bulk_update": 2,
    }
    assert targets(settle) == [(1.5, "at most"), (4.0, "at least"), (None, "at most")]
    medians = settle["medians"]
    assert settle["ratios"][0]["value"] == pytest.approx(
        medians["settled by one statement"] / medians["prepared rows inserted"]
    )
    assert list(memory["runs"]) == ["5 bets", "50 bets", "500 bets"]
    assert targets(memory) == [(1.1, "at most")]


@pytest.mark.slow
def test_resettle(environment: dict[str, str]) -> None:
    resettle = take("resettle", 50, environment)["resettle"]
    assert {subject: len(runs) for subject, runs in resettle["runs"].items()} == {
        "corrected and settled again": 2,
        "prepared rows inserted": 2,
    }
    assert targets(resettle) == [(1.5, "at most")]
    assert (resettle["values"]["wallet transactions"], resettle["values"]["notices"]) == (10, 10)


@pytest.mark.slow
def test_bulk(environment: dict[str, str]) -> None:
    figures = take("bulk", 10, environment)
    assert {subject: len(runs) for subject, runs in figures["bulk"]["runs"].items()} == {
        "1 worker process": 2,
        "2 worker processes": 2,
        "4 worker processes": 2,
    }
    assert targets(figures["bulk"]) == [(1.5, "at least"), (None, "at least")]
    assert list(figures["bulk.memory"]["runs"]) == ["2 rounds", "10 rounds"]
    assert targets(figures["bulk.memory"]) == [(1.1, "at most")]


@pytest.mark.slow
def test_ingest(environment: dict[str, str]) -> None:
    figures = take("ingest", 20, environment)
    bets, events = figures["ingest"], figures["ingest.events"]
    assert {subject: len(runs) for subject, runs in bets["runs"].items()} == {
        "bets through the API": 2,
        "bare COPY of the same rows": 2,
    }
    assert bets["values"]["bets through the API, a second"] > 0
    assert set(events["runs"]) == {"events, many in a request", "events, one in a request"}


@pytest.mark.slow
def test_lookup(environment: dict[str, str]) -> None:
    figures = take("lookup", 1_000, environment)
    lookup = figures["lookup"]
    assert list(lookup["runs"]) == ["100 rounds", "1,000 rounds"]
    # An index page or two and the row's own page, at the least.
    assert all(buffers >= 2 for buffers in lookup["medians"].values())
    assert targets(lookup) == [(1.3, "at most")]
    assert {"ORM p50, ms", "ORM p99, ms"} <= set(figures["lookup.time.1000"]["values"])
    assert set(figures["lookup.time.100"]["runs"]) == {"through the ORM", "through the driver alone"}
    whole = figures["lookup.whole.1000"]
    assert set(whole["runs"]) == {"by a round's ID", "by a bet's ID", "bare SELECT by key"}
    assert {"by a bet's ID p99, ms", "bare SELECT by key p99, ms"} <= set(whole["values"])
    assert list(figures["lookup.growth"]["runs"]) == ["100 rounds", "1,000 rounds"]


@pytest.mark.slow
def test_seal(environment: dict[str, str]) -> None:
    figures = take("seal", 2_000, environment)
    for clients, least in ((1, 0.85), (8, 0.85), (32, 0.75)):
        figure = figures[f"seal.{clients}"]
        assert set(figure["runs"]) == {"sealer running", "sealer stopped", "hash chain, row by row"}
        assert targets(figure) == [(least, "at least"), (None, "at most"), (2.0, "at most")]
    verify = figures["seal.verify"]
    assert set(verify["runs"]) == {"verify", "bare SHA-256"}
    assert targets(verify) == [(0.25, "at least")]
    assert verify["values"]["false alarms"] == 0


def test_judge(environment: dict[str, str]) -> None:
    judge = take("judge", 10, environment)["judge"]
    assert set(judge["runs"]) == {"judged", "json.loads + json.dumps"}
    assert targets(judge) == [(4.0, "at most")]


@pytest.mark.slow
def test_odds(environment: dict[str, str]) -> None:
    odds = take("odds", 10, environment)["odds"]
    assert set(odds["runs"]) == {
        "insurance",
        "insurance-no-commission",
        "commission",
        "live-commission",
        "live-no-commission",
        "no-commission",
        "start of the program alone",
    }
    assert targets(odds) == [(None, "at most"), (5.0, "at most")]


@pytest.mark.slow
@pytest.mark.usefixtures("own_database")
def test_the_bench_leaves_no_database_behind(owner_connection: psycopg.Connection) -> None:
    killed = "bluecard_bench_2147483647"  # of a process that cannot be
    owner_connection.execute(f"CREATE DATABASE {killed}")

    def left() -> list[str]:
        names = owner_connection.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE 'bluecard_bench%'"
        )
        return [name for (name,) in names.fetchall()]

    with pytest.raises(ZeroDivisionError), bench_database() as environment:
        (name,) = left()
        assert name == f"bluecard_bench_{os.getpid()}"
        assert f"dbname={name}" in environment["DATABASE_URL"]
        assert "BROKER_URL" not in environment
        raise ZeroDivisionError
    assert left() == []


def test_too_few_rows_are_wrong_use() -> None:
    with pytest.raises(CommandError, match="--rows: at least 10, not 9"):
        call_command("bench", "judge", "--rows", "9", stdout=StringIO())


def test_runs_alternate() -> None:
    taken: list[str] = []

    def subject(name: str, first: float) -> Any:
        def measure(run: int) -> float:
            taken.append(f"{name}{run}")
            return first + run

        return measure

    runs = alternate({"a": subject("a", 10.0), "b": subject("b", 1.0)}, runs=3)
    assert taken == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert runs == {"a": [10.0, 11.0, 12.0], "b": [1.0, 2.0, 3.0]}


def test_a_ratio_is_of_the_medians_and_held_against_its_target() -> None:
    figure = Figure(
        "x", "an example", runs={"ours": [9.0, 1.0, 3.0, 4.0, 2.0], "base": [2.0, 2.0, 50.0, 1.0, 2.0]}
    )
    figure.compare("ours / base", "ours", "base", target=1.5)
    figure.compare("ours / base, other way", "ours", "base", target=1.6, is_met_when="at least")
    figure.values["rows"] = 12_345
    assert [(ratio.value, ratio.is_met) for ratio in figure.ratios] == [(1.5, True), (1.5, False)]
    assert Ratio("without target", 3.0).is_met is None
    assert figure_from_json(json.loads(json.dumps(figure.as_json()))) == figure
    text = "\n".join(as_text(figure))
    assert "target at most 1.5: met" in text
    assert "target at least 1.6: MISSED" in text
    assert "12,345" in text
