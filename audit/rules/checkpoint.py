"""Checkpoints as C2SP writes them: signed notes (Ed25519) that name a tree's size and root.

The forms are C2SP's signed-note, tlog-checkpoint and tlog-cosignature: any tool that reads those reads ours.
"""

from __future__ import annotations

import binascii
import re
import struct
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from audit.rules.merkle import HASH_BYTES

LOG_KEY: Final = 0x01
WITNESS_KEY: Final = 0x04
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
LONGEST_NOTE: Final = 64 * 1024
_NAME: Final = re.compile(r"[^\s+]+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_SIGNATURE: Final = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)")


class BadCheckpoint(Exception):
    """A note that is none, or not signed by the key that is asked for."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log says it holds: its name, the number of leaves and the root over them."""

    origin: str
    size: int
    root: bytes

    def body(self) -> str:
        """Write the text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, note: str) -> Checkpoint:
        """Read the text of a note, signed or not; who signed it is another question.

        :raises BadCheckpoint: if it is none.
        """
        if len(note) > LONGEST_NOTE:
            raise BadCheckpoint("the note is too long")
        lines = note.partition("\n\n")[0].removesuffix("\n").split("\n")
        if len(lines) < 3 or not lines[0] or not _NUMBER.fullmatch(lines[1]):
            raise BadCheckpoint("a checkpoint has a name, a number and a root, each on a line")
        root = _decode(lines[2])
        if len(root) != HASH_BYTES:
            raise BadCheckpoint(f"the root has {len(root)} bytes, not {HASH_BYTES}")
        if b64encode(root).decode() != lines[2]:
            raise BadCheckpoint("the root is written another way than it has to be")
        if len(lines) > 3:
            raise BadCheckpoint("a checkpoint of this log has three lines")
        return cls(lines[0], int(lines[1]), root)


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with its name, written `name+0a1b2c3d+base64`."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Return the four bytes that begin each signature made with this key."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    def __str__(self) -> str:
        """Write the key as it is published."""
        return f"{self.name}+{self.key_id.hex()}+{b64encode(bytes([self.kind]) + self.public).decode()}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Read a published key.

        :raises BadCheckpoint: if it is none.
        """
        parts = text.strip().split("+", 2)
        if len(parts) != 3 or not _NAME.fullmatch(parts[0]):
            raise BadCheckpoint("a key is written name+hash+base64")
        raw = _decode(parts[2])
        if len(raw) != 1 + KEY_BYTES or raw[0] not in (LOG_KEY, WITNESS_KEY):
            raise BadCheckpoint("the key is no Ed25519 key of a log or a witness")
        key = cls(parts[0], raw[0], raw[1:])
        if key.key_id.hex() != parts[1]:
            raise BadCheckpoint("the key's hash is not the one of its name and bytes")
        return key


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key with its name and what it signs as: a log or a witness."""

    name: str
    kind: int
    secret: bytes

    def __repr__(self) -> str:
        """Name the key and keep its secret."""
        return f"Signer({self.name!r})"

    @property
    def verifier(self) -> VerifierKey:
        """Return the public half."""
        public = Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()
        return VerifierKey(self.name, self.kind, public)

    def signature_line(self, body: str, at_seconds: int = 0) -> str:
        """Sign a checkpoint's body; a witness also says when, in seconds since 1970."""
        key = Ed25519PrivateKey.from_private_bytes(self.secret)
        if self.kind == WITNESS_KEY:
            blob = struct.pack(">Q", at_seconds) + key.sign(_cosigned(body, at_seconds))
        else:
            blob = key.sign(body.encode())
        return f"— {self.name} {b64encode(self.verifier.key_id + blob).decode()}\n"

    def write(self) -> str:
        """Write the private key as one line, for a file that only its process may read."""
        secret = b64encode(bytes([self.kind]) + self.secret).decode()
        return f"PRIVATE+KEY+{self.name}+{self.verifier.key_id.hex()}+{secret}\n"

    @classmethod
    def parse(cls, text: str) -> Signer:
        """Read what `write` wrote.

        :raises BadCheckpoint: if it is no private key.
        """
        head, _, rest = text.strip().partition("PRIVATE+KEY+")
        parts = rest.split("+", 2)
        if head or len(parts) != 3 or not _NAME.fullmatch(parts[0]):
            raise BadCheckpoint("a private key is written PRIVATE+KEY+name+hash+base64")
        raw = _decode(parts[2])
        if len(raw) != 1 + KEY_BYTES or raw[0] not in (LOG_KEY, WITNESS_KEY):
            raise BadCheckpoint("the private key is no Ed25519 key of a log or a witness")
        signer = cls(parts[0], raw[0], raw[1:])
        if signer.verifier.key_id.hex() != parts[1]:
            raise BadCheckpoint("the private key's hash is not the one of its name and bytes")
        return signer

    @classmethod
    def make(cls, name: str, kind: int) -> Signer:
        """Make a new key.

        :raises BadCheckpoint: if the name holds spaces or a plus sign.
        """
        if not _NAME.fullmatch(name):
            raise BadCheckpoint("a key's name holds no spaces and no plus sign")
        return cls(name, kind, Ed25519PrivateKey.generate().private_bytes_raw())


def sign(checkpoint: Checkpoint, signer: Signer) -> str:
    """Write a checkpoint with the log's signature."""
    return f"{checkpoint.body()}\n{signer.signature_line(checkpoint.body())}"


def open_note(note: str, key: VerifierKey) -> Checkpoint:
    """Return the checkpoint that a note carries, if this key signed it.

    :raises BadCheckpoint: if it did not.
    """
    checkpoint = Checkpoint.parse(note)
    cosigned_at(note, key)
    return checkpoint


def cosigned_at(note: str, key: VerifierKey) -> int:
    """Return when a witness signed a note, in seconds since 1970; 0 for a log's own signature.

    :raises BadCheckpoint: if this key did not sign it, or a signature of its name is wrong.
    """
    body, mark, signatures = note.partition("\n\n")
    if not mark or not signatures.endswith("\n"):
        raise BadCheckpoint("the note has no signatures")
    body += "\n"
    found: int | None = None
    for line in signatures.removesuffix("\n").split("\n"):
        read = _SIGNATURE.fullmatch(line)
        if read is None:
            raise BadCheckpoint("a line after the empty one is no signature")
        blob = _decode(read[2])
        if read[1] == key.name and blob[:4] == key.key_id:
            found = _check(key, body, blob[4:])
    if found is None:
        raise BadCheckpoint(f"no signature by {key.name}")
    return found


def _check(key: VerifierKey, body: str, blob: bytes) -> int:
    at_seconds, signed, signature = 0, body.encode(), blob
    if key.kind == WITNESS_KEY:
        if len(blob) != 8 + SIGNATURE_BYTES:
            raise BadCheckpoint(f"the signature by {key.name} is cut")
        (at_seconds,) = struct.unpack(">Q", blob[:8])
        signed, signature = _cosigned(body, at_seconds), blob[8:]
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, signed)
    except InvalidSignature as error:
        raise BadCheckpoint(f"the signature by {key.name} is wrong") from error
    return at_seconds


def _cosigned(body: str, at_seconds: int) -> bytes:
    return f"cosignature/v1\ntime {at_seconds}\n{body}".encode()


def _decode(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except binascii.Error as error:
        raise BadCheckpoint("a line is no base64") from error
