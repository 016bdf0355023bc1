"""Everything the page of a ruling shows besides its money."""

from dataclasses import dataclass

from django.db.models import Count, Max, Min, Q, Sum

from audit.models import (
    Notice,
    Ruling,
    RulingKind,
    RulingRound,
    RulingRoundStatus,
    TableDecision,
)
from audit.queries.rulings_in_force import texts_of
from tables.models import Deal, DealStatus, Hold

ROUNDS_SHOWN = 50
TOLD_SHOWN = 20
FAILING_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a ruling was carried out; sums in minor units."""

    rounds: int
    rounds_done: int
    rounds_done_lately: int  # since it was started or let go on
    bets: int
    bets_done: int
    moved_minor: int  # given and taken together, of the rounds done
    first: int | None
    last: int | None
    before_minor: int
    after_minor: int

    @property
    def percent(self) -> int:
        return 100 * self.rounds_done // self.rounds if self.rounds else 0

    def seconds_left(self, seconds_so_far: float) -> int | None:
        """Guess how long the rest takes at the pace since the last pause; None before there is one."""
        if not self.rounds_done_lately or self.rounds_done == self.rounds or seconds_so_far <= 0:
            return None
        return round(seconds_so_far / self.rounds_done_lately * (self.rounds - self.rounds_done))


def progress_of(ruling: Ruling) -> Progress:
    """Sum up the rounds of a ruling in one query."""
    done = Q(status=RulingRoundStatus.APPLIED.value)
    row = RulingRound.objects.filter(ruling=ruling).aggregate(
        rounds=Count("id"),
        rounds_done=Count("id", filter=done),
        rounds_done_lately=Count(
            "id", filter=done & Q(applied_at__gte=ruling.going_since or ruling.requested_at)
        ),
        bets=Sum("bets_count"),
        bets_done=Sum("bets_count", filter=done),
        given=Sum("given_minor", filter=done),
        taken=Sum("taken_minor", filter=done),
        first=Min("round__number"),
        last=Max("round__number"),
        before=Sum("before_minor"),
        after=Sum("after_minor"),
    )
    return Progress(
        rounds=row["rounds"],
        rounds_done=row["rounds_done"],
        rounds_done_lately=row["rounds_done_lately"],
        bets=int(row["bets"] or 0),
        bets_done=int(row["bets_done"] or 0),
        moved_minor=int((row["given"] or 0) + (row["taken"] or 0)),
        first=row["first"],
        last=row["last"],
        before_minor=int(row["before"] or 0),
        after_minor=int(row["after"] or 0),
    )


def rounds_of(ruling: Ruling, page: int) -> list[RulingRound]:
    """Read a page of a ruling's rounds as they were played, and one more where there are more."""
    start = (page - 1) * ROUNDS_SHOWN
    rows = ruling.rounds.select_related("round__table", "round__shoe", "round__rulebook", "round__dealer")
    return list(rows.order_by("round__number", "pk")[start : start + ROUNDS_SHOWN + 1])


def told_of(ruling: Ruling, page: int) -> list[TableDecision]:
    """Read a page of what the table was told, the newest last, and one more where there are more."""
    start = (page - 1) * TOLD_SHOWN
    rows = TableDecision.objects.filter(ruling=ruling).select_related("round", "shoe")
    return list(rows.order_by("pk")[start : start + TOLD_SHOWN + 1])


def notices_of(ruling: Ruling, limit: int = 3) -> tuple[int, list[Notice]]:
    """Count the players who were told of a ruling, and read a few of their notices."""
    rows = Notice.objects.filter(ruling=ruling).select_related("player__identity", "round__table")
    return rows.count(), list(rows.order_by("pk")[:limit])


def failing_of(ruling: Ruling) -> list[RulingRound]:
    """List the rounds of a ruling that wait because they failed, the worst first."""
    rows = ruling.rounds.filter(status=RulingRoundStatus.WAITING.value, failures__gt=0)
    return list(rows.select_related("round").order_by("-failures", "pk")[:FAILING_SHOWN])


def cards_of(ruling: Ruling, row: RulingRound) -> tuple[dict[str, str], dict[str, str] | None]:
    """Return the cards a ruling was asked for on, and those it puts in their place, both by place.

    The second is None where no card moves.
    """
    if ruling.kind == RulingKind.CORRECT:
        return dict(ruling.facts["before"]), dict(ruling.facts["cards"])
    undone = ruling.reinstates
    if ruling.kind == RulingKind.REINSTATE and undone is not None and undone.kind == RulingKind.CORRECT:
        return dict(undone.facts["cards"]), dict(undone.facts["before"])
    deals = Deal.objects.filter(round=row.round_id)
    number = ruling.facts.get("deal")
    deal = (
        deals.filter(number=number).first() if number else deals.filter(status=DealStatus.LIVE.value).first()
    )
    return texts_of(deal), None


def open_hold_of(ruling: Ruling) -> Hold | None:
    """Return the oldest hold that is open on a round of a ruling."""
    holds = Hold.objects.filter(round__ruling_rounds__ruling=ruling, lifted_at__isnull=True)
    return holds.order_by("placed_at").first()
