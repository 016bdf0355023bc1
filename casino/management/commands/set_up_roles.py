"""Make the groups of the roles; with --demo also one made-up log-in for each."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from audit.models import ChangeKind, PersonAccount
from audit.services.persons import enter_person
from audit.services.setup_changes import REQUEST, approve_change, request_change
from casino.roles import DEMO_PASSWORD, DEMO_PEOPLE, ROLES
from tables.services.actors import SYSTEM, Actor

FIRST_TWO = ("administrator", "manager")


class Command(BaseCommand):
    help = "Give each role's group exactly the permissions of the table in casino/roles.py."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--demo", action="store_true", help="also make the demo's log-ins (not in production)"
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        for name, role in ROLES.items():
            group, _ = Group.objects.get_or_create(name=name)
            group.permissions.set([find_permission(code) for code in sorted(role.permissions)])
        if options["demo"]:
            make_demo_people()
        self.stdout.write(f"{len(ROLES)} roles are set up")


def find_permission(code: str) -> Permission:
    """Find a permission such as `tables.view_round`.

    :raises CommandError: if no model declares it.
    """
    app, codename = code.split(".")
    permission = Permission.objects.filter(content_type__app_label=app, codename=codename).first()
    if permission is None:
        raise CommandError(f"casino/roles.py names {code}, which no model declares; run migrate first")
    return permission


def make_demo_people() -> None:
    """Make the demo's log-ins, at least one for each role.

    :raises CommandError: in production mode.
    """
    if settings.IS_PRODUCTION:
        raise CommandError("the demo's log-ins have a known password; they are not made in production mode")
    for person in DEMO_PEOPLE:
        user, is_new = User.objects.get_or_create(
            username=person.login,
            defaults={"first_name": person.first_name, "last_name": person.last_name, "is_staff": True},
        )
        if is_new:
            user.set_password(DEMO_PASSWORD)
            user.save()
            if PersonAccount.objects.count() < 2:
                user.groups.set([Group.objects.get(name=person.role)])
    link_demo_people()


def link_demo_people() -> None:
    """Enter the persons behind the demo's log-ins: the first two freely, each further one by those two.

    Who comes when two persons are there already gets the role by them as well.
    """
    now = timezone.now()
    people = sorted(DEMO_PEOPLE, key=lambda person: person.role not in FIRST_TWO)
    users = {person.login: User.objects.get(username=person.login) for person in people}
    founders = [next(users[one.login] for one in people if one.role == role) for role in FIRST_TWO]
    for user in founders:
        if not PersonAccount.objects.filter(user=user).exists():
            enter_person(name=user.get_full_name(), user=user, actor=SYSTEM, at=now)
    for person in people:
        user = users[person.login]
        if not PersonAccount.objects.filter(user=user).exists():
            by_two(founders, ChangeKind.PERSON_LINK, {"user": user.pk, "name": user.get_full_name()}, now)
        group = Group.objects.get(name=person.role)
        if not user.groups.filter(pk=group.pk).exists():
            by_two(founders, ChangeKind.ROLE, {"user": user.pk, "group": group.pk}, now)


def by_two(founders: list[User], kind: ChangeKind, payload: dict[str, Any], now: datetime) -> None:
    """Let one of the first two ask for a change and the other approve it."""
    asks, approves = sorted(founders, key=lambda founder: not founder.has_perm(REQUEST))
    actor = Actor.of_user(asks)
    change = request_change(
        kind=kind, payload=payload, reason="new member of staff", user=asks, actor=actor, at=now
    )
    approve_change(
        change_id=change.pk, reason="known to me", user=approves, actor=Actor.of_user(approves), at=now
    )
