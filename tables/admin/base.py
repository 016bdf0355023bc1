"""What all pages of this app have in common: they show, search by prefix, page by key and change nothing."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IS_POPUP_VAR, IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from tables.admin.object_timeline import timeline_url
from tables.admin.panels import head_buttons_of, record_panels_of, tell_watchers
from tables.admin.record import Record
from tables.templatetags.lists import BEFORE_VAR

MOST_COUNTED = 10_000
LONGEST_SEARCH = 120


class CappedPaginator(Paginator):
    """Count at most 10,001 rows: whether a list has ten thousand or ten million, nobody pages through it."""

    @cached_property
    def count(self) -> int:
        queryset: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return queryset.order_by().values("pk")[: MOST_COUNTED + 1].count()

    @property
    def has_more(self) -> bool:
        return self.count > MOST_COUNTED

    @cached_property
    def num_pages(self) -> int:
        counted = min(self.count, MOST_COUNTED)
        return max(1, -(-counted // self.per_page))


class KeysetChangeList(ChangeList):
    """A list that can go on from a row instead of counting rows from the start."""

    model_admin: "ReadOnlyAdmin"

    def get_filters(self, request: HttpRequest) -> Any:
        try:
            return super().get_filters(request)
        except DisallowedModelAdminLookup as error:
            # No page of ours asks for it: the list is shown without it.
            raise IncorrectLookupParameters(str(error)) from error

    def get_filters_params(self, params: dict[str, Any] | None = None) -> dict[str, Any]:
        lookups = super().get_filters_params(params)
        lookups.pop(BEFORE_VAR, None)
        return lookups

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: list[str | None] | None = None
    ) -> QuerySet[Any]:
        queryset = super().get_queryset(request, exclude_parameters)
        before = request.GET.get(BEFORE_VAR, "")
        if before.isascii() and before.isdigit() and len(before) < 19:
            queryset = queryset.filter(self.model_admin.older_than(int(before)))
        return queryset


class ReadOnlyAdmin(ModelAdmin):
    """A model's pages: a list and a record. Every change is a named action of a service, never an edit."""

    #: Columns searched by their beginning. Each has an index that serves `LIKE 'x%'`.
    prefix_fields: ClassVar[Sequence[str]] = ()
    search_words: ClassVar[Any] = _("Starts with")
    #: Why a list is not searched or narrowed, for whoever asks the code.
    no_search_because: ClassVar[str] = ""
    no_filter_because: ClassVar[str] = ""
    #: Why a model has pages and no list of its own.
    no_list_because: ClassVar[str] = ""
    #: Newest first by these columns, the last of them the primary key, as in one index of the table.
    newest_by: ClassVar[Sequence[str]] = ("id",)
    related: ClassVar[Sequence[str]] = ()
    record_template = "bluecard/record.html"
    list_lead: ClassVar[Any] = ""
    list_zone_words: ClassVar[Any] = _("Times in the table's zone")
    empty_heading: ClassVar[Any] = _("Nothing here yet")
    empty_words: ClassVar[Any] = ""

    actions = None
    paginator = CappedPaginator
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    sortable_by = ()
    list_fullwidth = True
    change_list_template = "bluecard/list.html"

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return KeysetChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related(*self.related)

    def get_ordering(self, request: HttpRequest) -> list[str]:
        return [f"-{column}" for column in self.newest_by]

    def get_search_fields(self, request: HttpRequest) -> Sequence[str]:
        return self.prefix_fields

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search by the beginning of an identifier, which an index answers however many rows there are."""
        text = search_term.strip()
        if not text:
            return queryset, False
        if len(text) > LONGEST_SEARCH:
            return queryset.none(), False
        found = Q()
        for column in self.prefix_fields:
            found |= Q(**{f"{column}__startswith": self.clean_search(column, text)})
        return queryset.filter(found), False

    def clean_search(self, column: str, text: str) -> str:
        """Write a search as the column is written; overridden where that is not as typed."""
        return text

    def older_than(self, pk: int) -> Q:
        """Build the condition for rows that come after a row in the list's order."""
        if len(self.newest_by) == 1:
            return Q(pk__lt=pk)
        moment = self.newest_by[0]
        pivot = self.model._default_manager.filter(pk=pk).values_list(moment, flat=True).first()
        if pivot is None:
            return Q(pk__lt=pk)
        return Q(**{f"{moment}__lte": pivot}) & (Q(**{f"{moment}__lt": pivot}) | Q(pk__lt=pk))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if any("\x00" in name + value for name, values in request.GET.lists() for value in values):
            return HttpResponseRedirect(request.path)
        if "e" in request.GET:  # where Django sends a list whose filters it could not read
            messages.warning(request, _("That filter could not be read, so the list is shown without it."))
            return HttpResponseRedirect(request.path)
        return super().changelist_view(
            request, {"title": self.opts.verbose_name_plural, **(extra_context or {})}
        )

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        if "\x00" in object_id:
            return None
        return super().get_object(request, object_id, from_field)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one record; nothing of it can be edited."""
        try:
            found = self.get_object(request, unquote(object_id))
        except (ValidationError, ValueError):
            found = None
        if not self.has_view_permission(request, found):
            raise PermissionDenied
        if found is None:
            raise Http404(f"{self.opts.model_name} {object_id[:60]!r}")
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        tell_watchers(request, found)
        context = {
            **self.admin_site.each_context(request),
            "title": str(found),
            "opts": self.opts,
            "original": found,
            "is_popup": IS_POPUP_VAR in request.GET,
            "actions_detail": self.get_actions_detail(request, object_id),
            "head_buttons": head_buttons_of(request, found),
            "record_panels": record_panels_of(request, found),
            "timeline_url": timeline_url(request, found),
            **self.page_context(request, found),
            **(extra_context or {}),
        }
        return TemplateResponse(request, self.record_template, context)

    def page_context(self, request: HttpRequest, found: Any) -> dict[str, Any]:
        """Give what the record's template needs besides the record."""
        return {"record": self.record(request, found)}

    def record(self, request: HttpRequest, found: Any) -> Record:
        """Describe a record as headings, facts and tables."""
        raise NotImplementedError

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Refuse: what happened to a record stands in the journal."""
        raise Http404("history")

    def may_see(self, request: HttpRequest, model: str) -> bool:
        """Say whether this person may see records of another model of this app."""
        return bool(request.user.has_perm(f"tables.view_{model}"))
