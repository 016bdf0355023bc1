"""The pages on which a change of the set-up is asked for: thresholds, persons, roles, rulebooks."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

from django import forms
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.admin.choosing import account_field, person_field, table_field
from audit.admin.setup_words import asked_for, role_title
from audit.models import ChangeKind
from audit.queries.persons import NoPerson
from audit.services.setup_changes import REQUEST, request_change
from tables.admin.action_page import ActionForm, ActionPage, Done
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact
from tables.house import house_zone
from tables.models import GameTable
from tables.rules.currencies import read_money, write_money
from tables.services.actors import Actor
from tables.services.setup import BadSetup
from tables.templatetags.felt import money


def reason_field() -> forms.CharField:
    """Make the field that every request has."""
    return forms.CharField(label=gettext_lazy("Reason"), max_length=2000, widget=forms.Textarea({"rows": 3}))


class ThresholdsForm(ActionForm):
    """The two sums, typed in whole units of the table's currency."""

    service_names: ClassVar[Mapping[str, str]] = {
        "second_person_minor": "second",
        "sign_in_again_minor": "again",
    }

    table = forms.ChoiceField(label=gettext_lazy("Table"))
    second = forms.CharField(
        label=gettext_lazy("Two persons above"),
        max_length=30,
        widget=forms.TextInput({"inputmode": "decimal"}),
        help_text=gettext_lazy("Sums a person decides alone on a day count together."),
    )
    again = forms.CharField(
        label=gettext_lazy("Sign in again above"),
        max_length=30,
        widget=forms.TextInput({"inputmode": "decimal"}),
    )
    reason = reason_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["table"] = table_field()

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        table = GameTable.objects.filter(pk=typed["table"]).first() if "table" in typed else None
        for name in ("second", "again"):
            if name not in typed or table is None:
                continue
            try:
                typed[name] = read_money(typed[name], table.currency)
            except ValueError as error:
                self.add_error(name, ValidationError(str(error), code="money/form"))
        return typed


class PersonLinkForm(ActionForm):
    """An account, and the person who uses it: one who is known, or a new one."""

    service_names: ClassVar[Mapping[str, str]] = {"person": "name"}

    user = forms.ChoiceField(label=gettext_lazy("Account"))
    person = forms.ChoiceField(label=gettext_lazy("Person"), required=False)
    name = forms.CharField(
        label=gettext_lazy("Name of a new person"), max_length=200, required=False, strip=True
    )
    reason = reason_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["user"], self.fields["person"] = account_field(), person_field()


class RoleForm(ActionForm):
    user = forms.ChoiceField(label=gettext_lazy("Account"))
    group = forms.ChoiceField(label=gettext_lazy("Role"))
    reason = reason_field()

    def __init__(self, *args: Any, groups: Sequence[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["user"] = account_field()
        self.fields["group"].choices = groups  # type: ignore[attr-defined]


class RulebookForm(ActionForm):
    service_names: ClassVar[Mapping[str, str]] = {"effective_from": "effective"}

    document = forms.CharField(
        label=gettext_lazy("Document"),
        widget=forms.Textarea({"rows": 14, "spellcheck": "false", "class": "bc-input bc-mono"}),
        help_text=gettext_lazy("The whole rulebook, as “rulebook check” accepts it."),
    )
    effective = forms.DateTimeField(
        label=gettext_lazy("Effective from"),
        widget=forms.DateTimeInput({"type": "datetime-local", "step": "60"}, format="%Y-%m-%dT%H:%M"),
    )
    reason = reason_field()


class AskForChange(ActionPage):
    """A request for one change; nothing changes until another person approves it."""

    permission = REQUEST
    kind: ClassVar[ChangeKind]
    button = gettext_lazy("Ask for this change")
    lead = gettext_lazy("Nothing changes until another person approves it. A request waits for a day.")

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("Changes of the set-up"), self.back_url())]

    def back_url(self) -> str:
        return reverse("admin:audit_setupchange_changelist")

    def payload(self, typed: dict[str, Any]) -> dict[str, Any]:
        """Write what was typed as the service wants it."""
        raise NotImplementedError

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        user: Any = self.request.user
        try:
            change = request_change(
                kind=self.kind,
                payload=self.payload(typed),
                reason=typed["reason"],
                user=user,
                actor=actor,
                at=at,
            )
        except NoPerson as error:
            raise BadSetup("", "person/none", str(error)) from error
        url = reverse("admin:audit_setupchange_change", args=[change.pk])
        return Done(asked_for(change), url)


class AskForThresholds(AskForChange):
    kind = ChangeKind.THRESHOLDS
    form_class = ThresholdsForm
    title = gettext_lazy("Change thresholds")

    def initial(self) -> dict[str, Any]:
        table = self._table()
        if table is None:
            return {}
        sums = {"second": table.second_person_minor, "again": table.sign_in_again_minor}
        return {"table": table.pk, **{name: write_money(sum_, table.currency) for name, sum_ in sums.items()}}

    def facts(self) -> Sequence[Fact]:
        table = self._table()
        if table is None:
            return []
        now = [money(sum_, table.currency) for sum_ in (table.second_person_minor, table.sign_in_again_minor)]
        return [
            Fact(_("Table"), f"{table.code} · {table.name}"),
            Fact(_("Two persons above"), now[0]),
            Fact(_("Sign in again above"), now[1]),
        ]

    def _table(self) -> GameTable | None:
        key = self.request.GET.get("table", "")
        return GameTable.objects.filter(pk=int(key)).first() if key.isdecimal() and len(key) < 19 else None

    def payload(self, typed: dict[str, Any]) -> dict[str, Any]:
        return {
            "table": int(typed["table"]),
            "second_person_minor": typed["second"],
            "sign_in_again_minor": typed["again"],
        }


class AskForPersonLink(AskForChange):
    kind = ChangeKind.PERSON_LINK
    form_class = PersonLinkForm
    title = gettext_lazy("Link an account to a person")

    def payload(self, typed: dict[str, Any]) -> dict[str, Any]:
        known = {"person": int(typed["person"])} if typed["person"] else {}
        return {"user": int(typed["user"]), "name": typed["name"], **known}


class AskForRole(AskForChange):
    kind = ChangeKind.ROLE
    form_class = RoleForm
    title = gettext_lazy("Give a role")

    def form_options(self) -> dict[str, Any]:
        groups = Group.objects.order_by("name")
        return {"groups": [(str(one.pk), role_title(one.name)) for one in groups]}

    def payload(self, typed: dict[str, Any]) -> dict[str, Any]:
        return {"user": int(typed["user"]), "group": int(typed["group"])}


class AskForRulebook(AskForChange):
    kind = ChangeKind.RULEBOOK
    form_class = RulebookForm
    title = gettext_lazy("Publish a rulebook")

    def payload(self, typed: dict[str, Any]) -> dict[str, Any]:
        effective = typed["effective"].replace(tzinfo=house_zone())
        return {"document": typed["document"], "effective_from": effective.isoformat()}


ASKS: Final[dict[ChangeKind, type[AskForChange]]] = {
    page.kind: page for page in (AskForThresholds, AskForPersonLink, AskForRole, AskForRulebook)
}


def asks_allowed(request: HttpRequest) -> list[HeadButton]:
    """List the changes this person may ask for, as buttons over the list."""
    if not request.user.has_perm(REQUEST):
        return []
    return [
        HeadButton(
            page.title, reverse(f"admin:audit_setupchange_{kind.value}"), words.CHANGE_ICONS[kind.value]
        )
        for kind, page in ASKS.items()
    ]


def thresholds_button(request: HttpRequest, found: GameTable) -> list[HeadButton]:
    """Offer to change the thresholds of a table."""
    if not request.user.has_perm(REQUEST):
        return []
    url = f"{reverse('admin:audit_setupchange_thresholds')}?table={found.pk}"
    return [HeadButton(AskForThresholds.title, url, "chips")]


add_head_buttons("gametable", thresholds_button)
