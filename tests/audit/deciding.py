"""People who ask and decide, and a ruling carried out whole, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import connection, transaction

from audit.models import Person, PersonAccount, Ruling, RulingKind, SetupChange
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling
from audit.services.rulings import approve_ruling, request_ruling
from casino.roles import DECIDING
from tables.models import Round
from tables.services.actors import Actor
from tests.tables.playing import NOON

SUPERVISES = ("audit.report_incident", "audit.request_ruling", "tables.key_play")
MANAGES = (*SUPERVISES, "audit.approve_ruling", "tables.accept_gap")


@transaction.atomic
def make_user(name: str, *permissions: str, person: Person | None = None) -> User:
    """Make an account with permissions, linked to a person of its own or the one given."""
    user = User.objects.create_user(name, password="secret", is_staff=True)
    give_rights(user, *permissions)
    person = person or Person.objects.create(name=name.title(), created_at=NOON)
    link = _approved("person_link", {"user": user.pk, "person": person.pk})
    PersonAccount.objects.create(user=user, person=person, change=link)
    return User.objects.get(pk=user.pk)


@transaction.atomic
def give_rights(user: User, *permissions: str) -> None:
    """Give rights; those that decide by a role that the first two persons approve, once they are there."""
    deciding = [code for code in permissions if code in DECIDING and len(_first_two()) == 2]
    user.user_permissions.add(*map(_find, [code for code in permissions if code not in deciding]))
    if deciding:
        role = Group.objects.create(name=f"rights of {user.get_username()}")
        role.permissions.add(*map(_find, deciding))
        _approved("role", {"user": user.pk, "group": role.pk})
        user.groups.add(role)


def _find(code: str) -> Permission:
    app, codename = code.split(".")
    return Permission.objects.get(content_type__app_label=app, codename=codename)


def _first_two() -> list[PersonAccount]:
    """Return the links of the first two persons; fewer while the house is being set up."""
    links = PersonAccount.objects.order_by("person_id", "pk").distinct("person_id")
    return sorted(links, key=lambda link: link.pk)[:2]


def _approved(kind: str, payload: dict[str, int]) -> SetupChange | None:
    """Let the first two persons ask for a change and approve it, as the database wants it of a third."""
    links = _first_two()
    if len(links) < 2:
        return None
    change = SetupChange.objects.create(
        kind=kind,
        payload=payload,
        reason="new here",
        requested_by=links[0].user,
        requested_by_person=links[0].person,
        requested_at=NOON,
        expires_at=NOON + timedelta(days=1),
    )
    change.status, change.decided_by, change.decided_by_person = "approved", links[1].user, links[1].person
    change.decided_at = NOON
    change.save()
    return change


def ask(
    user: User,
    kind: RulingKind,
    rounds: Sequence[Round],
    *,
    at: datetime = NOON,
    facts: Mapping[str, Any] | None = None,
    **more: Any,
) -> Ruling:
    """Ask for a ruling on rounds of one table."""
    facts_for = {"facts": facts or {}, "reason": "seen on camera", "user": user, "actor": Actor.of_user(user)}
    more.setdefault("table", rounds[0].table if rounds else None)
    return request_ruling(kind=kind, rounds=rounds, at=at, **facts_for, **more)


def approve(user: User, ruling: Ruling, *, at: datetime = NOON, preview_hash: str | None = None) -> Ruling:
    return approve_ruling(
        ruling_id=ruling.pk,
        preview_hash=preview_hash or ruling.preview_hash,
        reason="agreed",
        user=user,
        actor=Actor.of_user(user),
        at=at,
    )


def carry_out(ruling: Ruling, *, at: datetime = NOON) -> Ruling:
    """Do what the worker does with an approved ruling."""
    if claim_ruling(ruling_id=ruling.pk, now=at):
        while apply_next_round(ruling_id=ruling.pk, now=at):
            pass
        finish_ruling(ruling_id=ruling.pk, now=at)
    with connection.cursor() as cursor:
        # What the database checks at COMMIT is checked here, since a test rolls back.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    return Ruling.objects.get(pk=ruling.pk)


def rule(
    asker: User, decider: User, kind: RulingKind, rounds: Sequence[Round], *, at: datetime = NOON, **more: Any
) -> Ruling:
    """Ask, approve and carry out."""
    return carry_out(approve(decider, ask(asker, kind, rounds, at=at, **more), at=at), at=at)
