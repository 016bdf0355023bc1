"""What a person does about a wallet message that was given up: send it again, or settle it by hand.

Either way the player's later messages, which waited behind it, go on after.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from tables import locks
from tables.models import DebitPolicy, DeliveryStatus, WalletDelivery
from tables.services import outbox
from tables.services.actors import Actor
from tables.services.journal import record
from tables.wallet_client import AnswerStatus

MEND = "tables.mend_wallet_message"
DELIVER_WALLET = "tables.deliver_wallet"
#: The answer that stands beside a message a person settled.
BY_HAND = "by_hand"
REASON_LENGTH = 500


class CannotMend(Exception):
    """A message cannot be dealt with as asked: names the field and the rule."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message} ({rule})")
        self.field, self.rule, self.message = field, rule, message


@transaction.atomic
def send_again(
    *,
    transaction_id: int,
    reason: str,
    actor: Actor,
    at: datetime,
    policy: DebitPolicy | None = None,
) -> WalletDelivery:
    """Put a dead letter back to the head of its player's messages, with all its attempts before it.

    `policy` says what is done if the wallet is short again, in place of the table's own policy. What was
    asked for last stands where nobody knows whether it was booked: then only the same can be asked again.

    :raises CannotMend: if it waits for nobody (any more), the reason is missing, or a credit has a policy.
    """
    delivery = _locked(transaction_id, reason, actor)
    if policy is not None and delivery.transaction.amount_minor > 0:
        raise CannotMend("policy", "wallet/policy", "only a debit can find too little money")
    if delivery.answer == AnswerStatus.INSUFFICIENT:
        delivery.is_forced, delivery.asked_minor = False, None
    delivery.status = DeliveryStatus.WAITING.value
    delivery.attempts, delivery.due_at = 0, at
    delivery.debit_policy = policy.value if policy else ""
    delivery.save(update_fields=["status", "attempts", "due_at", "debit_policy", "is_forced", "asked_minor"])
    _record("wallet.sent_again", delivery, reason, actor, at, {"policy": delivery.debit_policy})
    return delivery


@transaction.atomic
def settle_by_hand(*, transaction_id: int, reason: str, actor: Actor, at: datetime) -> WalletDelivery:
    """Close a dead letter: its money was moved outside, and Bluecard will not ask the wallet for it again.

    :raises CannotMend: if it waits for nobody (any more), or the reason is missing.
    """
    delivery = _locked(transaction_id, reason, actor)
    before = delivery.answer
    delivery.status, delivery.answer, delivery.answered_at = DeliveryStatus.CLOSED.value, BY_HAND, at
    delivery.save(update_fields=["status", "answer", "answered_at"])
    _record("wallet.settled_by_hand", delivery, reason, actor, at, {"answer_before": before})
    return delivery


def _locked(transaction_id: int, reason: str, actor: Actor) -> WalletDelivery:
    actor.require(MEND)
    if not reason.strip() or len(reason) > REASON_LENGTH:
        raise CannotMend("reason", "wallet/reason", f"say why, in at most {REASON_LENGTH} characters")
    delivery = locks.lock_delivery(transaction_id)
    if delivery.status != DeliveryStatus.DEAD:
        raise CannotMend("", "wallet/given-up", f"{delivery.transaction.key} is {delivery.status} by now")
    return delivery


def _record(
    action: str, delivery: WalletDelivery, reason: str, actor: Actor, at: datetime, more: dict[str, Any]
) -> None:
    moved = delivery.transaction
    data = {"reason": reason.strip(), "amount_minor": moved.amount_minor, "currency": moved.currency, **more}
    record(action, subject=moved, label=moved.key, actor=actor, at=at, data=data)
    transaction.on_commit(partial(outbox.ring, DELIVER_WALLET))
