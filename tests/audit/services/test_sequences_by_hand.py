"""Sequences whose order matters, with every leg worked out by hand; each was once wrong or could not end."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from audit.models import RulingKind
from audit.queries.verifying import Checked
from audit.queries.verifying_rows import verify_rows
from audit.services.asking import BadRuling
from tables.models import Round, RoundStatus, Settlement, SettlementLine
from tables.queries.ledger import Counts, verify_ledger
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, ask, make_user, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(minutes=1)


@pytest.fixture
def platform(db: None) -> Iterator[Platform]:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    yield platform
    assert [str(one) for one in verify_rows(Checked())] == []  # whatever was decided, nothing was altered


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


def legs(round_: Round, bet: str) -> list[int]:
    lines = SettlementLine.objects.filter(bet__platform_bet_id=bet, settlement__round=round_)
    return list(lines.order_by("settlement__revision").values_list("moved_minor", flat=True))


def resulted(platform: Platform) -> Round:
    """Deal 9 to 2, with 100 on the Player and 100 on a tie; not settled yet."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-1", "tie", 100))
    platform.deal(name, "9H 2D KC QS")
    return platform.round(name)


def test_a_kind_made_void_before_the_round_is_settled_is_void_when_it_is(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = resulted(platform)
    rule(asker, decider, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie"]})
    assert not Settlement.objects.exists()
    settlement = settle_round(round_id=round_.pk, now=NOON)
    assert isinstance(settlement, Settlement)
    assert settlement.overlay == {"void_all": False, "void_kinds": ["tie"], "is_open": False}
    assert lines_of(round_) == {"b1": ("won", 200), "b2": ("void", 100)}


def test_a_kind_stays_void_through_a_second_deal(platform: Platform, asker: User, decider: User) -> None:
    round_ = resulted(platform)
    settle_round(round_id=round_.pk, now=NOON)
    rule(asker, decider, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie"]})
    rule(asker, decider, RulingKind.RE_DEAL, [round_], at=LATER)
    assert lines_of(round_) == {"b1": ("open", 0), "b2": ("void", 100)}
    platform.deal(round_.platform_id, "9H 9D KC QS", bell=False)
    settle_round(round_id=round_.pk, now=LATER)
    # The tie came, and its bet is void all the same.
    assert lines_of(round_) == {"b1": ("push", 100), "b2": ("void", 100)}
    assert (legs(round_, "b1"), legs(round_, "b2")) == ([200, 0, -200, 100], [0, 100, 0, 0])


def test_a_re_deal_taken_back_before_it_was_dealt_pays_by_the_first_deal(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = resulted(platform)
    settle_round(round_id=round_.pk, now=NOON)
    again = rule(asker, decider, RulingKind.RE_DEAL, [round_])
    platform.say("card", round=round_.platform_id, place="P1", card="2D")
    back = rule(asker, decider, RulingKind.REINSTATE, [round_], reinstates=again, at=LATER)
    assert (back.given_minor, back.taken_minor) == (200, 0)  # as the preview showed
    round_.refresh_from_db()
    assert (round_.status, round_.outcome, round_.player_total) == (RoundStatus.SETTLED, "player", 9)
    assert lines_of(round_) == {"b1": ("won", 200), "b2": ("lost", 0)}
    assert legs(round_, "b1") == [200, -200, 200]
    late = platform.say("card", round=round_.platform_id, place="B1", card="9H")
    assert late.status == "refused"


def test_a_void_round_that_was_never_dealt_cannot_count_again(
    platform: Platform, asker: User, decider: User
) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    round_ = platform.round(name)
    void = rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(BadRuling, match="no lawful coup would lie in") as refused:
        ask(asker, RulingKind.REINSTATE, [round_], reinstates=void, at=LATER)
    assert (refused.value.field, refused.value.rule) == ("reinstates", "ruling/no-coup")
    assert lines_of(round_) == {"b1": ("void", 100)}


def test_under_a_void_a_re_deal_is_taken_back_first_and_then_the_void(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = resulted(platform)
    settle_round(round_id=round_.pk, now=NOON)
    again = rule(asker, decider, RulingKind.RE_DEAL, [round_])
    void = rule(asker, decider, RulingKind.VOID_ROUND, [round_], at=LATER)
    with pytest.raises(BadRuling, match="no lawful coup"):
        ask(asker, RulingKind.REINSTATE, [round_], reinstates=void, at=LATER)
    rule(asker, decider, RulingKind.REINSTATE, [round_], reinstates=again, at=LATER + timedelta(seconds=1))
    assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 100)}
    rule(asker, decider, RulingKind.REINSTATE, [round_], reinstates=void, at=LATER + timedelta(seconds=2))
    assert lines_of(round_) == {"b1": ("won", 200), "b2": ("lost", 0)}
    assert (legs(round_, "b1"), legs(round_, "b2")) == ([200, -200, 100, 0, 100], [0, 0, 100, 0, -100])


def test_insurance_of_a_second_deal_that_dies_too_has_its_line_with_the_third(db: None) -> None:
    house = Platform(make_table(rulebook="insurance", min_stake_minor=1))
    house.start()
    asker, decider = make_user("asker", *SUPERVISES), make_user("decider", *MANAGES)
    name = house.open_round()
    house.bet(name, ("b1", "P-1", "player", 1_000))
    house.deal(name, "9H 2D KC QS")
    settle_round(round_id=house.round(name).pk, now=NOON)
    rule(asker, decider, RulingKind.RE_DEAL, [house.round(name)], at=LATER)
    for place, card in {"P1": "6H", "B1": "4H", "P2": "KC", "B2": "QS"}.items():
        house.say("card", round=name, place=place, card=card)
    house.say("insurance_opened", round=name, phase="four_cards")
    bought = house.bet(name, ("i2", "P-1", "player_insurance", 100, {"phase": "four_cards"}))
    assert not bought.refused_bets
    house.say("insurance_closed", round=name, phase="four_cards")
    house.say("card", round=name, place="B3", card="4S")
    house.say("round_result", round=name, outcome="banker", player_total=6, banker_total=8)
    rule(asker, decider, RulingKind.RE_DEAL, [house.round(name)], at=LATER)
    # Sold after the newest revision, it has no line yet, and the ledger's check finds no fault in that.
    assert [str(one) for one in verify_ledger(counts=Counts())] == []
    house.deal(name, "2D 9H QS KC", bell=False)
    settle_round(round_id=house.round(name).pk, now=LATER)
    assert lines_of(house.round(name)) == {"b1": ("lost", 0), "i2": ("void", 100)}
    assert (legs(house.round(name), "b1"), legs(house.round(name), "i2")) == ([2_000, -2_000, 0], [100])
    assert [str(one) for one in verify_ledger(counts=Counts())] == []
