"""A person's own account: where one is signed in, and the second factor."""

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import django_otp
from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key

from casino.accounts import MANAGE, remove_second_factor
from casino.models import SignedInSession
from casino.role_words import may_sheet
from casino.second_factor import address_of_key, check_code, device_of, draw_code, is_code_of, written_key
from tables.admin.action_page import ActionForm, ActionPage, Done
from tables.admin.panels import HeadButton
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows
from tables.admin.table_forms import NothingForm
from tables.house import house_zone
from tables.services.actors import Actor
from tables.services.journal import record
from tables.templatetags.felt import moment

NEW_KEY = "bluecard_new_second_factor"


def sessions_of(user: User) -> list[SignedInSession]:
    """Return where an account is signed in, the newest first."""
    return list(user.sessions.filter(expire_date__gt=datetime.now(UTC)).order_by("-began_at"))


def name_of(session: SignedInSession) -> str:
    """Name a session in an address without giving its key away."""
    return sha256(session.session_key.encode()).hexdigest()[:20]


def sessions_sheet(user: User, *, own_key: str | None, may_end: bool) -> Rows:
    """Describe where an account is signed in, each with a way to end it."""
    zone = house_zone().key
    rows = []
    for session in sessions_of(user):
        url = reverse("admin:end_session", args=[user.pk, name_of(session)])
        end = format_html('<a href="{}">{}</a>', url, _("End")) if may_end else ""
        rows.append(
            [
                moment(session.began_at, zone),
                session.address,
                browser_words(session.browser),
                _("this one") if session.session_key == own_key else end,
            ]
        )
    return Rows(
        _("Signed in"),
        [Column(_("since")), Column(_("coming from")), Column(_("with")), Column("")],
        rows,
        empty=_("Nowhere."),
    )


def browser_words(agent: str) -> str:
    """Name a browser and its system from what it says of itself, as well as can be told."""
    browsers = (
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    )
    systems = (
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    )
    found = [next((name for sign, name in known if sign in agent), "") for known in (browsers, systems)]
    return ", ".join(name for name in found if name) or agent[:60] or "–"


def own_account(request: HttpRequest, model_admin: Any) -> HttpResponse:
    """Show one's own account."""
    user = request.user
    assert isinstance(user, User)
    device = device_of(user)
    zone = house_zone().key
    buttons = []
    if user.has_usable_password():
        buttons.append(HeadButton(_("Change password"), reverse("admin:password_change"), "key"))
    if device:
        url = reverse("admin:remove_second_factor", args=[user.pk])
        buttons.append(HeadButton(RemoveSecondFactor.title, url, "struck", tone="grave"))
    else:
        url = reverse("admin:set_up_second_factor")
        buttons.append(HeadButton(SetUpSecondFactor.title, url, "lock", tone="main"))
    factor = [Fact(_("Second factor"), _("set up") if device else _("none"))]
    if device:
        factor.append(Fact(_("Last used"), moment(device.last_used_at, zone) or "–"))
    page = Record(
        title=user.get_full_name() or user.get_username(),
        is_id=False,
        crumbs=[Crumb(_("Your account"))],
        main=[sessions_sheet(user, own_key=request.session.session_key, may_end=True)],
        side=[Facts(_("The account"), [Fact(_("Log-in"), user.get_username()), *factor]), may_sheet(user)],
    )
    context = {
        **model_admin.admin_site.each_context(request),
        "title": _("Your account"),
        "opts": model_admin.opts,
        "record": page,
        "head_buttons": buttons,
        "actions_detail": [],
    }
    return TemplateResponse(request, "bluecard/record.html", context)


class AccountPage(ActionPage):
    """An action on an account: one's own, or another's by who manages accounts."""

    subject: User

    @classmethod
    def require_permission(cls, request: HttpRequest) -> None:
        """Leave it to `find_subject`, which knows whose account it is."""

    def find_subject(self, **kwargs: Any) -> User:
        found = User.objects.filter(pk=int(kwargs.get("pk") or self.request.user.pk or 0)).first()
        if found is None:
            raise Http404("no such account")
        if found.pk != self.request.user.pk and not self.request.user.has_perm(MANAGE):
            raise PermissionDenied
        return found

    @property
    def is_own(self) -> bool:
        return self.subject.pk == self.request.user.pk

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("Your account") if self.is_own else self.subject.get_username(), self.back_url())]

    def facts(self) -> Sequence[Fact]:
        return [Fact(_("Log-in"), self.subject.get_username())]

    def back_url(self) -> str:
        if self.is_own:
            return reverse("admin:own_account")
        return reverse("admin:auth_user_change", args=[self.subject.pk])

    def refuse_code(self, refusal: str) -> HttpResponse:
        """Show the form again, saying in the reader's language why the code will not do."""
        form = self.form_class(self.request.POST)
        form.is_valid()
        form.add_error("code", refusal)
        return self.show(form, status=400)

    def note(self, action: str, actor: Actor, at: datetime, **data: Any) -> None:
        """Write in the journal what was done to the account."""
        record(action, subject=self.subject, label=self.subject.get_username(), actor=actor, at=at, data=data)


class EndSession(AccountPage):
    """End one session; whoever sits there has to sign in again."""

    form_class = NothingForm
    title = gettext_lazy("End the session")
    button = gettext_lazy("End the session")
    lead = gettext_lazy("Whoever uses it has to sign in again. What was typed there and not sent is lost.")
    is_grave = True

    def facts(self) -> Sequence[Fact]:
        session = self._session()
        return [
            *super().facts(),
            Fact(_("Signed in"), moment(session.began_at, house_zone().key)),
            Fact(_("coming from"), session.address),
            Fact(_("with"), browser_words(session.browser)),
        ]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        with transaction.atomic():
            self._session().delete()
            self.note("account.session_ended", actor, at)
        return Done(_("The session is ended."), self.back_url())

    def _session(self) -> SignedInSession:
        for session in sessions_of(self.subject):
            if name_of(session) == self.kwargs["session"]:
                return session
        raise Http404("no such session")


class CodeForm(ActionForm):
    """A code, to show that it can be made."""

    code = forms.CharField(label=gettext_lazy("The six digits shown now"), max_length=20)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].widget.attrs.update(inputmode="numeric", autocomplete="one-time-code")


class ReasonForm(ActionForm):
    """Why something is done to another's account."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)


class SetUpSecondFactor(AccountPage):
    """Read a new key into an app, and show by a code that it is there."""

    form_class = CodeForm
    template = "bluecard/second_factor.html"
    title = gettext_lazy("Set up a second factor")
    button = gettext_lazy("Set it up")
    lead = gettext_lazy(
        "Read the picture with an authenticator app, or type the key, then type the code the app shows. From"
        " then on each sign-in asks for it."
    )

    def extra_context(self, form: ActionForm) -> dict[str, Any]:
        key = self._key()
        return {"picture": draw_code(address_of_key(self.subject, key)), "secret": written_key(key)}

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if device_of(self.subject):
            return HttpResponseRedirect(self.back_url())
        return super().post(request, **kwargs)

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done | HttpResponse:
        key = self._key()
        if not is_code_of(key, typed["code"]):
            return self.refuse_code(_("That is not the code shown now. Is the telephone's clock right?"))
        with transaction.atomic():
            User.objects.select_for_update().get(pk=self.subject.pk)
            TOTPDevice.objects.filter(user=self.subject).delete()
            device = TOTPDevice.objects.create(user=self.subject, key=key, name="TOTP")
            self.note("account.second_factor_set_up", actor, at)
        del self.request.session[NEW_KEY]
        django_otp.login(self.request, device)
        return Done(_("The second factor is set up; the next sign-in asks for its code."), self.back_url())

    def _key(self) -> str:
        """Return the key offered in this session, the same until it is taken."""
        return str(self.request.session.setdefault(NEW_KEY, default_key()))


class RemoveSecondFactor(AccountPage):
    """Take one's own second factor away, by its code."""

    form_class = CodeForm
    title = gettext_lazy("Take the second factor away")
    button = gettext_lazy("Take it away")
    lead = gettext_lazy("The next sign-in asks for the password alone.")
    is_grave = True

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done | HttpResponse:
        refusal = check_code(self.subject, typed["code"])
        if refusal:
            return self.refuse_code(refusal)
        with transaction.atomic():
            remove_second_factor(self.subject, actor, at)
        return Done(_("The second factor is taken away."), self.back_url())


def urls_of_accounts(model_admin: Any) -> list[URLPattern]:
    """Return the addresses of one's own account and of what is done to accounts."""
    wrap = model_admin.admin_site.admin_view

    def own(request: HttpRequest) -> HttpResponse:
        return own_account(request, model_admin)

    return [
        path("me/", wrap(own), name="own_account"),
        path(
            "me/second-factor/",
            wrap(SetUpSecondFactor.as_view(model_admin=model_admin)),
            name="set_up_second_factor",
        ),
        path(
            "<int:pk>/do/end-session/<slug:session>/",
            wrap(EndSession.as_view(model_admin=model_admin)),
            name="end_session",
        ),
    ]
