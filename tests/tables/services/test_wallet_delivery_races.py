"""Several deliverers at once, and deliverers that die: the money still moves once and in order.

Each race has a twin without what protects it, and the twin goes wrong.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from tables.models import WalletDelivery
from tables.services import wallet_delivery
from tables.services.wallet_delivery import DeliveryReport, deliver_due
from tables.wallet_client import Answer, Message, WalletClient
from tests.wallet_process import ROOT, SECRET, WalletProcess
from tests.wallet_rows import AT, Due, make_due, turn_of

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = "AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())"
LOCK = "FOR NO KEY UPDATE OF d SKIP LOCKED"
IN_ORDER = "AND e.transaction_id < d.transaction_id"


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log") as process:
        settings.WALLET_URL = process.url
        settings.WALLET_SECRET = SECRET
        yield process


class Recording(WalletClient):
    """A client that notes what it sends, and can be stopped on the way to the wallet."""

    def __init__(self, wallet: WalletProcess) -> None:
        super().__init__(wallet.url, SECRET)
        self.sent: list[tuple[str, int]] = []
        self.is_held = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def send(self, messages: Sequence[Message]) -> dict[str, Answer]:
        self.sent += [(message.player, turn_of(message.round)) for message in messages]
        self.is_held.set()
        assert self.go_on.wait(60)
        return super().send(messages)


class Deliverer(threading.Thread):
    """A worker with a database connection of its own."""

    def __init__(self, client: WalletClient) -> None:
        super().__init__()
        self.client = client
        self.reports: list[DeliveryReport] = []

    def run(self) -> None:
        try:
            self.work()
        finally:
            connection.close()

    def work(self) -> None:
        self.reports.append(deliver_due(now=AT, limit=1_000, client=self.client))


class Clock:
    """One clock for all workers, an hour further at each look: what was postponed is due by the next one."""

    def __init__(self) -> None:
        self._hours = count()

    def now(self) -> datetime:
        return AT + timedelta(hours=next(self._hours))


class Untiring(Deliverer):
    """A worker that looks again for as long as a message is on its way, as the sweeper makes one look."""

    def __init__(self, client: WalletClient, clock: Clock) -> None:
        super().__init__(client)
        self.clock = clock

    def work(self) -> None:
        while WalletDelivery.objects.filter(status="waiting").exists():
            self.reports.append(deliver_due(now=self.clock.now(), limit=1_000, client=self.client))


def deliver_while_another_holds(wallet: WalletProcess) -> tuple[Recording, Recording]:
    """Let one worker stop between its claim and the wallet, and a second one do its whole work meanwhile."""
    with Recording(wallet) as slow, Recording(wallet) as quick:
        slow.go_on.clear()
        held = Deliverer(slow)
        held.start()
        assert slow.is_held.wait(60)
        second = Deliverer(quick)
        second.start()
        second.join(60)
        slow.go_on.set()
        held.join(60)
        assert (len(held.reports), len(second.reports)) == (1, 1)
    return slow, quick


def without(monkeypatch: pytest.MonkeyPatch, condition: str) -> None:
    """Take a condition out of the claim."""
    assert condition in wallet_delivery._CLAIM
    monkeypatch.setattr(wallet_delivery, "_CLAIM", wallet_delivery._CLAIM.replace(condition, ""))


def test_what_one_worker_holds_no_other_sends(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10), Due("lek", 20), Due("noi", 5)])
    slow, quick = deliver_while_another_holds(wallet)
    assert quick.sent == []
    assert slow.sent == [("lek", 1), ("noi", 1), ("lek", 2)]


def test_twin_without_the_lease_two_workers_send_the_same(
    wallet: WalletProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, LEASE)
    make_due([Due("lek", 10), Due("noi", 5)])
    slow, quick = deliver_while_another_holds(wallet)
    assert quick.sent == slow.sent == [("lek", 1), ("noi", 1)]
    # Even then the money moves once: the key sees to that.
    assert wallet.money("lek") == 100_010


def is_one_waiting(owner: psycopg.Connection) -> bool:
    """Say whether a session of this database waits for another one's lock."""
    found = owner.execute(
        "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = %s",
        [owner.info.dbname],
    )
    return found.fetchone() is not None


def claim_while_another_claims(wallet: WalletProcess, owner: psycopg.Connection) -> Recording:
    """Let a worker claim while another one's claim is made but not committed yet."""
    with Recording(wallet) as client:
        worker = Deliverer(client)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(wallet_delivery._CLAIM, {"now": AT, "room": 10, "lease": 120})
            assert len(cursor.fetchall()) == 1
            worker.start()
            # Passes by what is locked, and is through; or waits for it, until this transaction is over.
            while worker.is_alive() and not is_one_waiting(owner):
                worker.join(0.01)
        worker.join(60)
        assert not worker.is_alive()
    return client


def test_two_claims_at_once_take_a_message_once(
    wallet: WalletProcess, owner_connection: psycopg.Connection
) -> None:
    make_due([Due("lek")])
    assert claim_while_another_claims(wallet, owner_connection).sent == []


def test_twin_without_the_lock_two_claims_at_once_take_a_message_twice(
    wallet: WalletProcess, monkeypatch: pytest.MonkeyPatch, owner_connection: psycopg.Connection
) -> None:
    without(monkeypatch, LOCK)
    make_due([Due("lek")])
    assert claim_while_another_claims(wallet, owner_connection).sent == [("lek", 1)]


def test_a_later_message_waits_behind_a_dead_one_that_was_claimed_by_another(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10), Due("lek", 20)])
    wallet.switch_on("refuse_player", player="lek", requests=1)
    deliver_while_another_holds(wallet)
    assert wallet.booked() == []


def test_twin_without_the_order_a_later_message_is_paid_before_an_earlier_one(
    wallet: WalletProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, IN_ORDER)
    monkeypatch.setattr(
        wallet_delivery, "_CLAIM", wallet_delivery._CLAIM.replace("e.status IN ('waiting', 'dead')", "false")
    )
    make_due([Due("lek", 10), Due("lek", 20)])
    wallet.switch_on("refuse_player", player="lek", requests=1)
    first, second = WalletDelivery.objects.order_by("pk").values_list("pk", flat=True)
    WalletDelivery.objects.filter(pk=second).update(due_at=AT + timedelta(hours=1))
    deliver_due(now=AT, limit=10)
    deliver_due(now=AT + timedelta(hours=1), limit=10)
    assert WalletDelivery.objects.get(pk=first).status == "dead"
    assert [turn_of(row["round"]) for row in wallet.booked()] == [2]


def test_four_workers_and_a_bad_wallet_pay_everyone_once_and_in_order(wallet: WalletProcess) -> None:
    players, each = 30, 5
    due = [Due(f"p{number:02}", 1 + turn) for turn in range(each) for number in range(players)]
    make_due(due)
    order = random.Random(7)
    for _ in range(12):
        wallet.switch_on(order.choice(["lose_answer", "error_500", "answer_twice"]))
    clock = Clock()
    workers = [Untiring(WalletClient(wallet.url, SECRET), clock) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
        assert not worker.is_alive()
        worker.client.close()
    # Five turns take five good answers, and only four of the twelve faults give one: all of them were met.
    assert wallet.request("GET", "/v1/faults").json()["faults"] == []
    assert Counter(WalletDelivery.objects.values_list("status", flat=True)) == {"delivered": 150}
    paid: dict[str, list[int]] = {}
    for row in wallet.booked():
        paid.setdefault(row["player"], []).append(row["amount_minor"])
    assert paid == {f"p{number:02}": [1, 2, 3, 4, 5] for number in range(players)}
    assert wallet.money("p00") == 100_015


# --- a lease that ran out --------------------------------------------------------------------------


def let_leases_run_out() -> int:
    return WalletDelivery.objects.filter(leased_until__isnull=False).update(
        leased_until=AT - timedelta(days=1)
    )


def test_a_worker_that_was_too_slow_changes_nothing_but_what_the_wallet_confirms(
    wallet: WalletProcess,
) -> None:
    make_due([Due("lek", 10)])
    wallet.switch_on("refuse_player", player="lek", requests=1)
    with Recording(wallet) as slow:
        slow.go_on.clear()
        held = Deliverer(slow)
        held.start()
        assert slow.is_held.wait(60)
        assert let_leases_run_out() == 1
        # The second worker takes over and is told "refused": a dead letter, by the one who holds the lease.
        assert deliver_due(now=AT, limit=10).dead == 1
        slow.go_on.set()
        held.join(60)
    # The first one was told "applied" after all. That is the truth, whoever brings it.
    row = WalletDelivery.objects.get()
    assert (row.status, row.attempts, row.answer, row.last_error) == ("delivered", 2, "applied", "")


def test_the_first_word_that_a_message_is_delivered_stands(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10)])
    with Recording(wallet) as slow:
        slow.go_on.clear()
        held = Deliverer(slow)
        held.start()
        assert slow.is_held.wait(60)
        let_leases_run_out()
        assert deliver_due(now=AT, limit=10) == DeliveryReport(delivered=1)
        slow.go_on.set()
        held.join(60)
    row = WalletDelivery.objects.get()
    assert (row.status, row.attempts, row.answer) == ("delivered", 2, "applied")
    assert wallet.money("lek") == 100_010


def test_a_failure_of_a_worker_that_lost_its_lease_is_not_written_down(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10)])
    with Recording(wallet) as slow, Recording(wallet) as quick:
        slow.go_on.clear()
        held = Deliverer(slow)
        held.start()
        assert slow.is_held.wait(60)
        let_leases_run_out()
        quick.go_on.clear()
        second = Deliverer(quick)
        second.start()
        assert quick.is_held.wait(60)
        wallet.switch_on("refuse_player", player="lek", requests=1)
        slow.go_on.set()
        held.join(60)
        assert held.reports[0].dead == 1
        row = WalletDelivery.objects.get()
        assert (row.status, row.attempts, row.last_error) == ("waiting", 2, "")
        quick.go_on.set()
        second.join(60)
    assert WalletDelivery.objects.get().status == "delivered"


DIE = """
import os, signal
import django
django.setup()
from datetime import datetime
from tables.services import wallet_delivery
def die(*arguments, **names):
    os.kill(os.getpid(), signal.SIGKILL)
{point} = die
wallet_delivery.deliver_due(now=datetime.fromisoformat({now!r}), limit=100)
"""


@pytest.mark.parametrize(
    ("point", "paid_before", "answer"),
    [
        ("wallet_delivery._send", 0, "applied"),
        ("wallet_delivery._write_down", 3, "duplicate"),
    ],
    ids=["after the claim", "between the wallet's answer and the database"],
)
def test_after_kill_9_of_the_deliverer_everyone_is_paid_once(
    wallet: WalletProcess, product_environment: dict[str, str], point: str, paid_before: int, answer: str
) -> None:
    make_due([Due("lek"), Due("noi"), Due("ting")])
    environment = {**product_environment, "WALLET_URL": wallet.url, "WALLET_SECRET": SECRET}
    program = DIE.format(point=point, now=AT.isoformat())
    died = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=False, timeout=60)
    assert died.returncode == -9
    assert len(wallet.booked()) == paid_before
    # Nobody else takes the messages before the lease has run out.
    assert deliver_due(now=AT, limit=100) == DeliveryReport()
    assert let_leases_run_out() == 3
    assert deliver_due(now=AT, limit=100) == DeliveryReport(delivered=3)
    rows = WalletDelivery.objects.values_list("status", "attempts", "answer")
    assert list(rows) == [("delivered", 2, answer)] * 3
    assert [row["player"] for row in wallet.booked()] == ["lek", "noi", "ting"]


def test_after_kill_9_of_the_wallet_everyone_is_paid_once(wallet: WalletProcess) -> None:
    make_due([Due(f"p{number}", 7) for number in range(30)])
    wallet.switch_on("lose_answer")
    deliver_due(now=AT, limit=100)
    wallet.kill()
    assert deliver_due(now=AT + timedelta(minutes=1), limit=100).unreachable != ""
    wallet.start()
    assert deliver_due(now=AT + timedelta(minutes=2), limit=100) == DeliveryReport(delivered=30)
    assert len(wallet.booked()) == 30
    assert wallet.money("p29") == 100_007
