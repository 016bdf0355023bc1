"""What Bluecard says of a real wallet against what that wallet says of itself: drift in both directions."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tables import tasks
from tables.models import (
    JournalEntry,
    Outbox,
    PlayerIdentity,
    Reconciliation,
    TransactionKind,
    WalletDelivery,
    WalletDrift,
)
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.dead_letters import CannotMend
from tables.services.reconciling import reconcile, request_reconciliation
from tables.services.wallet_delivery import deliver_due
from tables.wallet_client import WalletClient
from tests.wallet_process import SECRET, WalletProcess
from tests.wallet_rows import AT, Due, make_due

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log", opening_minor=1_000) as process:
        settings.WALLET_URL = process.url
        settings.WALLET_SECRET = SECRET
        yield process


def clock() -> datetime:
    return AT + timedelta(hours=1)


def compare() -> Reconciliation:
    asked = request_reconciliation(actor=SYSTEM, at=AT)
    found = reconcile(reconciliation_id=asked.pk, clock=clock)
    assert found is not None
    return found


def drift(found: Reconciliation) -> list[tuple[str, str, int | None, int | None]]:
    rows = WalletDrift.objects.filter(reconciliation=found).order_by("kind", "key")
    return [(row.kind, row.key, row.ours_minor, row.theirs_minor) for row in rows]


def key_of(number: int) -> str:
    return str(WalletDelivery.objects.get(pk=number).transaction.key)


def post(wallet: WalletProcess, key: str, player: str, amount: int, kind: str = "adjustment") -> None:
    body = {"round": "R", "revision": 1, "currency": "THB", "bets": []}
    [answer] = wallet.post({"key": key, "player": player, "amount_minor": amount, "kind": kind, **body})
    assert answer["status"] == "applied"


def mark_delivered(*numbers: int) -> None:
    WalletDelivery.objects.filter(pk__in=numbers).update(status="delivered", answer="applied")


def test_where_both_say_the_same_there_is_no_drift(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10), Due("noi", 20), Due("lek", -1_200, TransactionKind.ADJUSTMENT)])
    assert deliver_due(now=AT, limit=10).delivered == 3  # of the debit only 1,010 are there
    found = compare()
    assert (found.state, found.ours_count, found.read_count, found.drift_count) == ("agrees", 3, 3, 0)
    assert found.finished_at == clock()
    entry = JournalEntry.objects.get(action="wallet.compared")
    assert json.loads(bytes(entry.body))["data"] == {"ours": 3, "read": 3, "drift": 0}
    assert Outbox.objects.count() == 0


def test_drift_in_both_directions_is_named(wallet: WalletProcess) -> None:
    lost, dearer, other, given_up, waiting, debit = make_due(
        [Due("lek", 10), Due("noi", 20), Due("ting", 30), Due("som", 40), Due("dao", 50), Due("nok", 60)]
    )
    mark_delivered(lost, dearer, other, debit)
    WalletDelivery.objects.filter(pk=given_up).update(status="dead")
    post(wallet, key_of(dearer), "noi", 21)
    post(wallet, key_of(other), "lek", 30)
    post(wallet, key_of(given_up), "som", 40)
    post(wallet, key_of(waiting), "dao", 50)  # its answer was lost: it will be asked for again
    post(wallet, key_of(debit), "nok", 60)
    post(wallet, "a-gift", "lek", 7)
    found = compare()
    assert (found.state, found.ours_count, found.read_count, found.drift_count) == ("drift", 4, 6, 5)
    assert drift(found) == [
        ("amount", key_of(dearer), 20, 21),
        ("given_up_here", key_of(given_up), None, 40),
        ("missing_there", key_of(lost), 10, None),
        ("player", key_of(other), 30, 30),
        ("unknown_here", "a-gift", None, 7),
    ]


def test_what_was_settled_by_hand_and_booked_all_the_same_is_named(wallet: WalletProcess) -> None:
    [number] = make_due([Due("lek", 10)])
    WalletDelivery.objects.filter(pk=number).update(status="dead")
    WalletDelivery.objects.filter(pk=number).update(status="closed", answer="by_hand")
    assert drift(compare()) == []
    post(wallet, key_of(number), "lek", 10)
    assert drift(compare()) == [("given_up_here", key_of(number), None, 10)]


def test_a_player_whose_reference_was_erased_is_no_drift(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10)])
    deliver_due(now=AT, limit=10)
    PlayerIdentity.objects.all().delete()
    assert compare().state == "agrees"


class Doubling(WalletClient):
    """A wallet whose record has each booking twice."""

    def read_bookings(self, *, after: int, limit: int = 1_000) -> Any:
        bookings, following, more = super().read_bookings(after=after, limit=limit)
        return [*bookings, *bookings], following, more


def test_what_the_wallet_booked_twice_is_named(wallet: WalletProcess) -> None:
    [number] = make_due([Due("lek", 10)])
    deliver_due(now=AT, limit=10)
    asked = request_reconciliation(actor=SYSTEM, at=AT)
    with Doubling(wallet.url, SECRET) as client:
        found = reconcile(reconciliation_id=asked.pk, clock=clock, client=client)
    assert found is not None
    assert drift(found) == [("twice", key_of(number), 10, 20)]


class Delivering(WalletClient):
    """A wallet that takes a message each of the first two times that a page of one is read."""

    left = 2

    def read_bookings(self, *, after: int, limit: int = 1_000) -> Any:
        if self.left:
            self.left -= 1
            assert deliver_due(now=AT, limit=1).delivered == 1
        return super().read_bookings(after=after, limit=1)


def test_what_is_delivered_meanwhile_is_no_drift(wallet: WalletProcess) -> None:
    make_due([Due(f"p{number}") for number in range(4)])
    deliver_due(now=AT, limit=2)
    asked = request_reconciliation(actor=SYSTEM, at=AT)
    with Delivering(wallet.url, SECRET) as client:
        found = reconcile(reconciliation_id=asked.pk, clock=clock, client=client)
    assert found is not None
    assert (found.ours_count, found.read_count, drift(found)) == (2, 4, [])


def test_a_wallet_that_is_away_fails_the_comparison_and_the_next_one_may_come(wallet: WalletProcess) -> None:
    wallet.kill()
    found = compare()
    assert (found.state, found.failure[:12]) == ("failed", "ConnectError")
    assert Outbox.objects.count() == 0
    wallet.start()
    assert compare().state == "agrees"


@pytest.mark.parametrize(
    "page",
    [
        {"transactions": [], "next": 0, "more": True},
        {"transactions": [{"number": 1}], "next": 1, "more": False},
        {"transactions": [{"number": 1, "key": "k", "player": "p", "amount_minor": 1.5, "currency": "THB"}],
         "next": 1, "more": False},
        {"transactions": [{"number": 1, "key": "", "player": "p", "amount_minor": 1, "currency": "THB"}],
         "next": 1, "more": False},
        {"transactions": [{"number": 2**63, "key": "k", "player": "p", "amount_minor": 1, "currency": "THB"}],
         "next": 1, "more": False},
        {"transactions": [{"number": 1, "key": "k", "player": "p", "amount_minor": 10**24,
                           "currency": "THB"}], "next": 1, "more": False},
        {"transactions": [], "next": "1", "more": False},
        [],
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_read_fails_the_comparison(
    page: Any, wallet: WalletProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("httpx.Response.json", lambda _response: page)
    assert compare().state == "failed"


def test_one_comparison_at_a_time(wallet: WalletProcess) -> None:
    asked = request_reconciliation(actor=SYSTEM, at=AT)
    with pytest.raises(CannotMend, match="under way"):
        request_reconciliation(actor=SYSTEM, at=AT)
    tasks.ask_for_reconciliation()
    assert Reconciliation.objects.count() == 1
    held, go_on = threading.Event(), threading.Event()

    class Held(WalletClient):
        def read_bookings(self, *, after: int, limit: int = 1_000) -> Any:
            held.set()
            assert go_on.wait(60)
            return super().read_bookings(after=after, limit=limit)

    def work() -> None:
        try:
            with Held(wallet.url, SECRET) as client:
                reconcile(reconciliation_id=asked.pk, clock=clock, client=client)
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    assert held.wait(60)
    assert reconcile(reconciliation_id=asked.pk, clock=clock) is None
    go_on.set()
    worker.join(60)
    assert Reconciliation.objects.get().state == "agrees"
    assert reconcile(reconciliation_id=asked.pk, clock=clock) is None


def test_after_a_process_died_the_comparison_starts_anew(wallet: WalletProcess) -> None:
    make_due([Due("lek", 10)])
    deliver_due(now=AT, limit=10)
    asked = request_reconciliation(actor=SYSTEM, at=AT)
    Reconciliation.objects.update(started_at=AT, seen_at=AT, read_count=77)
    tasks.reconcile_wallet([asked.pk])
    found = Reconciliation.objects.get()
    assert (found.state, found.read_count) == ("agrees", 1)


def test_who_may_not_is_refused(db: None) -> None:
    with pytest.raises(NotAllowed):
        request_reconciliation(actor=Actor("user", "8", "Pim Wattana"), at=AT)
    assert not Reconciliation.objects.exists()


def test_the_command_names_each_difference_and_ends_with_its_status(wallet: WalletProcess) -> None:
    said = StringIO()
    call_command("reconcile_wallet", stdout=said)
    assert said.getvalue() == "0 delivered here, 0 booked there: all agrees.\n"
    [number] = make_due([Due("lek", 10)])
    mark_delivered(number)
    post(wallet, "a-gift", "lek", 7_000)
    said = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("reconcile_wallet", stdout=said)
    assert end.value.code == 1
    assert said.getvalue().splitlines() == [
        f"{key_of(number)}: we say delivered, the wallet does not know it (ours +10 THB)",
        "a-gift: the wallet booked what Bluecard never wrote (theirs +7,000 THB)",
        "1 delivered here, 1 booked there: 2 differences.",
    ]
    wallet.kill()
    with pytest.raises(CommandError, match="not compared: ConnectError") as refusal:
        call_command("reconcile_wallet")
    assert refusal.value.returncode == 2
