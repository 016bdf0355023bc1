"""Two persons, in the database itself: what neither a superuser, nor the run-time role by hand, nor the owner
of the schema can do alone. Each refusal leaves everything as it was.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction

from audit.models import Person, PersonAccount, Ruling, RulingKind, RulingRound
from audit.services.applying import claim_ruling
from audit.services.rulings import CannotDecide, sign_in_again
from tables.models import Round, Settlement
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, carry_out, make_user
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db

LARGE = 5_000_001  # one satang over what takes a second person
HUGE = 50_000_001  # one over what takes a sign-in as well


@pytest.fixture
def platform(db: None) -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


def won(platform: Platform, stake: int) -> Round:
    return platform.play("9H 2D KC QS", ("b1", "P-1", "player", stake))


def run(statement: str, **facts: Any) -> None:
    """Do by hand what the run-time role can, in a savepoint."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, facts)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


APPROVE = (
    "UPDATE audit_ruling SET status = 'approved', decided_by_id = %(user)s,"
    " decided_by_person_id = %(person)s, decided_at = %(at)s WHERE id = %(ruling)s"
)


def facts_of(ruling: Ruling, user: User) -> dict[str, Any]:
    person = user.person_account.person_id
    return {"user": user.pk, "person": person, "at": NOON, "ruling": ruling.pk}


def test_a_superuser_is_one_person_too(platform: Platform) -> None:
    root = User.objects.create_superuser("root", password="secret")
    person = Person.objects.create(name="Root", created_at=NOON)
    PersonAccount.objects.create(user=root, person=person, change=None)
    ruling = ask(root, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    with pytest.raises(CannotDecide, match="takes a second person"):
        approve(root, ruling)
    ruling.refresh_from_db()
    assert (ruling.status, ruling.decided_by_id) == ("requested", None)


def test_by_hand_the_run_time_role_approves_nothing_alone(platform: Platform, asker: User) -> None:
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    with pytest.raises(IntegrityError, match="takes a second person"):
        run(APPROVE, **facts_of(ruling, asker))


def test_by_hand_nobody_else_is_named(platform: Platform, asker: User, decider: User) -> None:
    """The account has to be the person's own."""
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    facts = facts_of(ruling, asker) | {"person": decider.person_account.person_id}
    with pytest.raises(IntegrityError, match="the account that approves is not that person's"):
        run(APPROVE, **facts)


def test_by_hand_only_a_person_who_may_decide_is_the_second_one(
    platform: Platform, asker: User, decider: User
) -> None:
    """Another supervisor is another person, and decides nothing; nor does who lost the role since."""
    other = make_user("other", *SUPERVISES)
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    with pytest.raises(IntegrityError, match=f"who approves ruling {ruling.number} may not decide"):
        run(APPROVE, **facts_of(ruling, other))
    run(APPROVE, **facts_of(ruling, decider))
    decider.groups.clear()
    decider.user_permissions.clear()
    with pytest.raises(IntegrityError, match="may not decide"):
        run("UPDATE audit_ruling SET status = 'applying' WHERE id = %(ruling)s", ruling=ruling.pk)
    ruling.refresh_from_db()
    assert ruling.status == "approved"


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE audit_ruling SET given_minor = 0, taken_minor = 0 WHERE id = %(ruling)s", "may change"),
        ("UPDATE audit_ruling SET requested_by_person_id = %(person)s WHERE id = %(ruling)s", "may change"),
        ("UPDATE audit_rulinground SET taken_minor = 0 WHERE ruling_id = %(ruling)s", "may change"),
        ("UPDATE audit_ruling SET status = 'applied' WHERE id = %(ruling)s", "cannot become applied"),
        ("UPDATE audit_ruling SET status = 'applying' WHERE id = %(ruling)s", "cannot become applying"),
        ("DELETE FROM audit_ruling WHERE id = %(ruling)s", "DELETE refused"),
        ("DELETE FROM audit_rulinground WHERE ruling_id = %(ruling)s", "DELETE refused"),
        ("DELETE FROM audit_personaccount WHERE user_id = %(user)s", "stays"),
    ],
)
def test_by_hand_a_request_is_not_made_smaller_or_carried_out(
    platform: Platform, asker: User, decider: User, statement: str, why: str
) -> None:
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    with pytest.raises(DatabaseError, match=why):
        run(statement, **facts_of(ruling, decider))
    after = Ruling.objects.get(pk=ruling.pk)
    assert (after.status, after.taken_minor, after.requested_by_id) == ("requested", LARGE, asker.pk)
    assert RulingRound.objects.get(ruling=ruling).taken_minor == LARGE


def test_by_hand_a_ruling_does_not_begin_approved(platform: Platform, asker: User, decider: User) -> None:
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    values = {field.attname: getattr(ruling, field.attname) for field in Ruling._meta.concrete_fields}
    values |= {"id": None, "number": "R-9999", "uuid": "00000000-0000-4000-8000-000000000000"}
    values |= {"status": "approved", "decided_by_id": decider.pk, "decided_at": NOON}
    values |= {"decided_by_person_id": decider.person_account.person_id}
    with pytest.raises(IntegrityError, match="begins as a request"), transaction.atomic():
        Ruling(**values).save(force_insert=True)


def test_by_hand_who_decided_stays(platform: Platform, asker: User, decider: User) -> None:
    other = make_user("other", *MANAGES)
    ruling = approve(decider, ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)]))
    with pytest.raises(IntegrityError, match=f"who decided {ruling.number} stays"):
        run(APPROVE, **facts_of(ruling, other))
    with pytest.raises(IntegrityError, match="stays"):
        run("UPDATE audit_ruling SET decision_reason = 'x' WHERE id = %(ruling)s", ruling=ruling.pk)
    carry_out(ruling)
    with pytest.raises(IntegrityError, match="stays"):
        run(APPROVE.replace("status = 'approved', ", ""), **facts_of(ruling, other))


REVISION = """
INSERT INTO tables_settlement (round_id, revision, deal_id, rulebook_id, authority, outcome, verdicts,
    overlay, bets_count, players_count, stakes_minor, returned_minor, kept_minor, moved_minor, lines_digest,
    created_at)
SELECT round_id, 2, deal_id, rulebook_id, %(authority)s, outcome, verdicts, overlay, bets_count,
    players_count, stakes_minor, returned_minor, kept_minor, %(moved)s, lines_digest, created_at
FROM tables_settlement WHERE round_id = %(round)s
"""


def test_by_hand_no_revision_is_written_without_an_approved_ruling(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = won(platform, LARGE)
    ruling = ask(asker, RulingKind.VOID_ROUND, [round_])
    nobody = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(IntegrityError, match="later_revision_has_authority"):
        run(REVISION, round=round_.pk, moved=0, authority=None)
    for authority in (nobody, ruling.uuid):
        with pytest.raises(IntegrityError, match="rests on no approved ruling"):
            run(REVISION, round=round_.pk, moved=0, authority=authority)
    claim_ruling(ruling_id=approve(decider, ruling).pk, now=NOON)
    with pytest.raises(IntegrityError, match=f"moves 7 where -{LARGE} was approved"):
        run(REVISION, round=round_.pk, moved=7, authority=ruling.uuid)
    assert Settlement.objects.get(round=round_).revision == 1


@pytest.mark.django_db(transaction=True)
def test_the_owner_of_the_schema_is_refused_as_well(
    platform: Platform, asker: User, owner_connection: psycopg.Connection
) -> None:
    ruling = ask(asker, RulingKind.VOID_ROUND, [won(platform, LARGE)])
    with pytest.raises(psycopg.errors.CheckViolation, match="takes a second person"):
        owner_connection.execute(APPROVE, facts_of(ruling, asker))
    with pytest.raises(psycopg.errors.RestrictViolation):
        owner_connection.execute("UPDATE audit_ruling SET taken_minor = 0 WHERE id = %s", [ruling.pk])
    ruling.refresh_from_db()
    assert (ruling.status, ruling.taken_minor) == ("requested", LARGE)


def test_above_the_second_threshold_the_approver_signs_in_again(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = won(platform, HUGE)
    ruling = ask(asker, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(CannotDecide, match="takes a sign-in") as refused:
        approve(decider, ruling)
    assert refused.value.rule == "ruling/sign-in"
    with pytest.raises(CannotDecide, match="the password is wrong"):
        sign_in_again(ruling=ruling, user=decider, password="guessed", at=NOON)
    sign_in_again(ruling=ruling, user=decider, password="secret", at=NOON)
    # It is for this decision, by this account, and for five minutes.
    with pytest.raises(CannotDecide, match="takes a sign-in"):
        approve(make_user("other", *MANAGES), ruling)
    with pytest.raises(CannotDecide, match="takes a sign-in"):
        approve(decider, ruling, at=NOON + timedelta(minutes=5, microseconds=1))
    assert carry_out(approve(decider, ruling, at=NOON + timedelta(minutes=5))).status == "applied"
    assert lines_of(round_) == {"b1": ("void", HUGE)}


def test_what_was_approved_is_not_carried_out_on_another_target(
    platform: Platform, asker: User, decider: User
) -> None:
    """A bet came between the approval and the worker: the whole ruling is stale, and nothing moved."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    round_ = platform.round(name)
    ruling = approve(decider, ask(asker, RulingKind.VOID_ROUND, [round_]))
    platform.bet(name, ("b2", "P-2", "player", 100))
    done = carry_out(ruling)
    assert (done.status, done.outcome_note) == (
        "stale",
        f"{round_.public_id} is not any more what was approved",
    )
    assert not Settlement.objects.exists()
    assert not RulingRound.objects.filter(is_open=True).exists()


def test_a_correction_is_stale_where_other_cards_lie_by_now(
    platform: Platform, asker: User, decider: User
) -> None:
    """No money shows it, since nothing was settled: the cards themselves are compared."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "9H"), ("B1", "2D"), ("P2", "KC")):
        platform.say("card", round=name, place=place, card=card)
    round_ = platform.round(name)
    right = {"P1": "9S", "B1": "2D", "P2": "KC", "B2": "QS"}
    first = ask(asker, RulingKind.CORRECT, [round_], facts={"cards": right})
    platform.say("card", round=name, place="B2", card="7S")
    with pytest.raises(CannotDecide, match="a round changed since") as refused:
        approve(decider, first)
    assert refused.value.rule == "ruling/stale"

    second = approve(decider, ask(asker, RulingKind.CORRECT, [round_], facts={"cards": right}))
    platform.say("card_corrected", round=name, place="B2", card="6S")
    assert carry_out(second).status == "stale"
