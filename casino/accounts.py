"""Accounts of people: entered, taken out of use, their roles given and taken, their way in given back.

What an account that decides may do, and the way into it, takes two persons: it is asked for here and approved
as every change of the set-up is. The rest one administrator does for a reason that stands in the journal.
"""

import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from axes.utils import reset as forget_wrong_passwords
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django_otp.plugins.otp_totp.models import TOTPDevice

from audit.models import ChangeKind, Person, PersonAccount, SetupChange
from audit.services import setup_changes
from audit.services.persons import enter_person
from audit.services.setup_changes import request_change
from casino.models import AccountState, SignedInSession
from casino.roles import DECIDING, ROLES
from tables.services.actors import Actor
from tables.services.journal import record
from tables.services.setup import BadSetup

MANAGE: Final = "casino.manage_accounts"
FIRST_PASSWORD_OPENS = timedelta(days=3)
NEW_PASSWORD_WAITS = timedelta(days=1)
#: Without letters and digits that are taken for each other when they are read out.
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
LEAST_DECIDING = 2  # one asks, another approves


def is_deciding(role: str) -> bool:
    """Say whether a role decides about money, or lets somebody decide."""
    return role in ROLES and not ROLES[role].permissions.isdisjoint(DECIDING)


def holds_decision(user: User) -> bool:
    """Say whether an account decides, in use or not."""
    return user.is_superuser or _deciding_permissions().filter(Q(group__user=user) | Q(user=user)).exists()


@transaction.atomic
def enter_account(
    *,
    username: str,
    first_name: str,
    last_name: str,
    language: str,
    role: str,
    reason: str,
    by: User,
    at: datetime,
) -> tuple[User, str]:
    """Enter a person who works here, and return the account with a first password.

    The role, if it decides, and the person behind the account wait for a second person's approval.

    :raises NotAllowed: if the actor does not manage accounts.
    :raises BadSetup: naming the field that will not do.
    """
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    _require_reason(reason)
    if role and role not in ROLES:
        raise BadSetup("role", "account/role", f"roles are {', '.join(ROLES)}")
    user = User(username=username.strip(), first_name=first_name.strip(), last_name=last_name.strip())
    user.is_staff = True
    if not user.get_full_name():
        raise BadSetup("first_name", "account/name", "say who it is")
    try:
        user.full_clean(exclude=["password"], validate_unique=False)
    except ValidationError as error:
        field, problems = next(iter(error.message_dict.items()))
        raise BadSetup(field, "account/form", " ".join(problems)) from error
    if User.objects.filter(username__iexact=user.username).exists():
        raise BadSetup("username", "account/known", "there is such an account already")
    password = _set_first_password(user, at)
    AccountState.objects.filter(account=user).update(language=language)
    _note("account.entered", user, actor, at, language=language, roles=[], reason=reason)
    if role:
        _give(user, Group.objects.get(name=role), reason, by, at)
    _link(user, reason, by, at)
    return user, password


@transaction.atomic
def give_role(*, user_id: int, role: str, reason: str, by: User, at: datetime) -> SetupChange | None:
    """Give a role, or ask for it where it decides; what was asked for is returned.

    :raises BadSetup: if it is one's own account, or it has the role already.
    """
    Actor.of_user(by).require(MANAGE)
    _require_reason(reason)
    user = _lock_other(user_id, by)
    group = Group.objects.filter(name=role).first() if role in ROLES else None
    if group is None:
        raise BadSetup("role", "account/role", f"roles are {', '.join(ROLES)}")
    if user.groups.filter(pk=group.pk).exists():
        raise BadSetup("role", "account/has-role", "the account has this role already")
    return _give(user, group, reason, by, at)


@transaction.atomic
def take_role(*, user_id: int, role: str, reason: str, by: User, at: datetime) -> None:
    """Take a role away at once; giving it back is another matter.

    :raises BadSetup: if it is one's own, is not there, or too few would remain who can approve a change.
    """
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    _require_reason(reason)
    user = _lock_other(user_id, by)
    group = user.groups.filter(name=role).first()
    if group is None:
        raise BadSetup("role", "account/no-role", "the account does not have this role")
    user.groups.remove(group)
    _require_deciders(group.permissions.filter(codename="approve_setup_change").exists())
    _end_sessions(user)
    _note("account.role_taken", user, actor, at, role=role, roles=_roles(user), reason=reason)


@transaction.atomic
def deactivate(*, user_id: int, reason: str, by: User, at: datetime) -> None:
    """Take an account out of use at once, and end its sessions. It is never deleted.

    :raises BadSetup: if it is one's own, is out of use, or too few would remain who can approve a change.
    """
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    _require_reason(reason)
    user = _lock_other(user_id, by)
    if not user.is_active:
        raise BadSetup("", "account/inactive", "the account is out of use already; nothing was done")
    was_deciding = holds_decision(user)
    user.is_active = False
    user.save(update_fields=["is_active"])
    _require_deciders(was_deciding)
    _end_sessions(user)
    _note("account.deactivated", user, actor, at, reason=reason)


@transaction.atomic
def end_sessions(*, user_id: int, by: User, at: datetime) -> int:
    """End every session of an account; return how many there were."""
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    ended = _end_sessions(user)
    _note("account.sessions_ended", user, actor, at, sessions=ended)
    return ended


@transaction.atomic
def give_back(*, user_id: int, act: str, reason: str, by: User, at: datetime) -> SetupChange | None:
    """Give the way into an account back, or ask for it where the account decides.

    :param act: one of `ACTS` but a new password, which shows something.
    """
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    _require_reason(reason)
    user = _lock_other(user_id, by)
    if act == "reactivate" and user.is_active:
        raise BadSetup("", "account/active", "the account is in use already; nothing was done")
    if holds_decision(user):
        return _ask(ChangeKind.ACCESS, {"user": user.pk, "act": act}, reason, by, at)
    ACTS[act](user, actor, at, reason)
    return None


@transaction.atomic
def new_password(*, user_id: int, reason: str, by: User, at: datetime) -> SetupChange | str:
    """Make a first password, or ask for it where the account decides and two did not allow it yet.

    :return: the password, or what was asked for.
    """
    actor = Actor.of_user(by)
    actor.require(MANAGE)
    _require_reason(reason)
    user = _lock_other(user_id, by)
    if holds_decision(user) and not is_password_allowed(user, at):
        return _ask(ChangeKind.ACCESS, {"user": user.pk, "act": "password"}, reason, by, at)
    password = _set_first_password(user, at)
    _end_sessions(user)
    forget_wrong_passwords(username=user.username)
    _note("account.password_made", user, actor, at, reason=reason)
    return password


def is_password_allowed(user: User, at: datetime) -> bool:
    """Say whether two persons allowed that this account is given a new password, not long ago."""
    return AccountState.objects.filter(account=user, new_password_until__gte=at).exists()


def note_own_password(user: User, at: datetime) -> None:
    """Remember that an account has a password of its own, which nobody else knows."""
    with transaction.atomic():
        AccountState.objects.filter(account=user).update(first_password_until=None)
        _note("account.password_changed", user, Actor.of_user(user), at)


def choose_language(user: User, language: str) -> None:
    """Keep the language a person chose, for every browser."""
    AccountState.objects.update_or_create(account=user, defaults={"language": language})


def remove_second_factor(user: User, actor: Actor, at: datetime, reason: str = "") -> None:
    """Take the second factor of an account away."""
    TOTPDevice.objects.filter(user=user).delete()
    _note("account.second_factor_removed", user, actor, at, reason=reason)


def _reactivate(user: User, actor: Actor, at: datetime, reason: str = "") -> None:
    user.is_active = True
    user.save(update_fields=["is_active"])
    _note("account.reactivated", user, actor, at, reason=reason)


def _allow_password(user: User, actor: Actor, at: datetime, reason: str = "") -> None:
    until = {"new_password_until": at + NEW_PASSWORD_WAITS}
    AccountState.objects.update_or_create(account=user, defaults=until)
    _note("account.password_allowed", user, actor, at, reason=reason)


ACTS: Final = {
    "password": _allow_password,
    "second_factor": remove_second_factor,
    "reactivate": _reactivate,
}


def _lock_other(user_id: int, by: User) -> User:
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    is_own = user.pk == by.pk or (PersonAccount.objects.filter(user=user, person__accounts__user=by).exists())
    if is_own:
        raise BadSetup("", "setup/own", "another administrator does that to your account")
    return user


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise BadSetup("reason", "setup/reason", "say why")


def _require_deciders(was_deciding: bool) -> None:
    """Refuse what leaves too few persons to ask for a change and to approve it."""
    if not was_deciding:
        return
    may = Permission.objects.filter(codename="approve_setup_change")
    users = User.objects.filter(is_active=True).filter(
        Q(groups__permissions__in=may) | Q(user_permissions__in=may)
    )
    if Person.objects.filter(accounts__user__in=users).distinct().count() < LEAST_DECIDING:
        raise BadSetup("", "account/last", "too few would remain who can approve a change of the set-up")


def _give(user: User, group: Group, reason: str, by: User, at: datetime) -> SetupChange | None:
    if is_deciding(group.name) and _house_is_set_up():
        return _ask(ChangeKind.ROLE, {"user": user.pk, "group": group.pk}, reason, by, at)
    user.groups.add(group)
    told = {"role": group.name, "roles": _roles(user), "reason": reason}
    _note("account.role_given", user, Actor.of_user(by), at, **told)
    return None


def _link(user: User, reason: str, by: User, at: datetime) -> None:
    """Enter the person behind a new account: freely while the house is being set up, else by two persons."""
    name = user.get_full_name()
    if _house_is_set_up():
        _ask(ChangeKind.PERSON_LINK, {"user": user.pk, "name": name}, reason, by, at)
    else:
        enter_person(name=name, user=user, actor=Actor.of_user(by), at=at)


def _house_is_set_up() -> bool:
    return PersonAccount.objects.values("person").distinct().count() >= LEAST_DECIDING


def _ask(kind: ChangeKind, payload: dict[str, Any], reason: str, by: User, at: datetime) -> SetupChange:
    actor = Actor.of_user(by)
    return request_change(kind=kind, payload=payload, reason=reason, user=by, actor=actor, at=at)


def _set_first_password(user: User, at: datetime) -> str:
    password = "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))
    user.set_password(password)
    try:
        user.save()
    except IntegrityError as error:
        raise BadSetup("username", "account/known", "there is such an account already") from error
    until = {"first_password_until": at + FIRST_PASSWORD_OPENS, "new_password_until": None}
    AccountState.objects.update_or_create(account=user, defaults=until)
    return password


def _end_sessions(user: User) -> int:
    return SignedInSession.objects.filter(account=user).delete()[0]


def _roles(user: User) -> list[str]:
    return list(user.groups.order_by("name").values_list("name", flat=True))


def _deciding_permissions() -> Any:
    return Permission.objects.filter(codename__in=[code.split(".")[1] for code in DECIDING])


def _note(action: str, user: User, actor: Actor, at: datetime, **data: Any) -> None:
    record(action, subject=user, label=user.get_username(), actor=actor, at=at, data=data)


setup_changes.ACCESS_ACTS.update(ACTS)
