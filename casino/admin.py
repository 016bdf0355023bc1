"""Accounts: who may sign in, in which role, and what was done to them. Every change is a named action."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.plugins.otp_totp.models import TOTPDevice

from audit.words import ROLE_TITLES
from casino.account_pages import EnterPerson, urls_of_actions
from casino.accounts import MANAGE
from casino.own_account import sessions_sheet, urls_of_accounts
from casino.role_words import may_sheet
from casino.roles import ROLES
from casino.second_factor import device_of
from tables.admin.base import LONGEST_SEARCH, ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import ChoiceFilter, PresenceFilter
from tables.admin.object_timeline import timeline_url
from tables.admin.panels import HeadButton
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of
from tables.house import house_zone
from tables.journal_words import say_action
from tables.models import JournalEntry
from tables.queries.journal import data_of
from tables.queries.object_timeline import timeline_of
from tables.templatetags.felt import moment
from tables.words import spoken

# No page shows the key of a second factor, not even to a superuser.
admin.site.unregister([User, Group, TOTPDevice])


class RoleFilter(ChoiceFilter):
    """Filter by the role; an account may have several."""

    title = gettext_lazy("role")
    parameter_name = "role"
    column = "groups__name"
    words = {name: role.title for name, role in ROLES.items()}


class InUseFilter(PresenceFilter):
    """Filter by whether somebody may sign in."""

    title = gettext_lazy("in use")
    parameter_name = "in_use"
    words = {"yes": gettext_lazy("yes"), "no": gettext_lazy("no")}
    conditions = {"yes": {"is_active": True}, "no": {"is_active": False}}


class SecondFactorFilter(PresenceFilter):
    """Filter by whether a second factor is set up."""

    title = gettext_lazy("second factor")
    parameter_name = "second_factor"
    words = {"yes": gettext_lazy("set up"), "no": gettext_lazy("none")}
    conditions = {"yes": {"totpdevice__isnull": False}, "no": {"totpdevice__isnull": True}}


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("username", "full_name", "roles", "is_in_use", "seen")
    list_filter = (RoleFilter, InUseFilter, SecondFactorFilter)
    prefix_fields = ("username", "first_name", "last_name")
    search_words = gettext_lazy("Log-in or name")
    list_lead = gettext_lazy("Accounts and their roles. What each role may do is one table of permissions.")
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("No account yet")
    empty_words = gettext_lazy("Whoever works here gets an account of their own, and a role.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("groups")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find a name wherever the words stand in it: a house has some hundreds of accounts, not millions."""
        text = search_term.strip()
        if len(text) > LONGEST_SEARCH:
            return queryset.none(), False
        for word in text.split():
            found = Q()
            for name in self.prefix_fields:
                found |= Q(**{f"{name}__icontains": word})
            queryset = queryset.filter(found)
        return queryset, False

    def get_urls(self) -> list[URLPattern]:
        return [*urls_of_accounts(self), *urls_of_actions(self), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        buttons = []
        if request.user.has_perm(MANAGE):
            url = reverse("admin:account_enter")
            buttons = [HeadButton(EnterPerson.title, url, "people", tone="main")]
        context = {"title": _("Accounts"), "head_buttons": buttons, **(extra_context or {})}
        return super().changelist_view(request, context)

    @column(gettext_lazy("name"))
    def full_name(self, found: User) -> str:
        return found.get_full_name()

    @column(gettext_lazy("role"))
    def roles(self, found: User) -> str:
        return roles_of(found)

    @column(gettext_lazy("in use"))
    def is_in_use(self, found: User) -> str:
        return _("yes") if found.is_active else _("no")

    @column(gettext_lazy("last signed in"), is_number=True)
    def seen(self, found: User) -> SafeString:
        return moment(found.last_login, house_zone().key)

    def record(self, request: HttpRequest, found: User) -> Record:
        zone = house_zone().key
        may_manage = request.user.has_perm(MANAGE)
        may_read = may_manage or request.user.has_perm("tables.view_journaltext")
        facts = [
            Fact(_("Name"), found.get_full_name() or "–"),
            Fact(_("Role"), roles_of(found) or "–"),
            Fact(_("Person"), person_name(found) or _("none yet")),
            Fact(_("In use"), _("yes") if found.is_active else _("no")),
            Fact(_("Entered"), moment(found.date_joined, zone)),
            Fact(_("Last signed in"), moment(found.last_login, zone) or "–"),
            Fact(_("Second factor"), _("set up") if device_of(found) else _("none")),
        ]
        return Record(
            title=found.get_username(),
            is_id=False,
            crumbs=[Crumb(_("Accounts"), "../../"), Crumb(found.get_username())],
            main=[
                sessions_sheet(found, own_key=request.session.session_key, may_end=may_manage),
                history_sheet(found, with_texts=may_read, all_url=timeline_url(request, found)),
            ],
            side=[Facts(_("The account"), facts), may_sheet(found)],
        )


def history_sheet(found: User, *, with_texts: bool, all_url: str) -> Rows:
    """Describe what was done to an account lately: the journal's sentences, the newest first."""
    zone = house_zone().key
    told = timeline_of("user", found.pk, with_texts=with_texts)
    roles = roles_named(one.entry for one in told)
    rows = [
        [
            moment(one.at, zone),
            f"{say_action(one.action)}{roles.get(one.entry, '')}",
            one.actor,
            one.texts.get("reason", ""),
        ]
        for one in told
    ]
    columns = [Column(_("when")), Column(_("what")), Column(_("by")), Column(_("reason"))]
    more = all_of(all_url) if all_url else ""
    note = _("newest first")
    return Rows(_("What was done"), columns, rows, note=note, empty=_("Nothing yet."), more=more)


def roles_named(entries: Iterable[int]) -> dict[int, str]:
    """Return what to write behind the sentences of entries that are about a role."""
    about = JournalEntry.objects.filter(pk__in=list(entries), action__startswith="account.role_")
    return {entry.pk: f": {spoken(ROLE_TITLES, data_of(entry)['role'])}" for entry in about}


def person_name(user: User) -> str:
    """Name the person behind an account, if one is linked."""
    link = getattr(user, "person_account", None)
    return link.person.name if link else ""


def roles_of(user: User) -> str:
    """Name the roles of an account in the language of this request."""
    return ", ".join(str(ROLES[group.name].title) for group in user.groups.all() if group.name in ROLES)
