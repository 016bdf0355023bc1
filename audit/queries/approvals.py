"""What stands in the way of approving a ruling, as the database will check it, worked out beforehand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import F, Max, OuterRef, QuerySet, Subquery, Sum

from audit.models import OPEN_STATUSES, Person, Ruling, RulingKind, RulingRound, RulingStatus
from audit.queries.previews import preview
from audit.queries.rulings_in_force import is_overtaken, is_shoe_gone
from tables.models import GameTable, Round, Settlement
from tables.rules.drawing import IllegalCoup

BULK = frozenset({RulingKind.REINSTATE, RulingKind.VOID_RANGE, RulingKind.VOID_SHOE})
ALONE = tuple(
    status.value
    for status in (RulingStatus.APPROVED, RulingStatus.APPLYING, RulingStatus.STOPPED, RulingStatus.APPLIED)
)


@dataclass(frozen=True, slots=True)
class Checks:
    """What an approver must know before deciding; sums in minor units."""

    is_asker: bool
    has_person: bool
    may_decide: bool
    is_unchanged: bool
    is_bulk: bool
    moved_minor: int
    alone_today_minor: int
    second_person_minor: int
    needs_second: bool
    needs_sign_in: bool

    @property
    def can_approve(self) -> bool:
        return (
            self.has_person
            and self.may_decide
            and self.is_unchanged
            and not (self.needs_second and self.is_asker)
        )


def checks_of(ruling: Ruling, user: Any, now: datetime) -> Checks:
    """Work out what stands in the way of this person approving this request now."""
    person = Person.objects.filter(accounts__user=user).first()
    table = ruling.table
    moved = int(ruling.given_minor + ruling.taken_minor)
    alone = _alone_today(person, table, now) if person else 0
    is_bulk = ruling.rounds_count > 1 or RulingKind(ruling.kind) in BULK
    limit = table.second_person_minor
    return Checks(
        is_asker=person is not None and person.pk == ruling.requested_by_person_id,
        has_person=person is not None,
        may_decide=user.has_perm("audit.approve_ruling"),
        is_unchanged=is_unchanged(ruling),
        is_bulk=is_bulk,
        moved_minor=moved,
        alone_today_minor=alone,
        second_person_minor=limit,
        needs_second=is_bulk or moved > limit or alone + moved > limit,
        needs_sign_in=moved > table.sign_in_again_minor,
    )


def takes_second_person(table: GameTable, kind: RulingKind, rounds: int, moved_minor: int) -> bool:
    """Say beforehand whether a ruling of this size takes a second person whoever asks for it."""
    return rounds > 1 or kind in BULK or moved_minor > table.second_person_minor


def _alone_today(person: Person, table: GameTable, now: datetime) -> int:
    """Sum up what a person decided alone since the table's gaming day began."""
    local = now.astimezone(ZoneInfo(table.zone)).replace(tzinfo=None)
    hours = timedelta(hours=table.gaming_day_starts_hour)
    start = (local - hours).replace(hour=0, minute=0, second=0, microsecond=0) + hours
    rulings = Ruling.objects.filter(
        decided_by_person=person,
        requested_by_person=person,
        decided_at__gte=start.replace(tzinfo=ZoneInfo(table.zone)),
        status__in=ALONE,
    )
    sums = rulings.aggregate(given=Sum("given_minor"), taken=Sum("taken_minor"))
    return int((sums["given"] or 0) + (sums["taken"] or 0))


def is_unchanged(ruling: Ruling) -> bool:
    """Say whether the rounds, or the shoe, are still as they were when the ruling was asked for.

    One round is looked at bet by bet. Of many the revisions are compared; approving looks at the bets.
    """
    if is_shoe_gone(ruling):
        return False
    if ruling.rounds_count != 1:
        return not rounds_overtaken(ruling).exists()
    rounds = list(Round.objects.select_related("shoe").filter(ruling_rounds__ruling=ruling))
    try:
        kind = RulingKind(ruling.kind)
        if any(is_overtaken(round_, kind, ruling.facts) for round_ in rounds):
            return False
        now = preview(rounds, kind, ruling.facts, reinstates=ruling.reinstates)
    except (IllegalCoup, ValueError, KeyError):
        return False
    return now.hash == ruling.preview_hash


def rounds_overtaken(ruling: Ruling) -> QuerySet[Any]:
    """Find the rounds of a ruling that have another revision than it was asked for on."""
    newest = (
        Settlement.objects.filter(round=OuterRef("round_id"))
        .order_by()
        .values("round")
        .annotate(last=Max("revision"))
        .values("last")
    )
    rows = RulingRound.objects.filter(ruling=ruling).annotate(newest=Subquery(newest))
    return rows.exclude(newest=None, base_revision=0).exclude(newest__isnull=False, newest=F("base_revision"))


def open_ruling_on(round_: Round) -> Ruling | None:
    """Return the ruling that is open on a round; there is one at most."""
    statuses = [status.value for status in OPEN_STATUSES]
    rows = RulingRound.objects.filter(round=round_, is_open=True, ruling__status__in=statuses)
    row = rows.select_related("ruling").first()
    return row.ruling if row else None
