"""Money is conserved: whatever is bet on whatever is dealt, each line is what the pure engine says,
stakes are what was returned and kept, and what moves to the wallets is what the round returned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tables.models import Bet, BetStatus, Round, RoundStatus, WalletTransaction
from tables.models.fields import MAX_STAKE_MINOR
from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.bets import returned_minor, verdicts
from tables.rules.cards import RANKS, SUITS, Card
from tables.rules.drawing import Coup, Place, due_next, read_coup
from tables.rules.insurance import offers
from tables.services.settlement import settle_round
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db

PLAYERS = [f"P-{number}" for number in range(1, 7)]

stakes = st.integers(1, 10_000) | st.integers(1, MAX_STAKE_MINOR)
six_cards = st.lists(st.builds(Card, st.sampled_from(RANKS), st.sampled_from(SUITS)), min_size=6, max_size=6)


@dataclass(frozen=True)
class Wish:
    """A bet that somebody puts."""

    player: str
    kind: str
    stake: int


@dataclass(frozen=True)
class Insured:
    """A main bet, and insurance on it wherever it is on sale: a tenth, so that no odds pass the cap."""

    player: str
    side: str
    stake: int


def wishes_under(rulebook: str) -> st.SearchStrategy[list[Wish]]:
    kinds = st.sampled_from(sorted(load_shipped(rulebook).bets))
    return st.lists(st.builds(Wish, st.sampled_from(PLAYERS), kinds, stakes), max_size=24)


insured = st.lists(
    st.builds(Insured, st.sampled_from(["I-1", "I-2", "I-3"]), st.sampled_from(["player", "banker"]), stakes),
    max_size=3,
    unique_by=lambda insured: insured.player,
)


def dealt_from(cards: list[Card]) -> Coup:
    """Deal a coup from cards that lie in this order; what is not drawn stays where it is."""
    player: list[Card] = []
    banker: list[Card] = []
    left = iter(cards)
    while (due := due_next(player, banker)) is not None:
        (player if due.value[0] == "P" else banker).append(next(left))
    return read_coup(cards[: len(player) + len(banker)])


def play_round(platform: Platform, coup: Coup, wishes: list[Wish], insured: list[Insured]) -> Round:
    """Play one round of a new shoe through the feed: bets, cards, insurance where it is on sale, result."""
    platform.round_number = 0
    platform.start()
    name = platform.open_round()
    main_bets = [Wish(one.player, one.side, one.stake) for one in insured]
    lines = bets(platform, name, "", [*wishes, *main_bets])
    lines.append(platform.event("betting_closed", round=name))
    placed = list(coup.placed.items())
    for place, card in placed[:4]:
        lines.append(platform.event("card", round=name, place=place.value, card=str(card)))
    rules = load_shipped(platform.table.rulebook.code)
    player, banker = list(coup.player[:2]), list(coup.banker[:2])
    for phase, third in (("four_cards", Place.P3), ("player_third", Place.B3)):
        on_sale = {kind for kind, at_phase in offers(rules, player, banker) if at_phase == phase}
        if on_sale:
            bought = [
                Wish(one.player, f"{one.side}_insurance", max(one.stake // 10, 1))
                for one in insured
                if f"{one.side}_insurance" in on_sale
            ]
            lines.append(platform.event("insurance_opened", round=name, phase=phase))
            lines += bets(platform, name, phase, bought)
            lines.append(platform.event("insurance_closed", round=name, phase=phase))
        if third in coup.placed:
            card = coup.placed[third]
            lines.append(platform.event("card", round=name, place=third.value, card=str(card)))
            (player if third is Place.P3 else banker).append(card)
    result = {
        "outcome": coup.outcome.value,
        "player_total": coup.player_total,
        "banker_total": coup.banker_total,
    }
    lines.append(platform.event("round_result", round=name, **result))
    answers = platform.send(*lines).events
    assert {answer.status for answer in answers} == {"accepted"}, answers
    return platform.round(name)


def bets(platform: Platform, name: str, phase: str, wishes: list[Wish]) -> list[bytes]:
    if not wishes:
        return []
    facts = {"phase": phase} if phase else {}
    rows = [
        {"id": f"{name}-{phase}-{number}", "player": wish.player, "bet": wish.kind, "stake": wish.stake}
        | facts
        for number, wish in enumerate(wishes)
    ]
    return [platform.event("bets", round=name, bets=rows)]


def conserve(platform: Platform, cards: list[Card], wishes: list[Wish], insured: list[Insured]) -> None:
    coup = dealt_from(cards)
    round_ = play_round(platform, coup, wishes, insured)
    settlement = settle_round(round_id=round_.pk, now=platform.at)
    round_.refresh_from_db()
    assert round_.status == RoundStatus.SETTLED

    rules = load_shipped(platform.table.rulebook.code)
    said = verdicts(rules, coup)
    taken = Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value)
    expected = {
        bet.pk: (
            said[bet.kind, bet.phase].result.value,
            returned_minor(bet.stake_minor, said[bet.kind, bet.phase], rules.rounding),
        )
        for bet in taken
    }
    lines = {line.bet_id: (line.result, line.returned_minor) for line in settlement.lines.all()}
    assert lines == expected

    stakes_minor = sum(bet.stake_minor for bet in taken)
    returned = sum(back for _, back in lines.values())
    assert (settlement.stakes_minor, settlement.returned_minor) == (stakes_minor, returned)
    assert settlement.stakes_minor == settlement.returned_minor + settlement.kept_minor
    assert settlement.moved_minor == returned  # nothing was paid before

    owed: Counter[int] = Counter()
    for bet in taken:
        owed[bet.player_id] += lines[bet.pk][1]
    moved = {
        transaction.player_id: int(transaction.amount_minor)
        for transaction in WalletTransaction.objects.filter(settlement=settlement)
    }
    assert moved == {player: amount for player, amount in owed.items() if amount}
    assert sum(moved.values()) == settlement.moved_minor


def examples(count: int) -> settings:
    # The table is made once for all examples of a rulebook: each plays on a shoe of its own.
    return settings(
        max_examples=count, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )


@pytest.fixture(params=SHIPPED)
def platform(request: pytest.FixtureRequest) -> Platform:
    table = make_table(rulebook=request.param, min_stake_minor=1, max_stake_minor=MAX_STAKE_MINOR)
    return Platform(table)


def conserve_drawn(platform: Platform, data: st.DataObject, cards: list[Card]) -> None:
    wishes = data.draw(wishes_under(platform.table.rulebook.code))
    conserve(platform, cards, wishes, data.draw(insured))


@given(data=st.data(), cards=six_cards)
@examples(12)
def test_money_is_conserved(platform: Platform, data: st.DataObject, cards: list[Card]) -> None:
    conserve_drawn(platform, data, cards)


@pytest.mark.stress
@given(data=st.data(), cards=six_cards)
@examples(90)  # a table has at most 99 shoes a day
def test_money_is_conserved_at_length(platform: Platform, data: st.DataObject, cards: list[Card]) -> None:
    conserve_drawn(platform, data, cards)


def test_insurance_is_bought_and_paid_in_these_rounds(platform: Platform) -> None:
    """Show that the property is not one about rounds without insurance."""
    # Player 6 against Banker 5: the Banker draws, a 4, and wins with 9. The Player's insurance paid 2.5.
    cards = [Card.parse(text) for text in ["KS", "2H", "6D", "3C", "4C", "9H"]]
    conserve(platform, cards, [], [Insured("I-1", "player", 1_000)])
    insurance = Bet.objects.filter(kind="player_insurance").values_list("phase", "stake_minor", "status")
    if platform.table.rulebook.code.startswith("insurance"):
        assert list(insurance) == [("four_cards", 100, "accepted")]
        assert WalletTransaction.objects.get().amount_minor == 350
    else:
        assert list(insurance) == []
