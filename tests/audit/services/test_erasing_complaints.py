"""Erasing a player who complained: what was said goes, the complaint and its proofs stay."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.models import Complaint, ComplaintChannel, ComplaintWords
from audit.rules.complaints import Said
from audit.services.attachments import attach_file
from audit.services.complaint_verbs import note_complaint
from audit.services.complaints import Filed, file_complaint
from audit.services.erasing import CannotErase, erase_player, find_player
from audit.services.verifying import Run
from tables.models import FeedEvent, Player, Round, WalletDelivery
from tables.services.actors import SYSTEM, Actor
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, seal
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db

SAID = "the banker stood on five, I saw it from my balcony"


@pytest.fixture
def round_() -> Round:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 100))
    WalletDelivery.objects.update(status="delivered", answered_at=NOON)
    return round_


@pytest.fixture
def player(round_: Round) -> Player:
    return find_player("P-10001")


def complain(round_: Round, **changes: Any) -> Filed:
    said = Said(
        **{
            "played_at": round_.betting_opened_at,
            "zone": "Asia/Bangkok",
            "table": "B01",
            "dealer": "Mali Chantara",
            "round": round_.public_id,
            "player": "P-10001",
            "disputed": SAID,
            "contact": "chat 4411",
            **changes,
        }
    )
    at: datetime = FeedEvent.objects.get(round=round_, type="round_result").received_at
    user = make_user("pim", "audit.handle_complaint")
    return file_complaint(
        said=said, channel=ComplaintChannel.CHAT, language="th", actor=Actor.of_user(user), user=user, at=at
    )


def erase(player: Player) -> object:
    return erase_player(player=player, reason="asked for it", actor=SYSTEM, at=NOON)


def tables_holding(text: str) -> list[str]:
    found = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            if name.startswith(("tables_", "audit_")):
                cursor.execute(f"SELECT 1 FROM {name} x WHERE x::text LIKE %s LIMIT 1", [f"%{text}%"])
                if cursor.fetchone():
                    found.append(name)
    return found


def test_while_a_complaint_is_not_answered_nothing_is_erased(round_: Round, player: Player) -> None:
    complaint = complain(round_).complaint
    assert complaint.player_id == player.pk
    with pytest.raises(CannotErase, match=f"complaint {complaint.number} of player #{player.pk} is not"):
        erase(player)
    assert ComplaintWords.objects.get().disputed == SAID


def test_one_that_named_the_player_another_way_is_waited_for_as_well(round_: Round, player: Player) -> None:
    running = complain(round_, player="p-10001").complaint
    assert running.player is None
    with pytest.raises(CannotErase, match=f"complaint {running.number} of player #{player.pk} is not"):
        erase(player)


def test_all_of_a_complaint_goes_that_named_the_player_another_way(
    round_: Round, player: Player, tmp_path: Path, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.EVIDENCE_FOLDER = str(tmp_path)
    complaint = complain(round_, player="p-10001", dealer="").complaint  # refused at once
    agent = User.objects.get(username="pim")
    who = {"actor": Actor.of_user(agent), "user": agent, "at": NOON}
    note_complaint(complaint_id=complaint.pk, seen_version=1, text="called from the balcony", **who)
    gateway = Actor.of_key("0123456789ab")
    attach_file(subject=complaint, data=b"my balcony", name="Somchai.txt", actor=gateway, at=NOON)
    with django_capture_on_commit_callbacks(execute=True):
        erase(player)
    for text in ("p-10001", "balcony", "Somchai"):
        assert tables_holding(text) == [], text
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_was_said_goes_and_every_proof_stays(round_: Round, player: Player) -> None:
    complaint = complain(round_, dealer="").complaint  # refused at once: a detail is missing
    seal()
    assert tables_holding("balcony") == ["audit_complaintwords"]
    erase(player)
    for text in ("P-10001", "balcony", "chat 4411"):
        assert tables_holding(text) == [], text
    assert ComplaintWords.objects.get().erased_at == NOON
    assert Complaint.objects.get(pk=complaint.pk).status == "refused"
    seal()
    assert [str(problem) for problem in Run(LOG.verifier, None, "").find()] == []
