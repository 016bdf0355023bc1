"""Feed events: what each table sent, accepted or refused."""

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
from tables.admin.filters import TableFilter, choice_filter, date_range_filter, related_filter
from tables.admin.record import Crumb, Fact, Facts, Prose, Record, link, list_url, table_link
from tables.models import FeedEvent
from tables.refusal_words import error_words
from tables.templatetags.felt import moment, state_badge, whole

BODY_SHOWN = 20_000


@admin.register(FeedEvent)
class FeedEventAdmin(ReadOnlyAdmin):
    list_display = ("event_id", "type_name", "state", "table_code", "number", "round_name", "why", "received")
    list_filter = (
        date_range_filter("received_at"),
        TableFilter,
        choice_filter(gettext_lazy("state"), "status", words.EVENT_STATES),
        related_filter(gettext_lazy("round"), "round"),
    )
    prefix_fields = ("round__public_id",)
    search_words = gettext_lazy("Round ID starts with")
    newest_by = ("received_at", "id")
    related = ("table", "round")
    list_lead = gettext_lazy("Every event a table sent, once. A refused one keeps its sequence number.")
    empty_heading = gettext_lazy("No event has come in")
    empty_words = gettext_lazy(
        "Tables send events to the API with a key of their own; files are read by “ingest”."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        queryset = super().get_queryset(request)
        is_list = request.resolver_match is not None and "changelist" in (
            request.resolver_match.url_name or ""
        )
        return queryset.defer("body") if is_list else queryset

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("type"))
    def type_name(self, found: FeedEvent) -> str:
        return words.spoken(words.EVENT_TYPES, found.type)

    @column(gettext_lazy("state"))
    def state(self, found: FeedEvent) -> SafeString:
        return state_badge(words.EVENT_STATES[found.status])

    @column(gettext_lazy("table"))
    def table_code(self, found: FeedEvent) -> str:
        return found.table.code

    @column(gettext_lazy("sequence number"), is_number=True)
    def number(self, found: FeedEvent) -> str:
        return whole(found.seq)

    @column(gettext_lazy("round"))
    def round_name(self, found: FeedEvent) -> SafeString | str:
        return link("round", found.round_id, found.round.public_id, is_id=True) if found.round else ""

    @column(gettext_lazy("refused because"))
    def why(self, found: FeedEvent) -> SafeString | str:
        return error_words(found.error, 100) if found.error else ""

    @column(gettext_lazy("received"), is_number=True)
    def received(self, found: FeedEvent) -> SafeString:
        return moment(found.received_at, found.table.zone)

    def record(self, request: HttpRequest, found: FeedEvent) -> Record:
        zone = found.table.zone
        facts = [
            Fact(_("Table"), table_link(found.table)),
            Fact(_("Type"), f"{words.spoken(words.EVENT_TYPES, found.type)} ({found.type})"),
            Fact(_("Sequence number"), whole(found.seq)),
            Fact(_("Time at the table"), moment(found.at, zone) or "–"),
            Fact(_("Received"), moment(found.received_at, zone)),
        ]
        if found.is_late:
            facts.append(Fact(_("Late"), _("yes")))
        if found.round:
            facts.append(Fact(_("Round"), link("round", found.round_id, found.round.public_id, is_id=True)))
        if found.supersedes:
            facts.append(Fact(_("Supersedes"), found.supersedes))
        if found.error:
            facts.append(Fact(_("Refused because"), error_words(found.error)))
        body = bytes(found.body).decode(errors="replace")
        note = (
            _("the first %(count)s characters") % {"count": whole(BODY_SHOWN)}
            if len(body) > BODY_SHOWN
            else ""
        )
        return Record(
            title=found.event_id,
            crumbs=[Crumb(_("Feed events"), list_url("feedevent")), Crumb(found.event_id)],
            badges=[state_badge(words.EVENT_STATES[found.status])],
            main=[Prose(_("The event as it came"), body[:BODY_SHOWN] or "–", note=note)],
            side=[
                Facts(_("The event"), facts),
                Prose(_("SHA-256 of the body"), bytes(found.body_hash).hex()),
            ],
        )
