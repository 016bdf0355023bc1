"""Several people at one dead letter at once: one is heard. Its twin without the lock goes wrong."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tables import locks
from tables.models import JournalEntry, WalletDelivery
from tables.services.actors import Actor
from tables.services.dead_letters import MEND, CannotMend, send_again, settle_by_hand
from tests.tables.services.together import together
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def letter(db: None) -> int:
    [number] = make_due([Due("lek", 10)])
    WalletDelivery.objects.update(status="dead", attempts=1, answer="refused", answered_at=AT)
    return number


def as_person(verb: Callable[..., WalletDelivery], letter: int, number: int) -> Callable[[], WalletDelivery]:
    actor = Actor("user", str(number), f"Person {number}", frozenset({MEND}))
    return partial(verb, transaction_id=letter, reason="because", actor=actor, at=AT)


def done() -> Counter[str]:
    return Counter(JournalEntry.objects.values_list("action", flat=True))


def test_of_thirty_two_people_at_once_one_is_heard(letter: int) -> None:
    works = [as_person((send_again, settle_by_hand)[number % 2], letter, number) for number in range(32)]
    answers = together(*works)
    heard = [answer for answer in answers if isinstance(answer, WalletDelivery)]
    refused = [answer for answer in answers if isinstance(answer, CannotMend)]
    assert (len(heard), len(refused)) == (1, 31)
    assert {refusal.rule for refusal in refused} == {"wallet/given-up"}
    assert sum(done().values()) == 1
    assert WalletDelivery.objects.get().status == heard[0].status


def test_twin_without_the_lock_two_are_heard(letter: int, monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=60)

    def look_only(number: int) -> WalletDelivery:
        found = WalletDelivery.objects.select_related("transaction").get(pk=number)
        both.wait()
        return found

    monkeypatch.setattr(locks, "lock_delivery", look_only)
    together(*(as_person(settle_by_hand, letter, number) for number in range(2)))
    assert done() == {"wallet.settled_by_hand": 2}
