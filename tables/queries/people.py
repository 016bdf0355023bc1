"""Names of players, which lie apart from everything immutable."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from tables.models import Player, PlayerIdentity


@dataclass(slots=True)
class Naming:
    """Players that an answer names, and those of whom it is written down already that somebody looked."""

    named: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    is_told: bool = False

    @property
    def untold(self) -> set[int]:
        """Return the players that were named and of whom nothing is written down."""
        return set() if self.is_told else self.named - self.told


_naming: Final[ContextVar[Naming | None]] = ContextVar("naming", default=None)


@contextmanager
def noting_named() -> Iterator[Naming]:
    """Collect the players that are named meanwhile, so that it can be written down who looked at them."""
    naming = Naming()
    token = _naming.set(naming)
    try:
        yield naming
    finally:
        _naming.reset(token)


def note_named(player_ids: Iterable[int]) -> None:
    """Say that players are named, to whoever collects that."""
    naming = _naming.get()
    if naming is not None:
        naming.named.update(player_ids)


def note_told(player_ids: Iterable[int] | None) -> None:
    """Say that a look at players is written down; None says so of everybody who is named."""
    naming = _naming.get()
    if naming is None:
        return
    if player_ids is None:
        naming.is_told = True
    else:
        naming.told.update(player_ids)


def references_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return the platform's reference of each player; an erased one shows by number only."""
    wanted = set(player_ids)
    found = dict(PlayerIdentity.objects.filter(player_id__in=wanted).values_list("player_id", "reference"))
    note_named(found)
    return {player: found.get(player, f"#{player}") for player in wanted}


def reference_of(player: Player) -> str:
    """Return the platform's reference of a player read together with its identity."""
    identity = getattr(player, "identity", None)
    if identity is None:
        return f"#{player.pk}"
    note_named([player.pk])
    return str(identity.reference)
