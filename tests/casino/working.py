"""Somebody who stands for the worker of the demo, for tests in one transaction."""

from django.db import connection
from django.utils import timezone

from audit.services.applying import apply_next_round, claim_ruling, finish_ruling
from casino.demo.deciding import rulings_under_way
from casino.demo.house import DEMO_TABLES
from casino.demo.settling import rounds_to_settle
from tables.services.settlement import settle_round


def work() -> None:
    """Settle what is dealt and carry out what is approved."""
    for round_ in rounds_to_settle(list(DEMO_TABLES)):
        settle_round(round_id=round_.pk, now=timezone.now())
    for ruling in rulings_under_way(list(DEMO_TABLES)):
        if claim_ruling(ruling_id=ruling.pk, now=timezone.now()):
            while apply_next_round(ruling_id=ruling.pk, now=timezone.now()):
                pass
            finish_ruling(ruling_id=ruling.pk, now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
