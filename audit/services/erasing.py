"""Erasing a player's personal data, and the legal holds that refuse it.

Immutable rows know a player by number only, so that nothing sealed changes: every proof stays valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from audit import locks
from audit.models import (
    Attachment,
    AttachmentSubject,
    Complaint,
    ComplaintStatus,
    ComplaintText,
    ComplaintWords,
    LegalHold,
)
from audit.services.attachments import erase_attachment
from tables.models import (
    Bet,
    BetStatus,
    JournalText,
    Player,
    PlayerIdentity,
    Receivable,
    RoundStatus,
    WalletDelivery,
)
from tables.models.wallet import UNFINISHED
from tables.services.actors import Actor
from tables.services.journal import record

HOLD: Final = "audit.place_legal_hold"
ERASE: Final = "audit.erase_player"
#: Decided, or refused: nobody waits for an answer any more.
ENDED_COMPLAINTS: Final = (ComplaintStatus.CLOSED.value, ComplaintStatus.REFUSED.value)
WAITING_ROUNDS: Final = tuple(
    status.value for status in RoundStatus if status not in (RoundStatus.SETTLED, RoundStatus.VOIDED)
)


class CannotErase(Exception):
    """A player's data stay for now; the message says why."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased of a player."""

    player_id: int
    references: int
    texts: int


def find_player(named: str) -> Player:
    """Find a player by the platform's reference, or by number as `#12`.

    :raises CannotErase: if there is none.
    """
    text = named.strip()
    if text.startswith("#") and text[1:].isdecimal():
        player = Player.objects.filter(pk=int(text[1:])).first()
    else:
        player = Player.objects.filter(identity__reference=text).first()
    if player is None:
        raise CannotErase(f"no player is known as {text}")
    return player


@transaction.atomic
def place_legal_hold(*, player: Player, reason: str, user: User, actor: Actor, at: datetime) -> LegalHold:
    """Keep a player's data from being erased until the hold is lifted.

    :raises CannotErase: if no reason is given, or a hold is in force already.
    """
    actor.require(HOLD)
    if not reason.strip():
        raise CannotErase("say why the data have to be kept")
    locks.lock_player(player.pk)
    try:
        with transaction.atomic():
            hold = LegalHold.objects.create(
                player=player, reason=reason.strip(), placed_by=user, placed_at=at
            )
    except IntegrityError as error:
        raise CannotErase(f"player #{player.pk} is under a legal hold already") from error
    _record("player.hold_placed", player, actor, at, {"hold": hold.pk, "reason": hold.reason})
    return hold


@transaction.atomic
def lift_legal_hold(*, player: Player, reason: str, user: User, actor: Actor, at: datetime) -> LegalHold:
    """Lift the hold that is in force.

    :raises CannotErase: if no reason is given, or none is in force.
    """
    actor.require(HOLD)
    if not reason.strip():
        raise CannotErase("say why the data need not be kept any more")
    locks.lock_player(player.pk)
    hold = LegalHold.objects.select_for_update(of=("self",), no_key=True)
    found = hold.filter(player=player, lifted_at__isnull=True).first()
    if found is None:
        raise CannotErase(f"player #{player.pk} is under no legal hold")
    found.lifted_by, found.lifted_at = user, at
    found.save(update_fields=["lifted_by", "lifted_at"])
    _record("player.hold_lifted", player, actor, at, {"hold": found.pk, "reason": reason.strip()})
    return found


@transaction.atomic
def erase_player(*, player: Player, reason: str, actor: Actor, at: datetime) -> Erased:
    """Erase a player's reference, and every free text about the player. This is itself an entry.

    :raises CannotErase: under a legal hold, while money or an answer is still owed, without a reason, or if
        nothing is left to erase.
    """
    actor.require(ERASE)
    if not reason.strip():
        raise CannotErase("say why the data are erased")
    locks.lock_player(player.pk)
    _refuse_if_wanted(player)
    texts, _ = JournalText.objects.filter(player=player).delete()
    texts += JournalText.objects.filter(entry__subject_type="player", entry__subject_id=player.pk).delete()[0]
    texts += LegalHold.objects.filter(player=player).update(reason="–")
    texts += _erase_complaints(player, actor, at)
    # What a wallet says of a message may name whom it is for.
    texts += WalletDelivery.objects.filter(player=player).exclude(last_error="").update(last_error="")
    references, _ = PlayerIdentity.objects.filter(player=player).delete()
    if not references and not texts:
        raise CannotErase(f"nothing is left to erase of player #{player.pk}")
    told = {"references": references, "texts": texts, "reason": reason.strip()}
    _record("player.erased", player, actor, at, told)
    return Erased(player.pk, references, texts)


def _refuse_if_wanted(player: Player) -> None:
    held = LegalHold.objects.filter(player=player, lifted_at__isnull=True).first()
    if held is not None:
        raise CannotErase(f"player #{player.pk} is under a legal hold since {held.placed_at:%Y-%m-%d}")
    owed = WalletDelivery.objects.filter(player=player, status__in=UNFINISHED).count()
    if owed:
        raise CannotErase(f"{owed} messages about money of player #{player.pk} wait for the wallet")
    claims = Receivable.objects.filter(player=player, closing__isnull=True).count()
    if claims:
        raise CannotErase(f"{claims} claims on player #{player.pk} are neither paid back nor written off")
    waiting = Bet.objects.filter(
        player=player, status=BetStatus.ACCEPTED.value, round__status__in=WAITING_ROUNDS
    ).count()
    if waiting:
        raise CannotErase(f"{waiting} bets of player #{player.pk} are not settled yet")
    complaint = _complaints_of(player).exclude(status__in=ENDED_COMPLAINTS).first()
    if complaint is not None:
        raise CannotErase(f"complaint {complaint.number} of player #{player.pk} is not answered yet")


def _complaints_of(player: Player) -> QuerySet[Complaint]:
    """Return a player's complaints: those that were known to be, and those that named the player.

    Somebody may complain before the first bet has come, or write the reference another way than it is.
    """
    named = Q(player=player)
    for reference in PlayerIdentity.objects.filter(player=player).values_list("reference", flat=True):
        named |= Q(player=None, events__words__player_text__iexact=reference)
    return Complaint.objects.filter(pk__in=Complaint.objects.filter(named).values("pk"))


def _erase_complaints(player: Player, actor: Actor, at: datetime) -> int:
    """Empty what was said in a player's complaints, and erase what was attached; return how many texts."""
    complaints = list(_complaints_of(player).values_list("pk", flat=True))
    of_them = {"event__complaint__in": complaints, "erased_at__isnull": True}
    count = ComplaintWords.objects.filter(**of_them).update(erased_at=at)  # a trigger empties what is erased
    count += ComplaintText.objects.filter(**of_them).update(erased_at=at)
    attached = Attachment.objects.filter(
        subject_kind=AttachmentSubject.COMPLAINT.value, subject_id__in=complaints
    )
    for attachment in attached:
        count += erase_attachment(attachment=attachment, actor=actor, at=at)
    return count


def _record(action: str, player: Player, actor: Actor, at: datetime, data: dict[str, Any]) -> None:
    label = f"#{player.pk}"
    record(action, subject=player, label=label, actor=actor, at=at, data=data, player_id=player.pk)
