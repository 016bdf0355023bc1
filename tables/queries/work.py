"""What the programs behind the pages still have to do, and what lies on every table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber

from tables.models import GameTable, Hold, Round

#: Whether ten thousand wait or a million is the same to whoever looks, but not to the database.
MOST_COUNTED: Final = 10_000
BEADS_SHOWN: Final = 8

_WAITING: Final = """
SELECT (SELECT count(*) FROM (
        SELECT FROM tables_round r WHERE status = 'resulted'
            AND NOT EXISTS (SELECT FROM tables_hold h WHERE h.round_id = r.id AND h.lifted_at IS NULL)
        LIMIT %(most)s) rounds),
    (SELECT count(*) FROM (
        SELECT FROM tables_walletdelivery WHERE status = 'waiting' LIMIT %(most)s) messages),
    run.id, run.read_count, run.ours_count
FROM (SELECT) one LEFT JOIN tables_reconciliation run ON run.finished_at IS NULL
"""


class WorkWaiting(NamedTuple):
    """Counts up to `MOST_COUNTED` + 1, and the one comparison with the wallet under way, if any."""

    rounds_to_settle: int
    messages_on_the_way: int
    reconciliation_id: int | None = None
    read_count: int | None = None
    ours_count: int | None = None


class LastBead(NamedTuple):
    """How a round of the shoe on a table ended."""

    number: int
    outcome: str
    is_void: bool


def work_waiting() -> WorkWaiting:
    """Read in one query what waits for the worker and the wallet, and what is compared with the wallet."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, {"most": MOST_COUNTED + 1})
        return WorkWaiting(*cursor.fetchone())


def tables_now() -> QuerySet[GameTable]:
    """Return the tables with what lies on each, and whether its round is held."""
    held = Hold.objects.filter(round=OuterRef("state__round"), lifted_at__isnull=True)
    found = GameTable.objects.select_related("state__shoe", "state__round", "state__dealer")
    return found.annotate(is_held=Exists(held)).order_by("code")


def last_beads(shoe_ids: Iterable[int]) -> dict[int, list[LastBead]]:
    """Return the last rounds of each shoe that ended, the newest last, in one query."""
    place = Window(RowNumber(), partition_by=F("shoe_id"), order_by=F("number").desc())
    ended = Round.objects.filter(shoe_id__in=list(shoe_ids), outcome__isnull=False)
    newest = ended.annotate(place=place).filter(place__lte=BEADS_SHOWN).order_by("shoe_id", "number")
    found: dict[int, list[LastBead]] = {}
    for shoe_id, number, outcome, status in newest.values_list("shoe_id", "number", "outcome", "status"):
        found.setdefault(shoe_id, []).append(LastBead(number, outcome or "", status == "voided"))
    return found
