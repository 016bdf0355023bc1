#!/usr/bin/env python3
"""Check an evidence pack where Bluecard is not installed: python verify_pack.py PACK.zip --key KEY

Needs Python 3.9 and the package `cryptography`. KEY is the published key of the house (a text, or a file that
holds it); without it the key inside the pack is used, which shows that the pack is whole but not whose it is.
Prints VALID or INVALID with the first thing that is wrong; ends with 0 or 1.
"""

import argparse
import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SUMS, SIGNATURE, KEY = "SHA256SUMS", "SHA256SUMS.sig", "evidence.pub"


class Invalid(Exception):
    """Something is wrong; the message says what."""


def read_key(text):
    """Return name, key ID and public key of `name+hash+base64`."""
    name, _, rest = text.strip().partition("+")
    stated, _, encoded = rest.partition("+")
    raw = base64.b64decode(encoded, validate=True)
    if len(raw) != 33 or raw[0] != 1:
        raise Invalid("the key is no Ed25519 key")
    key_id = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if key_id.hex() != stated:
        raise Invalid("the key's hash is not its own")
    return name, key_id, Ed25519PublicKey.from_public_bytes(raw[1:])


def check_signature(sums, line, key_text):
    """Raise unless the key signed the manifest."""
    name, key_id, key = read_key(key_text)
    mark, _, rest = line.decode().rstrip("\n").partition(" ")
    signer, _, encoded = rest.partition(" ")
    blob = base64.b64decode(encoded, validate=True)
    if mark != "\u2014" or signer != name or blob[:4] != key_id:
        raise Invalid("the manifest is not signed by " + name)
    try:
        key.verify(blob[4:], sums)
    except InvalidSignature as error:
        raise Invalid("the signature under the manifest is wrong") from error


def check_files(archive, sums):
    """Raise unless the archive holds exactly the files of the manifest, as they were."""
    listed = {}
    for line in sums.decode().splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    names = archive.namelist()
    if len(names) != len(set(names)):
        raise Invalid("a file stands twice in the archive")
    for name in sorted(set(listed) - set(names)):
        raise Invalid(name + " is missing")
    for name in sorted(set(names) - set(listed) - {SUMS, SIGNATURE}):
        raise Invalid(name + " is not in the manifest")
    for name, digest in listed.items():
        if hashlib.sha256(archive.read(name)).hexdigest() != digest:
            raise Invalid(name + " was changed")
    return len(listed)


def check_journal(archive):
    """Raise unless each entry hashes to its leaf, and each proof leads to the checkpoint's root."""
    root, size = None, 0
    if "journal/checkpoint" in archive.namelist():
        lines = archive.read("journal/checkpoint").decode().split("\n")
        size, root = int(lines[1]), base64.b64decode(lines[2])
    entries = proven = 0
    for line in archive.read("journal/entries.jsonl").decode().splitlines():
        row = json.loads(line)
        leaf = hashlib.sha256(b"\x00" + row["body"].encode()).digest()
        if leaf.hex() != row["leaf_hash"]:
            raise Invalid("journal entry {} was changed".format(row["entry"]))
        entries += 1
        if "proof" in row:
            path = [bytes.fromhex(node) for node in row["proof"]]
            if root is None or root_from(leaf, row["index"], size, path) != root:
                raise Invalid("journal entry {} is not in the sealed tree".format(row["entry"]))
            proven += 1
    return entries, proven


def root_from(leaf, index, size, path):
    """Work out a tree's root from a leaf and its inclusion proof (RFC 9162, 2.1.3.2); None if it is none."""
    if index >= size:
        return None
    fn, sn, root = index, size - 1, leaf
    for node in path:
        if sn == 0 or len(node) != 32:
            return None
        if fn & 1 or fn == sn:
            root = hashlib.sha256(b"\x01" + node + root).digest()
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            root = hashlib.sha256(b"\x01" + root + node).digest()
        fn, sn = fn >> 1, sn >> 1
    return root if sn == 0 else None


def main(arguments=None):
    """Check the pack that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pack", type=Path)
    parser.add_argument("--key", help="the house's published key, or a file that holds it")
    given = parser.parse_args(arguments)
    try:
        with zipfile.ZipFile(given.pack) as archive:
            sums = archive.read(SUMS)
            key = given.key or archive.read(KEY).decode()
            if given.key and Path(given.key).is_file():
                key = Path(given.key).read_text()
            check_signature(sums, archive.read(SIGNATURE), key)
            files = check_files(archive, sums)
            entries, proven = check_journal(archive)
    except Invalid as error:
        print("INVALID:", error)
        return 1
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        print("INVALID: this is no whole evidence pack:", error)
        return 1
    print("VALID: {} files as signed by {}".format(files, key.partition("+")[0]))
    print(f"journal: {entries} entries, {proven} of them proven to be in the sealed tree")
    if not given.key:
        print("The key was the pack's own: compare it with the one the house publishes.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
