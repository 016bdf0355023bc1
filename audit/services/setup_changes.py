"""Changes of the house's set-up that take two persons: thresholds, persons, deciding roles, rulebooks.

One asks, another approves, and the approval carries the change out in the same transaction. The database
refuses each of these changes without an approved request that names exactly it.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from audit import locks
from audit.models import ChangeKind, ChangeStatus, Person, PersonAccount, SetupChange
from audit.queries.persons import person_of
from audit.services.rulings import CannotDecide
from tables.models import GameTable
from tables.rules.document import RulebookError, parse_rulebook
from tables.services.actors import SYSTEM, Actor
from tables.services.journal import moment, record
from tables.services.setup import BadSetup, content_hash, publish_rulebook

M = TypeVar("M", bound=Model)

EXPIRES_AFTER = timedelta(days=1)
REQUEST = "audit.request_setup_change"
APPROVE = "audit.approve_setup_change"
#: What is done to an account that decides once two persons want it; the app above says how, when it is ready.
ACCESS_ACTS: dict[str, Callable[[User, Actor, datetime], None]] = {}
OWN = "another person asks for what your own account may do, and another approves it"


@transaction.atomic
def request_change(
    *, kind: ChangeKind, payload: dict[str, Any], reason: str, user: User, actor: Actor, at: datetime
) -> SetupChange:
    """Ask for a change; nothing changes until another person approves it.

    :raises BadSetup: naming the field that will not do.
    """
    actor.require(REQUEST)
    if not reason.strip():
        raise BadSetup("reason", "setup/reason", "say why")
    exact = _CHECKS[kind](payload)
    if _is_about(kind, exact, user):
        raise BadSetup("user", "setup/own", OWN)
    change = SetupChange.objects.create(
        kind=kind.value,
        payload=exact,
        reason=reason.strip(),
        requested_by=user,
        requested_by_person=person_of(user),
        requested_at=at,
        expires_at=at + EXPIRES_AFTER,
    )
    _record(change, "setup.requested", actor, at)
    return change


def approve_change(*, change_id: int, reason: str, user: User, actor: Actor, at: datetime) -> SetupChange:
    """Approve a change and carry it out.

    :raises CannotDecide: if it was decided, has expired, or the same person asked for it.
    """
    actor.require(APPROVE)
    try:
        with transaction.atomic():
            change = _decide(change_id, ChangeStatus.APPROVED, reason, user, at)
            _EFFECTS[ChangeKind(change.kind)](change, actor, at)
            _record(change, "setup.approved", actor, at)
    except IntegrityError as error:
        words = str(error).splitlines()[0]
        message = "another person than the one who asked approves it" if "four_eyes" in words else words
        raise CannotDecide("setup/four-eyes", message) from error
    return change


@transaction.atomic
def refuse_change(*, change_id: int, reason: str, user: User, actor: Actor, at: datetime) -> SetupChange:
    """Refuse a change; nothing happens.

    :raises CannotDecide: if it was decided, or no reason is given.
    """
    actor.require(APPROVE)
    if not reason.strip():
        raise CannotDecide("setup/reason", "say why it is refused")
    change = _decide(change_id, ChangeStatus.REFUSED, reason, user, at)
    _record(change, "setup.refused", actor, at)
    return change


@transaction.atomic
def withdraw_change(*, change_id: int, reason: str, user: User, actor: Actor, at: datetime) -> SetupChange:
    """Withdraw a request before anybody decided it; nothing changes.

    :raises CannotDecide: if another account asked for it, or it was decided.
    """
    actor.require(REQUEST)
    if SetupChange.objects.get(pk=change_id).requested_by_id != user.pk:  # who asked never changes
        raise CannotDecide("setup/other", "only who asked withdraws it")
    change = _decide(change_id, ChangeStatus.WITHDRAWN, reason, user, at)
    _record(change, "setup.withdrawn", actor, at)
    return change


def _decide(change_id: int, status: ChangeStatus, reason: str, user: User, at: datetime) -> SetupChange:
    change = locks.lock_setup_change(change_id)
    if change.status != ChangeStatus.REQUESTED:
        rule = "setup/withdrawn" if change.status == ChangeStatus.WITHDRAWN else "setup/decided"
        raise CannotDecide(rule, f"this change is {change.status} already; nothing was done")
    if at > change.expires_at:
        raise CannotDecide("setup/expired", f"this request expired at {moment(change.expires_at)}; ask again")
    if status is ChangeStatus.APPROVED and _is_about(ChangeKind(change.kind), change.payload, user):
        raise CannotDecide("setup/own", OWN)
    change.status, change.decided_by, change.decided_by_person = status.value, user, person_of(user)
    change.decided_at, change.decision_reason = at, reason.strip()
    change.save(update_fields=["status", "decided_by", "decided_by_person", "decided_at", "decision_reason"])
    return change


def _is_about(kind: ChangeKind, payload: dict[str, Any], user: User) -> bool:
    """Say whether a change is about what an account of this person may do."""
    if kind not in (ChangeKind.ROLE, ChangeKind.ACCESS):
        return False
    return PersonAccount.objects.filter(user=payload["user"], person=person_of(user)).exists()


def _row(model: type[M], key: object) -> M | None:
    return model._default_manager.filter(pk=key).first() if isinstance(key, int) else None


def _check_thresholds(payload: dict[str, Any]) -> dict[str, Any]:
    table = _row(GameTable, payload.get("table"))
    if table is None:
        raise BadSetup("table", "setup/thresholds", "no such table")
    second, again = payload.get("second_person_minor"), payload.get("sign_in_again_minor")
    if not isinstance(second, int) or not isinstance(again, int) or not 0 <= second <= again <= 10**18:
        raise BadSetup(
            "second_person_minor", "setup/thresholds", "two whole numbers from 0, the second not below"
        )
    return {"table": table.pk, "second_person_minor": second, "sign_in_again_minor": again}


def _check_person_link(payload: dict[str, Any]) -> dict[str, Any]:
    user = _row(User, payload.get("user"))
    if user is None:
        raise BadSetup("user", "setup/person-link", "no such account")
    person = _row(Person, payload.get("person"))
    name = str(payload.get("name", "")).strip()
    if person is None and not name:
        raise BadSetup("person", "setup/person-link", "name a person, or the name of a new one")
    if person is None:
        # Entered already, so that the request names exactly whom it links; without a link it can do nothing.
        person = Person.objects.create(name=name, created_at=timezone.now())
    return {"user": user.pk, "person": person.pk}


def _check_role(payload: dict[str, Any]) -> dict[str, Any]:
    user = _row(User, payload.get("user"))
    group = _row(Group, payload.get("group"))
    if user is None or group is None:
        raise BadSetup("group", "setup/role", "name an account and a role")
    return {"user": user.pk, "group": group.pk}


def _check_access(payload: dict[str, Any]) -> dict[str, Any]:
    user, act = _row(User, payload.get("user")), payload.get("act")
    if user is None or act not in ACCESS_ACTS:
        raise BadSetup("user", "setup/access", "name an account and what is done to it")
    return {"user": user.pk, "act": act}


def _check_rulebook(payload: dict[str, Any]) -> dict[str, Any]:
    text, effective = payload.get("document"), payload.get("effective_from")
    if not isinstance(text, str) or not isinstance(effective, str):
        raise BadSetup("document", "setup/rulebook", "a document and the moment it takes effect are wanted")
    try:
        parse_rulebook(text)
        from_ = datetime.fromisoformat(effective).astimezone(UTC)
    except (RulebookError, ValueError) as error:
        raise BadSetup("document", "setup/rulebook", str(error)) from error
    return {"document": text, "content_hash": content_hash(text), "effective_from": moment(from_)}


def _set_thresholds(change: SetupChange, actor: Actor, at: datetime) -> None:
    names = ("second_person_minor", "sign_in_again_minor")
    changed = {name: change.payload[name] for name in names}
    GameTable.objects.filter(pk=change.payload["table"]).update(**changed)


def _link_person(change: SetupChange, actor: Actor, at: datetime) -> None:
    link = {"person_id": change.payload["person"], "change": change}
    PersonAccount.objects.update_or_create(user_id=change.payload["user"], defaults=link)
    _note_of_account("account.person_linked", change, actor, at, {"person": change.payload["person"]})


def _give_role(change: SetupChange, actor: Actor, at: datetime) -> None:
    group = Group.objects.get(pk=change.payload["group"])
    group.user_set.add(change.payload["user"])
    has = Group.objects.filter(user=change.payload["user"]).order_by("name").values_list("name", flat=True)
    told = {"role": group.name, "roles": list(has)}
    _note_of_account("account.role_given", change, actor, at, told)


def _note_of_account(
    action: str, change: SetupChange, actor: Actor, at: datetime, data: dict[str, Any]
) -> None:
    """Write into the account's own history what an approved change did to it."""
    user = User.objects.get(pk=change.payload["user"])
    told = {**data, "change": change.pk, "reason": change.reason}
    record(action, subject=user, label=user.get_username(), actor=actor, at=at, data=told)


def _give_access(change: SetupChange, actor: Actor, at: datetime) -> None:
    ACCESS_ACTS[change.payload["act"]](User.objects.get(pk=change.payload["user"]), actor, at)


def _publish(change: SetupChange, actor: Actor, at: datetime) -> None:
    publish_rulebook(
        text=change.payload["document"],
        effective_from=datetime.fromisoformat(change.payload["effective_from"]),
        actor=SYSTEM,
        at=at,
    )


_CHECKS: dict[ChangeKind, Callable[[dict[str, Any]], dict[str, Any]]] = {
    ChangeKind.THRESHOLDS: _check_thresholds,
    ChangeKind.PERSON_LINK: _check_person_link,
    ChangeKind.ROLE: _check_role,
    ChangeKind.ACCESS: _check_access,
    ChangeKind.RULEBOOK: _check_rulebook,
}
_EFFECTS: dict[ChangeKind, Callable[[SetupChange, Actor, datetime], None]] = {
    ChangeKind.THRESHOLDS: _set_thresholds,
    ChangeKind.PERSON_LINK: _link_person,
    ChangeKind.ROLE: _give_role,
    ChangeKind.ACCESS: _give_access,
    ChangeKind.RULEBOOK: _publish,
}


def _record(change: SetupChange, action: str, actor: Actor, at: datetime) -> None:
    told = {name: value for name, value in change.payload.items() if name != "document"}
    record(
        action,
        subject=change,
        label=f"{change.kind} {change.pk}",
        actor=actor,
        at=at,
        data={
            "kind": change.kind,
            "payload": told,
            "reason": change.reason,
            "decision": change.decision_reason,
        },
    )
