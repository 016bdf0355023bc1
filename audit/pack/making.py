"""Making an evidence pack, step by step."""

from __future__ import annotations

import logging
from datetime import datetime
from hashlib import sha256

from django.db import connection, transaction
from django.utils import timezone

from audit.house import evidence_signer
from audit.models import EvidencePack
from audit.pack.archive import files_of, zip_of
from audit.pack.document import document_of
from audit.pack.facts import Facts, read_facts
from audit.pack.typeset import typeset
from audit.services.packs import advance_pack, claim_pack, fail_pack, finish_pack, pack_store
from tables.rules.sentences import LANGUAGES

logger = logging.getLogger(__name__)


def make_pack(*, pack_id: int, now: datetime) -> bool:
    """Make a pack that waits; False when it is made already, or somebody is at it."""
    pack = claim_pack(pack_id=pack_id, now=now)
    if pack is None:
        return False
    try:
        data = build(pack)
    except Exception as error:
        logger.exception("the pack %s could not be made", pack.number)
        fail_pack(pack_id=pack.pk, problem=f"{type(error).__name__}: {error}", now=timezone.now())
        return False
    stored_as = pack_store().put(data)
    finish_pack(
        pack_id=pack.pk,
        stored_as=stored_as,
        size_bytes=len(data),
        sha256=sha256(data).hexdigest(),
        now=timezone.now(),
    )
    return True


def build(pack: EvidencePack) -> bytes:
    """Return the archive of a pack, telling how far it has got on the way."""
    with transaction.atomic():
        _one_moment()
        facts = read_facts(pack)
        parts = [document_of(pack, facts, language) for language in LANGUAGES]
    advance_pack(pack_id=pack.pk, step=2)
    pdf = typeset(pack, parts)
    advance_pack(pack_id=pack.pk, step=3)
    return zip_of(_files(pack, facts, pdf), pack.stated_at)


def _files(pack: EvidencePack, facts: Facts, pdf: bytes) -> dict[str, bytes]:
    return files_of(pack, facts, pdf, evidence_signer())


def _one_moment() -> None:
    """Let all that is read be of one moment, where the transaction is ours to say so."""
    if len(connection.savepoint_ids) == 0 and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
