"""Many rounds looked at in one statement: the same sums and digests as one by one, in as many queries."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import RulingKind
from audit.queries.previews import preview, preview_round
from audit.services.applying import claim_ruling
from tables.models import Round
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, make_user, rule
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


def rounds_of_every_sort(platform: Platform, asker: User, decider: User) -> list[Round]:
    """Play a round that won and lost, one partly void, one of which nobody bet, and one in play."""
    won = platform.play("9H 2D KC QS", ("a1", "P-1", "player", 100), ("a2", "P-2", "banker", 150))
    partly = platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100), ("b2", "P-1", "tie", 50))
    rule(asker, decider, RulingKind.VOID_KINDS, [partly], facts={"kinds": ["tie"]})
    empty = platform.play("9H 2D KC QS")
    name = platform.open_round()
    platform.bet(name, ("d1", "P-3", "player", 170), ("d2", "P-3", "banker", 199))  # the second is refused
    return [won, partly, empty, platform.round(name)]


def test_many_at_once_are_summed_up_as_one_by_one(platform: Platform, asker: User, decider: User) -> None:
    rounds = rounds_of_every_sort(platform, asker, decider)
    together = preview(rounds, RulingKind.VOID_RANGE, {})
    alone = [preview_round(round_, RulingKind.VOID_RANGE, {}, reinstates=None) for round_ in rounds]
    assert [replace(part, plan=None) for part in together.rounds] == [
        replace(part, plan=None) for part in alone
    ]
    # P-1 gives back the 100 won in each of two rounds; P-2 gets the 150 lost; P-3 the 170 in play.
    assert [(part.base_revision, part.totals.given_minor, part.totals.taken_minor) for part in alone] == [
        (1, 150, 100),
        (2, 0, 100),
        (1, 0, 0),
        (0, 170, 0),
    ]
    assert preview(rounds[::-1], RulingKind.VOID_RANGE, {}).hash == together.hash


def test_as_many_queries_for_many_rounds_as_for_two(platform: Platform, asker: User, decider: User) -> None:
    rounds = [platform.play("9H 2D KC QS", (f"b{n}", "P-1", "player", 100)) for n in range(14)]
    first, few, many = rounds[:2], rounds[2:4], rounds[4:]

    def queries(rounds: Sequence[Round]) -> tuple[int, int, int]:
        with CaptureQueriesContext(connection) as asking:
            ruling = ask(asker, RulingKind.VOID_RANGE, rounds)
        with CaptureQueriesContext(connection) as approving:
            approve(decider, ruling)
        with CaptureQueriesContext(connection) as claiming:
            claim_ruling(ruling_id=ruling.pk, now=NOON)
        return len(asking), len(approving), len(claiming)

    queries(first)  # what is asked once in a while, such as who may what, is known after it
    assert queries(few) == queries(many)


def test_a_round_settled_after_the_approval_makes_the_whole_ruling_stale(
    platform: Platform, asker: User, decider: User
) -> None:
    rounds = rounds_of_every_sort(platform, asker, decider)
    name = rounds[3].platform_id
    ruling = approve(decider, ask(asker, RulingKind.VOID_RANGE, rounds))
    platform.deal(name, "9H 2D KC QS")
    settle_round(round_id=rounds[3].pk, now=NOON)
    assert claim_ruling(ruling_id=ruling.pk, now=NOON) is False
    ruling.refresh_from_db()
    assert (ruling.status, ruling.outcome_note) == ("stale", f"{rounds[3].public_id} was settled since")
