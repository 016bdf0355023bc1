"""Comparisons with the wallet as a person sees them, asks for them and follows them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import JournalEntry, Outbox, Reconciliation, WalletDrift
from tests.tables.admin.acting import said, text_of
from tests.tables.admin.conftest import SignIn
from tests.wallet_rows import AT, Due, make_due

LIST = "/admin/tables/reconciliation/"
DRIFT = "/admin/tables/walletdrift/"


@pytest.fixture
def found(db: Any) -> Reconciliation:
    """Provide a finished comparison with two differences."""
    [number] = make_due([Due("P-10482", 195)])
    made = Reconciliation.objects.create(
        asked_by="Nattaya Suksan", asked_at=AT, started_at=AT, finished_at=AT + timedelta(seconds=3),
        ours_count=1_204, read_count=1_203, drift_count=2,
    )  # fmt: skip
    WalletDrift.objects.create(
        reconciliation=made, kind="missing_there", key="B03-20261129-02-041-K/1/7", transaction_id=number,
        ours_minor=195, currency="THB",
    )  # fmt: skip
    WalletDrift.objects.create(
        reconciliation=made, kind="unknown_here", key="a-gift", theirs_minor=-70, currency="THB", number=88
    )
    return made


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["Drift", "We say delivered, the wallet does not know it", "+1.95", "−0.70", "2 differences",
                "The wallet booked what Bluecard never wrote", "1,204", "1,203", "Nattaya Suksan"]),
        ("th", ["มีจุดที่ต่างกัน", "ฝั่งเราว่าส่งแล้ว แต่กระเป๋าเงินไม่รู้จัก", "ต่างกัน 2 จุด", "+1.95"]),
    ],
)  # fmt: skip
def test_a_comparison_names_what_differs(
    language: str, words: list[str], found: Reconciliation, sign_in: SignIn
) -> None:
    client = sign_in("auditor")
    client.cookies["django_language"] = language
    response = client.get(f"{LIST}{found.pk}/change/")
    text = text_of(response)
    for word in words:
        assert word in text
    assert "Refresh" not in response


def test_a_comparison_under_way_shows_how_far_it_is_and_looks_again(db: Any, sign_in: SignIn) -> None:
    made = Reconciliation.objects.create(
        asked_by="Bluecard", asked_at=AT, started_at=AT, seen_at=AT, ours_count=90_000, read_count=41_000
    )
    response = sign_in("auditor").get(f"{LIST}{made.pk}/change/")
    assert response["Refresh"] == "3"
    for words in ("Comparing", "90,000", "41,000"):
        assert words in text_of(response)


def test_a_failed_one_says_why(db: Any, sign_in: SignIn) -> None:
    made = Reconciliation.objects.create(
        asked_by="Bluecard", asked_at=AT, started_at=AT, finished_at=AT, failure="ConnectError: refused"
    )
    assert "ConnectError: refused" in text_of(sign_in("auditor").get(f"{LIST}{made.pk}/change/"))


def test_the_list_of_differences_is_searched_and_filtered(found: Reconciliation, sign_in: SignIn) -> None:
    client = sign_in("auditor")
    for query, count in (
        ("", 2), (f"?reconciliation={found.pk}", 2), ("?reconciliation=999", 0), ("?kind=unknown_here", 1),
        ("?q=a-g", 1), ("?q=B03", 1), ("?q=gift", 0),
    ):  # fmt: skip
        assert len(client.get(DRIFT + query).context["cl"].result_list) == count, query
    one = WalletDrift.objects.get(kind="unknown_here")
    text = text_of(client.get(f"{DRIFT}{one.pk}/change/"))
    for words in ("a-gift", "−0.70", "88"):
        assert words in text


def test_a_manager_asks_for_a_comparison_once_at_a_time(db: Any, sign_in: SignIn) -> None:
    client = sign_in("manager")
    assert "Never compared yet" in text_of(client.get(LIST))
    assert "/do/compare/" in client.get(LIST).content.decode()
    done = client.post(f"{LIST}do/compare/", follow=True)
    assert said(done) == ["The comparison is asked for; this page follows it."]
    made = Reconciliation.objects.get()
    assert (made.state, made.asked_by) == ("waiting", "Ann B")
    assert Outbox.objects.get().bell == "reconcile"
    assert JournalEntry.objects.filter(action="wallet.comparison_asked").count() == 1
    again = client.post(f"{LIST}do/compare/")
    assert again.status_code == 400
    assert "A comparison is under way already." in text_of(again)
    assert Reconciliation.objects.count() == 1


def test_an_auditor_looks_and_asks_for_nothing(found: Reconciliation, sign_in: SignIn) -> None:
    client = sign_in("auditor")
    assert "/do/compare/" not in client.get(LIST).content.decode()
    assert client.post(f"{LIST}do/compare/").status_code == 403
    assert sign_in("support").get(LIST).status_code == 403


@pytest.mark.parametrize("url", [LIST, DRIFT])
def test_twenty_rows_take_as_many_queries_as_one(url: str, db: Any, sign_in: SignIn) -> None:
    client = sign_in("auditor")
    client.get(url)
    counts = []
    for upto in (1, 20):
        for number in range(Reconciliation.objects.count(), upto):
            made = Reconciliation.objects.create(
                asked_by="Bluecard", asked_at=AT, started_at=AT, finished_at=AT + timedelta(hours=number)
            )
            WalletDrift.objects.create(reconciliation=made, kind="amount", key="k", currency="THB")
        with CaptureQueriesContext(connection) as asked:
            response = client.get(url)
        assert len(response.context["cl"].result_list) == upto
        counts.append(len(asked))
    assert counts[0] == counts[1]
