"""Published rulebooks: each version as it stands for ever."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.record import Column, Crumb, Fact, Facts, Prose, Record, Rows, list_url, table_link
from tables.house import house_zone
from tables.models import GameTable, Rulebook
from tables.templatetags.felt import moment


@admin.register(Rulebook)
class RulebookAdmin(ReadOnlyAdmin):
    list_display = ("code", "version", "effective", "published", "short_hash")
    prefix_fields = ("code",)
    search_words = gettext_lazy("Rulebook starts with")
    list_lead = gettext_lazy(
        "A published version never changes; a round keeps the version it was played under."
    )
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("No rulebook is published")
    empty_words = gettext_lazy(
        "Check a document with “rulebook check” and publish it with “rulebook publish”."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        queryset = super().get_queryset(request)
        is_list = request.resolver_match is not None and "changelist" in (
            request.resolver_match.url_name or ""
        )
        return queryset.defer("document") if is_list else queryset

    @column(gettext_lazy("effective from"), is_number=True)
    def effective(self, found: Rulebook) -> SafeString:
        return moment(found.effective_from, house_zone().key)

    @column(gettext_lazy("published"), is_number=True)
    def published(self, found: Rulebook) -> SafeString:
        return moment(found.published_at, house_zone().key)

    @column(gettext_lazy("SHA-256"))
    def short_hash(self, found: Rulebook) -> str:
        return found.content_hash[:12] + "…"

    def record(self, request: HttpRequest, found: Rulebook) -> Record:
        title = _("%(code)s, version %(version)s") % {"code": found.code, "version": found.version}
        zone = house_zone().key
        facts = [
            Fact(_("Effective from"), moment(found.effective_from, zone)),
            Fact(_("Published"), moment(found.published_at, zone)),
        ]
        tables = GameTable.objects.filter(rulebook=found).order_by("code")
        return Record(
            title=title,
            is_id=False,
            crumbs=[Crumb(_("Rulebooks"), list_url("rulebook")), Crumb(title)],
            main=[Prose(_("The document"), found.document)],
            side=[
                Facts(_("The version"), facts),
                Prose(_("SHA-256 of the document"), found.content_hash),
                Rows(
                    _("In force at"),
                    [Column(_("Table")), Column(_("Name"))],
                    [(table_link(table), table.name) for table in tables],
                    empty=_("No table plays by this version now."),
                ),
            ],
        )
