"""The manifest of an archive: a SHA-256 for every file, signed with Ed25519 as a C2SP signed note.

`SHA256SUMS` is the text that `sha256sum -c` reads; `SHA256SUMS.sig` is the line that signs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from audit.rules.checkpoint import Signer, VerifierKey, cosigned_at

SUMS: Final = "SHA256SUMS"
SIGNATURE: Final = "SHA256SUMS.sig"


def write_sums(files: Mapping[str, bytes]) -> str:
    """Write the digests of all files, in the order of their names."""
    return "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))


def sign_sums(sums: str, signer: Signer) -> str:
    """Return the line that signs a manifest."""
    return signer.signature_line(sums)


def check_sums(sums: str, signature: str, key: VerifierKey) -> None:
    """Raise unless this key signed the manifest.

    :raises BadCheckpoint: if it did not.
    """
    cosigned_at(f"{sums}\n{signature}", key)
