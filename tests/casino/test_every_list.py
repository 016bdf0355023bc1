"""Every list can be searched and narrowed, or its code says why not, and teaches while it is empty."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client

from casino.admin_site import MENU
from tables.admin.base import ReadOnlyAdmin
from tests.audit.deciding import make_user

OURS: list[Any] = [page for page in admin.site._registry.values() if isinstance(page, ReadOnlyAdmin)]
LISTED = [page for page in OURS if not page.no_list_because]


def name_of(page: Any) -> str:
    return str(page.model.__name__)


def test_nothing_is_registered_that_is_not_ours() -> None:
    assert [name_of(page) for page in admin.site._registry.values() if page not in OURS] == []
    assert {name_of(page) for page in OURS if page.no_list_because} == {"Attachment", "Checkpoint"}


@pytest.mark.parametrize("page", LISTED, ids=name_of)
def test_a_list_is_searched_and_narrowed_or_says_why_not(page: Any) -> None:
    assert bool(page.prefix_fields) is not bool(page.no_search_because)
    assert bool(page.list_filter) is not bool(page.no_filter_because)


@pytest.mark.parametrize("page", LISTED, ids=name_of)
def test_a_list_pages_and_teaches_while_it_is_empty(page: Any) -> None:
    assert page.list_per_page == 50
    assert page.show_full_result_count is False
    assert str(page.empty_heading) != str(ReadOnlyAdmin.empty_heading)
    assert len(str(page.empty_words)) > 20


@pytest.mark.django_db
@pytest.mark.parametrize("page", LISTED, ids=name_of)
def test_a_search_for_anything_is_answered(page: Any) -> None:
    app, model = page.opts.app_label, page.opts.model_name
    client = Client()
    client.force_login(make_user("auditor", f"{app}.view_{model}"))
    for text in ("x", "B01", "123", "9" * 30, "%", "\N{GREEK SMALL LETTER ALPHA}"):
        answer = client.get(f"/admin/{app}/{model}/", {"q": text})
        assert answer.status_code == 200, text
        assert "Nothing matches" in answer.content.decode() or model in ("user", "reconciliation"), text


def test_every_list_but_what_is_reached_from_elsewhere_is_in_the_menu() -> None:
    linked = {str(item["link"]) for group in MENU for item in group["items"]}
    missing = [
        name_of(page)
        for page in LISTED
        if f"/admin/{page.opts.app_label}/{page.opts.model_name}/" not in linked
    ]
    assert missing == ["WalletDrift"]  # from the comparison that found it
