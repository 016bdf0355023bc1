"""The baseline of settling: the rows that a settlement writes, prepared beforehand, and only inserted."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from django.db import connection, transaction
from psycopg import sql

from audit.models import Ruling
from casino.bench.house import FilledRound, owner_connection

#: What a settlement changes besides adding rows.
MARK_SETTLED = "UPDATE tables_round SET status = 'settled', settled_at = now() WHERE id = %s"
FULFIL = "DELETE FROM tables_outbox WHERE bell = 'settle' AND subject_id = %s"


class PreparedRows:
    """The rows of a settled round, rewritten for another round that was filled alike.

    With rulings, the model's and the other round's: those of the second revision, and the players' notices.
    """

    def __init__(
        self,
        number: int,
        model: FilledRound,
        round_: FilledRound,
        *,
        rulings: tuple[Ruling, Ruling] | None = None,
    ) -> None:
        self.number, self.round, self.rulings = number, round_, rulings
        with owner_connection() as owner:
            columns = self._prepare(owner, model)
        self.statements = [
            sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}")
            .format(sql.Identifier(table), columns[table], columns[table], self._name(table))
            .as_string()
            for table in columns
        ]

    def insert(self) -> None:
        """Insert them all in one transaction, deferred checks of foreign keys included."""
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in self.statements:
                cursor.execute(statement)
            cursor.execute(MARK_SETTLED, [self.round.id])
            cursor.execute(FULFIL, [self.round.id])

    def _prepare(self, owner: psycopg.Connection, model: FilledRound) -> dict[str, sql.Composable]:
        """Copy the model's rows into tables of their own under new keys, and return the columns of each."""
        revision = 2 if self.rulings else 1
        newest = "SELECT id FROM tables_settlement WHERE round_id = %s AND revision = %s"
        old = _one(owner, newest, model.id, revision)
        new = _one(owner, "SELECT nextval('tables_settlement_id_seq')")
        bets = self.round.first_bet_id - model.first_bet_id
        count = "SELECT count(*) FROM tables_wallettransaction WHERE settlement_id = %s"
        last = _one(owner, "SELECT nextval('tables_wallettransaction_id_seq')") + _one(owner, count, old)
        owner.execute("SELECT setval('tables_wallettransaction_id_seq', %s)", [last])
        first = _one(owner, "SELECT max(id) FROM tables_wallettransaction WHERE settlement_id = %s", old)
        shift = last - first
        of_settlement = f"settlement_id = {old}"
        of_transactions = f"transaction_id IN (SELECT id FROM tables_wallettransaction WHERE {of_settlement})"
        in_new = {"settlement_id": str(new)}
        under = {"id": str(new), "round_id": str(self.round.id)}
        if self.rulings:
            under["authority"] = f"'{self.rulings[1].uuid}'::uuid"
        last_entry = (
            "id = (SELECT max(id) FROM tables_journalentry"
            f" WHERE subject_type = 'round' AND action = 'round.settled' AND subject_id = {model.id})"
        )
        copied = {
            "tables_settlement": self._copy(owner, "tables_settlement", f"id = {old}", under),
            "tables_settlementline": self._copy(
                owner, "tables_settlementline", of_settlement, {**in_new, "bet_id": f"bet_id + {bets}"}
            ),
            "tables_wallettransaction": self._copy(
                owner,
                "tables_wallettransaction",
                of_settlement,
                {
                    **in_new,
                    "id": f"id + {shift}",
                    "key": f"replace(key, '{model.public_id}', '{self.round.public_id}')",
                    "bet_ids": f"ARRAY(SELECT bet_id + {bets} FROM unnest(bet_ids) AS old (bet_id))",
                },
            ),
            "tables_walletdelivery": self._copy(
                owner,
                "tables_walletdelivery",
                of_transactions,
                {"transaction_id": f"transaction_id + {shift}"},
            ),
            "tables_journalentry": self._copy(
                owner,
                "tables_journalentry",
                last_entry,
                {"id": "nextval('tables_journalentry_id_seq')", "subject_id": str(self.round.id)},
            ),
        }
        if self.rulings:
            copied["audit_notice"] = self._copy(
                owner,
                "audit_notice",
                f"ruling_id = {self.rulings[0].pk}",
                {
                    "id": "nextval('audit_notice_id_seq')",
                    "ruling_id": str(self.rulings[1].pk),
                    "round_id": str(self.round.id),
                },
            )
        return copied

    def _copy(
        self, owner: psycopg.Connection, table: str, where: str, changed: Mapping[str, str]
    ) -> sql.Composable:
        """Make a table of the same columns, some of them by another expression; return the columns."""
        described = owner.execute(f"SELECT * FROM {table} LIMIT 0").description or []
        names = [column.name for column in described]
        chosen = sql.SQL(", ").join(
            sql.SQL("{} AS {}").format(
                sql.SQL(changed[name]) if name in changed else sql.Identifier(name), sql.Identifier(name)
            )
            for name in names
        )
        owner.execute(
            sql.SQL("CREATE TABLE {} AS SELECT {} FROM {} WHERE {} ORDER BY 1, 2").format(
                self._name(table), chosen, sql.Identifier(table), sql.SQL(where)
            )
        )
        owner.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(self._name(table)))
        owner.execute(sql.SQL("ANALYZE {}").format(self._name(table)))
        return sql.SQL(", ").join(map(sql.Identifier, names))

    def _name(self, table: str) -> sql.Identifier:
        return sql.Identifier(f"prepared_{table}_{self.number}")


def _one(owner: psycopg.Connection, question: str, *values: object) -> int:
    row = owner.execute(question, values).fetchone()
    assert row is not None
    return int(row[0])
