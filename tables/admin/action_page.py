"""A page for one named action of a person: GET shows what will be done, POST does it by calling one service.

A refusal names the field and the rule, and nothing that was typed is lost. What was done is said afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.views import View

from tables.admin.record import Crumb, Fact
from tables.models import IllegalTransition
from tables.refusal_words import rule_words
from tables.services.actors import Actor, NotAllowed
from tables.services.dead_letters import CannotMend
from tables.services.play import PlayRefused
from tables.services.setup import BadSetup

Words = str | Promise
PLAIN_FIELDS = (forms.CheckboxInput, forms.CheckboxSelectMultiple, forms.HiddenInput)


class ActionForm(forms.Form):
    """A form in our clothes. It reads what was typed; the rules are the service's."""

    #: What a service calls a field, where that is not our name for it.
    service_names: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, PLAIN_FIELDS):
                field.widget.attrs.setdefault("class", "bc-input")
                field.widget.attrs.setdefault("autocomplete", "off")

    def refuse(self, service_field: str, rule: str, message: str) -> None:
        """Put a service's refusal to the field it is about."""
        name = self.service_names.get(service_field, service_field)
        self.add_error(name if name in self.fields else None, ValidationError(message, code=rule))

    def put_focus(self) -> None:
        """Put the cursor into the first field that will not do, else into the first one."""
        shown = [name for name, field in self.fields.items() if not field.widget.is_hidden]
        wrong = [name for name in shown if name in self.errors] if self.is_bound else []
        for name in (wrong or shown)[:1]:
            self.fields[name].widget.attrs["autofocus"] = True


class Problem(NamedTuple):
    """Why something was refused: the field, the rule in words, what exactly, and the rule's name."""

    label: Words
    target: str
    words: Words
    detail: str
    rule: str


class Row(NamedTuple):
    """A field of a form with what is wrong in it."""

    field: forms.BoundField
    problems: Sequence[Problem]


class Done(NamedTuple):
    """What an action did, and where to see it."""

    message: str
    url: str
    is_doubtful: bool = False


class ActionPage(View):
    """The page of one action on one subject."""

    http_method_names = ["get", "head", "post"]
    model_admin: Any = None
    permission: ClassVar[str]
    form_class: ClassVar[type[ActionForm]]
    title: ClassVar[Words]
    lead: ClassVar[Words] = ""
    button: ClassVar[Words]
    is_grave: ClassVar[bool] = False
    template: ClassVar[str] = "bluecard/table_actions/form.html"
    subject: Any = None

    # --- What an action says about itself ---------------------------------------------------------------

    def find_subject(self, **kwargs: Any) -> Any:
        """Find what the action is about."""
        return None

    def form_options(self) -> dict[str, Any]:
        """Give what the form needs to know, such as choices."""
        return {}

    def initial(self) -> dict[str, Any]:
        """Give what stands in the form before anything is typed."""
        return {}

    def crumbs(self) -> Sequence[Crumb]:
        raise NotImplementedError

    def facts(self) -> Sequence[Fact]:
        """Say what is the case now."""
        return ()

    def back_url(self) -> str:
        raise NotImplementedError

    def extra_context(self, form: ActionForm) -> dict[str, Any]:
        return {}

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done | HttpResponse:
        """Do it by calling one service; return what to say, or a page of its own."""
        raise NotImplementedError

    # --- How it goes --------------------------------------------------------------------------------------

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.require_permission(request)
        self.subject = self.find_subject(**kwargs)
        return super().dispatch(request, *args, **kwargs)

    @classmethod
    def require_permission(cls, request: HttpRequest) -> None:
        if not request.user.has_perm(cls.permission):
            raise PermissionDenied

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        return self.show(self.form_class(initial=self.initial(), **self.form_options()))

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        form = self.form_class(request.POST, **self.form_options())
        if not form.is_valid():
            return self.show(form, status=400)
        try:
            done = self.act(form.cleaned_data, Actor.of_user(request.user), datetime.now(UTC))
        except NotAllowed as error:
            raise PermissionDenied from error
        except (PlayRefused, BadSetup, CannotMend) as refusal:
            form.refuse(refusal.field, refusal.rule, refusal.message)
            return self.show(form, status=400)
        except IllegalTransition as refusal:
            form.refuse("", "round/states", str(refusal))
            return self.show(form, status=409)
        if isinstance(done, HttpResponse):
            return done
        (messages.warning if done.is_doubtful else messages.success)(request, done.message)
        return HttpResponseRedirect(done.url)

    def show(self, form: ActionForm, status: int = 200) -> HttpResponse:
        form.put_focus()
        rows = [Row(field, problems_of(form, field.name)) for field in form.visible_fields()]
        hidden = [problem for field in form.hidden_fields() for problem in problems_of(form, field.name)]
        context = {
            "form": form,
            "rows": rows,
            "problems": [*hidden, *problems_of(form, ""), *(each for row in rows for each in row.problems)],
            "lead": self.lead,
            "facts": self.facts(),
            "button": self.button,
            "is_grave": self.is_grave,
            "back_url": self.back_url(),
            **self.extra_context(form),
        }
        return self.page(self.template, context, status)

    def page(self, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
        """Draw a page in our frame that no cache keeps."""
        site = self.model_admin.admin_site
        frame = {
            **site.each_context(self.request),
            "title": self.title,
            "opts": self.model_admin.opts,
            "crumbs": [*self.crumbs(), Crumb(self.title)],
        }
        response = TemplateResponse(self.request, template, {**frame, **context}, status=status)
        add_never_cache_headers(response)
        return response


def problems_of(form: ActionForm, name: str) -> list[Problem]:
    """List what is wrong with a field; without a name, what is wrong with none of them."""
    label: Words = form.fields[name].label or name if name else ""
    target = form[name].auto_id if name and not form[name].is_hidden else ""
    found = form.errors.as_data().get(name or "__all__", []) if form.is_bound else []
    problems = []
    for error in found:
        rule = str(error.code or "invalid")
        is_ours = "/" in rule  # Django's own words are translated already
        detail = " ".join(str(message) for message in error.messages)
        problems.append(
            Problem(label, target, rule_words(rule), detail, rule)
            if is_ours
            else Problem(label, target, detail, "", f"form/{rule}")
        )
    return problems
