"""The few rounds that are not settled are found without passing by the many that are."""

from typing import Any

import pytest
from django.db import connection

from tables.models import Round
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("narrowed", [{}, {"table__code": "B01"}])
def test_a_rare_state_is_read_from_its_own_index(narrowed: dict[str, Any]) -> None:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    for _ in range(30):
        platform.play("9H 2D KC QS")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_round")
        # Thirty rounds are as soon sorted as looked up; only plans that read the order from an index remain.
        for costly_with_millions in ("seqscan", "sort", "incremental_sort"):
            cursor.execute(f"SET LOCAL enable_{costly_with_millions} = off")
    rare = Round.objects.filter(status="voided", **narrowed).order_by("-betting_opened_at", "-id")
    assert "round_newest_not_settled" in rare[:51].explain()
    often = Round.objects.filter(status="settled", **narrowed).order_by("-betting_opened_at", "-id")
    assert "round_newest_not_settled" not in often[:51].explain()
