"""Keys of machines: which there are, one made with its secret shown once, one revoked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.action_page import ActionPage, Done
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import PresenceFilter, TableFilter
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact, Facts, Record, list_url, table_link
from tables.admin.table_forms import KeyForm, NothingForm
from tables.house import house_zone
from tables.models import ApiKey, GameTable
from tables.services.actors import Actor
from tables.services.api_keys import PERMISSION as MANAGE_KEYS
from tables.services.api_keys import Scope, make_api_key, revoke_api_key
from tables.services.setup import BadSetup
from tables.templatetags.felt import moment, state_badge

KEY_STATES = {
    False: words.State("done", "tick", gettext_lazy("Opens")),
    True: words.State("void", "struck", gettext_lazy("Revoked")),
}
SCOPES = {
    "feed:write": gettext_lazy("feed:write – send the table's feed"),
    "play:read": gettext_lazy("play:read – read rounds, shoes, bets and settlements"),
    "wallet:read": gettext_lazy("wallet:read – read the wallet's feed"),
    "incident:write": gettext_lazy("incident:write – report incidents"),
    "decisions:read": gettext_lazy("decisions:read – read what was decided"),
    "complaint:write": gettext_lazy("complaint:write – file complaints"),
    "complaint:read": gettext_lazy("complaint:read – read complaints, with what players said"),
    "proof:read": gettext_lazy("proof:read – read checkpoints and proofs"),
}


class MakeKey(ActionPage):
    """Make a key and show its text, once."""

    permission = MANAGE_KEYS
    form_class = KeyForm
    title = gettext_lazy("Make an API key")
    button = gettext_lazy("Make the key")
    lead = gettext_lazy("The key is shown once, on the next page. Nobody can read it again.")

    def form_options(self) -> dict[str, Any]:
        tables = GameTable.objects.order_by("code").values_list("code", "name")
        return {
            "tables": [(code, f"{code} – {name}") for code, name in tables],
            "scopes": [(scope.value, SCOPES.get(scope.value, scope.value)) for scope in Scope],
        }

    def initial(self) -> dict[str, Any]:
        return {"table": self.request.GET.get("table", "")}

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("API keys"), self.back_url())]

    def back_url(self) -> str:
        return list_url("apikey")

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> HttpResponse:
        table = GameTable.objects.get(code=typed["table"]) if typed["table"] else None
        key, text = make_api_key(
            label=typed["label"], table=table, scopes=typed["scopes"], actor=actor, at=at
        )
        context = {
            "title": _("The key is made"),
            "key": key,
            "secret": text,
            "key_url": reverse("admin:tables_apikey_change", args=[key.pk]),
        }
        return self.page("bluecard/table_actions/key_made.html", context)


class RevokeKey(ActionPage):
    """Revoke a key at once and for good."""

    permission = MANAGE_KEYS
    form_class = NothingForm
    title = gettext_lazy("Revoke the key")
    button = gettext_lazy("Revoke the key")
    lead = gettext_lazy("The machine that uses it is refused at once and for good; another key can be made.")
    is_grave = True
    subject: ApiKey

    def find_subject(self, **kwargs: Any) -> ApiKey:
        key = ApiKey.objects.select_related("table").filter(pk=kwargs["pk"]).first()
        if key is None:
            raise Http404("no such key")
        return key

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("API keys"), list_url("apikey")), Crumb(self.subject.label, self.back_url())]

    def facts(self) -> Sequence[Fact]:
        return facts_of(self.subject)

    def back_url(self) -> str:
        return reverse("admin:tables_apikey_change", args=[self.subject.pk])

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        if not revoke_api_key(key_id=self.subject.pk, actor=actor, at=at):
            raise BadSetup("", "api-key/revoked", "this key was revoked already; nothing was done")
        message = _("The key %(prefix)s (%(label)s) is revoked; it opens nothing any more.") % {
            "prefix": self.subject.prefix,
            "label": self.subject.label,
        }
        return Done(message, self.back_url())


class RevokedFilter(PresenceFilter):
    """Filter by whether a key still opens anything."""

    title = gettext_lazy("state")
    parameter_name = "revoked"
    words = {"no": KEY_STATES[False], "yes": KEY_STATES[True]}
    conditions = {"no": {"revoked_at__isnull": True}, "yes": {"revoked_at__isnull": False}}


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ("label", "prefix", "status_badge", "for_table", "opens", "made", "used")
    list_filter = (TableFilter, RevokedFilter)
    prefix_fields = ("prefix", "label")
    search_words = gettext_lazy("Beginning or label starts with")
    related = ("table",)
    list_zone_words = gettext_lazy("Times in the house's zone")
    list_lead = gettext_lazy(
        "Keys of machines: tables, platforms, the wallet. Only their beginning is kept to read."
    )
    empty_heading = gettext_lazy("No key yet")
    empty_words = gettext_lazy("A machine needs a key before it may send or read anything.")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("do/make/", wrap(MakeKey.as_view(model_admin=self)), name="tables_apikey_make"),
            path(
                "<int:pk>/do/revoke/", wrap(RevokeKey.as_view(model_admin=self)), name="tables_apikey_revoke"
            ),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        buttons = []
        if request.user.has_perm(MANAGE_KEYS):
            buttons = [HeadButton(MakeKey.title, reverse("admin:tables_apikey_make"), "key", tone="main")]
        return super().changelist_view(request, {"head_buttons": buttons, **(extra_context or {})})

    @column(gettext_lazy("state"))
    def status_badge(self, found: ApiKey) -> SafeString:
        return state_badge(KEY_STATES[found.revoked_at is not None])

    @column(gettext_lazy("table"))
    def for_table(self, found: ApiKey) -> SafeString | str:
        return table_link(found.table) if found.table else ""

    @column(gettext_lazy("opens"))
    def opens(self, found: ApiKey) -> str:
        return ", ".join(found.scopes)

    @column(gettext_lazy("made"), is_number=True)
    def made(self, found: ApiKey) -> SafeString:
        return moment(found.created_at, house_zone().key)

    @column(gettext_lazy("last used"), is_number=True)
    def used(self, found: ApiKey) -> SafeString | str:
        return moment(found.last_used_at, house_zone().key) or _("never")

    def record(self, request: HttpRequest, found: ApiKey) -> Record:
        return Record(
            title=found.label,
            is_id=False,
            crumbs=[Crumb(_("API keys"), list_url("apikey")), Crumb(found.label)],
            badges=[state_badge(KEY_STATES[found.revoked_at is not None])],
            main=[Facts(_("The key"), facts_of(found))],
        )


def facts_of(key: ApiKey) -> list[Fact]:
    """Say what may be known of a key."""
    zone = house_zone().key
    facts = [
        Fact(_("Label"), key.label),
        Fact(_("Begins with"), f"bc_{key.prefix}"),
        Fact(_("Table"), key.table.code if key.table else _("none: for the whole house")),
        Fact(_("Opens"), format_html_join("", "<div>{}</div>", ((SCOPES[one],) for one in key.scopes))),
        Fact(_("Made"), moment(key.created_at, zone)),
        Fact(_("Last used"), moment(key.last_used_at, zone) or _("never")),
    ]
    if key.revoked_at:
        facts.append(Fact(_("Revoked"), moment(key.revoked_at, zone)))
    return facts


def _buttons_of(request: HttpRequest, key: ApiKey) -> list[HeadButton]:
    if key.revoked_at is not None or not request.user.has_perm(MANAGE_KEYS):
        return []
    url = reverse("admin:tables_apikey_revoke", args=[key.pk])
    return [HeadButton(RevokeKey.title, url, "struck", tone="grave")]


add_head_buttons("apikey", _buttons_of)
