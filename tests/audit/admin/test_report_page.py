"""Reporting an incident: the catalogue, the facts that decide, the remedy before anything is sent."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Incident, Ruling, RulingKind
from audit.queries.catalogue import decided_case, facts_that_decide
from audit.services.incidents import escalate_late_holds, report_incident
from tables.models import Hold, Round
from tables.rulebooks import load_shipped
from tables.services.actors import Actor
from tests.audit.admin.conftest import PLAYER_WINS
from tests.audit.deciding import ask
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db


def now() -> datetime:
    return datetime.now(UTC)


def played_under(rulebook: str) -> Round:
    platform = Platform(make_table("B07", rulebook))
    platform.start(burn=None if rulebook.startswith("live") else 2)
    return platform.play(PLAYER_WINS, ("c1", "P-1", "player", 10_000))


def report(client: Client, query: str, **typed: str) -> tuple[int, str, str]:
    answer = client.post(f"/admin/audit/incident/report/?{query}", typed)
    return answer.status_code, answer.get("Location", ""), answer.content.decode()


def test_a_card_that_dropped_unseen_voids_the_round_in_one_step(platform: Platform, floor: Client) -> None:
    round_ = played_under("insurance")
    page = floor.get(f"/admin/audit/incident/report/?round={round_.pk}&code=card_dropped_unseen")
    text = page.content.decode()
    assert "Void, start a new round" in text and "insurance/dropped-in-deal" in text
    assert "Hold round 1, ask: Void the round" in text and "−100.00" in text
    assert not Incident.objects.exists()  # nothing is sent before the button
    status, where, _page = report(floor, f"round={round_.pk}&code=card_dropped_unseen", note="seat 3")
    incident, ruling = Incident.objects.get(), Ruling.objects.get()
    assert (status, where) == (302, f"/admin/audit/ruling/{ruling.pk}/change/")
    assert (incident.code, incident.status, incident.note) == ("card_dropped_unseen", "open", "seat 3")
    assert (ruling.kind, ruling.incident, ruling.is_proposed_by_rule) == ("void_round", incident, True)
    assert Hold.objects.get(round=round_).lifted_at is None


def test_the_same_card_seen_goes_on_in_play_and_waits_for_nobody(platform: Platform, floor: Client) -> None:
    round_ = played_under("insurance")
    status, where, _page = report(floor, f"round={round_.pk}&code=card_dropped_seen")
    incident = Incident.objects.get()
    assert (status, where) == (302, f"/admin/audit/incident/{incident.pk}/change/")
    assert (incident.status, Hold.objects.count(), Ruling.objects.count()) == ("closed", 0, 0)
    assert "It changed nothing, so nobody had to decide." in floor.get(where).content.decode()


def test_only_the_facts_that_change_the_remedy_are_asked(platform: Platform, floor: Client) -> None:
    round_ = played_under("live-commission")
    url = f"/admin/audit/incident/report/?round={round_.pk}&code=card_dropped_seen"
    page = floor.get(url).content.decode()
    asked = re.findall(r'<span id="fact-\d+">([^<]+)</span>', page)
    assert asked == ["Fell off the table", "A round is running"]
    assert "Answer the facts" in page  # off the table or only out of view is for a person to say
    status, _where, text = report(floor, f"round={round_.pk}&code=card_dropped_seen")
    assert (status, "Answer the facts that decide first." in text) == (400, True)
    fell = floor.get(f"{url}&off_table=yes&round_running=yes").content.decode()
    assert "Void, start a new round, Replace the shoe" in fell
    assert (
        report(floor, f"round={round_.pk}&code=card_dropped_seen&off_table=yes&round_running=yes")[0] == 302
    )
    assert Ruling.objects.get().facts == {"also": ["replace_shoe"]}
    assert Incident.objects.get().facts == {"off_table": True, "round_running": True}


def test_facts_that_leave_one_remedy_need_no_more_answers() -> None:
    entry = load_shipped("live-commission").incidents["card_dropped_seen"]
    assert facts_that_decide(entry) == ("off_table", "round_running")
    assert decided_case(entry, {}) is None
    assert decided_case(entry, {"off_table": True}) is None
    only_out_of_view = decided_case(entry, {"off_table": False})
    assert only_out_of_view is not None and only_out_of_view.remedies == ("manager",)
    misdeal = load_shipped("insurance").incidents["misdeal"]
    assert decided_case(misdeal, {}) is misdeal.cases[0]


def test_a_correction_goes_on_to_the_cards(played: Round, floor: Client) -> None:
    query = f"round={played.pk}&code=card_misplaced&card_number=5"
    assert (
        "Hold round 1, enter the cards"
        in floor.get(f"/admin/audit/incident/report/?{query}").content.decode()
    )
    _status, where, _page = report(floor, query)
    incident = Incident.objects.get()
    assert where == f"/admin/audit/ruling/ask/?round={played.pk}&incident={incident.pk}&kind=correct"
    page = floor.get(where).content.decode()
    assert incident.number in page and "Remedy proposed by the rule" in page


def test_another_remedy_is_asked_for_with_a_reason(platform: Platform, floor: Client) -> None:
    round_ = played_under("insurance")
    _status, where, _page = report(floor, f"round={round_.pk}&code=card_dropped_unseen", then="another")
    assert Hold.objects.filter(round=round_, lifted_at=None).count() == 1
    assert not Ruling.objects.exists()
    page = floor.get(f"{where}&kind=re_deal").content.decode()
    assert "Not what the rule proposes" in page and "Let it stand" in page


def test_reporting_twice_records_once(platform: Platform, floor: Client) -> None:
    round_ = played_under("insurance")
    first, second = (report(floor, f"round={round_.pk}&code=card_dropped_unseen") for _ in range(2))
    assert first[1] == second[1]
    assert (Incident.objects.count(), Ruling.objects.count(), Hold.objects.count()) == (1, 1, 1)


def test_a_report_stands_even_where_another_ruling_is_open(
    platform: Platform, supervisor: User, floor: Client
) -> None:
    round_ = played_under("insurance")
    ask(supervisor, RulingKind.RE_DEAL, [round_], at=now())
    _status, where, _page = report(floor, f"round={round_.pk}&code=card_dropped_unseen")
    incident = Incident.objects.get()
    assert where == f"/admin/audit/incident/{incident.pk}/change/"
    assert "Another ruling is open on this round." in floor.get(where).content.decode()
    assert (Ruling.objects.count(), incident.hold is not None) == (1, True)


def test_what_happens_most_at_a_table_stands_first(played: Round, supervisor: User, floor: Client) -> None:
    for code in ("system_failure", "misdeal", "system_failure"):
        actor = Actor.of_user(supervisor)
        report_incident(
            table=played.table, code=code, facts={}, actor=actor, at=now(), round_=played, user=supervisor
        )
    page = floor.get(f"/admin/audit/incident/report/?round={played.pk}").content.decode()
    codes = re.findall(r"code=(\w+)", page)
    assert codes[:2] == ["system_failure", "misdeal"]
    assert len(codes) == 6 and "All 22" in page
    everything = floor.get(f"/admin/audit/incident/report/?round={played.pk}&all=1").content.decode()
    assert len(re.findall(r"code=(\w+)", everything)) == 22


@pytest.mark.parametrize("code", ["", "nothing_like_it", "%00"])
def test_what_the_catalogue_does_not_know_is_refused(code: str, played: Round, floor: Client) -> None:
    status, _where, page = report(floor, f"round={played.pk}&code={code}")
    assert (status, "Nothing was done." in page) == (400, True)
    assert not Incident.objects.exists()


def test_a_table_and_a_shoe_can_be_reported_too(platform: Platform, floor: Client) -> None:
    table = Platform(make_table("B07", "live-commission"))
    table.start(burn=None)
    page = floor.get(f"/admin/tables/gametable/{table.table.pk}/change/").content.decode()
    assert f"/admin/audit/incident/report/?table={table.table.pk}" in page
    status, _where, _page = report(floor, f"table={table.table.pk}&code=system_failure")
    assert status == 302
    shoe = table.table.shoes.get()
    assert report(floor, f"shoe={shoe.pk}&code=card_exposed_in_shuffle")[0] == 302
    ruling = Ruling.objects.get(kind="replace_shoe")
    assert (ruling.shoe, ruling.rounds_count, ruling.facts) == (shoe, 0, {"also": ["reshuffle"]})


def test_a_hold_of_over_ten_minutes_is_red_in_the_queue(
    played: Round, supervisor: User, office: Client
) -> None:
    actor, then = Actor.of_user(supervisor), now() - timedelta(minutes=11)
    report_incident(
        table=played.table, code="misdeal", facts={}, actor=actor, at=then, round_=played, user=supervisor
    )
    escalate_late_holds(now=now())
    page = office.get("/admin/").content.decode()
    assert "over 10 min" in page
    incident = Incident.objects.get()
    assert "Over 10 minutes" in office.get(f"/admin/audit/incident/{incident.pk}/change/").content.decode()


def test_the_queue_shows_each_what_waits_for_them(
    platform: Platform, played: Round, supervisor: User, floor: Client, office: Client
) -> None:
    later = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    other = platform.play(PLAYER_WINS, ("b9", "P-1", "player", 100))
    sooner = ask(supervisor, RulingKind.VOID_ROUND, [other], at=now() - timedelta(minutes=20))
    page = office.get("/admin/").content.decode()
    links = re.findall(r'class="bc-button[^"]*" href="/admin/audit/ruling/(\d+)/change/"', page)
    assert links == [str(sooner.pk), str(later.pk)]
    assert page.count("bc-button-main") == 1
    own = floor.get("/admin/").content.decode()
    assert "asked by you, waits for another person" in own and "Nothing waits for an approval." in own


def test_the_head_says_that_the_round_is_held_already(platform: Platform, floor: Client) -> None:
    round_ = platform.round(platform.open_round())
    url = f"/admin/audit/incident/report/?round={round_.pk}"
    assert ">Held<" not in floor.get(url).content.decode()
    Hold.objects.create(round=round_, reason="card_dropped_unseen", placed_at=platform.at)
    assert ">Held</span>" in floor.get(url).content.decode()
