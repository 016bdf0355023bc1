"""People are entered, given roles and taken out of use in the interface; what decides takes two persons."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_otp.plugins.otp_totp.models import TOTPDevice

from audit.models import PersonAccount, SetupChange
from casino.models import AccountState, SignedInSession
from casino.role_words import DEEDS
from casino.roles import DEMO_PASSWORD, ROLES
from tables.models import JournalEntry

pytestmark = pytest.mark.django_db
LIST, ENTER = "/admin/auth/user/", "/admin/auth/user/do/enter/"
CHANGE_PASSWORD = "/admin/password_change/"
OWN_WORDS = "green-window-sings"
NEW = {
    "username": "malee",
    "first_name": "Malee",
    "last_name": "Sae-Tang",
    "language": "th",
    "role": "support",
    "reason": "begins on Monday",
}


@pytest.fixture(autouse=True)
def people() -> dict[str, User]:
    """Provide the demo's staff, one person each."""
    call_command("set_up_roles", "--demo", verbosity=0)
    return {user.username: user for user in User.objects.all()}


def browser(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def do(name: str, deed: str) -> str:
    return f"/admin/auth/user/{User.objects.get(username=name).pk}/do/{deed}/"


def page_of(name: str, client: Client) -> str:
    return client.get(f"{LIST}{User.objects.get(username=name).pk}/change/").content.decode()


def secret_of(answer: object) -> str:
    found = re.search(r'id="secret" value="([a-z0-9-]{19})"', answer.content.decode())  # type: ignore[attr-defined]
    assert found is not None
    return found[1]


def sign_in(name: str, password: str) -> Client | None:
    client = Client()
    answer = client.post(
        "/admin/login/", {"username": name, "password": password, "code": "", "next": "/admin/"}
    )
    return client if answer.status_code == 302 else None


def approve(change: SetupChange, by: str = "manager") -> int:
    url = f"/admin/audit/setupchange/{change.pk}/approve/"
    return browser(by).post(url, {"reason": "known to me"}).status_code


def actions(name: str) -> list[str]:
    entries = JournalEntry.objects.filter(subject_type="user", subject_label=name).order_by("pk")
    return list(entries.values_list("action", flat=True))


def test_a_person_is_entered_with_a_password_that_is_shown_once_and_has_to_be_changed() -> None:
    made = browser("administrator").post(ENTER, NEW)
    password = secret_of(made)
    assert "no-store" in made["Cache-Control"]
    user = User.objects.get(username="malee")
    assert (user.get_full_name(), user.is_staff, user.is_superuser) == ("Malee Sae-Tang", True, False)
    assert [group.name for group in user.groups.all()] == ["support"]
    assert password not in page_of("malee", browser("administrator"))
    new = sign_in("malee", password)
    assert new is not None
    assert new.get("/admin/tables/round/")["Location"] == CHANGE_PASSWORD
    assert new.get("/api/v1/rounds").status_code == 403
    typed = {"old_password": password, "new_password1": password, "new_password2": password}
    assert new.post(CHANGE_PASSWORD, typed).status_code == 200  # another knows it
    typed |= {"new_password1": OWN_WORDS, "new_password2": OWN_WORDS}
    assert new.post(CHANGE_PASSWORD, typed).status_code == 302
    assert new.get("/admin/tables/round/").status_code == 200
    assert sign_in("malee", password) is None
    again = sign_in("malee", OWN_WORDS)
    assert again is not None and again.get("/admin/tables/round/").status_code == 200
    assert actions("malee") == ["account.entered", "account.role_given", "account.password_changed"]


def test_the_first_password_opens_for_three_days() -> None:
    password = secret_of(browser("administrator").post(ENTER, NEW))
    AccountState.objects.update(first_password_until=datetime.now(UTC) - timedelta(seconds=1))
    assert sign_in("malee", password) is None


def test_who_stands_behind_a_new_account_and_a_role_that_decides_wait_for_a_second_person() -> None:
    secret_of(browser("administrator").post(ENTER, {**NEW, "role": "manager"}))
    user = User.objects.get(username="malee")
    assert not user.groups.exists()
    assert not PersonAccount.objects.filter(user=user).exists()
    waiting = {change.kind: change for change in SetupChange.objects.filter(status="requested")}
    assert sorted(waiting) == ["person_link", "role"]
    assert approve(waiting["role"], "administrator") == 409  # who asked does not approve
    assert not user.groups.exists()
    assert [approve(change) for change in waiting.values()] == [302, 302]
    assert [group.name for group in user.groups.all()] == ["manager"]
    assert PersonAccount.objects.get(user=user).person.name == "Malee Sae-Tang"
    page = page_of("malee", browser("administrator"))
    assert "A role was given: Shift manager" in page
    assert "begins on Monday" in page


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        ({"username": "manager"}, "account/known"),
        ({"username": "MANAGER"}, "account/known"),
        ({"username": "two words"}, "account/form"),
        ({"first_name": ""}, "form/required"),
        ({"reason": ""}, "form/required"),
        ({"role": "superuser"}, "form/invalid_choice"),
    ],
)
def test_an_account_that_cannot_be_is_refused_and_nothing_is_asked_for(
    typed: dict[str, str], rule: str
) -> None:
    before = (User.objects.count(), SetupChange.objects.count())
    answer = browser("administrator").post(ENTER, {**NEW, **typed})
    assert (answer.status_code, rule in answer.content.decode()) == (400, True)
    assert (User.objects.count(), SetupChange.objects.count()) == before


@pytest.mark.parametrize("role", ["supervisor", "manager", "support", "auditor"])
def test_only_an_administrator_manages_accounts(role: str) -> None:
    client = browser(role)
    assert client.post(ENTER, NEW).status_code == 403
    deeds = ("give-role", "take-role", "new-password", "deactivate", "reactivate", "end-sessions")
    for deed in (*deeds, "remove-second-factor"):
        assert client.post(do("support" if role != "support" else "auditor", deed)).status_code == 403, deed


def test_a_role_that_does_not_decide_is_given_and_taken_by_one() -> None:
    client = browser("administrator")
    assert client.post(do("support", "give-role"), {"role": "auditor", "reason": "audits"}).status_code == 302
    names = set(User.objects.get(username="support").groups.values_list("name", flat=True))
    assert names == {"support", "auditor"}
    browser("support")
    assert client.post(do("support", "take-role"), {"role": "auditor", "reason": "done"}).status_code == 302
    assert not SignedInSession.objects.filter(account__username="support").exists()
    assert actions("support")[-2:] == ["account.role_given", "account.role_taken"]
    assert not SetupChange.objects.filter(status="requested").exists()


def test_a_role_that_decides_is_asked_for_and_given_by_a_second_person() -> None:
    answer = browser("administrator").post(do("support", "give-role"), {"role": "manager", "reason": "grew"})
    change = SetupChange.objects.get(status="requested")
    assert answer["Location"] == f"/admin/audit/setupchange/{change.pk}/change/"
    assert not User.objects.get(username="support").has_perm("audit.approve_ruling")
    assert approve(change) == 302
    assert User.objects.get(username="support").has_perm("audit.approve_ruling")


def test_nobody_promotes_or_shuts_out_themselves() -> None:
    client = browser("administrator")
    for deed, typed in (
        ("give-role", {"role": "support"}),
        ("give-role", {"role": "manager"}),
        ("take-role", {"role": "administrator"}),
        ("new-password", {}),
        ("deactivate", {}),
    ):
        answer = client.post(do("administrator", deed), {**typed, "reason": "mine"})
        assert (answer.status_code, "setup/own" in answer.content.decode()) == (400, True), deed
    assert not SetupChange.objects.filter(status="requested").exists()
    me = User.objects.get(username="administrator")
    assert (me.is_active, [group.name for group in me.groups.all()]) == (True, ["administrator"])


def test_the_database_refuses_who_approves_for_themselves(people: dict[str, User]) -> None:
    manager, administrator = people["manager"], people["administrator"]
    change = SetupChange.objects.create(
        kind="role",
        payload={"user": manager.pk, "group": Group.objects.get(name="administrator").pk},
        reason="more",
        requested_by=administrator,
        requested_by_person=administrator.person_account.person,
        requested_at=datetime.now(UTC),
        expires_at=datetime.now(UTC) + timedelta(days=1),
    )
    assert approve(change) == 409  # the manager it is about
    with pytest.raises(IntegrityError, match="others than its own person"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_setupchange SET status = 'approved', decided_by_id = %s, "
            "decided_by_person_id = %s, decided_at = requested_at WHERE id = %s",
            [manager.pk, manager.person_account.person_id, change.pk],
        )


def test_an_account_is_taken_out_of_use_and_back_and_never_deleted() -> None:
    client, there = browser("administrator"), browser("support")
    assert there.get("/admin/tables/round/").status_code == 200
    assert client.post(do("support", "deactivate"), {"reason": "left the house"}).status_code == 302
    assert there.get("/admin/tables/round/").status_code == 302
    assert sign_in("support", DEMO_PASSWORD) is None
    assert client.post(do("support", "deactivate"), {"reason": "twice"}).status_code == 400
    assert client.post(do("support", "reactivate"), {"reason": "came back"}).status_code == 302
    assert sign_in("support", DEMO_PASSWORD) is not None
    with pytest.raises(IntegrityError, match="never deleted"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM auth_user WHERE username = 'support'")


def test_an_account_that_decides_comes_back_by_two() -> None:
    client = browser("administrator")
    assert client.post(do("manager2", "deactivate"), {"reason": "on leave"}).status_code == 302
    assert client.post(do("manager2", "reactivate"), {"reason": "back"}).status_code == 302
    assert not User.objects.get(username="manager2").is_active
    assert approve(SetupChange.objects.get(status="requested")) == 302
    assert User.objects.get(username="manager2").is_active


def test_two_who_can_approve_a_change_remain() -> None:
    client = browser("administrator")
    assert client.post(do("manager2", "deactivate"), {"reason": "left"}).status_code == 302
    for deed, typed in (("deactivate", {}), ("take-role", {"role": "manager"})):
        answer = client.post(do("manager", deed), {**typed, "reason": "left"})
        assert (answer.status_code, "account/last" in answer.content.decode()) == (400, True)
    manager = User.objects.get(username="manager")
    assert (manager.is_active, manager.groups.count()) == (True, 1)


def test_a_new_password_for_who_does_not_decide_is_made_by_one() -> None:
    client, there = browser("administrator"), browser("support")
    password = secret_of(client.post(do("support", "new-password"), {"reason": "forgot it"}))
    assert there.get("/admin/tables/round/").status_code == 302
    assert sign_in("support", DEMO_PASSWORD) is None
    assert sign_in("support", password) is not None
    assert actions("support")[-1] == "account.password_made"


def test_a_new_password_for_who_decides_takes_two_and_serves_once() -> None:
    client, url = browser("administrator"), do("manager2", "new-password")
    assert "once another person approved" in client.get(url).content.decode()
    assert client.post(url, {"reason": "forgot it"}).status_code == 302
    assert sign_in("manager2", DEMO_PASSWORD) is not None  # nothing changed yet
    assert approve(SetupChange.objects.get(status="requested")) == 302
    password = secret_of(client.post(url, {"reason": "forgot it"}))
    assert sign_in("manager2", DEMO_PASSWORD) is None
    assert sign_in("manager2", password) is not None
    assert client.post(url, {"reason": "once more"}).status_code == 302
    assert SetupChange.objects.filter(status="requested").count() == 1  # asked for anew


def test_the_second_factor_of_who_decides_is_taken_away_by_two() -> None:
    for name in ("manager2", "support"):
        TOTPDevice.objects.create(user=User.objects.get(username=name), key="31" * 20)
    client = browser("administrator")
    for name in ("manager2", "support"):
        assert client.post(do(name, "remove-second-factor"), {"reason": "lost"}).status_code == 302
    assert [device.user.username for device in TOTPDevice.objects.all()] == ["manager2"]
    assert approve(SetupChange.objects.get(status="requested")) == 302
    assert not TOTPDevice.objects.exists()
    assert actions("manager2")[-1] == "account.second_factor_removed"


def test_every_session_is_ended_at_once() -> None:
    here, there = browser("support"), browser("support")
    assert browser("administrator").post(do("support", "end-sessions")).status_code == 302
    assert [client.get("/admin/tables/round/").status_code for client in (here, there)] == [302, 302]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=malee", []),
        ("q=jintana", ["supervisor"]),
        ("q=nat+suk", ["manager"]),
        ("role=manager", ["manager", "manager2"]),
        ("role=support&in_use=yes", ["support"]),
        ("in_use=no", ["supervisor2"]),
        ("second_factor=yes", ["auditor"]),
    ],
)
def test_the_list_is_searched_and_narrowed(query: str, names: list[str]) -> None:
    User.objects.filter(username="supervisor2").update(is_active=False)
    TOTPDevice.objects.create(user=User.objects.get(username="auditor"), key="31" * 20)
    page = browser("administrator").get(f"{LIST}?{query}").content.decode()
    assert sorted(re.findall(r'<a class="bc-id" href="[^"]*">([^<]*)</a>', page)) == names
    assert ("Nothing matches" in page) is (names == [])


def test_the_list_asks_as_often_for_many_as_for_one() -> None:
    client, counts = browser("administrator"), []
    for more in (0, 20):
        for number in range(more):
            user = User.objects.create_user(f"more{number}", is_staff=True)
            user.groups.add(Group.objects.get(name="support"))
        client.get(LIST)
        with CaptureQueriesContext(connection) as asked:
            client.get(LIST)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_what_an_account_may_do_is_said_in_words() -> None:
    named = {code for role in ROLES.values() for code in role.permissions if ".view_" not in code}
    assert named == set(DEEDS)
    page = page_of("manager", browser("administrator"))
    assert "approves or refuses rulings" in page
    assert "approve_ruling" not in page
    assert "what it may do" in page.lower()


def test_the_language_goes_with_the_account_into_another_browser() -> None:
    first = browser("support")
    assert '<html lang="en"' in first.get("/admin/tables/round/").content.decode()
    assert first.post("/i18n/setlang/", {"language": "th", "next": "/admin/"}).status_code == 302
    second = browser("support")
    assert '<html lang="th"' in second.get("/admin/tables/round/").content.decode()
    assert AccountState.objects.get(account__username="support").language == "th"
    assert first.post("/i18n/setlang/", {"language": "xx"}).status_code == 302
    assert AccountState.objects.get(account__username="support").language == "th"
    assert Client().post("/i18n/setlang/", {"language": "th", "next": "/admin/"}).status_code == 302


def test_a_superuser_without_a_person_asks_for_nothing_once_two_persons_are_there() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password=OWN_WORDS))
    answer = client.post(ENTER, {**NEW, "role": "manager"})
    assert (answer.status_code, "person/none" in answer.content.decode()) == (400, True)
    assert not User.objects.filter(username="malee").exists()


def test_the_timeline_of_an_account_names_the_roles() -> None:
    browser("administrator").post(ENTER, NEW)
    pk = User.objects.get(username="malee").pk
    page = browser("auditor").get(f"/admin/tables/journalentry/of/user/{pk}/").content.decode()
    assert "The account was entered" in page and "A role was given" in page
    assert "Support agent" in page
