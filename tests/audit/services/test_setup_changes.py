"""Thresholds, person links, deciding roles and rulebooks take two persons, whoever asks the database."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, connection, transaction

from audit.models import ChangeKind, Person, PersonAccount, SetupChange
from audit.services.rulings import CannotDecide
from audit.services.setup_changes import approve_change, refuse_change, request_change
from tables.models import GameTable, Rulebook
from tables.rulebooks import shipped_text
from tables.services.actors import SYSTEM, Actor
from tables.services.setup import BadSetup, publish_rulebook
from tests.audit.deciding import make_user
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db
BOTH = ("audit.request_setup_change", "audit.approve_setup_change")


@pytest.fixture
def table() -> GameTable:
    return make_table()


@pytest.fixture
def first() -> User:
    return make_user("first", *BOTH)


@pytest.fixture
def second(first: User) -> User:
    return make_user("second", *BOTH)


def ask(user: User, kind: ChangeKind, /, **payload: Any) -> SetupChange:
    return request_change(
        kind=kind, payload=payload, reason="needed", user=user, actor=Actor.of_user(user), at=NOON
    )


def approve(user: User, change: SetupChange) -> SetupChange:
    return approve_change(change_id=change.pk, reason="yes", user=user, actor=Actor.of_user(user), at=NOON)


def test_thresholds_change_when_another_person_approves(table: GameTable, first: User, second: User) -> None:
    change = ask(first, ChangeKind.THRESHOLDS, table=table.pk, second_person_minor=80, sign_in_again_minor=90)
    with pytest.raises(CannotDecide, match="another person than the one who asked"):
        approve(first, change)
    approve(second, change)
    table.refresh_from_db()
    assert (table.second_person_minor, table.sign_in_again_minor) == (80, 90)
    with pytest.raises(CannotDecide, match="is approved already"):
        approve(second, change)


def test_thresholds_do_not_change_by_themselves(table: GameTable) -> None:
    with pytest.raises(IntegrityError, match="take an approved change"), transaction.atomic():
        GameTable.objects.filter(pk=table.pk).update(second_person_minor=10**9)


def test_a_refused_change_changes_nothing(table: GameTable, first: User, second: User) -> None:
    change = ask(first, ChangeKind.THRESHOLDS, table=table.pk, second_person_minor=80, sign_in_again_minor=90)
    refuse_change(change_id=change.pk, reason="no", user=second, actor=Actor.of_user(second), at=NOON)
    table.refresh_from_db()
    assert table.second_person_minor == 5_000_000


def test_a_third_account_is_linked_by_two_persons(first: User, second: User) -> None:
    puppet = User.objects.create_user("puppet")
    with pytest.raises(IntegrityError, match="takes an approved change"), transaction.atomic():
        PersonAccount.objects.create(user=puppet, person=Person.objects.create(name="X", created_at=NOON))
    approve(second, ask(first, ChangeKind.PERSON_LINK, user=puppet.pk, name="New Person"))
    assert PersonAccount.objects.get(user=puppet).person.name == "New Person"


def test_a_link_is_not_moved_by_one_hand(first: User, second: User) -> None:
    with pytest.raises(IntegrityError, match="takes an approved change"), transaction.atomic():
        PersonAccount.objects.filter(user=first).update(person=second.person_account.person)


def test_a_deciding_role_is_given_by_two_persons(first: User, second: User) -> None:
    managers = Group.objects.create(name="deciders")
    managers.permissions.add(Permission.objects.get(codename="approve_ruling"))
    third = make_user("third")
    with pytest.raises(IntegrityError, match="takes an approved change"), transaction.atomic():
        third.groups.add(managers)
    approve(first, ask(second, ChangeKind.ROLE, user=third.pk, group=managers.pk))
    assert third.groups.filter(pk=managers.pk).exists()


def test_who_has_no_person_yet_gets_no_role_that_decides_by_one_hand(first: User, second: User) -> None:
    managers = Group.objects.create(name="deciders")
    right = Permission.objects.get(codename="approve_ruling")
    managers.permissions.add(right)
    later = User.objects.create_user("later")  # to be linked when nobody looks at its roles any more
    with pytest.raises(IntegrityError, match="a role that decides takes an approved change"):
        with transaction.atomic():
            later.groups.add(managers)
    with pytest.raises(IntegrityError, match="the right to decide comes by a role"), transaction.atomic():
        later.user_permissions.add(right)
    approve(second, ask(first, ChangeKind.ROLE, user=later.pk, group=managers.pk))
    approve(second, ask(first, ChangeKind.PERSON_LINK, user=later.pk, name="New Person"))
    assert User.objects.get(username="later").has_perm("audit.approve_ruling")


def test_a_role_that_people_have_does_not_begin_to_decide(first: User, second: User) -> None:
    speakers = Group.objects.create(name="speakers")
    first.groups.add(speakers)
    with pytest.raises(IntegrityError, match="does not begin to decide"), transaction.atomic():
        speakers.permissions.add(Permission.objects.get(codename="decide_complaint"))
    speakers.permissions.add(Permission.objects.get(codename="view_ruling"))


@pytest.mark.django_db(transaction=True)
def test_an_approval_gives_a_role_once(first: User, second: User) -> None:
    group = Group.objects.create(name="deciders")
    group.permissions.add(Permission.objects.get(codename="approve_ruling"))
    other = make_user("other")
    approve(second, ask(first, ChangeKind.ROLE, user=other.pk, group=group.pk))
    assert list(other.groups.all()) == [group]
    other.groups.remove(group)
    with pytest.raises(IntegrityError, match="a role that decides takes an approved change"):
        other.groups.add(group)
    assert list(other.groups.all()) == []


def test_nobody_asks_or_approves_what_their_own_account_may_do(first: User, second: User) -> None:
    managers = Group.objects.create(name="deciders")
    with pytest.raises(BadSetup) as refused:
        ask(first, ChangeKind.ROLE, user=first.pk, group=managers.pk)
    assert refused.value.rule == "setup/own"
    change = ask(first, ChangeKind.ROLE, user=second.pk, group=managers.pk)
    with pytest.raises(CannotDecide, match="what your own account may do"):
        approve(second, change)
    assert not second.groups.exists()


@pytest.mark.parametrize("statement", ["permission", "superuser"])
def test_no_other_way_leads_to_the_right_to_decide(first: User, statement: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        if statement == "permission":
            first.user_permissions.add(Permission.objects.get(codename="approve_ruling"))
        else:
            User.objects.filter(pk=first.pk).update(is_superuser=True)


def test_a_rulebook_takes_two_persons_once_two_are_there(first: User, second: User) -> None:
    text = shipped_text("commission") + "\n# reworded\n"
    with pytest.raises(IntegrityError, match="takes an approved change"), transaction.atomic():
        publish_rulebook(text=text, effective_from=NOON, actor=SYSTEM, at=NOON)
    approve(second, ask(first, ChangeKind.RULEBOOK, document=text, effective_from="2026-11-30T06:00+07:00"))
    assert Rulebook.objects.get(code="commission").effective_from.isoformat() == "2026-11-29T23:00:00+00:00"


@pytest.mark.parametrize(
    ("kind", "payload", "field"),
    [
        (ChangeKind.THRESHOLDS, {"table": 0}, "table"),
        (ChangeKind.THRESHOLDS, {"table": "B01"}, "table"),
        (ChangeKind.PERSON_LINK, {"user": 0}, "user"),
        (ChangeKind.ROLE, {"user": 0, "group": 0}, "group"),
        (ChangeKind.RULEBOOK, {"document": "id: x", "effective_from": "2026-11-30T06:00+07:00"}, "document"),
        (ChangeKind.RULEBOOK, {}, "document"),
    ],
)
def test_what_cannot_be_changed_names_the_field(
    first: User, kind: ChangeKind, payload: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadSetup) as refused:
        ask(first, kind, **payload)
    assert refused.value.field == field


def test_the_database_refuses_an_approval_by_the_same_person(table: GameTable, first: User) -> None:
    change = ask(first, ChangeKind.THRESHOLDS, table=table.pk, second_person_minor=80, sign_in_again_minor=90)
    with pytest.raises(IntegrityError, match="setupchange_four_eyes"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_setupchange SET status = 'approved', decided_by_id = requested_by_id, "
            "decided_by_person_id = requested_by_person_id, decided_at = requested_at WHERE id = %s",
            [change.pk],
        )
