"""Changes of the house's set-up as people read them: what would change, and what stands now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from audit.models import ChangeKind, ChangeStatus, Person, PersonAccount, SetupChange
from tables.models import GameTable, Rulebook


@dataclass(frozen=True, slots=True)
class Named:
    """The rows that changes name, read once for all of them."""

    tables: Mapping[int, GameTable]
    users: Mapping[int, User]
    persons: Mapping[int, Person]
    groups: Mapping[int, Group]

    @classmethod
    def by(cls, changes: Iterable[SetupChange]) -> "Named":
        """Read what some changes name, in a number of queries that does not grow with them."""
        keys: dict[str, set[int]] = {"table": set(), "user": set(), "person": set(), "group": set()}
        for change in changes:
            for name, found in keys.items():
                if isinstance(change.payload.get(name), int):
                    found.add(change.payload[name])
        return cls(
            GameTable.objects.in_bulk(keys["table"]) if keys["table"] else {},
            User.objects.in_bulk(keys["user"]) if keys["user"] else {},
            Person.objects.in_bulk(keys["person"]) if keys["person"] else {},
            Group.objects.in_bulk(keys["group"]) if keys["group"] else {},
        )


def changes_waiting(now: datetime) -> QuerySet[SetupChange]:
    """Return the requests that somebody may still decide, the soonest to expire first."""
    waiting = SetupChange.objects.filter(status=ChangeStatus.REQUESTED.value, expires_at__gte=now)
    return waiting.select_related("requested_by_person").order_by("expires_at")


def linked_person(user_id: int) -> Person | None:
    """Return the person an account is linked to now."""
    link = PersonAccount.objects.filter(user=user_id).select_related("person").first()
    return link.person if link else None


def is_carried_out(change: SetupChange) -> bool:
    """Say whether a change was approved, and so is in force."""
    return change.status == ChangeStatus.APPROVED


def rulebook_of(change: SetupChange) -> Rulebook | None:
    """Return the version that a rulebook's change published, if it has."""
    if change.kind != ChangeKind.RULEBOOK:
        return None
    return Rulebook.objects.filter(content_hash=change.payload["content_hash"]).first()


def payload_of(change: SetupChange) -> dict[str, Any]:
    """Return what a change names, without the text of a document."""
    return {name: value for name, value in change.payload.items() if name != "document"}
