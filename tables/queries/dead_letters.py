"""Wallet messages that were given up, and what waits behind each."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tables.models import DeliveryStatus, HandStatement, WalletDelivery
from tables.models.wallet import UNFINISHED


def dead_letters() -> QuerySet[WalletDelivery]:
    """Return the messages that wait for a person, each with the number of messages that wait behind it."""
    behind = (
        _unfinished(player=OuterRef("player"), transaction__gt=OuterRef("transaction"))
        .order_by()
        .values("player")
        .annotate(count=Count("pk"))
        .values("count")
    )
    counted = Coalesce(Subquery(behind, output_field=IntegerField()), 0)
    return WalletDelivery.objects.filter(status=DeliveryStatus.DEAD.value).annotate(behind_count=counted)


def waiting_behind(delivery: WalletDelivery) -> QuerySet[WalletDelivery]:
    """Return the player's later messages that wait, in the order in which they will go."""
    later = _unfinished(player=delivery.player_id, transaction__gt=delivery.pk)
    return later.select_related("transaction__settlement__round__table").order_by("pk")


def hand_statements(delivery: WalletDelivery) -> QuerySet[HandStatement]:
    """Return what people said of a message since it was given up: that it is settled by hand.

    What was withdrawn is among it, and does not count.
    """
    if delivery.answered_at is None:
        return HandStatement.objects.none()
    return HandStatement.objects.filter(delivery=delivery, given_up_at=delivery.answered_at)


def _unfinished(**which: Any) -> QuerySet[WalletDelivery]:
    return WalletDelivery.objects.filter(status__in=UNFINISHED, **which)
