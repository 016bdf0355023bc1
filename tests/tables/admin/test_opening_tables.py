"""The pages on which a table is opened and closed, and single bets get limits of their own."""

import pytest

from tables.models import GameTable, Hold
from tests.tables.admin.acting import check_refusal, said, text_of, url_of
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db


def test_a_manager_closes_a_table_and_opens_it_again(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("manager")
    done = client.post(url_of(table, "close"), {"reason": "lamp broke"}, follow=True)
    assert said(done) == ["Table B01 is closed."]
    assert "Closed" in text_of(done)
    done = client.post(url_of(table, "open"), {"reason": "lamp is new"}, follow=True)
    assert said(done) == ["Table B01 is open."]
    assert GameTable.objects.get().status == "open"


def test_a_supervisor_closes_by_a_fault(platform: Platform, sign_in: SignIn) -> None:
    platform.open_round()
    client = sign_in("supervisor")
    typed = {"reason": "camera dark", "by_fault": "on"}
    done = client.post(url_of(platform.table, "close"), typed, follow=True)
    assert said(done) == ["Table B01 is closed by a fault."]
    assert Hold.objects.get().reason == "system_failure"


def test_a_reason_is_wanted(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("manager")
    check_refusal(
        client, table, "close", {"reason": ""}, "Reason", "form/required", "This field is required."
    )
    typed = {"reason": "again"}
    check_refusal(client, table, "open", typed, "", "table/status", "The table is in that state already.")
    assert GameTable.objects.get().status == "open"


def test_single_bets_get_limits_of_their_own(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("administrator")
    typed = {"bet_tie": "10 – 5,000", "bet_big": "1-2.50", "bet_small": ""}
    done = client.post(url_of(table, "bet-limits"), typed, follow=True)
    assert said(done) == ["B01: limits of their own have Big, Tie."]
    assert GameTable.objects.get().bet_limits == {"big": [100, 250], "tie": [1000, 500_000]}
    page = client.get(url_of(table, "bet-limits"))
    assert page.context["form"]["bet_tie"].value() == "10.00 – 5,000.00"
    client.post(url_of(table, "bet-limits"), {})
    assert GameTable.objects.get().bet_limits == {}


@pytest.mark.parametrize(
    ("typed", "rule", "words"),
    [
        ("5000", "money/form", "is not a lowest and a highest stake"),
        ("1 – 2 – 3", "money/form", "is not a lowest and a highest stake"),
        ("a – b", "money/form", "is no sum of THB"),
        ("20 – 10", "table/limits", "from 2000 to 1000 is no range"),
        ("0 – 10", "table/limits", "from 0 to 1000 is no range"),
        ("1 – 99999999999999", "table/limits", "is no range"),
    ],
)
def test_limits_of_a_bet_that_will_not_do_are_named(
    typed: str, rule: str, words: str, table: GameTable, sign_in: SignIn
) -> None:
    client = sign_in("administrator")
    check_refusal(client, table, "bet-limits", {"bet_tie": typed}, "Tie", rule, words)
    assert GameTable.objects.get().bet_limits == {}


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "x" * 5000, " ", "\n"])
def test_odd_reasons_are_answered(odd: str, table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("manager")
    for action in ("open", "close"):
        assert client.post(url_of(table, action), {"reason": odd, "by_fault": odd}).status_code == 400
    assert GameTable.objects.get().status == "open"


@pytest.mark.parametrize("odd", ["\x00", "é", "x" * 5000, "-1", "1e400 – 2", "NaN – 2", "9" * 60, "-"])
def test_odd_limits_are_answered(odd: str, table: GameTable, sign_in: SignIn) -> None:
    assert sign_in("administrator").post(url_of(table, "bet-limits"), {"bet_tie": odd}).status_code == 400
    assert GameTable.objects.get().bet_limits == {}
