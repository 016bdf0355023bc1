"""A figure with its baseline: taken in alternating runs, compared by medians, laid out to be read."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

RUNS = 5


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured, and how often."""

    rows: int
    runs: int = RUNS


@dataclass(frozen=True, slots=True)
class Ratio:
    """One value divided by another (`x`), or a value by itself, with the target it is held against."""

    name: str
    value: float
    target: float | None = None
    is_met_when: Literal["at most", "at least"] = "at most"
    unit: str = "x"

    @property
    def is_met(self) -> bool | None:
        """Say whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return self.value <= self.target if self.is_met_when == "at most" else self.value >= self.target


@dataclass(slots=True)
class Figure:
    """What one bench found. `runs` holds every run by subject, `median` the middle one, both in `unit`."""

    name: str
    title: str
    unit: str = "s"
    runs: dict[str, list[float]] = field(default_factory=dict)
    ratios: list[Ratio] = field(default_factory=list)
    values: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def medians(self) -> dict[str, float]:
        return {subject: statistics.median(taken) for subject, taken in self.runs.items()}

    def compare(
        self,
        name: str,
        over: str,
        under: str,
        *,
        target: float | None = None,
        is_met_when: Literal["at most", "at least"] = "at most",
    ) -> None:
        """Add the ratio of the medians of two subjects."""
        medians = self.medians
        self.ratios.append(Ratio(name, medians[over] / medians[under], target, is_met_when))

    def as_json(self) -> dict[str, Any]:
        """Shape the figure for machines."""
        ratios = [{**asdict(ratio), "is_met": ratio.is_met} for ratio in self.ratios]
        return {**asdict(self), "medians": self.medians, "ratios": ratios}


def figure_from_json(data: Mapping[str, Any]) -> Figure:
    """Read a figure back."""
    ratios = [
        Ratio(**{name: value for name, value in one.items() if name != "is_met"}) for one in data["ratios"]
    ]
    return Figure(data["name"], data["title"], data["unit"], data["runs"], ratios, data["values"])


Timed = Callable[[int], float]
Say = Callable[[str], None]


def alternate(
    subjects: Mapping[str, Timed], *, runs: int, say: Say = lambda words: None
) -> dict[str, list[float]]:
    """Take every subject once, then every subject again, so that a slow moment of the machine meets all.

    A subject is called with the number of the run, from 0, and returns what it measured.
    """
    taken: dict[str, list[float]] = {subject: [] for subject in subjects}
    for run in range(runs):
        for subject, measure in subjects.items():
            taken[subject].append(measure(run))
            say(f"run {run + 1} of {runs}: {subject} {_number(taken[subject][-1])}")
    return taken


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def peak_mb() -> float:
    """Return the most memory this process ever had resident; the kernel counts it anew at each exec."""
    status = Path("/proc/self/status")
    if not status.exists():
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def as_text(figure: Figure) -> Iterator[str]:
    """Lay a figure out for people."""
    yield f"{figure.name}: {figure.title}"
    medians = figure.medians
    for subject, taken in figure.runs.items():
        every = " ".join(_number(value) for value in taken)
        yield f"    {subject:<46}{_number(medians[subject]):>12} {figure.unit:<3} ({every})"
    for name, value in figure.values.items():
        yield f"    {name:<46}{value if isinstance(value, str) else _number(value):>12}"
    for ratio in figure.ratios:
        verdict = {None: "", True: "met", False: "MISSED"}[ratio.is_met]
        target = "" if ratio.target is None else f"target {ratio.is_met_when} {ratio.target:g}: {verdict}"
        yield f"    {ratio.name:<46}{ratio.value:>12.2f} {ratio.unit:<3} {target}".rstrip()


def _number(value: float) -> str:
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"
