"""Looks at a player's data: each is an entry of the journal, its reason what was looked at, never typed."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from django.db import models

from audit.models import Complaint
from tables.models import Player, Round
from tables.queries.people import note_told
from tables.services.actors import Actor
from tables.services.journal import record

#: Of a longer list the entry says how many there were; what was looked at says who.
MOST_LISTED: Final = 500


def look_at_player(player_id: int, *, way: str, reason: str, actor: Actor, at: datetime) -> None:
    """Write that somebody looked at a player's data, the way it came about and what it was for.

    `reason` names a record, as `C-0031` or `lookup`; a player is named by number.
    """
    data: dict[str, Any] = {"player": player_id, "way": way, "for": reason}
    label = f"player {player_id}"
    record("player.seen", subject=Player(pk=player_id), label=label, actor=actor, at=at, data=data)
    note_told([player_id])


def look_at_players(
    player_ids: Collection[int], *, way: str, reason: str, actor: Actor, at: datetime
) -> None:
    """Write the looks at several players that one look-up answered with."""
    for player_id in sorted(player_ids):
        look_at_player(player_id, way=way, reason=reason, actor=actor, at=at)


def look_at_list(
    player_ids: Collection[int], *, viewer: models.Model, way: str, reason: str, actor: Actor, at: datetime
) -> None:
    """Write that a list or a file named players to somebody: one entry, which stands at who looked."""
    if len(player_ids) == 1:
        [player_id] = player_ids
        look_at_player(player_id, way=way, reason=reason, actor=actor, at=at)
        return
    data: dict[str, Any] = {"players": len(player_ids), "way": way, "for": reason}
    if len(player_ids) <= MOST_LISTED:
        data["players"] = sorted(player_ids)
    record("players.seen", subject=viewer, label=actor.label[:64], actor=actor, at=at, data=data)


def look_at_round(round_: Round, *, actor: Actor, at: datetime) -> None:
    """Write that somebody looked at a round's page, which names the players who bet in it."""
    data = {"round": round_.public_id, "way": "round", "for": round_.public_id}
    record("players.seen", subject=round_, label=round_.public_id, actor=actor, at=at, data=data)
    note_told(None)


def look_at_complaint(complaint: Complaint, *, actor: Actor, at: datetime) -> None:
    """Write that somebody looked at a complaint, and so at what its player said and left as a contact."""
    if complaint.player_id is not None:
        look_at_player(complaint.player_id, way="complaint", reason=complaint.number, actor=actor, at=at)
        return
    data = {"way": "complaint", "for": complaint.number}
    record("complaint.seen", subject=complaint, label=complaint.number, actor=actor, at=at, data=data)
