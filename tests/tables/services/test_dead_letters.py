"""What a person does about a dead letter, up to the wallet: sent again, or settled by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from tables.models import (
    DebitPolicy,
    GameTable,
    JournalEntry,
    JournalText,
    Receivable,
    TransactionKind,
    WalletDelivery,
    WalletTransaction,
)
from tables.queries.dead_letters import dead_letters, waiting_behind
from tables.services.actors import Actor, NotAllowed
from tables.services.dead_letters import MEND, CannotMend, send_again, settle_by_hand
from tables.services.wallet_delivery import DeliveryReport, deliver_due
from tests.wallet_process import SECRET, WalletProcess
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db(transaction=True)
LATER = AT + timedelta(hours=1)
MANAGER = Actor("user", "7", "Nattaya Suksan", frozenset({MEND}))
SUPPORT = Actor("user", "8", "Pim Wattana")
DEBIT = TransactionKind.ADJUSTMENT


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log", opening_minor=1_000) as process:
        settings.WALLET_URL = process.url
        settings.WALLET_SECRET = SECRET
        yield process


def deliver() -> DeliveryReport:
    return deliver_due(now=LATER, limit=100)


def refused(wallet: WalletProcess, *due: Due) -> int:
    """Let the wallet refuse lek's first message once, and return the message's number."""
    first = make_due(due)[0]
    wallet.switch_on("refuse_player", player="lek", reason="the account is closed", requests=1)
    assert deliver_due(now=AT, limit=1).dead == 1
    return first


def booked(wallet: WalletProcess) -> list[tuple[str, int]]:
    return [(row["player"], row["amount_minor"]) for row in wallet.booked()]


def entry(action: str) -> JournalEntry:
    return JournalEntry.objects.get(action=action)


def said_why() -> str:
    """Give the reason of the one entry that has one: it lies beside it, and goes with its player's data."""
    found = JournalText.objects.get(name="reason")
    assert found.player_id == WalletTransaction.objects.get(pk=found.entry.subject_id).player_id
    return found.text


def test_sent_again_it_goes_before_what_waited_behind_it(wallet: WalletProcess) -> None:
    first = refused(wallet, Due("lek", 10), Due("lek", 20), Due("lek", 30))
    [letter] = dead_letters()
    assert (letter.pk, letter.behind_count) == (first, 2)
    assert [one.transaction.amount_minor for one in waiting_behind(letter)] == [20, 30]
    assert deliver() == DeliveryReport()
    send_again(transaction_id=first, reason="the account is open again", actor=MANAGER, at=LATER)
    assert deliver() == DeliveryReport(delivered=3)
    assert booked(wallet) == [("lek", 10), ("lek", 20), ("lek", 30)]
    assert list(dead_letters()) == []
    said = json.loads(bytes(entry("wallet.sent_again").body))
    assert (said["actor"], said["subject"]) == (
        ["user", "7"],
        ["wallettransaction", first, letter.transaction.key],
    )
    assert said["data"] == {
        "reason": ANY,
        "amount_minor": 10,
        "currency": "THB",
        "policy": "",
    }
    assert said_why() == "the account is open again"


def test_settled_by_hand_it_never_goes_and_what_waited_goes_on(wallet: WalletProcess) -> None:
    first = refused(wallet, Due("lek", 10), Due("lek", 20))
    settle_by_hand(transaction_id=first, reason="paid in cash, slip 17", actor=MANAGER, at=LATER)
    assert deliver() == DeliveryReport(delivered=1)
    assert booked(wallet) == [("lek", 20)]
    row = WalletDelivery.objects.get(pk=first)
    assert (row.status, row.answer, row.answered_at) == ("closed", "by_hand", LATER)
    said = json.loads(bytes(entry("wallet.settled_by_hand").body))["data"]
    assert (said_why(), said["answer_before"]) == ("paid in cash, slip 17", "refused")


def test_a_message_that_dies_is_journalled_without_what_the_wallet_said(wallet: WalletProcess) -> None:
    first = refused(wallet, Due("lek", 10))
    written = entry("wallet.given_up")
    assert (written.subject_id, written.actor_kind) == (first, "system")
    assert json.loads(bytes(written.body))["data"] == {"answered": "refused", "attempts": 1}
    assert b"account" not in bytes(written.body)


@pytest.mark.parametrize(
    ("policy", "money", "owed"), [(DebitPolicy.FORCE, -200, []), (DebitPolicy.RECEIVABLE, 0, [200])]
)
def test_a_debit_that_was_held_goes_on_as_the_person_says(
    wallet: WalletProcess, policy: DebitPolicy, money: int, owed: list[int]
) -> None:
    [first] = make_due([Due("lek", -1_200, DEBIT)])
    GameTable.objects.update(debit_policy="hold")
    assert deliver_due(now=AT, limit=1).dead == 1
    send_again(transaction_id=first, reason="agreed with lek", policy=policy, actor=MANAGER, at=LATER)
    assert deliver() == DeliveryReport(delivered=1, short=1)
    assert wallet.money("lek") == money
    assert list(Receivable.objects.values_list("amount_minor", flat=True)) == owed


def test_what_may_have_been_booked_is_asked_for_in_the_same_way_again(wallet: WalletProcess) -> None:
    [first] = make_due([Due("lek", -1_200, DEBIT)])
    GameTable.objects.update(debit_policy="take")
    assert deliver_due(now=AT, limit=1).short == 1
    wallet.switch_on("lose_answer")  # 1,000 of it are booked, and nobody knows
    assert deliver_due(now=AT, limit=1).postponed == 1
    WalletDelivery.objects.update(attempts=103)
    wallet.switch_on("error_500")
    assert deliver_due(now=LATER, limit=1).dead == 1
    send_again(transaction_id=first, reason="the wallet is up again", actor=MANAGER, at=LATER)
    assert deliver() == DeliveryReport(delivered=1)
    assert (booked(wallet), Receivable.objects.get().amount_minor) == ([("lek", -1_000)], 200)


@pytest.mark.parametrize("verb", [send_again, settle_by_hand])
def test_a_refusal_changes_nothing(wallet: WalletProcess, verb: Any) -> None:
    first, second = make_due([Due("lek", 10), Due("lek", 20)])
    wallet.switch_on("refuse_player", player="lek", requests=1)
    deliver_due(now=AT, limit=1)
    before = list(WalletDelivery.objects.order_by("pk").values())
    entries = JournalEntry.objects.count()
    with pytest.raises(NotAllowed):
        verb(transaction_id=first, reason="because", actor=SUPPORT, at=LATER)
    for number, reason, rule in (
        (first, " ", "wallet/reason"),
        (first, "x" * 501, "wallet/reason"),
        (second, "because", "wallet/given-up"),
    ):
        with pytest.raises(CannotMend) as refusal:
            verb(transaction_id=number, reason=reason, actor=MANAGER, at=LATER)
        assert refusal.value.rule == rule
    assert list(WalletDelivery.objects.order_by("pk").values()) == before
    assert JournalEntry.objects.count() == entries


def test_a_credit_has_no_policy(wallet: WalletProcess) -> None:
    first = refused(wallet, Due("lek", 10))
    with pytest.raises(CannotMend, match="wallet/policy"):
        send_again(transaction_id=first, reason="because", policy=DebitPolicy.FORCE, actor=MANAGER, at=LATER)


def test_only_the_first_of_two_persons_is_heard(wallet: WalletProcess) -> None:
    first = refused(wallet, Due("lek", 10))
    settle_by_hand(transaction_id=first, reason="paid in cash", actor=MANAGER, at=LATER)
    with pytest.raises(CannotMend, match="is closed by now"):
        send_again(transaction_id=first, reason="open again", actor=MANAGER, at=LATER)
    assert deliver() == DeliveryReport()
    assert booked(wallet) == []
