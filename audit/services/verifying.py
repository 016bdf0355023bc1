"""One run of the whole check, with what came of it kept for the audit page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from audit.models import Verification
from audit.models.checkpoint import NOT_CHECKED
from audit.queries.verifying import Checked, Problem, Seen, snapshot, verify_tree
from audit.queries.verifying_progress import say_progress
from audit.queries.verifying_rows import verify_rows
from audit.rules.checkpoint import BadCheckpoint, Checkpoint, VerifierKey, open_note
from audit.witness_client import WitnessAway, newest

#: So many problems are kept with the run; the command names all.
KEPT_PROBLEMS: Final = 20


@dataclass(slots=True)
class Run:
    """What a run is checked against, and what it finds."""

    key: VerifierKey | None
    witness_key: VerifierKey | None
    witness_url: str
    elsewhere: Sequence[Checkpoint] = ()
    checked: Checked = field(default_factory=Checked)
    problems: list[Problem] = field(default_factory=list)
    count: int = 0
    witness_away: str = ""
    not_checked: Problem | None = None  # a check that could not be made: no problem of the journal's

    def find(self, on_batch: Callable[[], None] = lambda: None) -> Iterator[Problem]:
        """Check everything from one snapshot, and yield what is wrong."""
        # The witness first: what it has seen by now, the snapshot holds.
        seen = [Seen("somebody else", checkpoint) for checkpoint in self.elsewhere]
        seen += self._ask_witness()
        with snapshot():
            for problem in self._check(seen, on_batch):
                if problem.kind in NOT_CHECKED:
                    self.not_checked = problem
                    continue
                self.count += 1
                if len(self.problems) < KEPT_PROBLEMS:
                    self.problems.append(problem)
                yield problem

    def _check(self, seen: Sequence[Seen], on_batch: Callable[[], None]) -> Iterator[Problem]:
        def one_more() -> None:
            say_progress(self.checked.rows, self.checked.entries)
            on_batch()

        say_progress(0, 0)
        yield from verify_tree(key=self.key, witness=self.witness_key, seen=seen, checked=self.checked)
        one_more()
        yield from verify_rows(self.checked, one_more)

    def _ask_witness(self) -> list[Seen]:
        if not self.witness_url or self.witness_key is None:
            self.witness_away = "no witness is known"
            return []
        try:
            note = newest(self.witness_url)
            if not note:
                return []
            return [Seen(f"the witness {self.witness_key.name}", open_note(note, self.witness_key))]
        except WitnessAway as problem:
            self.witness_away = f"the witness does not answer: {problem}"
        except BadCheckpoint as problem:
            self.witness_away = f"what the witness says is not signed by it: {problem}"
        return []

    def keep(self, started_at: datetime, finished_at: datetime) -> Verification:
        """Write down that this run was made, with what could not be checked."""
        told = [self.not_checked, *self.problems] if self.not_checked else self.problems
        return Verification.objects.create(
            size=self.checked.entries,
            started_at=started_at,
            finished_at=max(started_at, finished_at),
            problems_count=self.count,
            problems=[{"kind": one.kind, "entry": one.entry, "words": one.words[:500]} for one in told],
        )
