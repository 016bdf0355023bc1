"""Dead letters, receivables and comparisons at two widths, light and dark, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from tables.models import Receivable, Reconciliation, WalletDelivery, WalletDrift, WalletTransaction
from tests.browser.measures import scrolling_tables_in
from tests.browser.scene import STARTED, Scene
from tests.browser.test_pages import check

pytestmark = pytest.mark.browser

Look = Callable[..., Page]
LATER = STARTED + timedelta(hours=2)
WHY = [
    ("refused", "refused: the account is closed since yesterday (available 1204500)"),
    ("insufficient", "insufficient: not enough money (available 12000)"),
    ("conflict", "conflict: this key was used for another body"),
    ("", "given up after 104 attempts: ConnectError: [Errno 111] Connection refused"),
]


class Troubled(NamedTuple):
    letter: int
    short: int
    comparison: int


@pytest.fixture(scope="module")
def troubled(scene: Scene) -> Iterator[Troubled]:
    """Let the wallet refuse, be short and differ."""
    numbers = list(
        WalletTransaction.objects.filter(settlement__round=scene.corrected, settlement__revision=2)
        .order_by("amount_minor")
        .values_list("pk", flat=True)
    )
    for number, (answer, error) in zip(numbers, WHY, strict=False):
        WalletDelivery.objects.filter(pk=number).update(
            status="dead", attempts=1, answer=answer, last_error=error, answered_at=LATER
        )
    for one in WalletTransaction.objects.filter(pk__in=numbers[4:7]):
        WalletDelivery.objects.filter(pk=one.pk).update(status="closed", answered_at=LATER)
        Receivable.objects.create(
            transaction=one, player=one.player, amount_minor=123_456_700, currency="THB", booked_at=LATER
        )
    made = Reconciliation.objects.create(
        asked_by="Nattaya Suksan", asked_at=LATER, started_at=LATER, finished_at=LATER + timedelta(seconds=9),
        ours_count=204_519, read_count=204_521, drift_count=6,
    )  # fmt: skip
    kinds = ("missing_there", "unknown_here", "given_up_here", "amount", "player", "twice")
    WalletDrift.objects.bulk_create(
        WalletDrift(
            reconciliation=made, kind=kind, key=f"{scene.corrected.public_id}/2/{number}",
            transaction_id=None if kind == "unknown_here" else numbers[number],
            ours_minor=None if kind == "unknown_here" else 500_000,
            theirs_minor=None if kind == "missing_there" else -5_000_000, currency="THB",
            number=77_000 + number,
        )
        for number, kind in enumerate(kinds)
    )  # fmt: skip
    Reconciliation.objects.create(asked_by="Bluecard", asked_at=LATER + timedelta(hours=1))
    short = WalletDelivery.objects.filter(status="dead", answer="insufficient").latest("pk").pk
    letter = WalletDelivery.objects.filter(status="dead").earliest("pk").pk
    yield Troubled(letter, short, made.pk)


PAGES: dict[str, Callable[[Troubled], str]] = {
    "dead letters": lambda _: "/admin/tables/walletdelivery/",
    "dead letter": lambda at: f"/admin/tables/walletdelivery/{at.letter}/change/",
    "send again": lambda at: f"/admin/tables/walletdelivery/{at.short}/do/again/",
    "withdraw": lambda at: f"/admin/tables/walletdelivery/{at.letter}/do/withdraw/",
    "receivables": lambda _: "/admin/tables/receivable/",
    "comparisons": lambda _: "/admin/tables/reconciliation/",
    "comparison": lambda at: f"/admin/tables/reconciliation/{at.comparison}/change/",
    "differences": lambda _: "/admin/tables/walletdrift/",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_wallet(name: str, look: Look, troubled: Troubled) -> None:
    for width, theme, language in ((1280, "light", "th"), (390, "dark", "en")):
        page = look(PAGES[name](troubled), width=width, theme=theme, language=language)
        check(page)
        assert scrolling_tables_in(page) == [], (width, theme, language)


def test_a_ruling_says_how_its_money_fares(look: Look, troubled: Troubled, scene: Scene) -> None:
    ruling = scene.corrected.ruling_rounds.get().ruling_id  # type: ignore[attr-defined]
    for width, language in ((1280, "en"), (390, "th")):
        page = look(f"/admin/audit/ruling/{ruling}/change/", width=width, language=language)
        check(page)
        assert page.locator("#wallet").is_visible()


def test_a_dead_letter_is_sent_again_from_the_keyboard(look: Look, troubled: Troubled) -> None:
    page = look(f"/admin/tables/walletdelivery/{troubled.short}/change/")
    page.get_by_role("link", name="Send again").click()
    page.get_by_label("If the wallet is short again").select_option("force")
    page.get_by_label("Reason").fill("agreed with the player on the telephone")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_load_state("networkidle")
    assert "is on its way again." in page.inner_text("main")
    assert WalletDelivery.objects.get(pk=troubled.short).status == "waiting"
