"""Who said first that much money is settled by hand withdraws it, and nobody else; then it does not count."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction

from tables import locks
from tables.models import HandStatement, JournalEntry, WalletDelivery
from tables.queries.journal import texts_of
from tables.services import dead_letters
from tables.services.actors import Actor, NotAllowed
from tables.services.dead_letters import CannotMend, send_again, settle_by_hand, withdraw_statement
from tests.audit.deciding import make_user
from tests.audit.services.test_holds_kept import Second
from tests.database import OwnTestDatabase
from tests.tables.services.together import together
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db

MEND = "tables.mend_wallet_message"
LATER = AT + timedelta(minutes=5)


@pytest.fixture
def letter() -> int:
    """Provide a dead credit of 50,000.01 where more than 50,000.00 takes two persons."""
    [number] = make_due([Due("P-1", 5_000_001)])
    give_up(number)
    return number


@pytest.fixture
def first(letter: int) -> User:
    """Provide who said that it is settled by hand."""
    user = make_user("first", MEND)
    assert say(user, letter).status == "dead"
    return user


@pytest.fixture
def second(first: User) -> User:
    return make_user("second", MEND)


def give_up(number: int, at: Any = AT) -> None:
    WalletDelivery.objects.filter(pk=number).update(status="dead", answer="refused", answered_at=at)


def say(user: User, number: int) -> WalletDelivery:
    return settle_by_hand(transaction_id=number, reason="paid in cash", actor=Actor.of_user(user), at=AT)


def withdraw(user: User, number: int, reason: str = "the wrong player") -> WalletDelivery:
    return withdraw_statement(transaction_id=number, reason=reason, actor=Actor.of_user(user), at=LATER)


def done() -> list[tuple[str, str]]:
    entries = JournalEntry.objects.filter(action__startswith="wallet.").order_by("pk")
    return [(entry.action.removeprefix("wallet."), entry.actor_id) for entry in entries]


def test_who_said_it_withdraws_it_and_another_is_the_first_then(
    letter: int, first: User, second: User
) -> None:
    assert withdraw(first, letter).status == "dead"
    assert HandStatement.objects.get().withdrawn_at == LATER
    entry = JournalEntry.objects.get(action="wallet.by_hand_withdrawn")
    assert (entry.at, entry.subject_id, texts_of(entry)) == (LATER, letter, {"reason": "the wrong player"})
    assert say(second, letter).status == "dead"
    # It may be said again, and counts as if nothing had been.
    assert say(first, letter).status == "closed"
    one, two = str(first.pk), str(second.pk)
    assert done() == [
        ("by_hand_said", one),
        ("by_hand_withdrawn", one),
        ("by_hand_said", two),
        ("settled_by_hand", one),
    ]
    assert HandStatement.objects.filter(withdrawn_at=None).count() == 2


def test_the_same_person_says_and_withdraws_it_again_and_again(letter: int, first: User) -> None:
    for _ in range(2):
        withdraw(first, letter)
        with pytest.raises(CannotMend) as refused:
            withdraw(first, letter)
        assert refused.value.rule == "wallet/withdrawn"
        assert say(first, letter).status == "dead"
    assert HandStatement.objects.exclude(withdrawn_at=None).count() == 2
    with pytest.raises(CannotMend) as refused:
        say(first, letter)
    assert refused.value.rule == "wallet/four-eyes"


def _other(letter: int, first: User) -> tuple[User, str]:
    return make_user("other", MEND), "wallet/other"


def _other_account(letter: int, first: User) -> tuple[User, str]:
    return make_user("again", MEND, person=first.person_account.person), "wallet/other"


def _closed(letter: int, first: User) -> tuple[User, str]:
    assert say(make_user("other", MEND), letter).status == "closed"
    return first, "wallet/given-up"


def _sent_again(letter: int, first: User) -> tuple[User, str]:
    send_again(transaction_id=letter, reason="open again", actor=Actor.of_user(first), at=AT)
    return first, "wallet/given-up"


def _given_up_again(letter: int, first: User) -> tuple[User, str]:
    _sent_again(letter, first)
    give_up(letter, at=LATER)
    return first, "wallet/other"


@pytest.mark.parametrize("case", [_other, _other_account, _closed, _sent_again, _given_up_again])
def test_a_refusal_changes_nothing(
    case: Callable[[int, User], tuple[User, str]], letter: int, first: User
) -> None:
    user, rule = case(letter, first)
    before = (list(HandStatement.objects.values()), WalletDelivery.objects.values().get(), done())
    with pytest.raises(CannotMend) as refused:
        withdraw(user, letter)
    assert refused.value.rule == rule
    assert (list(HandStatement.objects.values()), WalletDelivery.objects.values().get(), done()) == before


def test_it_takes_a_reason_and_the_right(letter: int, first: User) -> None:
    for reason in (" ", "x" * 501):
        with pytest.raises(CannotMend) as refused:
            withdraw(first, letter, reason=reason)
        assert refused.value.rule == "wallet/reason"
    first.user_permissions.clear()
    with pytest.raises(NotAllowed):
        withdraw(User.objects.get(pk=first.pk), letter)
    assert HandStatement.objects.get().withdrawn_at is None


# --- by direct SQL ----------------------------------------------------------------------------------

SET = "UPDATE tables_handstatement SET withdrawn_at = "
CLOSE = "UPDATE tables_walletdelivery SET status = 'closed', answer = 'by_hand'"


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("case", [_closed, _sent_again, _given_up_again])
def test_the_database_lets_go_of_it_only_while_it_is_given_up(
    case: Callable[[int, User], tuple[User, str]], letter: int, first: User
) -> None:
    case(letter, first)
    with pytest.raises(IntegrityError, match="only while it is still given up"):
        run(f"{SET} now()")


@pytest.mark.parametrize("value", ["NULL", "now()"])
def test_what_was_withdrawn_stays_so(value: str, letter: int, first: User) -> None:
    run(f"{SET} '2026-11-29T12:05:00Z'")
    with pytest.raises(IntegrityError, match="this statement was withdrawn"):
        run(SET + value)


@pytest.mark.parametrize("more", ["said_by_id = said_by_id + 1", "said_at = now()", "given_up_at = now()"])
def test_nothing_else_changes_with_it(more: str, letter: int, first: User) -> None:
    with pytest.raises(DatabaseError, match="permission denied"):
        run(f"{SET} now(), {more}")


def test_what_was_withdrawn_does_not_count_whoever_closes_it(letter: int, first: User, second: User) -> None:
    run(f"{SET} now()")
    HandStatement.objects.create(delivery_id=letter, given_up_at=AT, said_by=second, said_at=AT)
    with pytest.raises(IntegrityError, match="takes a second person"):
        run(CLOSE)
    HandStatement.objects.create(delivery_id=letter, given_up_at=AT, said_by=first, said_at=AT)
    run(CLOSE)


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_from_before_it_was_withdrawn_closes_nothing(
    letter: int, first: User, second: User, own_database: OwnTestDatabase
) -> None:
    HandStatement.objects.create(delivery_id=letter, given_up_at=AT, said_by=second, said_at=AT)
    with psycopg.connect(own_database.app_url) as early:
        early.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        early.execute("SELECT 1")
        withdraw(first, letter)
        with pytest.raises(psycopg.errors.RestrictViolation, match="at READ COMMITTED only"):
            early.execute(CLOSE)


# --- at once ----------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_withdrawn_and_said_by_the_second_at_once_one_of_them_is_so(
    letter: int, first: User, second: User
) -> None:
    answers = together(*[partial(say, second, letter), partial(withdraw, first, letter)] * 8)
    refused = sorted(answer.rule for answer in answers if isinstance(answer, CannotMend))
    heard = [answer for answer in answers if isinstance(answer, WalletDelivery)]
    one, two = str(first.pk), str(second.pk)
    assert len(heard) + len(refused) == 16
    if WalletDelivery.objects.get().status == "closed":
        assert refused == ["wallet/given-up"] * 15
        assert done() == [("by_hand_said", one), ("settled_by_hand", two)]
    else:  # the second is the first then
        assert refused == ["wallet/four-eyes"] * 7 + ["wallet/withdrawn"] * 7
        assert done() == [("by_hand_said", one), ("by_hand_withdrawn", one), ("by_hand_said", two)]


@pytest.mark.django_db(transaction=True)
def test_twin_without_the_lock_the_second_is_told_what_is_not_so(
    letter: int, first: User, second: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the database stops the second person, who saw what the first said and is told to find another."""
    has_looked, is_withdrawn = Event(), Event()
    is_first_to_say = dead_letters._is_first_to_say

    def look_and_wait(*what: Any) -> bool:
        found = is_first_to_say(*what)
        has_looked.set()
        assert is_withdrawn.wait(60)
        return found

    def withdraw_meanwhile() -> WalletDelivery:
        assert has_looked.wait(60)
        try:
            return withdraw(first, letter)
        finally:
            is_withdrawn.set()

    monkeypatch.setattr(dead_letters, "_is_first_to_say", look_and_wait)
    unlocked = WalletDelivery.objects.select_related("transaction")
    monkeypatch.setattr(locks, "lock_delivery", lambda number: unlocked.get(pk=number))
    told, withdrawn = together(partial(say, second, letter), withdraw_meanwhile)
    assert isinstance(withdrawn, WalletDelivery)
    assert isinstance(told, CannotMend)
    assert told.rule == "wallet/four-eyes"
    assert WalletDelivery.objects.get().status == "dead"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_closed_first", [True, False])
def test_of_two_statements_at_once_the_later_one_waits_and_is_refused(
    is_closed_first: bool, letter: int, first: User, second: User, own_database: OwnTestDatabase
) -> None:
    HandStatement.objects.create(delivery_id=letter, given_up_at=AT, said_by=second, said_at=AT)
    withdrawing = f"{SET} now() WHERE said_by_id = {first.pk}"
    earlier, later = (CLOSE, withdrawing) if is_closed_first else (withdrawing, CLOSE)
    with psycopg.connect(own_database.app_url) as session:
        session.execute(earlier)
        other = Second(own_database, later)
        assert other.waits()
    said = "only while it is still given up" if is_closed_first else "takes a second person"
    assert said in str(other.done())
    assert WalletDelivery.objects.get().status == ("closed" if is_closed_first else "dead")
