"""Odd input is answered, never with a fault of ours."""

import pytest
from django.urls import reverse

from tables.models import Round
from tests.tables.admin.conftest import ROWS, SignIn

MODELS = [model._meta.model_name for model in ROWS]
ODD_KEYS = [
    "0",
    "-1",
    "999999999999999999999999",
    "abc",
    "1%00",
    "%00",
    "_00",
    "_zz",
    "é",
    "1/2",
    "x" * 300,
    "' OR 1=1",
]
ODD_QUERIES = [
    "q=%00",
    "q=" + "x" * 5000,
    "q=%25%5F%5C",
    "q=%F0%9F%82%A1",
    "p=0",
    "p=999999",
    "p=abc",
    "p=-1",
    "before=abc",
    "before=99999999999999999999",
    "before=%00",
    "status=%00",
    "status=nothing",
    "round=%00",
    "round=99999999999999999999",
    "from=0001-01-01",
    "until=9999-12-31",
    "from=%00",
    "from=1&from=2",
    "all=",
    "o=1.2.3",
    "nosuchfield=1",
    "table__code__regex=(((",
    "e=1",
    "_popup=1",
]


@pytest.mark.parametrize("model", MODELS)
def test_a_record_that_is_none(model: str, played: Round, sign_in: SignIn) -> None:
    client = sign_in("auditor")
    for key in ODD_KEYS:
        assert client.get(f"/admin/tables/{model}/{key}/change/").status_code in (302, 404), key


@pytest.mark.parametrize("model", MODELS)
def test_odd_questions_to_a_list(model: str, played: Round, sign_in: SignIn) -> None:
    client = sign_in("auditor")
    for query in ODD_QUERIES:
        answer = client.get(reverse(f"admin:tables_{model}_changelist") + "?" + query, follow=True)
        assert answer.status_code == 200, query


@pytest.mark.parametrize("query", ["bets=nothing", "bets=%00", "bets=largest&bets=kind", "x=1"])
def test_odd_questions_to_a_round(query: str, played: Round, sign_in: SignIn) -> None:
    url = reverse("admin:tables_round_change", args=[played.pk])
    assert sign_in("auditor").get(f"{url}?{query}").status_code == 200


def test_a_round_is_also_found_by_its_public_id(played: Round, sign_in: SignIn) -> None:
    answer = sign_in("auditor").get(f"/admin/tables/round/{played.public_id}/change/")
    assert played.public_id in answer.content.decode()


def test_the_page_of_nothing_says_so_in_our_words(sign_in: SignIn) -> None:
    answer = sign_in("auditor").get("/admin/tables/round/123456/change/")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()


def test_the_history_of_a_record_is_the_journal(played: Round, sign_in: SignIn) -> None:
    assert sign_in("auditor").get(f"/admin/tables/round/{played.pk}/history/").status_code == 404
