"""A change of the set-up on its pages: asked for by one, seen, approved or refused by another."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import ChangeKind, PersonAccount, SetupChange
from audit.services.setup_changes import request_change
from audit.words import ROLE_TITLES
from casino.roles import ROLES
from tables.models import GameTable, Rulebook
from tables.rulebooks import shipped_text
from tables.services.actors import Actor
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.playing import make_table, publish_all

pytestmark = pytest.mark.django_db

ASK = "/admin/audit/setupchange/ask/"
LIST = "/admin/audit/setupchange/"


@pytest.fixture
def table() -> GameTable:
    publish_all()
    return make_table()


@pytest.fixture
def administrator(table: GameTable) -> User:
    return make_user("rung", *ROLES["administrator"].permissions)


@pytest.fixture
def office(administrator: User) -> Client:
    return browser_of(make_user("nattaya", *ROLES["manager"].permissions))


@pytest.fixture
def desk(administrator: User, office: Client) -> Client:
    return browser_of(administrator)


def page_of(change: SetupChange, verb: str = "change") -> str:
    return f"{LIST}{change.pk}/{verb}/"


def ask_for(desk: Client, kind: str, **typed: Any) -> SetupChange:
    answer = desk.post(f"{ASK}{kind}/", {"reason": "as the house wants it", **typed})
    change = SetupChange.objects.order_by("-pk")[0]
    assert answer["Location"] == page_of(change), answer.content.decode()
    return change


def test_thresholds_are_asked_for_seen_and_approved(desk: Client, office: Client, table: GameTable) -> None:
    asked = desk.get(f"{ASK}thresholds/?table={table.pk}").content.decode()
    assert "50,000.00" in asked and "500,000.00" in asked  # what stands now
    change = ask_for(desk, "thresholds", table=table.pk, second="80,000.00", again="400000")
    own = desk.get(page_of(change)).content.decode()
    assert "You asked for it" in own and "/approve/" not in own
    assert "Thresholds of table B01" in office.get("/admin/").content.decode()
    seen = office.get(page_of(change)).content.decode()
    for text in ("50,000.00", "80,000.00", "400,000.00", "as the house wants it", "/approve/"):
        assert text in seen
    assert office.post(page_of(change, "approve"), {"reason": "agreed"})["Location"] == page_of(change)
    table.refresh_from_db()
    assert (table.second_person_minor, table.sign_in_again_minor) == (8_000_000, 40_000_000)
    assert "Approved and carried out" in office.get(page_of(change)).content.decode()
    again = office.post(page_of(change, "approve"), {"reason": "agreed"})
    assert again.status_code == 409 and "setup/decided" in again.content.decode()


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Another person can approve it until "), ("th", "บุคคลอื่นอนุมัติได้จนถึง ")],
)
def test_a_request_says_until_when_it_waits_and_names_utc(
    language: str, said: str, desk: Client, table: GameTable
) -> None:
    desk.cookies["django_language"] = language
    change = ask_for(desk, "thresholds", table=table.pk, second="1", again="2")
    message = desk.get(page_of(change)).content.decode().split('class="bc-messages"')[1].split("</ul>")[0]
    until = change.expires_at.astimezone(UTC)
    assert said in message
    assert f'title="{until:%Y-%m-%d %H:%M:%S} UTC"' in message


def test_a_refusal_wants_a_reason_and_keeps_what_was_typed(
    desk: Client, office: Client, table: GameTable
) -> None:
    change = ask_for(desk, "thresholds", table=table.pk, second="1", again="2")
    empty = office.post(page_of(change, "refuse"), {"reason": " "})
    assert empty.status_code == 409 and "setup/reason" in empty.content.decode()
    office.post(page_of(change, "refuse"), {"reason": "far too low"})
    assert "far too low" in desk.get(page_of(change)).content.decode()
    table.refresh_from_db()
    assert table.second_person_minor == 5_000_000


def test_who_asked_cannot_approve_whatever_is_sent(desk: Client, table: GameTable) -> None:
    change = ask_for(desk, "thresholds", table=table.pk, second="1", again="2")
    answer = desk.post(page_of(change, "approve"), {"reason": "myself"})
    assert answer.status_code == 409 and "setup/four-eyes" in answer.content.decode()


def test_a_request_past_its_day_shows_as_expired_and_is_not_approved(
    administrator: User, office: Client, table: GameTable
) -> None:
    payload = {"table": table.pk, "second_person_minor": 1, "sign_in_again_minor": 2}
    change = request_change(
        kind=ChangeKind.THRESHOLDS,
        payload=payload,
        reason="long ago",
        user=administrator,
        actor=Actor.of_user(administrator),
        at=datetime.now(UTC) - timedelta(hours=25),
    )
    page = office.get(page_of(change)).content.decode()
    assert "Expired" in page and "/approve/" not in page
    late = office.post(page_of(change, "approve"), {"reason": "agreed"})
    assert late.status_code == 409 and "setup/expired" in late.content.decode()


def test_a_person_and_a_role_are_given_to_an_account_by_two(desk: Client, office: Client) -> None:
    new = User.objects.create_user("prasit", first_name="Prasit", last_name="K")
    link = ask_for(desk, "person_link", user=new.pk, person="", name="Prasit Kaewmala")
    assert "Prasit Kaewmala" in office.get(page_of(link)).content.decode()
    office.post(page_of(link, "approve"), {"reason": "known to me"})
    assert PersonAccount.objects.get(user=new).person.name == "Prasit Kaewmala"
    group = Group.objects.create(name="manager")
    role = ask_for(desk, "role", user=new.pk, group=group.pk)
    assert "Shift manager" in office.get(page_of(role)).content.decode()
    office.post(page_of(role, "approve"), {"reason": "passed the course"})
    assert new.groups.filter(pk=group.pk).exists()


def test_a_rulebook_is_published_by_two(desk: Client, office: Client) -> None:
    text = shipped_text("commission") + "\n# reworded\n"
    typed = {"document": text, "effective": "2030-01-01T06:00"}
    change = ask_for(desk, "rulebook", **typed)
    page = office.get(page_of(change)).content.decode()
    assert "Publish the rulebook commission" in page and "# reworded" in page
    office.post(page_of(change, "approve"), {"reason": "read"})
    newest = Rulebook.objects.filter(code="commission").order_by("-version")[0]
    assert (newest.version, newest.effective_from.isoformat()) == (2, "2029-12-31T23:00:00+00:00")


@pytest.mark.parametrize(
    ("kind", "typed", "rule"),
    [
        ("thresholds", {"second": "9", "again": "8"}, "setup/thresholds"),
        ("thresholds", {"second": "much", "again": "8"}, "money/form"),
        ("person_link", {"name": ""}, "setup/person-link"),
        ("rulebook", {"document": "id: x", "effective": "2030-01-01T06:00"}, "setup/rulebook"),
        ("role", {"group": "0"}, "form/invalid_choice"),
    ],
)
def test_what_will_not_do_is_said_and_nothing_is_asked_for(
    desk: Client, administrator: User, table: GameTable, kind: str, typed: dict[str, str], rule: str
) -> None:
    known = {"table": str(table.pk), "user": str(administrator.pk), "reason": "needed"}
    answer = desk.post(f"{ASK}{kind}/", {**known, **typed})
    assert answer.status_code == 400
    assert rule in answer.content.decode()
    assert not SetupChange.objects.exists()


def test_the_list_asks_as_often_for_many_as_for_one(desk: Client, office: Client, table: GameTable) -> None:
    counts = []
    for more in (1, 9):
        for number in range(more):
            ask_for(desk, "thresholds", table=table.pk, second=str(number), again="900")
        office.get(LIST)
        with CaptureQueriesContext(connection) as asked:
            page = office.get(LIST).content.decode()
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert page.count("Thresholds of table B01") == 10
    assert "Nothing matches" in office.get(f"{LIST}?status=refused").content.decode()


def test_who_may_not_ask_or_decide_is_turned_away(desk: Client, office: Client, table: GameTable) -> None:
    change = ask_for(desk, "thresholds", table=table.pk, second="1", again="2")
    floor = browser_of(make_user("suda", *ROLES["supervisor"].permissions))
    assert floor.get(page_of(change)).status_code == 403
    assert floor.post(page_of(change, "approve"), {"reason": "x"}).status_code == 403
    assert office.get(f"{ASK}thresholds/").status_code == 403  # a manager decides and does not ask
    assert office.get(page_of(change, "approve"))["Location"] == page_of(change)
    assert office.get(f"{LIST}99999999/change/").status_code == 404


def test_roles_are_called_as_in_the_table_of_permissions() -> None:
    assert {name: str(role.title) for name, role in ROLES.items()} == {
        name: str(title) for name, title in ROLE_TITLES.items()
    }
