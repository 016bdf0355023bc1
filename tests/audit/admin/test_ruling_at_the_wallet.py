"""What a ruling's page says of its money at the wallet: through, on the way, given up, still owed."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Ruling, RulingKind
from tables.models import Receivable, Round, WalletDelivery, WalletTransaction
from tests.audit.admin.test_deciding import now
from tests.audit.deciding import ask, rule
from tests.tables.admin.acting import text_of
from tests.tables.playing import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def voided(played: Round, supervisor: User, manager: User) -> Ruling:
    """Provide a void carried out: 300.00 go back to the loser, 100.00 are taken from the winner."""
    return rule(supervisor, manager, RulingKind.VOID_ROUND, [played], at=now())


def said(client: Client, ruling: Ruling) -> str:
    text = text_of(client.get(f"/admin/audit/ruling/{ruling.pk}/change/"))
    start = text.find("At the wallet")
    return text[start : start + 160] if start >= 0 else ""


def debit() -> WalletTransaction:
    return WalletTransaction.objects.get(amount_minor=-10_000)


def test_what_is_on_the_way_is_counted(voided: Ruling, office: Client) -> None:
    assert said(office, voided).startswith("At the wallet 2 messages Through 0 On the way 2 ")


def test_what_the_wallet_has_is_through(voided: Ruling, office: Client) -> None:
    WalletDelivery.objects.filter(transaction__settlement__authority=voided.uuid).update(status="delivered")
    assert said(office, voided).startswith("At the wallet 2 messages Through 2 ")


def test_what_stays_owed_and_what_was_given_up_is_said(voided: Ruling, office: Client) -> None:
    owed = debit()
    WalletDelivery.objects.filter(pk=owed.pk).update(status="delivered", asked_minor=-7_500)
    Receivable.objects.create(
        transaction=owed, player=owed.player, amount_minor=2_500, currency="THB", booked_at=NOON
    )
    credit = WalletDelivery.objects.get(transaction__amount_minor=30_000)
    WalletDelivery.objects.filter(pk=credit.pk).update(status="dead")
    assert said(office, voided).startswith(
        "At the wallet 2 messages Through 1 Given up 1 Still owed 25.00 THB "
    )


def test_a_forced_debit_is_said_to_be_one(voided: Ruling, office: Client) -> None:
    WalletDelivery.objects.filter(pk=debit().pk).update(status="delivered", is_forced=True)
    assert "Taken back, forced 1" in said(office, voided)


def test_before_it_is_carried_out_there_is_nothing_to_say(
    played: Round, supervisor: User, office: Client
) -> None:
    waiting = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    assert said(office, waiting) == ""
