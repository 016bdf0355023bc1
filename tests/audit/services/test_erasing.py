"""Erasing a player: the name goes, every proof stays; a legal hold, money or an open bet refuses it."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from audit.models import LegalHold
from audit.services.erasing import CannotErase, erase_player, find_player, lift_legal_hold, place_legal_hold
from audit.services.verifying import Run
from tables.models import (
    JournalEntry,
    JournalText,
    Player,
    PlayerIdentity,
    Receivable,
    ReceivableClosing,
    WalletDelivery,
    WalletTransaction,
)
from tables.queries.journal import texts_of
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.journal import record
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, seal
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform() -> Platform:
    """A table at which P-10001 and P-10002 have played a settled round."""
    platform = Platform(make_table())
    platform.start()
    platform.play("KS 2H QD KH KC 10H", ("b1", "P-10001", "banker", 10_000), ("b2", "P-10002", "tie", 500))
    return platform


@pytest.fixture
def paid(platform: Platform) -> Player:
    """P-10001, to whom nothing is owed any more, with a note about the player in the journal."""
    WalletDelivery.objects.update(status="delivered", answered_at=NOON)
    player = find_player("P-10001")
    data = {"reason": "called twice", "call": {"note": "asks for Khun Somchai"}, "calls": 2}
    at = {"actor": SYSTEM, "at": NOON, "data": data, "player_id": player.pk}
    record("player.called", subject=platform.table, label="B01", **at)
    seal()
    return player


def erase(player: Player, **more: Any) -> object:
    given = {"reason": "asked for it in writing", "actor": SYSTEM, "at": NOON} | more
    return erase_player(player=player, **given)


def problems() -> list[str]:
    return [str(problem) for problem in Run(LOG.verifier, None, "").find()]


def test_an_entry_holds_a_salted_commitment_and_no_text(paid: Player) -> None:
    entry = JournalEntry.objects.get(action="player.called")
    body = json.loads(bytes(entry.body))
    assert "Somchai" not in bytes(entry.body).decode()
    assert (set(body["data"]["reason"]), len(body["data"]["reason"]["sha256"])) == ({"sha256"}, 64)
    assert (body["data"]["calls"], len(body["salt"])) == (2, 32)
    assert texts_of(entry) == {"reason": "called twice", "call.note": "asks for Khun Somchai"}
    again = record(
        "player.called", subject=entry, label="", actor=SYSTEM, at=NOON, data={"reason": "called twice"}
    )
    assert json.loads(bytes(again.body))["data"] != body["data"]


def test_what_names_the_player_goes_and_every_proof_stays(paid: Player) -> None:
    sealed = {entry.pk: bytes(entry.leaf_hash) for entry in JournalEntry.objects.all()}
    assert problems() == []
    done = erase(paid)
    assert (done.references, done.texts) == (1, 2)
    assert not PlayerIdentity.objects.filter(player=paid).exists()
    assert not JournalText.objects.filter(entry__action="player.called").exists()
    assert {
        entry.pk: bytes(entry.leaf_hash) for entry in JournalEntry.objects.filter(pk__in=sealed)
    } == sealed
    entry = JournalEntry.objects.get(action="player.erased")
    assert (entry.subject_label, texts_of(entry)) == (f"#{paid.pk}", {"reason": "asked for it in writing"})
    assert problems() == []
    seal()
    assert problems() == []
    with pytest.raises(CannotErase, match="no player is known as P-10001"):
        find_player("P-10001")
    assert find_player(f"#{paid.pk}") == paid


def test_nothing_of_the_reference_is_left_in_the_database(paid: Player) -> None:
    erase(paid)
    assert _tables_holding("P-10001") == []
    assert _tables_holding("P-10002") == ["tables_playeridentity"]


def _tables_holding(text: str) -> list[str]:
    """Look for a text in every row of every table of the product."""
    found = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            if name.startswith(("tables_", "audit_")):
                cursor.execute(f"SELECT 1 FROM {name} x WHERE x::text LIKE %s LIMIT 1", [f"%{text}%"])
                if cursor.fetchone():
                    found.append(name)
    return found


def test_a_legal_hold_refuses_it_until_it_is_lifted(paid: Player) -> None:
    manager = make_user("manager", "audit.place_legal_hold")
    by = {"user": manager, "actor": Actor.of_user(manager), "at": NOON}
    place_legal_hold(player=paid, reason="court order 12/2569", **by)
    with pytest.raises(CannotErase, match="under a legal hold since 2026-11-29"):
        erase(paid)
    assert PlayerIdentity.objects.filter(player=paid).exists()
    with pytest.raises(CannotErase, match="under a legal hold already"):
        place_legal_hold(player=paid, reason="another", **by)
    lift_legal_hold(player=paid, reason="the case is closed", **by)
    with pytest.raises(CannotErase, match="under no legal hold"):
        lift_legal_hold(player=paid, reason="again", **by)
    erase(paid)
    assert not LegalHold.objects.filter(reason__contains="court").exists()
    actions = (
        JournalEntry.objects.filter(subject_type="player").order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == ["player.hold_placed", "player.hold_lifted", "player.erased"]


def test_only_who_may_places_holds_and_erases(paid: Player) -> None:
    nobody = make_user("nobody")
    actor = Actor.of_user(nobody)
    with pytest.raises(NotAllowed):
        place_legal_hold(player=paid, reason="x", user=nobody, actor=actor, at=NOON)
    with pytest.raises(NotAllowed):
        erase(paid, actor=actor)


def test_money_on_its_way_refuses_it(platform: Platform) -> None:
    player = find_player("P-10001")
    with pytest.raises(CannotErase, match="1 messages about money"):
        erase(player)
    assert PlayerIdentity.objects.filter(player=player).exists()


def test_money_that_was_settled_by_hand_does_not_and_what_a_wallet_said_goes(platform: Platform) -> None:
    player = find_player("P-10001")
    mine = WalletDelivery.objects.filter(player=player)
    mine.update(status="dead", answer="refused", last_error="no account of P-10001")
    with pytest.raises(CannotErase, match="1 messages about money"):
        erase(player)
    mine.update(status="closed", answer="by_hand")
    erase(player)
    assert _tables_holding("P-10001") == []


def test_a_claim_that_is_open_refuses_it(paid: Player) -> None:
    moved = WalletTransaction.objects.filter(player=paid)[0]
    claim: dict[str, Any] = {"player": paid, "amount_minor": 500, "currency": "THB", "booked_at": NOON}
    receivable = Receivable.objects.create(transaction=moved, **claim)
    with pytest.raises(CannotErase, match=f"1 claims on player #{paid.pk} are neither paid back"):
        erase(paid)
    ReceivableClosing.objects.create(receivable=receivable, how="written_off", closed_at=NOON)
    erase(paid)


def test_an_open_bet_refuses_it(paid: Player, platform: Platform) -> None:
    platform.bet(platform.open_round(), ("c1", "P-10001", "banker", 1_000))
    with pytest.raises(CannotErase, match="1 bets of player"):
        erase(paid)


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_reason_is_wanted(paid: Player, reason: str) -> None:
    with pytest.raises(CannotErase, match="say why"):
        erase(paid, reason=reason)


def test_twice_is_told(paid: Player) -> None:
    erase(paid)
    JournalText.objects.all().delete()
    with pytest.raises(CannotErase, match="nothing is left to erase"):
        erase(paid)


def test_the_commands(paid: Player, capsys: pytest.CaptureFixture[str]) -> None:
    make_user("manager", "audit.place_legal_hold")
    make_user("other")
    hold = ("legal_hold", "place", "P-10001", "--reason", "court order", "--by")
    with pytest.raises(CommandError, match=r"lacks the permission audit\.place_legal_hold"):
        call_command(*hold, "other")
    with pytest.raises(CommandError, match="there is no account nobody"):
        call_command(*hold, "nobody")
    call_command(*hold, "manager")
    with pytest.raises(CommandError, match="under a legal hold"):
        call_command("erase", "P-10001", "--reason", "asked")
    call_command("legal_hold", "lift", "P-10001", "--reason", "over", "--by", "manager")
    call_command("erase", "P-10001", "--reason", "asked")
    assert f"player #{paid.pk}: 1 reference and" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no player is known as P-10001"):
        call_command("erase", "P-10001", "--reason", "asked")
