"""A legal hold is kept by the database: by direct SQL too nothing of the player is erased while it stands."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, ProgrammingError, connection, transaction

from audit.models import LegalHold
from audit.services.attachments import attach_file
from audit.services.complaint_verbs import note_complaint
from audit.services.erasing import find_player, lift_legal_hold, place_legal_hold
from tables.models import Player, PlayerIdentity, Round, WalletDelivery
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import record
from tests.audit.deciding import make_user
from tests.audit.services.test_erasing_complaints import complain
from tests.database import OwnTestDatabase
from tests.tables.playing import NOON, Platform, make_table

FORGET = "DELETE FROM tables_playeridentity WHERE reference = 'P-10001'"
#: What each statement would take from the record, in an order in which all of them can be done.
ERASING = {
    "words": "UPDATE audit_complaintwords SET erased_at = now()",
    "a note": "UPDATE audit_complainttext SET erased_at = now()",
    "a file": "DELETE FROM audit_attachmentfile",
    "a file's name": "UPDATE audit_attachmentfile SET name = 'x'",
    "texts about the player": "DELETE FROM tables_journaltext WHERE player_id IS NOT NULL",
    "texts of the player's own entries": "DELETE FROM tables_journaltext WHERE name = 'note'",
    "a text": "UPDATE tables_journaltext SET text = ''",
    "the reference": FORGET,
    "another reference": "UPDATE tables_playeridentity SET reference = 'P-0' WHERE reference = 'P-10001'",
    "the reason of an earlier hold": "UPDATE audit_legalhold SET reason = '–' WHERE lifted_at IS NOT NULL",
}


def run(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.rowcount)


def hold(player: Player, user: User) -> LegalHold:
    by = {"user": user, "actor": SYSTEM, "at": NOON}
    return place_legal_hold(player=player, reason="a court wants it", **by)


def lift(player: Player, user: User) -> None:
    by = {"user": user, "actor": SYSTEM, "at": NOON}
    lift_legal_hold(player=player, reason="the court is done", **by)


@pytest.fixture
def round_() -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    bets = (("b1", "P-10001", "player", 100), ("b2", "P-10002", "banker", 100))
    round_ = platform.play("9H 2D KC QS", *bets)
    WalletDelivery.objects.update(status="delivered", answered_at=NOON)
    return round_


@pytest.fixture
def told(round_: Round, tmp_path: Path, settings: Any) -> Player:
    """P-10001, of whom something is written wherever it can be, and who was under a hold before."""
    settings.EVIDENCE_FOLDER = str(tmp_path)
    return tell(round_, named="P-10001")


def tell(round_: Round, *, named: str) -> Player:
    player = find_player("P-10001")
    complaint = complain(round_, player=named).complaint
    assert complaint.player == (player if named == "P-10001" else None)
    agent = User.objects.get(username="pim")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    note_complaint(complaint_id=complaint.pk, seen_version=1, text="called twice", **who)
    gateway = Actor.of_key("0123456789ab")
    attach_file(subject=complaint, data=b"two cards", name="mine.txt", actor=gateway, at=NOON)
    about = {"actor": SYSTEM, "at": NOON}
    record("x.y", subject=round_.table, label="B01", data={"text": "x"}, player_id=player.pk, **about)
    record("x.y", subject=player, label=f"#{player.pk}", data={"note": "x"}, **about)
    hold(player, agent)
    lift(player, agent)
    return player


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ERASING.values(), ids=ERASING)
def test_by_hand_nothing_is_erased_while_a_hold_stands(told: Player, statement: str) -> None:
    hold(told, make_user("nattaya"))
    with (
        pytest.raises(IntegrityError, match=f"player #{told.pk} is under a legal hold"),
        transaction.atomic(),
    ):
        run(statement)
    lift(told, User.objects.get(username="nattaya"))
    assert run(statement) > 0


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["words", "a note", "a file"])
def test_a_complaint_that_names_the_player_in_another_spelling_is_kept_too(
    round_: Round, what: str, tmp_path: Path, settings: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    player = tell(round_, named="p-10001")
    other = hold(find_player("P-10002"), User.objects.get(username="pim"))
    before = transaction.savepoint()
    assert run(ERASING[what]) == 1  # a hold on somebody else does not keep it
    transaction.savepoint_rollback(before)
    assert other.player != player
    hold(player, User.objects.get(username="pim"))
    with (
        pytest.raises(IntegrityError, match=f"player #{player.pk} is under a legal hold"),
        transaction.atomic(),
    ):
        run(ERASING[what])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "error", "said"),
    [
        ("DELETE FROM audit_legalhold", ProgrammingError, "permission denied"),
        ("UPDATE audit_legalhold SET player_id = player_id + 1", ProgrammingError, "permission denied"),
        ("UPDATE audit_legalhold SET reason = '–'", IntegrityError, "is lifted or stays"),
        (
            "UPDATE audit_legalhold SET reason = '–', lifted_at = now(), lifted_by_id = placed_by_id",
            IntegrityError,
            "is lifted or stays",
        ),
        (
            "INSERT INTO audit_legalhold"
            " (player_id, reason, placed_by_id, placed_at, lifted_at, lifted_by_id)"
            " SELECT player_id, 'x', placed_by_id, now(), now(), placed_by_id FROM audit_legalhold",
            IntegrityError,
            "begins in force",
        ),
    ],
)
def test_the_hold_itself_is_lifted_or_stays(
    round_: Round, statement: str, error: type[Exception], said: str
) -> None:
    hold(find_player("P-10001"), make_user("nattaya"))
    with pytest.raises(error, match=said), transaction.atomic():
        run(statement)


@pytest.mark.django_db
def test_a_hold_that_was_lifted_does_not_come_back(told: Player) -> None:
    with pytest.raises(IntegrityError, match="this legal hold was lifted"), transaction.atomic():
        run("UPDATE audit_legalhold SET lifted_at = NULL, lifted_by_id = NULL")


# --- two at once ------------------------------------------------------------------------------------


class Second:
    """A statement of another session of the run-time role, which may have to wait."""

    def __init__(self, database: OwnTestDatabase, statement: str) -> None:
        self.database, self.statement = database, statement
        self.error: psycopg.Error | None = None
        self.session = psycopg.connect(database.app_url)
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def _work(self) -> None:
        try:
            with self.session:
                self.session.execute(self.statement)
        except psycopg.Error as error:
            self.error = error

    def waits(self) -> bool:
        """Wait until it is done or waits for the other one, and say whether it waits."""
        until = time.monotonic() + 20
        with psycopg.connect(self.database.owner_url, autocommit=True) as looking:
            while time.monotonic() < until and self.thread.is_alive():
                if looking.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
                    [self.session.info.backend_pid],
                ).fetchone():
                    return True
        return False

    def done(self) -> psycopg.Error | None:
        self.thread.join(20)
        return self.error


def placing(player: Player) -> str:
    user = User.objects.get(username="nattaya").pk
    return (
        "INSERT INTO audit_legalhold (player_id, reason, placed_by_id, placed_at)"
        f" VALUES ({player.pk}, 'a court wants it', {user}, now())"
    )


@pytest.fixture
def player(round_: Round) -> Player:
    make_user("nattaya")
    return find_player("P-10001")


@pytest.mark.django_db(transaction=True)
def test_a_hold_that_is_being_placed_is_waited_for_and_refuses(
    player: Player, own_database: OwnTestDatabase
) -> None:
    with psycopg.connect(own_database.app_url) as first:
        first.execute(placing(player))
        second = Second(own_database, FORGET)
        assert second.waits()
    error = second.done()
    assert isinstance(error, psycopg.errors.RestrictViolation)
    assert f"player #{player.pk} is under a legal hold" in str(error)
    assert PlayerIdentity.objects.filter(player=player).exists()


@pytest.mark.django_db(transaction=True)
def test_a_hold_waits_for_an_erasure_that_runs_and_comes_after_it(
    player: Player, own_database: OwnTestDatabase
) -> None:
    with psycopg.connect(own_database.app_url) as first:
        first.execute(FORGET)
        second = Second(own_database, placing(player))
        assert second.waits()
        assert not LegalHold.objects.exists()
    assert second.done() is None
    assert LegalHold.objects.filter(player=player, lifted_at=None).exists()
    assert not PlayerIdentity.objects.filter(player=player).exists()


@contextmanager
def without_the_lock(database: OwnTestDatabase) -> Iterator[None]:
    name = "bluecard_lock_player(player bigint) RETURNS void LANGUAGE sql VOLATILE"
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        (body,) = owner.execute(
            "SELECT prosrc FROM pg_proc WHERE proname = 'bluecard_lock_player'"
        ).fetchone() or ("",)
        owner.execute(f"CREATE OR REPLACE FUNCTION {name} AS 'SELECT'")
        try:
            yield
        finally:
            owner.execute(f"CREATE OR REPLACE FUNCTION {name} AS $${body}$$")


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_both_are_done(player: Player, own_database: OwnTestDatabase) -> None:
    """The twin: an erasure that does not wait erases what is held."""
    with without_the_lock(own_database):
        with psycopg.connect(own_database.app_url) as first:
            first.execute(placing(player))
            second = Second(own_database, FORGET)
            assert not second.waits()
        assert second.done() is None
    assert LegalHold.objects.filter(player=player, lifted_at=None).exists()
    assert not PlayerIdentity.objects.filter(player=player).exists()


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_from_before_the_hold_erases_nothing(
    player: Player, own_database: OwnTestDatabase
) -> None:
    with psycopg.connect(own_database.app_url) as early:
        early.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        early.execute("SELECT 1")
        with psycopg.connect(own_database.app_url) as first:
            first.execute(placing(player))
        with pytest.raises(psycopg.errors.RestrictViolation, match="at READ COMMITTED only"):
            early.execute(FORGET)
