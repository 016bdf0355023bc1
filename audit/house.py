"""The house's journal: its name and key, and where its witness is, as the settings say."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from audit.keys import load_published, load_signer, published_beside
from audit.rules.checkpoint import LOG_KEY, Signer, VerifierKey


def journal_signer(*, may_make: bool | None = None) -> Signer:
    """Return the key that checkpoints are signed with; outside production it is made when first wanted.

    :raises NoKey: if there is none, saying what to do.
    """
    may = not settings.IS_PRODUCTION if may_make is None else may_make
    return load_signer(Path(settings.JOURNAL_KEY_FILE), settings.JOURNAL_NAME, LOG_KEY, may_make=may)


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
