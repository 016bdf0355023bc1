"""A shoe or a table taken away while a round is in play: the round is found and held, and can be decided."""

import pytest
from django.contrib.auth.models import User

from audit.models import Incident, RulingKind, TableDecision
from audit.services.incidents import incidents_from_findings
from tables.models import Finding, Hold, RoundStatus
from tables.services.settlement import Waits, settle_round
from tests.audit.deciding import rule
from tests.tables.playing import Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def half_a_round(platform: Platform, bet: str = "b1") -> str:
    name = platform.open_round()
    platform.bet(name, (bet, "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    return name


@pytest.mark.parametrize("kind", [RulingKind.REPLACE_SHOE, RulingKind.RESHUFFLE, RulingKind.CANCEL_SHOE])
def test_a_round_whose_shoe_is_taken_away_is_held_until_it_is_void(
    platform: Platform, asker: User, decider: User, kind: RulingKind
) -> None:
    name = half_a_round(platform)
    round_ = platform.round(name)
    shoe = round_.shoe
    ruling = rule(asker, decider, kind, [], table=platform.table, shoe=shoe)
    assert ruling.outcome_note == (
        f"{round_.public_id} was in play and has no result; it is held until it is decided"
    )
    finding = Finding.objects.get(code="round_without_result")
    assert (finding.round_id, finding.shoe_id, finding.data) == (
        round_.pk,
        shoe.pk,
        {"because": ruling.number},
    )
    assert Hold.objects.get(round=round_, lifted_at=None).finding_id == finding.pk

    incidents_from_findings(now=platform.at)
    incident = Incident.objects.get(finding=finding)
    assert (incident.status, incident.round_id, incident.remedies) == ("open", round_.pk, ["manager"])
    assert [told.kind for told in TableDecision.objects.order_by("pk")] == ["shoe_replaced", "hold"]

    # The table plays on with a new shoe, and the old round does not come back by itself.
    assert platform.say("shoe_started", shoe="S-new").status == "accepted"
    assert platform.say("card", round=name, place="B1", card="2D").status == "refused"
    assert settle_round(round_id=round_.pk, now=platform.at) == Waits(("status_dealing",))
    rule(asker, decider, RulingKind.VOID_ROUND, [round_], incident=incident)
    round_.refresh_from_db()
    incident.refresh_from_db()
    assert (round_.status, incident.status) == (RoundStatus.VOIDED, "ruled")
    assert lines_of(round_) == {"b1": ("void", 100)}
    assert not Hold.objects.filter(lifted_at=None).exists()


def test_closing_the_table_in_mid_round_finds_it_once(platform: Platform, asker: User, decider: User) -> None:
    name = half_a_round(platform)
    shoe = platform.round(name).shoe
    both = {"also": ["close_table"]}
    rule(asker, decider, RulingKind.REPLACE_SHOE, [], table=platform.table, shoe=shoe, facts=both)
    assert Finding.objects.filter(code="round_without_result").count() == 1
    assert Hold.objects.filter(lifted_at=None).count() == 1


def test_a_table_closed_in_mid_round_holds_it(platform: Platform, asker: User, decider: User) -> None:
    name = half_a_round(platform)
    rule(asker, decider, RulingKind.CLOSE_TABLE, [], table=platform.table)
    assert Hold.objects.get(lifted_at=None).round_id == platform.round(name).pk


def test_where_the_round_is_void_or_over_nothing_is_found(
    platform: Platform, asker: User, decider: User
) -> None:
    over = platform.play("9H 2D KC QS", ("b0", "P-1", "player", 100))
    rule(asker, decider, RulingKind.STAND, [over], facts={"also": ["replace_shoe"]})
    platform.round_number = 0
    platform.start()
    running = platform.round(half_a_round(platform, "b2"))
    ruling = rule(asker, decider, RulingKind.VOID_ROUND, [running], facts={"also": ["replace_shoe"]})
    assert ruling.outcome_note == ""
    assert not Finding.objects.filter(code="round_without_result").exists()
