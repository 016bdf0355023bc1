"""Publishing rulebooks and setting up tables: immutable versions, refusals that name the field."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tables.models import GameTable, JournalEntry, Rulebook, TableState
from tables.queries.rulebooks import rulebook_in_force
from tables.rulebooks import SHIPPED, shipped_text
from tables.rules.document import RulebookError
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.setup import BadSetup, change_table_limits, change_table_rulebook, publish_rulebook
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def publish(text: str, effective_from: Any = NOON) -> Rulebook:
    return publish_rulebook(text=text, effective_from=effective_from, actor=SYSTEM, at=NOON)


def test_the_same_words_are_published_once() -> None:
    first = publish(shipped_text("commission"))
    assert (first.code, first.version) == ("commission", 1)
    assert publish(shipped_text("commission"), NOON + DAY) == first
    assert JournalEntry.objects.filter(action="rulebook.published").count() == 1


def test_other_words_are_a_new_version_in_force_from_its_time() -> None:
    first = publish(shipped_text("commission"))
    second = publish(shipped_text("commission") + "\n# reworded\n", NOON + DAY)
    assert second.version == 2
    assert rulebook_in_force("commission", NOON + DAY - timedelta(microseconds=1)) == first
    assert rulebook_in_force("commission", NOON + DAY) == second
    assert rulebook_in_force("commission", NOON - DAY) is None


def test_a_version_cannot_take_effect_before_an_older_one() -> None:
    publish(shipped_text("commission"), NOON + DAY)
    with pytest.raises(BadSetup, match="takes effect only at 2026-11-30T05:00:00"):
        publish(shipped_text("commission") + "\n# reworded\n", NOON)


def test_a_broken_document_is_not_published() -> None:
    with pytest.raises(RulebookError):
        publish(shipped_text("commission").replace("decks: 8", "decks: 7"))
    assert not Rulebook.objects.exists()


def test_a_round_keeps_the_version_it_was_played_under() -> None:
    table = make_table(rulebook="commission")
    platform = Platform(table)
    platform.start()
    before = platform.play("9H 2D KC QS")
    publish(shipped_text("commission") + "\n# reworded\n", platform.at)
    after = platform.play("9H 2D KC QS")
    before.refresh_from_db()
    assert (before.rulebook.version, after.rulebook.version) == (1, 2)


def test_the_command_publishes_what_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("rulebook", "publish", "--shipped")
    assert sorted(Rulebook.objects.values_list("code", flat=True)) == sorted(SHIPPED)
    with pytest.raises(CommandError, match="name the offset"):
        call_command("rulebook", "publish", "--shipped", "--from", "2026-12-01T06:00")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"code": "b1"}, "code"),
        ({"code": "BO1"}, "code"),
        ({"name": " "}, "name"),
        ({"currency": "baht"}, "currency"),
        ({"zone": "Asia/Nowhere"}, "zone"),
        ({"rulebook_code": "roulette"}, "rulebook"),
        ({"min_stake_minor": 0}, "limits"),
        ({"max_stake_minor": 99}, "limits"),
        ({"max_stake_minor": 10**15 + 1}, "limits"),
        ({"gaming_day_starts_hour": 24}, "gaming_day_starts_hour"),
    ],
)
def test_a_table_that_cannot_be_is_refused(change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadSetup) as refused:
        make_table(**change)
    assert refused.value.field == field
    assert not GameTable.objects.exists() and not TableState.objects.exists()


def test_a_table_is_set_up_once() -> None:
    make_table("B07")
    with pytest.raises(BadSetup, match="there is a table B07 already"):
        make_table("B07")


def test_limits_and_rulebook_change_by_named_actions() -> None:
    table = make_table(rulebook="commission")
    publish(shipped_text("insurance"))
    change_table_limits(table=table, limits=(500, 900), actor=SYSTEM, at=NOON)
    change_table_rulebook(table=table, rulebook_code="insurance", actor=SYSTEM, at=NOON)
    table.refresh_from_db()
    assert (table.min_stake_minor, table.max_stake_minor, table.rulebook.code) == (500, 900, "insurance")
    actions = set(JournalEntry.objects.filter(subject_label="B01").values_list("action", flat=True))
    assert actions == {"table.set_up", "table.limits_changed", "table.rulebook_changed"}


def test_single_bets_have_limits_of_their_own() -> None:
    table = make_table(rulebook="commission")
    change_table_limits(
        table=table, bets={"tie": (200, 500), "player_pair": (100, 300)}, actor=SYSTEM, at=NOON
    )
    table.refresh_from_db()
    assert table.bet_limits == {"player_pair": [100, 300], "tie": [200, 500]}
    assert (table.min_stake_minor, table.max_stake_minor) == (100, 100_000_000)
    change_table_limits(table=table, limits=(300, 400), actor=SYSTEM, at=NOON)
    table.refresh_from_db()
    assert table.bet_limits == {"player_pair": [100, 300], "tie": [200, 500]}
    change_table_limits(table=table, bets={}, actor=SYSTEM, at=NOON)
    table.refresh_from_db()
    assert (table.bet_limits, table.min_stake_minor) == ({}, 300)
    entry = JournalEntry.objects.filter(action="table.limits_changed").order_by("pk").first()
    assert entry is not None
    assert b'"bet_limits":{"player_pair":[100,300],"tie":[200,500]}' in bytes(entry.body)


@pytest.mark.parametrize(
    ("bets", "field"),
    [
        ({"tiger": (1, 2)}, "bets.tiger"),
        ({"tie": (0, 2)}, "bets.tie"),
        ({"tie": (3, 2)}, "bets.tie"),
        ({"tie": (1, 10**15 + 1)}, "bets.tie"),
    ],
)
def test_limits_of_a_bet_that_will_not_do_change_nothing(
    bets: dict[str, tuple[int, int]], field: str
) -> None:
    table = make_table(rulebook="commission")
    with pytest.raises(BadSetup, match="table/limits") as refused:
        change_table_limits(table=table, limits=(5, 6), bets=bets, actor=SYSTEM, at=NOON)
    assert refused.value.field == field
    table.refresh_from_db()
    assert (table.min_stake_minor, table.bet_limits) == (100, {})


def test_the_rulebook_changes_between_shoes() -> None:
    table = make_table(rulebook="commission")
    Platform(table).start()
    publish(shipped_text("insurance"))
    with pytest.raises(BadSetup, match="a shoe lies on the table"):
        change_table_rulebook(table=table, rulebook_code="insurance", actor=SYSTEM, at=NOON)


def test_only_who_may_sets_up() -> None:
    nobody = Actor("user", "3", "Pim")
    with pytest.raises(NotAllowed, match=r"tables\.publish_rulebook"):
        publish_rulebook(text=shipped_text("commission"), effective_from=NOON, actor=nobody, at=NOON)
