"""Notices: what each player was told of a decision, in both languages."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.models import Notice
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import related_filter
from tables.admin.record import Crumb, Fact, Facts, Prose, Record, link
from tables.queries.people import reference_of
from tables.templatetags.felt import difference, moment, with_currency


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    list_display = ("shown_player", "round_shown", "ruling_shown", "moved", "written")
    list_filter = (
        related_filter(gettext_lazy("ruling"), "ruling"),
        related_filter(gettext_lazy("round"), "round"),
        related_filter(gettext_lazy("player"), "player"),
    )
    prefix_fields = ("ruling__number",)
    search_words = gettext_lazy("Ruling starts with")
    newest_by = ("id",)
    related = ("player__identity", "round__table", "ruling")
    list_lead = gettext_lazy("What players were told of decisions about their bets, newest first.")
    empty_heading = gettext_lazy("No player was told anything yet")
    empty_words = gettext_lazy("A notice is written with the money of every ruling, one for each player.")

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("player"))
    def shown_player(self, found: Notice) -> str:
        return reference_of(found.player)

    @column(gettext_lazy("round"))
    def round_shown(self, found: Notice) -> SafeString:
        return link("round", found.round_id, found.round.public_id, is_id=True)

    @column(gettext_lazy("ruling"))
    def ruling_shown(self, found: Notice) -> SafeString:
        return ruling_link(found.ruling)

    @column(gettext_lazy("moved"), is_number=True)
    def moved(self, found: Notice) -> SafeString:
        currency = found.round.table.currency
        return with_currency(difference(found.moved_minor, currency), currency)

    @column(gettext_lazy("written"), is_number=True)
    def written(self, found: Notice) -> SafeString:
        return moment(found.created_at, found.round.table.zone)

    def record(self, request: HttpRequest, found: Notice) -> Record:
        player = reference_of(found.player)
        facts = [
            Fact(_("Round"), link("round", found.round_id, found.round.public_id, is_id=True)),
            Fact(_("Ruling"), ruling_link(found.ruling)),
            Fact(_("Moved"), self.moved(found)),
            Fact(_("Written"), moment(found.created_at, found.round.table.zone)),
        ]
        return Record(
            title=_("Notice to %(player)s") % {"player": player},
            is_id=False,
            crumbs=[Crumb(_("Notices"), reverse("admin:audit_notice_changelist")), Crumb(player)],
            main=[Prose(_("In English"), found.text_en), Prose(_("In Thai"), found.text_th)],
            side=[Facts(_("What it is about"), facts)],
        )


def ruling_link(ruling: Any) -> SafeString:
    """Link to a ruling by its number."""
    url = reverse("admin:audit_ruling_change", args=[ruling.pk])
    return format_html('<a class="bc-link bc-id" href="{}">{}</a>', url, ruling.number)
