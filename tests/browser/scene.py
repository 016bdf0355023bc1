"""A shoe to look at: forty rounds, then one with everything on its page, played through the feed.

The outcomes are those of a shoe written down by hand, so that a bead plate can be held against them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User
from django.core.management import call_command

from audit.models import RulingKind
from tables.models import Round, Shoe
from tables.rules.cards import ALL_CARDS
from tables.rules.drawing import IllegalCoup, read_coup
from tables.services.settlement import settle_round
from tests.audit.deciding import rule
from tests.tables.playing import Platform, make_table

STARTED = datetime(2026, 11, 29, 5, 44, 10, tzinfo=UTC)  # 12:44:10 in Bangkok
OUTCOMES = "TPTTBBTPBBPBPTPBBPBBBBPPPPBBBPTBPPTPPPPP"


@dataclass(frozen=True)
class Scene:
    """What was played."""

    shoe: Shoe
    corrected: Round
    held: Round
    dealing: Round
    redealt: Round


def play_scene() -> Scene:
    """Play forty rounds, one corrected after its settlement, one held, one dealt again, one still dealing."""
    table = make_table("B03", "commission", name="Salon 3")
    call_command("set_up_roles", "--demo", verbosity=0)
    platform = Platform(table, at=STARTED)
    platform.start(turned="6S", burn=6)
    pack = Pack("6S 6S KH 6D 5C 7S 4H", "9S KC JD 6C", "AS 7C 9D KS 9H 3D QC", "2H 8C JD")
    for number, outcome in enumerate(OUTCOMES, start=1):
        _play_round(platform, number, pack.coup(outcome))
    corrected = _play_round_41(platform)
    held = _play_held(platform)
    redealt = _play_again(platform)
    dealing = _deal_half(platform)
    return Scene(Shoe.objects.get(table=table), corrected, held, dealing, redealt)


class Pack:
    """Eight decks, of which each round takes cards that end it as wanted."""

    def __init__(self, *kept_back: str) -> None:
        self.cards = [str(card) for card in ALL_CARDS] * 8
        for cards in kept_back:
            for card in cards.split():
                self.cards.remove(card)
        self.chance = random.Random(41)

    def coup(self, outcome: str) -> str:
        """Take cards from the pack that make a lawful round with this outcome."""
        while True:
            six = self.chance.sample(self.cards, 6)
            for count in (4, 5, 6):
                try:
                    coup = read_coup(six[:count])
                except IllegalCoup:
                    continue
                if coup.outcome.value[0].upper() == outcome:
                    for card in six[:count]:
                        self.cards.remove(card)
                    return " ".join(six[:count])


def _play_round(platform: Platform, number: int, cards: str) -> None:
    bets = [
        (f"W{88_000_000 + number * 10 + i}", f"P-{10_400 + (number * 7 + i) % 80}", kind, stake)
        for i, (kind, stake) in enumerate((("player", 50_000), ("banker", 120_000), ("tie", 10_000)))
    ]
    platform.play(cards, *bets)
    platform.at += timedelta(seconds=24)


def _play_round_41(platform: Platform) -> Round:
    """The fifth and sixth card are keyed the wrong way round; a ruling puts them right."""
    name = platform.open_round()
    platform.at += timedelta(seconds=16)
    bets: list[tuple[str, str, str, int]] = [
        ("W88120445", "P-16002", "player", 5_000_000),
        ("W88120459", "P-10625", "banker", 3_000_000),
        ("W88120417", "P-10977", "player", 2_000_000),
        ("W88120415", "P-10482", "tie", 100_000),
        ("W88120411", "P-10483", "banker", 500_000),
        ("W88120481", "P-13954", "banker", 500_000),
        ("W88120511", "P-19562", "player", 500_000),
        ("W88120421", "P-10977", "player_pair", 50_000),
        ("W88120469", "P-17115", "banker_pair", 50_000),
    ]
    kinds = ("player", "banker", "tie", "player_pair")
    bets += [(f"W8812{600 + i:04}", f"P-2{i:04}", kinds[i % 4], 10_000 * (1 + i % 7)) for i in range(40)]
    platform.bet(name, *bets, ("W88120999", "P-19000", "banker", 500_000_000_000))
    platform.say("betting_closed", round=name)
    platform.bet(name, ("W88121001", "P-19001", "player", 100_000))
    for place, card in zip(("P1", "B1", "P2", "B2"), ("6S", "KH", "6D", "5C"), strict=True):
        platform.say("card", round=name, place=place, card=card)
    platform.say("scan_failed", round=name, place="P3", device="scanner-3")
    platform.at += timedelta(seconds=11)
    for place, card in (("P3", "7S"), ("B3", "4H")):
        platform.say("card", round=name, place=place, card=card, source="keyed")
    platform.say("round_result", round=name, outcome="tie", player_total=9, banker_total=9)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    _correct(round_, platform.at + timedelta(minutes=27))
    round_.refresh_from_db()
    return round_


def _correct(round_: Round, at: datetime) -> None:
    """Swap the keyed cards and settle again: one person asks, another approves, the worker carries it out."""
    asker, decider = (User.objects.get(username=name) for name in ("supervisor", "manager"))
    cards = {"P1": "6S", "B1": "KH", "P2": "6D", "B2": "5C", "P3": "4H", "B3": "7S"}
    rule(asker, decider, RulingKind.CORRECT, [round_], at=at, facts={"cards": cards})


def _play_held(platform: Platform) -> Round:
    """The table claims another result than the cards give: the round waits."""
    name = platform.open_round()
    platform.bet(
        name, ("W88130001", "P-16002", "player", 250_000), ("W88130002", "P-10625", "banker", 90_000)
    )
    platform.say("betting_closed", round=name)
    for place, card in zip(("P1", "B1", "P2", "B2"), ("9S", "KC", "JD", "6C"), strict=True):
        platform.say("card", round=name, place=place, card=card)
    platform.say("round_result", round=name, outcome="banker", player_total=9, banker_total=6)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    return round_


def _play_again(platform: Platform) -> Round:
    """A card came out wrongly, so the cards are dead and the round is dealt again."""
    name = platform.open_round()
    platform.bet(name, ("W88140001", "P-16002", "player", 250_000), ("W88140002", "P-10625", "tie", 90_000))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "AS"), ("B1", "7C"), ("P2", "9D")):
        platform.say("card", round=name, place=place, card=card)
    platform.say("redeal_started", round=name, decision="R-0185")
    platform.deal(name, "KS 9H 3D QC", bell=False)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    round_.refresh_from_db()
    return round_


def _deal_half(platform: Platform) -> Round:
    """Three cards lie; the fourth is due."""
    name = platform.open_round()
    platform.bet(name, ("W88150001", "P-16002", "banker", 250_000))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "2H"), ("B1", "8C"), ("P2", "JD")):
        platform.say("card", round=name, place=place, card=card)
    return platform.round(name)
