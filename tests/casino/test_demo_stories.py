"""The demo's day holds incidents in every state, told by the services, the same for the same seed."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from io import StringIO

import pytest
from django.core.management import call_command

from audit.models import Incident, Notice, Ruling
from casino.counterparts.platform import write_day
from casino.demo import play as demo_play
from casino.demo import settling
from casino.demo.deciding import swapped
from casino.demo.house import DEMO_TABLES
from casino.demo.settling import WorkerAtHand
from casino.demo.stories import STORIES, End
from tables.models import Round, Settlement
from tables.rulebooks import load_shipped
from tests.casino.working import work
from tests.tables.playing import lines_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def short_day(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a day be one shoe of ten rounds, and somebody stand for the worker."""
    monkeypatch.setattr(demo_play, "write_day", partial(write_day, rounds=10))
    monkeypatch.setattr(WorkerAtHand, "want", lambda self: work())
    monkeypatch.setattr(settling, "RING_SECONDS", 0.0)
    yield


def demo(*arguments: str) -> str:
    said = StringIO()
    call_command("demo", "--shoes", "1", *arguments, stdout=said)
    return said.getvalue()


def told() -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Return each incident of a person: of what, in which state, and what was asked for."""
    found = Incident.objects.filter(source="person").select_related("round", "table").order_by("pk")
    return [
        (
            one.code,
            one.round.platform_id if one.round else one.table.code,
            one.status,
            tuple(f"{ruling.kind} {ruling.status}" for ruling in one.rulings.order_by("pk")),
        )
        for one in found
    ]


@pytest.mark.usefixtures("short_day")
def test_the_day_has_incidents_in_every_state_under_every_rulebook() -> None:
    said = demo()
    assert "17 incidents were reported and, where somebody had to, decided about" in said
    incidents = Incident.objects.filter(source="person")
    assert incidents.count() == 17
    assert Counter(incidents.values_list("status", flat=True)) == {"open": 9, "closed": 3, "ruled": 5}
    assert Counter(Ruling.objects.values_list("status", flat=True)) == {
        "requested": 3,
        "applied": 5,
        "stopped": 1,
        "refused": 1,
        "expired": 1,
        "stale": 1,
    }
    assert incidents.values("rulebook").distinct().count() == 6
    persons = Ruling.objects.filter(status="applied").values_list(
        "requested_by_person__name", "decided_by_person__name"
    )
    assert sorted(persons) == [
        ("Jintana Sriwan", "Nattaya Suksan"),
        ("Jintana Sriwan", "Nattaya Suksan"),
        ("Jintana Sriwan", "Prasit Kaewmala"),
        ("Nattaya Suksan", "Nattaya Suksan"),  # a round that stands moves nothing: one person is enough
        ("Suda Charoen", "Prasit Kaewmala"),
    ]


@pytest.mark.usefixtures("short_day")
def test_the_ledger_agrees_after_all_that_was_decided() -> None:
    demo()
    said = StringIO()
    call_command("verify_ledger", stdout=said)
    assert "agree" in said.getvalue()
    stopped = Ruling.objects.get(status="stopped")
    assert list(stopped.rounds.order_by("round__number").values_list("round__number", "status")) == [
        (2, "applied"),
        (3, "applied"),
        (4, "waiting"),
        (5, "waiting"),
        (6, "waiting"),
    ]
    dropped = Ruling.objects.get(incident__code="card_dropped_unseen", status="applied")
    results = {result for result, _ in lines_of(Round.objects.get(ruling_rounds__ruling=dropped)).values()}
    assert results == {"void"}
    assert Notice.objects.filter(ruling=dropped).exists()
    assert Settlement.objects.filter(authority=dropped.uuid, revision=2).count() == 1


@pytest.mark.usefixtures("short_day")
def test_the_stories_are_told_once_and_follow_the_seed() -> None:
    demo("--tables", "B03,B06")
    once = told()
    assert len(once) == 5
    assert "incidents were reported" not in demo("--tables", "B03,B06")
    assert told() == once


def test_two_cards_that_may_have_been_taken_for_each_other() -> None:
    # Player 6 and 7, Banker 5 and 4: with the third cards the other way round the Player has 6, the Banker 2.
    tie = {"P1": "6S", "B1": "KH", "P2": "6D", "B2": "5C", "P3": "7S", "B3": "4H"}
    assert swapped(tie) == {**tie, "P3": "4H", "B3": "7S"}
    assert swapped({"P1": "9S"}) == {}


def test_every_story_is_of_its_tables_catalogue_and_every_end_is_told() -> None:
    for story in STORIES:
        assert story.code in load_shipped(DEMO_TABLES[story.table].rulebook).incidents
    assert {story.end for story in STORIES} == set(End)
    assert len({story.note for story in STORIES}) == len(STORIES)
