"""Names of players, which lie apart from everything immutable."""

from collections.abc import Iterable

from tables.models import Player, PlayerIdentity


def references_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return the platform's reference of each player; an erased one shows by number only."""
    wanted = set(player_ids)
    found = dict(PlayerIdentity.objects.filter(player_id__in=wanted).values_list("player_id", "reference"))
    return {player: found.get(player, f"#{player}") for player in wanted}


def reference_of(player: Player) -> str:
    """Return the platform's reference of a player read together with its identity."""
    identity = getattr(player, "identity", None)
    return identity.reference if identity is not None else f"#{player.pk}"
