"""The second factor and sessions: set up by whom they belong to, ended and taken away for a reason."""

import re
import time
from binascii import unhexlify
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from casino.models import SignedInSession
from casino.own_account import browser_words, name_of
from casino.second_factor import is_code_of, written_key
from casino.tasks import clear_sessions
from tables.models import JournalEntry

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
KEY = "3132333435363738393031323334353637383930"  # "12345678901234567890" of RFC 6238, appendix B
LOGIN, OWN, SET_UP = "/admin/login/", "/admin/auth/user/me/", "/admin/auth/user/me/second-factor/"


def person(role: str, name: str = "") -> User:
    call_command("set_up_roles", verbosity=0)
    user = User.objects.create_user(name or role, password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def code_now(key: str = KEY, steps: int = 0) -> str:
    totp = TOTP(unhexlify(key))
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"


def sign_in(user: User, code: str = "", client: Client | None = None) -> Client | None:
    """Sign in by the page; nothing if it refuses."""
    client = client or Client(headers={"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0"})
    data = {"username": user.username, "password": PASSWORD, "code": code, "next": "/admin/"}
    return client if client.post(LOGIN, data).status_code == 302 else None


def signed_in(user: User, code: str = "") -> Client:
    client = sign_in(user, code)
    assert client is not None
    return client


@pytest.mark.parametrize(("at", "code"), [(59, "287082"), (1111111109, "081804"), (2000000000, "279037")])
def test_codes_are_those_of_the_standard(monkeypatch: pytest.MonkeyPatch, at: int, code: str) -> None:
    monkeypatch.setattr(time, "time", lambda: float(at))
    assert is_code_of(KEY, f"{code[:3]} {code[3:]}")
    assert not is_code_of(KEY, "000000")


@pytest.mark.parametrize("odd", ["", "abc", "-1", "２８７０８２x", "9" * 20])
def test_what_is_no_code_is_none(odd: str) -> None:
    assert not is_code_of(KEY, odd)


def test_it_is_set_up_by_a_code_of_the_key_that_is_shown() -> None:
    manager = person("manager")
    client = signed_in(manager)
    page = client.get(SET_UP).content.decode()
    shown = re.search(r'<code class="bc-num">([A-Z2-7 ]+)</code>', page)
    assert shown and "<svg" in page
    key = client.session["bluecard_new_second_factor"]
    assert client.post(SET_UP, {"code": "12"}).status_code == 400
    assert not TOTPDevice.objects.exists()
    assert client.get(SET_UP).content.decode().count(shown[1]) == 1  # the same key after a slip
    assert client.post(SET_UP, {"code": code_now(key)}).status_code == 302
    device = TOTPDevice.objects.get()
    assert (device.user, device.key, device.confirmed) == (manager, key, True)
    assert JournalEntry.objects.filter(action="account.second_factor_set_up").count() == 1
    assert client.post(SET_UP, {"code": code_now(key)}).status_code == 302  # twice is once
    assert TOTPDevice.objects.count() == 1


def test_a_sign_in_then_needs_the_code_and_takes_each_once() -> None:
    manager = person("manager")
    TOTPDevice.objects.create(user=manager, key=KEY)
    assert sign_in(manager) is None
    assert sign_in(manager, "000000") is None
    TOTPDevice.objects.update(throttling_failure_count=0)
    code = code_now()
    assert sign_in(manager, code) is not None
    assert sign_in(manager, code) is None


def test_a_wrong_password_tells_nothing_of_a_second_factor() -> None:
    manager = person("manager")
    TOTPDevice.objects.create(user=manager, key=KEY)
    page = Client().post(LOGIN, {"username": "manager", "password": "x", "code": ""}).content.decode()
    assert "six digits" not in page
    page = Client().post(LOGIN, {"username": "manager", "password": PASSWORD}).content.decode()
    assert "type the six digits" in page


def test_wrong_codes_make_wait() -> None:
    manager = person("manager")
    TOTPDevice.objects.create(user=manager, key=KEY)
    assert sign_in(manager, "000000") is None
    page = Client().post(LOGIN, {"username": "manager", "password": PASSWORD, "code": code_now()})
    assert "Too many wrong codes" in page.content.decode()


@pytest.mark.parametrize(
    ("role", "status"),
    [("manager", 302), ("administrator", 302), ("supervisor", 200), ("support", 200), ("auditor", 200)],
)
def test_where_the_house_asks_for_one_who_decides_sees_nothing_without(
    settings: Settings, role: str, status: int
) -> None:
    settings.SECOND_FACTOR = "deciding"
    client = signed_in(person(role))
    answer = client.get("/admin/tables/gametable/")
    assert answer.status_code == status
    if status == 302:
        assert answer["Location"] == OWN
        assert "Who decides needs a second factor" in client.get(OWN).content.decode()
        refused = client.get("/api/v1/rounds")
        assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
        client.get(SET_UP)
        code = code_now(client.session["bluecard_new_second_factor"])
        assert client.post(SET_UP, {"code": code}).status_code == 302
        assert client.get("/admin/tables/gametable/").status_code == 200


def test_a_password_alone_does_not_do_once_there_is_one(settings: Settings) -> None:
    settings.SECOND_FACTOR = "deciding"
    manager = person("manager")
    TOTPDevice.objects.create(user=manager, key=KEY)
    client = Client()
    client.force_login(manager)
    assert client.get("/admin/tables/gametable/").status_code == 302
    assert client.post(SET_UP, {"code": code_now()}).status_code == 302  # no second key over the first
    assert TOTPDevice.objects.get().key == KEY
    assert client.get("/admin/tables/gametable/").status_code == 302


def test_ones_own_is_taken_away_by_its_code_anothers_by_who_manages_accounts_for_a_reason() -> None:
    manager = person("manager")
    TOTPDevice.objects.create(user=manager, key=KEY)
    client = signed_in(manager, code_now())
    remove = f"/admin/auth/user/{manager.pk}/do/remove-second-factor/"
    assert client.post(remove, {"code": "000000"}).status_code == 400
    support, administrator = signed_in(person("support")), signed_in(person("administrator"))
    assert support.post(remove, {"reason": "lost"}).status_code == 403
    assert administrator.post(remove, {"reason": ""}).status_code == 400
    assert TOTPDevice.objects.count() == 1
    TOTPDevice.objects.update(throttling_failure_count=0)
    assert client.post(remove, {"code": code_now(steps=1)}).status_code == 302
    assert not TOTPDevice.objects.exists()
    assert JournalEntry.objects.filter(action="account.second_factor_removed").count() == 1
    assert sign_in(manager) is not None
    auditor = person("auditor")
    TOTPDevice.objects.create(user=auditor, key=KEY)
    remove = f"/admin/auth/user/{auditor.pk}/do/remove-second-factor/"
    assert administrator.post(remove, {"reason": "the telephone fell into the sea"}).status_code == 302
    assert not TOTPDevice.objects.exists()


def test_no_page_shows_the_key_of_a_second_factor() -> None:
    device = TOTPDevice.objects.create(user=person("manager"), key=KEY)
    client = Client()
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    for path in ("", f"{device.pk}/change/", f"{device.pk}/config/", f"{device.pk}/qrcode/"):
        assert client.get(f"/admin/otp_totp/totpdevice/{path}").status_code == 404
    page = client.get(f"/admin/auth/user/{device.user_id}/change/").content.decode()
    assert KEY not in page and written_key(KEY) not in page


def test_one_sees_where_one_is_signed_in_and_ends_it_there() -> None:
    manager = person("manager")
    here, there = signed_in(manager), signed_in(manager)
    page = here.get(OWN).content.decode()
    assert page.count("Firefox, Linux") == 2
    assert page.count("127.0.0.1") == 2
    assert "this one" in page
    other = SignedInSession.objects.get(session_key=there.session.session_key)
    assert other.session_key not in page
    end = f"/admin/auth/user/{manager.pk}/do/end-session/{name_of(other)}/"
    assert here.get(end).status_code == 200
    assert there.get(OWN).status_code == 200
    assert here.post(end).status_code == 302
    assert there.get(OWN).status_code == 302  # to the sign-in
    assert here.post(end).status_code == 404  # it is ended already
    assert JournalEntry.objects.filter(action="account.session_ended").count() == 1


@pytest.mark.parametrize(("role", "status"), [("administrator", 302), ("auditor", 403), ("support", 403)])
def test_anothers_session_is_ended_by_who_manages_accounts(role: str, status: int) -> None:
    manager = person("manager")
    there = signed_in(manager)
    session = SignedInSession.objects.get()
    end = f"/admin/auth/user/{manager.pk}/do/end-session/{name_of(session)}/"
    assert signed_in(person(role)).post(end).status_code == status
    assert there.get(OWN).status_code == (302 if status == 302 else 200)


def test_no_one_ends_a_session_through_another_account() -> None:
    manager, other = person("manager"), person("manager", "manager3")
    signed_in(manager)
    session = SignedInSession.objects.get()
    client = signed_in(other)
    assert client.post(f"/admin/auth/user/{other.pk}/do/end-session/{name_of(session)}/").status_code == 404
    assert SignedInSession.objects.filter(pk=session.pk).exists()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/142.0 Safari/537 Edg/142.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19 like Mac OS X) Version/19 Safari/604", "Safari, iPhone"),
        ("curl/8.5", "curl/8.5"),
        ("", "–"),
    ],
)
def test_a_browser_is_named_as_well_as_can_be_told(agent: str, words: str) -> None:
    assert browser_words(agent) == words


def test_sessions_whose_time_is_up_are_cleared_away_and_no_others() -> None:
    manager = person("manager")
    signed_in(manager)
    SignedInSession.objects.update(expire_date=datetime.now(UTC) - timedelta(seconds=1))
    there = signed_in(manager)
    assert SignedInSession.objects.count() == 2
    clear_sessions()
    assert SignedInSession.objects.get().session_key == there.session.session_key
