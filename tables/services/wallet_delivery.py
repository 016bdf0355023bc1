"""Carry wallet transactions to the wallet: each once in effect, each player's in order.

A message is claimed by a lease, sent with no lock and no transaction open, and its answer is written down in
a transaction of its own. Wherever the process dies in between, the lease runs out and the same key goes out
again; the wallet then says that it knows it.

Only a player's oldest message that is not delivered can be claimed. So two workers never hold messages of one
player, and behind a dead one everything waits for a person. Oldest is by the number of the transaction:
revisions of a round come one after the other under its lock; of two rounds either may be paid first.

A debit that finds too little money follows the policy of its table: the same again as a forced one, a smaller
one for what is there and a receivable for the rest, or a dead letter. What was asked for at last is kept with
the message, so that whoever asks again after a crash asks for the same.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from tables.models import DebitPolicy, DeliveryStatus, Receivable, WalletTransaction
from tables.rules.retries import retry_delay
from tables.rules.shortage import Step, step_after_shortage
from tables.services.actors import SYSTEM
from tables.services.journal import record
from tables.wallet_client import (
    IN_EFFECT,
    MAX_MESSAGES,
    Answer,
    AnswerStatus,
    Message,
    WalletClient,
    WalletRejected,
    WalletStumbled,
    WalletUnavailable,
)

logger = logging.getLogger(__name__)

#: Longer than any request takes that is still alive; by the database's clock, which all workers share.
LEASE_SECONDS = 120
#: From this attempt on a batch over which the wallet stumbles is halved, to find the message that does it.
HALVE_FROM_ATTEMPT = 3
ERROR_LENGTH = 300


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """What one run did. `unreachable` says why it stopped early; then the rest waits for the next run.

    `short` counts debits that found too little money and are asked for in another way, `closed` those of them
    for which there was nothing at all.
    """

    delivered: int = 0
    postponed: int = 0
    dead: int = 0
    short: int = 0
    closed: int = 0
    is_more_due: bool = False
    unreachable: str = ""


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A message in our hands. `attempts` counts this one, and is the proof that the lease is still ours."""

    id: int
    attempts: int
    message: Message
    player_id: int
    whole_minor: int  # of the transaction; the message may ask for less
    policy: DebitPolicy


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a message in this run, and what it asks for if it is sent again."""

    claimed: _Claimed
    status: DeliveryStatus
    due_at: datetime
    answer: str = ""
    error: str = ""
    is_forced: bool = False
    asked_minor: int = 0
    is_short: bool = False

    @property
    def owed_minor(self) -> int:
        """Return what stays owed of a debit: all of it where nothing was taken."""
        taken = self.asked_minor if self.status is DeliveryStatus.DELIVERED else 0
        return taken - self.claimed.whole_minor


def deliver_due(*, now: datetime, limit: int = 5_000, client: WalletClient | None = None) -> DeliveryReport:
    """Deliver up to `limit` messages that are due, and say what became of them.

    Stops early when the wallet cannot be reached at all: what was not tried keeps its attempts.

    :raises ValueError: if the limit is below one.
    :raises RuntimeError: inside a transaction, which would keep rows locked while the wallet thinks.
    """
    if limit < 1:
        raise ValueError(f"limit below one: {limit}")
    outcomes: list[_Outcome] = []
    unreachable, is_more_due = "", False
    ours = nullcontext(client) if client else WalletClient(settings.WALLET_URL, settings.WALLET_SECRET)
    with ours as wallet:
        while not unreachable:
            room = min(MAX_MESSAGES, limit - len(outcomes))
            if room == 0:
                is_more_due = _is_more_due(now)
                break
            claimed = _claim(now, room)
            if not claimed:
                break
            batch, unreachable = _send(wallet, claimed, now)
            _write_down(batch, now)
            outcomes += batch
    report = DeliveryReport(
        delivered=sum(outcome.status is DeliveryStatus.DELIVERED for outcome in outcomes),
        postponed=sum(
            outcome.status is DeliveryStatus.WAITING and not outcome.is_short for outcome in outcomes
        ),
        dead=sum(outcome.status is DeliveryStatus.DEAD for outcome in outcomes),
        short=sum(outcome.status is DeliveryStatus.WAITING and outcome.is_short for outcome in outcomes),
        closed=sum(outcome.status is DeliveryStatus.CLOSED for outcome in outcomes),
        is_more_due=is_more_due,
        unreachable=unreachable,
    )
    if report.dead or report.unreachable:
        logger.warning("wallet: %s", report)
    return report


# Rows of `e` are read as of the statement's start. That errs on the safe side: what is delivered stays so.
# The row of `d` itself is looked at again once it is locked, so a lease taken meanwhile is seen.
_CLAIMABLE = """
    d.status = 'waiting' AND d.due_at <= %(now)s
    AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())
    AND NOT EXISTS (
        SELECT 1 FROM tables_walletdelivery e
        WHERE e.player_id = d.player_id AND e.transaction_id < d.transaction_id
          AND e.status IN ('waiting', 'dead')
    )
"""

# Ordered by nothing but the index: a second column would sort all that is due for each batch.
_CLAIM = f"""
WITH due AS (
    SELECT d.transaction_id FROM tables_walletdelivery d
    WHERE {_CLAIMABLE}
    ORDER BY d.due_at LIMIT %(room)s
    FOR NO KEY UPDATE OF d SKIP LOCKED
)
UPDATE tables_walletdelivery d
SET leased_until = clock_timestamp() + make_interval(secs => %(lease)s), attempts = d.attempts + 1
FROM due WHERE d.transaction_id = due.transaction_id
RETURNING d.transaction_id, d.attempts
"""

# A key must have the same body whenever it is sent: the bets come in the order of their ids.
_MESSAGES = """
SELECT t.id, t.key, r.public_id, s.revision, i.reference, t.kind, t.amount_minor, t.currency,
       ARRAY(SELECT b.platform_bet_id FROM tables_bet b WHERE b.id = ANY(t.bet_ids) ORDER BY b.id),
       t.player_id, d.is_forced, d.asked_minor, coalesce(nullif(d.debit_policy, ''), house.debit_policy)
FROM tables_wallettransaction t
JOIN tables_walletdelivery d ON d.transaction_id = t.id
JOIN tables_settlement s ON s.id = t.settlement_id
JOIN tables_round r ON r.id = s.round_id
JOIN tables_gametable house ON house.id = r.table_id
LEFT JOIN tables_playeridentity i ON i.player_id = t.player_id
WHERE t.id = ANY(%s) ORDER BY t.id
"""

# "Delivered" is the wallet's word and counts whoever brings it. Anything else counts only from the one who
# holds the lease, which is the one who made the last attempt.
_WRITE_DOWN = """
UPDATE tables_walletdelivery d
SET status = o.status, due_at = o.due_at, answer = o.answer, last_error = o.error, leased_until = NULL,
    answered_at = CASE WHEN o.status = 'waiting' THEN d.answered_at ELSE %(now)s END,
    is_forced = o.is_forced, asked_minor = o.asked
FROM unnest(%(ids)s::bigint[], %(attempts)s::int[], %(statuses)s::text[], %(due)s::timestamptz[],
            %(answers)s::text[], %(errors)s::text[], %(forced)s::boolean[], %(asked)s::numeric[])
    AS o (id, attempts, status, due_at, answer, error, is_forced, asked)
WHERE d.transaction_id = o.id AND d.status IN ('waiting', 'dead')
  AND (o.status = 'delivered' OR (d.attempts = o.attempts AND d.status = 'waiting'))
RETURNING d.transaction_id
"""


def _claim(now: datetime, room: int) -> list[_Claimed]:
    """Lease up to `room` messages, at most one of a player, and return them ready to be sent."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"now": now, "room": room, "lease": LEASE_SECONDS})
        attempts = dict(cursor.fetchall())
        if not attempts:
            return []
        cursor.execute(_MESSAGES, [list(attempts)])
        return [_read_claimed(row, attempts[row[0]]) for row in cursor.fetchall()]


def _read_claimed(row: tuple[Any, ...], attempts: int) -> _Claimed:
    number, key, round_id, revision, player, kind, whole, currency, bets, player_id, *ask = row
    is_forced, asked, policy = ask
    message = Message(
        key=key,
        round=round_id,
        revision=revision,
        player=player or "",
        kind=kind,
        amount_minor=int(whole if asked is None else asked),
        currency=currency,
        bets=tuple(bets),
        force=is_forced,
    )
    return _Claimed(number, attempts, message, player_id, int(whole), DebitPolicy(policy))


def _is_more_due(now: datetime) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT 1 FROM tables_walletdelivery d WHERE {_CLAIMABLE})", {"now": now}
        )
        return bool(cursor.fetchone()[0])


def _send(client: WalletClient, claimed: Sequence[_Claimed], now: datetime) -> tuple[list[_Outcome], str]:
    """Send messages and return what became of each, and why the wallet is out of reach if it is."""
    nameless = [one for one in claimed if not one.message.player]
    named = [one for one in claimed if one.message.player]
    outcomes = [_dead(one, now, error="the player's reference was erased") for one in nameless]
    if not named:
        return outcomes, ""
    try:
        answers = client.send([one.message for one in named])
    except WalletRejected as problem:
        if len(named) > 1:
            return _send_halves(client, named, now, outcomes)
        return [*outcomes, _dead(named[0], now, error=str(problem))], ""
    except WalletUnavailable as problem:
        may_be_one_message = isinstance(problem, WalletStumbled) and named[0].attempts >= HALVE_FROM_ATTEMPT
        if may_be_one_message and len(named) > 1:
            return _send_halves(client, named, now, outcomes)
        return outcomes + [_postponed(one, now, error=str(problem)) for one in named], str(problem)
    return outcomes + [_judged(one, answers.get(one.message.key), now) for one in named], ""


def _send_halves(
    client: WalletClient, claimed: Sequence[_Claimed], now: datetime, outcomes: list[_Outcome]
) -> tuple[list[_Outcome], str]:
    """Send two halves by themselves; the wallet is out of reach only if it is for both."""
    middle = len(claimed) // 2
    first, first_problem = _send(client, claimed[:middle], now)
    second, second_problem = _send(client, claimed[middle:], now)
    return outcomes + first + second, first_problem and second_problem


def _judged(claimed: _Claimed, answer: Answer | None, now: datetime) -> _Outcome:
    """Return what the wallet's answer to a message makes of it."""
    if answer is None:
        return _postponed(claimed, now, error="the wallet's answer leaves this message out")
    if answer.status in IN_EFFECT:
        return _outcome(claimed, DeliveryStatus.DELIVERED, now, answer=answer.status.value)
    error = f"{answer.status.value}: {answer.reason}"
    if answer.available_minor is not None:
        error += f" (available {answer.available_minor})"
    if answer.status is AnswerStatus.INSUFFICIENT:
        return _short(claimed, answer, now, error=error)
    return _dead(claimed, now, answer=answer.status.value, error=error)


def _short(claimed: _Claimed, answer: Answer, now: datetime, *, error: str) -> _Outcome:
    """Return what the table's policy makes of a debit that found too little money."""
    message, available = claimed.message, answer.available_minor
    step = step_after_shortage(
        claimed.policy,
        asked_minor=message.amount_minor,
        available_minor=available,
        was_forced=message.force,
    )
    said = {"answer": answer.status.value, "error": error}
    match step:
        case Step.FORCE:
            forced = _outcome(claimed, DeliveryStatus.WAITING, now, **said)
            return replace(forced, is_forced=True, asked_minor=claimed.whole_minor, is_short=True)
        case Step.TAKE if available is not None:
            less = _outcome(claimed, DeliveryStatus.WAITING, now, **said)
            return replace(less, asked_minor=-available, is_short=True)
        case Step.OWE:
            return replace(_outcome(claimed, DeliveryStatus.CLOSED, now, **said), is_short=True)
    return _dead(claimed, now, **said)


def _postponed(claimed: _Claimed, now: datetime, *, error: str) -> _Outcome:
    """Return the outcome of a failure that may heal: wait longer each time, and give up after 24 hours."""
    delay = retry_delay(claimed.attempts)
    if delay is None:
        return _dead(claimed, now, error=f"given up after {claimed.attempts} attempts: {error}")
    return _outcome(claimed, DeliveryStatus.WAITING, now + delay, error=error)


def _dead(claimed: _Claimed, now: datetime, *, error: str, answer: str = "") -> _Outcome:
    """Return the outcome of a failure that only a person can mend."""
    return _outcome(claimed, DeliveryStatus.DEAD, now, answer=answer, error=error)


def _outcome(
    claimed: _Claimed, status: DeliveryStatus, due_at: datetime, *, answer: str = "", error: str = ""
) -> _Outcome:
    """Return an outcome after which the message asks for what it asked for before."""
    message = claimed.message
    return _Outcome(
        claimed, status, due_at, answer, error, is_forced=message.force, asked_minor=message.amount_minor
    )


def _write_down(outcomes: Sequence[_Outcome], now: datetime) -> None:
    """Write all outcomes in one statement; those for which the lease was lost meanwhile change nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            _WRITE_DOWN,
            {
                "now": now,
                "ids": [outcome.claimed.id for outcome in outcomes],
                "attempts": [outcome.claimed.attempts for outcome in outcomes],
                "statuses": [outcome.status.value for outcome in outcomes],
                "due": [outcome.due_at for outcome in outcomes],
                "answers": [outcome.answer for outcome in outcomes],
                "errors": [_readable(outcome.error) for outcome in outcomes],
                "forced": [outcome.is_forced for outcome in outcomes],
                "asked": [_less_than_all(outcome) for outcome in outcomes],
            },
        )
        written = {row[0] for row in cursor.fetchall()}
        for outcome in outcomes:
            if outcome.claimed.id in written:
                _book(outcome, now)


def _less_than_all(outcome: _Outcome) -> int | None:
    return None if outcome.asked_minor == outcome.claimed.whole_minor else outcome.asked_minor


def _book(outcome: _Outcome, now: datetime) -> None:
    """Book what stays owed, and journal what a person has to know: money missing, a message given up."""
    claimed = outcome.claimed
    subject = WalletTransaction(pk=claimed.id)
    data: dict[str, Any] = {"answered": outcome.answer, "attempts": claimed.attempts}
    is_over = outcome.status in (DeliveryStatus.DELIVERED, DeliveryStatus.CLOSED)
    if outcome.status is DeliveryStatus.DEAD:
        action = "wallet.given_up"
    elif outcome.status is DeliveryStatus.WAITING and outcome.is_forced and outcome.is_short:
        action = "wallet.forced"
    elif is_over and outcome.owed_minor > 0:
        action = "wallet.owed"
        data["owed_minor"] = outcome.owed_minor
        Receivable.objects.create(
            transaction=subject,
            player_id=claimed.player_id,
            amount_minor=outcome.owed_minor,
            currency=claimed.message.currency,
            booked_at=now,
        )
    else:
        return
    record(action, subject=subject, label=claimed.message.key, actor=SYSTEM, at=now, data=data)


def _readable(error: str) -> str:
    """Return what the other side said as PostgreSQL can hold it: short, without NUL or half characters."""
    return "".join(character if character.isprintable() else " " for character in error[:ERROR_LENGTH])
