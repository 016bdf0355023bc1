"""Persons and their accounts."""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.models import Person, PersonAccount
from tables.services.actors import Actor
from tables.services.journal import record


@transaction.atomic
def enter_person(*, name: str, user: Any, actor: Actor, at: datetime) -> Person:
    """Enter a person with a first account; the account must not be anybody's yet."""
    actor.require("audit.request_setup_change")
    person = Person.objects.create(name=name, created_at=at)
    PersonAccount.objects.create(user=user, person=person)
    record(
        "person.entered",
        subject=person,
        label=f"person {person.pk}",
        actor=actor,
        at=at,
        data={"user": user.pk},
    )
    return person
