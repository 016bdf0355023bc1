"""Each cell of the incident table, from the incident to the money, for the rulebook it names.

The expectations are the table of house rules written out by hand: what the rulebook orders, whether the round
is held, and what a winning and a losing bet of 1.00 have in the end when the order is carried out.
"""

from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User

from audit.models import Incident, IncidentStatus, RulingKind
from audit.services.incidents import remedy_for, report_incident
from audit.services.rulings import proposed_kinds
from tables.models import Hold, Round, Rulebook, ShoeStatus, TableStatus
from tables.services.actors import Actor
from tables.services.settlement import Waits, settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, make_user, rule
from tests.tables.playing import NOON, Platform, lines_of, make_table, publish_all

pytestmark = pytest.mark.django_db

CODES = (
    "shuffle_error", "card_exposed_in_shuffle", "card_exposed_in_start_or_burn", "startup_error",
    "two_cards_dealt", "card_exposed_while_betting", "card_exposed_in_drawing", "extra_card_after_round",
    "card_dropped_outside_deal", "card_dropped_seen", "card_dropped_unseen", "card_misplaced", "misdeal",
    "dealt_past_last_round", "dealt_before_insurance_closed", "insurance_odds_missing",
    "insurance_odds_misplaced", "insurance_odds_wrong", "insurance_opened_by_wrong_card", "scan_failed",
    "player_equipment", "system_failure",
)  # fmt: skip
ON_THE_FLOOR = {"off_table": True, "round_running": True}
BETWEEN = {"off_table": True, "round_running": False}
AS_DEALT = {"win": ("won", 200), "lose": ("lost", 0)}
ALL_BACK = {"win": ("void", 100), "lose": ("void", 100)}
#: The Banker's bet pays 0.95 under both rulebooks that put a misplaced card right.
PUT_RIGHT = {"P1": "2D", "B1": "9H", "P2": "QS", "B2": "KC"}
BANKER_INSTEAD = {"win": ("lost", 0), "lose": ("won", 195)}


class Cell(NamedTuple):
    rulebook: str
    code: str
    facts: dict[str, Any]
    remedies: list[str]
    holds: bool


MANAGER = ["manager"]
INSURANCE = [
    Cell("insurance", "shuffle_error", {}, MANAGER, True),
    Cell("insurance", "card_exposed_in_shuffle", {}, MANAGER, True),
    Cell("insurance", "card_exposed_in_start_or_burn", {}, ["no_effect"], False),
    Cell("insurance", "startup_error", {"player_card_dealt": False}, ["correct"], True),
    Cell("insurance", "startup_error", {"player_card_dealt": True}, ["replace_shoe"], False),
    Cell("insurance", "two_cards_dealt", {}, MANAGER, True),
    Cell("insurance", "card_exposed_while_betting", {}, ["void", "manager"], True),
    Cell("insurance", "card_exposed_in_drawing", {}, MANAGER, True),
    Cell("insurance", "extra_card_after_round", {"face_seen": True}, ["discard", "manager"], True),
    Cell("insurance", "extra_card_after_round", {"face_seen": False}, MANAGER, True),
    Cell("insurance", "card_dropped_outside_deal", {}, ["reuse"], False),
    Cell("insurance", "card_dropped_seen", {}, ["reuse"], False),
    Cell("insurance", "card_dropped_unseen", {}, ["void"], True),
    Cell("insurance", "card_misplaced", {}, MANAGER, True),
    Cell("insurance", "misdeal", {}, MANAGER, True),
    Cell("insurance", "dealt_past_last_round", {}, ["void"], True),
    Cell("insurance", "dealt_before_insurance_closed", {}, ["stands"], False),
    Cell("insurance", "insurance_odds_missing", {}, ["stands"], False),
    Cell("insurance", "insurance_odds_misplaced", {}, ["stands"], False),
    Cell("insurance", "insurance_odds_wrong", {}, ["stands"], False),
    Cell("insurance", "insurance_opened_by_wrong_card", {}, ["void_insurance"], True),
]
COMMISSION = [
    Cell("commission", "card_misplaced", {"card_number": 5}, ["correct"], True),
    Cell("commission", "card_misplaced", {"card_number": 6}, ["correct"], True),
    Cell("commission", "card_misplaced", {"card_number": 4}, MANAGER, True),
    Cell("commission", "dealt_before_insurance_closed", {}, ["stands"], False),
    Cell("commission", "insurance_odds_missing", {}, ["stands"], False),
    Cell("commission", "insurance_odds_misplaced", {}, ["stands"], False),
    Cell("commission", "insurance_odds_wrong", {}, ["stands"], False),
    Cell("commission", "insurance_opened_by_wrong_card", {}, ["void_insurance"], True),
    Cell("commission", "two_cards_dealt", {}, MANAGER, True),
    Cell("commission", "system_failure", {}, MANAGER, True),
]
LIVE = [
    Cell("live-commission", "shuffle_error", {}, MANAGER, True),
    Cell("live-commission", "card_exposed_in_shuffle", {}, ["replace_shoe", "reshuffle"], False),
    Cell("live-commission", "two_cards_dealt", {}, ["void", "replace_shoe"], True),
    Cell("live-commission", "extra_card_after_round", {}, ["stands", "replace_shoe"], False),
    Cell("live-commission", "card_dropped_seen", ON_THE_FLOOR, ["void", "replace_shoe"], True),
    Cell("live-commission", "card_dropped_unseen", ON_THE_FLOOR, ["void", "replace_shoe"], True),
    Cell("live-commission", "card_dropped_outside_deal", BETWEEN, ["replace_shoe"], False),
    Cell("live-commission", "card_dropped_seen", {}, MANAGER, True),
    Cell("live-commission", "card_misplaced", {}, ["correct"], True),
    Cell("live-commission", "scan_failed", {}, ["rescan"], False),
    Cell("live-commission", "player_equipment", {}, ["stands"], False),
    Cell("live-commission", "system_failure", {}, ["void", "close_table"], True),
]
NOTHING_WRITTEN = [Cell("no-commission", code, {}, MANAGER, True) for code in CODES]
CELLS = [*INSURANCE, *COMMISSION, *LIVE, *NOTHING_WRITTEN]


@pytest.fixture(autouse=True)
def rulebooks(db: None) -> None:
    publish_all()


@pytest.fixture
def asker() -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider() -> User:
    return make_user("decider", *MANAGES)


def resulted_round(rulebook: str) -> Round:
    """Deal Player 9 to Banker 2 on a table of the rulebook; not settled yet."""
    platform = Platform(make_table(rulebook=rulebook))
    platform.start(burn=None if rulebook.startswith("live") else 2)
    name = platform.open_round()
    platform.bet(name, ("win", "P-1", "player", 100), ("lose", "P-2", "banker", 100))
    platform.deal(name, "9H 2D KC QS")
    return platform.round(name)


def report(cell: Cell, round_: Round, user: User) -> Incident:
    return report_incident(
        table=round_.table,
        round_=round_,
        code=cell.code,
        facts=cell.facts,
        actor=Actor.of_user(user),
        user=user,
        at=NOON,
    )


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.rulebook}-{cell.code}-{cell.facts}")
def test_the_rulebook_says_what_is_done_and_whether_the_round_waits(cell: Cell, asker: User) -> None:
    round_ = resulted_round(cell.rulebook)
    incident = report(cell, round_, asker)
    assert incident.remedies == cell.remedies
    assert Hold.objects.filter(round=round_).exists() is cell.holds
    answer = settle_round(round_id=round_.pk, now=NOON)
    if cell.holds:
        assert answer == Waits((cell.code,))
        assert incident.status == IncidentStatus.OPEN
    else:
        assert lines_of(round_) == AS_DEALT


def begins_with(*remedies: str) -> list[Cell]:
    return [cell for cell in CELLS if cell.remedies[: len(remedies)] == list(remedies)]


ORDERS = [
    (RulingKind.VOID_ROUND, begins_with("void"), ALL_BACK),
    (RulingKind.CORRECT, [cell for cell in CELLS if cell.facts.get("card_number") in (5, 6)], BANKER_INSTEAD),
    (RulingKind.CORRECT, [cell for cell in LIVE if cell.code == "card_misplaced"], BANKER_INSTEAD),
    (RulingKind.STAND, begins_with("discard"), AS_DEALT),
    (RulingKind.STAND, begins_with("stands", "replace_shoe"), AS_DEALT),
    (RulingKind.REPLACE_SHOE, begins_with("replace_shoe"), AS_DEALT),
]


@pytest.mark.parametrize(
    ("kind", "cell", "paid"),
    [(kind, cell, paid) for kind, cells, paid in ORDERS for cell in cells],
    ids=lambda value: f"{value.rulebook}-{value.code}" if isinstance(value, Cell) else "",
)
def test_what_the_rule_orders_is_carried_out(
    kind: RulingKind, cell: Cell, paid: dict[str, tuple[str, int]], asker: User, decider: User
) -> None:
    round_ = resulted_round(cell.rulebook)
    settle_round(round_id=round_.pk, now=NOON)
    incident = report(cell, round_, asker)
    also = proposed_for(cell, round_, kind)
    facts: dict[str, Any] = {"also": also}
    if kind is RulingKind.CORRECT:
        facts["cards"] = PUT_RIGHT
    rounds = [] if kind is RulingKind.REPLACE_SHOE else [round_]
    about: dict[str, Any] = {"table": round_.table, "shoe": round_.shoe, "incident": incident}
    ruling = rule(asker, decider, kind, rounds, facts=facts, is_proposed_by_rule=True, **about)
    assert ruling.status == "applied", ruling.outcome_note
    assert lines_of(round_) == paid
    incident.refresh_from_db()
    assert incident.status == IncidentStatus.RULED
    assert not Hold.objects.filter(round=round_, lifted_at__isnull=True).exists()
    round_.shoe.refresh_from_db()
    round_.table.refresh_from_db()
    assert (round_.shoe.status == ShoeStatus.REPLACED) is ("replace_shoe" in cell.remedies)
    assert (round_.table.status == TableStatus.CLOSED_BY_FAULT) is ("close_table" in cell.remedies)


def proposed_for(cell: Cell, round_: Round, kind: RulingKind) -> tuple[str, ...]:
    """Hold what a cell proposes for a round against what it should, and return what it orders besides."""
    case = remedy_for(Rulebook.objects.get(pk=round_.rulebook_id), cell.code, cell.facts)
    proposed, also = proposed_kinds(case)
    assert proposed is kind
    return also


# `commission` knows this rule too, and sells no insurance that could be void.
@pytest.mark.parametrize("cell", [cell for cell in INSURANCE if cell.remedies == ["void_insurance"]])
def test_insurance_sold_on_a_wrong_card_comes_back_and_the_rest_stands(
    cell: Cell, asker: User, decider: User
) -> None:
    round_ = insured_round()
    settle_round(round_id=round_.pk, now=NOON)
    dealt = {**AS_DEALT, "main": ("won", 800)}
    assert lines_of(round_) == {**dealt, "insured": ("lost", 0)}
    incident = report(cell, round_, asker)
    proposed_for(cell, round_, RulingKind.VOID_KINDS)
    facts = {"kinds": ["player_insurance", "banker_insurance"]}
    rule(asker, decider, RulingKind.VOID_KINDS, [round_], facts=facts, incident=incident)
    assert lines_of(round_) == {**dealt, "insured": ("void", 100)}
    incident.refresh_from_db()
    assert incident.status == IncidentStatus.RULED


def insured_round() -> Round:
    """Deal Player 7 to Banker 2, who draws: insurance on the Player is sold at 4 to 1, and lost."""
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    name = platform.open_round()
    platform.bet(
        name, ("win", "P-1", "player", 100), ("lose", "P-2", "banker", 100), ("main", "P-3", "player", 400)
    )
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "4H"), ("B1", "KS"), ("P2", "3C"), ("B2", "2D")):
        platform.say("card", round=name, place=place, card=card)
    platform.say("insurance_opened", round=name, phase="four_cards")
    platform.bet(name, ("insured", "P-3", "player_insurance", 100, {"phase": "four_cards"}))
    platform.say("insurance_closed", round=name, phase="four_cards")
    platform.say("card", round=name, place="B3", card="KC")
    platform.say("round_result", round=name, outcome="player", player_total=7, banker_total=2)
    return platform.round(name)


BY_THE_MANAGER = begins_with("manager")


@pytest.mark.parametrize("cell", BY_THE_MANAGER, ids=lambda cell: f"{cell.rulebook}-{cell.code}")
def test_what_the_manager_decides_is_carried_out(cell: Cell, asker: User, decider: User) -> None:
    round_ = resulted_round(cell.rulebook)
    incident = report(cell, round_, asker)
    assert settle_round(round_id=round_.pk, now=NOON) == Waits((cell.code,))
    case = remedy_for(Rulebook.objects.get(pk=round_.rulebook_id), cell.code, cell.facts)
    assert proposed_kinds(case) == (None, ())
    rule(asker, decider, RulingKind.STAND, [round_], incident=incident)
    settle_round(round_id=round_.pk, now=NOON)
    assert lines_of(round_) == AS_DEALT
    again = report(cell, round_, asker)
    rule(asker, decider, RulingKind.VOID_ROUND, [round_], incident=again)
    assert lines_of(round_) == ALL_BACK
    assert {incident.status for incident in Incident.objects.all()} == {IncidentStatus.RULED}
    assert not Hold.objects.filter(lifted_at__isnull=True).exists()
