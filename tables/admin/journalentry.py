"""The journal: every business event, as it was written in its own transaction."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import ChoiceFilter, date_range_filter, related_filter
from tables.admin.object_timeline import timeline_page
from tables.admin.record import Crumb, Fact, Facts, Prose, Record, link, list_url
from tables.house import house_zone
from tables.journal_words import say_action
from tables.models import GameTable, JournalEntry, Round, Shoe
from tables.queries.journal import texts_of
from tables.templatetags.felt import moment

SUBJECTS = {
    "round": gettext_lazy("round"),
    "shoe": gettext_lazy("shoe"),
    "gametable": gettext_lazy("table"),
    "rulebook": gettext_lazy("rulebook"),
    "settlement": gettext_lazy("settlement"),
    "apikey": gettext_lazy("API key"),
    "wallettransaction": gettext_lazy("wallet transaction"),
}


#: Things that people name, by the column that holds the name.
NAMED: tuple[tuple[type[Model], str], ...] = (
    (Round, "public_id"),
    (Shoe, "public_id"),
    (GameTable, "code"),
)


class SubjectFilter(ChoiceFilter):
    """Say of which kind the subject is that a link names: by itself no index would serve it."""

    is_hidden = True
    title = gettext_lazy("subject")
    parameter_name = "subject_type"
    column = "subject_type"
    words = SUBJECTS


@admin.register(JournalEntry)
class JournalEntryAdmin(ReadOnlyAdmin):
    list_display = ("action", "subject", "actor", "number", "when")
    list_filter = (
        date_range_filter("at"),
        SubjectFilter,
        related_filter(gettext_lazy("subject"), "subject_id"),
    )
    prefix_fields = ("id",)
    search_words = gettext_lazy("Number of an entry, or ID of a round, a shoe or a table")
    newest_by = ("at", "id")
    list_lead = gettext_lazy("One entry for every business event, written with it and never changed.")
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("The journal is empty")
    empty_words = gettext_lazy("Whatever a service changes, it writes here in the same transaction.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        queryset = super().get_queryset(request)
        is_list = request.resolver_match is not None and "changelist" in (
            request.resolver_match.url_name or ""
        )
        return queryset.defer("body") if is_list else queryset

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find an entry by its number, or what was written of one thing: each by an index."""
        text = search_term.strip().upper()
        if not text:
            return queryset, False
        number = text.replace(",", "")
        if number.isascii() and number.isdigit():
            return (queryset.filter(pk=int(number)) if len(number) < 19 else queryset.none()), False
        for model, name in NAMED:
            key = model._default_manager.filter(**{name: text}).values_list("pk", flat=True).first()
            if key is not None:
                return queryset.filter(subject_type=model._meta.model_name, subject_id=key), False
        return queryset.none(), False

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        of = path("of/<slug:kind>/<int:pk>/", wrap(self.timeline), name="tables_journalentry_of")
        return [of, *super().get_urls()]

    def timeline(self, request: HttpRequest, kind: str, pk: int) -> HttpResponse:
        """Show all that the journal says of one thing."""
        return timeline_page(self, request, kind, pk)

    @column(gettext_lazy("subject"))
    def subject(self, found: JournalEntry) -> SafeString | str:
        return subject_link(found)

    @column(gettext_lazy("actor"))
    def actor(self, found: JournalEntry) -> str:
        return f"{found.actor_kind} {found.actor_id}"

    @column(gettext_lazy("entry"), is_number=True)
    def number(self, found: JournalEntry) -> str:
        return f"{found.pk:,}"

    @column(gettext_lazy("time"), is_number=True)
    def when(self, found: JournalEntry) -> SafeString:
        return moment(found.at, house_zone().key)

    def record(self, request: HttpRequest, found: JournalEntry) -> Record:
        number = f"{found.pk:,}"
        facts = [
            Fact(_("Entry"), number),
            Fact(_("Action"), found.action),
            Fact(_("Subject"), subject_link(found)),
            Fact(_("Actor"), f"{found.actor_kind} {found.actor_id}"),
            Fact(_("Time"), moment(found.at, house_zone().key)),
            Fact(_("Request"), found.request_id or "–"),
        ]
        return Record(
            title=say_action(found.action),
            is_id=False,
            crumbs=[
                Crumb(_("Journal"), list_url("journalentry")),
                Crumb(_("Entry %(number)s") % {"number": number}),
            ],
            main=[
                Prose(
                    _("Canonical body"),
                    bytes(found.body).decode(errors="replace"),
                    note=_("what the hash commits to"),
                ),
                *_texts(request, found),
                Prose(_("Leaf hash"), bytes(found.leaf_hash).hex(), note="SHA-256"),
            ],
            side=[Facts(_("The entry"), facts)],
        )


def _texts(request: HttpRequest, found: JournalEntry) -> list[Facts]:
    """Show the free texts that the entry committed to, as far as they were not erased."""
    if not request.user.has_perm("tables.view_journaltext"):
        return []
    texts = texts_of(found)
    facts = [Fact(name, text) for name, text in texts.items()]
    return [Facts(_("Texts"), facts, note=_("kept apart, can be erased"))] if facts else []


def subject_link(found: JournalEntry) -> SafeString | str:
    """Link to what an entry is about, where it has a page."""
    try:
        return link(found.subject_type, found.subject_id, found.subject_label, is_id=True)
    except NoReverseMatch:
        return found.subject_label
