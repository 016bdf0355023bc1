"""The supervisor against real processes that live, die and refuse to stop."""

import json
import os
import queue
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casino.runtime.places import ROOT

#: Runs the stages given as JSON: [[{"name", "code", "is_once", …}]], with short patience.
HOST = """
import json, sys
from casino.runtime.supervisor import Program, Supervisor
def program(name, code, **more):
    return Program(name, (sys.executable, "-c", code), **more)
stages = [[program(**each) for each in stage] for stage in json.loads(sys.argv[1])]
options = json.loads(sys.argv[2])
sys.exit(Supervisor(stages, first_delay_seconds=0.05, **options).run())
"""
LIVES = "import signal; print('here', flush=True); signal.pause()"
DEAF = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('here', flush=True)\nwhile True: signal.pause()"
)
ENDS_BY_SAYING_SO = (
    "import signal, sys\n"
    "def end(*_):\n    {last}; print('ends', flush=True); sys.exit()\n"
    "signal.signal(signal.SIGTERM, end)\nprint('here', flush=True)\nwhile True: signal.pause()"
)
SAYS_THAT_IT_ENDS = ENDS_BY_SAYING_SO.format(last="pass")
DIES = "import sys; print('cannot', flush=True); sys.exit(3)"


class Run:
    """A supervisor in a process of its own, and what it has said."""

    def __init__(self, *stages: list[dict[str, Any]], **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOST, json.dumps(stages), json.dumps(options)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def hears(self, pattern: str) -> re.Match[str]:
        """Wait for a line that matches."""
        while True:
            line = self._lines.get(timeout=60)
            assert line is not None, f"ended without {pattern!r}: {self.said}"
            self.said.append(line)
            if match := re.search(pattern, line):
                return match

    def ends(self) -> int:
        """Wait for the end and return the exit status."""
        status = self.process.wait(timeout=60)
        while (line := self._lines.get(timeout=60)) is not None:
            self.said.append(line)
        return status


@pytest.fixture
def runs() -> Iterator[list[Run]]:
    """Collect the runs of a test, so that none outlives it."""
    started: list[Run] = []
    yield started
    for run in started:
        run.process.kill()
        run.process.wait()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def has_ended(watched: int) -> bool:
    """Wait for the end of the process that this descriptor (`os.pidfd_open`) stands for."""
    ready, _, _ = select.select([watched], [], [], 60)
    os.close(watched)
    return bool(ready)


def test_a_killed_program_is_started_again(runs: list[Run]) -> None:
    runs.append(run := Run([{"name": "web", "code": LIVES}, {"name": "worker", "code": LIVES}]))
    first = int(run.hears(r"worker started, pid (\d+)")[1])
    run.hears(r"^worker +\| here")
    os.kill(first, signal.SIGKILL)
    run.hears(r"worker died \(killed by SIGKILL\); again in 0.05 s")
    second = int(run.hears(r"worker started, pid (\d+)")[1])
    run.hears(r"^worker +\| here")
    assert second != first
    assert is_alive(second)


def test_a_program_that_keeps_dying_ends_all_with_a_reason(runs: list[Run]) -> None:
    runs.append(
        run := Run([{"name": "web", "code": LIVES}, {"name": "worker", "code": DIES}], quick_deaths=3)
    )
    web = int(run.hears(r"web started, pid (\d+)")[1])
    assert run.ends() == 1
    assert run.said.count("worker | cannot") == 3
    assert run.said[-1].endswith("ended: worker died 3 times (exit status 3); its last lines say why")
    assert not is_alive(web)


def test_a_program_that_lived_long_enough_may_die_any_number_of_times(runs: list[Run]) -> None:
    runs.append(run := Run([{"name": "worker", "code": DIES}], quick_deaths=2, quick_seconds=0))
    for _ in range(4):
        run.hears(r"worker died \(exit status 3\); again in 0.05 s")
    run.process.send_signal(signal.SIGTERM)
    assert run.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_every_program(number: signal.Signals, runs: list[Run]) -> None:
    runs.append(run := Run([{"name": "web", "code": LIVES}, {"name": "worker", "code": LIVES}]))
    pids = [int(run.hears(r"started, pid (\d+)")[1]) for _ in range(2)]
    run.hears("here")
    run.process.send_signal(number)
    assert run.ends() == 0
    assert run.said[-1].endswith("| stopped")
    assert not any(is_alive(pid) for pid in pids)


def test_a_counterpart_is_told_to_end_after_those_who_speak_to_it(runs: list[Run]) -> None:
    slow = "import signal; signal.sigtimedwait([], 0.5)"  # it ends its work when it is told to
    programs = {"wallet": ("pass", True), "worker": (slow, False)}
    stage = [
        {"name": name, "code": ENDS_BY_SAYING_SO.format(last=last), "is_counterpart": is_counterpart}
        for name, (last, is_counterpart) in programs.items()
    ]
    runs.append(run := Run(stage))
    for _ in programs:
        run.hears("here")
    run.process.send_signal(signal.SIGTERM)
    assert run.ends() == 0
    assert [line.split()[0] for line in run.said if line.endswith("| ends")] == ["worker", "wallet"]


def test_a_program_that_does_not_listen_is_killed(runs: list[Run]) -> None:
    runs.append(run := Run([{"name": "deaf", "code": DEAF}], patience_seconds=0.2))
    pid = int(run.hears(r"deaf started, pid (\d+)")[1])
    run.hears("here")
    run.process.send_signal(signal.SIGTERM)
    assert run.ends() == 0
    assert any(line.endswith("deaf does not stop: killed") for line in run.said)
    assert not is_alive(pid)


def test_a_second_signal_waits_for_nobody(runs: list[Run]) -> None:
    programs = [{"name": "deaf", "code": DEAF}, {"name": "web", "code": SAYS_THAT_IT_ENDS}]
    runs.append(run := Run(programs, patience_seconds=600))
    pid = int(run.hears(r"deaf started, pid (\d+)")[1])
    for _ in range(2):
        run.hears("here")
    run.process.send_signal(signal.SIGINT)
    run.hears(r"^web +\| ends")
    run.process.send_signal(signal.SIGINT)
    assert run.ends() == 0
    assert any(line.endswith("deaf does not stop: killed") for line in run.said)
    assert not is_alive(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="os.pidfd_open is Linux's")
def test_children_of_a_killed_program_do_not_outlive_it(runs: list[Run]) -> None:
    with_child = (
        "import subprocess, sys, signal\n"
        f"child = subprocess.Popen([sys.executable, '-c', {LIVES!r}])\n"
        "print('child', child.pid, flush=True)\nsignal.pause()"
    )
    runs.append(run := Run([{"name": "web", "code": with_child}]))
    master = int(run.hears(r"web started, pid (\d+)")[1])
    child = os.pidfd_open(int(run.hears(r"child (\d+)")[1]))
    os.kill(master, signal.SIGKILL)
    run.hears("web started")
    assert has_ended(child)


def test_a_stage_waits_for_what_runs_once_before_it(runs: list[Run]) -> None:
    once = {"name": "demo", "code": "print('played', flush=True)", "is_once": True}
    runs.append(run := Run([{"name": "web", "code": LIVES}], [once], [{"name": "live", "code": LIVES}]))
    run.hears("live started")
    run.hears(r"^live +\| here")
    order = [line for line in run.said if "started" in line or "played" in line]
    assert [re.sub(r"(, pid .*|^.*\| )", "", line) for line in order] == [
        "web started", "demo started", "played", "live started",
    ]  # fmt: skip


def test_a_failure_of_what_runs_once_ends_all_with_a_reason(runs: list[Run]) -> None:
    once = {"name": "demo", "code": DIES, "is_once": True}
    runs.append(run := Run([{"name": "web", "code": LIVES}], [once], [{"name": "live", "code": LIVES}]))
    assert run.ends() == 1
    assert run.said[-1].endswith("ended: demo failed (exit status 3)")
    assert not any("live started" in line for line in run.said)


def test_what_runs_once_is_tried_again_if_it_failed_only_after_a_while(runs: list[Run]) -> None:
    once = {"name": "demo", "code": DIES, "is_once": True}
    runs.append(run := Run([once], [{"name": "live", "code": LIVES}], quick_seconds=0, quick_deaths=3))
    assert run.ends() == 1
    assert run.said.count("demo | cannot") == 3
    assert run.said[-1].endswith("ended: demo died 3 times (exit status 3); its last lines say why")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_programs_end_when_the_supervisor_itself_is_killed(runs: list[Run]) -> None:
    runs.append(
        run := Run([{"name": "web", "code": "print('here', flush=True); import signal; signal.pause()"}])
    )
    pid = int(run.hears(r"web started, pid (\d+)")[1])
    run.hears("here")
    gone = os.pidfd_open(pid)
    run.process.kill()
    run.process.wait(timeout=60)
    assert has_ended(gone), "the program outlived its supervisor"
