"""The key that signs evidence packs: in a file of the worker's, never in the database."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from audit.rules.checkpoint import LOG_KEY, Signer


def evidence_signer() -> Signer:
    """Return the key; outside production it is made when first wanted.

    :raises ImproperlyConfigured: if there is none, or it is another name's.
    """
    path = Path(settings.EVIDENCE_KEY_FILE)
    if not path.exists():
        if settings.IS_PRODUCTION:
            raise ImproperlyConfigured(f"there is no key in {path}: see docs/evidence.md")
        make_key(path, settings.EVIDENCE_NAME)
    signer = Signer.parse(path.read_text())
    if signer.name != settings.EVIDENCE_NAME:
        raise ImproperlyConfigured(f"the key in {path} is that of {signer.name}")
    return signer


def make_key(path: Path, name: str) -> None:
    """Make a key where there is none; of two processes at once, the first one's stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(Signer.make(name, LOG_KEY).write())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
