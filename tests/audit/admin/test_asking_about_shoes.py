"""What may be asked for about a shoe, and what of it the house's rule proposes."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Incident, Ruling, RulingKind
from audit.services.incidents import report_incident
from audit.services.rulings import is_proposed
from tables.models import Round
from tables.services.actors import Actor
from tests.audit.admin.test_deciding import ask_for, page_of
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

TAKES_IT = ("replace_shoe", "reshuffle", "cancel_shoe")


def report(user: User, round_: Round, code: str, *, of_shoe: bool = False) -> Incident:
    return report_incident(
        table=round_.table,
        round_=None if of_shoe else round_,
        shoe=round_.shoe,
        code=code,
        facts={},
        actor=Actor.of_user(user),
        user=user,
        at=datetime.now(UTC),
    )


def offered(page: str) -> set[str]:
    return {kind.value for kind in RulingKind if f'kind={kind.value}"' in page}


def test_a_shoe_that_is_gone_is_not_taken_away(platform: Platform, played: Round, floor: Client) -> None:
    url = f"/admin/audit/ruling/ask/?shoe={played.shoe_id}"
    assert offered(floor.get(url).content.decode()) == {"void_range", "void_shoe", *TAKES_IT}
    platform.say("shoe_ended")
    assert offered(floor.get(url).content.decode()) == {"void_range", "void_shoe"}


def test_what_was_found_of_a_shoe_may_stand(
    played: Round, floor: Client, supervisor: User, office: Client
) -> None:
    incident = report(supervisor, played, "shuffle_error", of_shoe=True)
    query = f"shoe={played.shoe_id}&incident={incident.pk}"
    assert "stand" in offered(floor.get(f"/admin/audit/ruling/ask/?{query}").content.decode())
    assert ask_for(floor, query, kind="stand", incident=incident.pk)[0] == 302
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.incident_id, ruling.rounds_count) == ("stand", incident.pk, 0)
    assert f"Let shoe {played.shoe.public_id} stand" in page_of(ruling, office)


def test_another_rounds_incident_is_not_decided_by_the_way(
    platform: Platform, played: Round, floor: Client, supervisor: User
) -> None:
    other = platform.play("9H 2D KC QS", ("x1", "P-1", "player", 100))
    incident = report(supervisor, other, "misdeal")
    typed = {"kind": "void_round", "incident": incident.pk}
    status, page = ask_for(floor, f"round={played.pk}", **typed)
    assert (status, "The incident is about something else than this ruling." in page) == (400, True)
    assert not Ruling.objects.exists()


#: Of two cards that came out together `live-commission` says: void, and another shoe.
PROPOSED = [
    (RulingKind.VOID_ROUND, {"also": ["replace_shoe"]}, True),
    (RulingKind.VOID_ROUND, {"also": []}, False),
    (RulingKind.VOID_ROUND, {"also": ["close_table", "replace_shoe"]}, False),
    (RulingKind.STAND, {"also": ["replace_shoe"]}, False),
]


@pytest.mark.parametrize(("kind", "facts", "is_so"), PROPOSED)
def test_proposed_by_the_rule_is_all_of_what_it_says_and_no_more(
    kind: RulingKind, facts: dict[str, list[str]], is_so: bool, supervisor: User
) -> None:
    platform = Platform(make_table("B09", rulebook="live-commission"))
    platform.start(burn=None)
    incident = report(supervisor, platform.play("9H 2D KC QS"), "two_cards_dealt")
    assert is_proposed(incident, kind, facts) is is_so


@pytest.mark.parametrize(
    ("kinds", "is_so"),
    [(["banker_insurance", "player_insurance"], True), (["player_insurance"], False), (["player"], False)],
)
def test_the_rule_says_which_kinds_of_bet(kinds: list[str], is_so: bool, supervisor: User) -> None:
    platform = Platform(make_table("B09", rulebook="insurance"))
    platform.start()
    incident = report(supervisor, platform.play("9H 2D KC QS"), "insurance_opened_by_wrong_card")
    assert is_proposed(incident, RulingKind.VOID_KINDS, {"kinds": kinds}) is is_so
