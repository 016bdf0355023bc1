"""Every verb in every state of a complaint: what it leads to, or a refusal that changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from audit.models import COMPLAINT_FLOW, Complaint, ComplaintStatus, RulingKind
from audit.rules.complaints import Said
from audit.services import complaint_verbs as verbs
from audit.services.asking import BadRuling
from audit.services.complaint_record import CannotChange
from audit.services.complaint_watch import escalate_complaints
from audit.services.complaints import add_information
from audit.services.consents import ask_to_admit, give_consent
from audit.services.verifying import Run
from tables.models import IllegalTransition, JournalEntry, Round
from tables.services.actors import Actor
from tests.audit.deciding import SUPERVISES, ask, make_user
from tests.audit.sealed import LOG, seal
from tests.audit.services.test_complaints import DAY, DECIDES, MOMENT, by, file, result_at, said_of
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

ANSWER = {"text": "So it is.", "language": "en", "template": ""}
#: Verb -> the function, and what it needs besides.
VERBS: dict[str, tuple[Callable[..., Complaint], dict[str, Any]]] = {
    "accept": (verbs.accept_complaint, {}),
    "refuse": (verbs.refuse_complaint, {"reason": "so"}),
    "wait": (verbs.wait_for_information, {"reason": "so"}),
    "review": (verbs.review_complaint, {}),
    "uphold": (verbs.decide_complaint, {"reason": "so", "is_upheld": True}),
    "reject": (verbs.decide_complaint, {"reason": "so", "is_upheld": False}),
    "answer": (verbs.answer_complaint, ANSWER),
    "close": (verbs.close_complaint, {}),
    "reopen": (verbs.reopen_complaint, {"reason": "so"}),
    "note": (verbs.note_complaint, {"text": "so"}),
    "assign": (verbs.assign_complaint, {}),
    "merge": (verbs.merge_complaint, {}),
    "information": (add_information, {}),
}
#: How a complaint gets into a state.
WAYS: dict[str, list[str]] = {
    "received": [],
    "waiting": ["wait"],
    "accepted": ["accept"],
    "under_review": ["accept", "review"],
    "upheld": ["accept", "review", "uphold", "answer"],
    "rejected": ["accept", "review", "reject", "answer"],
    "closed": ["accept", "review", "reject", "answer", "close"],
    "refused": ["refuse"],
    "late": [],
}
#: State -> verb -> the state after it. What is not here is refused.
LEADS = {
    "received": {"accept": "accepted", "refuse": "refused", "wait": "waiting", "merge": "closed",
                 "information": "received"},
    "waiting": {"refuse": "refused", "answer": "waiting", "merge": "closed", "information": "received"},
    "accepted": {"review": "under_review", "answer": "accepted", "merge": "closed"},
    "under_review": {"uphold": "upheld", "reject": "rejected", "answer": "under_review", "merge": "closed"},
    "upheld": {"answer": "upheld", "close": "closed", "merge": "closed"},
    "rejected": {"answer": "rejected", "close": "closed", "merge": "closed"},
    "closed": {"reopen": "under_review"},
    "refused": {"answer": "refused", "reopen": "received"},
    "late": {"answer": "refused", "information": "refused"},
}  # fmt: skip


@pytest.fixture
def round_(db: Any) -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))


@pytest.fixture
def manager(round_: Round) -> User:
    return make_user("nattaya", *DECIDES)


def perform(verb: str, complaint: Complaint, other: Complaint, manager: User) -> None:
    function, more = VERBS[verb]
    own: dict[str, dict[str, Any]] = {
        "assign": {"owner": manager},
        "merge": {"into_number": other.number},
        "information": {"said": Said(contact="chat 4412")},
    }
    function(**by(manager, complaint, complaint.received_at, **more, **own.get(verb, {})))


def seen(complaint: Complaint) -> tuple[str, int, int, int]:
    """Return all that a refusal must leave: the state, the version, its events, the journal."""
    complaint.refresh_from_db()
    return complaint.status, complaint.version, complaint.events.count(), JournalEntry.objects.count()


def alarms() -> list[str]:
    """Return what the check of the journal finds: nothing, whatever was done by the product itself."""
    seal()
    return [str(problem) for problem in Run(LOG.verifier, None, "").find()]


@pytest.mark.parametrize("state", WAYS)
def test_each_verb_in_a_state_leads_on_or_changes_nothing(state: str, round_: Round, manager: User) -> None:
    at = result_at(round_)
    other = file(said_of(round_), manager, at).complaint
    complaint = file(said_of(round_), manager, at + DAY + MOMENT if state == "late" else at).complaint
    for step in WAYS[state]:
        perform(step, complaint, other, manager)
    before = seen(complaint)
    assert before[0] == state.replace("late", "refused")
    anywhere = {} if state == "closed" else dict.fromkeys(("note", "assign"), before[0])
    leads = {**anywhere, **LEADS[state]}
    for verb in VERBS:
        begun = transaction.savepoint()
        if verb in leads:
            perform(verb, complaint, other, manager)
            assert seen(complaint)[:2] == (leads[verb], before[1] + 1), verb
            assert alarms() == [], verb
        else:
            with pytest.raises((CannotChange, IllegalTransition)):
                perform(verb, complaint, other, manager)
            assert seen(complaint) == before, verb
        transaction.savepoint_rollback(begun)


def test_what_two_persons_and_the_system_do_to_a_complaint_raises_no_alarm(
    round_: Round, manager: User
) -> None:
    late_at = result_at(round_) + DAY + MOMENT
    late = file(said_of(round_), manager, late_at, sender="chat", idempotency_key="a-1").complaint
    who = {"reason": "the line was down", "at": late_at}
    asker = make_user("pim", *DECIDES)
    consent = ask_to_admit(complaint_id=late.pk, actor=Actor.of_user(asker), user=asker, **who)
    give_consent(consent_id=consent.pk, actor=Actor.of_user(manager), user=manager, **who)
    assert escalate_complaints(now=late.answer_due_at) == 1
    late.refresh_from_db()
    assert (late.status, late.owner, late.admission, late.version) == ("accepted", asker, consent, 3)
    assert late.escalated_at == late.answer_due_at
    assert alarms() == []


def test_no_ruling_is_asked_for_on_a_complaint_that_was_closed_meanwhile(
    round_: Round, manager: User
) -> None:
    other = file(said_of(round_), manager, result_at(round_)).complaint
    complaint = file(said_of(round_), manager, result_at(round_)).complaint
    for step in WAYS["upheld"]:
        perform(step, complaint, other, manager)
        complaint.refresh_from_db()
    as_it_was = Complaint.objects.get(pk=complaint.pk)
    perform("close", complaint, other, manager)
    with pytest.raises(BadRuling) as refused:
        ask(make_user("anong", *SUPERVISES), RulingKind.VOID_ROUND, [round_], complaint=as_it_was)
    assert (refused.value.field, refused.value.rule) == ("complaint", "ruling/complaint")


def test_the_database_holds_the_same_table_of_states() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT from_status, to_status FROM bluecard_transition WHERE subject = 'complaint'")
        held = {(ComplaintStatus(before), ComplaintStatus(after)) for before, after in cursor.fetchall()}
    assert held == {(before, after) for before, into in COMPLAINT_FLOW.items() for after in into}
