"""How far the journal is proved: sealed to, witnessed to, verified when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection

from audit.models import Checkpoint, Cosignature, PendingEntry, Verification, WitnessState
from audit.queries.tree import newest_checkpoint
from audit.queries.verifying_progress import SAID, Progress

#: Sealing takes about a second. An entry may tell of a moment some way before its transaction ended, so it is
#: late only when it waits for longer than this and nothing was sealed meanwhile.
LATE_AFTER: Final = timedelta(seconds=60)
MOST_COUNTED: Final = 100_000
_NOW: Final = f"""
SELECT (
    SELECT at FROM tables_journalentry WHERE id = (SELECT min(entry_id) FROM audit_pendingentry)
), ({SAID})
"""


@dataclass(frozen=True, slots=True)
class ProofStatus:
    """What the pages say of the proof."""

    sealed: Checkpoint | None
    witnessed: Cosignature | None
    witness: WitnessState | None
    verified: Verification | None
    pending: int
    pending_since: datetime | None
    verifying: Progress | None = None

    def is_late(self, now: datetime) -> bool:
        """Say whether entries wait so long that no sealer can be at work."""
        if self.pending_since is None or now - self.pending_since <= LATE_AFTER:
            return False
        return self.sealed is None or now - self.sealed.sealed_at > LATE_AFTER

    @property
    def is_sound(self) -> bool:
        """Say whether the last check found nothing altered, and the witness refuses nothing."""
        checked = self.verified is None or self.verified.problems_count == 0
        return checked and not (self.witness and self.witness.problem and not self.witness.is_away)

    @property
    def is_witness_away(self) -> bool:
        """Say whether the witness does not answer, so that nobody outside sees what is sealed now."""
        return self.witness is not None and self.witness.is_away

    @property
    def not_checked(self) -> str:
        """Say what the last check could not look at; empty where that was nothing."""
        return self.verified.not_checked if self.verified is not None else ""


def proof_status(*, counts_pending: bool = True) -> ProofStatus:
    """Read how far the proof reaches now; where nobody shows what is pending it need not be counted."""
    with connection.cursor() as cursor:
        cursor.execute(_NOW)
        since, said = cursor.fetchone()
    return ProofStatus(
        sealed=newest_checkpoint(),
        witnessed=Cosignature.objects.order_by("-checkpoint_id").first(),
        witness=WitnessState.objects.order_by("-asked_at").first(),
        verified=Verification.objects.order_by("-finished_at", "-id").first(),
        pending=_count_pending() if counts_pending else 0,
        pending_since=since,
        verifying=Progress.parse(said) if said else None,
    )


def _count_pending() -> int:
    return PendingEntry.objects.order_by().values("pk")[:MOST_COUNTED].count()
