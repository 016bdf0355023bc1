"""What an administrator does to the accounts of others: each a page of its own, with a reason."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.admin.setup_words import asked_for
from audit.models import SetupChange
from audit.queries.persons import NoPerson
from casino import accounts
from casino.accounts import MANAGE, holds_decision, is_deciding, is_password_allowed
from casino.own_account import AccountPage, ReasonForm, RemoveSecondFactor
from casino.roles import ROLES
from casino.second_factor import device_of
from tables.admin.action_page import ActionForm, ActionPage, Done
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact
from tables.admin.table_forms import NothingForm
from tables.services.actors import Actor
from tables.services.setup import BadSetup

LANGUAGES = (("en", "English"), ("th", "ไทย"))


def role_choices() -> list[tuple[str, str]]:
    """List the roles, saying which take a second person."""
    second = _("takes a second person")
    return [
        (name, f"{role.title} – {second}" if is_deciding(name) else str(role.title))
        for name, role in ROLES.items()
    ]


class EnterForm(ActionForm):
    """Who is entered."""

    username = forms.CharField(
        label=gettext_lazy("Log-in"),
        max_length=150,
        help_text=gettext_lazy("Letters, digits and @ . + - _; it stays as it is."),
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
    )
    first_name = forms.CharField(label=gettext_lazy("First name"), max_length=60)
    last_name = forms.CharField(label=gettext_lazy("Last name"), max_length=60, required=False)
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=LANGUAGES)
    role = forms.ChoiceField(label=gettext_lazy("Role"), required=False)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("none for now")), *role_choices()]
        self.fields["role"].choices = choices  # type: ignore[attr-defined]


class RoleForm(ActionForm):
    """A role and why."""

    role = forms.ChoiceField(label=gettext_lazy("Role"))
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, *args: Any, roles: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = roles  # type: ignore[attr-defined]


class EnterPerson(ActionPage):
    """Enter somebody who begins to work here."""

    permission = MANAGE
    form_class = EnterForm
    title = gettext_lazy("Enter a person")
    button = gettext_lazy("Enter this person")
    lead = gettext_lazy(
        "The next page shows a first password once; it opens for three days, and has to be changed at the"
        " first sign-in. Who stands behind the account, and a role that decides, wait for a second person."
    )

    def initial(self) -> dict[str, Any]:
        return {"language": self.request.LANGUAGE_CODE[:2]}

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("Accounts"), self.back_url())]

    def back_url(self) -> str:
        return reverse("admin:auth_user_changelist")

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> HttpResponse:
        try:
            user, password = accounts.enter_account(**typed, by=signed_in(self.request), at=at)
        except NoPerson as error:
            raise BadSetup("", "person/none", str(error)) from error
        return show_password(self, user, password)


class AnothersAccount(AccountPage):
    """An action on the account of somebody else."""

    form_class: ClassVar[type[ActionForm]] = ReasonForm

    def find_subject(self, **kwargs: Any) -> User:
        if not self.request.user.has_perm(MANAGE):
            raise PermissionDenied
        return super().find_subject(**kwargs)

    @property
    def needs_second(self) -> bool:
        return holds_decision(self.subject)

    def back_url(self) -> str:
        return reverse("admin:auth_user_change", args=[self.subject.pk])

    def facts(self) -> Sequence[Fact]:
        roles = [str(ROLES[group.name].title) for group in self.subject.groups.all() if group.name in ROLES]
        name = Fact(_("Name"), self.subject.get_full_name() or "–")
        return [*super().facts(), name, Fact(_("Role"), ", ".join(roles) or "–")]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done | HttpResponse:
        try:
            done = self.do(typed, signed_in(self.request), at)
        except NoPerson as error:
            raise BadSetup("", "person/none", str(error)) from error
        if isinstance(done, SetupChange):
            url = reverse("admin:audit_setupchange_change", args=[done.pk])
            return Done(asked_for(done), url)
        return done

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done | HttpResponse | SetupChange:
        """Do it, or return what was asked for instead."""
        raise NotImplementedError


class GiveRole(AnothersAccount):
    form_class = RoleForm
    title = gettext_lazy("Give a role")
    button = gettext_lazy("Give this role")
    lead = gettext_lazy("A role that decides is asked for, and given when another person approves it.")

    def form_options(self) -> dict[str, Any]:
        has = set(self.subject.groups.values_list("name", flat=True))
        return {"roles": [(name, word) for name, word in role_choices() if name not in has]}

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done | SetupChange:
        asked = accounts.give_role(user_id=self.subject.pk, **typed, by=by, at=at)
        return asked or Done(_("The role is given."), self.back_url())


class TakeRole(AnothersAccount):
    form_class = RoleForm
    title = gettext_lazy("Take a role away")
    button = gettext_lazy("Take it away")
    lead = gettext_lazy("At once, and the sessions of the account end.")
    is_grave = True

    def form_options(self) -> dict[str, Any]:
        has = set(self.subject.groups.values_list("name", flat=True))
        return {"roles": [(name, str(role.title)) for name, role in ROLES.items() if name in has]}

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done:
        accounts.take_role(user_id=self.subject.pk, **typed, by=by, at=at)
        return Done(_("The role is taken away."), self.back_url())


class NewPassword(AnothersAccount):
    title = gettext_lazy("Give a new password")
    is_grave = True

    @property
    def needs_second(self) -> bool:
        return super().needs_second and not is_password_allowed(self.subject, datetime.now(UTC))

    @property
    def button(self) -> str:  # type: ignore[override]
        return _("Ask for a new password") if self.needs_second else _("Make a new password")

    @property
    def lead(self) -> str:  # type: ignore[override]
        if self.needs_second:
            return _("This account decides: once another person approved, the new password is made here.")
        return _(
            "The old password opens nothing any more and every session ends. The next page shows the new one"
            " once; it opens for three days, and has to be changed at the first sign-in."
        )

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> HttpResponse | SetupChange:
        made = accounts.new_password(user_id=self.subject.pk, **typed, by=by, at=at)
        return made if isinstance(made, SetupChange) else show_password(self, self.subject, made)


class Deactivate(AnothersAccount):
    title = gettext_lazy("Take out of use")
    button = gettext_lazy("Take it out of use")
    lead = gettext_lazy(
        "Nobody signs in with it any more, and its sessions end. What was done with it stays in the journal:"
        " an account is never deleted."
    )
    is_grave = True

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done:
        accounts.deactivate(user_id=self.subject.pk, **typed, by=by, at=at)
        return Done(_("The account is out of use."), self.back_url())


class GiveBack(AnothersAccount):
    """Something that gives the way into an account back; an account that decides takes a second person."""

    deed: ClassVar[str]

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done | SetupChange:
        asked = accounts.give_back(user_id=self.subject.pk, act=self.deed, **typed, by=by, at=at)
        return asked or Done(self.done, self.back_url())

    @property
    def done(self) -> str:
        raise NotImplementedError


class Reactivate(GiveBack):
    deed = "reactivate"
    title = gettext_lazy("Take into use again")
    button = gettext_lazy("Take it into use again")
    lead = gettext_lazy("Whoever has its password signs in again. An account that decides takes two persons.")

    @property
    def done(self) -> str:
        return _("The account is in use again.")


class RemoveAnothersSecondFactor(GiveBack):
    deed = "second_factor"
    title = gettext_lazy("Take the second factor away")
    button = gettext_lazy("Take it away")
    lead = gettext_lazy(
        "For somebody who has lost the telephone. Make sure that it is the same person who asks. An account"
        " that decides takes two persons."
    )
    is_grave = True

    @property
    def done(self) -> str:
        return _("The second factor is taken away.")


class EndSessions(AnothersAccount):
    form_class = NothingForm
    title = gettext_lazy("End all sessions")
    button = gettext_lazy("End all sessions")
    lead = gettext_lazy("Whoever uses it has to sign in again. What was typed there and not sent is lost.")
    is_grave = True

    def do(self, typed: dict[str, Any], by: User, at: datetime) -> Done:
        ended = accounts.end_sessions(user_id=self.subject.pk, by=by, at=at)
        return Done(_("Sessions ended: %(number)s.") % {"number": ended}, self.back_url())


def signed_in(request: HttpRequest) -> User:
    """Return who is signed in, as an account and not as whatever lies in the request."""
    assert isinstance(request.user, User)
    return request.user


def show_password(page: ActionPage, user: User, password: str) -> HttpResponse:
    """Show a password, once."""
    context = {
        "title": _("The first password"),
        "user_shown": user,
        "secret": password,
        "account_url": reverse("admin:auth_user_change", args=[user.pk]),
    }
    return page.page("bluecard/password_made.html", context)


ACTIONS: dict[str, type[AnothersAccount]] = {
    "give-role": GiveRole,
    "take-role": TakeRole,
    "new-password": NewPassword,
    "deactivate": Deactivate,
    "reactivate": Reactivate,
    "end-sessions": EndSessions,
}
ICONS = {
    "give-role": "people",
    "take-role": "struck",
    "new-password": "key",
    "deactivate": "lock",
    "reactivate": "redo",
    "end-sessions": "close",
}


def urls_of_actions(model_admin: Any) -> list[URLPattern]:
    """Return the addresses of what is done to the accounts of others."""
    wrap = model_admin.admin_site.admin_view
    deeds = [
        path(
            f"<int:pk>/do/{name}/",
            wrap(page.as_view(model_admin=model_admin)),
            name=f"account_{name.replace('-', '_')}",
        )
        for name, page in ACTIONS.items()
    ]

    def remove_factor(request: HttpRequest, pk: int) -> HttpResponseBase:
        page = RemoveSecondFactor if pk == request.user.pk else RemoveAnothersSecondFactor
        return page.as_view(model_admin=model_admin)(request, pk=pk)

    return [
        path("<int:pk>/do/remove-second-factor/", wrap(remove_factor), name="remove_second_factor"),
        path("do/enter/", wrap(EnterPerson.as_view(model_admin=model_admin)), name="account_enter"),
        *deeds,
    ]


def buttons_of(request: HttpRequest, found: User) -> list[HeadButton]:
    """List what this person may do to an account that is not their own."""
    if not request.user.has_perm(MANAGE) or found.pk == request.user.pk:
        return []
    has = {group.name for group in found.groups.all()}
    fits = {
        "give-role": found.is_active and len(has) < len(ROLES),
        "take-role": bool(has),
        "new-password": found.is_active,
        "end-sessions": found.is_active,
        "deactivate": found.is_active,
        "reactivate": not found.is_active,
    }
    buttons = [
        HeadButton(
            ACTIONS[name].title,
            reverse(f"admin:account_{name.replace('-', '_')}", args=[found.pk]),
            ICONS[name],
            tone="grave" if name == "deactivate" else "",
        )
        for name, is_fit in fits.items()
        if is_fit
    ]
    if device_of(found):
        url = reverse("admin:remove_second_factor", args=[found.pk])
        buttons.append(HeadButton(RemoveAnothersSecondFactor.title, url, "struck"))
    return buttons


add_head_buttons("user", buttons_of)
