"""What a person says of a receivable: it was paid back outside Bluecard, or it is written off."""

from datetime import datetime

from django.db import IntegrityError, transaction

from tables.models import ClosingKind, Receivable, ReceivableClosing
from tables.services.actors import Actor
from tables.services.dead_letters import MEND, REASON_LENGTH, CannotMend
from tables.services.journal import record


@transaction.atomic
def close_receivable(
    *, transaction_id: int, how: ClosingKind, reason: str, actor: Actor, at: datetime
) -> ReceivableClosing:
    """Say that nothing is owed of it any more; the claim itself stays on record.

    :raises CannotMend: if the reason is missing, or it has ended already.
    """
    actor.require(MEND)
    if not reason.strip() or len(reason) > REASON_LENGTH:
        raise CannotMend("reason", "wallet/reason", f"say why, in at most {REASON_LENGTH} characters")
    claim = Receivable.objects.select_related("transaction").get(pk=transaction_id)
    closing = ReceivableClosing(receivable=claim, how=how.value, closed_at=at)
    try:
        with transaction.atomic():
            closing.save(force_insert=True)
    except IntegrityError as error:
        raise CannotMend("", "wallet/receivable", f"{claim.transaction.key} has ended already") from error
    data = {"reason": reason.strip(), "amount_minor": claim.amount_minor, "currency": claim.currency}
    key = claim.transaction.key
    record(
        f"receivable.{how.value}",
        subject=claim.transaction,
        label=key,
        actor=actor,
        at=at,
        data=data,
        player_id=claim.player_id,
    )
    return closing
