"""What `make run` starts, where, and what it says when something is in the way."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from casino import settings
from casino.runtime import run, ship
from casino.runtime.places import ROOT
from casino.runtime.run import CannotRun, choose_ports, programs
from casino.runtime.supervisor import Program

ENVIRONMENT = {
    "WEB_PORT": "8123",
    "WALLET_URL": "http://127.0.0.1:8124",
    "WALLET_SECRET": "w",
    "RECORDER_URL": "http://127.0.0.1:8125",
    "RECORDER_SECRET": "r",
}


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Provide a port that somebody else listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture(autouse=True)
def _development(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "IS_PRODUCTION", False)
    monkeypatch.setattr(settings, "WALLET_IS_OURS", True)
    monkeypatch.setattr(settings, "RECORDER_IS_OURS", True)
    monkeypatch.setattr(settings, "WITNESS_IS_OURS", True)
    monkeypatch.setattr(settings, "WEB_PORT", 0)
    monkeypatch.setattr(settings, "WEB_HOST", "127.0.0.1")


def names(environment: dict[str, str]) -> list[list[str]]:
    return [[program.name for program in stage] for stage in programs(environment)]


def test_a_port_that_was_asked_for_and_is_taken_is_named(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "WEB_PORT", taken_port)
    with pytest.raises(CannotRun, match=f"port {taken_port} is taken; name another one in WEB_PORT"):
        choose_ports()


def test_where_nobody_here_could_listen_is_not_called_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "WEB_HOST", "192.0.2.7")  # set apart for documents: no machine has it
    monkeypatch.setattr(settings, "WEB_PORT", 8123)
    said = r"cannot listen at 192\.0\.2\.7, port 8123 \(Cannot assign requested address\); see WEB_HOST"
    with pytest.raises(CannotRun, match=said):
        choose_ports()


def test_a_usual_port_that_is_taken_gives_way_to_the_next_and_says_so(
    taken_port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "USUAL_PORT", taken_port)
    chosen = int(choose_ports()["WEB_PORT"])
    assert taken_port < chosen < taken_port + 20
    assert f"Port {taken_port} is taken: using {chosen}" in capsys.readouterr().out


def test_when_all_near_ports_are_taken_the_way_out_is_named(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "USUAL_PORT", taken_port)
    monkeypatch.setattr(run, "PORTS_TRIED", 1)
    with pytest.raises(CannotRun, match="name a free one in WEB_PORT"):
        choose_ports()


def test_a_port_that_is_taken_while_everything_is_set_up_gives_way_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as free, socket.socket() as late:
        free.bind(("127.0.0.1", 0))
        usual = int(free.getsockname()[1])
        free.close()
        monkeypatch.setattr(run, "USUAL_PORT", usual)

        def set_up(command: list[str], **_: object) -> None:
            if command[-1] == "casino.runtime.ship":
                late.bind(("127.0.0.1", usual))
                late.listen()

        started: list[Program] = []

        class Supervisor:
            def __init__(self, stages: list[list[Program]], **_: object) -> None:
                started.extend(program for stage in stages for program in stage)

            def run(self) -> int:
                return 0

        monkeypatch.setattr(run, "_database", nullcontext)
        monkeypatch.setattr(subprocess, "run", set_up)
        monkeypatch.setattr(run, "Supervisor", Supervisor)
        assert run.main() == 0
    web = next(program for program in started if program.name == "web")
    assert int(web.environment["WEB_PORT"]) > usual


def test_our_wallet_is_told_to_every_program_and_a_named_one_is_left_alone(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "WALLET_URL", f"http://127.0.0.1:{taken_port}")
    ours = choose_ports()["WALLET_URL"]
    assert ours.startswith("http://127.0.0.1:")
    assert ours != f"http://127.0.0.1:{taken_port}"
    monkeypatch.setattr(settings, "WALLET_IS_OURS", False)
    assert "WALLET_URL" not in choose_ports()


def test_our_recorder_listens_beside_our_wallet_and_a_named_one_is_left_alone(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "WALLET_URL", f"http://127.0.0.1:{taken_port}")
    monkeypatch.setattr(settings, "RECORDER_URL", f"http://127.0.0.1:{taken_port}")
    ours = choose_ports()
    assert len({ours["WALLET_URL"], ours["RECORDER_URL"], f"http://127.0.0.1:{taken_port}"}) == 3
    monkeypatch.setattr(settings, "RECORDER_IS_OURS", False)
    assert "RECORDER_URL" not in choose_ports()


def test_development_serves_then_plays_a_day_then_deals_on() -> None:
    assert names(ENVIRONMENT) == [
        ["wallet", "recorder", "web", "worker", "beat", "sealer", "witness"],
        ["ready"],
        ["demo"],
        ["live", "ready"],
    ]


def test_production_starts_no_counterpart_and_no_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "IS_PRODUCTION", True)
    monkeypatch.setattr(settings, "WALLET_IS_OURS", False)
    monkeypatch.setattr(settings, "RECORDER_IS_OURS", False)
    monkeypatch.setattr(settings, "WITNESS_IS_OURS", False)
    assert names({"WEB_PORT": "80"}) == [["web", "worker", "beat", "sealer"], ["ready"]]


def test_the_web_server_listens_where_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "WEB_HOST", "0.0.0.0")
    web = next(program for program in programs(ENVIRONMENT)[0] if program.name == "web")
    command = list(web.command)
    assert command[command.index("--bind") + 1] == "0.0.0.0:8123"
    assert "--no-control-socket" in command


def test_a_machine_without_postgresql_is_told_what_to_do(state: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    refused = subprocess.run(
        [sys.executable, "-m", "casino.runtime.run"],
        cwd=ROOT,
        env=own | {"PG_BIN_DIR": "/nowhere", "BLUECARD_STATE": str(state)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert refused.stderr.startswith("bluecard: PG_BIN_DIR=/nowhere has no working PostgreSQL")


def test_a_changed_static_file_is_collected_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checkout = tmp_path
    (checkout / "constraints.txt").write_text("Django==5.2.19\n")
    (checkout / "static").mkdir()
    (checkout / "static" / "page.css").write_text("a")
    monkeypatch.setattr(ship, "ROOT", checkout)
    before = ship._static_fingerprint()
    assert ship._static_fingerprint() == before
    (checkout / "static" / "page.css").write_text("b")
    assert ship._static_fingerprint() != before


def test_a_setting_that_will_not_do_is_said_in_a_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "casino.runtime.run"],
        cwd=ROOT,
        env={**os.environ, "WEB_PORT": "eighty"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "bluecard: WEB_PORT has to be a whole number, not 'eighty'\n"
