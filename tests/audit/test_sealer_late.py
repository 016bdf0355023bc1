"""The page says that the sealer does not keep up when none is at work, and not when it is a moment behind."""

from datetime import timedelta

import pytest

from audit.models import Checkpoint
from audit.queries.proof_status import ProofStatus
from tests.tables.playing import NOON


def status(pending: int | None, sealed: int | None) -> ProofStatus:
    """Describe a proof whose oldest pending entry and newest checkpoint are so many seconds old."""
    checkpoint = (
        Checkpoint(size=5, sealed_at=NOON - timedelta(seconds=sealed)) if sealed is not None else None
    )
    since = NOON - timedelta(seconds=pending) if pending is not None else None
    return ProofStatus(checkpoint, None, None, None, 2 if since else 0, since)


@pytest.mark.parametrize(
    ("pending", "sealed", "is_late"),
    [
        (None, 9999, False),  # nothing waits, however long nothing was sealed
        (2, 9999, False),
        (60, 9999, False),
        (61, 9999, True),
        (61, 1, False),  # a long transaction has just ended
        (61, None, True),  # nothing was ever sealed
    ],
)
def test_when_the_sealer_is_late(pending: int | None, sealed: int | None, is_late: bool) -> None:
    assert status(pending, sealed).is_late(NOON) is is_late
