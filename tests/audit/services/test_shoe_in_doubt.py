"""While a ruling about a shoe is open, what is dealt from it waits; and a shoe is void as a whole."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Incident, Ruling, RulingKind, TableDecision
from audit.services.asking import BadRuling
from audit.services.incidents import close_healed, incidents_from_findings
from audit.services.rulings import CannotDecide, expire_rulings, refuse_ruling, withdraw_ruling
from tables.models import Hold, Round
from tables.services.actors import Actor
from tables.services.settlement import Waits, settle_round
from tests.audit.deciding import approve, ask, carry_out, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(minutes=5)


@pytest.fixture
def platform() -> Platform:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def won(platform: Platform, bet: str) -> Round:
    """Play a round that the Player wins; it is settled unless it is held."""
    return platform.play("9H 2D KC QS", (bet, "P-1", "player", 100))


def ask_about(asker: User, round_: Round, kind: RulingKind = RulingKind.REPLACE_SHOE) -> Ruling:
    rounds = list(Round.objects.filter(shoe=round_.shoe)) if kind is RulingKind.VOID_SHOE else []
    return ask(asker, kind, rounds, table=round_.table, shoe=round_.shoe)


@pytest.mark.parametrize("kind", [RulingKind.REPLACE_SHOE, RulingKind.CANCEL_SHOE, RulingKind.VOID_SHOE])
def test_a_round_begun_while_it_is_asked_for_waits_for_a_decision_of_its_own(
    platform: Platform, asker: User, decider: User, kind: RulingKind
) -> None:
    before = won(platform, "b1")
    ruling = ask_about(asker, before, kind)
    after = won(platform, "b2")
    assert settle_round(round_id=after.pk, now=platform.at) == Waits(("shoe_in_doubt",))
    assert lines_of(before) == {"b1": ("won", 200)}
    incidents_from_findings(now=platform.at)
    incident = Incident.objects.get(round=after)
    assert (incident.code, incident.status, incident.remedies) == ("shoe_in_doubt", "open", ["manager"])
    assert TableDecision.objects.filter(kind="hold", round=after).count() == 1

    # Carried out, it says nothing of a round that came after it: that one is decided about by itself.
    assert carry_out(approve(decider, ruling)).status == "applied"
    assert Hold.objects.get(round=after).lifted_at is None
    rule(asker, decider, RulingKind.VOID_ROUND, [after], incident=incident, at=LATER)
    assert lines_of(after) == {"b2": ("void", 100)}


def refused(ruling: Ruling, decider: User) -> None:
    actor = Actor.of_user(decider)
    refuse_ruling(ruling_id=ruling.pk, reason="no need", user=decider, actor=actor, at=LATER)


def withdrawn(ruling: Ruling, decider: User) -> None:
    asker = ruling.requested_by
    actor = Actor.of_user(asker)
    withdraw_ruling(ruling_id=ruling.pk, reason="the other shoe", user=asker, actor=actor, at=LATER)


def expired(ruling: Ruling, decider: User) -> None:
    assert expire_rulings(now=ruling.expires_at.replace(hour=23)) == 1


@pytest.mark.parametrize("ends", [refused, expired, withdrawn])
def test_where_nothing_comes_of_it_the_round_goes_on(
    platform: Platform, asker: User, decider: User, ends: Any
) -> None:
    ruling = ask_about(asker, won(platform, "b1"))
    after = won(platform, "b2")
    incidents_from_findings(now=platform.at)
    ends(ruling, decider)
    hold = Hold.objects.get(round=after)
    assert hold.lifted_by == f"{ruling.number} {ends.__name__}"
    settle_round(round_id=after.pk, now=platform.at)
    assert lines_of(after) == {"b2": ("won", 200)}
    assert close_healed(now=platform.at) == 1
    assert Incident.objects.get(round=after).status == "closed"
    assert not Hold.objects.filter(round=won(platform, "b3")).exists()


def test_a_round_that_is_to_be_void_with_its_shoe_holds_those_after_it_too(
    platform: Platform, asker: User
) -> None:
    ask(asker, RulingKind.VOID_ROUND, [won(platform, "b1")], facts={"also": ["replace_shoe"]})
    after = won(platform, "b2")
    assert [hold.reason for hold in Hold.objects.filter(round=after)] == ["shoe_in_doubt"]


def test_a_round_that_is_to_be_void_alone_holds_no_other(platform: Platform, asker: User) -> None:
    ask(asker, RulingKind.VOID_ROUND, [won(platform, "b1")])
    assert lines_of(won(platform, "b2")) == {"b2": ("won", 200)}


def test_a_shoe_is_void_whole_by_two_persons(platform: Platform, asker: User, decider: User) -> None:
    rounds = [won(platform, f"b{number}") for number in (1, 2, 3)]
    rule(asker, decider, RulingKind.VOID_ROUND, [rounds[1]])
    shoe = rounds[0].shoe
    for some in ([rounds[0]], rounds[:2]):
        with pytest.raises(BadRuling) as wrong:
            ask(asker, RulingKind.VOID_SHOE, some, shoe=shoe)
        assert wrong.value.rule in ("ruling/whole-shoe", "ruling/void")
    alone = ask(decider, RulingKind.VOID_SHOE, [rounds[0], rounds[2]], shoe=shoe)
    with pytest.raises(CannotDecide, match="takes a second person"):
        approve(decider, alone)
    refused(alone, decider)

    ruling = rule(asker, decider, RulingKind.VOID_SHOE, [rounds[0], rounds[2]], shoe=shoe)
    assert (ruling.status, ruling.rounds_count, ruling.taken_minor) == ("applied", 2, 200)
    assert [lines_of(one) for one in rounds] == [{f"b{n}": ("void", 100)} for n in (1, 2, 3)]
    told = TableDecision.objects.filter(ruling=ruling).order_by("round__number")
    assert [(one.kind, one.round_id) for one in told] == [("void", rounds[0].pk), ("void", rounds[2].pk)]
    notice = rounds[2].notices.get(ruling=ruling)
    assert "was declared void with its shoe" in notice.text_en and "โมฆะพร้อมทั้งขอนไพ่" in notice.text_th

    # A void shoe that goes on in play pays nothing by itself.
    assert [hold.reason for hold in Hold.objects.filter(round=won(platform, "b4"))] == ["shoe_in_doubt"]
