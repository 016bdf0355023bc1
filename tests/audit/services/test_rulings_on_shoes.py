"""Rulings about a whole shoe or a table: decided once, on the shoe that lies there, and told to the table."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Incident, Ruling, RulingKind, TableDecision
from audit.services.asking import BadRuling
from audit.services.incidents import report_incident
from audit.services.rulings import CannotDecide
from tables.models import Hold, Round, ShoeStatus
from tables.services.actors import Actor
from tests.audit.deciding import approve, ask, carry_out, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db

TAKES_IT = [RulingKind.REPLACE_SHOE, RulingKind.RESHUFFLE, RulingKind.CANCEL_SHOE]


@pytest.fixture
def platform() -> Platform:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def won(platform: Platform, bet: str) -> Round:
    return platform.play("9H 2D KC QS", (bet, "P-1", "player", 100))


def report(user: User, round_: Round | None, shoe: Any, code: str = "misdeal") -> Incident:
    return report_incident(
        table=shoe.table,
        round_=round_,
        shoe=shoe,
        code=code,
        facts={},
        actor=Actor.of_user(user),
        user=user,
        at=NOON,
    )


def told() -> list[str]:
    return [decision.kind for decision in TableDecision.objects.order_by("pk")]


@pytest.mark.parametrize("kind", TAKES_IT)
def test_a_shoe_that_left_the_table_cannot_be_taken_away(
    platform: Platform, asker: User, kind: RulingKind
) -> None:
    shoe = won(platform, "b1").shoe
    platform.say("shoe_ended")
    shoe.refresh_from_db()
    with pytest.raises(BadRuling, match="has left the table already") as refused:
        ask(asker, kind, [], table=platform.table, shoe=shoe)
    assert (refused.value.field, refused.value.rule) == ("shoe", "ruling/shoe-gone")
    assert not Ruling.objects.exists()


def test_one_that_left_it_before_the_approval_is_stale(
    platform: Platform, asker: User, decider: User
) -> None:
    shoe = won(platform, "b1").shoe
    ruling = ask(asker, RulingKind.REPLACE_SHOE, [], table=platform.table, shoe=shoe)
    platform.say("shoe_ended")
    with pytest.raises(CannotDecide, match="the shoe left the table since") as refused:
        approve(decider, ruling)
    assert refused.value.rule == "ruling/stale"
    ruling.refresh_from_db()
    assert (ruling.status, ruling.outcome_note) == ("stale", "the shoe left the table since it was asked for")
    assert "shoe_replaced" not in told()


def test_one_that_left_it_after_the_approval_is_stale_and_nothing_is_told(
    platform: Platform, asker: User, decider: User
) -> None:
    shoe = won(platform, "b1").shoe
    ruling = approve(decider, ask(asker, RulingKind.REPLACE_SHOE, [], table=platform.table, shoe=shoe))
    platform.say("shoe_ended")
    assert carry_out(ruling).status == "stale"
    assert "shoe_replaced" not in told()


def test_of_two_rulings_on_one_shoe_the_second_is_stale(
    platform: Platform, asker: User, decider: User
) -> None:
    shoe = won(platform, "b1").shoe
    about: dict[str, Any] = {"table": platform.table, "shoe": shoe}
    first, second = (ask(asker, kind, [], **about) for kind in TAKES_IT[:2])
    assert carry_out(approve(decider, first)).status == "applied"
    with pytest.raises(CannotDecide, match="the shoe left the table since"):
        approve(decider, second)
    shoe.refresh_from_db()
    assert (shoe.status, shoe.end_reason) == (ShoeStatus.REPLACED, "replaced by ruling")
    assert told().count("shoe_replaced") == 1


def test_replaced_and_reshuffled_as_the_rule_says_is_told_once(
    platform: Platform, asker: User, decider: User
) -> None:
    shoe = won(platform, "b1").shoe
    facts = {"also": ["reshuffle"]}
    rule(asker, decider, RulingKind.REPLACE_SHOE, [], table=platform.table, shoe=shoe, facts=facts)
    assert told() == ["shoe_replaced"]


def test_an_incident_of_a_shoe_may_stand(platform: Platform, asker: User, decider: User) -> None:
    round_ = won(platform, "b1")
    incident = report(asker, None, round_.shoe, "shuffle_error")
    about: dict[str, Any] = {"table": platform.table, "shoe": round_.shoe}
    with pytest.raises(BadRuling, match="neither a round nor an incident"):
        ask(asker, RulingKind.STAND, [], **about)
    ruling = rule(asker, decider, RulingKind.STAND, [], incident=incident, **about)
    incident.refresh_from_db()
    assert (ruling.status, ruling.rounds_count, incident.status) == ("applied", 0, "ruled")
    [decision] = TableDecision.objects.all()
    assert (decision.kind, decision.shoe_id, decision.round_id) == ("stand", round_.shoe_id, None)
    assert lines_of(round_) == {"b1": ("won", 200)}


def test_a_ruling_decides_no_incident_that_is_about_another_round(
    platform: Platform, asker: User, decider: User
) -> None:
    one, other = won(platform, "b1"), won(platform, "b2")
    incident = report(asker, other, other.shoe)
    with pytest.raises(BadRuling, match=f"{incident.number} is about {other.public_id}") as refused:
        ask(asker, RulingKind.VOID_ROUND, [one], incident=incident)
    assert (refused.value.field, refused.value.rule) == ("incident", "ruling/incident")
    assert Hold.objects.get(round=other).lifted_at is None
    assert ask(asker, RulingKind.VOID_RANGE, [one, other], incident=incident).incident == incident


def test_nor_one_of_another_table(platform: Platform, asker: User) -> None:
    elsewhere = Platform(make_table("B02", rulebook="insurance"))
    elsewhere.start()
    incident = report(asker, None, won(elsewhere, "c1").shoe, "shuffle_error")
    with pytest.raises(BadRuling, match="is about table B02"):
        ask(asker, RulingKind.VOID_ROUND, [won(platform, "b1")], incident=incident)
    assert not Ruling.objects.exists()


def test_a_void_closes_whatever_else_was_open_about_the_round(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = won(platform, "b1")
    first, second = report(asker, round_, round_.shoe), report(asker, round_, round_.shoe, "two_cards_dealt")
    ruling = rule(asker, decider, RulingKind.STAND, [round_], incident=first)
    second.refresh_from_db()
    assert (ruling.status, second.status) == ("applied", "open")  # that one was not looked at
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    second.refresh_from_db()
    assert second.status == "ruled"
