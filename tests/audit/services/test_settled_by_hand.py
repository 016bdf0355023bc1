"""Much money is settled by hand when two persons said so: by the service, and whatever else is tried."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from tables.models import JournalEntry, TransactionKind, WalletDelivery
from tables.services.actors import Actor
from tables.services.dead_letters import CannotMend, send_again, settle_by_hand
from tests.audit.deciding import make_user
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db

MEND = "tables.mend_wallet_message"


@pytest.fixture
def letter() -> int:
    """Provide a dead credit of 50,000.01 where more than 50,000.00 takes two persons."""
    [number] = make_due([Due("P-1", 5_000_001)])
    return number


@pytest.fixture
def two(letter: int) -> tuple[User, User]:
    give_up(letter)
    return make_user("first", MEND), make_user("second", MEND)


def give_up(number: int) -> None:
    WalletDelivery.objects.filter(pk=number).update(status="dead", answer="refused", answered_at=AT)


def say(user: User, number: int) -> str:
    actor = Actor.of_user(user)
    return settle_by_hand(transaction_id=number, reason="paid in cash", actor=actor, at=AT).status


def test_up_to_the_threshold_one_person_is_enough() -> None:
    [number] = make_due([Due("P-1", -5_000_000, TransactionKind.ADJUSTMENT)])
    give_up(number)
    assert say(make_user("first", MEND), number) == "closed"


def test_above_it_another_person_says_the_same(letter: int, two: tuple[User, User]) -> None:
    assert say(two[0], letter) == "dead"
    with pytest.raises(CannotMend) as refused:
        say(two[0], letter)
    assert refused.value.rule == "wallet/four-eyes"
    assert say(two[1], letter) == "closed"
    actions = JournalEntry.objects.filter(action__startswith="wallet.").order_by("pk")
    assert list(actions.values_list("action", "actor_id")) == [
        ("wallet.by_hand_said", str(two[0].pk)),
        ("wallet.settled_by_hand", str(two[1].pk)),
    ]


def test_two_accounts_of_one_person_are_one(letter: int, two: tuple[User, User]) -> None:
    again = make_user("again", MEND, person=two[0].person_account.person)
    assert say(two[0], letter) == "dead"
    with pytest.raises(CannotMend), transaction.atomic():
        say(again, letter)
    assert WalletDelivery.objects.get(pk=letter).status == "dead"


def test_what_was_said_before_it_was_sent_again_does_not_count(letter: int, two: tuple[User, User]) -> None:
    say(two[0], letter)
    send_again(transaction_id=letter, reason="open again", actor=Actor.of_user(two[0]), at=AT)
    WalletDelivery.objects.filter(pk=letter).update(
        status="dead", answer="refused", answered_at=AT.replace(year=AT.year + 1)
    )
    assert say(two[1], letter) == "dead"


def test_by_hand_the_row_does_not_change_alone(letter: int, two: tuple[User, User]) -> None:
    say(two[0], letter)
    with pytest.raises(IntegrityError, match="takes a second person"), transaction.atomic():
        WalletDelivery.objects.filter(pk=letter).update(status="closed", answer="by_hand")
