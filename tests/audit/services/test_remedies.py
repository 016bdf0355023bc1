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

ON_THE_FLOOR = {"off_table": True, "round_running": True}
BETWEEN = {"off_table": True, "round_running": False}
AS_DEALT = {"win": ("won", 200), "lose": ("lost", 0)}
ALL_BACK = {"win": ("void", 100), "lose": ("void", 100)}


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
NOTHING_WRITTEN = [
    Cell("no-commission", code, {}, MANAGER, True)
    for code in ("two_cards_dealt", "card_dropped_unseen", "misdeal", "system_failure", "scan_failed")
]
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


ORDERS = [
    (RulingKind.VOID_ROUND, [cell for cell in CELLS if cell.remedies[0] == "void"], ALL_BACK),
    # `commission` knows this rule too, and sells no insurance that could be void.
    (RulingKind.VOID_KINDS, [cell for cell in INSURANCE if cell.remedies[0] == "void_insurance"], AS_DEALT),
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
    case = remedy_for(Rulebook.objects.get(pk=round_.rulebook_id), cell.code, cell.facts)
    proposed, also = proposed_kinds(case)
    assert proposed is kind
    facts = {"also": also, "kinds": ["player_insurance", "banker_insurance"]}
    ruling = rule(asker, decider, kind, [round_], facts=facts, incident=incident, is_proposed_by_rule=True)
    assert ruling.status == "applied", ruling.outcome_note
    assert lines_of(round_) == paid
    incident.refresh_from_db()
    assert incident.status == IncidentStatus.RULED
    assert not Hold.objects.filter(round=round_, lifted_at__isnull=True).exists()
    round_.shoe.refresh_from_db()
    round_.table.refresh_from_db()
    assert (round_.shoe.status == ShoeStatus.REPLACED) is ("replace_shoe" in cell.remedies)
    assert (round_.table.status == TableStatus.CLOSED_BY_FAULT) is ("close_table" in cell.remedies)
