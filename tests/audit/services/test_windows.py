"""Whether a void round counts for the windows of bets is the rulebook's word. What was counted when a round
was opened stays: a ruling changes the count of later rounds only, and unmakes no bet that was accepted.
"""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from audit.models import RulingKind
from tables.models import Bet
from tables.queries.shoe_page import read_shoe_page
from tables.rulebooks import shipped_text
from tables.services.actors import SYSTEM
from tables.services.setup import publish_rulebook
from tests.audit.deciding import MANAGES, SUPERVISES, make_user, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db


def platform_where(void_rounds_count: str) -> Platform:
    """Open a table whose small bets are taken in the first two rounds counted."""
    table = make_table(rulebook="insurance")
    text = shipped_text("insurance").replace("window: {last: 30", "window: {last: 2")
    text = text.replace("void_rounds_count: yes", f"void_rounds_count: {void_rounds_count}")
    publish_rulebook(text=text, effective_from=NOON - timedelta(days=1), actor=SYSTEM, at=NOON)
    platform = Platform(table)
    platform.start()
    return platform


def people() -> tuple[User, User]:
    return make_user("asker", *SUPERVISES), make_user("decider", *MANAGES)


def bet_small(platform: Platform, bet: str) -> tuple[str, int]:
    """Open a round and bet on small; return what became of the bet, and the round's number for windows."""
    name = platform.open_round()
    platform.bet(name, (bet, "P-1", "small", 100))
    taken = Bet.objects.get(platform_bet_id=bet)
    platform.deal(name, "9H 2D KC QS")
    return taken.refusal or taken.status, platform.round(name).window_number


def test_where_void_rounds_count_the_window_moves_on(db: None) -> None:
    platform = platform_where("yes")
    first = platform.play("9H 2D KC QS")
    rule(*people(), RulingKind.VOID_ROUND, [first])
    assert bet_small(platform, "b2") == ("accepted", 2)
    assert bet_small(platform, "b3") == ("outside_window", 3)


def test_where_they_do_not_a_void_changes_the_count_of_later_rounds_only(db: None) -> None:
    platform = platform_where("no")
    asker, decider = people()
    first = platform.play("9H 2D KC QS", ("b1", "P-1", "small", 100))
    second = platform.play("9H 2D KC QS", ("b2", "P-1", "small", 100))
    assert bet_small(platform, "b3") == ("outside_window", 3)
    void = rule(asker, decider, RulingKind.VOID_ROUND, [first])
    second.refresh_from_db()
    assert (second.window_number, lines_of(second)) == (2, {"b2": ("won", 250)})  # 4 cards: 1.5 to one

    # One of three is void: the fourth is the third that counts. A second void makes room for the fifth.
    assert bet_small(platform, "b4") == ("outside_window", 3)
    rule(asker, decider, RulingKind.VOID_ROUND, [second], at=NOON + timedelta(minutes=1))
    assert lines_of(second) == {"b2": ("void", 100)}
    third = platform.table.rounds.get(number=3)
    rule(asker, decider, RulingKind.VOID_ROUND, [third], at=NOON + timedelta(minutes=2))
    assert bet_small(platform, "b5") == ("accepted", 2)

    # Taking a void back makes the count grow again, for the next round; the bet that was accepted stays so.
    rule(asker, decider, RulingKind.REINSTATE, [first], at=NOON + timedelta(minutes=3), reinstates=void)
    fifth = Bet.objects.get(platform_bet_id="b5")
    assert (fifth.status, fifth.round.window_number) == ("accepted", 2)
    assert bet_small(platform, "b6") == ("outside_window", 4)
    assert lines_of(first) == {"b1": ("won", 250)}


@pytest.mark.parametrize(("word", "drawn"), [("", [2]), (", void_rounds_on_roads: yes", [1, 2])])
def test_whether_a_void_round_is_drawn_on_the_roads(db: None, word: str, drawn: list[int]) -> None:
    table = make_table(rulebook="insurance")
    windows = "windows: {void_rounds_count: yes"
    text = shipped_text("insurance").replace(windows, f"{windows}{word}") + "# another version\n"
    publish_rulebook(text=text, effective_from=NOON - timedelta(days=1), actor=SYSTEM, at=NOON)
    platform = Platform(table)
    platform.start()
    first, second = platform.play("9H 2D KC QS"), platform.play("2D 9H QS KC")
    rule(*people(), RulingKind.VOID_ROUND, [first])
    page = read_shoe_page(second.shoe)
    assert [(bead.number, bead.outcome) for bead in page.beads] == [
        (number, {1: "player", 2: "banker"}[number]) for number in drawn
    ]
