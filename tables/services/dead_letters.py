"""What a person does about a wallet message that was given up: send it again, or settle it by hand.

Either way the player's later messages, which waited behind it, go on after. Who was the first of two to
say that it is settled by hand may withdraw that.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from tables import locks
from tables.models import DebitPolicy, DeliveryStatus, HandStatement, WalletDelivery
from tables.queries.dead_letters import hand_statements
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

    Above the table's threshold it waits on, still given up, until another person has said the same.

    :raises CannotMend: if it waits for nobody (any more), the reason is missing, or it takes another person.
    """
    delivery = _locked(transaction_id, reason, actor)
    if takes_two(delivery) and _is_first_to_say(delivery, actor, at):
        _record("wallet.by_hand_said", delivery, reason, actor, at, {})
        return delivery
    before = delivery.answer
    delivery.status, delivery.answer, delivery.answered_at = DeliveryStatus.CLOSED.value, BY_HAND, at
    try:
        with transaction.atomic():
            delivery.save(update_fields=["status", "answer", "answered_at"])
    except IntegrityError as error:  # two accounts of one person, say
        raise _takes_another(delivery) from error
    _record("wallet.settled_by_hand", delivery, reason, actor, at, {"answer_before": before})
    return delivery


@transaction.atomic
def withdraw_statement(*, transaction_id: int, reason: str, actor: Actor, at: datetime) -> WalletDelivery:
    """Withdraw what this person said, that a dead letter is settled by hand, before another said the same.

    The message waits on, and the same person may say it again.

    :raises CannotMend: if it waits for nobody (any more), the reason is missing, this account did not say it,
        or has withdrawn it.
    """
    delivery = _locked(transaction_id, reason, actor)
    mine = hand_statements(delivery).filter(said_by=int(actor.id))
    if not mine.filter(withdrawn_at=None).update(withdrawn_at=at):
        if mine.exists():
            raise CannotMend("", "wallet/withdrawn", "this was withdrawn already; nothing was done")
        raise CannotMend("", "wallet/other", "only who said it withdraws it")
    _record("wallet.by_hand_withdrawn", delivery, reason, actor, at, {})
    return delivery


def takes_two(delivery: WalletDelivery) -> bool:
    """Say whether so much money takes two persons to be settled by hand."""
    moved = delivery.transaction
    return abs(moved.amount_minor) > moved.settlement.round.table.second_person_minor


def _is_first_to_say(delivery: WalletDelivery, actor: Actor, at: datetime) -> bool:
    """Write down who says it, and whether nobody else has since it was given up.

    :raises CannotMend: if this one said it before.
    """
    given_up_at = delivery.answered_at
    assert given_up_at is not None, "what is given up says since when"
    said = hand_statements(delivery).filter(withdrawn_at=None)
    others = said.exclude(said_by=int(actor.id)).exists()
    if said.filter(said_by=int(actor.id)).exists():
        if others:
            return False
        raise _takes_another(delivery)
    HandStatement.objects.create(
        delivery=delivery, given_up_at=given_up_at, said_by_id=int(actor.id), said_at=at
    )
    return not others


def _takes_another(delivery: WalletDelivery) -> CannotMend:
    words = f"{delivery.transaction.key} takes another person who says the same"
    return CannotMend("", "wallet/four-eyes", words)


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
    record(action, subject=moved, label=moved.key, actor=actor, at=at, data=data, player_id=moved.player_id)
    transaction.on_commit(partial(outbox.ring, DELIVER_WALLET))
