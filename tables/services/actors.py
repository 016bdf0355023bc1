"""Who acts, and whether that one may."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class NotAllowed(Exception):
    """The actor lacks the permission that the action needs."""

    def __init__(self, actor: Actor, permission: str) -> None:
        super().__init__(f"{actor.label} lacks the permission {permission}")
        self.permission = permission


@dataclass(frozen=True, slots=True)
class Actor:
    """The one who does something: a person, a table's feed, a machine by its key, or the system itself."""

    kind: str  # user, feed, key, system
    id: str
    label: str
    permissions: frozenset[str] = field(default=frozenset(), repr=False)
    may_everything: bool = False

    @classmethod
    def of_user(cls, user: Any) -> Actor:
        """Make the actor of a signed-in person, with the permissions of this moment."""
        return cls(
            "user", str(user.pk), user.get_full_name() or user.get_username(), user.get_all_permissions()
        )

    @classmethod
    def of_table(cls, code: str) -> Actor:
        """Make the actor that is a table's feed."""
        return cls("feed", code, code)

    @classmethod
    def of_key(cls, prefix: str) -> Actor:
        """Make the actor that is a machine, by the beginning of its key."""
        return cls("key", prefix, f"key {prefix}")

    def require(self, permission: str) -> None:
        """Raise unless the actor holds a permission such as `tables.key_play`.

        :raises NotAllowed: naming the permission.
        """
        if not self.may_everything and permission not in self.permissions:
            raise NotAllowed(self, permission)


SYSTEM = Actor("system", "bluecard", "Bluecard", may_everything=True)
