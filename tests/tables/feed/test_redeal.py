"""A round that is dealt again: by order of somebody who may, or by the table alone."""

from uuid import UUID

import pytest

from tables.models import Deal, DealStatus, Finding, Hold
from tests.tables.playing import NOON, Platform, cards_of, make_table

pytestmark = pytest.mark.django_db

AUTHORITY = UUID("7d0e8f4c-2f0b-4f0e-9c55-3b1f6a4d2c10")


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def name(platform: Platform) -> str:
    """Provide a round in play with a bet and two cards."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    platform.say("card", round=name, place="B1", card="2D")
    return name


def order_second_deal(platform: Platform, name: str) -> Deal:
    """Do to the deals what a decision does."""
    round_ = platform.round(name)
    Deal.objects.filter(round=round_).update(status=DealStatus.DEAD.value, died_at=NOON)
    return Deal.objects.create(round=round_, number=2, started_at=NOON, authority=AUTHORITY)


def test_a_second_deal_that_was_ordered_begins_without_a_finding(platform: Platform, name: str) -> None:
    ordered = order_second_deal(platform, name)
    assert platform.say("redeal_started", round=name, decision="R-0001").status == "accepted"
    deals = Deal.objects.filter(round__platform_id=name).order_by("number")
    assert [(deal.number, deal.status, deal.authority) for deal in deals] == [
        (1, "dead", None),
        (2, "live", AUTHORITY),
    ]
    assert not Finding.objects.exists()
    assert not Hold.objects.exists()
    platform.deal(name, "2D 9H QS KC", bell=False)
    assert cards_of(ordered) == {"P1": "2D", "B1": "9H", "P2": "QS", "B2": "KC"}
    assert platform.round(name).outcome == "banker"


def test_saying_it_twice_starts_no_third_deal(platform: Platform, name: str) -> None:
    order_second_deal(platform, name)
    for _ in range(2):
        assert platform.say("redeal_started", round=name, decision="R-0001").status == "accepted"
    assert Deal.objects.filter(round__platform_id=name).count() == 2
    assert not Finding.objects.exists()


def test_once_a_card_of_it_lies_another_deal_was_ordered_by_nobody(platform: Platform, name: str) -> None:
    order_second_deal(platform, name)
    platform.say("card", round=name, place="P1", card="2D")
    assert platform.say("redeal_started", round=name, decision="R-0001").status == "accepted"
    assert [deal.authority for deal in Deal.objects.filter(status=DealStatus.LIVE.value)] == [None]
    assert [finding.code for finding in Finding.objects.all()] == ["redeal_without_decision"]


def test_a_table_that_deals_again_by_itself_is_found_and_held(platform: Platform, name: str) -> None:
    """Naming a decision does not make one."""
    assert platform.say("redeal_started", round=name, decision="R-0001").status == "accepted"
    assert [hold.reason for hold in Hold.objects.filter(lifted_at=None)] == ["redeal_without_decision"]
    assert [deal.number for deal in Deal.objects.filter(status=DealStatus.LIVE.value)] == [2]
