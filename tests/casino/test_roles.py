"""The table of roles: every permission exists, and the demo's people can do their jobs and no more."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from audit.models import PersonAccount
from casino.roles import DEMO_PEOPLE, ROLES

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> dict[str, User]:
    call_command("set_up_roles", "--demo", verbosity=0)
    return {person.login: User.objects.get(username=person.login) for person in DEMO_PEOPLE}


def test_each_role_holds_exactly_what_the_table_says(people: dict[str, User]) -> None:
    for person in DEMO_PEOPLE:
        assert people[person.login].get_all_permissions() == set(ROLES[person.role].permissions)


def test_no_role_may_add_change_or_delete_a_record() -> None:
    for role in ROLES.values():
        assert not [
            code for code in role.permissions if code.split(".")[1].startswith(("add_", "change_", "delete_"))
        ]


def test_who_decides_is_not_who_runs_the_house() -> None:
    deciders = {name for name, role in ROLES.items() if "audit.approve_ruling" in role.permissions}
    assert deciders == {"manager"}
    assert "audit.request_ruling" not in ROLES["administrator"].permissions
    looks = ("view_", "export_")  # an auditor takes evidence away, and changes nothing
    assert not [code for code in ROLES["auditor"].permissions if not code.split(".")[1].startswith(looks)]


def test_each_of_the_demos_people_is_a_person_of_its_own(people: dict[str, User]) -> None:
    persons = set(PersonAccount.objects.values_list("person", flat=True))
    assert len(persons) == len(DEMO_PEOPLE)


def test_setting_up_twice_changes_nothing(people: dict[str, User]) -> None:
    call_command("set_up_roles", "--demo", verbosity=0)
    assert PersonAccount.objects.count() == len(DEMO_PEOPLE)
