"""What the walks of decisions share: what people do by the services, and what every page is held against."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from typing import Any

from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from audit.models import Ruling, RulingKind
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling
from audit.services.reporting import report_and_ask
from audit.services.rulings import approve_ruling, request_ruling
from tables.models import JournalEntry, Round
from tables.services.actors import Actor
from tests.browser.measures import (
    cut_off_in,
    overflow_of,
    overlaps_of,
    scrolling_tables_in,
    serious_findings_of,
)
from tests.tables.playing import Platform

expect.set_options(timeout=30_000)  # a machine under load draws slowly

Open = Callable[..., Page]
LOOKS = list(product((1280, 390), ("en", "th")))
TWO_LOOKS = [(1280, "en"), (390, "th")]
WORDS = {
    "en": {"approve": "Approve and settle again", "refuse": "Refuse", "applied": "Applied"},
    "th": {"approve": "อนุมัติและคิดเงินใหม่", "refuse": "ปฏิเสธ", "applied": "ดำเนินการแล้ว"},
}


def check(page: Page) -> None:
    """Hold a page against everything that is measured."""
    page.wait_for_load_state("networkidle")
    found = [*overlaps_of(page), *cut_off_in(page), *scrolling_tables_in(page), *serious_findings_of(page)]
    assert found == [], f"{page.url}: {found}"
    assert overflow_of(page) <= 0, page.url


def carry_out(ruling: Ruling) -> None:
    """Do what the worker does."""
    assert claim_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))
    while apply_next_round(ruling_id=ruling.pk, now=datetime.now(UTC)):
        pass
    finish_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))


def void(round_: Round, reason: str = "seen") -> None:
    """Let a supervisor ask to void a round and a manager approve it, and do what the worker does."""
    ruling = ask_to_void(round_)
    user = User.objects.get(username="manager")
    approve_ruling(
        ruling_id=ruling.pk,
        preview_hash=ruling.preview_hash,
        reason=reason,
        user=user,
        actor=Actor.of_user(user),
        at=datetime.now(UTC),
    )
    carry_out(ruling)


def report_before(platform: Platform) -> None:
    """Let a card have dropped at this table before, so that it stands first on the list."""
    earlier = platform.play("9H 2D KC QS")
    user = User.objects.get(username="supervisor")
    report_and_ask(
        table=platform.table,
        code="card_dropped_unseen",
        facts={},
        note="",
        user=user,
        actor=Actor.of_user(user),
        at=datetime.now(UTC),
        round_=earlier,
        wants_ruling=False,
    )


def half_dealt(platform: Platform) -> Round:
    """Deal three cards of a round, with bets on it."""
    name = platform.open_round()
    platform.bet(name, ("c1", "P-16002", "player", 250_000), ("c2", "P-10625", "banker", 90_000))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "2H"), ("B1", "8C"), ("P2", "JD")):
        platform.say("card", round=name, place=place, card=card)
    return platform.round(name)


def ask_to_void(round_: Round, username: str = "supervisor", **facts: Any) -> Ruling:
    """Let somebody of the demo ask for a void, as the page would."""
    user = User.objects.get(username=username)
    return request_ruling(
        kind=RulingKind.VOID_ROUND,
        rounds=[round_],
        table=round_.table,
        facts=facts,
        reason="cards fell off the table",
        user=user,
        actor=Actor.of_user(user),
        at=datetime.now(UTC),
    )


def page_of(ruling: Ruling) -> str:
    return f"/admin/audit/ruling/{ruling.pk}/change/"


def button(page: Page, language: str, word: str) -> Locator:
    """Find a button of the decision box by its word."""
    return page.get_by_role("button", name=WORDS[language][word], exact=True)


def refused_by(page: Page, rule: str) -> None:
    """Expect that a page says that nothing was done, and by which rule."""
    expect(page.locator(".bc-refusal[role=alert] code")).to_have_text(rule)


def steps_of(ruling: Ruling) -> list[str]:
    """List what the journal says of a ruling."""
    entries = JournalEntry.objects.filter(subject_type="ruling", subject_id=ruling.pk)
    return list(entries.order_by("pk").values_list("action", flat=True))
