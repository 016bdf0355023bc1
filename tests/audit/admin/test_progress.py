"""The progress of a ruling on its page: followed by htmx, coloured by its state, and plain about failures."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from audit.models import Ruling, RulingKind
from audit.services.applying import claim_ruling, stop_ruling
from tables.models import Round
from tables.services.actors import Actor
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, carry_out, make_user
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

FOLLOWS = {"HX-Request": "true"}


@pytest.fixture
def decider() -> User:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100))
    user = make_user("decider", *MANAGES)
    for code in ("view_ruling", "view_round", "view_settlement"):
        user.user_permissions.add(Permission.objects.get(codename=code))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def ruling(decider: User) -> Ruling:
    now = datetime.now(UTC)
    asked = ask(make_user("asker", *SUPERVISES), RulingKind.VOID_ROUND, [Round.objects.get()], at=now)
    return approve(decider, asked, at=now)


@pytest.fixture
def office(decider: User, client: Client) -> Client:
    client.force_login(decider)
    return client


def address(ruling: Ruling) -> str:
    return f"/admin/audit/ruling/{ruling.pk}/progress/"


def test_it_follows_by_itself_and_ends_with_the_whole_page(office: Client, ruling: Ruling) -> None:
    under_way = office.get(address(ruling), headers=FOLLOWS)
    assert 'hx-trigger="every 2s"' in under_way.content.decode()
    assert "HX-Refresh" not in under_way
    carry_out(ruling, at=datetime.now(UTC))
    assert office.get(address(ruling), headers=FOLLOWS)["HX-Refresh"] == "true"


def test_whoever_was_logged_out_gets_the_page_that_asks_for_it(client: Client, ruling: Ruling) -> None:
    answer = client.get(address(ruling), headers=FOLLOWS)
    assert (answer.status_code, answer["HX-Refresh"], answer.content) == (200, "true", b"")
    assert client.get(address(ruling)).status_code == 302


def test_the_bar_has_one_colour_a_state(office: Client, ruling: Ruling, decider: User) -> None:
    now = datetime.now(UTC)

    def shown() -> str:
        return office.get(address(ruling)).content.decode()

    assert "bc-progress is-running" in shown()
    claim_ruling(ruling_id=ruling.pk, now=now)
    assert "bc-progress is-running" in shown()
    row = ruling.rounds.get()
    row.failures, row.last_error = 1, "disk full"
    row.save(update_fields=["failures", "last_error"])
    page = shown()
    assert "bc-progress is-wrong" in page
    assert "could not be settled again: 1 try failed." in page and "disk full" in page
    assert "5 times in all; then the ruling stops and waits for you." in page
    row.failures = 0
    row.save(update_fields=["failures"])
    stop_ruling(ruling_id=ruling.pk, actor=Actor.of_user(decider), at=now)
    carry_out(ruling, at=now)
    page = shown()
    assert "bc-progress is-waits" in page and "Resume" in page and "hx-get" not in page


def test_one_that_cannot_go_on_is_on_the_list_of_what_waits(office: Client, ruling: Ruling) -> None:
    claim_ruling(ruling_id=ruling.pk, now=datetime.now(UTC))
    assert "Cannot go on" not in office.get("/admin/").content.decode()
    ruling.rounds.update(failures=2)
    page = office.get("/admin/").content.decode()
    assert "Cannot go on" in page and ruling.number in page
