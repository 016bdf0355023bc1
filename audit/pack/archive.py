"""The archive of an evidence pack: the same facts at the same stated time give the same bytes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from audit.house import journal_key
from audit.models import EvidencePack
from audit.pack.facts import Facts
from audit.pack.proofs import proofs_of
from audit.pack.rows import Row
from audit.rules.checkpoint import Signer
from audit.rules.manifest import SIGNATURE, SUMS, sign_sums, write_sums
from tables.services.journal import moment

FORMAT: Final = "bluecard-evidence/1"
VERIFIER: Final = Path(settings.ROOT_FOLDER) / "verify.py"


def files_of(pack: EvidencePack, facts: Facts, pdf: bytes, signer: Signer) -> dict[str, bytes]:
    """Return every file of a pack by its name, the signed manifest last."""
    files = {"evidence.pdf": pdf, "evidence.json": _json(_whole(pack, facts))}
    for name, rows in facts.tables.items():
        files[f"tables/{name}.csv"] = _csv(rows)
    for book in facts.rulebooks:
        files[f"rulebooks/{book.code}-{book.version}.yaml"] = book.document.encode()
    files |= facts.files
    files |= _journal_files(facts)
    files["verify.py"] = VERIFIER.read_bytes()
    files["evidence.pub"] = f"{signer.verifier}\n".encode()
    sums = write_sums(files)
    return {**files, SUMS: sums.encode(), SIGNATURE: sign_sums(sums, signer).encode()}


def zip_of(files: Mapping[str, bytes], at: datetime) -> bytes:
    """Pack files under the time stated, in the order given, with nothing of this machine in it."""
    stamp = at.astimezone(UTC).timetuple()[:6]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date_time=stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return out.getvalue()


def _whole(pack: EvidencePack, facts: Facts) -> Row:
    return {
        "format": FORMAT,
        "pack": pack.number,
        "about": {"kind": pack.subject_kind, "id": pack.subject_label},
        "stated_at": moment(pack.stated_at),
        "names_players": pack.names_players,
        **facts.tables,
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def _csv(rows: list[Row]) -> bytes:
    out = io.StringIO()
    if rows:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([[_cell(value) for value in row.values()] for row in rows])
    return out.getvalue().encode()


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case dict() | list():
            return json.dumps(value, sort_keys=True, ensure_ascii=False)
        case str() if value[:1] in ("=", "+", "-", "@", "\t", "\r"):
            return f"'{value}"  # a spreadsheet would take it for a formula
    return str(value)


def _journal_files(facts: Facts) -> dict[str, bytes]:
    """Write the journal's entries as they were hashed, each with its proof where it is sealed."""
    proofs = proofs_of([entry.pk for entry in facts.entries])
    lines = []
    for entry in facts.entries:
        row: Row = {
            "entry": entry.pk,
            "leaf_hash": bytes(entry.leaf_hash).hex(),
            "body": bytes(entry.body).decode(),
        }
        proof = proofs.inclusions.get(entry.pk)
        if proof is not None:
            row |= {"index": proof.index, "proof": [node.hex() for node in proof.path]}
        lines.append(json.dumps(row, sort_keys=True, ensure_ascii=False))
    files = {"journal/entries.jsonl": "".join(f"{line}\n" for line in lines).encode()}
    if proofs.checkpoint:
        files["journal/checkpoint"] = proofs.checkpoint.encode()
        if (key := journal_key()) is not None:
            files["journal.pub"] = f"{key}\n".encode()
    return files
