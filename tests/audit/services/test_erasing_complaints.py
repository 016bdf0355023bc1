"""Erasing a player who complained: what was said goes, the complaint and its proofs stay."""

from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from audit.models import Complaint, ComplaintChannel, ComplaintWords
from audit.rules.complaints import Said
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
