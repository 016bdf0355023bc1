"""Files attached to incidents, rulings and complaints: listed on their pages, sent there, and given out."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from audit.admin.evidence import as_download
from audit.admin.frame import require
from audit.complaint_words import REFUSALS
from audit.models import Attachment, AttachmentSubject
from audit.rules.attachments import BadAttachment
from audit.services.attachments import (
    PERMISSION,
    SUBJECTS,
    AttachmentGone,
    Sent,
    attach_file,
    limits,
    open_attachment,
    takes_files,
)
from audit.services.complaint_record import CannotChange
from audit.words import ATTACHMENT_REFUSALS
from tables.admin.base import ReadOnlyAdmin
from tables.services.actors import Actor, NotAllowed


@admin.register(Attachment)
class AttachmentAdmin(ReadOnlyAdmin):
    """No pages of its own: what is attached is seen where it is attached."""

    no_list_because = "a file is reached from what it is attached to"

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        return {}

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        raise Http404("attachments are listed where they are attached")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        raise Http404("attachments are shown where they are attached")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("add/<str:kind>/<int:pk>/", wrap(self.attach), name="audit_attachment_attach"),
            path("<uuid:uuid>/file/", wrap(self.fetch), name="audit_attachment_file"),
            *super().get_urls(),
        ]

    def attach(self, request: HttpRequest, kind: str, pk: int) -> HttpResponse:
        """Attach a file to what the address names, and go back to its page."""
        require(request, PERMISSION)
        subject = _subject(request, kind, pk)
        url = reverse(f"admin:audit_{kind}_change", args=[pk])
        sent = request.FILES.get("file")
        if request.method != "POST":
            return HttpResponseRedirect(url)
        if sent is None:
            messages.error(request, _("Choose a file first."))
            return HttpResponseRedirect(url)
        user: Any = request.user
        try:
            # One byte more than allowed is enough to be refused for it.
            data = sent.read(limits().size_bytes + 1)
            attachment = attach_file(
                subject=subject,
                data=data,
                name=sent.name or "",
                actor=Actor.of_user(user),
                at=datetime.now(UTC),
                user=user,
            )
        except BadAttachment as error:
            messages.error(request, say_not_taken(error.rule, error.message))
        except CannotChange as error:
            messages.error(request, REFUSALS[error.rule])
        except NotAllowed as error:
            raise PermissionDenied from error
        else:
            messages.success(request, _("%(name)s is attached.") % {"name": attachment.file.name})
        return HttpResponseRedirect(url)

    def fetch(self, request: HttpRequest, uuid: UUID) -> HttpResponse:
        """Give a file out, to be saved."""
        require(request, "audit.view_attachment")
        found = Attachment.objects.filter(uuid=uuid).first()
        if found is None:
            raise Http404("no such attachment")
        _subject(request, found.subject_kind, found.subject_id)
        try:
            served = open_attachment(
                attachment=found, actor=Actor.of_user(request.user), at=datetime.now(UTC)
            )
        except AttachmentGone as error:
            raise Http404(str(error)) from error
        return as_download(served.data, served.name, served.content_type)


def files_sent(request: HttpRequest) -> Iterator[Sent]:
    """Read the files of a form one by one, those that are too many as well: each of them is told of.

    Of each one byte more than allowed is enough to be refused for it.
    """
    most = limits()
    for file in request.FILES.getlist("files"):
        yield Sent(file.name or "", file.read(most.size_bytes + 1))


def say_not_taken(rule: str, message: str, name: str = "") -> str:
    """Say why a file was not attached, and which one, where there may be several."""
    why = ATTACHMENT_REFUSALS.get(rule, message)
    if name:
        return _("%(name)s was not attached. %(why)s") % {"name": name, "why": why}
    return _("The file was not attached. %(why)s") % {"why": why}


def _subject(request: HttpRequest, kind: str, pk: int) -> Any:
    """Find what a file is attached to, for one who may see it."""
    known = kind in SUBJECTS and pk < 2**63
    model = SUBJECTS[AttachmentSubject(kind)] if known else None
    found = model._default_manager.filter(pk=pk).first() if model else None
    if found is None or not request.user.has_perm(f"audit.view_{kind}"):
        raise Http404("nothing to attach to")
    return found


def attachments_context(request: HttpRequest, subject: Any) -> dict[str, Any]:
    """Give the sheet of attachments what it shows."""
    kind = subject._meta.model_name
    rows: list[Attachment] = []
    if request.user.has_perm("audit.view_attachment"):
        found = Attachment.objects.filter(subject_kind=kind, subject_id=subject.pk)
        rows = list(found.select_related("file").order_by("pk"))
    may_attach = takes_files(subject) and request.user.has_perm(PERMISSION)
    return {
        "attachments": [(one, getattr(one, "file", None)) for one in rows],
        "attach_url": reverse("admin:audit_attachment_attach", args=[kind, subject.pk]) if may_attach else "",
        "attach_megabytes": limits().size_bytes // 1_000_000,
    }
