"""Messages to a real wallet: once in effect, in order per player, whatever fails in between."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tables.models import DeliveryStatus, GameTable, PlayerIdentity, TransactionKind, WalletDelivery
from tables.services.wallet_delivery import DeliveryReport, deliver_due
from tables.wallet_client import MAX_MESSAGES, WalletClient
from tests.wallet_process import SECRET, WalletProcess
from tests.wallet_rows import AT, ROUND, Due, make_due, turn_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log") as process:
        settings.WALLET_URL = process.url
        settings.WALLET_SECRET = SECRET
        yield process


def deliver(now: datetime = AT, limit: int = 10_000) -> DeliveryReport:
    return deliver_due(now=now, limit=limit)


def states() -> list[tuple[str, int, str]]:
    rows = WalletDelivery.objects.order_by("pk")
    return [(row.status, row.attempts, row.answer) for row in rows]


def booked(wallet: WalletProcess) -> list[tuple[str, int, int]]:
    return [(row["player"], turn_of(row["round"]), row["amount_minor"]) for row in wallet.booked()]


def test_a_message_says_what_the_transaction_says(wallet: WalletProcess) -> None:
    make_due([Due("lek", 195)])
    assert deliver() == DeliveryReport(delivered=1)
    [row] = wallet.booked()
    player = PlayerIdentity.objects.get(reference="lek").player_id
    assert {name: row[name] for name in row if name not in ("at", "number")} == {
        "key": f"{ROUND}/1/{player}",
        "round": ROUND,
        "revision": 1,
        "player": "lek",
        "kind": "credit",
        "amount_minor": 195,
        "currency": "THB",
        "available_minor": 100_195,
        "forced": False,
    }
    assert b'"bets":["bet-0"]' in wallet.store.read_bytes()
    delivery = WalletDelivery.objects.get()
    assert (delivery.status, delivery.answer, delivery.last_error) == ("delivered", "applied", "")
    assert (delivery.answered_at, delivery.leased_until) == (AT, None)


def test_delivered_is_delivered(wallet: WalletProcess) -> None:
    make_due([Due("lek")])
    deliver()
    assert deliver(AT + timedelta(days=1)) == DeliveryReport()
    assert len(wallet.booked()) == 1


def test_what_is_not_due_waits(wallet: WalletProcess) -> None:
    make_due([Due("lek", due_at=AT + timedelta(microseconds=1)), Due("noi", due_at=AT)])
    assert deliver() == DeliveryReport(delivered=1)
    assert booked(wallet) == [("noi", 1, 195)]


def test_more_than_one_request_and_a_limit(wallet: WalletProcess) -> None:
    make_due([Due(f"p{number:03}") for number in range(MAX_MESSAGES + 1)])
    assert deliver(limit=300) == DeliveryReport(delivered=300, is_more_due=True)
    assert deliver(limit=201) == DeliveryReport(delivered=201, is_more_due=False)
    assert len(wallet.booked()) == 501


def test_a_player_gets_messages_in_order_and_one_a_request(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10), Due("lek", 20), Due("noi", 5), Due("lek", 30)])
    assert deliver() == DeliveryReport(delivered=4)
    assert booked(wallet) == [("lek", 1, 10), ("noi", 1, 5), ("lek", 2, 20), ("lek", 3, 30)]


# --- the wallet fails ------------------------------------------------------------------------------


def test_a_lost_answer_is_asked_for_again_and_pays_once(wallet: WalletProcess) -> None:
    make_due([Due("lek")])
    wallet.switch_on("lose_answer")
    report = deliver()
    assert (report.postponed, report.delivered, report.is_more_due) == (1, 0, False)
    assert report.unreachable.startswith("RemoteProtocolError")
    assert wallet.money("lek") == 100_195
    assert deliver(AT + timedelta(seconds=4)) == DeliveryReport()
    assert deliver(AT + timedelta(seconds=5)) == DeliveryReport(delivered=1)
    assert states() == [("delivered", 2, "duplicate")]
    assert wallet.money("lek") == 100_195


def test_an_answer_given_twice_counts_once(wallet: WalletProcess) -> None:
    make_due([Due("lek"), Due("noi")])
    wallet.switch_on("answer_twice")
    assert deliver() == DeliveryReport(delivered=2)
    assert states() == [("delivered", 1, "applied"), ("delivered", 1, "applied")]
    assert wallet.money("lek") == 100_195


def test_a_time_out_is_tried_again(wallet: WalletProcess) -> None:
    make_due([Due("lek")])
    wallet.switch_on("timeout", seconds=600)
    with WalletClient(wallet.url, SECRET, answer_seconds=0.3) as client:
        report = deliver_due(now=AT, limit=10, client=client)
    assert (report.postponed, report.unreachable[:11]) == (1, "ReadTimeout")
    assert deliver(AT + timedelta(seconds=5)) == DeliveryReport(delivered=1)
    assert states() == [("delivered", 2, "applied")]


def test_a_wallet_that_is_down_stops_the_run_and_spares_what_was_not_tried(wallet: WalletProcess) -> None:
    make_due([Due(f"p{number:03}") for number in range(MAX_MESSAGES + 7)])
    wallet.kill()
    report = deliver()
    assert (report.postponed, report.is_more_due) == (500, False)
    assert report.unreachable.startswith("ConnectError")
    assert WalletDelivery.objects.filter(attempts=0, leased_until=None).count() == 7
    wallet.start()
    assert deliver() == DeliveryReport(delivered=7)
    assert deliver(AT + timedelta(seconds=5)) == DeliveryReport(delivered=500)


def test_the_delay_grows_and_ends_after_24_hours_in_the_dead_letters(wallet: WalletProcess) -> None:
    [first] = make_due([Due("lek")])
    wallet.kill()
    deliver()
    assert WalletDelivery.objects.get().due_at == AT + timedelta(seconds=5)
    deliver(AT + timedelta(seconds=5))
    assert WalletDelivery.objects.get().due_at == AT + timedelta(seconds=15)
    WalletDelivery.objects.update(attempts=102)
    deliver(AT + timedelta(hours=23))
    row = WalletDelivery.objects.get()
    assert (row.status, row.due_at) == ("waiting", AT + timedelta(hours=23, seconds=525))
    assert deliver(AT + timedelta(hours=24)).dead == 1
    row = WalletDelivery.objects.get(pk=first)
    assert (row.status, row.attempts, row.answer) == ("dead", 104, "")
    assert row.last_error.startswith("given up after 104 attempts: ConnectError")


def test_a_wrong_secret_is_tried_again_and_no_message_is_given_up(
    wallet: WalletProcess, settings: Any
) -> None:
    make_due([Due("lek")])
    settings.WALLET_SECRET = "an old one"
    report = deliver()
    assert (report.postponed, report.dead) == (1, 0)
    assert "401" in WalletDelivery.objects.get().last_error
    settings.WALLET_SECRET = SECRET
    assert deliver(AT + timedelta(seconds=5)) == DeliveryReport(delivered=1)


def test_a_final_refusal_is_dead_at_once_and_holds_back_that_player_only(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10), Due("lek", 20), Due("noi", 5)])
    wallet.switch_on("refuse_player", player="lek", reason="self-excluded", requests=5)
    assert deliver() == DeliveryReport(delivered=1, dead=1)
    assert states() == [("dead", 1, "refused"), ("waiting", 0, ""), ("delivered", 1, "applied")]
    assert deliver(AT + timedelta(days=2)) == DeliveryReport()
    assert WalletDelivery.objects.first().last_error == "refused: self-excluded (available 100000)"  # type: ignore[union-attr]
    # Put back by a person once the account is open again, it goes first.
    wallet.request("DELETE", "/v1/faults")
    WalletDelivery.objects.filter(status="dead").update(status=DeliveryStatus.WAITING.value, attempts=0)
    assert deliver() == DeliveryReport(delivered=2)
    assert booked(wallet) == [("noi", 1, 5), ("lek", 1, 10), ("lek", 2, 20)]


def test_too_little_money_at_a_table_that_holds_is_dead_and_says_what_is_there(wallet: WalletProcess) -> None:
    make_due([Due("lek", -200, TransactionKind.ADJUSTMENT)])
    GameTable.objects.update(debit_policy="hold")
    wallet.switch_on("short_of_money", player="lek", available_minor=150)
    assert deliver() == DeliveryReport(dead=1)
    row = WalletDelivery.objects.get()
    assert (row.answer, row.last_error) == ("insufficient", "insufficient: not enough money (available 150)")
    assert row.answered_at == AT


def test_a_key_the_wallet_knows_with_another_body_is_dead(wallet: WalletProcess) -> None:
    make_due([Due("lek", 195)])
    player = PlayerIdentity.objects.get().player_id
    wallet.post(
        {"key": f"{ROUND}/1/{player}", "round": ROUND, "revision": 1, "player": "lek", "kind": "credit",
         "amount_minor": 200, "currency": "THB", "bets": ["bet-0"]}
    )  # fmt: skip
    assert deliver() == DeliveryReport(dead=1)
    assert states() == [("dead", 1, "conflict")]


def test_a_player_whose_reference_was_erased_is_a_dead_letter(wallet: WalletProcess) -> None:
    make_due([Due("lek"), Due("noi")])
    PlayerIdentity.objects.filter(reference="lek").delete()
    assert deliver() == DeliveryReport(delivered=1, dead=1)
    assert WalletDelivery.objects.get(status="dead").last_error == "the player's reference was erased"


def test_a_message_the_wallet_stumbles_over_does_not_drag_the_others_down(wallet: WalletProcess) -> None:
    class Stumbling(WalletClient):
        def send(self, messages: Any) -> Any:
            if any(message.player == "p5" for message in messages):
                wallet.switch_on("error_500")
            return super().send(messages)

    make_due([Due(f"p{number}") for number in range(8)])
    with Stumbling(wallet.url, SECRET) as client:
        for seconds in (0, 5):
            report = deliver_due(now=AT + timedelta(seconds=seconds), limit=100, client=client)
            assert (report.postponed, report.delivered) == (8, 0)
        report = deliver_due(now=AT + timedelta(seconds=15), limit=100, client=client)
    assert (report.postponed, report.delivered, report.unreachable) == (1, 7, "")
    assert {row["player"] for row in wallet.booked()} == {f"p{number}" for number in range(8)} - {"p5"}


# --- the shape of the work -------------------------------------------------------------------------


def test_the_number_of_statements_does_not_grow_with_the_messages(wallet: WalletProcess) -> None:
    make_due([Due(f"p{number}") for number in range(402)])
    counts = []
    for limit in (2, 400):
        with CaptureQueriesContext(connection) as captured:
            assert deliver(limit=limit).delivered == limit
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_it_refuses_to_run_inside_a_transaction(wallet: WalletProcess) -> None:
    make_due([Due("lek")])
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        deliver()
    assert wallet.booked() == []
    with pytest.raises(ValueError, match="limit"):
        deliver(limit=0)


def test_no_lock_is_held_while_the_wallet_thinks(wallet: WalletProcess) -> None:
    make_due([Due("lek")])
    wallet.switch_on("timeout", seconds=600)
    worker = threading.Thread(target=_deliver_in_thread, args=(wallet.url,))
    worker.start()
    while wallet.request("GET", "/v1/faults").json()["faults"]:
        assert worker.is_alive()
    with transaction.atomic():
        row = WalletDelivery.objects.select_for_update(nowait=True).get()
        assert (row.status, row.attempts) == ("waiting", 1)
        assert row.leased_until is not None
    wallet.kill()
    worker.join(60)
    assert not worker.is_alive()


def _deliver_in_thread(url: str) -> None:
    try:
        with WalletClient(url, SECRET) as client:
            deliver_due(now=AT, limit=10, client=client)
    finally:
        connection.close()
