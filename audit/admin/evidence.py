"""Evidence packs: the list, the page of one with its progress, the way to ask for one, and the file."""

from datetime import UTC, datetime
from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from audit.admin.frame import draw, require
from audit.models import EvidencePack, PackStatus, PackSubject
from audit.services.packs import (
    PERMISSION,
    STEPS,
    SUBJECTS,
    NotReady,
    ask_for_pack,
    label_of,
    open_pack,
)
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import TableFilter, choice_filter, date_range_filter
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact, Facts, Record
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import moment, state_badge
from tables.words import State

PACK_STATES: Final = {
    "waiting": State("waits", "clock", gettext_lazy("Waits for a worker")),
    "making": State("running", "signal", gettext_lazy("Being made")),
    "ready": State("done", "tick", gettext_lazy("Ready")),
    "failed": State("wrong", "triangle", pgettext_lazy("evidence", "Failed")),
}
STEP_WORDS: Final = {
    0: gettext_lazy("waits for a worker"),
    1: gettext_lazy("reads the record"),
    2: gettext_lazy("sets the pages"),
    3: gettext_lazy("packs and signs"),
}
SUBJECT_WORDS: Final = {
    "round": gettext_lazy("Round"),
    "shoe": gettext_lazy("Shoe"),
    "complaint": gettext_lazy("Complaint"),
}


@admin.register(EvidencePack)
class EvidencePackAdmin(ReadOnlyAdmin):
    list_display = ("number", "state", "about", "table_code", "asker", "asked")
    list_filter = (
        date_range_filter("asked_at"),
        TableFilter,
        choice_filter(gettext_lazy("state"), "status", PACK_STATES),
        choice_filter(gettext_lazy("kind of subject"), "subject_kind", SUBJECT_WORDS),
    )
    prefix_fields = ("number", "subject_label")
    search_words = gettext_lazy("Pack, round, shoe or complaint starts with")
    newest_by = ("asked_at", "id")
    related = ("table", "asked_by")
    record_template = "bluecard/evidence/pack.html"
    list_lead = gettext_lazy(
        "Signed archives of a round, a shoe or a complaint for players, auditors and regulators."
    )
    empty_heading = gettext_lazy("No evidence pack was asked for")
    empty_words = gettext_lazy("A pack is asked for on the page of a round, a shoe or a complaint.")

    def clean_search(self, column: str, text: str) -> str:
        return text.upper()

    @column(gettext_lazy("state"))
    def state(self, found: EvidencePack) -> SafeString:
        return state_badge(PACK_STATES[found.status])

    @column(gettext_lazy("about"))
    def about(self, found: EvidencePack) -> SafeString:
        url = _page_of(found.subject_kind, found.subject_id)
        return format_html('<a class="bc-link bc-id" href="{}">{}</a>', url, found.subject_label)

    @column(gettext_lazy("table"))
    def table_code(self, found: EvidencePack) -> str:
        return found.table.code if found.table else ""

    @column(gettext_lazy("asked by"))
    def asker(self, found: EvidencePack) -> str:
        return _asker(found)

    @column(gettext_lazy("asked"), is_number=True)
    def asked(self, found: EvidencePack) -> SafeString:
        return moment(found.asked_at, found.table.zone if found.table else "UTC")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("ask/<str:kind>/<int:pk>/", wrap(self.ask), name="audit_evidencepack_ask"),
            path("<int:pk>/file/", wrap(self.fetch), name="audit_evidencepack_file"),
            *super().get_urls(),
        ]

    def ask(self, request: HttpRequest, kind: str, pk: int) -> HttpResponse:
        """Say what a pack will hold, and ask for it when the button is pressed."""
        require(request, PERMISSION)
        subject = _subject(request, kind, pk)
        if request.method == "POST":
            user: Any = request.user
            pack = ask_for_pack(subject=subject, actor=Actor.of_user(user), at=datetime.now(UTC), user=user)
            messages.success(request, _("%(number)s is asked for.") % {"number": pack.number})
            return HttpResponseRedirect(reverse("admin:audit_evidencepack_change", args=[pack.pk]))
        back = _page_of(kind, pk)
        context = {
            "title": _("Evidence of %(subject)s") % {"subject": label_of(subject)},
            "crumbs": [
                Crumb(_("Evidence packs"), reverse("admin:audit_evidencepack_changelist")),
                Crumb(label_of(subject), back),
            ],
            "back_url": back,
            "is_complaint": kind == PackSubject.COMPLAINT,
            "shows_play": kind != PackSubject.COMPLAINT or subject.round_id is not None,
            "names_players": request.user.has_perm("tables.view_playeridentity"),
        }
        return draw(self, request, "bluecard/evidence/ask.html", context)

    def fetch(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Give a pack out."""
        require(request, PERMISSION)
        pack: Any = self.get_object(request, str(pk)) if pk < 2**63 else None
        if pack is None:
            raise Http404("no such pack")
        try:
            data = open_pack(pack=pack, actor=Actor.of_user(request.user), at=datetime.now(UTC))
        except NotReady as error:
            messages.error(request, _("It cannot be fetched: %(why)s.") % {"why": error})
            return HttpResponseRedirect(reverse("admin:audit_evidencepack_change", args=[pk]))
        except NotAllowed as error:
            raise PermissionDenied from error
        return as_download(data, f"{pack.number}-{pack.subject_label}.zip", "application/zip")

    def page_context(self, request: HttpRequest, found: EvidencePack) -> dict[str, Any]:
        may_fetch = found.status == PackStatus.READY and request.user.has_perm(PERMISSION)
        return {
            "record": self.record(request, found),
            "is_unfinished": found.status in (PackStatus.WAITING, PackStatus.MAKING),
            "step": found.step,
            "steps": STEPS,
            "step_word": STEP_WORDS[found.step],
            "file_url": reverse("admin:audit_evidencepack_file", args=[found.pk]) if may_fetch else "",
        }

    def record(self, request: HttpRequest, found: EvidencePack) -> Record:
        zone = found.table.zone if found.table else "UTC"
        facts = [
            Fact(SUBJECT_WORDS[found.subject_kind], self.about(found)),
            Fact(_("Stated at"), moment(found.stated_at, zone)),
            Fact(_("Asked by"), _asker(found)),
            Fact(
                _("Players"),
                _("named by reference") if found.names_players else _("named by internal number"),
            ),
        ]
        if found.status == PackStatus.READY:
            facts += [
                Fact(_("Made"), moment(found.finished_at, zone)),
                Fact(_("Bytes"), f"{found.size_bytes:,}"),
                Fact("SHA-256", format_html('<span class="bc-id bc-hash">{}</span>', found.sha256)),
            ]
        if found.problem:
            facts.append(Fact(_("Problem"), found.problem))
        return Record(
            title=found.number,
            crumbs=[
                Crumb(_("Evidence packs"), reverse("admin:audit_evidencepack_changelist")),
                Crumb(found.number),
            ],
            badges=[state_badge(PACK_STATES[found.status])],
            main=[Facts(_("Evidence pack"), facts)],
        )


def as_download(data: bytes, name: str, content_type: str) -> HttpResponse:
    """Send bytes as a file to be saved, whatever they are: nothing of it runs or shows in the browser."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response


def _asker(pack: EvidencePack) -> str:
    if pack.asked_by is None:
        return f"key {pack.asked_by_key}"
    return pack.asked_by.get_full_name() or pack.asked_by.get_username()


def _page_of(kind: str, pk: int) -> str:
    """Return the address of what a pack is about."""
    app = SUBJECTS[PackSubject(kind)]._meta.app_label
    return reverse(f"admin:{app}_{kind}_change", args=[pk])


def _subject(request: HttpRequest, kind: str, pk: int) -> Any:
    """Find what a pack is to be about, for one who may see it."""
    model = SUBJECTS.get(kind) if pk < 2**63 else None  # type: ignore[call-overload]
    subject = model._default_manager.filter(pk=pk).first() if model else None
    if model is None or subject is None or not request.user.has_perm(f"{model._meta.app_label}.view_{kind}"):
        raise Http404("no such subject")
    return subject


def pack_url(request: HttpRequest, found: Any) -> str:
    """Return where a pack about a record is asked for; empty for one who may not."""
    if not request.user.has_perm(PERMISSION):
        return ""
    return reverse("admin:audit_evidencepack_ask", args=[PackSubject(found._meta.model_name).value, found.pk])


def evidence_buttons(request: HttpRequest, found: Any) -> list[HeadButton]:
    """Offer an evidence pack on the page of a round or a shoe."""
    url = pack_url(request, found)
    return [HeadButton(_("Evidence pack"), url, "lock")] if url else []


add_head_buttons("round", evidence_buttons)
add_head_buttons("shoe", evidence_buttons)
