"""Evidence packs: asked for, claimed by a worker, moved on, given out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from audit.models import Complaint, EvidencePack, PackStatus, PackSubject
from audit.services.numbers import next_number
from audit.store import Store
from tables.models import Round, Shoe
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import moment, record

#: Kind of subject -> its model.
SUBJECTS: Final[Mapping[PackSubject, type[Any]]] = {
    PackSubject.ROUND: Round,
    PackSubject.SHOE: Shoe,
    PackSubject.COMPLAINT: Complaint,
}
PERMISSION: Final = "audit.export_evidence"
NAMES_PLAYERS: Final = "tables.view_playeridentity"
MAKE: Final = "audit.make_packs"
STEPS: Final = 3  # read, set the pages, pack and sign
#: A maker that says nothing for so long is taken to be dead.
LEASE: Final = timedelta(minutes=10)
RING_AGAIN_AFTER: Final = timedelta(seconds=30)
MOST_ATTEMPTS: Final = 3
#: The same asked again by the same one within this time is a second press of the button.
SAME_ASKED: Final = timedelta(seconds=30)


class NotReady(Exception):
    """A pack that cannot be given out: it is not made yet, failed, or is gone from the store."""


def label_of(subject: Any) -> str:
    """Return how people call what a pack is about."""
    return subject.number if isinstance(subject, Complaint) else subject.public_id


def pack_store() -> Store:
    """Return where packs lie."""
    return Store(Path(settings.EVIDENCE_FOLDER) / "packs")


@transaction.atomic
def ask_for_pack(
    *, subject: Round | Shoe | Complaint, actor: Actor, at: datetime, user: Any = None
) -> EvidencePack:
    """Ask for a pack about a round, a shoe or a complaint; the time of asking is the time it states.

    :raises NotAllowed: if the actor may not export evidence.
    """
    if actor.kind != "key":  # a key's scope was asked where the request came in
        actor.require(PERMISSION)
    kind = PackSubject(subject._meta.model_name or "")
    key = actor.id if actor.kind == "key" else ""
    about: Mapping[str, Any] = {"subject_kind": kind.value, "subject_id": subject.pk}
    same = EvidencePack.objects.filter(**about, asked_by=user, asked_by_key=key, asked_at__gt=at - SAME_ASKED)
    before = same.exclude(status=PackStatus.FAILED.value).order_by("-pk").first()
    if before is not None:
        return before
    pack = EvidencePack.objects.create(
        **about,
        number=next_number("E"),
        subject_label=label_of(subject),
        table=subject.table,
        names_players=actor.kind == "key" or NAMES_PLAYERS in actor.permissions,
        asked_by=user,
        asked_by_key=key,
        asked_at=at.replace(microsecond=0),
    )
    _record("evidence.asked", pack, actor, at)
    transaction.on_commit(partial(outbox.ring, MAKE, [pack.pk]))
    return pack


@transaction.atomic
def claim_pack(*, pack_id: int, now: datetime) -> EvidencePack | None:
    """Take a pack that waits, or that a dead maker left; None when there is nothing to do."""
    pack = EvidencePack.objects.select_for_update(skip_locked=True).filter(pk=pack_id).first()
    if pack is None or not _is_free(pack, now):
        return None
    if pack.attempts >= MOST_ATTEMPTS:
        fail_pack(pack_id=pack_id, problem="its maker died three times", now=now)
        return None
    pack.status, pack.step, pack.started_at = PackStatus.MAKING.value, 1, now
    pack.attempts += 1
    pack.save(update_fields=["status", "step", "started_at", "attempts"])
    return pack


def _is_free(pack: EvidencePack, now: datetime) -> bool:
    if pack.status == PackStatus.WAITING:
        return True
    return pack.status == PackStatus.MAKING and pack.started_at is not None and pack.started_at < now - LEASE


def advance_pack(*, pack_id: int, step: int) -> None:
    """Say how far a pack has got."""
    EvidencePack.objects.filter(pk=pack_id, status=PackStatus.MAKING.value).update(step=step)


@transaction.atomic
def finish_pack(*, pack_id: int, stored_as: str, size_bytes: int, sha256: str, now: datetime) -> None:
    """Keep what was made, and record its digest."""
    pack = EvidencePack.objects.select_for_update().get(pk=pack_id)
    if pack.status != PackStatus.MAKING:
        return
    pack.status, pack.step, pack.finished_at = PackStatus.READY.value, STEPS, now
    pack.stored_as, pack.size_bytes, pack.sha256 = stored_as, size_bytes, sha256
    pack.save(update_fields=["status", "step", "finished_at", "stored_as", "size_bytes", "sha256"])
    _record("evidence.made", pack, SYSTEM, now, sha256=sha256, bytes=size_bytes)


@transaction.atomic
def fail_pack(*, pack_id: int, problem: str, now: datetime) -> None:
    """Give a pack up, and say why."""
    pack = EvidencePack.objects.select_for_update().get(pk=pack_id)
    if pack.status != PackStatus.MAKING:
        return
    pack.status, pack.finished_at, pack.problem = PackStatus.FAILED.value, now, problem[:300]
    pack.save(update_fields=["status", "finished_at", "problem"])
    _record("evidence.failed", pack, SYSTEM, now)


def open_pack(*, pack: EvidencePack, actor: Actor, at: datetime) -> bytes:
    """Give a pack out, and record who took it.

    :raises NotAllowed: if the actor may not export evidence.
    :raises NotReady: if there is nothing to give, or it is not what was made.
    """
    if actor.kind != "key":
        actor.require(PERMISSION)
    if pack.status != PackStatus.READY:
        raise NotReady(f"{pack.number} is {pack.status}")
    try:
        data = pack_store().read(pack.stored_as)
    except FileNotFoundError as error:
        raise NotReady(f"{pack.number} is gone from the store; ask for it again") from error
    if sha256(data).hexdigest() != pack.sha256:
        raise NotReady(f"{pack.number} in the store is not what was made; ask for it again")
    with transaction.atomic():
        _record("evidence.fetched", pack, actor, at, sha256=pack.sha256)
    return data


def ring_for_packs(*, now: datetime) -> int:
    """Ring for packs nobody took up, or whose maker died; return how many."""
    late = Q(status=PackStatus.WAITING.value, asked_at__lt=now - RING_AGAIN_AFTER)
    dead = Q(status=PackStatus.MAKING.value, started_at__lt=now - LEASE)
    keys = list(EvidencePack.objects.filter(late | dead).order_by("pk").values_list("pk", flat=True)[:20])
    if keys:
        outbox.ring(MAKE, keys)
    return len(keys)


def _record(action: str, pack: EvidencePack, actor: Actor, at: datetime, **more: Any) -> None:
    record(
        action,
        subject=pack,
        label=pack.number,
        actor=actor,
        at=at,
        data={
            "about": [pack.subject_kind, pack.subject_id, pack.subject_label],
            "stated_at": moment(pack.stated_at),
            "names_players": pack.names_players,
            **more,
        },
    )
