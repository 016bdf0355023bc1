"""Players are told of a decision before their round is settled, and what it means for their money."""

import pytest
from django.contrib.auth.models import User

from audit.models import Notice, RulingKind
from tables.models import Round
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, make_user, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db

AS_ON_VIDEO = {"P1": "2D", "B1": "9H", "P2": "QS", "B2": "KC"}  # Player 2, Banker 9


@pytest.fixture
def people(db: None) -> tuple[User, User]:
    publish_all()
    return make_user("asker", *SUPERVISES), make_user("decider", *MANAGES)


@pytest.fixture
def platform(people: tuple[User, User]) -> Platform:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def resulted(platform: Platform) -> Round:
    """Deal a round with two players, and leave it unsettled."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 300), ("b2", "P-1", "tie", 200), ("b3", "P-2", "banker", 100))
    platform.deal(name, "9H 2D KC QS")
    return platform.round(name)


def told() -> dict[str, Notice]:
    return {
        notice.player.identity.reference: notice
        for notice in Notice.objects.select_related("player__identity")
    }


def test_who_bet_on_a_kind_made_void_hears_what_comes_back(
    platform: Platform, people: tuple[User, User]
) -> None:
    round_ = resulted(platform)
    ruling = rule(*people, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie"]})
    notices = told()
    assert set(notices) == {"P-1"}  # P-2 had no such bet
    assert notices["P-1"].ruling_id == ruling.pk
    assert notices["P-1"].moved_minor == 0
    assert notices["P-1"].text_en.startswith(
        f"Round {round_.public_id} keeps its result; some kinds of bet are void. Before: Player wins. "
        "Now: Player wins. Nothing was paid yet: your stakes on them so far, 2.00 THB, come back when "
    )
    assert "เงินเดิมพันประเภทนั้นของท่านจนถึงขณะนี้ 2.00 THB จะคืนให้เมื่อคิดผลรอบนี้" in notices["P-1"].text_th
    settle_round(round_id=round_.pk, now=NOON)
    assert lines_of(round_) == {"b1": ("won", 600), "b2": ("void", 200), "b3": ("lost", 0)}
    assert Notice.objects.count() == 1


def test_who_bet_on_a_void_kind_after_the_ruling_hears_it_with_the_money(
    platform: Platform, people: tuple[User, User]
) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 300), ("b2", "P-1", "tie", 200))
    round_ = platform.round(name)
    ruling = rule(*people, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie", "big"]})
    assert set(told()) == {"P-1"}
    first = told()["P-1"].text_en
    platform.bet(name, ("b3", "P-2", "tie", 500), ("b4", "P-2", "big", 100), ("b5", "P-3", "banker", 100))
    platform.deal(name, "9H 2D KC QS")
    settle_round(round_id=round_.pk, now=NOON)
    lines = lines_of(round_)
    assert (lines["b2"], lines["b3"], lines["b4"]) == (("void", 200), ("void", 500), ("void", 100))
    notices = told()
    assert set(notices) == {"P-1", "P-2"}  # P-3 had no such bet
    assert (notices["P-2"].ruling_id, notices["P-2"].moved_minor) == (ruling.pk, 0)
    assert notices["P-2"].text_en.startswith(
        f"Round {round_.public_id} keeps its result; some kinds of bet are void. Before: Player wins. "
        "Now: Player wins. Nothing was paid yet: your stakes on them so far, 6.00 THB, come back when "
    )
    assert "เงินเดิมพันประเภทนั้นของท่านจนถึงขณะนี้ 6.00 THB จะคืนให้เมื่อคิดผลรอบนี้" in notices["P-2"].text_th
    assert notices["P-1"].text_en == first


def test_a_kind_that_counted_again_before_the_bet_came_is_told_to_nobody(
    platform: Platform, people: tuple[User, User]
) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 300))
    round_ = platform.round(name)
    void = rule(*people, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie"]})
    rule(*people, RulingKind.REINSTATE, [round_], reinstates=void)
    platform.bet(name, ("b2", "P-2", "tie", 500))
    platform.deal(name, "9H 2D KC QS")
    settle_round(round_id=round_.pk, now=NOON)
    assert not Notice.objects.exists()


def test_everybody_hears_of_cards_put_right_before_the_money(
    platform: Platform, people: tuple[User, User]
) -> None:
    round_ = resulted(platform)
    rule(*people, RulingKind.CORRECT, [round_], facts={"cards": AS_ON_VIDEO})
    notices = told()
    assert set(notices) == {"P-1", "P-2"}
    for notice in notices.values():
        assert "Before: Player wins. Now: Banker wins. Nothing was paid yet: the round is settled" in (
            notice.text_en
        )
        assert "ผลเดิม: เพลเยอร์ชนะ ผลใหม่: แบงเกอร์ชนะ ยังไม่มีการจ่ายเงิน" in notice.text_th


def test_a_deal_begun_anew_is_told_though_nothing_was_paid(
    platform: Platform, people: tuple[User, User]
) -> None:
    round_ = resulted(platform)
    rule(*people, RulingKind.RE_DEAL, [round_])
    assert {name: notice.moved_minor for name, notice in told().items()} == {"P-1": 0, "P-2": 0}
    assert "is dealt again; your bets stand. Before: Player wins. Now: no result." in told()["P-2"].text_en


def test_a_kind_that_counts_again_is_told_to_those_who_bet_on_it(
    platform: Platform, people: tuple[User, User]
) -> None:
    round_ = resulted(platform)
    void = rule(*people, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["banker"]})
    rule(*people, RulingKind.REINSTATE, [round_], reinstates=void)
    notices = Notice.objects.order_by("pk").values_list("player__identity__reference", "ruling__kind")
    assert list(notices) == [("P-2", "void_kinds"), ("P-2", "reinstate")]


def test_what_stands_is_told_to_nobody(platform: Platform, people: tuple[User, User]) -> None:
    rule(*people, RulingKind.STAND, [resulted(platform)])
    assert not Notice.objects.exists()


def test_a_refused_bet_makes_nobody_a_player_of_the_round(
    platform: Platform, people: tuple[User, User]
) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 300), ("b2", "P-3", "player", 1))  # below the minimum
    platform.deal(name, "9H 2D KC QS")
    rule(*people, RulingKind.CORRECT, [platform.round(name)], facts={"cards": AS_ON_VIDEO})
    assert set(told()) == {"P-1"}
