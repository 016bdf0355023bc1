"""Every constraint of the models refuses what it is there to refuse, whoever asks by direct SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.apps import apps

from tests.tables.models.conftest import ROLES
from tests.tables.models.rows import FRESH, LATER, SAME, copy_row

EARLIER = "2001-01-01T00:00:00Z"
MAX = 10**15

# (constraint, table, what is changed in a copy that would otherwise stand)
REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("acceptedgap_ordered", "acceptedgap", {"first_seq": 9, "last_seq": 8}),
    ("acceptedgap_says_why", "acceptedgap", {"reason": ""}),
    ("bet_id_once", "bet", {"platform_bet_id": SAME}),
    ("bet_stake_in_range", "bet", {"stake_minor": 0}),
    ("bet_stake_in_range", "bet", {"stake_minor": -1}),
    ("bet_stake_in_range", "bet", {"stake_minor": MAX + 1}),
    ("bet_refused_says_why", "bet", {"status": "refused", "refusal": ""}),
    ("bet_refused_says_why", "bet", {"status": "accepted", "refusal": "both_sides"}),
    ("bet_refused_says_why", "bet", {"status": "cancelled", "refusal": "both_sides"}),
    ("bet_insurance_alone_has_phase", "bet", {"phase": "", "deal_id": 1}),
    ("bet_status_known", "bet", {"status": "open"}),
    ("journaltext_once", "journaltext", {"name": SAME}),
    ("betcancellation_bet_once", "betcancellation", {"platform_bet_id": SAME}),
    ("card_position_once_per_shoe", "card", {"position": SAME}),
    ("card_face_known_or_unseen", "card", {"rank": "1"}),
    ("card_face_known_or_unseen", "card", {"rank": None}),
    ("card_face_known_or_unseen", "card", {"suit": None}),
    ("card_face_known_or_unseen", "card", {"suit": "X"}),
    ("card_in_coup_has_deal", "card", {"deal_id": None}),
    ("card_in_coup_has_deal", "card", {"place": "burned"}),
    ("card_position_in_range", "card", {"position": 0}),
    ("card_position_in_range", "card", {"position": 417}),
    ("card_place_known", "card", {"place": "P4", "deal_id": None}),
    ("card_source_known", "card", {"source": "guess"}),
    ("deal_number_once_per_round", "deal", {"round_id": SAME, "status": "dead", "died_at": LATER}),
    ("deal_one_live_per_round", "deal", {"round_id": SAME, "number": 77}),
    ("deal_dead_has_time", "deal", {"status": "dead"}),
    ("deal_dead_has_time", "deal", {"died_at": LATER}),
    ("deal_status_known", "deal", {"status": "lost", "died_at": LATER}),
    ("feedevent_id_once", "feedevent", {"event_id": SAME}),
    ("feedevent_seq_once", "feedevent", {"seq": SAME}),
    ("feedevent_seq_positive", "feedevent", {"seq": 0}),
    ("feedevent_refused_says_why", "feedevent", {"status": "refused"}),
    ("feedevent_refused_says_why", "feedevent", {"error": "card: unknown"}),
    ("feedevent_status_known", "feedevent", {"status": "late"}),
    ("gametable_code_form", "gametable", {"code": "I01"}),
    ("gametable_code_form", "gametable", {"code": "B"}),
    ("gametable_currency_form", "gametable", {"currency": "th"}),
    ("gametable_hour_of_day", "gametable", {"gaming_day_starts_hour": 24}),
    ("gametable_limits_in_range", "gametable", {"min_stake_minor": 0}),
    ("gametable_limits_in_range", "gametable", {"max_stake_minor": MAX + 1}),
    ("gametable_limits_in_range", "gametable", {"min_stake_minor": 200, "max_stake_minor": 199}),
    ("gametable_status_known", "gametable", {"status": "ajar"}),
    ("gametable_debit_policy_known", "gametable", {"debit_policy": "ask"}),
    ("gametable_thresholds_ordered", "gametable", {"second_person_minor": -1}),
    ("gametable_thresholds_ordered", "gametable", {"second_person_minor": 2, "sign_in_again_minor": 1}),
    ("hold_times_ordered", "hold", {"lifted_at": EARLIER}),
    ("insurance_phase_once_per_deal", "insuranceoffer", {"phase": SAME}),
    ("insurance_times_ordered", "insuranceoffer", {"closed_at": EARLIER}),
    ("line_returned_in_range", "settlementline", {"returned_minor": -1}),
    ("line_returned_in_range", "settlementline", {"result": "lost", "returned_minor": 1}),
    ("line_returned_in_range", "settlementline", {"result": "open", "returned_minor": 1}),
    ("line_result_known", "settlementline", {"result": "half"}),
    ("handstatement_once_a_person", "handstatement", {"given_up_at": SAME}),
    ("outbox_promise_once", "outbox", {"subject_id": SAME}),
    ("outbox_bell_known", "outbox", {"bell": "dinner"}),
    ("playeridentity_reference_once", "playeridentity", {"reference": SAME}),
    ("receivable_is_owed", "receivable", {"amount_minor": 0}),
    ("receivableclosing_how_known", "receivableclosing", {"how": "forgotten"}),
    ("round_public_id_once", "round", {"public_id": SAME}),
    ("round_number_once_per_shoe", "round", {"number": SAME}),
    ("round_platform_id_once_per_table", "round", {"platform_id": SAME}),
    ("round_number_in_range", "round", {"number": 0}),
    ("round_number_in_range", "round", {"number": 1_000}),
    ("round_window_number_positive", "round", {"window_number": 0}),
    ("round_settled_has_outcome", "round", {"outcome": None}),
    ("round_settled_has_outcome", "round", {"player_total": None}),
    ("round_settled_has_outcome", "round", {"banker_total": None}),
    ("round_outcome_known", "round", {"outcome": "dragon"}),
    ("round_totals_in_range", "round", {"player_total": 10}),
    ("round_totals_in_range", "round", {"banker_total": 10}),
    ("round_times_ordered", "round", {"betting_closed_at": EARLIER}),
    ("round_times_ordered", "round", {"resulted_at": EARLIER}),
    ("round_times_ordered", "round", {"betting_closed_at": None}),
    ("round_status_known", "round", {"status": "paused"}),
    ("rulebook_version_once", "rulebook", {"version": SAME}),
    ("rulebook_content_once", "rulebook", {"content_hash": SAME}),
    ("rulebook_version_positive", "rulebook", {"version": 0}),
    ("rulebook_hash_form", "rulebook", {"content_hash": "F" * 64}),
    ("settlement_revision_once", "settlement", {"revision": SAME}),
    ("settlement_revision_positive", "settlement", {"revision": 0}),
    ("settlement_adds_up", "settlement", {"returned_minor": 1}),
    ("settlement_adds_up", "settlement", {"kept_minor": 1}),
    ("settlement_later_revision_has_authority", "settlement", {"authority": None}),
    ("shoe_public_id_once", "shoe", {"public_id": SAME}),
    (
        "shoe_number_once_per_day",
        "shoe",
        {"table_id": SAME, "number": SAME, "status": "ended", "ended_at": LATER},
    ),
    ("shoe_one_open_per_table", "shoe", {"table_id": SAME}),
    ("shoe_decks_known", "shoe", {"decks": 7}),
    ("shoe_number_in_range", "shoe", {"number": 0}),
    ("shoe_number_in_range", "shoe", {"number": 100}),
    ("shoe_cards_out_in_range", "shoe", {"cards_out": 417}),
    ("shoe_cards_out_in_range", "shoe", {"decks": 6, "cards_out": 313, "cut_from_back": None}),
    ("shoe_cut_in_range", "shoe", {"cut_from_back": 0}),
    ("shoe_cut_in_range", "shoe", {"cut_from_back": 416}),
    ("shoe_ended_has_time", "shoe", {"status": "ended"}),
    ("shoe_ended_has_time", "shoe", {"ended_at": LATER}),
    ("shoe_times_ordered", "shoe", {"status": "ended", "ended_at": EARLIER}),
    ("shoe_status_known", "shoe", {"status": "lost", "ended_at": LATER}),
    ("tablestate_next_seq_positive", "tablestate", {"next_seq": 0}),
    ("wallettransaction_key_once", "wallettransaction", {"key": SAME}),
    ("wallettransaction_moves_something", "wallettransaction", {"amount_minor": 0}),
    ("wallettransaction_kind_known", "wallettransaction", {"kind": "gift"}),
    ("reconciliation_one_open", "reconciliation", {"finished_at": SAME}),
    ("reconciliation_times_ordered", "reconciliation", {"finished_at": EARLIER}),
    ("reconciliation_times_ordered", "reconciliation", {"started_at": None}),
    ("reconciliation_failed_is_over", "reconciliation", {"failure": "away", "finished_at": SAME}),
    ("walletdrift_kind_known", "walletdrift", {"kind": "lost"}),
    ("walletdrift_once", "walletdrift", {"key": SAME}),
    ("walletdelivery_status_known", "walletdelivery", {"status": "lost"}),
    ("walletdelivery_debit_policy_known", "walletdelivery", {"debit_policy": "ask"}),
    ("walletdelivery_asks_less_or_all", "walletdelivery", {"asked_minor": 1}),
    ("walletdelivery_asks_less_or_all", "walletdelivery", {"asked_minor": -1, "is_forced": True}),
]

# Constraints that another one, named first by the server, says as well: seen when that one is not there.
SAID_TWICE = {
    "deal_status_known": "deal_dead_has_time",
    "feedevent_status_known": "feedevent_refused_says_why",
}

# What lies just inside a range, or is as it should be though it looks odd.
STANDS: list[tuple[str, dict[str, Any]]] = [
    ("bet", {"stake_minor": 1}),
    ("bet", {"stake_minor": MAX}),
    ("bet", {"status": "refused", "refusal": "both_sides"}),
    ("card", {"position": 416}),
    ("card", {"rank": None, "suit": None}),
    ("card", {"place": "burned", "deal_id": None}),
    ("deal", {"status": "dead", "died_at": LATER}),
    ("feedevent", {"status": "refused", "error": "card: unknown"}),
    ("gametable", {"min_stake_minor": 1, "max_stake_minor": MAX}),
    ("handstatement", {"given_up_at": SAME, "withdrawn_at": LATER}),
    ("round", {"number": 999}),
    ("round", {"status": "betting", "outcome": None, "player_total": None, "banker_total": None}),
    ("settlementline", {"result": "lost", "returned_minor": 0}),
    ("shoe", {"cards_out": 416, "cut_from_back": 415, "number": 99}),
    ("wallettransaction", {"amount_minor": -1, "kind": "cancel"}),
]


def named(case: object) -> str | None:
    return case if isinstance(case, str) else None


@contextmanager
def taken_back(session: psycopg.Connection) -> Iterator[None]:
    with session.transaction(force_rollback=True):
        yield


@pytest.mark.parametrize("session", ROLES, indirect=True)
@pytest.mark.parametrize("table", sorted(FRESH))
def test_a_copy_with_nothing_wrong_stands(session: psycopg.Connection, table: str) -> None:
    with taken_back(session):
        copy_row(session, table)


@pytest.mark.parametrize("session", ROLES, indirect=True)
@pytest.mark.parametrize(("table", "changes"), STANDS, ids=named)
def test_the_edge_stands(session: psycopg.Connection, table: str, changes: dict[str, Any]) -> None:
    with taken_back(session):
        copy_row(session, table, changes)


@pytest.mark.parametrize("session", ROLES, indirect=True)
@pytest.mark.parametrize(("constraint", "table", "changes"), REFUSED, ids=named)
def test_it_is_refused_by_name(
    session: psycopg.Connection, constraint: str, table: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(psycopg.IntegrityError) as refused, taken_back(session):
        copy_row(session, table, changes)
    assert refused.value.diag.constraint_name == SAID_TWICE.get(constraint, constraint)


@pytest.mark.parametrize("constraint", SAID_TWICE)
def test_what_is_said_twice_is_said_by_each(sessions: dict[str, psycopg.Connection], constraint: str) -> None:
    owner = sessions["owner"]
    table, changes = next((table, changes) for name, table, changes in REFUSED if name == constraint)
    with pytest.raises(psycopg.IntegrityError) as refused, taken_back(owner):
        owner.execute(f"ALTER TABLE tables_{table} DROP CONSTRAINT {SAID_TWICE[constraint]}")
        copy_row(owner, table, changes)
    assert refused.value.diag.constraint_name == constraint


def test_every_constraint_of_the_models_has_a_case() -> None:
    declared = {
        constraint.name
        for model in apps.get_app_config("tables").get_models()
        for constraint in model._meta.constraints
    }
    assert {constraint for constraint, _, _ in REFUSED} == declared


@pytest.mark.parametrize("session", ROLES, indirect=True)
def test_what_is_named_must_exist(session: psycopg.Connection) -> None:
    """A bet of no round, a line of no settlement: refused at COMMIT at the latest."""
    for table, changes in (("bet", {"round_id": 5_000}), ("wallettransaction", {"settlement_id": 5_000})):
        with pytest.raises(psycopg.errors.ForeignKeyViolation), taken_back(session):
            copy_row(session, table, changes)
            session.execute("SET CONSTRAINTS ALL IMMEDIATE")
