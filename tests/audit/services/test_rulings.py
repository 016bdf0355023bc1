"""A ruling from the request to the money: each kind, each leg, nothing twice, nothing alone."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from audit.models import Notice, Ruling, RulingKind, RulingStatus, TableDecision
from audit.services.asking import BadRuling
from audit.services.rulings import CannotDecide, refuse_ruling
from tables.models import Card, Round, RoundStatus, Settlement, SettlementLine, WalletTransaction
from tables.services.actors import Actor, NotAllowed
from tables.services.settlement import Waits, settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, approve, ask, carry_out, make_user, rule
from tests.tables.playing import NOON, Platform, cards_of, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db

PLAYER_WINS = "9H 2D KC QS"  # 9 to 2
BANKER_WINS = "2D 9H QS KC"  # 2 to 9
TIE = "9H 9D KC QS"  # 9 to 9
BANKER_WINS_WITH_6 = "KS 6H QD KH 5C"  # Player 0 draws a 5; Banker 6 stands on 5 … 6 against 5
BANKER_WINS_WITH_5 = "KS 5H QD KH AC"  # Player 0 draws an ace: 1; Banker 5 stands on 1


@pytest.fixture(autouse=True)
def rulebooks(db: None) -> None:
    publish_all()


@pytest.fixture
def asker() -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider() -> User:
    return make_user("decider", *MANAGES)


def table_for(rulebook: str) -> Platform:
    platform = Platform(make_table(rulebook=rulebook))
    platform.start(burn=2 if not rulebook.startswith("live") else None)
    return platform


@pytest.fixture
def platform() -> Platform:
    return table_for("commission")


def places(cards: str) -> dict[str, str]:
    from tables.rules.drawing import read_coup

    return {place.value: str(card) for place, card in read_coup(cards.split()).placed.items()}


def legs(round_: Round, bet: str) -> list[int]:
    lines = SettlementLine.objects.filter(bet__platform_bet_id=bet, settlement__round=round_)
    return list(lines.order_by("settlement__revision").values_list("moved_minor", flat=True))


LEGS = [
    ("commission", "player", PLAYER_WINS, BANKER_WINS, [200, -200]),
    ("commission", "player", BANKER_WINS, PLAYER_WINS, [0, 200]),
    ("commission", "player", TIE, PLAYER_WINS, [100, 100]),
    ("commission", "player", TIE, BANKER_WINS, [100, -100]),
    ("commission", "banker", PLAYER_WINS, BANKER_WINS, [0, 195]),
    ("no-commission", "banker", BANKER_WINS_WITH_5, BANKER_WINS_WITH_6, [200, -50]),
]


@pytest.mark.parametrize(("rulebook", "bet", "dealt", "right", "moved"), LEGS)
def test_a_correction_moves_the_difference(
    asker: User, decider: User, rulebook: str, bet: str, dealt: str, right: str, moved: list[int]
) -> None:
    round_ = table_for(rulebook).play(dealt, ("b1", "P-1", bet, 100))
    ruling = rule(asker, decider, RulingKind.CORRECT, [round_], facts={"cards": places(right)})
    assert ruling.status == RulingStatus.APPLIED, ruling.outcome_note
    assert legs(round_, "b1") == moved
    round_.refresh_from_db()
    assert round_.status == RoundStatus.SETTLED
    assert cards_of(round_.deals.get()) == places(right)
    assert [t.kind for t in WalletTransaction.objects.order_by("pk")][-1] == "adjustment"


@pytest.mark.parametrize(
    ("dealt", "moved"), [(PLAYER_WINS, [200, -100]), (BANKER_WINS, [0, 100]), (TIE, [100, 0])]
)
def test_a_void_returns_the_stake_and_takes_back_the_rest(
    platform: Platform, asker: User, decider: User, dealt: str, moved: list[int]
) -> None:
    round_ = platform.play(dealt, ("b1", "P-1", "player", 100))
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    round_.refresh_from_db()
    assert (round_.status, lines_of(round_), legs(round_, "b1")) == ("voided", {"b1": ("void", 100)}, moved)


def test_a_void_of_a_round_in_play_returns_every_bet(platform: Platform, asker: User, decider: User) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-2", "tie", 150))
    platform.say("betting_closed", round=name)
    round_ = platform.round(name)
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 150)}
    assert {t.kind for t in WalletTransaction.objects.all()} == {"cancel"}
    assert settle_round(round_id=round_.pk, now=NOON) is None
    late = platform.say("card", round=name, place="P1", card="9H")
    assert late.status == "refused"


def test_a_re_deal_takes_the_money_back_and_the_second_deal_settles(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 100))
    ruling = rule(asker, decider, RulingKind.RE_DEAL, [round_])
    assert ruling.status == RulingStatus.APPLIED
    round_.refresh_from_db()
    assert (round_.status, round_.outcome) == ("dealing", None)
    assert lines_of(round_) == {"b1": ("open", 0), "b2": ("open", 0)}
    platform.deal(round_.platform_id, BANKER_WINS, bell=False)
    settlement = settle_round(round_id=round_.pk, now=NOON)
    assert isinstance(settlement, Settlement)
    assert (settlement.revision, settlement.authority) == (3, ruling.uuid)
    assert lines_of(round_) == {"b1": ("lost", 0), "b2": ("won", 195)}
    assert (legs(round_, "b1"), legs(round_, "b2")) == ([200, -200, 0], [0, 0, 195])
    assert [t.kind for t in WalletTransaction.objects.order_by("pk")] == ["credit", "rollback", "credit"]


def test_one_kind_of_bet_is_void_and_the_rest_stands(platform: Platform, asker: User, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100), ("b2", "P-1", "tie", 100))
    rule(asker, decider, RulingKind.VOID_KINDS, [round_], facts={"kinds": ["tie"]})
    assert lines_of(round_) == {"b1": ("won", 200), "b2": ("void", 100)}


def test_a_void_is_taken_out_of_force_and_the_round_pays_again(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    void = rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    rule(asker, decider, RulingKind.REINSTATE, [round_], reinstates=void, at=NOON + timedelta(minutes=1))
    assert lines_of(round_) == {"b1": ("won", 200)}
    assert legs(round_, "b1") == [200, -100, 100]


def test_a_correction_is_taken_back_with_its_cards(platform: Platform, asker: User, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    correct = rule(asker, decider, RulingKind.CORRECT, [round_], facts={"cards": places(BANKER_WINS)})
    rule(asker, decider, RulingKind.REINSTATE, [round_], reinstates=correct, at=NOON + timedelta(minutes=1))
    assert cards_of(round_.deals.get()) == places(PLAYER_WINS)
    assert lines_of(round_) == {"b1": ("won", 200)}


def test_an_extra_card_leaves_the_coup_and_stays_in_the_ledger(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = platform.play("KS 2D 5D 3H 9C", ("b1", "P-1", "player", 100))
    out = round_.shoe.cards_out
    rule(asker, decider, RulingKind.CORRECT, [round_], facts={"cards": places("9S 2D KD 3H")})
    round_.shoe.refresh_from_db()
    current = Card.objects.filter(shoe=round_.shoe, superseded_by__isnull=True)
    assert round_.shoe.cards_out == current.count() == out
    assert str(current.get(place="extra").face) == "9C"
    assert lines_of(round_) == {"b1": ("won", 200)}


def test_a_missed_third_card_is_entered_and_the_round_that_waited_settles(
    platform: Platform, asker: User, decider: User
) -> None:
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "banker", 100))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "KS"), ("B1", "2D"), ("P2", "5D"), ("B2", "3H")):
        platform.say("card", round=name, place=place, card=card)
    platform.say("round_result", round=name, outcome="banker", player_total=4, banker_total=5)
    round_ = platform.round(name)
    assert isinstance(settle_round(round_id=round_.pk, now=NOON), Waits)
    later = platform.at + timedelta(minutes=1)
    rule(asker, decider, RulingKind.CORRECT, [round_], at=later, facts={"cards": places("KS 2D 5D 3H 9C")})
    assert not Settlement.objects.exists()
    settlement = settle_round(round_id=round_.pk, now=NOON)
    assert isinstance(settlement, Settlement)
    assert (settlement.revision, lines_of(round_)) == (1, {"b1": ("won", 195)})
    round_.shoe.refresh_from_db()
    assert round_.shoe.cards_out == 3 + 5


def test_a_range_of_rounds_is_void_as_one(platform: Platform, asker: User, decider: User) -> None:
    rounds = [platform.play(PLAYER_WINS, (f"b{n}", "P-1", "player", 100)) for n in range(3)]
    ruling = rule(asker, decider, RulingKind.VOID_RANGE, rounds)
    assert (ruling.status, ruling.rounds_count, ruling.taken_minor) == (RulingStatus.APPLIED, 3, 300)
    assert {round_.status for round_ in Round.objects.all()} == {"voided"}


def test_everybody_is_told(platform: Platform, asker: User, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100), ("b2", "P-2", "tie", 100))
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    assert Notice.objects.count() == 2
    winner = Notice.objects.get(moved_minor=-100)
    assert f"Round {round_.public_id} was declared void. Before: Player wins. Now: void." in winner.text_en
    assert "−1.00 THB" in winner.text_en and "โมฆะ" in winner.text_th
    assert [decision.kind for decision in TableDecision.objects.all()] == ["void"]


# --- Refusals: exactly one effect, a clear message for the rest ---


def test_nobody_approves_a_large_sum_alone(platform: Platform, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 5_000_001))
    ruling = ask(decider, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(CannotDecide, match="takes a second person") as refused:
        approve(decider, ruling)
    assert refused.value.rule == "ruling/four-eyes"
    assert Settlement.objects.count() == 1


def test_small_sums_count_together_for_a_day(platform: Platform, decider: User) -> None:
    first = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 3_000_000))
    second = platform.play(PLAYER_WINS, ("b2", "P-1", "player", 3_000_000))
    third = platform.play(PLAYER_WINS, ("b3", "P-1", "player", 100))
    rule(decider, decider, RulingKind.VOID_ROUND, [first])
    with pytest.raises(CannotDecide, match="takes a second person"):
        approve(decider, ask(decider, RulingKind.VOID_ROUND, [second]))
    assert rule(decider, decider, RulingKind.VOID_ROUND, [third]).status == RulingStatus.APPLIED
    tomorrow = NOON + timedelta(days=1)
    refuse_ruling(
        ruling_id=Ruling.objects.get(status="requested").pk,
        reason="again tomorrow",
        user=decider,
        actor=Actor.of_user(decider),
        at=NOON,
    )
    assert rule(decider, decider, RulingKind.VOID_ROUND, [second], at=tomorrow).status == RulingStatus.APPLIED


def test_bulk_and_reinstatement_take_two_whatever_the_sum(platform: Platform, decider: User) -> None:
    rounds = [platform.play(TIE, (f"b{n}", "P-1", "player", 100)) for n in range(2)]
    with pytest.raises(CannotDecide, match="takes a second person"):
        approve(decider, ask(decider, RulingKind.VOID_RANGE, rounds))


def test_two_accounts_of_one_person_are_one(platform: Platform, decider: User) -> None:
    again = make_user("again", *MANAGES, person=decider.person_account.person)
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 5_000_001))
    with pytest.raises(CannotDecide, match="takes a second person"):
        approve(again, ask(decider, RulingKind.VOID_ROUND, [round_]))


def test_only_who_may_asks_and_decides(platform: Platform, asker: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    stranger = make_user("stranger")
    with pytest.raises(NotAllowed):
        ask(stranger, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(NotAllowed):
        approve(asker, ask(asker, RulingKind.VOID_ROUND, [round_]))


def test_an_approver_who_lost_the_role_is_refused_when_it_is_applied(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    ruling = approve(decider, ask(asker, RulingKind.VOID_ROUND, [round_]))
    decider.user_permissions.clear()
    done = carry_out(ruling)
    assert (done.status, done.outcome_note) == ("refused", "who approved it may not decide any more")
    assert Settlement.objects.count() == 1


def test_a_request_expires_after_half_an_hour(platform: Platform, asker: User, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    ruling = ask(asker, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(CannotDecide, match="expired") as refused:
        approve(decider, ruling, at=NOON + timedelta(minutes=30, microseconds=1))
    assert refused.value.rule == "ruling/expired"
    ruling.refresh_from_db()
    assert ruling.status == "expired"
    assert ask(asker, RulingKind.VOID_ROUND, [round_]).status == "requested"


def test_one_ruling_at_a_time_is_open_on_a_round(platform: Platform, asker: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    first = ask(asker, RulingKind.VOID_ROUND, [round_])
    with pytest.raises(BadRuling, match=first.number):
        ask(asker, RulingKind.VOID_ROUND, [round_])


def test_a_decided_ruling_is_not_decided_again(platform: Platform, asker: User, decider: User) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    ruling = ask(asker, RulingKind.VOID_ROUND, [round_])
    carry_out(approve(decider, ruling))
    with pytest.raises(CannotDecide, match="is applied already"):
        approve(decider, ruling)
    assert legs(round_, "b1") == [200, -100]


def test_another_preview_than_the_one_asked_for_is_not_approved(
    platform: Platform, asker: User, decider: User
) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    with pytest.raises(CannotDecide, match="look again"):
        approve(decider, ask(asker, RulingKind.VOID_ROUND, [round_]), preview_hash="0" * 64)


@pytest.mark.parametrize(
    ("kind", "facts", "field"),
    [
        (RulingKind.CORRECT, {"cards": {"P1": "9H"}}, "cards"),
        (RulingKind.CORRECT, {"cards": {"P1": "9H", "B1": "2D", "P2": "KC", "B2": "QS"}}, "cards"),
        (RulingKind.CORRECT, {"cards": {"X": "9H"}}, "cards"),
        (RulingKind.CORRECT, {"cards": {"P1": "9H", "B1": "2D", "P2": "?", "B2": "QS"}}, "cards"),
        (RulingKind.CORRECT, {"cards": {"P1": "9H", "B1": "2D", "P2": None, "B2": "QS"}}, "cards"),
        (RulingKind.VOID_KINDS, {"kinds": []}, "kinds"),
        (RulingKind.VOID_KINDS, {"kinds": ["roulette"]}, "kinds"),
        (RulingKind.REINSTATE, {}, "reinstates"),
        (RulingKind.REPLACE_SHOE, {}, "shoe"),
    ],
)
def test_a_ruling_that_cannot_be_names_the_field(
    platform: Platform, asker: User, kind: RulingKind, facts: dict[str, object], field: str
) -> None:
    round_ = platform.play(PLAYER_WINS, ("b1", "P-1", "player", 100))
    with pytest.raises(BadRuling) as refused:
        ask(asker, kind, [round_], facts=facts)
    assert refused.value.field == field
    assert not Ruling.objects.exists()
