"""What a day came to, in a few lines."""

from collections.abc import Collection, Iterator

from django.db.models import Count, Max, OuterRef, Q, Subquery, Sum

from casino.demo.house import CURRENCY
from tables.models import Bet, BetStatus, Finding, Hold, Round, RoundStatus, Settlement, Shoe, WalletDelivery


def money(minor: int) -> str:
    """Write a sum of the demo's currency, which has two decimals."""
    whole, rest = divmod(abs(minor), 100)
    return f"{'−' if minor < 0 else ''}{whole:,}.{rest:02} {CURRENCY}"


def summary(codes: Collection[str]) -> Iterator[str]:
    """Yield the lines that sum up everything these tables have played."""
    rounds = Round.objects.filter(table__code__in=codes)
    by_status = dict(rounds.values_list("status").annotate(count=Count("pk")))
    bets = Bet.objects.filter(round__table__code__in=codes)
    taken = dict(bets.values_list("status").annotate(count=Count("pk")))
    yield (
        f"{len(codes)} tables, {Shoe.objects.filter(table__code__in=codes).count()} shoes, "
        f"{sum(by_status.values()):,} rounds, {sum(taken.values()):,} bets"
    )
    refused = taken.get(BetStatus.REFUSED.value, 0)
    yield (
        f"bets: {taken.get(BetStatus.ACCEPTED.value, 0):,} accepted, "
        f"{taken.get(BetStatus.CANCELLED.value, 0):,} cancelled, {refused:,} refused"
    )
    if refused:
        reasons = (
            bets.filter(status=BetStatus.REFUSED.value).values_list("refusal").annotate(count=Count("pk"))
        )
        yield "  refused: " + ", ".join(f"{reason} {count:,}" for reason, count in reasons.order_by("-count"))
    settled = by_status.pop(RoundStatus.SETTLED.value, 0)
    others = ", ".join(f"{count:,} {status}" for status, count in sorted(by_status.items()))
    yield f"rounds: {settled:,} settled" + (f", {others}" if others else "")
    yield from _waiting(codes)
    found = Finding.objects.filter(table__code__in=codes).values_list("code").annotate(count=Count("pk"))
    yield "findings: " + (
        ", ".join(f"{code} {count:,}" for code, count in found.order_by("-count")) or "none"
    )
    yield from _totals(codes)


def _waiting(codes: Collection[str]) -> Iterator[str]:
    held = Hold.objects.filter(round__table__code__in=codes, lifted_at__isnull=True).select_related("round")
    for hold in held.order_by("placed_at")[:10]:
        yield f"  waits: {hold.round.public_id}: {hold.reason}"


def _totals(codes: Collection[str]) -> Iterator[str]:
    newest = Settlement.objects.filter(round=OuterRef("round")).order_by("-revision").values("pk")[:1]
    settlements = Settlement.objects.filter(round__table__code__in=codes, pk=Subquery(newest))
    sums = settlements.aggregate(
        stakes=Sum("stakes_minor"),
        returned=Sum("returned_minor"),
        kept=Sum("kept_minor"),
        last=Max("created_at"),
    )
    if sums["last"] is None:
        return
    stakes, returned, kept = (int(sums[name]) for name in ("stakes", "returned", "kept"))
    yield f"money: {money(stakes)} staked, {money(returned)} returned; the house keeps {money(kept)}"
    deliveries = WalletDelivery.objects.filter(transaction__settlement__round__table__code__in=codes)
    sent = deliveries.aggregate(all=Count("pk"), done=Count("pk", filter=Q(status="delivered")))
    yield f"wallet: {sent['done']:,} of {sent['all']:,} messages delivered"
