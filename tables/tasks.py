"""Celery tasks: each takes ids, calls one service and may run any number of times."""

import logging
from datetime import timedelta
from time import monotonic
from typing import Any

from celery import shared_task
from django.db import DatabaseError, transaction
from django.utils import timezone

from tables.models import Bell, Hold, Outbox, Round, RoundStatus
from tables.rules.document import RulebookError
from tables.services import outbox
from tables.services.actors import SYSTEM
from tables.services.dead_letters import CannotMend
from tables.services.reconciling import reconcile, request_reconciliation
from tables.services.settlement import DELIVER_WALLET, Waits, settle_round
from tables.services.wallet_delivery import deliver_due

logger = logging.getLogger(__name__)

FORGOTTEN_AFTER = timedelta(seconds=30)
#: After the process of a task was killed. Celery's own three minutes are longer than the sweeper waits.
RETRY_SECONDS = 1
SETTLE_ROUNDS = "tables.settle_rounds"
#: So long one task settles or sends; the next one goes on. A worker ends those it holds before it stops.
TURN_SECONDS = 2.0


@shared_task(name=SETTLE_ROUNDS, default_retry_delay=RETRY_SECONDS)
def settle_rounds(round_ids: list[int], **_newer: Any) -> None:
    """Settle rounds whose result is in; one already settled is left as it is.

    When its turn is over the rest goes to the end of the queue.
    """
    until = monotonic() + TURN_SECONDS
    with outbox.ring_once():
        for place, round_id in enumerate(round_ids):
            if place and monotonic() >= until:
                outbox.ring(SETTLE_ROUNDS, round_ids[place:])
                return
            _settle(round_id)


def _settle(round_id: int) -> None:
    try:
        done = settle_round(round_id=round_id, now=timezone.now())
    except (DatabaseError, Round.DoesNotExist, RulebookError):
        # The promise stays, and the sweeper rings for it again; the other rounds need not wait.
        logger.exception("round %s could not be settled", round_id)
        return
    if isinstance(done, Waits):
        logger.info("round %s waits: %s", round_id, ", ".join(done.reasons))


@shared_task(name="tables.deliver_wallet", default_retry_delay=RETRY_SECONDS)
def deliver_wallet(**_newer: Any) -> None:
    """Send wallet messages that are due, until none is, rounds wait to be settled, or its turn is over.

    Then the rest goes to the end of the queue: a backlog of messages keeps no round from being settled, nor a
    worker that was told to stop from stopping, since it ends what it has begun.
    """
    until = monotonic() + TURN_SECONDS
    while deliver_due(now=timezone.now()).is_more_due:
        if monotonic() >= until or Outbox.objects.filter(bell=Bell.SETTLE.value).exists():
            outbox.ring(DELIVER_WALLET)
            return


@shared_task(name="tables.reconcile_wallet", default_retry_delay=RETRY_SECONDS)
def reconcile_wallet(reconciliation_ids: list[int], **_newer: Any) -> None:
    """Carry out comparisons with the wallet's record that were asked for."""
    for reconciliation_id in reconciliation_ids:
        reconcile(reconciliation_id=reconciliation_id, clock=timezone.now)


@shared_task(name="tables.ask_for_reconciliation")
def ask_for_reconciliation(**_newer: Any) -> None:
    """Ask for a comparison with the wallet's record, unless one is under way."""
    try:
        request_reconciliation(actor=SYSTEM, at=timezone.now())
    except CannotMend as refusal:
        logger.info("wallet: %s", refusal.message)


@shared_task(name="tables.sweep")
def sweep(**_newer: Any) -> None:
    """Ring again for promises nobody fulfilled, for rounds nobody promised, and for messages that are due."""
    now = timezone.now()
    outbox.ring_again(now=now)
    held = Hold.objects.filter(lifted_at__isnull=True).values("round_id")
    promised = Outbox.objects.filter(bell=Bell.SETTLE.value).values("subject_id")
    forgotten = Round.objects.filter(
        status=RoundStatus.RESULTED.value, outcome__isnull=False, resulted_at__lt=now - FORGOTTEN_AFTER
    )
    forgotten = forgotten.exclude(pk__in=held).exclude(pk__in=promised)
    with transaction.atomic():
        outbox.promise(Bell.SETTLE, list(forgotten.values_list("pk", flat=True)[:500]), at=now)
    outbox.ring("tables.deliver_wallet")
