"""Published rulebooks: each version as it stands for ever, what its bets are worth, what it changed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.record import Crumb, list_url
from tables.house import house_zone
from tables.models import GameTable, Rulebook
from tables.queries.rulebook_page import Version, history_of, read_rulebook_page
from tables.templatetags.felt import moment, spoken_language, state_badge, version_words


@admin.register(Rulebook)
class RulebookAdmin(ReadOnlyAdmin):
    list_display = ("code", "version", "effective", "published", "short_hash")
    prefix_fields = ("code",)
    no_filter_because = "a house has some versions of some rulebooks: fewer than a page"
    search_words = gettext_lazy("Rulebook starts with")
    record_template = "bluecard/rulebook.html"
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

    def page_context(self, request: HttpRequest, found: Rulebook) -> dict[str, Any]:
        title = version_words(found)
        page = read_rulebook_page(found.pk)
        versions = history_of(found.code)
        tables = (
            GameTable.objects.filter(rulebook__code=found.code).order_by("code")
            if self.may_see(request, "gametable")
            else GameTable.objects.none()
        )
        return {
            "rulebook": found,
            "page": page,
            "own_title": page.rules.title.in_language(spoken_language()),
            "other_title": page.rules.title.en if spoken_language() == "th" else page.rules.title.th,
            "crumbs": [Crumb(_("Rulebooks"), list_url("rulebook")), Crumb(title)],
            "zone": house_zone().key,
            "versions": versions,
            "changes": next(one.changes for one in versions if one.rulebook.pk == found.pk),
            "badge": standing_of(found, versions, datetime.now(UTC)),
            "tables": list(tables),
        }


def standing_of(rulebook: Rulebook, versions: list[Version], now: datetime) -> SafeString:
    """Show whether a version is in force, comes later or is past."""
    begun = [one.rulebook for one in versions if one.rulebook.effective_from <= now]
    in_force = max(begun, key=lambda one: (one.effective_from, one.version), default=None)
    if in_force is not None and in_force.pk == rulebook.pk:
        return state_badge(words.VERSION_STATES["in_force"])
    return state_badge(words.VERSION_STATES["later" if rulebook.effective_from > now else "past"])
