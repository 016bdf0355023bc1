"""A ruling stopped between two rounds, and resumed; and one of which there is nothing to stop."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.models import Ruling, RulingKind, RulingStatus
from audit.queries.ruling_money import money_of_ruling
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling, resume_ruling, stop_ruling
from audit.services.rulings import CannotDecide
from tables.models import JournalEntry, Outbox
from tables.services.actors import Actor, NotAllowed
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, carry_out, make_user
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def ruling(platform: Platform, asker: User, decider: User) -> Ruling:
    """Provide an approved ruling on three rounds."""
    rounds = [platform.play("9H 2D KC QS", (f"b{n}", "P-1", "player", 100)) for n in range(3)]
    return approve(decider, ask(asker, RulingKind.VOID_RANGE, rounds))


def test_stopped_between_two_rounds_and_resumed(ruling: Ruling, decider: User) -> None:
    actor = Actor.of_user(decider)
    assert claim_ruling(ruling_id=ruling.pk, now=NOON) is True
    assert apply_next_round(ruling_id=ruling.pk, now=NOON) is True
    stop_ruling(ruling_id=ruling.pk, actor=actor, at=NOON)
    assert apply_next_round(ruling_id=ruling.pk, now=NOON) is False
    finish_ruling(ruling_id=ruling.pk, now=NOON)
    ruling.refresh_from_db()
    assert (ruling.status, ruling.rounds.filter(status="applied").count()) == (RulingStatus.STOPPED, 1)
    assert not Outbox.objects.filter(bell="ruling").exists()
    resume_ruling(ruling_id=ruling.pk, actor=actor, at=NOON)
    assert Outbox.objects.filter(bell="ruling", subject_id=ruling.pk).exists()
    assert carry_out(ruling).status == RulingStatus.APPLIED
    assert ruling.rounds.filter(status="applied").count() == 3
    actions = (
        JournalEntry.objects.filter(subject_type="ruling").order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == [
        "ruling.requested",
        "ruling.approved",
        "ruling.stop_asked",
        "ruling.stopped",
        "ruling.resumed",
        "ruling.applied",
    ]


def test_what_is_not_under_way_is_not_stopped_and_what_was_not_stopped_is_not_resumed(
    ruling: Ruling, decider: User
) -> None:
    actor = Actor.of_user(decider)
    with pytest.raises(CannotDecide, match="is approved; it cannot be resumed"):
        resume_ruling(ruling_id=ruling.pk, actor=actor, at=NOON)
    carry_out(ruling)
    before = JournalEntry.objects.count()
    for verb in (stop_ruling, resume_ruling):
        with pytest.raises(CannotDecide, match="is applied; it cannot be"):
            verb(ruling_id=ruling.pk, actor=actor, at=NOON)
    ruling.refresh_from_db()
    assert (ruling.wants_stop, JournalEntry.objects.count()) == (False, before)


def test_only_who_may_approve_stops_one(ruling: Ruling, asker: User) -> None:
    with pytest.raises(NotAllowed):
        stop_ruling(ruling_id=ruling.pk, actor=Actor.of_user(asker), at=NOON)
    ruling.refresh_from_db()
    assert ruling.wants_stop is False


def test_one_overtaken_half_way_says_what_it_moved(platform: Platform, asker: User, decider: User) -> None:
    first = platform.play("9H 2D KC QS", ("b1", "P-1", "player", 100))
    name = platform.open_round()
    platform.bet(name, ("b2", "P-2", "banker", 100))
    platform.deal(name, "9H 2D KC QS")
    second = platform.round(name)
    ruling = approve(decider, ask(asker, RulingKind.VOID_RANGE, [first, second]))
    assert claim_ruling(ruling_id=ruling.pk, now=NOON)
    assert apply_next_round(ruling_id=ruling.pk, now=NOON)
    with connection.cursor() as cursor:  # what is checked at COMMIT, which is of each round by itself
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    settle_round(round_id=second.pk, now=NOON)  # the engine was quicker
    assert not apply_next_round(ruling_id=ruling.pk, now=NOON)
    ruling.refresh_from_db()
    assert (ruling.status, lines_of(first), lines_of(second)) == (
        "stale",
        {"b1": ("void", 100)},
        {"b2": ("lost", 0)},
    )
    money = money_of_ruling(ruling)
    assert [(line.before_minor, line.moved_minor) for line in money.players] == [(200, -100)]
    assert money.is_booked
