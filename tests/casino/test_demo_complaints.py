"""The demo's complaints: one in every state, late, incomplete and wrong ones, taken down once."""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import call_command

from audit.models import Complaint, ComplaintStatus, Consent, VideoHold
from audit.services.verifying import Run
from casino.demo import complaints as demo_complaints
from casino.demo.complaints import CASES, complain
from tests.audit.sealed import LOG, seal
from tests.tables.playing import NOON, Platform, make_table, publish_all

pytestmark = pytest.mark.django_db
SUITS = "HDCS"
NOW = NOON + timedelta(days=3)


@pytest.fixture(autouse=True)
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play three rounds that are two days old and twelve of the last hours."""
    monkeypatch.setattr(demo_complaints, "APART", 1)
    publish_all()
    platform = Platform(make_table(rulebook="commission"), at=NOON + timedelta(days=1))
    platform.start()
    call_command("set_up_roles", "--demo", verbosity=0)
    for number in range(15):
        if number == 3:
            platform.at = NOW - timedelta(hours=3)
        # The same coup in other suits: of no card are there more than eight.
        coup = "9{} 2{} K{} Q{}".format(*SUITS[number % 4 :], *SUITS[: number % 4])
        platform.play(coup, (f"w{number}", f"P-{10_001 + number}", "player", 100))
        platform.at += timedelta(minutes=5)


def test_there_is_a_complaint_in_every_state_and_every_refusal() -> None:
    assert complain(["B01"], now=NOW) == f"{len(CASES)} complaints taken down, in every state"
    assert set(Complaint.objects.values_list("status", flat=True)) == {one.value for one in ComplaintStatus}
    refusals = Counter(Complaint.objects.filter(status="refused").values_list("refusal", flat=True))
    assert refusals == {"incomplete": 1, "unknown_round": 1, "late": 2}
    assert [one.checks["dealer"] for one in Complaint.objects.all()].count("differs") == 2
    assert Complaint.objects.get(admission__isnull=False).status == "accepted"
    assert Complaint.objects.filter(merged_into__isnull=False).count() == 1
    assert Counter(Consent.objects.values_list("status", flat=True)) == {"requested": 1, "approved": 1}
    assert VideoHold.objects.filter(status="asked").exists()


def test_clocks_still_run_and_nothing_lies_in_the_future() -> None:
    complain(["B01"], now=NOW)
    running = Complaint.objects.filter(status__in=["received", "accepted", "under_review"])
    assert all(one.answer_due_at > NOW and one.received_at < NOW for one in running)
    late = Complaint.objects.filter(refusal="late")
    assert all(one.window_ends_at and one.received_at > one.window_ends_at for one in late)


def test_a_second_time_nothing_is_taken_down() -> None:
    complain(["B01"], now=NOW)
    before = Complaint.objects.count()
    assert complain(["B01"], now=NOW + timedelta(hours=1)) == ""
    assert Complaint.objects.count() == before == len(CASES) + 1


def test_every_step_agrees_with_the_journal() -> None:
    complain(["B01"], now=NOW)
    seal()
    assert [str(problem) for problem in Run(LOG.verifier, None, "").find()] == []
