"""Holds on video: asked at once, asked again, acknowledged, lapsed with an alarm, released by two persons."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from audit.models import Incident, IncidentSource, RulingKind, VideoHold
from audit.queries.video import due_holds, urgent_holds, video_of
from audit.services.complaint_record import BadComplaint, CannotChange
from audit.services.consents import ask_to_release, give_consent
from audit.services.incidents import report_incident
from audit.services.recording import ask_recorder, lapse_holds
from audit.services.rulings import CannotDecide
from audit.services.video import hold_video, note_alarm
from tables.models import JournalEntry, Round
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.setup import change_table_camera
from tests.audit.deciding import MANAGES, SUPERVISES, ask, make_user, rule
from tests.audit.recorder import OwnRecorder
from tests.tables.playing import NOON, Platform, make_table

DAY = timedelta(hours=24)
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[OwnRecorder]:
    with OwnRecorder(tmp_path / "recorder.log") as started:
        yield started


@pytest.fixture
def platform(transactional_db: None) -> Platform:
    platform = Platform(make_table(rulebook="commission"), at=datetime.now(UTC) - timedelta(minutes=5))
    platform.start()
    return platform


def play(platform: Platform) -> Round:
    return platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 150))


@pytest.fixture
def round_(platform: Platform) -> Round:
    """Provide a round settled just now: the recorder goes by its own clock."""
    return play(platform)


def report(round_: Round, at: datetime) -> VideoHold:
    report_incident(
        table=round_.table,
        code="misdeal",
        facts={},
        actor=SYSTEM,
        at=at,
        round_=round_,
        source=IncidentSource.API,
    )
    return VideoHold.objects.get(round=round_)


def asked(hold: VideoHold, recorder: OwnRecorder, now: datetime) -> VideoHold:
    ask_recorder(hold_ids=due_holds(now), now=now, client=recorder.client())
    return VideoHold.objects.get(pk=hold.pk)


def test_a_round_has_its_camera_its_times_and_the_end_of_its_video(round_: Round) -> None:
    reference = video_of(round_)
    assert (reference.camera, reference.from_at, reference.to_at) == (
        "B01",
        round_.betting_opened_at,
        round_.resulted_at,
    )
    assert round_.resulted_at is not None and reference.expires_at == round_.resulted_at + DAY


def test_a_round_keeps_the_camera_it_was_dealt_under(platform: Platform) -> None:
    round_ = play(platform)
    administrator = Actor.of_user(make_user("rung", "tables.set_up_table"))
    at = datetime.now(UTC)
    change_table_camera(table=round_.table, camera="pit-2", actor=administrator, at=at)
    second = platform.play("8H 3D QC JS")
    change_table_camera(table=round_.table, camera="pit-3", actor=administrator, at=at)
    found = {one.pk: video_of(one).camera for one in Round.objects.select_related("table")}
    assert found == {round_.pk: "B01", second.pk: "pit-2"}
    assert Round.objects.get(pk=second.pk).camera == "pit-2"
    assert report(second, at).camera == "pit-2"


def test_an_incident_asks_at_once_and_the_recorder_acknowledges(round_: Round, recorder: OwnRecorder) -> None:
    at = datetime.now(UTC)
    hold = report(round_, at)
    assert (hold.status, hold.due_at) == ("asked", at)
    hold = asked(hold, recorder, at)
    assert (hold.status, hold.answered_at, hold.due_at, hold.attempts) == ("held", at, None, 1)
    assert list(recorder.shelf.holds()) == [str(hold.uuid)]
    actions = JournalEntry.objects.filter(action__startswith="video.").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == ["video.asked", "video.held"]


def test_a_second_cause_joins_the_hold_that_is_there(round_: Round) -> None:
    hold = report(round_, NOON)
    ruling = ask(make_user("suda", *SUPERVISES), RulingKind.VOID_ROUND, [round_])
    assert VideoHold.objects.count() == 1
    causes = list(hold.causes.order_by("pk"))
    assert [cause.incident is not None for cause in causes] == [True, False]
    assert causes[1].ruling == ruling


def test_of_a_round_that_is_dealt_again_the_second_deal_is_held_as_well(platform: Platform) -> None:
    round_ = play(platform)
    first = report(round_, NOON)
    rule(make_user("suda", *SUPERVISES), make_user("nattaya", *MANAGES), RulingKind.RE_DEAL, [round_])
    platform.say("redeal_started", round=round_.platform_id, decision="R-0001")
    platform.deal(round_.platform_id, "2D 9H QS KC", bell=False)
    round_.refresh_from_db()
    for _ in range(2):
        hold_video([round_], at=NOON, incident=Incident.objects.get())
    holds = VideoHold.objects.order_by("pk")
    assert [(hold.to_at, hold.status) for hold in holds] == [
        (first.to_at, "asked"),
        (round_.resulted_at, "asked"),
    ]
    assert first.to_at is not None and round_.resulted_at is not None and first.to_at < round_.resulted_at


def test_what_is_held_without_an_end_reaches_to_every_end(platform: Platform) -> None:
    name = platform.open_round()
    hold = report(platform.round(name), NOON)
    platform.deal(name, "9H 2D KC QS")
    hold_video([platform.round(name)], at=NOON, incident=Incident.objects.get())
    assert (hold.to_at, VideoHold.objects.count(), hold.causes.count()) == (None, 1, 2)


@pytest.mark.parametrize("fault", ["error_500", "lose_answer"])
def test_without_an_answer_it_is_asked_again_later(round_: Round, recorder: OwnRecorder, fault: str) -> None:
    at = datetime.now(UTC)
    hold = report(round_, at)
    recorder.server.faults.append(fault)
    hold = asked(hold, recorder, at)
    assert (hold.status, hold.due_at, hold.last_error != "") == ("asked", at + timedelta(seconds=5), True)
    assert due_holds(at + timedelta(seconds=5) - MOMENT) == []
    hold = asked(hold, recorder, at + timedelta(seconds=5))
    assert (hold.status, hold.attempts) == ("held", 2)


def test_what_the_recorder_refuses_stays_refused(round_: Round, recorder: OwnRecorder) -> None:
    recorder.server.faults.append("refuse")
    hold = asked(report(round_, datetime.now(UTC)), recorder, datetime.now(UTC))
    assert (hold.status, hold.last_error) == ("refused", "the camera was off")


def test_a_recorder_that_is_away_ends_in_an_alarm_and_a_late_word_still_counts(
    round_: Round, recorder: OwnRecorder
) -> None:
    at = datetime.now(UTC)
    hold = report(round_, at)
    recorder.server.faults.append("error_500")
    hold = asked(hold, recorder, at)
    assert urgent_holds(hold.lapses_at - timedelta(hours=6) - MOMENT, 8) == ([], [])
    assert urgent_holds(hold.lapses_at - timedelta(hours=6), 8) == ([hold], [])
    assert lapse_holds(now=hold.lapses_at) == 0
    gone = hold.lapses_at + MOMENT
    assert lapse_holds(now=gone) == 1
    hold.refresh_from_db()
    assert (hold.status, hold.alarmed_at, hold.due_at) == ("lapsed", gone, gone + timedelta(minutes=15))
    assert urgent_holds(gone, 8) == ([], [hold])
    assert JournalEntry.objects.filter(action="video.alarm").count() == 1
    hold = asked(hold, recorder, gone + timedelta(minutes=15))
    assert hold.status == "held"


def test_a_shoe_whose_video_is_refused_hides_nothing_that_is_about_to_lapse(round_: Round) -> None:
    now = datetime.now(UTC)
    near, far = [now + timedelta(hours=hours) for hours in (5, 1, 3)], now + timedelta(hours=23)
    VideoHold.objects.bulk_create(
        VideoHold(round=round_, camera=f"c{number}", from_at=now, lapses_at=lapses_at, asked_at=now)
        for number, lapses_at in enumerate([*near, *[far] * 20])
    )
    VideoHold.objects.filter(lapses_at=far).update(status="refused")
    urgent = urgent_holds(now, 8)
    assert [hold.camera for hold in urgent.lapsing] == ["c1", "c2", "c0"]
    assert [hold.status for hold in urgent.alarms] == ["refused"] * 8


def test_a_hold_is_released_by_two_persons_only(round_: Round, recorder: OwnRecorder) -> None:
    at = datetime.now(UTC)
    asker = make_user("pim", "audit.request_consent", "audit.give_consent")
    second = make_user("nattaya", *MANAGES, "audit.give_consent")
    hold = asked(report(round_, at), recorder, at)
    who = {"actor": Actor.of_user(asker), "user": asker, "at": at}
    consent = ask_to_release(hold_id=hold.pk, reason="closed a month ago", **who)
    with pytest.raises(CannotDecide, match="another person"):
        give_consent(consent_id=consent.pk, reason="", **who)
    with pytest.raises(IntegrityError, match="released only by two persons"), transaction.atomic():
        VideoHold.objects.filter(pk=hold.pk).update(status="releasing", release=consent)
    other: dict[str, Any] = {"actor": Actor.of_user(second), "user": second, "at": at}
    give_consent(consent_id=consent.pk, reason="agreed", **other)
    hold.refresh_from_db()
    assert (hold.status, hold.release) == ("releasing", consent)
    hold_video([round_], at=at, incident=Incident.objects.get())  # somebody needs it while it is let go of
    hold = asked(hold, recorder, at)
    assert (hold.status, hold.released_at) == ("released", at)
    again = VideoHold.objects.latest("pk")
    assert (again.status, list(recorder.shelf.holds())) == ("held", [str(again.uuid)])


def test_nobody_makes_a_hold_that_is_held_already(round_: Round) -> None:
    reference = video_of(round_)
    with pytest.raises(IntegrityError, match="begins when it is asked for"), transaction.atomic():
        VideoHold.objects.create(
            round=round_,
            camera=reference.camera,
            from_at=reference.from_at,
            lapses_at=reference.expires_at,
            asked_at=NOON,
            status="held",
        )


def test_an_alarm_ends_when_somebody_takes_note_of_it(round_: Round) -> None:
    now = datetime.now(UTC)
    hold = report(round_, now)
    manager = make_user("nattaya", *MANAGES, "audit.give_consent")
    who: dict[str, Any] = {"actor": Actor.of_user(manager), "user": manager, "at": now}
    with pytest.raises(CannotChange, match="no alarm"):
        note_alarm(hold_id=hold.pk, reason="so", **who)
    VideoHold.objects.update(status="lapsed", alarmed_at=now)
    assert urgent_holds(now, 8).alarms == [hold]
    with pytest.raises(BadComplaint):
        note_alarm(hold_id=hold.pk, reason=" ", **who)
    other = make_user("pim", *SUPERVISES)
    with pytest.raises(NotAllowed):
        note_alarm(hold_id=hold.pk, reason="so", **{**who, "actor": Actor.of_user(other), "user": other})
    assert not JournalEntry.objects.filter(action="video.noted").exists()
    note_alarm(hold_id=hold.pk, reason="the other camera shows it", **who)
    assert urgent_holds(now, 8).alarms == []
    assert JournalEntry.objects.filter(action="video.noted").count() == 1
    with pytest.raises(CannotChange, match="no alarm"):
        note_alarm(hold_id=hold.pk, reason="again", **who)
    refused = pytest.raises(DatabaseError, match="has taken note")
    with refused, transaction.atomic():
        VideoHold.objects.update(noted_because="something else")
    hold.refresh_from_db()
    assert (hold.noted_by, hold.noted_because) == (manager, "the other camera shows it")
