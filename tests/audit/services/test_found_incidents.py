"""What the reader of the feed finds becomes an incident by itself, held and told where money may change."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from audit.admin.ruling_words import incident_state
from audit.models import Incident, TableDecision
from audit.queries import queue
from audit.services.incidents import close_healed, escalate_late_holds, incidents_from_findings
from tables.admin.round import with_holds
from tables.models import JournalEntry, Round
from tables.rules.cards import ALL_CARDS
from tables.services.holds import lift_holds, place_hold
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, make_user
from tests.tables.playing import Platform, make_table, publish_all

pytestmark = pytest.mark.django_db

DEALT = (("P1", "9H"), ("B1", "2D"), ("P2", "KC"), ("B2", "QS"))  # Player 9, Banker 2
CLAIM = {"outcome": "player", "player_total": 9, "banker_total": 2}


def deal(platform: Platform, *placed: tuple[str, str]) -> str:
    name = platform.open_round()
    platform.bet(name, (f"b{platform.seq}", "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    for place, card in placed:
        platform.say("card", round=name, place=place, card=card)
    return name


def illegal_card(platform: Platform) -> None:
    platform.start()
    deal(platform, ("P1", "9H"), ("B1", "KD"), ("P2", "KC"), ("B2", "6S"), ("P3", "9C"))  # after a natural


def wrong_burn(platform: Platform) -> None:
    platform.start(turned="6S", burn=5)


def ninth_copy(platform: Platform) -> None:
    platform.start()
    for _ in range(4):
        name = deal(platform, ("P1", "7H"), ("B1", "KD"), ("P2", "7H"), ("B2", "6S"))
        platform.say("round_result", round=name, outcome="banker", player_total=4, banker_total=6)
    deal(platform, ("P1", "7H"))


def cards_missing(platform: Platform) -> None:
    platform.start()
    platform.say("shoe_ended", left=412)  # three are out, so 413 are left


def other_claim(platform: Platform) -> None:
    platform.start()
    name = deal(platform, *DEALT)
    platform.say("round_result", round=name, **CLAIM | {"outcome": "banker"})


def past_the_last(platform: Platform) -> None:
    platform.start()
    name = deal(platform, DEALT[0])
    platform.say("blue_card")
    for place, card in DEALT[1:]:
        platform.say("card", round=name, place=place, card=card)
    platform.say("round_result", round=name, **CLAIM)
    platform.open_round()


def gap(platform: Platform) -> None:
    platform.start()
    name = platform.open_round()
    platform.event("heartbeat")  # never sent
    platform.say("betting_closed", round=name)


def one_after_the_other(platform: Platform) -> None:
    platform.say("table_opened")
    platform.say("shoe_started", shoe="S-1")
    for card in ALL_CARDS[:30]:
        platform.say("card_out", reason="discard", card=str(card))
    platform.say("shoe_ended")


def shoe_seen_before(platform: Platform) -> None:
    one_after_the_other(platform)
    platform.say("shoe_started", shoe="S-2")
    for card in ALL_CARDS[:30]:
        platform.say("card_out", reason="discard", card=str(card))
    platform.say("shoe_ended")


def insurance_by_a_wrong_card(platform: Platform) -> None:
    platform.start()
    name = deal(platform, *DEALT)  # a natural: nobody draws, so nothing is insured
    platform.say("insurance_opened", round=name, phase="four_cards")


def insurance_on_a_card_put_right(platform: Platform) -> None:
    platform.start()
    name = deal(platform, ("P1", "4H"), ("B1", "KS"), ("P2", "3C"), ("B2", "2D"))  # 7 to 2
    platform.say("insurance_opened", round=name, phase="four_cards")
    platform.say("insurance_closed", round=name, phase="four_cards")
    platform.say("card_corrected", round=name, place="P2", card="2C")  # 6 to 2: another row, and P3 is due


#: What happens at the table; the incident it becomes, whether it waits, and whether a round is held by it.
FOUND: list[tuple[str, Callable[[Platform], None], str, str, bool]] = [
    ("insurance", illegal_card, "misdeal", "open", True),
    ("insurance", wrong_burn, "startup_error", "open", False),
    ("insurance", ninth_copy, "too_many_copies", "open", True),
    ("insurance", cards_missing, "card_count", "open", False),
    ("insurance", other_claim, "claim_differs", "open", True),
    ("insurance", past_the_last, "dealt_past_last_round", "open", True),
    ("insurance", gap, "feed_gap", "open", True),
    ("no-commission", one_after_the_other, "deck_order_not_shuffled", "open", False),
    ("no-commission", shoe_seen_before, "deck_order_repeated", "open", False),
    ("insurance", insurance_by_a_wrong_card, "insurance_opened_by_wrong_card", "closed", False),
    ("insurance", insurance_on_a_card_put_right, "insurance_opened_by_wrong_card", "open", True),
]


@pytest.mark.parametrize(("rulebook", "happens", "code", "status", "holds"), FOUND)
def test_what_is_found_becomes_an_incident(
    rulebook: str, happens: Callable[[Platform], None], code: str, status: str, holds: bool
) -> None:
    publish_all()
    platform = Platform(make_table(rulebook=rulebook))
    happens(platform)
    assert incidents_from_findings(now=platform.at) >= 1
    assert incidents_from_findings(now=platform.at) == 0  # each becomes one incident, once
    incident = Incident.objects.get(code=code)
    assert (incident.source, incident.status) == ("finding", status)
    hold = incident.hold
    assert (hold is not None and hold.lifted_at is None) is holds
    told: list[Any] = list(TableDecision.objects.filter(kind="hold").values_list("data", flat=True))
    assert (incident.number in [data["incident"] for data in told]) is holds


def test_one_that_holds_a_round_for_ten_minutes_is_escalated_once_and_red() -> None:
    platform = Platform(make_table(rulebook="insurance"))
    other_claim(platform)
    round_ = Round.objects.get()
    incidents_from_findings(now=platform.at)
    incident, late = Incident.objects.get(), platform.at + timedelta(minutes=10)
    assert (escalate_late_holds(now=late), incident_state(incident, late)) == (0, "open")
    late += timedelta(microseconds=1)
    assert incident_state(incident, late) == "late"
    assert (escalate_late_holds(now=late), escalate_late_holds(now=late)) == (1, 0)
    incident.refresh_from_db()
    assert (incident.status, incident.escalated_at) == ("open", late)
    entry = JournalEntry.objects.get(action="incident.escalated")
    assert (entry.subject_label, entry.at) == (incident.number, late)
    # The hold is gone, and with it the haste.
    lift_holds(round_id=round_.pk, by="somebody", at=late)
    assert incident_state(Incident.objects.get(), late) == "open"


def test_one_that_holds_nothing_is_not_escalated() -> None:
    platform = Platform(make_table(rulebook="insurance"))
    wrong_burn(platform)
    incidents_from_findings(now=platform.at)
    late = platform.at + timedelta(hours=1)
    assert (escalate_late_holds(now=late), incident_state(Incident.objects.get(), late)) == (0, "open")


def test_what_holds_a_round_comes_first_however_much_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST_READ", 2)
    older = [Platform(make_table(code, rulebook="insurance")) for code in ("B01", "B02")]
    for platform in older:
        wrong_burn(platform)
    holding = Platform(make_table("B03", rulebook="insurance"))
    other_claim(holding)
    for platform in (*older, holding):
        incidents_from_findings(now=platform.at)
    waiting = queue.queue_of(make_user("manager", *MANAGES), holding.at)
    assert [(one.code, one.table.code) for one in waiting.incidents] == [
        ("claim_differs", "B03"),
        ("startup_error", "B01"),
    ]
    assert waiting.incidents_count == 3


def said_by_the_table(platform: Platform, code: str, **facts: Any) -> Incident:
    platform.start()
    name = deal(platform, *DEALT)
    platform.say("incident", code=code, round=name, **facts)
    incidents_from_findings(now=platform.at)
    return Incident.objects.get()


def test_what_the_table_itself_reports_waits_for_the_manager() -> None:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    incident = said_by_the_table(platform, "misdeal")
    assert (incident.source, incident.code, incident.status) == ("feed", "misdeal", "open")
    assert incident.hold is not None and incident.hold.round_id == incident.round_id


def test_what_the_table_reports_and_the_rule_lets_stand_waits_for_nobody() -> None:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    incident = said_by_the_table(platform, "dealt_before_insurance_closed")
    assert (incident.source, incident.status, incident.hold) == ("feed", "closed", None)


@pytest.mark.parametrize(
    ("face", "code", "status"),
    [("9C", "card_dropped_seen", "closed"), (None, "card_dropped_unseen", "open")],
)
def test_a_card_that_fell_is_judged_by_whether_its_face_was_seen(
    face: str | None, code: str, status: str
) -> None:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    deal(platform, DEALT[0])
    assert platform.say("card_out", reason="dropped", card=face).status == "accepted"
    incidents_from_findings(now=platform.at)
    incident = Incident.objects.get()
    assert (incident.code, incident.status) == (code, status)
    assert (incident.hold is not None) is (status == "open")


def test_a_card_exposed_while_betting_is_that_also_when_it_is_looked_at_later() -> None:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    name = platform.open_round()
    platform.say("card_out", reason="exposed", card="7H")
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    incidents_from_findings(now=platform.at)
    incident = Incident.objects.get()
    assert (incident.code, incident.status) == ("card_exposed_while_betting", "open")


def test_what_the_table_put_right_itself_waits_for_nobody() -> None:
    publish_all()
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    name = platform.open_round()
    lost, after = platform.event("heartbeat"), platform.event("betting_closed", round=name)
    platform.send(after)
    incidents_from_findings(now=platform.at)
    assert close_healed(now=platform.at) == 0
    platform.send(lost, after)
    assert close_healed(now=platform.at) == 1
    incident = Incident.objects.get(code="feed_gap")
    assert (incident.status, incident.closed_at) == ("closed", platform.at)


def test_a_held_round_is_not_settled_and_a_settled_one_is_disputed() -> None:
    platform = Platform(make_table(rulebook="insurance"))
    other_claim(platform)
    held = Round.objects.get()
    settle_round(round_id=held.pk, now=platform.at + timedelta(seconds=1))
    settled = platform.play("8H 2D KC QS", ("s1", "P-2", "player", 100))
    before = dict(with_holds(Round.objects.all()).values_list("pk", "shown_state"))
    place_hold(round_id=settled.pk, reason="misdeal", at=platform.at)
    after = dict(with_holds(Round.objects.all()).values_list("pk", "shown_state"))
    assert (before, after) == (
        {held.pk: "held", settled.pk: "settled"},
        {held.pk: "held", settled.pk: "disputed"},
    )
