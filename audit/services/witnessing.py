"""Showing the newest checkpoint to the witness, and keeping what it says: its signature or its reason."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction

from audit.models import Checkpoint, Cosignature, WitnessState
from audit.queries.tree import growth_between, newest_checkpoint
from audit.rules.checkpoint import BadCheckpoint, VerifierKey, cosigned_at
from audit.rules.merkle import BadProof
from audit.witness_client import OtherSize, WitnessAway, WitnessRefused, ask

REWRITTEN = (
    "what the witness saw at {size} entries is not the beginning of this journal: history was rewritten"
)
CUT = (
    "the witness has seen {size} entries, here are {here}: the journal was cut, or an old backup brought back"
)
AWAY = "the witness does not answer: {reason}"


def show_witness(*, url: str, key: VerifierKey, now: datetime) -> WitnessState | None:
    """Ask the witness to cosign the newest checkpoint; None when it has done so already."""
    newest = newest_checkpoint()
    if newest is None or newest.cosignatures.filter(witness=key.name).exists():
        return None
    known = WitnessState.objects.filter(pk=key.name).values_list("size", flat=True).first() or 0
    try:
        line = _ask(url, newest, known)
        at = cosigned_at(newest.note + line, key)
    except (WitnessRefused, BadCheckpoint) as problem:
        return _keep(key, known, str(problem), now)
    except WitnessAway as problem:
        return _keep(key, known, AWAY.format(reason=problem), now, is_away=True)
    with transaction.atomic():
        Cosignature.objects.create(
            checkpoint=newest, witness=key.name, line=line, cosigned_at=datetime.fromtimestamp(at, UTC)
        )
        return _keep(key, newest.size, "", now)


def _ask(url: str, newest: Checkpoint, known: int) -> str:
    """Ask with the size we believe it saw last, and once more with the size it says.

    :raises WitnessRefused: if no growth leads from what it saw to what is here.
    """
    for old_size in (known if known <= newest.size else 0, None):
        size = known if old_size is None else old_size
        try:
            return ask(url, old_size=size, proof=growth_between(size, newest.size), note=newest.note)
        except OtherSize as seen:
            if seen.size > newest.size:
                raise WitnessRefused(CUT.format(size=seen.size, here=newest.size)) from seen
            known = seen.size
        except (BadProof, WitnessRefused) as refused:
            if not size:
                raise WitnessRefused(str(refused)) from refused
            raise WitnessRefused(f"{REWRITTEN.format(size=size)} ({refused})") from refused
    raise WitnessRefused(REWRITTEN.format(size=known))


def _keep(key: VerifierKey, size: int, problem: str, now: datetime, *, is_away: bool = False) -> WitnessState:
    values = {"size": size, "problem": problem[:300], "is_away": is_away, "asked_at": now}
    return WitnessState.objects.update_or_create(witness=key.name, defaults=values)[0]
