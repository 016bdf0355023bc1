#!/usr/bin/env python3
"""Check a journal or an evidence pack that Bluecard exported, where Bluecard is not installed.

Needs Python 3.9 or newer and the package `cryptography`, and nothing of the product. Says one of

    VALID      every entry in the file is in the signed tree, unaltered; of a pack, every file is as signed
    INVALID    and the first entry or file that is not
    DIVERGED   the entries are in a signed tree, but not in the one that a checkpoint seen elsewhere signed:
               history was rewritten since

usage: python3 verify.py FILE [--key KEY] [--witness KEY] [--seen CHECKPOINT] ...

FILE is an export of the journal, or an evidence pack (a ZIP archive). Keys are the house's published ones
(`name+hash+base64`, or a file with it): that of the journal, and for a pack also that of its evidence.
Without --key the one in the file is used, and that is said: whoever made up the file could have made that up.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import struct
import sys
import zipfile
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "bluecard-journal/1"
SUMS, SIGNATURE, PACK_KEY = "SHA256SUMS", "SHA256SUMS.sig", "evidence.pub"
ENTRIES, CHECKPOINT, JOURNAL_KEY = "journal/entries.jsonl", "journal/checkpoint", "journal.pub"
WHOLE = "evidence.json"
VALID, INVALID, USAGE, DIVERGED = 0, 1, 2, 3


class Invalid(Exception):
    """Something in the file is not what it says; `where` is the first bad entry, or the file itself."""

    def __init__(self, where, why):
        super().__init__(f"{where}: {why}")


class Diverged(Exception):
    """The tree is not the one that was seen elsewhere."""


class Unusable(Exception):
    """What was asked cannot be answered with what was given."""


def decode(text, length=None):
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise ValueError("no base64") from None
    if length is not None and len(raw) != length:
        raise ValueError(f"{len(raw)} bytes where {length} belong")
    return raw


def leaf_hash(body):
    return hashlib.sha256(b"\x00" + body).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


class Key:
    """A published Ed25519 key of a log (kind 1) or a witness (kind 4)."""

    def __init__(self, text):
        name, hash_, blob = text.strip().split("+", 2)
        raw = decode(blob, 33)
        self.text, self.name, self.kind, self.public = text.strip(), name, raw[0], raw[1:]
        self.id = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
        if self.id.hex() != hash_ or self.kind not in (1, 4):
            raise ValueError("no key of a log or a witness")

    def check(self, note):
        """Return when a note was signed with this key (0 for a log's), or raise ValueError."""
        body, mark, lines = note.partition("\n\n")
        body += "\n"
        for line in lines.splitlines() if mark else []:
            dash, _, rest = line.partition(" ")
            name, _, blob = rest.partition(" ")
            if dash != "—" or name != self.name:
                continue
            raw = decode(blob)
            if raw[:4] == self.id:
                return self._check(body, raw[4:])
        raise ValueError(f"not signed by {self.name}")

    def _check(self, body, blob):
        at, signed = 0, body
        if self.kind == 4:
            (at,) = struct.unpack(">Q", blob[:8])
            signed, blob = f"cosignature/v1\ntime {at}\n{body}", blob[8:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(blob, signed.encode())
        except InvalidSignature:
            raise ValueError(f"the signature by {self.name} is wrong") from None
        return at


class Checkpoint:
    """So many leaves of a log, with their root."""

    def __init__(self, note):
        lines = note.partition("\n\n")[0].rstrip("\n").split("\n")
        if len(lines) != 3 or not lines[1].isdigit():
            raise ValueError("no checkpoint")
        self.note, self.origin, self.size, self.root = note, lines[0], int(lines[1]), decode(lines[2], 32)


def root_from(leaf, index, size, proof):
    """Return the root that an inclusion proof leads to (RFC 9162, 2.1.3.2), or raise ValueError."""
    place, last = index, size - 1
    if not 0 <= index < size:
        raise ValueError("no such leaf in the tree")
    for step in proof:
        if last == 0:
            raise ValueError("the proof is too long")
        if place & 1 or place == last:
            leaf = node_hash(step, leaf)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            leaf = node_hash(leaf, step)
        place, last = place >> 1, last >> 1
    if last:
        raise ValueError("the proof is too short")
    return leaf


def roots_from(old_root, old_size, new_size, proof):
    """Return both roots that a consistency proof leads to (RFC 9162, 2.1.4.2), or raise ValueError."""
    steps = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    if not steps:
        raise ValueError("the proof is empty")
    older = newer = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise ValueError("the proof is too long")
        if place & 1 or place == last:
            older, newer = node_hash(step, older), node_hash(step, newer)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            newer = node_hash(newer, step)
        place, last = place >> 1, last >> 1
    if last:
        raise ValueError("the proof is too short")
    return older, newer


class Tree:
    """The leaves read so far, from the first one on: their root can be worked out at any size."""

    def __init__(self):
        self.size, self._roots = 0, []

    def add(self, leaf):
        size = self.size
        while size & 1:
            leaf, size = node_hash(self._roots.pop(), leaf), size >> 1
        self._roots.append(leaf)
        self.size += 1

    def root(self):
        root = self._roots[-1]
        for left in self._roots[-2::-1]:
            root = node_hash(left, root)
        return root


def check_body(entry, body):
    """Compare what stands beside an entry with its sealed body: texts, lines of a settlement."""
    said = json.loads(body)
    for name, text in entry.get("texts", {}).items():
        value = said["data"]
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        digest = hashlib.sha256(decode(text["salt"]) + text["text"].encode()).hexdigest()
        if not isinstance(value, dict) or value.get("sha256") != digest:
            raise ValueError(f"its {name} is not the text it committed to")
    lines = entry.get("lines")
    if lines is not None and hashlib.sha256(lines.encode()).hexdigest() != said["data"]["lines_digest"]:
        raise ValueError("its lines are not those that were settled")


class Reader:
    """One export, read once from its beginning to its end."""

    kind, hint = "export", ": have it made with --seen {}"

    def __init__(self, lines):
        self._lines = lines
        try:
            self.head = json.loads(next(lines))
            self.checkpoint = Checkpoint(self.head["checkpoint"])
            self.first, self.last = self.head["first"], self.head["last"]
            self.key = Key(self.head["key"])
        except StopIteration:
            raise Invalid("file", "it is empty") from None
        except (ValueError, KeyError, TypeError) as problem:
            raise Invalid("file", f"its first line is no head of an export ({problem})") from None
        if self.head.get("format") != FORMAT:
            raise Invalid("file", f"its format is not {FORMAT}")
        if not (isinstance(self.first, int) and isinstance(self.last, int) and 0 <= self.first <= self.last):
            raise Invalid("file", "its first line names no entries")
        self.is_whole = self.first == 0 and self.last == self.checkpoint.size - 1
        self.tree, self.roots = Tree(), {}

    def check(self, sizes):
        """Check every entry against the root; remember the roots at some sizes if all leaves are here."""
        wanted, index = self.first, self.first - 1
        for line in self._lines:
            index = self._check_line(line, wanted)
            wanted = index + 1
            if self.first == 0 and self.tree.size in sizes:
                self.roots[self.tree.size] = self.tree.root()
        if index != self.last:
            raise Invalid(
                f"entry at leaf {index + 1}", f"it is missing: the file should go on to {self.last}"
            )

    def _check_line(self, line, wanted):
        where = f"entry at leaf {wanted}"
        try:
            entry = json.loads(line)
            index, body = entry["leaf"], entry["body"].encode()
            where = f"entry {entry['entry']} (leaf {index})"
            if index != wanted:
                raise Invalid(f"entry at leaf {wanted}", f"it is missing: leaf {index} follows")
            leaf = leaf_hash(body)
            proof = [decode(step, 32) for step in entry["proof"]]
            if root_from(leaf, index, self.checkpoint.size, proof) != self.checkpoint.root:
                raise ValueError("it is not in the signed tree: it was altered, moved or put in")
            check_body(entry, body)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise Invalid(where, str(problem) or type(problem).__name__) from None
        if self.first == 0:
            self.tree.add(leaf)
        return index


class Pack:
    """An evidence pack: files under a signed manifest, and entries of the journal with their proofs."""

    kind, hint = "pack", ": it shows the tree at one size only"

    def __init__(self, archive, keys):
        self.archive, self.names = archive, archive.namelist()
        self.head, self.roots = {}, {}  # a pack shows no growth of the tree
        try:
            self.sums, line = archive.read(SUMS).decode(), archive.read(SIGNATURE).decode()
            name = line.split(" ")[1]
            self.signer = pick(keys, name) if keys else Key(archive.read(PACK_KEY).decode())
            if self.signer is None:
                raise ValueError(f"it is signed by {name}, whose key was not given")
            self.signer.check(f"{self.sums}\n{line}")
        except (KeyError, IndexError) as problem:
            raise Invalid("file", f"it is no whole evidence pack ({problem})") from None
        except ValueError as problem:
            raise Invalid("manifest", str(problem)) from None
        self._check_files()
        self.checkpoint = self.key = None
        if CHECKPOINT in self.names:
            try:
                self.checkpoint = Checkpoint(archive.read(CHECKPOINT).decode())
                own = Key(archive.read(JOURNAL_KEY).decode()) if JOURNAL_KEY in self.names else None
            except ValueError as problem:
                raise Invalid("checkpoint", str(problem)) from None
            self.key = pick(keys, self.checkpoint.origin) or own
            if self.key is None:
                raise Unusable(f"the key of {self.checkpoint.origin} is not in the pack: name it with --key")

    def _check_files(self):
        listed = {}
        for line in self.sums.splitlines():
            digest, _, name = line.partition("  ")
            listed[name] = digest
        for name in sorted(set(listed) - set(self.names)):
            raise Invalid(f"file {name}", "it is missing")
        for name in self.names:
            if self.names.count(name) > 1:
                raise Invalid(f"file {name}", "it stands twice in the archive")
            if name not in listed and name not in (SUMS, SIGNATURE):
                raise Invalid(f"file {name}", "it is not in the manifest")
        for name, digest in listed.items():
            if hashlib.sha256(self.archive.read(name)).hexdigest() != digest:
                raise Invalid(f"file {name}", "it was changed")
        self.count = len(listed)

    def check(self):
        """Check every entry against its hash and, where it is sealed, against the root; count both kinds."""
        self.entries = self.sealed = 0
        batches = {}
        for line in self.archive.read(ENTRIES).decode().splitlines() if ENTRIES in self.names else []:
            where = f"entry {self.entries + 1} of the pack"
            try:
                row = json.loads(line)
                where = f"entry {row['entry']}"
                leaf = leaf_hash(row["body"].encode())
                if leaf.hex() != row["leaf_hash"]:
                    raise ValueError("it is not what its hash says")
                self.entries += 1
                if "proof" in row:
                    self._check_sealed(leaf, row)
                body = json.loads(row["body"])
                if body["action"] == "feed.read":
                    batches[row["entry"]] = body["data"]
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                raise Invalid(where, str(problem) or type(problem).__name__) from None
        try:
            self._check_feed(batches)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise Invalid("feed", str(problem) or type(problem).__name__) from None

    def _check_feed(self, batches):
        """Check the events of the feed against the digests in the entries of their batches; count them."""
        whole = json.loads(self.archive.read(WHOLE)) if WHOLE in self.names else {}
        self.events = None
        if "feed_hashes" not in whole:  # made before packs had them
            return
        hashes = {}
        for row in whole["feed_hashes"]:
            hashes.setdefault(row["entry"], {})[row["seq"]] = row
        for entry, data in batches.items():
            rows = [row for _, row in sorted(hashes.get(entry, {}).items())]
            for name, digest in (("body_sha256", "digest"), ("kept_sha256", "kept_digest")):
                joined = b"".join(bytes.fromhex(row[name]) for row in rows)
                if digest in data and hashlib.sha256(joined).hexdigest() != data[digest]:
                    raise Invalid(f"entry {entry}", "the events of its batch are not those it tells of")
        for event in whole["feed"]:
            row = hashes.get(event["entry"], {}).get(event["seq"]) if event["entry"] in batches else None
            where = f"event {event['seq']} of the feed"
            if row is None:
                raise Invalid(where, "no entry of the pack tells of it")
            kept = hashlib.sha256(event["kept"].encode()).hexdigest()
            if (event["body_sha256"], kept) != (row["body_sha256"], row["kept_sha256"]):
                raise Invalid(where, "it is not what its entry's digest is over")
        self.events = len(whole["feed"])

    def _check_sealed(self, leaf, row):
        steps = [bytes.fromhex(step) for step in row["proof"]]
        if self.checkpoint is None or any(len(step) != 32 for step in steps):
            raise ValueError("its proof leads nowhere")
        if root_from(leaf, row["index"], self.checkpoint.size, steps) != self.checkpoint.root:
            raise ValueError("it is not in the signed tree: it was altered, moved or put in")
        self.sealed += 1


def compare(reader, seen):
    """Compare a file's tree with a checkpoint seen elsewhere, or raise Diverged."""
    size, newest = seen.size, reader.checkpoint
    if seen.origin != newest.origin:
        raise Unusable(f"the checkpoint seen elsewhere is of {seen.origin}, the export of {newest.origin}")
    if size > newest.size:
        raise Diverged(
            f"{size} entries were seen, this export knows of {newest.size}: the newest were cut off"
        )
    root = newest.root if size == newest.size else reader.roots.get(size)
    proof = reader.head.get("consistency", {}).get(str(size))
    if root is None and proof is not None:
        try:
            older, newer = roots_from(seen.root, size, newest.size, [decode(step, 32) for step in proof])
        except ValueError as problem:
            raise Diverged(f"nothing shows the {size} entries seen before in this tree ({problem})") from None
        root = seen.root if (older, newer) == (seen.root, newest.root) else b""
    if root is None:
        raise Unusable(f"this {reader.kind} has no proof from {size} entries on{reader.hint.format(size)}")
    if root != seen.root:
        raise Diverged(f"the first {size} entries are not those that were seen: history was rewritten")


def pick(keys, name):
    """Return the key of that name, if one was given."""
    return next((key for key in keys if key.name == name), None)


def read_key(text):
    path = Path(text)
    return Key(path.read_text() if text.count("+") < 2 else text)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="verify.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument(
        "--key", action="append", default=[], help="a published key of the house, or the file it lies in"
    )
    parser.add_argument(
        "--witness", action="append", default=[], help="a witness's published key, or its file"
    )
    parser.add_argument("--seen", action="append", default=[], help="file with a checkpoint kept elsewhere")
    options = parser.parse_args(arguments)
    try:
        keys = [read_key(text) for text in options.key]
        witnesses = [read_key(text) for text in options.witness]
        seen = [Checkpoint(Path(name).read_text()) for name in options.seen]
        if zipfile.is_zipfile(options.file):
            with zipfile.ZipFile(options.file) as archive:
                return judge(lambda: judge_pack(archive, keys, witnesses, seen))
        with Path(options.file).open(encoding="utf-8") as source:
            return judge(lambda: judge_export(source, keys, witnesses, seen))
    except (OSError, ValueError) as problem:
        print(f"verify.py: {problem}", file=sys.stderr)
        return USAGE


def judge(check):
    """Say what a file is worth; return the exit status."""
    try:
        said = check()
    except Invalid as problem:
        print(f"INVALID {problem}")
        return INVALID
    except Diverged as problem:
        print(f"DIVERGED {problem}")
        return DIVERGED
    except UnicodeDecodeError:
        print("INVALID file: it is no UTF-8")
        return INVALID
    except zipfile.BadZipFile as problem:
        print(f"INVALID file: {problem}")
        return INVALID
    except (Unusable, ValueError) as problem:
        print(f"verify.py: {problem}", file=sys.stderr)
        return USAGE
    print("\n".join(said))
    return VALID


def judge_export(source, keys, witnesses, seen):
    """Check an export of the journal; return what to say of it."""
    reader = Reader(iter(source))
    used = pick(keys, reader.checkpoint.origin) or (keys[0] if keys else reader.key)
    signed = check_checkpoint(reader.checkpoint, used, witnesses, seen)
    reader.check({one.size for one in seen})
    for one in seen:
        compare(reader, one)
    count = reader.last - reader.first + 1
    return [
        f"VALID leaf {reader.first} to {reader.last}, {count} of {reader.checkpoint.size} entries sealed",
        *signed,
        *([] if keys else [f"signed with the key that the file itself names: {used.text}"]),
        *(f"and it grew from the {one.size} entries seen before" for one in seen),
    ]


def judge_pack(archive, keys, witnesses, seen):
    """Check an evidence pack; return what to say of it."""
    pack = Pack(archive, keys)
    signed = check_checkpoint(pack.checkpoint, pack.key, witnesses, seen) if pack.checkpoint else []
    pack.check()
    for one in seen if pack.checkpoint else []:
        compare(pack, one)
    tree = f" in the tree of {pack.checkpoint.size} that {pack.key.name} signed" if pack.checkpoint else ""
    own = [key for key in (pack.signer, pack.key) if key is not None and key not in keys]
    return [
        f"VALID {pack.count} files as signed by {pack.signer.name}",
        f"{pack.entries} entries of the journal, {pack.sealed} of them sealed{tree}",
        *([f"{pack.events} events of the feed, as those entries tell of them"] if pack.events else []),
        *signed,
        *(f"signed with the key that the file itself names: {key.text}" for key in own),
    ]


def check_checkpoint(checkpoint, key, witnesses, seen):
    """Check who signed a checkpoint and those seen elsewhere; return what the witnesses said."""
    try:
        key.check(checkpoint.note)
        times = [(witness.name, witness.check(checkpoint.note)) for witness in witnesses]
    except ValueError as problem:
        raise Invalid("checkpoint", str(problem)) from None
    if key.name != checkpoint.origin:
        raise Invalid("checkpoint", f"it is of {checkpoint.origin}, the key of {key.name}")
    for one in seen:
        key.check(one.note)
    return [f"cosigned by {name}, {at} seconds after 1970 began (UTC)" for name, at in times]


if __name__ == "__main__":
    sys.exit(main())
