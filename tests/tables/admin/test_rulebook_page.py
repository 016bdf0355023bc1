"""A rulebook's page: exact odds beside each bet, the rules in both languages, what a version changed."""

from datetime import timedelta
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Rulebook
from tables.queries.rulebook_page import history_of, read_rulebook_page
from tables.queries.rulebooks import rules_of
from tables.rulebooks import shipped_text
from tables.rules.document import parse_rulebook
from tables.rules.document_changes import Change
from tables.services.actors import SYSTEM
from tables.services.setup import publish_rulebook
from tables.templatetags.rulebook import exact, odds, share
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import NOON, Platform, make_table, publish_all

pytestmark = pytest.mark.django_db


def address(rulebook: Rulebook) -> str:
    return f"/admin/tables/rulebook/{rulebook.pk}/change/"


def publish_another(number: int) -> Rulebook:
    """Publish the insurance rulebook with another odds of the tie."""
    text = shipped_text("insurance").replace("winner: tie}, odds: 8}", f"winner: tie}}, odds: {number}}}")
    return publish_rulebook(text=text, effective_from=NOON + timedelta(days=number), actor=SYSTEM, at=NOON)


def test_each_bet_has_its_exact_worth_beside_it(sign_in: SignIn) -> None:
    """The figures are those of the published tables for eight decks: 1.0579 and 1.2351 and 14.3596 %."""
    publish_all()
    rulebook = Rulebook.objects.get(code="insurance")
    page = sign_in("auditor").get(address(rulebook)).content.decode()
    for words in ("1.0579 %", "1.2351 %", "14.3596 %", "0.95 : 1", "12 : 1", "18 : 1", "commission"):
        assert words in page
    priced = {one.bet.kind: one for one in read_rulebook_page(rulebook.pk).bets}
    # Player wins 2 230 518 282 592 256 of 4 998 398 275 503 360 orders and loses 2 292 252 566 437 888.
    assert priced["player"].house_edge == Fraction(
        2_292_252_566_437_888 - 2_230_518_282_592_256, 4_998_398_275_503_360
    )
    edge = priced["player"].house_edge
    assert f"{edge.numerator}/{edge.denominator}" in page
    # Insurance too: what hangs on a pointer is gone on paper.
    for one in read_rulebook_page(rulebook.pk).insurance:
        assert f'bc-exact">{exact(one.sold.house_edge)}</span>' in page
    # The Banker wins with 6 of two cards oftener than of three, which is why three pay more.
    assert [prize.net for prize in priced["super_6_plus"].prizes] == [12, 18]


def test_the_rules_stand_there_in_both_languages(sign_in: SignIn) -> None:
    publish_all()
    client = sign_in("auditor")
    rulebook = Rulebook.objects.get(code="insurance")
    passage = read_rulebook_page(rulebook.pk).rules.passages["insurance/blue-card"]
    for language in ("en", "th"):
        page = client.get(address(rulebook), headers={"accept-language": language}).content.decode()
        assert "insurance/blue-card" in page
        assert passage.text.th in page
        assert 'lang="th"' in page
    assert "ความได้เปรียบของเจ้ามือ" in page


def test_a_version_says_what_it_changed(sign_in: SignIn) -> None:
    publish_all()
    second = publish_another(9)
    assert [one.changes for one in history_of("insurance")] == [
        (Change("bets.tie.pays[1].odds", "8", "9"),),
        None,
    ]
    page = sign_in("auditor").get(address(second)).content.decode()
    assert "bets.tie.pays[1].odds" in page
    assert "<del>8</del>" in page
    assert "<ins>9</ins>" in page


def test_the_page_asks_as_often_for_many_versions_as_for_one(sign_in: SignIn) -> None:
    publish_all()
    client = sign_in("auditor")
    rulebook = Rulebook.objects.get(code="insurance")
    counts = []
    for more in ((), (9, 10, 11)):
        for number in more:
            publish_another(number)
        client.get(address(rulebook))
        with CaptureQueriesContext(connection) as asked:
            client.get(address(rulebook))
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 10


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(8), "8"), (Fraction(19, 20), "0.95"), (Fraction(3, 2), "1.5"), (Fraction(1, 3), "1/3")],
)
def test_how_odds_are_written(value: Fraction, text: str) -> None:
    assert odds(value) == text


def test_a_share_is_written_with_its_exact_fraction() -> None:
    assert share(Fraction(1, 3)) == '<span title="1/3">33.3333 %</span>'
    assert share(Fraction(-1, 800)) == '<span title="−1/800">−0.1250 %</span>'


def test_a_version_is_named_in_the_readers_language_wherever_it_is_named(sign_in: SignIn) -> None:
    publish_all()
    platform = Platform(make_table("B03", "insurance"), at=NOON)
    platform.start()
    round_ = platform.play("9H 2D KC QS", ("b1", "P-1", "player", 50_000))
    settlement, shoe = round_.settlements.get(), round_.shoe
    client = sign_in("supervisor")
    for path in (
        "gametable/",
        f"gametable/{platform.table.pk}/change/",
        f"shoe/{shoe.pk}/change/",
        f"settlement/{settlement.pk}/change/",
        f"round/{round_.pk}/change/",
        f"rulebook/{shoe.rulebook_id}/change/",
    ):
        answer = client.get(f"/admin/tables/{path}", headers={"accept-language": "th"})
        page = answer.content.decode()
        assert "insurance ฉบับที่ 1" in page, path
        assert "insurance, version 1" not in page, path


def test_reading_a_published_version_does_not_check_each_of_its_rows_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes most of a second, and whoever opens a page first would wait for it."""
    publish_all()
    rulebook = Rulebook.objects.get(code="insurance")
    for cached in (parse_rulebook, rules_of, read_rulebook_page):
        cached.cache_clear()
    monkeypatch.setattr("tables.rules.document.check_rows", lambda *_: pytest.fail("checked again"))
    assert read_rulebook_page(rulebook.pk).bets
