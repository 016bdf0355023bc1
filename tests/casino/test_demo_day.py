"""The platform's day follows its seed, obeys the rules it is dealt under, and shows what a demo must show."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from casino.counterparts.platform import deal_day
from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.room import Wager
from casino.counterparts.platform.shoes import BlueAt, deal_shoe
from tables.feed.events import decoder
from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.cards import Card
from tables.rules.drawing import read_coup

ENDS_AT = datetime(2026, 11, 29, 20, 0, tzinfo=timezone(timedelta(hours=7)))
TABLES = {rulebook: f"B{number:02}" for number, rulebook in enumerate(SHIPPED, start=1)}
Event = dict[str, Any]

of_each_rulebook = pytest.mark.parametrize("rulebook", SHIPPED)


@cache
def day_of(rulebook: str, seed: int = 1) -> list[Event]:
    return list(deal_day(load_shipped(rulebook), TABLES[rulebook], seed, ENDS_AT))


def of_type(events: list[Event], *types: str) -> list[Event]:
    return [event for event in events if event["type"] in types]


def bets_of(events: list[Event]) -> Iterator[tuple[str, Event]]:
    for event in of_type(events, "bets"):
        for bet in event["bets"]:
            yield event["round"], bet


@dataclass
class PlayedRound:
    """The cards of one round as they lie at its end, and the claim."""

    cards: dict[str, str]
    claim: tuple[str, int, int] | None = None


def rounds_of(events: list[Event]) -> dict[str, PlayedRound]:
    refused = {event["supersedes"] for event in events if "supersedes" in event}
    rounds: dict[str, PlayedRound] = {}
    for event in of_type(events, "betting_opened", "card", "card_corrected", "round_result"):
        if event["id"] in refused:
            continue
        match event["type"]:
            case "betting_opened":
                rounds[event["round"]] = PlayedRound({})
            case "card" | "card_corrected":
                rounds[event["round"]].cards[event["place"]] = event["card"]
            case "round_result":
                claim = (event["outcome"], event["player_total"], event["banker_total"])
                rounds[event["round"]].claim = claim
    return rounds


def test_the_same_seed_makes_the_same_day() -> None:
    again = list(deal_day(load_shipped("insurance"), "B01", 1, ENDS_AT))
    assert again == day_of("insurance")


def test_another_end_moves_the_times_and_nothing_else() -> None:
    later = list(deal_day(load_shipped("insurance"), "B01", 1, ENDS_AT + timedelta(hours=5)))
    assert [without_times(event) for event in later] == [
        without_times(event) for event in day_of("insurance")
    ]
    for event, moved in zip(day_of("insurance"), later, strict=True):
        assert moment(moved) - moment(event) == timedelta(hours=5)


def without_times(event: Event) -> Event:
    bare = {name: value for name, value in event.items() if name != "at"}
    if event["type"] == "bets":
        bare["bets"] = [{name: value for name, value in bet.items() if name != "at"} for bet in event["bets"]]
    return bare


def moment(event: Event) -> datetime:
    return datetime.fromisoformat(event["at"])


def test_another_seed_makes_another_day() -> None:
    first, other = rounds_of(day_of("insurance")), rounds_of(day_of("insurance", seed=2))
    assert [round_.cards for round_ in first.values()] != [round_.cards for round_ in other.values()]


def test_chance_is_the_same_on_every_python() -> None:
    chance = Chance(1, "a")
    assert [chance.between(1, 100) for _ in range(5)] == [69, 6, 99, 51, 54]
    cards = list("ABCDEFG")
    chance.shuffle(cards)
    assert "".join(cards) == "CBEDGAF"


@of_each_rulebook
def test_events_are_numbered_without_gaps_and_in_the_order_of_time(rulebook: str) -> None:
    events = day_of(rulebook)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all(moment(one) <= moment(other) for one, other in pairwise(events))
    assert moment(events[-1]) == ENDS_AT
    assert len({event["id"] for event in events}) == len(events)


@of_each_rulebook
def test_every_event_but_the_garbled_one_is_of_the_format(rulebook: str) -> None:
    superseded = {event["supersedes"] for event in day_of(rulebook) if "supersedes" in event}
    assert len(superseded) == 1
    for event in day_of(rulebook):
        if event["id"] in superseded:
            with pytest.raises(msgspec.ValidationError):
                decoder.decode(msgspec.json.encode(event))
        else:
            assert decoder.decode(msgspec.json.encode(event)).seq == event["seq"]


@of_each_rulebook
def test_every_coup_obeys_the_tableau_and_the_claim_is_right(rulebook: str) -> None:
    rounds = rounds_of(day_of(rulebook))
    assert len(rounds) > 150
    for name, round_ in rounds.items():
        order = [place for place in ("P1", "B1", "P2", "B2", "P3", "B3") if place in round_.cards]
        coup = read_coup([Card.parse(round_.cards[place]) for place in order])
        assert round_.claim == (coup.outcome.value, coup.player_total, coup.banker_total), name


@of_each_rulebook
def test_every_shoe_is_burned_by_the_rule_and_its_ledger_adds_up(rulebook: str) -> None:
    for shoe in shoes_of(day_of(rulebook)):
        (burned,) = of_type(shoe, "burned")
        rank = burned["turned"][:-1]
        assert burned["count"] == {"A": 1, "J": 10, "Q": 10, "K": 10}.get(rank) or int(rank)
        assert len(burned["faces"]) == burned["count"]
        out = [burned["turned"], *burned["faces"]]
        out += [event["card"] for event in of_type(shoe, "card_out")]
        out += [card for round_ in rounds_of(shoe).values() for card in round_.cards.values()]
        (ended,) = of_type(shoe, "shoe_ended")
        assert len(out) + ended["left"] == 416
        assert max(Counter(out).values()) <= 8


def shoes_of(events: list[Event]) -> list[list[Event]]:
    starts = [place for place, event in enumerate(events) if event["type"] == "shoe_started"]
    ends = [place for place, event in enumerate(events) if event["type"] == "shoe_ended"]
    return [events[start : end + 1] for start, end in zip(starts, ends, strict=True)]


@of_each_rulebook
def test_the_blue_card_comes_in_a_round_then_between_two_and_no_round_follows(rulebook: str) -> None:
    shoes = shoes_of(day_of(rulebook))
    assert len(shoes) == 3
    for shoe in shoes:
        (cut,) = of_type(shoe, "cut_card_placed")
        place = next(place for place, event in enumerate(shoe) if event["type"] == "blue_card")
        (burned,) = of_type(shoe, "burned")
        superseded = {event.get("supersedes") for event in shoe}
        dealt = [e for e in of_type(shoe[:place], "card", "card_out") if e["id"] not in superseded]
        assert 1 + burned["count"] + len(dealt) == 416 - cut["from_back"]
        assert not of_type(shoe[place:], "betting_opened")
    assert [bool(of_type(after_blue_card(shoe), "card")) for shoe in shoes[:2]] == [True, False]
    assert of_type(after_blue_card(shoes[1]), "round_result") == []


def after_blue_card(shoe: list[Event]) -> list[Event]:
    return shoe[next(place for place, event in enumerate(shoe) if event["type"] == "blue_card") :]


@of_each_rulebook
def test_a_card_is_discarded_between_rounds_only_where_the_house_does_so(rulebook: str) -> None:
    events = day_of(rulebook)
    discards = of_type(events, "card_out")
    rounds = len(of_type(events, "betting_opened"))
    assert len(discards) == (0 if rulebook.startswith("live") else rounds - 3)


@of_each_rulebook
def test_between_8_and_60_bets_a_round_of_every_kind_the_house_knows(rulebook: str) -> None:
    counts = Counter(name for name, _ in bets_of(day_of(rulebook)))
    assert len(counts) == len(rounds_of(day_of(rulebook)))
    assert 8 <= min(counts.values()) <= max(counts.values()) <= 60
    kinds = {bet["bet"] for _, bet in bets_of(day_of(rulebook))}
    assert kinds == {*load_shipped(rulebook).kinds, "super_six"}


def test_at_least_25_000_bets_of_80_players_over_all_tables() -> None:
    bets = [bet for rulebook in SHIPPED for _, bet in bets_of(day_of(rulebook))]
    assert len(bets) >= 25_000
    assert len({bet["id"] for bet in bets}) == len(bets)
    assert {bet["player"] for bet in bets} == {f"P-{number}" for number in range(10_001, 10_081)}


@of_each_rulebook
def test_what_must_be_seen_once_a_day_is_there(rulebook: str) -> None:
    events = day_of(rulebook)
    assert len(of_type(events, "scan_failed")) == 3
    sources = Counter(event.get("source", "scan") for event in of_type(events, "card"))
    assert (sources["rescan"], sources["keyed"]) == (1, 1)
    assert len(of_type(events, "card_corrected")) == 1
    assert len(of_type(events, "incident")) == (1 if rulebook.startswith("live") else 0)
    assert len({event["dealer"] for event in of_type(events, "dealer_in")}) == 4


@of_each_rulebook
def test_some_bets_come_late_over_the_limit_or_are_taken_back(rulebook: str) -> None:
    events = day_of(rulebook)
    rules = load_shipped(rulebook)
    bells = {event["round"]: moment(event) for event in of_type(events, "betting_closed")}
    bets = [(name, bet) for name, bet in bets_of(events) if "phase" not in bet]
    assert sum(moment(bet) > bells[name] for name, bet in bets) > 5
    highest = {kind: 500_000 if bet.backs is None else 5_000_000 for kind, bet in rules.bets.items()}
    assert sum(bet["stake"] > highest.get(bet["bet"], 10**15) for _, bet in bets) > 3
    unconfirmed = sum(bet.get("confirmed") is False for _, bet in bets)
    taken_back = len(of_type(events, "bets_cancelled"))
    assert (unconfirmed > 10, taken_back > 5) == (rules.must_confirm_bets, not rules.must_confirm_bets)


@pytest.mark.parametrize("rulebook", ["insurance", "insurance-no-commission"])
def test_insurance_is_bought_on_both_sides_at_both_phases(rulebook: str) -> None:
    bought = Counter((bet["bet"], bet["phase"]) for _, bet in bets_of(day_of(rulebook)) if "phase" in bet)
    assert set(bought) == {
        ("player_insurance", "four_cards"),
        ("player_insurance", "player_third"),
        ("banker_insurance", "four_cards"),
        ("banker_insurance", "player_third"),
    }
    opened = Counter(
        (event["round"], event["phase"]) for event in of_type(day_of(rulebook), "insurance_opened")
    )
    assert max(opened.values()) == 1
    closed = of_type(day_of(rulebook), "insurance_closed")
    assert {(event["round"], event["phase"]) for event in closed} == set(opened)


@of_each_rulebook
def test_rounds_follow_each_other_at_the_pace_of_a_table(rulebook: str) -> None:
    opened = of_type(day_of(rulebook), "betting_opened")
    paces = [moment(two) - moment(one) for one, two in pairwise(opened) if one["number"] + 1 == two["number"]]
    mean = sum(paces, timedelta()) / len(paces)
    assert timedelta(seconds=42) <= mean <= timedelta(seconds=56)


def test_a_short_shoe_ends_with_the_round_asked_for() -> None:
    shoe = deal_shoe(Chance("short"), load_shipped("insurance"), blue=BlueAt.BETWEEN, rounds=5)
    assert len(shoe.rounds) == 5
    assert shoe.rounds[-1].out_after == shoe.blue_position
    assert shoe.left == shoe.cut_from_back


def test_a_wager_before_betting_opened_is_early() -> None:
    assert Wager("P-1", "player", 100, after_ms=-1).is_early
    assert not Wager("P-1", "player", 100, after_ms=0).is_early
