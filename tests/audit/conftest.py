"""Rows changed behind the product's back, for tests of what finds that."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as house_settings
from psycopg.conninfo import make_conninfo

from casino.runtime.postgres import PostgresServer
from tests.audit.sealed import WitnessHouse, seal, witness_house, write
from tests.database import OwnTestDatabase
from tests.tables.playing import Platform, make_table

SEALED = ("audit_leaf", "audit_treenode", "audit_checkpoint", "audit_cosignature", "audit_pendingentry")
TAMPERED = ("tables_journalentry", "tables_settlementline", "tables_card", "tables_feedevent", "tables_bet",
            "audit_ruling", "audit_signin", "audit_complaint", "audit_complaintevent", "audit_complaintwords",
            "audit_complainttext", "audit_rulinground", "audit_videoholdcause", "audit_attachment",
            "audit_attachmentfile", "tables_rulebook", "tables_wallettransaction", "tables_walletdelivery",
            "tables_settlement", "tables_round", "tables_deal", "audit_videohold")  # fmt: skip
Tamper = Callable[..., None]


@pytest.fixture(params=["owner", "superuser"])
def tamper(request: pytest.FixtureRequest, own_database: OwnTestDatabase) -> Tamper:
    """Run statements with the triggers lifted, as the schema's owner or as a superuser."""
    url = own_database.owner_url
    if request.param == "superuser":
        if not house_settings.DATABASE_IS_EMBEDDED:
            pytest.skip("LEFT OUT: no superuser of a PostgreSQL that is not ours")
        server = PostgresServer(house_settings.BLUECARD_STATE, house_settings.PG_BIN_DIR)
        url = make_conninfo(server.url(), dbname=own_database.name)
    which = "USER" if request.param == "owner" else "ALL"

    def change(statements: str, *values: object) -> None:
        with psycopg.connect(url) as connection, _lifted(connection, which):
            for statement in filter(str.strip, statements.split(";")):
                connection.execute(statement, values[: statement.count("%s")] or None)

    return change


@contextmanager
def _lifted(connection: psycopg.Connection, which: str) -> Iterator[None]:
    names = (*SEALED, *TAMPERED)
    always = connection.execute(
        "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
        "WHERE t.tgenabled = 'A' AND c.relname = ANY(%s)",
        [list(names)],
    ).fetchall()
    for name in names:
        connection.execute(f"ALTER TABLE {name} DISABLE TRIGGER {which}")
    yield
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")  # or what waits for COMMIT refuses the next line
    for name in names:
        connection.execute(f"ALTER TABLE {name} ENABLE TRIGGER {which}")
    for name, trigger in always:
        connection.execute(f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {trigger}")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WitnessHouse]:
    """A table with two settled rounds and 300 entries, sealed in four steps, each of them witnessed."""
    with witness_house(tmp_path / "newest") as house:
        platform = Platform(make_table())
        platform.start()
        platform.play(
            "KS 2H QD KH KC 10H", ("b1", "P-10001", "banker", 10_000), ("b2", "P-10002", "tie", 500)
        )
        platform.play("9H 9D KC QS", ("c1", "P-10001", "player", 1_000))
        seal()
        house.show()
        for count in (40, 150, 100):
            write(count, platform.table, reason="seen by hand")
            seal()
            house.show()
        yield house
