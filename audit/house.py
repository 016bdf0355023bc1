"""The house's keys, of its journal and of its evidence packs, and its witness, as the settings say."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from audit.keys import load_published, load_signer, published_beside
from audit.rules.checkpoint import LOG_KEY, Signer, VerifierKey


def journal_signer(*, may_make: bool | None = None) -> Signer:
    """Return the key that checkpoints are signed with; outside production it is made when first wanted.

    :raises NoKey: if there is none, saying what to do.
    """
    file, how = Path(settings.JOURNAL_KEY_FILE), "manage.py seal --make-key"
    return load_signer(file, settings.JOURNAL_NAME, LOG_KEY, may_make=_may(may_make), how=how)


def evidence_signer(*, may_make: bool | None = None) -> Signer:
    """Return the key that evidence packs are signed with; outside production it is made when first wanted.

    :raises NoKey: if there is none, saying what to do.
    """
    file, how = Path(settings.EVIDENCE_KEY_FILE), "manage.py evidence_key --make"
    return load_signer(file, settings.EVIDENCE_NAME, LOG_KEY, may_make=_may(may_make), how=how)


def _may(said: bool | None) -> bool:
    return not settings.IS_PRODUCTION if said is None else said


def journal_key() -> VerifierKey | None:
    """Return the published half of that key; None while there is none."""
    return load_published(str(published_beside(Path(settings.JOURNAL_KEY_FILE))))


def witness_key() -> VerifierKey | None:
    """Return the key the witness signs with; None while none is known."""
    return load_published(settings.WITNESS_KEY) if settings.WITNESS_KEY else None


def witness_url() -> str:
    """Return where the witness listens; empty when there is none.

    The setting may name a file that holds the address: that of the witness that `make run` starts.
    """
    named = settings.WITNESS_URL
    if not named or named.startswith(("http://", "https://")):
        return str(named).rstrip("/")
    try:
        return Path(named).read_text().strip()
    except OSError:
        return ""
