"""A supervisor keys what no scanner saw, through the same services as the feed."""

import pytest

from tables.models import Card, GameTable, JournalEntry, RoundStatus, Settlement
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.keyed import key_burn, key_card, key_coup, key_cut, key_shoe
from tables.services.play import PlayRefused
from tables.services.settlement import settle_round
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db
SUPERVISOR = Actor("user", "7", "J. Sriwan", frozenset({"tables.key_play"}))


@pytest.fixture
def table() -> GameTable:
    table = make_table(rulebook="insurance")
    Platform(table).say("table_opened")
    return table


def test_a_whole_shoe_start_and_a_coup_are_keyed(table: GameTable) -> None:
    key_shoe(table=table, decks=8, actor=SUPERVISOR, at=NOON)
    key_cut(table=table, from_back=14, actor=SUPERVISOR, at=NOON)
    shoe = key_burn(table=table, turned="6s", count=6, actor=SUPERVISOR, at=NOON)
    assert (shoe.burn_due, shoe.burn_done, shoe.cut_from_back) == (6, 6, 14)
    round_ = key_coup(table=table, cards="9H 2D KC QS", actor=SUPERVISOR, at=NOON)
    assert (round_.number, round_.status, round_.outcome) == (1, RoundStatus.RESULTED, "player")
    settle_round(round_id=round_.pk, now=NOON)
    assert Settlement.objects.get(round=round_).outcome == "player"
    assert set(Card.objects.values_list("source", flat=True)) == {"keyed"}
    assert list(
        JournalEntry.objects.filter(actor_id="7").order_by("pk").values_list("action", flat=True)
    ) == [
        "shoe.keyed",
        "shoe.cut_keyed",
        "shoe.burn_keyed",
        "coup.keyed",
    ]


def test_a_missed_card_is_keyed_into_the_round_in_play(table: GameTable) -> None:
    platform = Platform(table)
    platform.seq = 1
    platform.start()
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.send(
        platform.event("betting_closed", round=name),
        platform.event("card", round=name, place="P1", card="9H"),
        platform.event("scan_failed", round=name, place="B1"),
    )
    key_card(table=table, place="B1", card="2d", actor=SUPERVISOR, at=platform.at)
    platform.send(
        platform.event("card", round=name, place="P2", card="KC"),
        platform.event("card", round=name, place="B2", card="QS"),
        platform.event("round_result", round=name, outcome="player", player_total=9, banker_total=2),
    )
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    assert lines_of(round_) == {"b1": ("won", 200)}


@pytest.mark.parametrize(
    ("cards", "field", "rule"),
    [
        ("9H 2D KC", "cards", "coup/drawing"),
        ("9H 2D KC QS 2S", "cards", "coup/drawing"),
        ("9H 2D KC 1S", "cards", "card/form"),
        ("", "cards", "coup/drawing"),
    ],
)
def test_a_coup_that_cannot_be_is_refused_and_leaves_nothing(
    table: GameTable, cards: str, field: str, rule: str
) -> None:
    key_shoe(table=table, decks=8, actor=SUPERVISOR, at=NOON)
    with pytest.raises(PlayRefused) as refused:
        key_coup(table=table, cards=cards, actor=SUPERVISOR, at=NOON)
    assert (refused.value.field, refused.value.rule) == (field, rule)
    assert not Card.objects.exists()


def test_only_who_may_key_play_can(table: GameTable) -> None:
    support = Actor("user", "9", "Pim", frozenset({"tables.view_round"}))
    with pytest.raises(NotAllowed, match=r"tables\.key_play"):
        key_shoe(table=table, decks=8, actor=support, at=NOON)
    assert SYSTEM.may_everything


def test_a_coup_goes_only_into_the_round_that_is_meant(table: GameTable) -> None:
    key_shoe(table=table, decks=8, actor=SUPERVISOR, at=NOON)
    key_coup(table=table, cards="9H 2D KC QS", number=1, actor=SUPERVISOR, at=NOON)
    with pytest.raises(PlayRefused, match="round 1 was meant, but B01 is at round 2"):
        key_coup(table=table, cards="9H 2D KC QS", number=1, actor=SUPERVISOR, at=NOON)
    assert Card.objects.filter(place="P1").count() == 1


def test_a_card_goes_only_into_the_round_that_is_meant(table: GameTable) -> None:
    platform = Platform(table)
    platform.seq = 1
    platform.start()
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    with pytest.raises(PlayRefused, match="round 2 was meant, but B01 is at round 1"):
        key_card(table=table, place="P1", card="9H", number=2, actor=SUPERVISOR, at=platform.at)
    key_card(table=table, place="P1", card="9H", number=1, actor=SUPERVISOR, at=platform.at)
    assert str(Card.objects.get(place="P1").face) == "9H"
