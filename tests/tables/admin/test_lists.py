"""Lists: as many queries for twenty rows as for one, no exact count of many, searched by prefix."""

import re
from typing import Any

import pytest
from django.db import connection, models
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tables.admin import base
from tables.models import Bet, Finding, GameTable, Round, Settlement, Shoe
from tests.tables.admin.conftest import ROWS, SignIn, copy_rows
from tests.tables.playing import Platform, make_table


def list_of(model: type[models.Model], query: str = "") -> str:
    return reverse(f"admin:tables_{model._meta.model_name}_changelist") + query


def rows_shown(response: Any) -> int:
    return len(re.findall(r'<th scope="row">', response.content.decode()))


@pytest.mark.parametrize("model", ROWS, ids=lambda model: model.__name__)
def test_a_list_asks_the_database_as_often_for_twenty_rows_as_for_one(
    model: type[models.Model], played: Round, sign_in: SignIn
) -> None:
    Finding.objects.create(
        table=played.table,
        round=played,
        shoe=played.shoe,
        code="scan_failed",
        may_change_money=False,
        at=played.betting_opened_at,
        found_at=played.betting_opened_at,
    )
    client = sign_in("auditor")
    client.get(list_of(model))  # permissions and content types are cached from here on
    counts = []
    for more in (0, 20):
        if more:
            copy_rows(model, more)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            response = client.get(list_of(model))
        assert response.status_code == 200
        counts.append((rows_shown(response) - model._default_manager.count(), len(asked)))
    assert counts[0] == counts[1]
    assert counts[0][0] == 0  # every row was shown
    assert counts[0][1] <= 10


def test_a_list_never_counts_beyond_its_cap(
    played: Round, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "MOST_COUNTED", 5)
    copy_rows(Bet, 20)
    client = sign_in("auditor")
    with CaptureQueriesContext(connection) as asked:
        page = client.get(list_of(Bet)).content.decode()
    counting = [query["sql"] for query in asked if "COUNT(" in query["sql"]]
    assert counting
    assert all("LIMIT 6" in sql for sql in counting)
    assert "More than 10,000" in page
    assert "23 rows" not in page


def test_what_lies_beyond_the_cap_is_reached_by_going_on_from_the_last_row(
    played: Round, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "MOST_COUNTED", 5)
    monkeypatch.setattr(base.ReadOnlyAdmin, "list_per_page", 5)
    copy_rows(Bet, 12)  # with the three played: fifteen
    client = sign_in("auditor")
    seen: list[str] = []
    url = list_of(Bet)
    for _page in range(3):
        page = client.get(url).content.decode()
        seen += re.findall(r'class="bc-id" href="[^"]*/bet/\d+/[^"]*">([^<]+)<', page)
        older = re.search(r'href="(\?before=\d+)">Older', page)
        url = list_of(Bet) + (older[1] if older else "")
    assert older is None
    expected = [f"copy-{number:02}" for number in range(12, 0, -1)] + ["b3", "b2", "b1"]
    assert sorted(seen[:15]) == sorted(expected)
    assert seen[:12] == expected[:12]


@pytest.mark.parametrize(
    ("model", "text", "found"),
    [
        (Round, "B01-20261129", 1),
        (Round, "b01-20261129", 1),
        (Round, "20261129", 0),
        (Round, "B01-R1", 1),
        (Bet, "b", 3),
        (Bet, "b1", 1),
        (Bet, "B1", 0),
        (Bet, "1", 0),
        (Bet, "%", 0),
        (Bet, "_1", 0),
        (Shoe, "B01", 1),
    ],
)
def test_a_search_finds_what_begins_with_it(
    model: type[models.Model], text: str, found: int, played: Round, sign_in: SignIn
) -> None:
    response = sign_in("auditor").get(list_of(model), {"q": text})
    assert rows_shown(response) == found


def test_searching_rounds_by_prefix_can_use_the_index_of_their_ids(played: Round) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = Round.objects.filter(public_id__startswith="B01-2026").explain()
    assert "round_public_id_once" in plan
    assert "Index Cond" in plan


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?from=2026-11-29&until=2026-11-29", 1),
        ("?from=2026-11-30", 0),
        ("?until=2026-11-28", 0),
        ("?until=2026-11-29", 1),
        ("?table=B01", 1),
        ("?table=B99", 1),  # no such table: no filter
        ("?status=settled", 1),
        ("?status=voided", 0),
        ("?from=yesterday", 0),
        ("?from=2026-02-30", 0),
        ("?from=2026-11-30&until=2026-11-29", 0),
        ("?shoe=999", 0),
        ("?shoe=x", 0),
    ],
)
def test_filters_of_rounds(query: str, found: int, played: Round, sign_in: SignIn) -> None:
    assert rows_shown(sign_in("auditor").get(list_of(Round, query))) == found


def test_a_day_that_is_none_is_told(played: Round, sign_in: SignIn) -> None:
    page = sign_in("auditor").get(list_of(Round, "?from=2026-02-30")).content.decode()
    assert "A day is written year-month-day" in page


def test_an_empty_list_says_what_will_be_there(sign_in: SignIn) -> None:
    page = sign_in("auditor").get(list_of(Round)).content.decode()
    assert "No round has been played yet" in page
    assert "sends that betting has opened" in page


def test_a_list_without_a_match_differs_from_an_empty_one(played: Round, sign_in: SignIn) -> None:
    page = sign_in("auditor").get(list_of(Round), {"q": "ZZZ"}).content.decode()
    assert "Nothing matches" in page
    assert "No round has been played yet" not in page


def test_the_filter_form_keeps_what_a_link_has_set(
    platform: Platform, played: Round, sign_in: SignIn
) -> None:
    page = sign_in("auditor").get(list_of(Bet, f"?round={played.pk}")).content.decode()
    assert f'<input type="hidden" name="round" value="{played.pk}">' in page


def test_sums_of_several_currencies_in_one_list_each_name_theirs(played: Round, sign_in: SignIn) -> None:
    other = Platform(make_table("J01", "insurance", currency="JPY"))
    other.start()
    other.play("9H 2D KC QS", ("j1", "P-20001", "player", 10_000))
    client = sign_in("auditor")
    shown = {model: client.get(list_of(model)).content.decode() for model in (Bet, Settlement, GameTable)}
    sums = {
        Bet: ("100.00", "10,000"),  # b1 of 10,000 satang, and j1 of 10,000 yen
        # The Banker wins 6 to 5: b1 is paid 95.00, b2 and b3 keep 205.00; the Player wins: j1 is paid 10,000.
        Settlement: (">+110.00</span>", ">\N{MINUS SIGN}10,000</span>"),
        GameTable: ("1.00 – 1,000,000.00", "100 – 100,000,000"),
    }
    for model, (baht, yen) in sums.items():
        assert f'{baht} <span class="bc-currency">THB</span>' in shown[model], model
        assert f'{yen} <span class="bc-currency">JPY</span>' in shown[model], model
