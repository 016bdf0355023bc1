"""What the triggers and the rights refuse: changing what is recorded, and states out of their order.

The run-time role is refused by its rights; the owner, who has them all, by triggers that always fire.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import psycopg
import pytest
from django.apps import apps

from tables.models import RoundStatus
from tables.models.round import ROUND_FLOW
from tests.tables.models.conftest import ROLES
from tests.tables.models.rows import LATER, NEW, copy_row

APPEND_ONLY = {
    "acceptedgap",
    "betcancellation",
    "card",
    "feedevent",
    "finding",
    "journalentry",
    "player",
    "receivable",
    "receivableclosing",
    "rulebook",
    "settlement",
    "settlementline",
    "walletdrift",
    "wallettransaction",
}
#: Tables of which only these columns may change.
FIXED_BUT = {
    "bet": {"status"},
    "handstatement": {"withdrawn_at"},
    "hold": {"lifted_at", "lifted_by"},
    "walletdelivery": {
        "status",
        "attempts",
        "due_at",
        "leased_until",
        "answered_at",
        "answer",
        "last_error",
        "debit_policy",
        "is_forced",
        "asked_minor",
    },
}
CHANGES = {
    "update": "UPDATE tables_{0} SET {1} = {1}",
    "delete": "DELETE FROM tables_{0}",
    "truncate": "TRUNCATE tables_{0} CASCADE",
}

# from -> to; what is not here is refused.
FLOW = {
    "round": """
        betting   -> dealing voided
        dealing   -> insurance resulted voided
        insurance -> dealing voided
        resulted  -> settled dealing voided
        settled   -> dealing voided
        voided    -> dealing resulted settled
    """,
    "shoe": "open -> ended replaced cancelled",
    "bet": "accepted -> cancelled",
    "deal": """
        live -> dead
        dead -> live
    """,
    "walletdelivery": """
        waiting -> delivered dead closed
        dead    -> waiting delivered closed
    """,
}
STATES = {
    "round": ("betting", "dealing", "insurance", "resulted", "settled", "voided"),
    "shoe": ("open", "ended", "replaced", "cancelled"),
    "bet": ("accepted", "refused", "cancelled"),
    "deal": ("live", "dead"),
    "walletdelivery": ("waiting", "delivered", "dead", "closed"),
}
EVERY_STEP = [
    (subject, before, after)
    for subject, states in STATES.items()
    for before, after in product(states, states)
    if before != after
]


def steps_of(text: str) -> set[tuple[str, str]]:
    lines = [line.split("->") for line in text.strip().splitlines()]
    return {(before.strip(), after) for before, afters in lines for after in afters.split()}


def facts_of(subject: str, state: str) -> dict[str, Any]:
    """Return what a row must say beside its state."""
    match subject, state:
        case "shoe", "open":
            return {"ended_at": None}
        case "shoe", _:
            return {"ended_at": LATER}
        case "deal", "live":
            return {"died_at": None}
        case "deal", _:
            return {"died_at": LATER}
    return {}


# --- what may be done at all ------------------------------------------------------------------------


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("table", sorted(APPEND_ONLY))
def test_the_run_time_role_has_no_right_to_change_a_record(
    sessions: dict[str, psycopg.Connection], table: str, change: str
) -> None:
    assert_refused(sessions["role"], table, change, psycopg.errors.InsufficientPrivilege, "permission denied")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("table", sorted(APPEND_ONLY))
def test_the_owner_is_refused_by_a_trigger(
    sessions: dict[str, psycopg.Connection], table: str, change: str
) -> None:
    said = f"append-only: {change.upper()} refused"
    assert_refused(sessions["owner"], table, change, psycopg.errors.RestrictViolation, said)


@pytest.mark.parametrize("change", ["delete", "truncate"])
@pytest.mark.parametrize("table", sorted(FIXED_BUT))
def test_what_may_change_in_part_cannot_be_removed(
    sessions: dict[str, psycopg.Connection], table: str, change: str
) -> None:
    assert_refused(sessions["role"], table, change, psycopg.errors.InsufficientPrivilege, "permission denied")
    said = f"append-only: {change.upper()} refused"
    assert_refused(sessions["owner"], table, change, psycopg.errors.RestrictViolation, said)


def assert_refused(
    session: psycopg.Connection, table: str, change: str, by: type[psycopg.Error], said: str
) -> None:
    key = columns_of(session, table)[0][0]
    with pytest.raises(by, match=said), session.transaction(force_rollback=True):
        session.execute(CHANGES[change].format(table, key))


def test_the_models_say_the_same_of_themselves() -> None:
    said: dict[str, set[str]] = {
        str(model._meta.model_name): set(getattr(model, "updatable_columns", ()))
        for model in apps.get_app_config("tables").get_models()
        if getattr(model, "append_only", False)
    }
    assert said == {table: set() for table in APPEND_ONLY} | FIXED_BUT


def test_every_trigger_fires_always(sessions: dict[str, psycopg.Connection]) -> None:
    """Also in a session that calls itself a replica, in which ordinary triggers keep still."""
    rows = sessions["owner"].execute(
        "SELECT substr(c.relname, 8), t.tgname, t.tgenabled FROM pg_trigger t"
        " JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND c.relname LIKE 'tables_%'"
        " AND t.tgname IN ('refuse_change', 'refuse_truncate', 'refuse_fixed_columns', 'check_transition')"
    )
    expected = {(table, name) for table in APPEND_ONLY for name in ("refuse_change", "refuse_truncate")}
    expected |= {
        (table, name)
        for table in FIXED_BUT
        for name in ("refuse_change", "refuse_truncate", "refuse_fixed_columns")
    }
    expected |= {(subject, "check_transition") for subject in FLOW}
    found = {(table, name): state for table, name, state in rows.fetchall()}
    sessions["owner"].rollback()
    assert found == dict.fromkeys(expected, "A")


def test_the_run_time_role_cannot_lift_a_trigger_or_add_a_step(
    sessions: dict[str, psycopg.Connection],
) -> None:
    for statement in (
        "ALTER TABLE tables_settlement DISABLE TRIGGER refuse_change",
        "DROP TRIGGER refuse_change ON tables_settlement",
        "INSERT INTO bluecard_transition VALUES ('round', 'settled', 'betting')",
        "DELETE FROM bluecard_transition",
        "CREATE OR REPLACE FUNCTION bluecard_refuse_change() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN RETURN NEW; END $$",
    ):
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            sessions["role"].transaction(force_rollback=True),
        ):
            sessions["role"].execute(statement)


# --- columns ----------------------------------------------------------------------------------------

#: Another value than the one that is there, whatever that is.
OTHER = {
    "bigint": "coalesce({0}, 0) + 1",
    "smallint": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "character varying": "left({0} || 'x', 9)",
    "timestamp with time zone": "'2098-01-01T00:00:00Z'",
    "uuid": "gen_random_uuid()",
    "numeric": "coalesce({0}, 0) - 1",
    "boolean": "NOT {0}",
}
#: Columns of which only some values are allowed.
ALLOWED = {"debit_policy": "'hold'"}


def columns_of(session: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    with session.transaction():
        rows = session.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
            " AND table_name = %s ORDER BY ordinal_position",
            [f"tables_{table}"],
        )
        return rows.fetchall()


@pytest.mark.parametrize("table", sorted(FIXED_BUT))
def test_only_the_columns_named_may_change(sessions: dict[str, psycopg.Connection], table: str) -> None:
    columns = columns_of(sessions["owner"], table)
    assert {name for name, _ in columns} > FIXED_BUT[table]
    for column, data_type in columns:
        if column == "status":
            continue  # the steps below are all there is of it
        value = ALLOWED.get(column) or OTHER[data_type].format(column)
        statement = f"UPDATE tables_{table} SET {column} = {value}"
        may = column in FIXED_BUT[table]
        assert outcome(sessions["role"], statement) == (None if may else "42501"), column
        assert outcome(sessions["owner"], statement) == (None if may else "23001"), column


def outcome(session: psycopg.Connection, statement: str) -> str | None:
    """Run a statement that must reach a row, take it back, and return the error's SQLSTATE."""
    try:
        with session.transaction(force_rollback=True):
            assert session.execute(statement).rowcount > 0
    except psycopg.Error as problem:
        return problem.sqlstate
    return None


# --- states -----------------------------------------------------------------------------------------


def test_the_tables_of_steps_agree(sessions: dict[str, psycopg.Connection]) -> None:
    with sessions["owner"].transaction():
        rows = (
            sessions["owner"]
            .execute("SELECT * FROM bluecard_transition WHERE subject = ANY(%s)", [list(FLOW)])
            .fetchall()
        )
    in_database: dict[str, set[tuple[str, str]]] = {}
    for subject, before, after in rows:
        in_database.setdefault(subject, set()).add((before, after))
    assert in_database == {subject: steps_of(text) for subject, text in FLOW.items()}
    in_python = {(before.value, after.value) for before, afters in ROUND_FLOW.items() for after in afters}
    assert in_python == steps_of(FLOW["round"])
    assert set(ROUND_FLOW) == set(RoundStatus)
    assert tuple(status.value for status in RoundStatus) == STATES["round"]


@pytest.mark.parametrize("session", ROLES, indirect=True)
@pytest.mark.parametrize(("subject", "before", "after"), EVERY_STEP)
def test_each_step_is_as_the_table_says(
    session: psycopg.Connection, subject: str, before: str, after: str
) -> None:
    key = "transaction_id" if subject == "walletdelivery" else "id"
    columns = {"status": after} | facts_of(subject, after)
    assigned = ", ".join(f"{column} = %s" for column in columns)
    refused: str | None = None
    with session.transaction(force_rollback=True):
        refusal = {"refusal": "both_sides"} if (subject, before) == ("bet", "refused") else {}
        copy_row(session, subject, {"status": before} | facts_of(subject, before) | refusal)
        try:
            with session.transaction():
                session.execute(
                    f"UPDATE tables_{subject} SET {assigned} WHERE {key} = {NEW}", list(columns.values())
                )
        except psycopg.errors.CheckViolation as problem:
            refused = problem.diag.message_primary
        else:
            now = session.execute(f"SELECT status FROM tables_{subject} WHERE {key} = {NEW}").fetchone()
            assert now == (after,)
    if (before, after) in steps_of(FLOW[subject]):
        assert refused is None
    else:
        assert refused == f"a {subject} that is {before} cannot become {after}"
