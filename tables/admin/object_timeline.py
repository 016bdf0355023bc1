"""The timeline of one thing: what the journal says of it in sentences, with before and after."""

from typing import Any, NamedTuple

from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from tables.admin.record import Crumb, list_url
from tables.house import house_zone
from tables.journal_words import say_action, say_field, say_value
from tables.models import JournalEntry
from tables.queries.object_timeline import Happened, is_older, timeline_of

PERMISSION = "tables.view_journalentry"
BEFORE = "before"  # in the address: an entry's number, and the page shows older ones
APPS = ("tables", "audit", "auth")
#: Things with a number only, which pages call by what they are.
NAMELESS = frozenset({"consent", "notice", "reconciliation", "setupchange"})


class Line(NamedTuple):
    """An entry in words."""

    happened: Happened
    sentence: str
    changes: list[tuple[str, str, str]]


def timeline_url(request: HttpRequest, found: Any) -> str:
    """Return where the timeline of a record is; empty for one who does not see the journal."""
    if isinstance(found, JournalEntry) or not request.user.has_perm(PERMISSION):
        return ""
    return reverse("admin:tables_journalentry_of", args=[found._meta.model_name, found.pk])


def timeline_page(model_admin: Any, request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Draw the timeline of a thing, for one who sees both it and the journal.

    :raises Http404: if there is no such thing.
    """
    app = next((app for app in APPS if kind in apps.all_models[app]), None)
    if app is None or pk >= 2**63:
        raise Http404("no such thing")
    if not (request.user.has_perm(PERMISSION) and request.user.has_perm(f"{app}.view_{kind}")):
        raise PermissionDenied
    said = request.GET.get(BEFORE, "")
    before = int(said) if said.isascii() and said.isdigit() and len(said) < 19 else None
    told = timeline_of(kind, pk, with_texts=request.user.has_perm("tables.view_journaltext"), before=before)
    label = told[0].label if told else _name_of(app, kind, pk)
    if kind in NAMELESS:
        label = f"{apps.get_model(app, kind)._meta.verbose_name} {pk}"
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": _("Timeline of %(subject)s") % {"subject": label},
        "crumbs": [
            Crumb(_("Journal"), list_url("journalentry")),
            Crumb(label, _page_of(app, kind, pk)),
            Crumb(_("Timeline")),
        ],
        "lines": [_in_words(kind, one) for one in told],
        "newest": request.path if before is not None else "",
        "older": f"{request.path}?{BEFORE}={told[-1].entry}" if is_older(kind, pk, told) else "",
        "zone": house_zone().key,
    }
    return TemplateResponse(request, "bluecard/object_timeline.html", context)


def _name_of(app: str, kind: str, pk: int) -> str:
    """Name a thing that no entry speaks of, such as a shoe of which only its table's feed told."""
    found = apps.get_model(app, kind)._default_manager.filter(pk=pk).first()
    if found is None:
        raise Http404("no such thing")
    return str(found)


def _in_words(kind: str, one: Happened) -> Line:
    changed = [
        (say_field(name), say_value(kind, name, before), say_value(kind, name, after))
        for name, before, after in one.changes
    ]
    return Line(one, say_action(one.action), changed)


def _page_of(app: str, kind: str, pk: int) -> str:
    try:
        return reverse(f"admin:{app}_{kind}_change", args=[pk])
    except NoReverseMatch:
        return ""
