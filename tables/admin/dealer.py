"""Dealers, with the rounds they dealt last."""

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.admin.base import ReadOnlyAdmin
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url
from tables.models import Dealer, Round
from tables.templatetags.felt import badge, moment

ROWS_SHOWN = 20


@admin.register(Dealer)
class DealerAdmin(ReadOnlyAdmin):
    list_display = ("name", "reference")
    prefix_fields = ("reference", "name")
    no_filter_because = "a house has some dozens of dealers, who differ in nothing else"
    search_words = gettext_lazy("Name or reference starts with")
    empty_heading = gettext_lazy("No dealer yet")
    empty_words = gettext_lazy("A dealer appears when a table's feed says who takes the table.")

    def record(self, request: HttpRequest, found: Dealer) -> Record:
        rounds = []
        if self.may_see(request, "round"):
            newest = (
                Round.objects.filter(dealer=found)
                .select_related("table")
                .order_by("-betting_opened_at", "-id")
            )
            rounds = list(newest[:ROWS_SHOWN])
        sheet = Rows(
            _("Latest rounds"),
            [Column(_("Round")), Column(_("State")), Column(_("Betting opened"), True)],
            [
                (
                    link("round", one.pk, one.public_id, is_id=True),
                    badge("ROUND_STATES", one.status),
                    moment(one.betting_opened_at, one.table.zone),
                )
                for one in rounds
            ],
            empty=_("This dealer has dealt no round."),
            more=all_of(list_url("round", f"dealer={found.pk}")),
        )
        return Record(
            title=found.name,
            is_id=False,
            crumbs=[Crumb(_("Dealers"), list_url("dealer")), Crumb(found.name)],
            main=[sheet],
            side=[Facts(_("The dealer"), [Fact(_("Reference"), found.reference)])],
        )
