"""Pages of decisions beside the walk itself: nothing overlaps, nothing is cut off, axe finds nothing."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from audit.models import ChangeKind
from audit.services.setup_changes import request_change
from tables.models import GameTable, Round
from tables.services.actors import Actor
from tests.browser.walks import TWO_LOOKS, Open, check, void
from tests.tables.playing import Platform

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_the_revisions_of_a_round_stand_side_by_side(
    width: int, language: str, swapped: Round, open_as: Open
) -> None:
    void(swapped)
    page = open_as(f"/admin/tables/round/{swapped.pk}/change/", "manager", width=width, language=language)
    page.locator(".bc-banner.is-corrected a.bc-button").click()
    expect(page.locator(".bc-history .is-changed")).to_have_count(3)
    check(page)


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_a_threshold_is_changed_by_two_persons(
    width: int, language: str, platform: Platform, open_as: Open
) -> None:
    user = User.objects.get(username="administrator")
    desk = open_as(
        f"/admin/audit/setupchange/ask/thresholds/?table={platform.table.pk}",
        "administrator",
        width=width,
        language=language,
    )
    check(desk)
    desk.fill("[name=second]", "80,000.00")
    desk.fill("[name=reason]", "stakes have doubled")
    desk.locator("form.bc-action button.bc-button-main").click()
    desk.wait_for_url("**/setupchange/*/change/")
    check(desk)
    change = request_change(
        kind=ChangeKind.PERSON_LINK,
        payload={"user": user.pk, "name": "Rung Thongdee the younger"},
        reason="married",
        user=user,
        actor=Actor.of_user(user),
        at=datetime.now(UTC),
    )
    office = open_as("/admin/", "manager", width=width, language=language)
    expect(office.locator("#changes-heading")).to_be_visible()
    check(office)
    office.goto(office.url.split("/admin/")[0] + "/admin/audit/setupchange/?status=requested")
    expect(office.locator("tbody tr")).to_have_count(2)
    check(office)
    office.locator(f"a[href='/admin/audit/setupchange/{change.pk - 1}/change/']").click()
    office.fill("#reason", "agreed")
    office.locator("form[action$='/approve/'] button.bc-button-main").click()
    expect(office.locator("form[action$='/approve/']")).to_have_count(0)
    check(office)
    assert GameTable.objects.get(pk=platform.table.pk).second_person_minor == 8_000_000
