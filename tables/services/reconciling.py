"""Compare what Bluecard says of the wallet with what the wallet says of itself, and name each difference.

The whole record of the wallet is read each time, from its first booking on: a wallet that lost or changed
something old is found out as well. Nothing is put right here: drift is for people.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from tables import locks
from tables.models import Bell, Reconciliation
from tables.queries.drift_sql import COPY_THEIRS, FORGET, KNOW, MAKE_OURS, MAKE_THEIRS, WRITE_DRIFT
from tables.services import outbox
from tables.services.actors import SYSTEM, Actor
from tables.services.dead_letters import CannotMend
from tables.services.journal import record
from tables.wallet_client import WalletClient, WalletUnavailable

logger = logging.getLogger(__name__)

RECONCILE = "tables.reconcile_wallet"
LOCK = "reconcile_wallet"
FAILURE_LENGTH = 300
Clock = Callable[[], datetime]


@transaction.atomic
def request_reconciliation(*, actor: Actor, at: datetime) -> Reconciliation:
    """Ask for a comparison; a worker carries it out.

    :raises CannotMend: if one is asked for or under way already.
    """
    actor.require(RECONCILE)
    try:
        with transaction.atomic():
            asked = Reconciliation.objects.create(asked_by=actor.label[:80], asked_at=at)
    except IntegrityError as problem:
        raise CannotMend("", "wallet/one-comparison", "a comparison is under way already") from problem
    _record("wallet.comparison_asked", asked, actor, at, {})
    outbox.promise(Bell.RECONCILE, [asked.pk], at=at)
    return asked


def reconcile(
    *,
    reconciliation_id: int,
    clock: Clock,
    client: WalletClient | None = None,
    on_progress: Callable[[Reconciliation], None] | None = None,
) -> Reconciliation | None:
    """Carry a comparison out; None when another process is at it, or it is finished.

    Killed anywhere, it leaves nothing half done: the next one starts it anew.
    """
    with locks.singleton(LOCK) as is_ours:
        found = Reconciliation.objects.filter(pk=reconciliation_id, finished_at__isnull=True).first()
        if not is_ours or found is None:
            return None
        found.started_at = found.seen_at = clock()
        found.read_count = 0
        found.save(update_fields=["started_at", "seen_at", "read_count"])
        ours = nullcontext(client) if client else WalletClient(settings.WALLET_URL, settings.WALLET_SECRET)
        try:
            with ours as wallet:
                _read_both(found, wallet, clock, on_progress)
            _finish(found, clock())
        except WalletUnavailable as problem:
            _fail(found, str(problem), clock())
        finally:
            _run(*FORGET)
        return found


def _read_both(
    found: Reconciliation,
    wallet: WalletClient,
    clock: Clock,
    on_progress: Callable[[Reconciliation], None] | None,
) -> None:
    """Write down our side first, then read the wallet's whole record."""
    _run(*FORGET, MAKE_OURS, MAKE_THEIRS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM reconcile_ours")
        found.ours_count = cursor.fetchone()[0]
    after, more = 0, True
    while more:
        bookings, after, more = wallet.read_bookings(after=after)
        with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(COPY_THEIRS) as copy:
            for one in bookings:
                copy.write_row((one.number, one.key, one.player, one.amount_minor, one.currency))
        found.read_count += len(bookings)
        found.seen_at = clock()
        found.save(update_fields=["ours_count", "read_count", "seen_at"])
        if on_progress is not None:
            on_progress(found)
    _run(*KNOW)


def _finish(found: Reconciliation, at: datetime) -> None:
    """Write down every difference and the end, at once."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(WRITE_DRIFT, [found.pk])
        found.drift_count = cursor.rowcount
        found.finished_at = found.seen_at = max(at, found.seen_at or at)
        found.save(update_fields=["drift_count", "finished_at", "seen_at"])
        counts = {"ours": found.ours_count, "read": found.read_count, "drift": found.drift_count}
        _record("wallet.compared", found, SYSTEM, at, counts)
        outbox.fulfil(Bell.RECONCILE, found.pk)
    if found.drift_count:
        logger.warning("wallet: %s differences", found.drift_count)


def _fail(found: Reconciliation, why: str, at: datetime) -> None:
    with transaction.atomic():
        found.failure = "".join(one if one.isprintable() else " " for one in why[:FAILURE_LENGTH])
        found.finished_at = found.seen_at = max(at, found.seen_at or at)
        found.save(update_fields=["failure", "finished_at", "seen_at", "read_count"])
        _record("wallet.comparison_failed", found, SYSTEM, at, {"read": found.read_count})
        outbox.fulfil(Bell.RECONCILE, found.pk)
    logger.warning("wallet: not compared: %s", found.failure)


def _run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _record(action: str, found: Reconciliation, actor: Actor, at: datetime, data: dict[str, Any]) -> None:
    record(action, subject=found, label=f"comparison {found.pk}", actor=actor, at=at, data=data)
