"""Two people to bench with, who ask for a ruling and approve it; the worker's part is what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Permission, User
from django.utils import timezone

from audit.models import Person, PersonAccount, Ruling, RulingKind, SignIn
from audit.services.rulings import approve_ruling, request_ruling
from casino.bench.house import FilledRound
from tables.models import Round
from tables.services.actors import Actor


class Deciders:
    """One who asks and another who approves."""

    def __init__(self) -> None:
        self.asker = _account("asker", "request_ruling")
        self.approver = _account("approver", "approve_ruling")

    def approved(self, kind: RulingKind, rounds: list[FilledRound], facts: Mapping[str, Any]) -> Ruling:
        """Ask for a ruling on rounds, and approve it."""
        now = timezone.now()
        names = [round_.id for round_ in rounds]
        found = list(Round.objects.select_related("table__rulebook", "shoe").filter(pk__in=names))
        ruling = request_ruling(
            kind=kind,
            rounds=found,
            table=found[0].table,
            facts=facts,
            reason="to be measured",
            user=self.asker,
            actor=Actor.of_user(self.asker),
            at=now,
        )
        SignIn.objects.create(user=self.approver, ruling=ruling, at=now)
        return approve_ruling(
            ruling_id=ruling.pk,
            preview_hash=ruling.preview_hash,
            reason="",
            user=self.approver,
            actor=Actor.of_user(self.approver),
            at=now,
        )


def _account(name: str, permission: str) -> User:
    user = User.objects.create_user(name)
    user.user_permissions.add(Permission.objects.get(content_type__app_label="audit", codename=permission))
    person = Person.objects.create(name=name.title(), created_at=timezone.now())
    PersonAccount.objects.create(user=user, person=person)
    return User.objects.get(pk=user.pk)
