"""Changes of the set-up that take two persons: the list, and the page on which one is approved or refused."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.admin.frame import draw, require
from audit.admin.refusals import REFUSING, Refusal, refusal_of
from audit.admin.setup_asks import ASKS, asks_allowed
from audit.admin.setup_words import becomings_of, change_badge, change_title
from audit.models import Person, SetupChange
from audit.queries.setup_changes import Named
from audit.services.setup_changes import (
    APPROVE,
    REQUEST,
    approve_change,
    refuse_change,
    withdraw_change,
)
from tables.admin.base import KeysetChangeList, ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter, date_range_filter
from tables.admin.record import Crumb
from tables.house import house_zone
from tables.services.actors import Actor, NotAllowed
from tables.services.setup import BadSetup
from tables.templatetags.felt import moment

LONGEST_REASON = 2000
VERBS: dict[str, tuple[str, Callable[..., SetupChange]]] = {
    "approve": (APPROVE, approve_change),
    "refuse": (APPROVE, refuse_change),
    "withdraw": (REQUEST, withdraw_change),
}


class ChangeList(KeysetChangeList):
    """The list, with what its rows name read once for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        named = Named.by(self.result_list)
        for change in self.result_list:
            change.named = named


@admin.register(SetupChange)
class SetupChangeAdmin(ReadOnlyAdmin):
    list_display = ("what", "state", "kind_word", "asked_by", "asked", "decided_by_name")
    list_filter = (
        date_range_filter("requested_at"),
        choice_filter(gettext_lazy("state"), "status", words.CHANGE_STATES),
        choice_filter(gettext_lazy("kind"), "kind", words.CHANGE_KINDS),
    )
    prefix_fields = ("requested_by_person__name",)
    search_words = gettext_lazy("Asked by starts with")
    newest_by = ("requested_at", "id")
    related = ("requested_by_person", "decided_by_person")
    record_template = "bluecard/decide/change.html"
    list_lead = gettext_lazy(
        "Thresholds, persons behind accounts, roles and rulebooks: one person asks, another approves."
    )
    list_zone_words = gettext_lazy("Times in the house's zone")
    empty_heading = gettext_lazy("No change of the set-up was asked for")
    empty_words = gettext_lazy("An administrator asks for one with the buttons above.")
    done: ClassVar[dict[str, Any]] = {
        "approve": gettext_lazy("Approved, and carried out."),
        "refuse": gettext_lazy("Refused. Nothing changes."),
        "withdraw": gettext_lazy("Withdrawn. Nothing changes."),
    }

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[KeysetChangeList]:
        return ChangeList

    @cached_property
    def zone(self) -> str:
        return house_zone().key

    @column(gettext_lazy("change"))
    def what(self, found: Any) -> str:
        return change_title(found, found.named)

    @column(gettext_lazy("state"))
    def state(self, found: SetupChange) -> SafeString:
        return change_badge(found, datetime.now(UTC))

    @column(gettext_lazy("kind"))
    def kind_word(self, found: SetupChange) -> str:
        return str(words.CHANGE_KINDS[found.kind])

    @column(gettext_lazy("asked by"))
    def asked_by(self, found: SetupChange) -> str:
        return found.requested_by_person.name

    @column(gettext_lazy("asked"), is_number=True)
    def asked(self, found: SetupChange) -> SafeString:
        return moment(found.requested_at, self.zone)

    @column(gettext_lazy("decided by"))
    def decided_by_name(self, found: SetupChange) -> str:
        return found.decided_by_person.name if found.decided_by_person else ""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        buttons = {"head_buttons": asks_allowed(request)}
        return super().changelist_view(request, {**buttons, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        asks = [
            path(
                f"ask/{kind.value}/",
                view(page.as_view(model_admin=self)),
                name=f"audit_setupchange_{kind.value}",
            )
            for kind, page in ASKS.items()
        ]
        verbs = [
            path(f"<int:pk>/{verb}/", view(self._doing(verb)), name=f"audit_setupchange_{verb}")
            for verb in VERBS
        ]
        return [*asks, *verbs, *super().get_urls()]

    def page_context(self, request: HttpRequest, found: SetupChange) -> dict[str, Any]:
        return self._context(request, found, None)

    def _context(self, request: HttpRequest, found: SetupChange, refusal: Refusal | None) -> dict[str, Any]:
        now = datetime.now(UTC)
        named = Named.by([found])
        user: Any = request.user
        person = Person.objects.filter(accounts__user=user).first()
        is_waiting = found.status == "requested" and now <= found.expires_at
        is_asker = person is not None and person.pk == found.requested_by_person_id
        may_decide = user.has_perm(APPROVE)
        title = change_title(found, named)
        return {
            "change": found,
            "title": title,
            "crumbs": [
                Crumb(_("Changes of the set-up"), reverse("admin:audit_setupchange_changelist")),
                Crumb(title),
            ],
            "badge": change_badge(found, now),
            "kind_word": words.CHANGE_KINDS[found.kind],
            "becomings": becomings_of(found, named),
            "document": found.payload.get("document", ""),
            "is_waiting": is_waiting,
            "is_late": found.status == "requested" and now > found.expires_at,
            "is_asker": is_asker,
            "has_person": person is not None,
            "may_decide": may_decide,
            "may_approve": is_waiting and may_decide and person is not None and not is_asker,
            "may_refuse": is_waiting and may_decide and person is not None,
            "may_withdraw": is_waiting and found.requested_by_id == user.pk and user.has_perm(REQUEST),
            "refusal": refusal,
            "typed_reason": request.POST.get("reason", ""),
            "zone": self.zone,
        }

    def _doing(self, verb: str) -> Callable[..., HttpResponse]:
        def do(request: HttpRequest, pk: int) -> HttpResponse:
            return self._do(request, pk, verb)

        return do

    def _do(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Approve, refuse or withdraw. A refusal shows the page again with what was typed."""
        permission, do = VERBS[verb]
        require(request, permission)
        url = reverse("admin:audit_setupchange_change", args=[pk])
        if request.method != "POST":
            return HttpResponseRedirect(url) if request.method == "GET" else HttpResponseNotAllowed(["POST"])
        self._find(request, pk)
        reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
        user: Any = request.user
        try:
            do(change_id=pk, reason=reason, user=user, actor=Actor.of_user(user), at=datetime.now(UTC))
        except (*REFUSING, BadSetup) as error:
            again = self._find(request, pk)
            refusal = refusal_of(error)
            context = {**self._context(request, again, refusal), "original": again}
            return draw(self, request, self.record_template, context, refusal.status)
        except NotAllowed as error:
            raise PermissionDenied from error
        messages.success(request, self.done[verb])
        return HttpResponseRedirect(url)

    def _find(self, request: HttpRequest, pk: int) -> SetupChange:
        found = self.get_object(request, str(pk)) if pk < 2**63 else None
        if found is None:
            raise Http404("no such change")
        return found  # type: ignore[return-value]
