"""Where the keys of journal, evidence packs and witness lie: in files of their own, never in the database."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from audit.rules.checkpoint import Signer, VerifierKey


class NoKey(Exception):
    """A key that is wanted is not there; the message says where and what to do."""


def published_beside(key_file: Path) -> Path:
    """Return the file that holds the public half."""
    return key_file.with_suffix(".pub")


def load_signer(key_file: Path, name: str, kind: int, *, may_make: bool, how: str = "") -> Signer:
    """Read a private key; make one where there is none yet, if that is allowed. `how` is what else makes it.

    The public half is written beside it, for whoever checks.

    :raises NoKey: if there is none and none may be made, or it is another name's.
    :raises BadCheckpoint: if the file holds no key.
    """
    if not key_file.exists():
        if not may_make:
            raise NoKey(f"there is no key in {key_file}; make one with `{how}`")
        _write_new(key_file, Signer.make(name, kind).write())
    signer = Signer.parse(key_file.read_text())
    if (signer.name, signer.kind) != (name, kind):
        raise NoKey(f"the key in {key_file} is that of {signer.name}, not of {name}")
    published = published_beside(key_file)
    text = f"{signer.verifier}\n"
    if not published.exists() or published.read_text() != text:
        replace_file(published, text, 0o644)
    return signer


def load_published(text_or_file: str) -> VerifierKey | None:
    """Read a public key given as text or as the name of a file; None while the file is not there."""
    text = text_or_file.strip()
    if text.count("+") < 2:
        try:
            text = Path(text).read_text()
        except FileNotFoundError:
            return None
    return VerifierKey.parse(text)


def _write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet; of two processes at once, the first one's stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    _write(draft, text, 0o600)
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def replace_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file as a whole, and be sure that it is on the disk."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    _write(draft, text, mode)
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write(path: Path, text: str, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
