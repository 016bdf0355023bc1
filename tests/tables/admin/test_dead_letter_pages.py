"""Dead letters and receivables as a person sees them, and what a manager can do about a dead letter."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tables.models import JournalEntry, Receivable, ReceivableClosing, TransactionKind, WalletDelivery
from tests.tables.admin.acting import said, text_of
from tests.tables.admin.conftest import SignIn
from tests.wallet_rows import AT, Due, make_due

LIST = "/admin/tables/walletdelivery/"
OWED = "/admin/tables/receivable/"


def give_up(*numbers: int, answer: str = "refused", error: str = "refused: the account is closed") -> None:
    WalletDelivery.objects.filter(pk__in=numbers).update(
        status="dead", attempts=1, answer=answer, last_error=error, answered_at=AT
    )


@pytest.fixture
def letter(db: Any) -> int:
    """Provide a dead credit of 1.95 to P-10482, with two messages behind it."""
    first, *_ = make_due([Due("P-10482", 195), Due("P-10482", 20), Due("P-10482", 30), Due("P-10002", 5)])
    give_up(first)
    return first


def another_manager() -> Client:
    """Sign in somebody else who may mend."""
    user = User.objects.create_user("another", is_staff=True)
    user.groups.add(Group.objects.get(name="manager"))
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return text_of(response)


def test_the_list_says_why_how_much_and_what_waits(letter: int, sign_in: SignIn) -> None:
    text = page(sign_in("manager"), LIST)
    assert "B03-20261129-02-041-K/1/" in text
    for words in ("P-10482", "+1.95", "Refused", "1 row"):
        assert words in text
    assert "P-10002" not in text
    [row] = sign_in("auditor").get(LIST).context["cl"].result_list
    assert row.behind_count == 2


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 3),
        ("?answer=refused", 1),
        ("?answer=insufficient", 1),
        ("?answer=none", 1),
        ("?answer=nonsense", 3),
        ("?table=B03", 3),
        ("?q=P-104", 1),
        ("?q=B03-20261129-02-041", 3),
        ("?q=B04", 0),
        ("?from=2026-11-29&until=2026-11-29", 3),
        ("?from=2026-11-30", 0),
    ],
)
def test_it_is_searched_and_filtered(query: str, found: int, db: Any, sign_in: SignIn) -> None:
    first, second, third, _ = make_due([Due("P-10482"), Due("P-2"), Due("P-3"), Due("P-4")])
    give_up(first)
    give_up(second, answer="insufficient")
    give_up(third, answer="")
    client = sign_in("support")
    assert len(client.get(LIST + query).context["cl"].result_list) == found


@pytest.mark.parametrize(
    ("language", "dead", "owed"),
    [
        ("en", "No message waits for a person", "Nothing is owed"),
        ("th", "ไม่มีข้อความที่รอคนจัดการ", "ไม่มียอดค้างรับ"),
    ],
)
def test_where_nothing_is_there_the_page_says_so(
    language: str, dead: str, owed: str, db: Any, sign_in: SignIn
) -> None:
    client = sign_in("manager")
    client.cookies["django_language"] = language
    assert dead in page(client, LIST)
    assert owed in page(client, OWED)


def test_a_page_says_what_the_wallet_said_and_what_waits_behind(letter: int, sign_in: SignIn) -> None:
    text = page(sign_in("manager"), f"{LIST}{letter}/change/")
    for words in ("Given up", "refused: the account is closed", "2 messages", "+0.20", "+0.30", "Send again"):
        assert words in text


@pytest.mark.parametrize("role", ["supervisor", "support", "auditor"])
def test_who_may_only_look_is_offered_nothing_and_refused(role: str, letter: int, sign_in: SignIn) -> None:
    client = sign_in(role)
    text = page(client, f"{LIST}{letter}/change/")
    assert "Send again" not in text
    for action in ("again", "by-hand", "withdraw"):
        url = f"{LIST}{letter}/do/{action}/"
        assert client.get(url).status_code == 403
        assert client.post(url, {"reason": "because"}).status_code == 403
    assert WalletDelivery.objects.get(pk=letter).status == "dead"


def test_a_manager_sends_it_again(letter: int, sign_in: SignIn) -> None:
    client = sign_in("manager")
    url = f"{LIST}{letter}/do/again/"
    assert "If the wallet is short again" not in page(client, url)
    answer = client.post(url, {"reason": "the account is open again"}, follow=True)
    key = WalletDelivery.objects.get(pk=letter).transaction.key
    assert said(answer) == [f"{key} is on its way again."]
    row = WalletDelivery.objects.get(pk=letter)
    assert (row.status, row.attempts) == ("waiting", 0)
    # The same page once more, from a tab left open: too late, and nothing typed is lost.
    late = client.post(url, {"reason": "and again"})
    assert late.status_code == 400
    assert "This message does not wait for a person any more." in text_of(late)
    assert "and again" in late.content.decode()


def test_a_manager_settles_it_by_hand_with_a_reason(letter: int, sign_in: SignIn) -> None:
    client = sign_in("manager")
    url = f"{LIST}{letter}/do/by-hand/"
    assert client.post(url, {"reason": ""}).status_code == 400
    assert client.post(url, {"reason": "   "}).status_code == 400
    assert WalletDelivery.objects.get(pk=letter).status == "dead"
    answer = client.post(url, {"reason": "paid in cash, slip 17"}, follow=True)
    [message] = said(answer)
    assert message.endswith("is settled by hand: 1.95 THB.")
    assert WalletDelivery.objects.get(pk=letter).status == "closed"
    assert "Settled by hand" in text_of(answer)


@pytest.mark.parametrize(
    ("language", "button", "done"),
    [
        ("en", "Withdraw the statement", "What you said is withdrawn. {} still waits for a person."),
        ("th", "ถอนคำยืนยัน", "ถอนคำยืนยันแล้ว {} ยังรอคนจัดการ"),
    ],
)
def test_who_said_it_and_nobody_else_is_offered_to_withdraw_it(
    language: str, button: str, done: str, db: Any, sign_in: SignIn
) -> None:
    [number] = make_due([Due("P-10482", 5_000_001)])
    give_up(number)
    mine, other = sign_in("manager"), another_manager()
    for client in (mine, other):
        client.cookies["django_language"] = language
    shown, url = f"{LIST}{number}/change/", f"{LIST}{number}/do/withdraw/"
    assert button not in page(mine, shown)
    mine.post(f"{LIST}{number}/do/by-hand/", {"reason": "paid in cash"})
    assert button in page(mine, shown)
    assert button not in page(other, shown)
    refused = other.post(url, {"reason": "not so"})
    assert (refused.status_code, "wallet/other" in text_of(refused)) == (400, True)
    assert mine.post(url, {"reason": " "}).status_code == 400
    assert "Ann B" in page(mine, url)
    answer = mine.post(url, {"reason": "the wrong player"}, follow=True)
    assert said(answer) == [done.format(WalletDelivery.objects.get().transaction.key)]
    assert button not in page(mine, shown)
    assert "Ann B" not in page(other, f"{LIST}{number}/do/by-hand/")
    # The same page once more, from a tab left open.
    late = mine.post(url, {"reason": "once more"})
    assert (late.status_code, "wallet/withdrawn" in text_of(late)) == (400, True)
    assert JournalEntry.objects.filter(action="wallet.by_hand_withdrawn").count() == 1


def test_for_a_debit_that_was_short_the_manager_chooses_how_it_goes_on(db: Any, sign_in: SignIn) -> None:
    [first] = make_due([Due("P-10482", -500, TransactionKind.ADJUSTMENT)])
    give_up(first, answer="insufficient", error="insufficient: not enough money (available 120)")
    client = sign_in("manager")
    url = f"{LIST}{first}/do/again/"
    assert "If the wallet is short again" in page(client, url)
    assert client.post(url, {"reason": "agreed", "policy": "beg"}).status_code == 400
    assert client.post(url, {"reason": "agreed", "policy": "force"}).status_code == 302
    row = WalletDelivery.objects.get(pk=first)
    assert (row.status, row.debit_policy) == ("waiting", "force")


def test_the_menu_counts_what_waits(letter: int, sign_in: SignIn) -> None:
    body = sign_in("manager").get(LIST).content.decode()
    side = body[body.index('id="side"') : body.index("</nav>")]
    entry = side[side.index("/admin/tables/walletdelivery/") :]
    assert ">1<" in entry[: entry.index("</li>")]


def test_the_first_page_names_those_that_wait_longest(letter: int, sign_in: SignIn) -> None:
    text = page(sign_in("manager"), "/admin/")
    assert "Dead letters 1 All B03-20261129-02-041-K/1/" in text
    assert "Refused 2 messages wait behind +1.95 THB" in text
    assert "Dead letters" not in page(sign_in("administrator"), "/admin/")


def owe(*numbers: int) -> None:
    for row in WalletDelivery.objects.filter(pk__in=numbers):
        Receivable.objects.create(
            transaction_id=row.pk, player_id=row.player_id, amount_minor=80, currency="THB", booked_at=AT
        )


def test_receivables_say_what_is_owed_in_all_and_one_by_one(db: Any, sign_in: SignIn) -> None:
    numbers = make_due(
        [Due("P-10482", -500, TransactionKind.ADJUSTMENT), Due("P-2", -80, TransactionKind.ADJUSTMENT)]
    )
    owe(*numbers)
    client = sign_in("auditor")
    text = page(client, OWED)
    assert "In all 1.60 THB." in text
    assert "P-10482" in text
    one = page(client, f"{OWED}{numbers[0]}/change/")
    for words in ("−5.00", "−4.20", "0.80"):
        assert words in one
    assert "0.80" in page(client, f"/admin/tables/wallettransaction/{numbers[0]}/change/")


@pytest.mark.parametrize("url", [LIST, OWED])
def test_twenty_rows_take_as_many_queries_as_one(url: str, db: Any, sign_in: SignIn) -> None:
    numbers = make_due([Due(f"P-{number}") for number in range(20)])
    client = sign_in("manager")
    client.get(url)
    counts = []
    for upto in (1, 20):
        give_up(*numbers[:upto])
        owe(*(number for number in numbers[:upto] if not Receivable.objects.filter(pk=number).exists()))
        with CaptureQueriesContext(connection) as asked:
            response = client.get(url)
        assert len(response.context["cl"].result_list) == upto
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_a_page_takes_as_many_queries_for_many_waiting_as_for_one(db: Any, sign_in: SignIn) -> None:
    numbers = make_due([Due("P-1"), Due("P-1"), Due("P-2"), *(Due("P-2") for _ in range(20))])
    give_up(numbers[0], numbers[2])
    client = sign_in("manager")
    counts = []
    for number in (numbers[0], numbers[0], numbers[2]):
        with CaptureQueriesContext(connection) as asked:
            assert client.get(f"{LIST}{number}/change/").status_code == 200
        counts.append(len(asked))
    assert counts[1] == counts[2]


@pytest.mark.parametrize(
    ("verb", "state", "action"),
    [("paid-back", "Paid back", "paid_back"), ("write-off", "Written off", "written_off")],
)
def test_a_receivable_ends_once_with_a_reason(
    verb: str, state: str, action: str, db: Any, sign_in: SignIn
) -> None:
    numbers = make_due(
        [Due("P-10482", -500, TransactionKind.ADJUSTMENT), Due("P-2", -80, TransactionKind.ADJUSTMENT)]
    )
    owe(*numbers)
    client = sign_in("manager")
    url = f"{OWED}{numbers[0]}/do/{verb}/"
    assert client.post(url, {"reason": "  "}).status_code == 400
    [message] = said(client.post(url, {"reason": "slip 17"}, follow=True))
    assert message.endswith(" any more: 0.80 THB.")
    again = client.post(url, {"reason": "once more"})
    assert (again.status_code, "It has ended already." in text_of(again)) == (400, True)
    text = page(client, OWED)
    assert "In all 0.80 THB." in text and state in text and "Still owed" in text
    assert JournalEntry.objects.filter(action=f"receivable.{action}").count() == 1
    one = client.get(f"{OWED}{numbers[0]}/change/").content.decode()
    assert "/do/paid-back/" not in one


def test_only_who_mends_ends_a_receivable(db: Any, sign_in: SignIn) -> None:
    [number] = make_due([Due("P-10482", -500, TransactionKind.ADJUSTMENT)])
    owe(number)
    client = sign_in("auditor")
    assert "/do/write-off/" not in client.get(f"{OWED}{number}/change/").content.decode()
    assert client.post(f"{OWED}{number}/do/write-off/", {"reason": "x"}).status_code == 403
    assert not ReceivableClosing.objects.exists()
