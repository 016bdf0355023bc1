"""Rulings: the list, the page on which one is decided, and its progress while it is carried out."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import words
from audit.admin.ask import ask_page
from audit.admin.exports import export_ruling
from audit.admin.frame import draw, require
from audit.admin.refusals import REFUSING, Refusal, refusal_of, refuse
from audit.admin.ruling_view import ruling_context
from audit.admin.ruling_words import ruling_badge
from audit.models import Ruling
from audit.queries.approvals import checks_of
from audit.queries.ruling_money import money_of_ruling
from audit.services.applying import resume_ruling, stop_ruling
from audit.services.rulings import (
    CannotDecide,
    approve_ruling,
    refuse_ruling,
    sign_in_again,
    withdraw_ruling,
)
from audit.templatetags.decide import at_the_wallet
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import TableFilter, choice_filter, date_range_filter, related_filter
from tables.queries.wallet_balances import read_balances
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import difference, moment, with_currency

LONGEST_REASON = 2000
MOST_ASKED = 1000  # players whose balances are asked for


class RulingTableFilter(TableFilter):
    """Filter rulings by their table."""


@admin.register(Ruling)
class RulingAdmin(ReadOnlyAdmin):
    list_display = ("number", "state", "what", "table_code", "size", "moved", "asked_by", "asked")
    list_filter = (
        date_range_filter("requested_at"),
        RulingTableFilter,
        choice_filter(gettext_lazy("state"), "status", words.RULING_STATES),
        choice_filter(gettext_lazy("decision"), "kind", words.RULING_KINDS),
        related_filter(gettext_lazy("round"), "rounds__round"),
        related_filter(gettext_lazy("incident"), "incident"),
    )
    prefix_fields = ("number",)
    search_words = gettext_lazy("Number starts with")
    newest_by = ("requested_at", "id")
    related = ("table", "requested_by_person")
    record_template = "bluecard/decide/ruling.html"
    list_lead = gettext_lazy("Every decision that was asked for, newest first, whatever became of it.")
    empty_heading = gettext_lazy("No ruling was asked for yet")
    empty_words = gettext_lazy(
        "A ruling is asked for from the page of a round, a shoe or a table, or together with an incident."
    )
    #: What can be done to a ruling, by the last part of the address.
    verbs: ClassVar[dict[str, str]] = {
        "approve": "audit.approve_ruling",
        "refuse": "audit.approve_ruling",
        "withdraw": "audit.request_ruling",
        "stop": "audit.approve_ruling",
        "resume": "audit.approve_ruling",
    }

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("state"))
    def state(self, found: Ruling) -> SafeString:
        return ruling_badge(found)

    @column(gettext_lazy("decision"))
    def what(self, found: Ruling) -> str:
        return str(words.RULING_KINDS[found.kind])

    @column(gettext_lazy("table"))
    def table_code(self, found: Ruling) -> str:
        return found.table.code

    @column(gettext_lazy("rounds"), is_number=True)
    def size(self, found: Ruling) -> int:
        return found.rounds_count

    @column(gettext_lazy("to players"), is_number=True)
    def moved(self, found: Ruling) -> SafeString:
        moved = difference(found.given_minor - found.taken_minor, found.table.currency)
        return with_currency(moved, found.table.currency)

    @column(gettext_lazy("asked by"))
    def asked_by(self, found: Ruling) -> str:
        return found.requested_by_person.name

    @column(gettext_lazy("asked"), is_number=True)
    def asked(self, found: Ruling) -> SafeString:
        return moment(found.requested_at, found.table.zone)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("ask/", view(self.ask), name="audit_ruling_ask"),
            path("<int:pk>/progress/", self._live(view(self.progress)), name="audit_ruling_progress"),
            path("<int:pk>/balances/", self._live(view(self.balances)), name="audit_ruling_balances"),
            path("<int:pk>/players.csv", view(self._export("csv")), name="audit_ruling_players"),
            path("<int:pk>/moves.json", view(self._export("json")), name="audit_ruling_moves"),
        ]
        for verb in self.verbs:
            own.append(path(f"<int:pk>/{verb}/", view(self._doing(verb)), name=f"audit_ruling_{verb}"))
        return [*own, *super().get_urls()]

    def page_context(self, request: HttpRequest, found: Ruling) -> dict[str, Any]:
        return ruling_context(request, found, datetime.now(UTC))

    def ask(self, request: HttpRequest) -> HttpResponse:
        """Ask for a ruling."""
        return ask_page(self, request)

    def progress(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer with how far a ruling got, as a piece of its page; at the end, with the whole page anew."""
        require(request, "audit.view_ruling")
        context = ruling_context(request, self._find(request, pk), datetime.now(UTC))
        answer = draw(self, request, "bluecard/decide/progress.html", context)
        if not context["is_under_way"]:
            answer["HX-Refresh"] = "true"
        return answer

    def balances(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer with the players of a ruling and what the wallet says each of them has to give back of.

        Those of the page are asked for first, then the others, as far as the time for it reaches.
        """
        require(request, "audit.view_ruling")
        require(request, "tables.view_settlement")
        require(request, "tables.view_walletdelivery")
        ruling = self._find(request, pk)
        context = ruling_context(request, ruling, datetime.now(UTC))
        everybody = money_of_ruling(ruling, limit=MOST_ASKED).players
        debtors = {
            row.reference: row for row in (*context["money"].players, *everybody) if row.moved_minor < 0
        }
        found = read_balances(debtors, ruling.table.currency)
        short = [at_the_wallet(row, found).short_minor for row in debtors.values()]
        context |= {
            "balances": found,
            "short_minor": sum(short),
            "short_count": sum(one > 0 for one in short),
        }
        return draw(self, request, "bluecard/decide/players.html", context)

    def _live(self, view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        """Where a log-in is wanted, have the page that follows by itself drawn anew, not a piece of it."""

        def follow(request: HttpRequest, pk: int) -> HttpResponse:
            if "HX-Request" in request.headers and not self.admin_site.has_permission(request):
                return HttpResponse(headers={"HX-Refresh": "true"})
            return view(request, pk=pk)

        return follow

    def _export(self, form: str) -> Callable[..., HttpResponse]:
        def export(request: HttpRequest, pk: int) -> HttpResponse:
            """Export what a ruling moves."""
            require(request, "audit.view_ruling")
            require(request, "tables.view_settlement")
            return export_ruling(self._find(request, pk), form)

        return export

    def _find(self, request: HttpRequest, pk: int) -> Ruling:
        found = self.get_object(request, str(pk)) if pk < 2**63 else None
        if found is None:
            raise Http404("no such ruling")
        return found  # type: ignore[return-value]

    def _doing(self, verb: str) -> Callable[..., HttpResponse]:
        def do(request: HttpRequest, pk: int) -> HttpResponse:
            return self._do(request, pk, verb)

        return do

    def _do(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Do one thing to a ruling. A refusal shows the page again with what was typed."""
        require(request, self.verbs[verb])
        ruling = self._find(request, pk)
        url = reverse("admin:audit_ruling_change", args=[pk])
        if request.method != "POST":
            # Whoever reloads after a refusal, or comes by the Back button, lands on the page itself.
            return HttpResponseRedirect(url) if request.method == "GET" else HttpResponseNotAllowed(["POST"])
        refusal = self._try(request, ruling, verb)
        if refusal is None:
            return HttpResponseRedirect(url)
        again = self._find(request, pk)
        context = ruling_context(request, again, datetime.now(UTC), refusal=refusal, typed=request.POST)
        context |= {"original": again, "is_withdrawing": verb == "withdraw"}
        return draw(self, request, self.record_template, context, refusal.status)

    def _try(self, request: HttpRequest, ruling: Ruling, verb: str) -> Refusal | None:
        now = datetime.now(UTC)
        user: Any = request.user
        actor = Actor.of_user(user)
        reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
        try:
            match verb:
                case "approve":
                    return self._approve(request, ruling, reason, actor, now)
                case "refuse":
                    refuse_ruling(ruling_id=ruling.pk, reason=reason, actor=actor, user=user, at=now)
                    messages.success(
                        request,
                        _("%(number)s is refused. Its rounds are free again.") % {"number": ruling.number},
                    )
                case "withdraw":
                    withdraw_ruling(ruling_id=ruling.pk, reason=reason, actor=actor, user=user, at=now)
                    messages.success(
                        request,
                        _("%(number)s is withdrawn. Its rounds are free again.") % {"number": ruling.number},
                    )
                case "stop":
                    stop_ruling(ruling_id=ruling.pk, actor=actor, at=now)
                    messages.success(
                        request, _("%(number)s stops after the round it is at.") % {"number": ruling.number}
                    )
                case "resume":
                    resume_ruling(ruling_id=ruling.pk, actor=actor, at=now)
                    messages.success(request, _("%(number)s goes on.") % {"number": ruling.number})
        except REFUSING as error:
            return refusal_of(error)
        except NotAllowed as error:
            raise PermissionDenied from error
        return None

    def _approve(
        self, request: HttpRequest, ruling: Ruling, reason: str, actor: Actor, now: datetime
    ) -> Refusal | None:
        user: Any = request.user
        if not reason:
            return refuse("ruling/reason", field="reason")
        if ruling.status == "requested" and checks_of(ruling, user, now).needs_sign_in:
            password = request.POST.get("password", "")
            if not password:
                raise CannotDecide("ruling/sign-in", "")
            sign_in_again(ruling=ruling, user=user, password=password, at=now)
        approve_ruling(
            ruling_id=ruling.pk,
            preview_hash=request.POST.get("preview_hash", ""),
            reason=reason,
            user=user,
            actor=actor,
            at=now,
        )
        messages.success(
            request, _("%(number)s is approved and about to be carried out.") % {"number": ruling.number}
        )
        return None
