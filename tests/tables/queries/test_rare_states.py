"""The few rounds that are not settled are found without passing by the many that are."""

from copy import copy
from typing import Any

import pytest
from django.db import connection

from tables.models import Round
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

#: So many that the planner's choice does not turn on the few rows that other tests left behind.
MANY = 5_000
NUMBERS_OF_A_SHOE = 999


@pytest.mark.parametrize("narrowed", [{}, {"table__code": "B01"}])
def test_a_rare_state_is_read_from_its_own_index(narrowed: dict[str, Any]) -> None:
    fill_with_settled_rounds()
    rare = Round.objects.filter(status="voided", **narrowed).order_by("-betting_opened_at", "-id")
    assert "round_newest_not_settled" in rare[:51].explain()
    often = Round.objects.filter(status="settled", **narrowed).order_by("-betting_opened_at", "-id")
    assert "round_newest_not_settled" not in often[:51].explain()


def fill_with_settled_rounds() -> None:
    """Play one round and note it again and again, as rounds of shoes that followed."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    platform.play("9H 2D KC QS")
    played = Round.objects.select_related("shoe").get()
    shoes = []
    for number in range(MANY // NUMBERS_OF_A_SHOE + 1):
        shoe = copy(played.shoe)
        shoe.pk, shoe.number, shoe.public_id = None, number + 2, f"{shoe.public_id}-{number}"
        shoe.status, shoe.ended_at = "ended", shoe.started_at
        shoe.save(force_insert=True)
        shoes.append(shoe)
    rounds = []
    for place in range(MANY):
        again = copy(played)
        again.pk, again.public_id, again.platform_id = None, f"again-{place}", f"again-{place}"
        again.shoe, again.number = shoes[place // NUMBERS_OF_A_SHOE], place % NUMBERS_OF_A_SHOE + 1
        again.status, again.settled_at = "settled", again.resulted_at
        rounds.append(again)
    Round.objects.bulk_create(rounds)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_round")
