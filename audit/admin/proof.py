"""How far the journal is sealed, witnessed and verified, and the proof of one entry to take away."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from audit.admin.frame import draw, require
from audit.house import journal_key, witness_key
from audit.models import Checkpoint, Leaf, Verification
from audit.models.checkpoint import NOT_CHECKED
from audit.queries.exporting import as_text, note_of, proof_of_entry
from audit.queries.proof_status import ProofStatus, proof_status
from audit.queries.tree import NotSealed
from tables.admin.base import ReadOnlyAdmin
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Column, Crumb, Fact, Facts, Prose, Record, Rows, link
from tables.house import house_zone
from tables.models import JournalEntry
from tables.templatetags.felt import fill_in, moment, state_badge, time_element
from tables.words import State

SHOWN = 12
VIEW = "audit.view_checkpoint"


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    """The audit page in the place of a list, and a page for each checkpoint."""

    newest_by = ("size",)
    no_list_because = "the page that says how far the proof reaches stands in its place"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("entry/<int:entry_id>/", view(self.entry_proof), name="audit_entry_proof"),
            path("<int:size>/note/", view(self.note), name="audit_checkpoint_note"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require(request, VIEW)
        found = self._overview(proof_status(), _number(request, "before"), _number(request, "runs_before"))
        return draw(self, request, "bluecard/record.html", {"record": found, "title": found.title})

    def _overview(self, status: ProofStatus, before: int | None, runs_before: int | None) -> Record:
        checkpoints = Checkpoint.objects.order_by("-size").prefetch_related("cosignatures")
        verifications = Verification.objects.order_by("-id")
        if before is not None:
            checkpoints = checkpoints.filter(size__lt=before)
        if runs_before is not None:
            verifications = verifications.filter(id__lt=runs_before)
        newest, runs = list(checkpoints[: SHOWN + 1]), list(verifications[: SHOWN + 1])
        return Record(
            title=_("Seal of the journal"),
            is_id=False,
            crumbs=[Crumb(_("Seal of the journal"))],
            badges=[_badge(status)],
            lead=[Fact("", sentence_of(status))],
            main=[
                Facts(_("How far it reaches"), _reach(status), note=_("entries after that are outside it")),
                *_problems(status.verified),
                Rows(
                    _("Checkpoints"),
                    [Column(_("entries sealed")), Column(_("sealed")), Column(_("cosigned by"))],
                    [
                        (
                            checkpoint_link(one),
                            moment(one.sealed_at, house_zone().key),
                            ", ".join(signed.witness for signed in one.cosignatures.all()) or "–",
                        )
                        for one in newest[:SHOWN]
                    ],
                    note=_("newest first"),
                    empty=_("Nothing is sealed yet."),
                    more=_older("before", newest),
                ),
                Rows(
                    _("Verifications"),
                    [
                        Column(_("verified")),
                        Column(_("entries checked"), is_number=True),
                        Column(_("problems"), is_number=True),
                    ],
                    [
                        (
                            moment(run.finished_at, house_zone().key),
                            f"{run.size:,}",
                            f"{run.problems_count:,}",
                        )
                        for run in runs[:SHOWN]
                    ],
                    note=_("newest first"),
                    empty=_("Nothing was verified yet."),
                    more=_older("runs_before", runs),
                ),
            ],
            side=_keys(),
        )

    def record(self, request: HttpRequest, found: Checkpoint) -> Record:
        name = f"{found.size:,}"
        url = reverse("admin:audit_checkpoint_note", args=[found.size])
        return Record(
            title=_("Checkpoint at %(size)s entries") % {"size": name},
            is_id=False,
            crumbs=[
                Crumb(_("Seal of the journal"), reverse("admin:audit_checkpoint_changelist")),
                Crumb(name),
            ],
            main=[
                Prose(_("Signed note"), note_of(found), note=_("keep it elsewhere, to compare with later"))
            ],
            side=[
                Facts(
                    _("Checkpoint"),
                    [
                        Fact(_("Entries sealed"), name),
                        Fact(_("Sealed"), moment(found.sealed_at, house_zone().key)),
                        Fact(_("Root"), bytes(found.root).hex()),
                        Fact(
                            _("Download"),
                            format_html('<a class="bc-link" href="{}">{}</a>', url, _("Signed note")),
                        ),
                    ],
                )
            ],
        )

    def note(self, request: HttpRequest, size: int) -> HttpResponse:
        """Hand out a checkpoint's signed note."""
        require(request, VIEW)
        found = Checkpoint.objects.filter(pk=size).first()
        if found is None:
            raise Http404(f"checkpoint {size}")
        return _file(note_of(found), f"checkpoint-{size}.txt", "text/plain; charset=utf-8")

    def entry_proof(self, request: HttpRequest, entry_id: int) -> HttpResponse:
        """Hand out the proof of one entry, as `verify.py` reads it."""
        require(request, VIEW)
        require(request, "tables.view_journalentry")
        key = journal_key()
        try:
            if key is None:
                raise NotSealed("the journal has no key yet")
            lines = proof_of_entry(entry_id, key)
        except NotSealed as problem:
            raise Http404(str(problem)) from problem
        text = "".join(map(as_text, lines))
        return _file(text, f"entry-{entry_id}.jsonl", "application/jsonl; charset=utf-8")


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _older(name: str, read: list[Any]) -> SafeString | str:
    """Lead to what is older than the rows shown, if there is any."""
    if len(read) <= SHOWN:
        return ""
    return format_html(
        '<a class="bc-link" href="?{}={}">{}</a>', name, read[SHOWN - 1].pk, _("Older than these")
    )


def _file(text: str, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(text, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response


def sentence_of(status: ProofStatus) -> SafeString:
    """Say in one line how far the proof reaches: sealed to, witnessed to, verified at."""
    if status.sealed is None:
        return escape(_("Nothing is sealed yet"))
    sealed, at = f"{status.sealed.size:,}", _clock(status.sealed.sealed_at)
    said = [fill_in(_("sealed to entry %(size)s at %(time)s"), size=sealed, time=at)]
    if status.witnessed is not None:
        said.append(fill_in(_("witnessed to %(size)s"), size=f"{status.witnessed.checkpoint_id:,}"))
    if status.verified is not None:
        said.append(fill_in(_("verified at %(time)s"), time=_clock(status.verified.finished_at)))
    return format_html_join(", ", "{}", ((part,) for part in said))


def _clock(at: datetime) -> SafeString:
    return time_element(at, f"{at.astimezone(house_zone()):%H:%M}")


def tone_of(status: ProofStatus, now: datetime) -> State:
    """Say how the proof stands: its tone, icon and words."""
    if not status.is_sound:
        return State("wrong", "triangle", _("Not as it was sealed"))
    if status.is_late(now):
        return State("waits", "pause", _("The sealer does not keep up"))
    if status.verified is None:
        return State("waits", "clock", _("Not verified yet"))
    if status.not_checked:
        return State("waits", "clock", _("Not all could be checked"))
    if status.is_witness_away:
        return State("waits", "pause", _("The witness does not answer"))
    return State("done", "tick", _("All is as it was sealed"))


def _badge(status: ProofStatus) -> SafeString:
    return state_badge(tone_of(status, datetime.now(UTC)))


def _reach(status: ProofStatus) -> list[Fact]:
    zone = house_zone().key
    facts = [
        Fact(_("Sealed to entry"), f"{status.sealed.size:,}" if status.sealed else "–"),
        Fact(_("Sealed"), moment(status.sealed.sealed_at, zone) if status.sealed else "–"),
        Fact(_("Witnessed to entry"), f"{status.witnessed.checkpoint_id:,}" if status.witnessed else "–"),
    ]
    if status.witness is not None and status.witness.problem:
        facts.append(Fact(_("The witness says"), status.witness.problem))
    facts.append(
        Fact(
            _("Not sealed yet"),
            ngettext("%(count)s entry", "%(count)s entries", status.pending)
            % {"count": f"{status.pending:,}"},
        )
    )
    verified = moment(status.verified.finished_at, zone) if status.verified else _("never")
    facts.append(Fact(_("Verified"), verified))
    if status.not_checked:
        facts.append(Fact(_("Not checked"), status.not_checked))
    return facts


def _problems(run: Verification | None) -> list[Rows]:
    if run is None or not run.problems_count:
        return []
    found = [one for one in run.problems if one["kind"] not in NOT_CHECKED]
    rows = [(_entry_link(one["entry"]), one["words"]) for one in found]
    note = _("%(count)s in all") % {"count": f"{run.problems_count:,}"}
    return [
        Rows(_("What is not as it was sealed"), [Column(_("entry")), Column(_("problem"))], rows, note=note)
    ]


def _entry_link(entry_id: int | None) -> SafeString | str:
    return link("journalentry", entry_id, f"{entry_id:,}") if entry_id is not None else "–"


def _keys() -> list[Facts | Rows | Prose]:
    known = (_("The journal's key"), journal_key()), (_("The witness's key"), witness_key())
    return [
        *(Prose(title, str(key), note=_("published")) for title, key in known if key is not None),
        Prose(
            _("Check it elsewhere"),
            "python3 manage.py export_journal out.jsonl\npython3 verify.py out.jsonl --key KEY",
            note="docs/proof.md",
        ),
    ]


def checkpoint_link(found: Checkpoint) -> SafeString:
    """Link to a checkpoint by its size."""
    url = reverse("admin:audit_checkpoint_change", args=[found.size])
    return format_html('<a class="bc-link bc-num" href="{}">{}</a>', url, f"{found.size:,}")


def entry_buttons(request: HttpRequest, found: JournalEntry) -> list[HeadButton]:
    """Offer the proof of an entry, once it is sealed."""
    if not request.user.has_perm(VIEW) or not Leaf.objects.filter(entry_id=found.pk).exists():
        return []
    url = reverse("admin:audit_entry_proof", args=[found.pk])
    return [HeadButton(gettext_lazy("Download its proof"), url, "lock")]


add_head_buttons("journalentry", entry_buttons)
