"""A change of the set-up in words: what it is about, and what stands now beside what would stand."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.models import ChangeKind, SetupChange
from audit.queries.setup_changes import Named, linked_person, rulebook_of
from tables.admin.record import link, table_link
from tables.house import house_zone
from tables.templatetags.felt import clock, day, fill_in, moment, money, state_badge, version_words
from tables.words import spoken

_TITLES: Final[dict[ChangeKind, str | Promise]] = {
    ChangeKind.THRESHOLDS: gettext_lazy("Thresholds of table %(subject)s"),
    ChangeKind.PERSON_LINK: gettext_lazy("Link the account %(subject)s to a person"),
    ChangeKind.ROLE: gettext_lazy("Give %(subject)s a role"),
    ChangeKind.RULEBOOK: gettext_lazy("Publish the rulebook %(subject)s"),
}
_ACCESS_TITLES: Final[dict[str, str | Promise]] = {
    "password": gettext_lazy("Give %(subject)s a new password"),
    "second_factor": gettext_lazy("Take the second factor of %(subject)s away"),
    "reactivate": gettext_lazy("Let %(subject)s sign in again"),
}


def asked_for(change: SetupChange) -> SafeString:
    """Say that a change was asked for, and until when another person can approve it."""
    zone = house_zone().key
    until = format_html("{} {}", day(change.expires_at, zone), clock(change.expires_at, zone))
    return fill_in(_("It is asked for. Another person can approve it until %(time)s."), time=until)


class Becoming(NamedTuple):
    """One thing that changes: its name, what stands now, what would stand."""

    name: Any
    now: Any
    then: Any


def change_title(change: SetupChange, named: Named) -> str:
    """Say what a change is about."""
    kind = ChangeKind(change.kind)
    title = _ACCESS_TITLES[change.payload["act"]] if kind is ChangeKind.ACCESS else _TITLES[kind]
    return str(title) % {"subject": _subject(change, kind, named)}


def _subject(change: SetupChange, kind: ChangeKind, named: Named) -> str:
    if kind is ChangeKind.THRESHOLDS:
        table = named.tables.get(change.payload["table"])
        return table.code if table else "?"
    if kind is ChangeKind.RULEBOOK:
        return str(change.payload.get("document", "")).partition("id:")[2].strip().split("\n")[0].strip()
    user = named.users.get(change.payload["user"])
    return user.get_username() if user else "?"


def change_badge(change: SetupChange, now: Any) -> SafeString:
    """Show a change's state; a request past its time shows as expired."""
    is_late = change.status == "requested" and now > change.expires_at
    return state_badge(words.CHANGE_STATES["expired" if is_late else change.status])


def becomings_of(change: SetupChange, named: Named) -> list[Becoming]:
    """Put what stands now beside what would stand."""
    return _BECOMINGS[ChangeKind(change.kind)](change, named)


def _thresholds(change: SetupChange, named: Named) -> list[Becoming]:
    table = named.tables[change.payload["table"]]
    names = {
        "second_person_minor": _("Two persons above"),
        "sign_in_again_minor": _("Sign in again above"),
    }
    return [
        Becoming(
            word, money(getattr(table, name), table.currency), money(change.payload[name], table.currency)
        )
        for name, word in names.items()
    ]


def _person_link(change: SetupChange, named: Named) -> list[Becoming]:
    person = linked_person(change.payload["user"])
    then = named.persons.get(change.payload["person"])
    roles = _roles_of(named.users[change.payload["user"]])
    return [
        Becoming(_("Person"), person.name if person else "–", then.name if then else "?"),
        Becoming(_("Role"), roles, roles),
    ]


def _role(change: SetupChange, named: Named) -> list[Becoming]:
    user, group = named.users[change.payload["user"]], named.groups[change.payload["group"]]
    return [Becoming(_("Role"), _roles_of(user), role_title(group.name))]


def _access(change: SetupChange, named: Named) -> list[Becoming]:
    user, act = named.users[change.payload["user"]], change.payload["act"]
    then = {
        "password": (_("Password"), _("their own"), _("a first one, made by an administrator")),
        "second_factor": (_("Second factor"), "–", _("none")),
        "reactivate": (_("In use"), _("yes") if user.is_active else _("no"), _("yes")),
    }
    return [Becoming(*then[act]), Becoming(_("Role"), _roles_of(user), _roles_of(user))]


def _roles_of(user: User) -> str:
    return ", ".join(role_title(one.name) for one in user.groups.order_by("name")) or "–"


def _rulebook(change: SetupChange, named: Named) -> list[Becoming]:
    published = rulebook_of(change)
    zone = house_zone().key
    return [
        Becoming(
            _("Version"),
            link("rulebook", published.pk, version_words(published)) if published else "–",
            _("the next one"),
        ),
        Becoming(
            _("Effective from"), "–", moment(datetime.fromisoformat(change.payload["effective_from"]), zone)
        ),
        Becoming(_("SHA-256"), "–", change.payload["content_hash"][:16] + "…"),
    ]


_BECOMINGS: Final = {
    ChangeKind.THRESHOLDS: _thresholds,
    ChangeKind.PERSON_LINK: _person_link,
    ChangeKind.ROLE: _role,
    ChangeKind.ACCESS: _access,
    ChangeKind.RULEBOOK: _rulebook,
}


def role_title(name: str) -> str:
    """Name a role as people do; a group that is none of the house's roles by its own name."""
    return spoken(words.ROLE_TITLES, name)


def subject_link(change: SetupChange, named: Named) -> SafeString | str:
    """Link to the table a change is about."""
    table = named.tables.get(change.payload.get("table", 0))
    return table_link(table) if table else ""
