"""Reconciliations: our wallet messages against the wallet's own record, and each difference found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tables import words
from tables.admin.action_page import ActionForm, ActionPage, Done
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter, date_range_filter, related_filter
from tables.admin.panels import HeadButton
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url
from tables.house import house_zone
from tables.models import Reconciliation, WalletDrift
from tables.services.actors import Actor
from tables.services.reconciling import RECONCILE, request_reconciliation
from tables.templatetags.felt import difference, moment, state_badge, whole

DRIFT_SHOWN = 50
LOOK_AGAIN_SECONDS = "3"


class CompareNow(ActionPage):
    """Ask for a comparison."""

    permission = RECONCILE
    form_class = ActionForm
    title = gettext_lazy("Compare with the wallet")
    button = gettext_lazy("Compare now")
    lead = gettext_lazy(
        "The wallet's whole record is read and compared with what Bluecard says was delivered, both ways."
        " Nothing is changed: each difference is named for a person to look into."
    )

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("Reconciliation"), self.back_url())]

    def back_url(self) -> str:
        return list_url("reconciliation")

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        asked = request_reconciliation(actor=actor, at=at)
        url = reverse("admin:tables_reconciliation_change", args=[asked.pk])
        return Done(_("The comparison is asked for; this page follows it."), url)


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    list_display = ("asked", "state", "by", "ours", "theirs", "drift")
    list_filter = (date_range_filter("asked_at"),)
    no_search_because = "a comparison has no name, it is found by its day"
    list_lead = gettext_lazy("What Bluecard says was delivered against what the wallet says it booked.")
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("Never compared yet")
    empty_words = gettext_lazy("Once an hour, and whenever somebody asks, both records are compared.")

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(CompareNow.as_view(model_admin=self))
        return [path("do/compare/", page, name="tables_reconciliation_do_compare"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        buttons = []
        if request.user.has_perm(RECONCILE):
            url = reverse("admin:tables_reconciliation_do_compare")
            buttons.append(HeadButton(CompareNow.button, url, "scales", tone="main"))
        return super().changelist_view(request, {"head_buttons": buttons, **(extra_context or {})})

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show one comparison; while it is under way the page looks again by itself."""
        response = super().change_view(request, *args, **kwargs)
        found = getattr(response, "context_data", {}).get("original")
        if isinstance(found, Reconciliation) and found.finished_at is None:
            response["Refresh"] = LOOK_AGAIN_SECONDS
        return response

    @column(gettext_lazy("asked"))
    def asked(self, found: Reconciliation) -> SafeString:
        return moment(found.asked_at, house_zone().key)

    @column(gettext_lazy("state"))
    def state(self, found: Reconciliation) -> SafeString:
        return state_badge(words.RECONCILIATION_STATES[found.state])

    @column(gettext_lazy("asked by"))
    def by(self, found: Reconciliation) -> str:
        return found.asked_by

    @column(gettext_lazy("delivered here"), is_number=True)
    def ours(self, found: Reconciliation) -> str:
        return whole(found.ours_count)

    @column(gettext_lazy("booked there"), is_number=True)
    def theirs(self, found: Reconciliation) -> str:
        return whole(found.read_count)

    @column(gettext_lazy("differences"), is_number=True)
    def drift(self, found: Reconciliation) -> str:
        return whole(found.drift_count) if found.finished_at and not found.failure else "–"

    def record(self, request: HttpRequest, found: Reconciliation) -> Record:
        zone = house_zone().key
        facts = [
            Fact(_("Asked by"), found.asked_by),
            Fact(_("Asked"), moment(found.asked_at, zone)),
            Fact(_("Started"), moment(found.started_at, zone) or "–"),
            Fact(_("Last sign of life"), moment(found.seen_at, zone) or "–"),
            Fact(_("Finished"), moment(found.finished_at, zone) or "–"),
        ]
        counts = [
            Fact(_("Delivered here"), whole(found.ours_count)),
            Fact(_("Booked there, read so far"), whole(found.read_count)),
        ]
        if found.failure:
            counts.append(Fact(_("Why it failed"), found.failure))
        title = _("Comparison %(number)s") % {"number": found.pk}
        main: list[Any] = [Facts(_("Read"), counts)]
        if found.finished_at and not found.failure:
            main.insert(0, self._drift(request, found))
        return Record(
            title=title,
            is_id=False,
            crumbs=[Crumb(_("Reconciliation"), list_url("reconciliation")), Crumb(title)],
            badges=[state_badge(words.RECONCILIATION_STATES[found.state])],
            main=main,
            side=[Facts(_("The comparison"), facts)],
        )

    def _drift(self, request: HttpRequest, found: Reconciliation) -> Rows:
        shown = []
        if self.may_see(request, "walletdrift"):
            shown = list(WalletDrift.objects.filter(reconciliation=found).order_by("-pk")[:DRIFT_SHOWN])
        url = list_url("walletdrift", f"reconciliation={found.pk}")
        more = all_of(url) if shown else ""
        return Rows(
            _("Differences"),
            [
                Column(_("Key")),
                Column(_("How they differ")),
                Column(_("Ours"), True),
                Column(_("Theirs"), True),
            ],
            [
                (
                    name_of(one),
                    words.spoken(words.DRIFT_KINDS, one.kind),
                    difference(one.ours_minor, one.currency),
                    difference(one.theirs_minor, one.currency),
                )
                for one in shown
            ],
            note=ngettext("%(count)s difference", "%(count)s differences", found.drift_count)
            % {"count": whole(found.drift_count)},
            empty=_("Both records say the same."),
            more=more,
        )


@admin.register(WalletDrift)
class WalletDriftAdmin(ReadOnlyAdmin):
    list_display = ("key", "what", "ours", "theirs", "currency", "number_there")
    list_filter = (
        choice_filter(gettext_lazy("how they differ"), "kind", words.DRIFT_KINDS),
        related_filter(gettext_lazy("reconciliation"), "reconciliation"),
    )
    prefix_fields = ("key",)
    search_words = gettext_lazy("Key starts with")
    list_lead = gettext_lazy("Each key about which Bluecard's record and the wallet's own differ.")
    empty_heading = gettext_lazy("No difference was ever found")
    empty_words = gettext_lazy("Whatever a comparison with the wallet finds appears here.")

    @column(gettext_lazy("how they differ"))
    def what(self, found: WalletDrift) -> str:
        return words.spoken(words.DRIFT_KINDS, found.kind)

    @column(gettext_lazy("ours"), is_number=True)
    def ours(self, found: WalletDrift) -> SafeString:
        return difference(found.ours_minor, found.currency)

    @column(gettext_lazy("theirs"), is_number=True)
    def theirs(self, found: WalletDrift) -> SafeString:
        return difference(found.theirs_minor, found.currency)

    @column(gettext_lazy("number at the wallet"), is_number=True)
    def number_there(self, found: WalletDrift) -> str:
        return "" if found.number is None else whole(found.number)

    def record(self, request: HttpRequest, found: WalletDrift) -> Record:
        facts = [
            Fact(_("How they differ"), words.spoken(words.DRIFT_KINDS, found.kind)),
            Fact(_("Ours"), difference(found.ours_minor, found.currency) or "–"),
            Fact(_("Theirs"), difference(found.theirs_minor, found.currency) or "–"),
            Fact(_("Currency"), found.currency),
            Fact(_("Number at the wallet"), "–" if found.number is None else whole(found.number)),
            Fact(_("Wallet transaction"), name_of(found) if found.transaction_id else "–"),
        ]
        comparison = found.reconciliation
        title = _("Comparison %(number)s") % {"number": comparison.pk}
        return Record(
            title=found.key,
            crumbs=[
                Crumb(_("Reconciliation"), list_url("reconciliation")),
                Crumb(title, reverse("admin:tables_reconciliation_change", args=[comparison.pk])),
                Crumb(found.key),
            ],
            main=[Facts(_("The difference"), facts)],
        )


def name_of(found: WalletDrift) -> SafeString:
    """Write the key of a difference, with the way to our transaction where there is one."""
    if found.transaction_id is None:
        return format_html('<span class="bc-id">{}</span>', found.key)
    return link("wallettransaction", found.transaction_id, found.key, is_id=True)
