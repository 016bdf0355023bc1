"""The look-up's whole answer, who may see which part of it, and that every player shown is written down."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from audit.models import ComplaintChannel, RulingKind
from audit.rules.complaints import Said
from audit.services.complaints import file_complaint
from casino.roles import ROLES
from tables.models import JournalEntry, PlayerIdentity, Round, WalletTransaction
from tables.services.actors import Actor
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user, rule
from tests.tables.api.clients import key_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def disputed(round_: Round, asker: User, decider: User) -> Round:
    """Provide a round that was complained about and then voided."""
    said = Said(
        played_at=round_.betting_opened_at,
        table="B01",
        dealer="Mali Chantara",
        round=round_.public_id,
        player="P-1",
        disputed="wrong",
    )
    actor, at = Actor.of_key("abcdef012345"), round_.resulted_at + timedelta(hours=1)  # type: ignore[operator]
    channel = ComplaintChannel.CHAT
    file_complaint(said=said, channel=channel, language="th", actor=actor, user=None, at=at)
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    return round_


@pytest.fixture
def agent(round_: Round) -> User:
    return make_user("pim", *ROLES["support"].permissions)


def looks() -> list[str]:
    entries = JournalEntry.objects.filter(action="player.seen").order_by("pk")
    return [bytes(entry.body).decode() for entry in entries]


def test_a_round_comes_with_everything_about_it(disputed: Round, agent: User) -> None:
    about = signed_in(agent).get(f"/api/v1/lookup?q={disputed.public_id.lower()}").json()["about"]
    assert about["round"]["id"] == disputed.public_id
    assert [one["revision"] for one in about["settlements"]] == [1, 2]
    assert [one["kind"] for one in about["rulings"]] == ["void_round"]
    assert {one["player"]["reference"] for one in about["notices"]} == {"P-1", "P-2"}
    assert [one["status"] for one in about["complaints"]] == ["received"]
    assert about["video"]["camera"] == "B01"
    assert [one["status"] for one in about["video"]["holds"]] == ["asked"]
    assert about["incidents"] == []


def test_a_bet_and_a_payment_lead_to_their_round_and_are_written_down(disputed: Round, agent: User) -> None:
    client = signed_in(agent)
    number = PlayerIdentity.objects.get(reference="P-1").player_id
    key = WalletTransaction.objects.filter(player=number)[0].key
    for text in ("b1", key):
        before = len(looks())
        answer = client.get("/api/v1/lookup", {"q": text}).json()
        assert answer["about"]["round"]["id"] == disputed.public_id
        assert any(f'"player":{number}' in body for body in looks()[before:])
    assert all('"for":"lookup"' in body and '"way":"lookup"' in body for body in looks())
    assert not any("P-1" in body for body in looks())


def test_a_player_is_named_written_down_and_has_no_round(disputed: Round, agent: User) -> None:
    answer = signed_in(agent).get("/api/v1/lookup?q=P-2").json()
    assert ([hit["label"] for hit in answer["hits"]], answer["about"]) == (["P-2"], None)
    assert len(looks()) == 1


def test_a_round_that_shows_no_player_writes_nothing_down(round_: Round, agent: User) -> None:
    assert signed_in(agent).get(f"/api/v1/lookup?q={round_.public_id}").json()["about"]["notices"] == []
    assert looks() == []


def test_what_the_scopes_or_the_role_do_not_show_is_left_out(disputed: Round) -> None:
    url = f"/api/v1/lookup?q={disputed.public_id}"
    about = key_client(None, "play:read").get(url).json()["about"]
    assert about["complaints"] is None and about["rulings"]
    about = key_client(None, "play:read", "complaint:read").get(url).json()["about"]
    assert len(about["complaints"]) == 1
    about = signed_in(make_user("rung", "tables.view_round")).get(url).json()["about"]
    assert [name for name, part in about.items() if part is not None] == ["round"]


def test_a_table_a_time_and_the_dealer(round_: Round, agent: User) -> None:
    client = signed_in(agent)
    local = timezone.localtime(round_.betting_opened_at, timezone=timezone.get_fixed_timezone(7 * 60))
    written = f"B01 {local:%Y-%m-%d %H:%M}"
    right = client.get("/api/v1/lookup", {"q": f"{written} mali  chantara"}).json()
    assert (right["hits"][0]["label"], right["hits"][0]["is_exact"], right["message"]) == (
        round_.public_id,
        True,
        "",
    )
    wrong = client.get("/api/v1/lookup", {"q": f"{written} Lin Mei"}).json()
    assert (wrong["hits"][0]["is_exact"], wrong["message"]) == (
        False,
        f"{round_.public_id} was dealt by Mali Chantara",
    )
