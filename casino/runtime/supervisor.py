"""One supervisor over several programs: starts them, names their lines, restarts what dies, stops all."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO

from casino.runtime import leash

#: A program that lived shorter than this died quickly; so many quick deaths in a row end everything.
QUICK_SECONDS = 10.0
QUICK_DEATHS = 5
#: Between a death and the restart: doubled at each quick death.
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8.0
#: From SIGTERM to SIGKILL: on a busy machine the rounds in work take their time. A second signal ends it.
PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Program:
    """What to run, under which name, whether for ever or once, and whether the others speak to it."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)
    is_once: bool = False
    is_counterpart: bool = False


@dataclass
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    pump: threading.Thread
    started: float


@dataclass
class Supervisor:
    """Stages of programs; a stage starts when all that run once in the stage before have ended well."""

    stages: Sequence[Sequence[Program]]
    #: Looked at every second: returns what there is to say, and raises to end everything.
    watch: Callable[[], str] | None = None
    out: IO[str] = field(default_factory=lambda: sys.stdout)
    quick_seconds: float = QUICK_SECONDS
    quick_deaths: int = QUICK_DEATHS
    first_delay_seconds: float = FIRST_DELAY_SECONDS
    patience_seconds: float = PATIENCE_SECONDS

    def __post_init__(self) -> None:
        """Start with nothing running."""
        self._children: dict[str, _Child] = {}
        self._deaths: dict[str, int] = {}
        self._restart_at: dict[str, tuple[float, Program]] = {}
        self._stopping = threading.Event()
        self._is_hurried = False
        self._reason = ""
        self._waiting = list(self.stages)
        self._width = max((len(program.name) for stage in self.stages for program in stage), default=0)
        self._print_lock = threading.Lock()

    def run(self) -> int:
        """Run until a signal or a reason ends it; return the exit status: 0 for a signal, 1 for a reason."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._be_told_to_stop())
        next_watch = time.monotonic() + 1
        try:
            while not self._stopping.is_set():
                self._start_next_stage()
                self._reap()
                self._restart_due()
                if self.watch is not None and time.monotonic() >= next_watch:
                    if news := self.watch():
                        self.say(news)
                    next_watch = time.monotonic() + 1
                self._stopping.wait(LOOK_SECONDS)
        except RuntimeError as error:
            self._end(str(error))
        finally:
            self._stop_all()
        if self._reason:
            self.say(f"ended: {self._reason}")
            return 1
        self.say("stopped")
        return 0

    def _be_told_to_stop(self) -> None:
        """Stop; told again, wait for nobody any more."""
        self._is_hurried = self._stopping.is_set()
        self._stopping.set()

    def say(self, line: str, name: str = "bluecard") -> None:
        """Print one line under a name."""
        with self._print_lock:
            print(f"{name:<{self._width}} | {line}", file=self.out, flush=True)

    def _start_next_stage(self) -> None:
        is_once_running = any(child.program.is_once for child in self._children.values())
        if not self._waiting or is_once_running or self._restart_at:
            return
        for program in self._waiting.pop(0):
            self._start(program)

    def _start(self, program: Program) -> None:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", leash.__file__, *program.command],
            env={**os.environ, "PYTHONUNBUFFERED": "1", **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches us alone, and we tell the others in our order
        )
        self.say(f"{program.name} started, pid {process.pid}")
        pump = threading.Thread(target=self._pump, args=(program.name, process.stdout), daemon=True)
        pump.start()
        self._children[program.name] = _Child(program, process, pump, time.monotonic())

    def _pump(self, name: str, lines: IO[bytes]) -> None:
        for line in lines:
            self.say(line.decode(errors="replace").rstrip(), name)

    def _reap(self) -> None:
        for name, child in list(self._children.items()):
            status = child.process.poll()
            if status is None:
                continue
            del self._children[name]
            _signal_group(child, signal.SIGKILL)  # what it left behind
            is_quick = time.monotonic() - child.started < self.quick_seconds
            if child.program.is_once and status == 0:
                continue
            if child.program.is_once and is_quick:
                self._end(f"{name} failed ({_in_words(status)})")
                continue
            self._plan_restart(child.program, status, counts=is_quick or child.program.is_once)

    def _plan_restart(self, program: Program, status: int, *, counts: bool) -> None:
        """Start it again later, unless it has died too often; a long life forgives all deaths before it."""
        name = program.name
        deaths = self._deaths[name] = self._deaths.get(name, 0) + 1 if counts else 1
        if counts and deaths >= self.quick_deaths:
            self._end(f"{name} died {deaths} times ({_in_words(status)}); its last lines say why")
            return
        delay = min(self.first_delay_seconds * 2 ** (deaths - 1), LONGEST_DELAY_SECONDS)
        self.say(f"{name} died ({_in_words(status)}); again in {delay:g} s")
        self._restart_at[name] = (time.monotonic() + delay, program)

    def _restart_due(self) -> None:
        for name, (due, program) in list(self._restart_at.items()):
            if time.monotonic() >= due:
                del self._restart_at[name]
                self._start(program)

    def _end(self, reason: str) -> None:
        self._reason = self._reason or reason
        self._stopping.set()

    def _stop_all(self) -> None:
        """Stop our own, then what they speak to: who is ending may still have something to say."""
        children = self._children.values()
        for is_counterpart in (False, True):
            self._stop([child for child in children if child.program.is_counterpart is is_counterpart])
        self._children.clear()

    def _stop(self, children: Sequence[_Child]) -> None:
        """Tell all of them at once, wait, and kill what does not listen."""
        for child in children:
            child.process.terminate()
        give_up_at = time.monotonic() + self.patience_seconds
        for child in children:
            while child.process.poll() is None and time.monotonic() < give_up_at and not self._is_hurried:
                time.sleep(LOOK_SECONDS / 2)
            if child.process.poll() is None:
                self.say(f"{child.program.name} does not stop: killed")
            _signal_group(child, signal.SIGKILL)
            child.process.wait()
            child.pump.join(timeout=1)


def _signal_group(child: _Child, number: signal.Signals) -> None:
    try:
        os.killpg(child.process.pid, number)
    except (ProcessLookupError, PermissionError):
        return  # nobody is left in it


def _in_words(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"killed by {signal.Signals(-status).name}"
