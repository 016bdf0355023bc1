"""A row is chosen from a list; where there are too many, its name is typed, and none is out of reach."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from audit.admin import choosing
from audit.models import Person, SetupChange
from casino.roles import ROLES
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.tables.playing import NOON, make_table, publish_all

pytestmark = pytest.mark.django_db
ASK = "/admin/audit/setupchange/ask/"


@pytest.fixture
def desk() -> Client:
    publish_all()
    for code in ("B01", "B02"):
        make_table(code=code)
    desk = browser_of(make_user("rung", *ROLES["administrator"].permissions))
    make_user("somsri")
    return desk


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "LONGEST_LIST", 1)


def send(desk: Client, kind: str, **typed: str) -> tuple[int, str]:
    answer = desk.post(f"{ASK}{kind}/", {"reason": "as the house wants it", **typed})
    return answer.status_code, answer.content.decode()


def payload() -> dict[str, object]:
    return SetupChange.objects.order_by("-pk")[0].payload


def test_what_can_be_listed_whole_is_a_list(desk: Client) -> None:
    for kind, name, count in (("thresholds", "table", 2), ("person_link", "user", 2), ("role", "user", 2)):
        page = desk.get(f"{ASK}{kind}/").content.decode()
        choices = page.split(f'<select name="{name}"')[1].split("</select>")[0]
        assert choices.count("<option") == count


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "There are too many to list: type the log-in, as it stands under Accounts."),
        ("th", "มีมากเกินกว่าจะแสดงรายการ โปรดพิมพ์ชื่อเข้าระบบตามที่แสดงในหน้าบัญชี"),
    ],
)
@pytest.mark.usefixtures("few")
def test_the_page_says_what_to_type_and_how_it_is_found(language: str, said: str, desk: Client) -> None:
    desk.cookies["django_language"] = language
    page = desk.get(f"{ASK}role/").content.decode()
    assert said in page and '<select name="user"' not in page and '<input type="text" name="user"' in page


@pytest.mark.usefixtures("few")
def test_an_account_is_found_by_its_log_in(desk: Client) -> None:
    group = Group.objects.create(name="night")
    assert send(desk, "role", user="Somsri", group=str(group.pk))[0] == 302
    assert payload() == {"user": User.objects.get(username="somsri").pk, "group": group.pk}
    status, page = send(desk, "role", user="somebody", group=str(group.pk))
    assert (status, "Nothing there is called so." in page, 'value="somebody"' in page) == (400, True, True)


@pytest.mark.usefixtures("few")
def test_a_table_is_found_by_its_code_and_stands_there_when_it_is_known(desk: Client) -> None:
    table = choosing.GameTable.objects.get(code="B02")
    assert 'value="B02"' in desk.get(f"{ASK}thresholds/?table={table.pk}").content.decode()
    assert send(desk, "thresholds", table="b02", second="1.00", again="2.00")[0] == 302
    assert payload() == {"table": table.pk, "second_person_minor": 100, "sign_in_again_minor": 200}


@pytest.mark.usefixtures("few")
def test_persons_of_one_name_are_told_apart(desk: Client) -> None:
    first, second = (Person.objects.create(name="Malee Thong", created_at=NOON) for _ in range(2))
    user = User.objects.create_user("newcomer")
    status, page = send(desk, "person_link", user="newcomer", person="malee thong")
    assert (status, f"malee thong #{first.pk}, malee thong #{second.pk}" in page) == (400, True)
    assert send(desk, "person_link", user="newcomer", person=f"Malee Thong #{second.pk}")[0] == 302
    assert payload() == {"user": user.pk, "person": second.pk}
    assert send(desk, "person_link", user="newcomer", person="", name="Anong Dee")[0] == 302
    assert payload()["person"] == Person.objects.get(name="Anong Dee").pk
