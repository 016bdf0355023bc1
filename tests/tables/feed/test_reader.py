"""The feed is read exactly once, in order, whatever is sent twice, late, broken or half."""

from typing import Any

import msgspec
import pytest

from tables.feed.reader import UnknownTable, read_lines
from tables.models import AcceptedGap, Bet, FeedEvent, Finding, Hold, JournalEntry, Outbox, Round, RoundStatus
from tables.services.actors import SYSTEM
from tables.services.floor import accept_gap
from tables.services.play import PlayRefused
from tables.services.settlement import settle_round
from tests.tables.playing import NOON, Platform, lines_of, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


def codes(platform: Platform) -> list[str]:
    return list(Finding.objects.order_by("pk").values_list("code", flat=True))


def test_a_repeat_is_acknowledged_and_ignored(platform: Platform) -> None:
    name = platform.open_round()
    first = platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-1", "dragon_player", 100))
    assert [(bet.id, bet.reason) for bet in first.refused_bets] == [("b2", "bet_not_in_rulebook")]
    again = platform.send(platform.sent[-1]).events[0]
    assert again.status == "repeat"
    assert [(bet.id, bet.reason) for bet in again.refused_bets] == [("b2", "bet_not_in_rulebook")]
    assert Bet.objects.count() == 2


def test_spacing_makes_no_other_event(platform: Platform) -> None:
    line = platform.event("heartbeat")
    platform.send(line)
    spaced = msgspec.json.format(line)
    assert platform.send(spaced).events[0].status == "repeat"


def test_the_same_id_with_another_body_is_refused(platform: Platform) -> None:
    line = platform.event("heartbeat")
    platform.send(line)
    answer = platform.send(line.replace(b'"heartbeat"', b'"table_opened"')).events[0]
    assert (answer.status, answer.error) == (
        "conflict",
        "id: this event was sent before with another body (feed/repeat)",
    )


def test_a_whole_batch_may_be_sent_again(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.deal(name, "9H 2D KC QS")
    before = (
        FeedEvent.objects.count(),
        Bet.objects.count(),
        Round.objects.count(),
        JournalEntry.objects.count(),
    )
    answer = platform.send(*platform.sent)
    assert {event.status for event in answer.events} == {"repeat"}
    assert (
        FeedEvent.objects.count(),
        Bet.objects.count(),
        Round.objects.count(),
        JournalEntry.objects.count(),
    ) == before


def test_a_gap_is_answered_with_the_sequence_expected(platform: Platform) -> None:
    name = platform.open_round()
    lost = platform.event("heartbeat")
    after = platform.event("betting_closed", round=name)
    answer = platform.send(after)
    expected = platform.seq - 1
    assert (answer.events[0].status, answer.events[0].expected_seq, answer.next_seq) == (
        "gap",
        expected,
        expected,
    )
    hold = Hold.objects.get()
    assert (hold.reason, hold.lifted_at) == ("feed_gap", None)
    assert [event.status for event in platform.send(lost, after).events] == ["accepted", "accepted"]
    hold.refresh_from_db()
    assert hold.lifted_by == "the missing events arrived"


def test_a_manager_accepts_a_gap_with_a_reason(platform: Platform) -> None:
    platform.event("heartbeat")
    after = platform.event("heartbeat")
    platform.send(after)
    accept_gap(table=platform.table, reason="the encoder was replaced", actor=SYSTEM, at=NOON)
    assert platform.send(after).events[0].status == "accepted"
    assert JournalEntry.objects.filter(action="feed.gap_accepted").exists()


def test_an_accepted_gap_ends_where_the_first_event_beyond_it_waits(platform: Platform) -> None:
    missing = platform.seq + 1
    platform.event("heartbeat")
    after = [platform.event("heartbeat"), platform.event("heartbeat"), platform.event("heartbeat")]
    platform.send(*after)
    gap = accept_gap(table=platform.table, reason="lost", actor=SYSTEM, at=NOON)
    assert (gap.first_seq, gap.last_seq) == (missing, missing)
    assert [event.status for event in platform.send(*after).events] == ["accepted"] * 3


def test_another_gap_than_the_one_meant_is_not_accepted(platform: Platform) -> None:
    platform.event("heartbeat")
    platform.send(platform.event("heartbeat"))
    with pytest.raises(PlayRefused, match="came meanwhile"):
        accept_gap(table=platform.table, reason="lost", first_seq=1, actor=SYSTEM, at=NOON)
    assert not AcceptedGap.objects.exists()


def test_a_bad_event_takes_its_number_and_holds_its_round(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    bad = platform.say("card", round=name, place="B1", card="1D")
    assert bad.status == "refused"
    assert bad.error is not None and bad.error.startswith("card: ") and bad.error.endswith("(feed/format)")
    later = platform.send(
        platform.event("card", round=name, place="P2", card="KC"),
        platform.event("card", round=name, place="B2", card="QS"),
        platform.event("round_result", round=name, outcome="player", player_total=9, banker_total=2),
    )
    assert [event.status for event in later.events] == ["accepted"] * 3
    assert Outbox.objects.count() == 0
    assert "event_refused" in Hold.objects.filter(lifted_at__isnull=True).values_list("reason", flat=True)


def test_an_event_that_supersedes_the_bad_one_puts_it_right(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    platform.say("card", round=name, place="B1", card="1D")
    right = platform.say("card", round=name, place="B1", card="2D", supersedes=f"B01-{platform.seq}")
    assert right.status == "accepted", right
    platform.deal_rest = None
    platform.send(
        platform.event("card", round=name, place="P2", card="KC"),
        platform.event("card", round=name, place="B2", card="QS"),
        platform.event("round_result", round=name, outcome="player", player_total=9, banker_total=2),
    )
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    assert lines_of(round_) == {"b1": ("won", 200)}
    again = platform.say("heartbeat", supersedes=f"B01-{platform.seq - 4}")
    assert again.status == "refused"


@pytest.mark.parametrize(
    ("stake", "words"),
    [
        (0, "Expected `int` >= 1"),
        (-5, "Expected `int` >= 1"),
        (1.5, "Expected `int`, got `float`"),
        ("100", "Expected `int`, got `str`"),
        (10**15 + 1, "Expected `int` <= 1000000000000000"),
        (True, "Expected `int`, got `bool`"),
        (None, "Expected `int`, got `null`"),
    ],
)
def test_a_bad_stake_names_its_bet_and_the_rule(platform: Platform, stake: object, words: str) -> None:
    name = platform.open_round()
    answer = platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-2", "player", stake))
    assert answer.status == "refused"
    assert answer.error == f"bets[1].stake: {words} (feed/format)"
    assert not Bet.objects.exists()


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"{", "event: not JSON"),
        (b"[1, 2]", "event: a JSON object is wanted"),
        (b"\xef\xbb\xbf{}", "event: not JSON"),
        (b'{"id": 5, "seq": 1}', "id: 1 to 64 printable characters"),
        (b'{"id": "x", "seq": "1"}', "seq: a whole number"),
        (b'{"id": "x", "seq": 1e400}', "seq: a whole number"),
        (b'{"id": "x", "seq": 5, "table": "B99"}', "table: this is the feed of B01"),
        (b"\xff\xfe", "event: not JSON"),
    ],
)
def test_what_cannot_be_placed_in_the_order_is_not_stored(
    platform: Platform, line: bytes, error: str
) -> None:
    before = FeedEvent.objects.count()
    answer = platform.send(line).events[0]
    assert answer.status == "unreadable"
    assert answer.error is not None and answer.error.startswith(error)
    assert FeedEvent.objects.count() == before


def test_the_clock_may_not_run_ahead(platform: Platform) -> None:
    platform.seq += 1
    ahead = {
        "id": "x",
        "table": "B01",
        "seq": platform.seq,
        "type": "heartbeat",
        "at": "2026-11-29T12:00:00Z",
    }
    answer = platform.send(msgspec.json.encode(ahead)).events[0]
    assert (answer.status, answer.error) == (
        "refused",
        "at: more than 60 seconds ahead of this clock (feed/clock)",
    )


def test_an_old_event_is_taken_and_marked_late(platform: Platform) -> None:
    platform.seq += 1
    old = {"id": "x", "table": "B01", "seq": platform.seq, "type": "heartbeat", "at": "2026-11-29T04:00:00Z"}
    assert platform.send(msgspec.json.encode(old)).events[0].status == "accepted"
    assert FeedEvent.objects.get(event_id="x").is_late


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(UnknownTable, match="B77"):
        read_lines("B77", [], actor=SYSTEM, received_at=NOON)


def test_players_are_not_kept_in_what_cannot_be_erased(platform: Platform) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-10482", "player", 100))
    platform.bet(name, ("b2", "P-10482", "player", "many"))
    for event in FeedEvent.objects.all():
        assert b"P-10482" not in bytes(event.body)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"type": "bets", "bets": {"id": "b3", "player": "P-10482"}}, {"bets": 0}),
        ({"type": "bets", "bets": "P-10482"}, {"bets": 0}),
        ({"type": "bet", "player": "P-10482", "stake": 100}, {"left_out": 2}),
        ({"type": "heartbeat", "player_name": "Somchai P-10482"}, {"left_out": 1}),
    ],
)
def test_players_are_not_kept_of_a_bad_event_either(
    platform: Platform, fields: dict[str, Any], kept: dict[str, int]
) -> None:
    platform.seq += 1
    head: dict[str, Any] = {"id": "x", "table": "B01", "seq": platform.seq, "at": "2026-11-29T05:00:00Z"}
    assert platform.send(msgspec.json.encode(head | fields)).events[0].status == "refused"
    event = FeedEvent.objects.get(event_id="x")
    assert msgspec.json.decode(bytes(event.body)) == head | {"type": fields["type"]} | kept
    assert "P-10482" not in event.error


def test_bets_after_the_bell_are_refused_and_found(platform: Platform) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    answer = platform.bet(name, ("b1", "P-1", "player", 100))
    assert [(bet.id, bet.reason) for bet in answer.refused_bets] == [("b1", "after_bell")]
    assert codes(platform) == ["bets_after_bell"]
    assert not Hold.objects.exists()


def test_a_bet_placed_before_the_bell_counts_though_it_came_after(platform: Platform) -> None:
    name = platform.open_round()
    placed = platform.at.isoformat()
    platform.say("betting_closed", round=name)
    answer = platform.bet(name, ("b1", "P-1", "player", 100, {"at": placed}))
    assert answer.refused_bets == []
    assert Round.objects.get().status == RoundStatus.DEALING
