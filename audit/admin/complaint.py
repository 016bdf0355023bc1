"""Complaints: the list by time left, the page of one, its verbs, and the way to take another down."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Case, F, Q, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import complaint_words as words
from audit.admin.complaint_intake import intake_page
from audit.admin.complaint_page import SAID, Redone, do_verb, page_context
from audit.admin.consent_filter import ConsentFilter
from audit.admin.frame import draw
from audit.models import RUNNING_STATUSES, Complaint
from audit.templatetags.complaints import complaint_state, escalated_badge, left_badge
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import (
    ChoiceFilter,
    TableFilter,
    choice_filter,
    date_range_filter,
    related_filter,
)
from tables.admin.panels import HeadButton
from tables.admin.record import link
from tables.house import house_zone
from tables.templatetags.felt import moment

RUNNING = [status.value for status in RUNNING_STATUSES]


class AnswerFilter(ChoiceFilter):
    """Filter by whether a complaint still waits for its answer, in whichever of those states."""

    title = gettext_lazy("answer")
    parameter_name = "answer"
    words: ClassVar = {"waits": gettext_lazy("waits for it"), "done": gettext_lazy("needs none any more")}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        waits = Q(status__in=RUNNING, answered_at__isnull=True)
        match self.value():
            case "waits":
                return queryset.filter(waits)
            case "done":
                return queryset.exclude(waits)
        return queryset


@admin.register(Complaint)
class ComplaintAdmin(ReadOnlyAdmin):
    list_display = ("number", "state", "left", "round_shown", "table_code", "owner_name", "received")
    list_filter = (
        date_range_filter("received_at"),
        TableFilter,
        choice_filter(gettext_lazy("state"), "status", words.COMPLAINT_STATES),
        AnswerFilter,
        choice_filter(gettext_lazy("refused because"), "refusal", words.REFUSED_BECAUSE),
        ConsentFilter,
        related_filter(gettext_lazy("round"), "round"),
        related_filter(gettext_lazy("dealer"), "round__dealer"),
        related_filter(gettext_lazy("player"), "player"),
    )
    prefix_fields = ("number",)
    search_words = gettext_lazy("Number starts with")
    newest_by = ("id",)
    related = ("table", "round__table", "owner")
    record_template = "bluecard/complaint/complaint.html"
    list_lead = gettext_lazy(
        "What players complain about: those that wait for an answer first, by the time that is left for it."
    )
    empty_heading = gettext_lazy("Nobody has complained")
    empty_words = gettext_lazy(
        "A complaint is taken down here, or comes by API from a chat or a mail gateway."
    )

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        """Put those that run first, the soonest due on top, and the others after them, the newest first."""
        due = Case(When(status__in=RUNNING, answered_at__isnull=True, then=F("answer_due_at")))
        return [due.asc(nulls_last=True), F("answer_due_at").desc(), F("id").desc()]

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("state"))
    def state(self, found: Complaint) -> SafeString:
        return format_html("{} {}", complaint_state(found), escalated_badge(found))

    @column(gettext_lazy("time left to answer"))
    def left(self, found: Complaint) -> SafeString | str:
        if not found.is_waited_for:
            return ""
        zone = found.table.zone if found.table else house_zone().key
        return left_badge(found.answer_due_at, datetime.now(UTC), zone)

    @column(gettext_lazy("round"))
    def round_shown(self, found: Complaint) -> SafeString | str:
        return link("round", found.round_id, found.round.public_id, is_id=True) if found.round else ""

    @column(gettext_lazy("table"))
    def table_code(self, found: Complaint) -> str:
        return found.table.code if found.table else ""

    @column(gettext_lazy("owner"))
    def owner_name(self, found: Complaint) -> str:
        return (found.owner.get_full_name() or found.owner.get_username()) if found.owner else ""

    @column(gettext_lazy("received"), is_number=True)
    def received(self, found: Complaint) -> SafeString | str:
        return moment(found.received_at, found.table.zone if found.table else "UTC")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, with the way to take one down for who may."""
        buttons = []
        if request.user.has_perm("audit.handle_complaint"):
            url = reverse("admin:audit_complaint_new")
            buttons = [HeadButton(_("Take a complaint"), url, "receipt", tone="main")]
        return super().changelist_view(request, {"head_buttons": buttons, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("new/", view(self.new), name="audit_complaint_new"),
            path("<int:pk>/<slug:verb>/", view(self.change), name="audit_complaint_verb"),
            *super().get_urls(),
        ]

    def new(self, request: HttpRequest) -> HttpResponse:
        """Take a complaint down."""
        return intake_page(self, request)

    def change(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Do something to a complaint; what was refused is shown on its page, with what had been typed."""
        if verb == "change":
            return self.change_view(request, str(pk))
        found = self.get_queryset(request).filter(pk=pk).first()
        if found is None or verb not in SAID:
            raise Http404(f"complaint {pk} {verb[:20]}")
        if not self.has_view_permission(request, found):
            raise PermissionDenied
        if request.method in ("GET", "HEAD"):
            # After a refusal this address shows the page: reloaded, or asked for another language or another
            # text to begin with, it is the page itself.
            url = reverse("admin:audit_complaint_change", args=[pk])
            return HttpResponseRedirect(f"{url}?{request.GET.urlencode()}" if request.GET else url)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        done = do_verb(request, found, verb)
        if isinstance(done, Redone):
            fresh = self.get_queryset(request).get(pk=pk)
            context = page_context(request, fresh, done)
            return draw(self, request, self.record_template, context, done.refusal.status)
        return done

    def page_context(self, request: HttpRequest, found: Complaint) -> dict[str, Any]:
        return page_context(request, found, None)
