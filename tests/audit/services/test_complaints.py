"""Complaints: in time or late, complete or not, and each state they go through; times by hand."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import (
    Complaint,
    ComplaintChannel,
    ComplaintEvent,
    ComplaintStatus,
    RulingKind,
    VideoHold,
)
from audit.queries.complaint_times import disputed_event
from audit.rules.complaints import Said
from audit.services.complaint_record import BadComplaint, CannotChange
from audit.services.complaint_verbs import (
    accept_complaint,
    answer_complaint,
    close_complaint,
    decide_complaint,
    merge_complaint,
    note_complaint,
    refuse_complaint,
    reopen_complaint,
    review_complaint,
)
from audit.services.complaint_watch import escalate_complaints
from audit.services.complaints import Filed, add_information, file_complaint, judge_complaint
from tables.models import FeedEvent, IllegalTransition, JournalEntry, Round
from tables.services.actors import Actor, NotAllowed
from tests.audit.deciding import MANAGES, SUPERVISES, make_user, rule
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

HANDLES = ("audit.handle_complaint", "audit.request_consent")
DECIDES = (*MANAGES, *HANDLES, "audit.decide_complaint", "audit.give_consent")
DAY = timedelta(hours=24)
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def round_(platform: Platform) -> Round:
    """Provide a settled round: the Player won 9 to 2."""
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100), ("b2", "P-10002", "banker", 150))


@pytest.fixture
def agent(platform: Platform) -> User:
    return make_user("pim", *HANDLES)


@pytest.fixture
def manager(platform: Platform, agent: User) -> User:
    return make_user("nattaya", *DECIDES)


def result_at(round_: Round) -> datetime:
    """Return when the server had the result: the demo's feed is read 50 ms after the last event's time."""
    return FeedEvent.objects.get(round=round_, type="round_result").received_at


def said_of(round_: Round, **changes: Any) -> Said:
    """Say everything right about a round."""
    said = Said(
        played_at=round_.betting_opened_at.replace(second=0, microsecond=0),
        zone="Asia/Bangkok",
        table="B01",
        dealer="Mali Chantara",
        round=round_.public_id,
        player="P-10001",
        disputed="Banker stood on five",
        contact="chat 4411",
    )
    return replace(said, **changes)


def file(said: Said, user: User | None, at: datetime, **more: Any) -> Filed:
    actor = Actor.of_user(user) if user else Actor.of_key("abcdef012345")
    return file_complaint(
        said=said, channel=ComplaintChannel.CHAT, language="th", actor=actor, user=user, at=at, **more
    )


def by(user: User, complaint: Complaint, at: datetime, **more: Any) -> dict[str, Any]:
    """Make the arguments of a verb by somebody who has just looked."""
    complaint.refresh_from_db()
    who = {"actor": Actor.of_user(User.objects.get(pk=user.pk)), "user": user, "at": at}
    return {"complaint_id": complaint.pk, "seen_version": complaint.version, **who, **more}


def test_a_complaint_with_everything_right_is_received_and_the_video_asked_for(
    round_: Round, agent: User
) -> None:
    at = result_at(round_) + timedelta(hours=20, minutes=48)
    complaint = file(said_of(round_), agent, at).complaint
    assert (complaint.status, complaint.refusal, complaint.version) == ("received", "", 1)
    assert complaint.round == round_ and complaint.player is not None
    assert complaint.window_ends_at == result_at(round_) + DAY
    assert complaint.answer_due_at == at + timedelta(days=10)
    assert complaint.checks == {
        "played_at": "agrees",
        "table": "agrees",
        "dealer": "agrees",
        "round_number": "agrees",
        "player": "agrees",
        "bet": "missing",
    }
    hold = VideoHold.objects.get(round=round_)
    assert (hold.status, hold.camera, hold.causes.get().complaint) == ("asked", "B01", complaint)
    entry = JournalEntry.objects.get(action="complaint.filed")
    body = bytes(entry.body).decode()
    assert '"status":"received"' in body and '"words_commitment":"' in body
    assert "P-10001" not in body and "Banker stood" not in body and "4411" not in body


@pytest.mark.parametrize(
    ("late_by", "status", "refusal"),
    [(timedelta(0), "received", ""), (-MOMENT, "received", ""), (MOMENT, "refused", "late")],
)
def test_the_last_microsecond_of_24_hours_is_in_time(
    round_: Round, agent: User, late_by: timedelta, status: str, refusal: str
) -> None:
    complaint = file(said_of(round_), agent, result_at(round_) + DAY + late_by).complaint
    assert (complaint.status, complaint.refusal) == (status, refusal)
    assert VideoHold.objects.filter(causes__complaint=complaint).exists() is (status == "received")


def test_a_void_and_a_correction_are_new_events_to_dispute(round_: Round, agent: User, manager: User) -> None:
    asker = make_user("suda", *SUPERVISES)
    ruled_at = result_at(round_) + timedelta(hours=23)
    rule(asker, manager, RulingKind.VOID_KINDS, [round_], at=ruled_at, facts={"kinds": ["banker"]})
    event = disputed_event(Round.objects.get(pk=round_.pk))
    assert event is not None and (event.kind, event.at) == ("correction", ruled_at)
    rule(asker, manager, RulingKind.VOID_ROUND, [round_], at=ruled_at + timedelta(hours=1))
    event = disputed_event(Round.objects.get(pk=round_.pk))
    assert event is not None and (event.kind, event.at) == ("void", ruled_at + timedelta(hours=1))
    # 48 hours after the result, and to the microsecond 24 after the void.
    complaint = file(said_of(round_), agent, result_at(round_) + 2 * DAY).complaint
    assert (complaint.status, complaint.event_kind) == ("received", "void")
    late = file(said_of(round_), agent, result_at(round_) + 2 * DAY + MOMENT).complaint
    assert late.refusal == "late"


@pytest.mark.parametrize("left_out", ["played_at", "table", "dealer", "round"])
def test_without_one_of_the_four_details_it_is_recorded_and_refused(
    round_: Round, agent: User, left_out: str
) -> None:
    said = replace(said_of(round_, round="1"), **{left_out: None if left_out == "played_at" else ""})
    complaint = file(said, agent, result_at(round_)).complaint
    assert (complaint.status, complaint.refusal) == ("refused", "incomplete")
    named = {"round": "round_number"}.get(left_out, left_out)
    assert complaint.events.get().data["missing"] == [named]


def test_a_house_may_let_an_incomplete_one_wait(round_: Round, agent: User, settings: Any) -> None:
    settings.COMPLAINT_WHEN_INCOMPLETE = "wait"
    complaint = file(said_of(round_, dealer=""), agent, result_at(round_)).complaint
    assert (complaint.status, complaint.refusal) == ("waiting", "")
    # Two days later the name comes; it was received in time, and stays so.
    done = add_information(
        **by(
            agent,
            complaint,
            result_at(round_) + 2 * DAY,
            said=Said(dealer="mali chantara"),
        )
    )
    assert (done.status, done.version, done.checks["dealer"]) == ("received", 2, "agrees")
    assert done.checks["table"] == "agrees"


def test_a_late_one_does_not_wait_even_if_incomplete(round_: Round, agent: User, settings: Any) -> None:
    settings.COMPLAINT_WHEN_INCOMPLETE = "wait"
    complaint = file(said_of(round_, dealer=""), agent, result_at(round_) + DAY + MOMENT).complaint
    assert (complaint.status, complaint.refusal) == ("refused", "late")


def test_a_wrong_dealer_is_shown_and_refuses_nothing(round_: Round, agent: User) -> None:
    complaint = file(said_of(round_, dealer="Mali Chantra"), agent, result_at(round_)).complaint
    assert (complaint.status, complaint.checks["dealer"]) == ("received", "differs")


def test_an_unknown_round_is_refused_as_such_and_a_slip_is_told(round_: Round, agent: User) -> None:
    good = round_.public_id
    wrong = good[:-1] + ("A" if good[-1] != "A" else "B")
    filed = file(said_of(round_, round=wrong), agent, result_at(round_))
    assert (filed.complaint.refusal, filed.did_you_mean) == ("unknown_round", (good,))
    assert filed.complaint.round is None


def test_a_number_alone_names_the_round_played_nearest_to_the_time(round_: Round, agent: User) -> None:
    judged = judge_complaint(said_of(round_, round="1"), received_at=result_at(round_))
    assert judged.meant.round == round_ and judged.checks["round_number"] == "agrees"
    nowhere = judge_complaint(said_of(round_, round="2"), received_at=result_at(round_))
    assert nowhere.meant.round is None and nowhere.refusal == "unknown_round"


def test_a_round_may_be_named_as_the_platform_names_it(round_: Round, agent: User) -> None:
    judged = judge_complaint(said_of(round_, round=round_.platform_id), received_at=result_at(round_))
    assert (judged.meant.round, judged.checks["round_number"], judged.refusal) == (round_, "agrees", None)
    # Unlike ours, the platform's ID does not say which table it was.
    lacking = judge_complaint(
        said_of(round_, round=round_.platform_id, table=""), received_at=result_at(round_)
    )
    assert (lacking.meant.round, lacking.missing) == (round_, ("table",))
    elsewhere = said_of(round_, round=round_.platform_id, table="B02")
    assert judge_complaint(elsewhere, received_at=result_at(round_)).checks["table"] == "differs"


def test_the_same_key_makes_one_complaint_and_another_text_is_a_conflict(round_: Round) -> None:
    at = result_at(round_)
    key = {"sender": "abcdef012345", "idempotency_key": "m-1"}
    first = file(said_of(round_), None, at, **key)
    again = file(said_of(round_), None, at + DAY, **key)
    assert (first.is_repeat, again.is_repeat) == (False, True)
    assert again.complaint == first.complaint and again.complaint.source == "api"
    with pytest.raises(CannotChange, match="says something else"):
        file(said_of(round_, disputed="another thing"), None, at, **key)
    assert Complaint.objects.count() == 1


def test_from_intake_to_closed_every_step_is_an_event_and_an_entry(
    round_: Round, agent: User, manager: User
) -> None:
    at = result_at(round_)
    complaint = file(said_of(round_), agent, at).complaint
    accept_complaint(**by(agent, complaint, at))
    review_complaint(**by(agent, complaint, at))
    note_complaint(**by(agent, complaint, at, text="camera shows the fourth card"))
    decide_complaint(**by(manager, complaint, at, is_upheld=True, reason="the Banker had to draw"))
    with pytest.raises(CannotChange, match="no answer yet"):
        close_complaint(**by(agent, complaint, at))
    answer = {"text": "You were right.", "language": "en", "template": "upheld", "closes": True}
    answer_complaint(**by(agent, complaint, at, **answer))
    complaint.refresh_from_db()
    assert (complaint.status, complaint.outcome, complaint.owner) == ("closed", "upheld", agent)
    steps = list(complaint.events.order_by("version").values_list("action", "to_status"))
    assert steps == [
        ("filed", "received"),
        ("accepted", "accepted"),
        ("reviewed", "under_review"),
        ("noted", "under_review"),
        ("upheld", "upheld"),
        ("answered", "upheld"),
        ("closed", "closed"),
    ]
    actions = JournalEntry.objects.filter(subject_type="complaint").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == [f"complaint.{action}" for action, _ in steps]
    assert ComplaintEvent.objects.get(action="answered").text.text == "You were right."


def test_a_closed_one_is_opened_again_only_with_a_reason(round_: Round, agent: User, manager: User) -> None:
    at = result_at(round_)
    complaint = file(said_of(round_), agent, at).complaint
    accept_complaint(**by(agent, complaint, at))
    review_complaint(**by(agent, complaint, at))
    decide_complaint(**by(manager, complaint, at, is_upheld=False, reason="dealt by the rules"))
    answer = {"text": "No.", "language": "en", "template": "rejected", "closes": True}
    answer_complaint(**by(agent, complaint, at, **answer))
    with pytest.raises(BadComplaint, match="say it in words"):
        reopen_complaint(**by(manager, complaint, at, reason=" "))
    with pytest.raises(CannotChange, match="say why"):
        review_complaint(**by(agent, complaint, at))
    reopen_complaint(**by(manager, complaint, at, reason="a second camera"))
    complaint.refresh_from_db()
    assert (complaint.status, complaint.outcome, complaint.closed_at) == ("under_review", "", None)


def test_one_that_was_refused_and_opened_again_is_taken_only_once_it_is_whole(
    round_: Round, agent: User, manager: User
) -> None:
    at = result_at(round_)
    lacking = file(said_of(round_, dealer=""), agent, at).complaint
    reopen_complaint(**by(manager, lacking, at, reason="the player called back"))
    lacking.refresh_from_db()
    assert (lacking.status, lacking.refusal) == ("received", "")
    with pytest.raises(CannotChange, match="does not name: dealer"):
        accept_complaint(**by(agent, lacking, at))
    add_information(**by(agent, lacking, at, said=Said(dealer="Mali Chantara")))
    assert accept_complaint(**by(agent, lacking, at)).status == "accepted"
    nowhere = file(said_of(round_, round="999"), agent, at).complaint
    assert nowhere.refusal == "unknown_round"
    reopen_complaint(**by(manager, nowhere, at, reason="a slip of ours"))
    with pytest.raises(CannotChange, match="names no round"):
        accept_complaint(**by(agent, nowhere, at))
    add_information(**by(agent, nowhere, at, said=Said(round=round_.public_id)))
    assert accept_complaint(**by(agent, nowhere, at)).round == round_


def test_one_that_is_opened_again_and_then_names_a_round_of_too_long_ago_is_late(
    round_: Round, agent: User, manager: User
) -> None:
    at = result_at(round_) + DAY + MOMENT
    complaint = file(said_of(round_, round="999"), agent, at).complaint
    reopen_complaint(**by(manager, complaint, at, reason="a slip of ours"))
    done = add_information(**by(agent, complaint, at, said=Said(round=round_.public_id)))
    assert (done.status, done.refusal) == ("refused", "late")


def test_states_are_not_jumped_and_rights_are_asked_for(round_: Round, agent: User, manager: User) -> None:
    at = result_at(round_)
    complaint = file(said_of(round_), agent, at).complaint
    with pytest.raises(IllegalTransition):
        decide_complaint(**by(manager, complaint, at, is_upheld=True, reason="at once"))
    with pytest.raises(NotAllowed):
        decide_complaint(**by(agent, complaint, at, is_upheld=True, reason="at once"))
    with pytest.raises(NotAllowed):
        file(said_of(round_), make_user("orn"), at)
    assert ComplaintEvent.objects.count() == 1


def test_whoever_comes_second_is_told_and_nothing_is_lost(round_: Round, agent: User, manager: User) -> None:
    at = result_at(round_)
    complaint = file(said_of(round_), agent, at).complaint
    seen_by_both = by(manager, complaint, at)
    accept_complaint(**by(agent, complaint, at))
    with pytest.raises(CannotChange, match="was changed by pim meanwhile: it is at version 2, you saw 1"):
        refuse_complaint(**seen_by_both, reason="not ours")
    complaint.refresh_from_db()
    assert complaint.status == ComplaintStatus.ACCEPTED


def test_duplicates_are_merged_into_the_one_that_goes_on(round_: Round, agent: User) -> None:
    at = result_at(round_)
    first = file(said_of(round_), agent, at).complaint
    second = file(said_of(round_, contact="mail"), agent, at).complaint
    other = file(said_of(round_, player="P-10002"), agent, at).complaint
    with pytest.raises(CannotChange, match="not of the same round and player"):
        merge_complaint(**by(agent, other, at, into_number=first.number))
    refused = file(said_of(round_, dealer=""), agent, at).complaint
    with pytest.raises(CannotChange, match="does not go on"):
        merge_complaint(**by(agent, second, at, into_number=refused.number))
    merge_complaint(**by(agent, second, at, into_number=first.number.lower()))
    second.refresh_from_db()
    assert (second.status, second.merged_into) == ("closed", first)
    # Nobody knows whether two that name no player are of the same one.
    nameless = [file(said_of(round_, player=""), agent, at).complaint for _ in range(2)]
    with pytest.raises(CannotChange, match="not of the same round and player"):
        merge_complaint(**by(agent, nameless[1], at, into_number=nameless[0].number))
    with pytest.raises(CannotChange, match="goes on as another"):
        reopen_complaint(**by(make_user("nok", *DECIDES), second, at, reason="again"))


def test_it_is_escalated_a_day_before_its_answer_is_due(round_: Round, agent: User) -> None:
    at = result_at(round_)
    complaint = file(said_of(round_), agent, at).complaint
    assert escalate_complaints(now=at + timedelta(days=9)) == 0
    assert escalate_complaints(now=at + timedelta(days=9) + MOMENT) == 1
    assert escalate_complaints(now=at + timedelta(days=9, hours=1)) == 0
    complaint.refresh_from_db()
    assert complaint.escalated_at == at + timedelta(days=9) + MOMENT


@pytest.mark.parametrize(
    ("window", "answer", "days", "due_days"),
    [
        ("5 business days", "10 days", 8, 10),  # from Sunday 29 November: Mon, Tue, Thu, Fri, Mon 7 December
        ("7 days", "5 business days", 7, 8),
        ("24 hours", "8 weeks", 1, 56),
    ],
)
def test_the_houses_calendar_counts_for_both_clocks(
    round_: Round, agent: User, settings: Any, window: str, answer: str, days: int, due_days: int
) -> None:
    settings.COMPLAINT_FILING_WINDOW, settings.COMPLAINT_ANSWER_WITHIN = window, answer
    settings.COMPLAINT_HOLIDAYS = ["2026-12-02"]  # a Wednesday
    at, last = result_at(round_), result_at(round_) + timedelta(days=days)
    first = file(said_of(round_), agent, at).complaint
    assert (first.window_ends_at, first.answer_due_at) == (last, at + timedelta(days=due_days))
    assert file(said_of(round_), agent, last).complaint.status == "received"
    assert file(said_of(round_), agent, last + MOMENT).complaint.refusal == "late"


def test_a_time_that_is_told_anew_is_told_with_its_own_zone_and_seconds(
    round_: Round, agent: User, settings: Any
) -> None:
    settings.COMPLAINT_WHEN_INCOMPLETE = "wait"
    begun = round_.betting_opened_at  # at noon, five in the morning by UTC
    said = said_of(round_, dealer="", played_at=begun + timedelta(hours=9, seconds=7), has_seconds=True)
    complaint = file(said, agent, result_at(round_)).complaint
    assert (complaint.checks["played_at"], begun.second > 0) == ("differs", True)
    minute = begun.replace(second=0, microsecond=0)
    told = Said(played_at=minute)
    done = add_information(**by(agent, complaint, result_at(round_), said=told))
    assert done.checks["played_at"] == "agrees"
    words = done.events.get(version=2).words
    assert (words.played_at, words.zone) == (minute, "")


def test_settings_give_another_window_and_another_answer_time(
    round_: Round, agent: User, settings: Any
) -> None:
    settings.COMPLAINT_FILING_WINDOW, settings.COMPLAINT_ANSWER_WITHIN = "7 days", "8 weeks"
    at = result_at(round_) + timedelta(days=7)
    complaint = file(said_of(round_), agent, at).complaint
    assert (complaint.status, complaint.answer_due_at) == ("received", at + timedelta(days=56))
