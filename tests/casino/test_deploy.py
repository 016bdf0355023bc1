"""What lies in deploy/ starts what the supervisor starts, with settings and commands that there are."""

import configparser
import importlib.util
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from casino import settings
from casino.runtime import run
from casino.runtime.places import ROOT

PYTHON = run.PYTHON
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SETTINGS = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))
#: What the scripts read besides: only a back-up reads it.
ALSO = {"BACKUP_DATABASE_URL"}
#: A service of the compose file that is no process of the running product.
AROUND = {"postgres", "rabbitmq", "set-up"}
#: Said to one of them alone: where it listens, and how many of it.
OWN_OPTIONS = {"--bind", "--workers"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """Provide the services of the compose file."""
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return services


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Provide what the supervisor starts in production: name, and the command after the interpreter."""
    monkeypatch.setattr(settings, "IS_PRODUCTION", True)
    for ours in ("WALLET_IS_OURS", "RECORDER_IS_OURS", "WITNESS_IS_OURS"):
        monkeypatch.setattr(settings, ours, False)
    serving, _ready = run.programs({"WEB_PORT": "8000"})
    return {program.name: list(program.command[1:]) for program in serving}


def command_of(unit: Path) -> list[str]:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.read(unit)
    return shlex.split(parser["Service"]["ExecStart"])


def of_units() -> dict[str, list[str]]:
    return {unit.stem.removeprefix("bluecard-"): command_of(unit) for unit in UNITS}


def of_compose(services: dict[str, Any]) -> dict[str, list[str]]:
    return {name: shlex.split(said["command"]) for name, said in services.items() if name not in AROUND}


def without_own(command: list[str]) -> list[str]:
    """Leave out the options that differ from place to place, each with its value."""
    return [
        word
        for before, word in zip(["", *command], command, strict=False)
        if word not in OWN_OPTIONS and before not in OWN_OPTIONS
    ]


def test_units_and_services_run_what_the_supervisor_runs(
    compose: dict[str, Any], started: dict[str, list[str]]
) -> None:
    units = of_units()
    assert set(units) == {*started, "witness"}
    assert set(of_compose(compose)) == set(started)
    for name, command in started.items():
        wanted = without_own(command)
        assert sorted(without_own(units[name][1:])) == sorted(wanted), name
        if name != "web":
            assert sorted(of_compose(compose)[name][1:]) == sorted(wanted), name
    web = without_own(of_compose(compose)["web"])[1:]
    assert sorted(web) == sorted(without_own(started["web"]))


def test_every_command_is_there(compose: dict[str, Any]) -> None:
    commands = [*of_units().values(), *of_compose(compose).values()]
    commands += [shlex.split(part) for part in compose["set-up"]["command"][2].split("&&")]
    assert len(commands) >= 11
    for command in commands:
        assert Path(command[0]).name == "python", command
        if command[1] == "manage.py":
            assert command[2] in get_commands(), command
        else:
            assert command[1] == "-m"
            assert importlib.util.find_spec(command[2]) is not None, command


def test_the_target_wants_every_unit_but_the_witness() -> None:
    target = (DEPLOY / "systemd/bluecard.target").read_text()
    wanted = set(re.findall(r"bluecard-\w+\.service", target))
    assert wanted == {unit.name for unit in UNITS} - {"bluecard-witness.service"}


def test_only_settings_that_there_are_are_named(compose: dict[str, Any]) -> None:
    env = set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "bluecard.env.example").read_text(), re.MULTILINE))
    assert "DATABASE_OWNER_URL" not in env  # no process of the running product has it
    assert env >= {"BLUECARD_MODE", "SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "BROKER_URL"}
    given = {
        name for service, said in compose.items() if service in {"set-up", *of_compose(compose)}
        for name in said["environment"]
    }  # fmt: skip
    assert (env | given) - SETTINGS == set()
    assert "DATABASE_OWNER_URL" in compose["set-up"]["environment"]
    assert all("DATABASE_OWNER_URL" not in compose[name]["environment"] for name in of_compose(compose))


def test_every_password_of_the_compose_file_is_in_its_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    named = set(re.findall(r"^(\w+)=", (DEPLOY / "compose.env.example").read_text(), re.MULTILINE))
    assert asked == named - {"COMPOSE_PROJECT_NAME"}


def test_every_setting_the_example_lacks_has_a_default_in_production() -> None:
    """A process started with the example, filled in, names nothing that is missing."""
    lines = (DEPLOY / "bluecard.env.example").read_text().splitlines()
    filled = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    environment = {name: value or "filled-in" for name, value in filled.items()}
    code = "import casino.settings as s; print(s.BROKER_IS_PGMQ, s.DATABASE_IS_EMBEDDED, s.WITNESS_IS_OURS)"
    done = subprocess.run(
        [
            "/usr/bin/env",
            "-i",
            *(f"{name}={value}" for name, value in environment.items()),
            PYTHON,
            "-c",
            code,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("False False False\n", "")


@pytest.mark.parametrize("script", ["run", "backup", "restore"])
def test_scripts_are_sound_and_read_only_what_there_is(script: str) -> None:
    path = DEPLOY / script
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    assert path.stat().st_mode & 0o111
    read = set(re.findall(r"\$\{?([A-Z_]{3,})", path.read_text())) - {"SETTINGS", "HOME"}
    assert read <= SETTINGS | ALSO


def test_run_gives_each_line_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text("# a comment\n\nFIRST=x$y z\nSECOND=\n")
    (tmp_path / "b.env").write_text("THIRD='q'")
    code = "import os; print([os.environ[n] for n in ('FIRST', 'SECOND', 'THIRD')], os.getcwd())"
    script = (DEPLOY / "run").read_text().replace('"$(id -u)" = 0', "no = yes")  # not as another account
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/run").write_text(script)
    done = subprocess.run(
        ["bash", str(tmp_path / "deploy/run"), "-f", str(tmp_path / "b.env"), PYTHON, "-c", code],
        env={"SETTINGS": str(tmp_path / "a.env"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (f"['x$y z', '', \"'q'\"] {tmp_path}\n", "")
