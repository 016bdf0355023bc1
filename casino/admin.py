"""Accounts: who may sign in, in which role. Shown, never edited: a role that decides takes two persons."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.plugins.otp_totp.models import TOTPDevice

from casino.own_account import MANAGE, RemoveSecondFactor, sessions_sheet, urls_of_accounts
from casino.roles import ROLES
from casino.second_factor import device_of
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact, Facts, Record
from tables.house import house_zone
from tables.templatetags.felt import moment

# No page shows the key of a second factor, not even to a superuser.
admin.site.unregister([User, Group, TOTPDevice])


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("username", "full_name", "roles", "is_in_use", "seen")
    prefix_fields = ("username",)
    search_words = gettext_lazy("Log-in starts with")
    list_lead = gettext_lazy("Accounts and their roles. What each role may do is one table of permissions.")
    list_zone_words = gettext_lazy("Times in the house's zone")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("groups")

    def get_urls(self) -> list[URLPattern]:
        return [*urls_of_accounts(self), *super().get_urls()]

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
        facts = [
            Fact(_("Name"), found.get_full_name() or "–"),
            Fact(_("Role"), roles_of(found) or "–"),
            Fact(_("In use"), _("yes") if found.is_active else _("no")),
            Fact(_("Entered"), moment(found.date_joined, zone)),
            Fact(_("Last signed in"), moment(found.last_login, zone) or "–"),
            Fact(_("Second factor"), _("set up") if device_of(found) else _("none")),
        ]
        may = [Fact(code, _("yes")) for code in sorted(found.get_all_permissions())]
        return Record(
            title=found.get_username(),
            is_id=False,
            crumbs=[Crumb(_("Accounts"), "../../"), Crumb(found.get_username())],
            main=[
                sessions_sheet(
                    found, own_key=request.session.session_key, may_end=request.user.has_perm(MANAGE)
                ),
                Facts(_("What it may do"), may or [Fact(_("Nothing"), "–")]),
            ],
            side=[Facts(_("The account"), facts)],
        )


def _buttons_of(request: HttpRequest, found: User) -> list[HeadButton]:
    if not request.user.has_perm(MANAGE) or device_of(found) is None:
        return []
    url = reverse("admin:remove_second_factor", args=[found.pk])
    return [HeadButton(RemoveSecondFactor.title, url, "struck", tone="grave")]


add_head_buttons("user", _buttons_of)


def roles_of(user: User) -> str:
    """Name the roles of an account in the language of this request."""
    return ", ".join(str(ROLES[group.name].title) for group in user.groups.all() if group.name in ROLES)
