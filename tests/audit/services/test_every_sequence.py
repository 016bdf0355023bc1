"""Every sequence of settle, correct, void a kind, void, re-deal and re-instate: after each step every bet has
what a model written separately says, and the legs add up to it.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from audit.models import Ruling, RulingKind, RulingStatus
from audit.queries.verifying import Checked
from audit.queries.verifying_rows import verify_rows
from audit.services.asking import BadRuling
from tables.models import Round, SettlementLine, WalletTransaction
from tables.queries.ledger import Counts, verify_ledger
from tables.services.settlement import settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, carry_out, make_user
from tests.audit.money_model import Bet, Coup, Model, Ruled
from tests.tables.playing import Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db

COUPS = [
    Coup("9H 2D KC QS"),  # 9 to 2
    Coup("2D 9H QS KC"),  # 2 to 9
    Coup("9H 9D KC QS"),  # 9 to 9
    Coup("KS 6H QD KH 5C", "P"),  # 5 to 6, which the Banker has of two cards
    Coup("KS 5H QD KH AC", "P"),  # 1 to 5
    Coup("6H 4H KC QS 4S", "B"),  # 6 to 8, insured at 5/2
    Coup("6S 4H KC QS 9S", "B"),  # 6 to 3, insured at 5/2
    Coup("6H 5H KC QS AS", "B"),  # 6 to 6, insured at 5/2
    Coup("7H 3D KC QS AS", "B"),  # 7 to 4, insured at 4
    Coup("KS 2D KH 5C 8C", "P"),  # 8 to 7, and the Player's first two are kings
    Coup("KS 2H QD KH KC 4H", "PB"),  # 0 to 6, which the Banker has of three cards
]
KINDS = ["player", "banker", "tie", "player_pair", "big", "small", "super_6_plus"]
VOIDABLE = [*KINDS, "player_insurance"]
coups = st.sampled_from(COUPS)
stakes = st.integers(1, 10_001)
bets = st.lists(st.tuples(st.sampled_from(["P-1", "P-2", "P-3"]), st.sampled_from(KINDS), stakes), max_size=8)


class House:
    """A table and two people, made once for all examples."""

    def __init__(self, rulebook: str) -> None:
        publish_all()
        self.platform = Platform(make_table(rulebook=rulebook, min_stake_minor=1))
        self.platform.start()
        self.asker: User = make_user("asker", *SUPERVISES)
        self.decider: User = make_user("decider", *MANAGES)
        self.pays_half_on_6 = rulebook == "insurance-no-commission"


class Sequences(RuleBasedStateMachine):
    """One round, rolled back when an example is over."""

    house: House

    def __init__(self) -> None:
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        told = self.house.platform
        self.before = (told.seq, told.at, told.round_number)
        self.at = told.at + timedelta(minutes=1)
        self.model = Model(self.house.pays_half_on_6)
        self.ruled: list[tuple[Ruled, Ruling]] = []

    def teardown(self) -> None:
        try:
            # A third opinion, the ledger checked from nothing; and nothing looks altered.
            assert [str(one) for one in verify_ledger(counts=Counts())] == []
            assert [str(one) for one in verify_rows(Checked())] == []
        finally:
            self.roll_back()

    def roll_back(self) -> None:
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)
        told = self.house.platform
        told.seq, told.at, told.round_number = self.before

    @initialize(coup=coups, wishes=bets, insured=st.none() | stakes)
    def play(self, coup: Coup, wishes: list[tuple[str, str, int]], insured: int | None) -> None:
        told = self.house.platform
        self.name = told.open_round()
        self.insured = insured
        self.model.bets = [Bet(f"b{place}", *wish) for place, wish in enumerate(wishes)]
        if insured is not None:
            self.model.bets.append(Bet("main", "I-1", "player", 10 * insured))
        if self.model.bets:
            answer = told.bet(
                self.name, *[(one.id, one.player, one.kind, one.stake) for one in self.model.bets]
            )
            assert not answer.refused_bets
        self.say("betting_closed")
        self.model.deals = {1: coup}
        self.deal_cards(coup)

    def say(self, type_: str, **facts: object) -> None:
        assert self.house.platform.say(type_, round=self.name, **facts).status == "accepted"

    def deal_cards(self, coup: Coup) -> None:
        """Deal the live deal; who is insured buys again in each."""
        lying = list(coup.places.items())
        for place, card in lying[:4]:
            self.say("card", place=place, card=card)
        odds = coup.insures_player_at
        if self.insured is not None and odds is not None:
            number = self.model.live
            bet = Bet(f"i{number}", "I-1", "player_insurance", self.insured, number, odds)
            self.model.bets.append(bet)
            phase = {"phase": "four_cards"}
            self.say("insurance_opened", **phase)
            answer = self.house.platform.bet(self.name, (bet.id, bet.player, bet.kind, bet.stake, phase))
            assert not answer.refused_bets
            self.say("insurance_closed", **phase)
        for place, card in lying[4:]:
            self.say("card", place=place, card=card)
        totals = {"player_total": coup.points("P"), "banker_total": coup.points("B")}
        self.say("round_result", outcome=coup.winner, **totals)

    @property
    def round(self) -> Round:
        return self.house.platform.round(self.name)

    def attempt(self, kind: RulingKind, is_allowed: bool, **more: object) -> Ruling | None:
        """Ask, approve and carry out what the model allows; what it does not is refused when asked for."""
        self.at += timedelta(seconds=1)
        if not is_allowed:
            with pytest.raises(BadRuling) as refused:
                ask(self.house.asker, kind, [self.round], at=self.at, **more)  # type: ignore[arg-type]
            note(f"refused: {refused.value}")
            assert refused.value.field and refused.value.rule.partition("/")[0] in ("ruling", "coup", "card")
            return None
        ruling = ask(self.house.asker, kind, [self.round], at=self.at, **more)  # type: ignore[arg-type]
        done = carry_out(approve(self.house.decider, ruling, at=self.at), at=self.at)
        assert done.status == RulingStatus.APPLIED, done.outcome_note
        if kind is not RulingKind.REINSTATE:
            self.ruled.append((self.model.rulings[-1], done))
        return done

    # --- the steps ------------------------------------------------------------------------------------

    @rule()
    def settle(self) -> None:
        self.model.settle_if_due()
        settle_round(round_id=self.round.pk, now=self.at)

    @precondition(lambda self: self.model.status != "dealing")
    @rule(coup=coups)
    def correct(self, coup: Coup) -> None:
        self.attempt(RulingKind.CORRECT, self.model.correct(coup), facts={"cards": coup.places})

    @rule(kinds=st.sets(st.sampled_from(VOIDABLE), min_size=1, max_size=2))
    def void_kinds(self, kinds: set[str]) -> None:
        self.attempt(
            RulingKind.VOID_KINDS, self.model.void_kinds(frozenset(kinds)), facts={"kinds": sorted(kinds)}
        )

    @rule()
    def void(self) -> None:
        self.attempt(RulingKind.VOID_ROUND, self.model.void())

    @rule()
    def re_deal(self) -> None:
        self.attempt(RulingKind.RE_DEAL, self.model.re_deal())

    @precondition(lambda self: self.model.status == "dealing")
    @rule(coup=coups)
    def deal_again(self, coup: Coup) -> None:
        self.deal_cards(coup)
        self.model.deal(coup)

    @precondition(lambda self: any(ruled.is_in_force for ruled, _ in self.ruled))
    @rule(data=st.data())
    def reinstate(self, data: st.DataObject) -> None:
        in_force = [pair for pair in self.ruled if pair[0].is_in_force]
        ruled, ruling = in_force[data.draw(st.integers(0, len(in_force) - 1))]
        note(f"re-instate {ruling.kind}")
        self.attempt(RulingKind.REINSTATE, self.model.reinstate(ruled), reinstates=ruling)

    # --- what holds after each ------------------------------------------------------------------------

    @invariant()
    def every_bet_has_what_it_is_due(self) -> None:
        if not self.model.deals:
            return
        round_ = self.round
        assert round_.status == self.model.status
        assert round_.settlements.count() == self.model.revisions
        if self.model.revisions == 0:
            return
        legs: dict[str, list[int]] = {}
        lines = SettlementLine.objects.filter(settlement__round=round_).order_by("settlement__revision")
        for bet, moved in lines.values_list("bet__platform_bet_id", "moved_minor"):
            legs.setdefault(bet, []).append(moved)
        assert legs == self.model.legs
        newest = lines_of(round_)
        assert {bet: sum(moved) for bet, moved in legs.items()} == {
            bet: now for bet, (_, now) in newest.items()
        }
        if self.model.is_settled():
            assert newest == {one.id: self.model.due(one) for one in self.model.bets}

    @invariant()
    def each_wallet_has_the_sum_of_its_bets(self) -> None:
        owed: dict[str, int] = {}
        for bet in self.model.bets:
            owed[bet.player] = owed.get(bet.player, 0) + self.model.paid(bet)
        moved = dict.fromkeys(owed, 0)
        for transaction_ in WalletTransaction.objects.select_related("player__identity"):
            assert transaction_.amount_minor != 0
            moved[transaction_.player.identity.reference] += int(transaction_.amount_minor)
        assert moved == owed


def run(rulebook: str, examples: int, steps: int) -> None:
    machine = type("Machine", (Sequences,), {"house": House(rulebook)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("rulebook", ["insurance", "insurance-no-commission"])
def test_every_sequence_conserves_money(rulebook: str) -> None:
    run(rulebook, examples=10, steps=10)


@pytest.mark.stress
@pytest.mark.parametrize("rulebook", ["insurance", "insurance-no-commission"])
def test_every_sequence_conserves_money_at_length(rulebook: str) -> None:
    run(rulebook, examples=60, steps=20)
