"""What is owed to the house: the claims booked where the wallet was short."""

from django.db.models import Sum

from tables.models import Receivable


def owed_by_currency() -> list[tuple[str, int]]:
    """Return the sum still owed in each currency, in minor units."""
    sums = (
        Receivable.objects.filter(closing__isnull=True)
        .order_by()
        .values("currency")
        .annotate(owed=Sum("amount_minor"))
    )
    return [(row["currency"], int(row["owed"])) for row in sums.order_by("currency")]
