"""The page that shows all revisions of a round side by side, with what each changed marked."""

from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tables.admin.coup_view import describe_outcome
from tables.admin.panels import authorities_of
from tables.admin.record import Crumb, list_url
from tables.admin.round_sheets import say_bet
from tables.models import Round, Settlement
from tables.queries.round_history import BETS_SHOWN, PlacedCard, RoundHistory, history_of_round
from tables.queries.timeline import outcome_of
from tables.templatetags.felt import Minor


class RevisionHead(NamedTuple):
    """The head of a revision's column."""

    settlement: Settlement
    name: str
    outcome: str
    by: SafeString | str
    differs_minor: Minor  # returned more than by the revision before
    hands: list[tuple[str, list[PlacedCard]]]  # a letter for each side, and its cards


def history_page(model_admin: Any, request: HttpRequest, object_id: str) -> HttpResponse:
    """Show a round's bets under each of its revisions."""
    found = model_admin.get_object(request, object_id)
    if not model_admin.has_view_permission(request, found) or not (
        model_admin.may_see(request, "bet") and model_admin.may_see(request, "settlement")
    ):
        raise PermissionDenied
    if found is None:
        raise Http404("no such round")
    text = request.GET.get("page", "")
    page = int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 6 else 1
    history = history_of_round(found, max(page, 1))
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": _("Revisions of %(round)s") % {"round": found.public_id},
        "crumbs": _crumbs(found),
        "round": found,
        "currency": found.table.currency,
        "zone": found.table.zone,
        "history": history,
        "heads": _heads(request, history),
        "rows": [(row, say_bet(row.bet)) for row in history.rows],
        "first_shown": (history.page - 1) * BETS_SHOWN + 1,
    }
    response = TemplateResponse(request, "bluecard/round_history.html", context)
    add_never_cache_headers(response)
    return response


def _crumbs(round_: Round) -> list[Crumb]:
    return [
        Crumb(_("Rounds"), list_url("round")),
        Crumb(round_.public_id, reverse("admin:tables_round_change", args=[round_.pk])),
        Crumb(_("Revisions")),
    ]


def _heads(request: HttpRequest, history: RoundHistory) -> list[RevisionHead]:
    by = authorities_of(request, [one.authority for one in history.settlements if one.authority])
    heads = []
    before: Minor | None = None
    for settlement, coup in zip(history.settlements, history.coups, strict=True):
        returned = settlement.returned_minor
        heads.append(
            RevisionHead(
                settlement,
                _("Revision %(number)s") % {"number": settlement.revision},
                describe_outcome(outcome_of(settlement), None, None),
                by.get(settlement.authority, "") if settlement.authority else _("the engine"),
                0 if before is None else returned - before,
                [(side, cards) for side in "PB" if (cards := [one for one in coup if one.place[0] == side])],
            )
        )
        before = returned
    return heads
