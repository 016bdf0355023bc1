"""Calling tables with what was decided: each table's decisions one after the other, until it has heard.

A decision is claimed by moving its due time ahead, sent with no lock and no transaction open, and the answer
is written down by itself. Wherever the process dies in between, the due time comes and the same decision goes
out again; the table knows it by its number. Behind one that is not acknowledged the later ones wait.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from django.db import transaction

from audit.models import TableDecision, TableWebhook
from audit.queries.decisions import decision_body, loaded_decisions
from audit.webhook_client import NotHeard, WebhookClient
from tables.queries.commit_order import settled_up_to
from tables.rules.retries import LONGEST_DELAY, retry_delay
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import record

logger = logging.getLogger(__name__)

#: Longer than a request takes that is still alive.
CLAIMED_FOR = timedelta(seconds=30)
MOST_ATTEMPTS_COUNTED = 32_767
ERROR_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Telling:
    """What one run told a table; `error` says why it ended early."""

    heard: int = 0
    error: str = ""


def deliver_decisions(
    *, table_id: int, now: datetime, limit: int = 500, client: WebhookClient | None = None
) -> Telling:
    """Call a table with the decisions that are due, oldest first, until one is not heard.

    :raises RuntimeError: inside a transaction, which would keep rows locked while the platform thinks.
    """
    webhook = TableWebhook.objects.filter(table_id=table_id, is_active=True).first()
    if webhook is None:
        return Telling()
    heard = 0
    with client or WebhookClient(webhook.url, webhook.secret) as wire:
        while heard < limit and (decision := _claim(table_id, now)) is not None:
            try:
                wire.send(msgspec.json.encode(decision_body(decision)))
            except NotHeard as problem:
                error = _readable(str(problem))
                _postpone(decision, error, now)
                logger.warning("%s did not hear decision %s: %s", decision.table.code, decision.pk, error)
                return Telling(heard, error)
            acknowledge_decision(decision_id=decision.pk, actor=SYSTEM, at=now, way="webhook")
            heard += 1
    return Telling(heard)


def _claim(table_id: int, now: datetime) -> TableDecision | None:
    """Claim the table's oldest decision that is not acknowledged, if it is due.

    None as well while an older one may still be on its way to being committed.
    """
    settled = settled_up_to(TableDecision, 0)
    unheard = TableDecision.objects.filter(table=table_id, acknowledged_at__isnull=True).order_by("pk")
    with transaction.atomic(durable=True):
        head = unheard.select_for_update(of=("self",), no_key=True).first()
        if head is None or head.pk > settled or (head.due_at is not None and head.due_at > now):
            return None
        head.attempts = min(head.attempts + 1, MOST_ATTEMPTS_COUNTED)
        head.due_at = now + CLAIMED_FOR
        head.save(update_fields=["attempts", "due_at"])
    return loaded_decisions().get(pk=head.pk)


def _postpone(decision: TableDecision, error: str, now: datetime) -> None:
    """Let a decision wait longer each time; a table never stops being told. Another's claim is left alone."""
    delay = retry_delay(decision.attempts) or LONGEST_DELAY
    mine = TableDecision.objects.filter(pk=decision.pk, acknowledged_at__isnull=True, due_at=decision.due_at)
    mine.update(due_at=now + delay, last_error=error)


@transaction.atomic
def acknowledge_decision(*, decision_id: int, actor: Actor, at: datetime, way: str = "api") -> TableDecision:
    """Note that a table has heard a decision; a second time changes nothing.

    :raises TableDecision.DoesNotExist: if there is none.
    """
    rows = TableDecision.objects.select_for_update(of=("self",), no_key=True)
    decision = rows.select_related("table", "round", "shoe", "ruling").get(pk=decision_id)
    if decision.acknowledged_at is not None:
        return decision
    decision.acknowledged_at, decision.due_at = max(at, decision.created_at), None
    decision.save(update_fields=["acknowledged_at", "due_at"])
    record(
        "decision.acknowledged",
        subject=decision,
        label=f"{decision.table.code} {decision.pk}",
        actor=actor,
        at=at,
        data={"table": decision.table.code, "kind": decision.kind, "way": way, "attempts": decision.attempts},
    )
    return decision


def _readable(error: str) -> str:
    """Return what the other side said as PostgreSQL can hold it: short, without NUL or half characters."""
    return "".join(character if character.isprintable() else " " for character in error[:ERROR_LENGTH])
