"""A debit for which a real wallet has too little: forced, taken in part with a receivable, or held."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tables.models import GameTable, JournalEntry, Receivable, TransactionKind, WalletDelivery
from tables.services import wallet_delivery
from tables.services.wallet_delivery import DeliveryReport, deliver_due
from tests.wallet_process import SECRET, WalletProcess
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db(transaction=True)
DEBIT = TransactionKind.ADJUSTMENT


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    """Provide a wallet in which every player has 1,000 minor units."""
    with WalletProcess(tmp_path / "wallet.log", opening_minor=1_000) as process:
        settings.WALLET_URL = process.url
        settings.WALLET_SECRET = SECRET
        yield process


def policy(name: str) -> None:
    GameTable.objects.update(debit_policy=name)


def booked(wallet: WalletProcess) -> list[tuple[str, int, bool]]:
    return [(row["player"], row["amount_minor"], row["forced"]) for row in wallet.booked()]


def owed() -> list[tuple[int, str]]:
    return list(Receivable.objects.order_by("pk").values_list("amount_minor", "currency"))


def journalled() -> list[tuple[str, dict[str, Any]]]:
    entries = JournalEntry.objects.order_by("pk")
    return [(entry.action, json.loads(bytes(entry.body))["data"]) for entry in entries]


def test_a_table_that_forces_has_the_debit_booked_below_zero(wallet: WalletProcess) -> None:
    make_due([Due("lek", -1_200, DEBIT), Due("lek", 50)])
    policy("force")
    assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=2, short=1)
    assert booked(wallet) == [("lek", -1_200, True), ("lek", 50, False)]
    assert (wallet.money("lek"), owed()) == (-150, [])
    row = WalletDelivery.objects.order_by("pk")[0]
    assert (row.status, row.attempts, row.answer, row.is_forced) == ("delivered", 2, "applied", True)
    assert journalled() == [("wallet.forced", {"answered": "insufficient", "attempts": 1})]


def test_a_table_that_takes_what_is_there_has_a_receivable_for_the_rest(wallet: WalletProcess) -> None:
    make_due([Due("lek", -1_200, DEBIT), Due("lek", 50)])
    policy("take")
    assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=2, short=1)
    assert booked(wallet) == [("lek", -1_000, False), ("lek", 50, False)]
    assert (wallet.money("lek"), owed()) == (50, [(200, "THB")])
    row = WalletDelivery.objects.order_by("pk")[0]
    assert (row.status, row.answer, row.asked_minor) == ("delivered", "applied", -1_000)
    assert journalled() == [("wallet.owed", {"answered": "applied", "attempts": 2, "owed_minor": 200})]


def test_where_nothing_is_there_all_of_it_is_owed_and_what_follows_goes_on(wallet: WalletProcess) -> None:
    make_due([Due("lek", -1_000, DEBIT), Due("lek", -300, DEBIT), Due("lek", 50)])
    policy("take")
    assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=2, closed=1)
    assert booked(wallet) == [("lek", -1_000, False), ("lek", 50, False)]
    assert owed() == [(300, "THB")]
    row = WalletDelivery.objects.order_by("pk")[1]
    assert (row.status, row.answer) == ("closed", "insufficient")
    assert journalled() == [("wallet.owed", {"answered": "insufficient", "attempts": 1, "owed_minor": 300})]


def test_a_table_that_holds_leaves_it_to_a_person_and_keeps_what_follows_back(wallet: WalletProcess) -> None:
    make_due([Due("lek", -1_200, DEBIT), Due("lek", 50), Due("noi", 7)])
    policy("hold")
    assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=1, dead=1)
    assert (booked(wallet), owed()) == ([("noi", 7, False)], [])
    assert journalled() == [("wallet.given_up", {"answered": "insufficient", "attempts": 1})]


def test_money_that_goes_between_two_answers_is_not_taken_for_there(wallet: WalletProcess) -> None:
    make_due([Due("lek", -1_200, DEBIT)])
    policy("take")
    # The first two debits find 700 and 300 where 1,000 were; the third finds what is true.
    wallet.switch_on("short_of_money", player="lek", available_minor=700)
    wallet.switch_on("short_of_money", player="lek", available_minor=300)
    assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=1, short=1)
    assert (booked(wallet), owed()) == ([("lek", -300, False)], [(900, "THB")])


@pytest.mark.parametrize(("name", "expected"), [("force", -1_200), ("take", -1_000)])
def test_a_lost_answer_to_the_second_ask_is_asked_for_in_the_same_way(
    wallet: WalletProcess, name: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_due([Due("lek", -1_200, DEBIT)])
    policy(name)
    assert wallet_delivery.MAX_MESSAGES == 500
    deliver_due(now=AT, limit=1)  # found too little; how it goes on is written down
    row = WalletDelivery.objects.get()
    assert (row.status, row.attempts, row.due_at) == ("waiting", 1, AT)
    wallet.switch_on("lose_answer")
    assert deliver_due(now=AT, limit=1).postponed == 1
    # Meanwhile the wallet has the money for all of it. The key is taken, so that changes nothing any more.
    later = {"round": "another", "revision": 1, "kind": "credit", "currency": "THB", "bets": []}
    wallet.post({"key": "later", "player": "lek", "amount_minor": 9_000, **later})
    assert deliver_due(now=AT + timedelta(minutes=1), limit=1) == DeliveryReport(delivered=1)
    assert WalletDelivery.objects.get().answer == "duplicate"
    assert booked(wallet)[0][1] == expected
    assert owed() == ([(200, "THB")] if name == "take" else [])


def test_a_wallet_that_forces_nothing_leaves_it_to_a_person(
    wallet: WalletProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.wallet_client.Message.body", _body_without_force)
    make_due([Due("lek", -1_200, DEBIT)])
    policy("force")
    assert deliver_due(now=AT, limit=10) == DeliveryReport(short=1, dead=1)
    assert [action for action, _ in journalled()] == ["wallet.forced", "wallet.given_up"]


def _body_without_force(message: Any) -> dict[str, Any]:
    names = ("key", "round", "revision", "player", "kind", "amount_minor", "currency", "bets")
    return {name: getattr(message, name) for name in names}
