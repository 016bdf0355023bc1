"""Holds on video: the list, what each is held for, and its release by two persons."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit import complaint_words as words
from audit.admin.complaint_view import may_withdraw, video_context
from audit.admin.consent_filter import ConsentFilter
from audit.admin.frame import draw
from audit.admin.refusals import REFUSING, Refusal, refusal_of
from audit.models import VideoHold
from audit.queries.video import LAPSE_SOON
from audit.rules.deadlines import time_left
from audit.services.consents import ask_to_release, give_consent, refuse_consent, withdraw_consent
from audit.services.video import NOTE, note_alarm
from audit.templatetags.complaints import left_badge, video_state
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter, date_range_filter, related_filter
from tables.admin.record import Crumb, link
from tables.services.actors import Actor, NotAllowed
from tables.templatetags.felt import moment

REQUEST, GIVE = "audit.request_consent", "audit.give_consent"
SAID: Final = {
    "release": gettext_lazy("A second person is asked to release the video."),
    "consent": gettext_lazy("The recorder is told to let go of the video."),
    "dissent": gettext_lazy("The video stays held."),
    "withdraw": gettext_lazy("Withdrawn. The video stays held."),
    "note": gettext_lazy("Noted. It is no alarm any more."),
}


@admin.register(VideoHold)
class VideoHoldAdmin(ReadOnlyAdmin):
    list_display = ("round_id_shown", "state", "camera", "shows", "lapses", "asked", "answered")
    list_filter = (
        date_range_filter("asked_at"),
        choice_filter(gettext_lazy("state"), "status", words.VIDEO_STATES),
        ConsentFilter,
        related_filter(gettext_lazy("round"), "round"),
    )
    prefix_fields = ("round__public_id",)
    search_words = gettext_lazy("Round starts with")
    newest_by = ("asked_at", "id")
    related = ("round__table",)
    record_template = "bluecard/complaint/hold.html"
    list_lead = gettext_lazy("Video that the recorder was asked to keep beyond its time, newest first.")
    empty_heading = gettext_lazy("No video was asked for")
    empty_words = gettext_lazy(
        "Every incident, ruling and complaint asks for the video of its rounds at once."
    )

    @column(gettext_lazy("round"))
    def round_id_shown(self, found: VideoHold) -> str:
        return found.round.public_id

    @column(gettext_lazy("state"))
    def state(self, found: VideoHold) -> SafeString:
        return video_state(found)

    @column(gettext_lazy("from"), is_number=True)
    def shows(self, found: VideoHold) -> SafeString:
        return moment(found.from_at, found.round.table.zone)

    @column(gettext_lazy("lapses without a hold"), is_number=True)
    def lapses(self, found: VideoHold) -> SafeString:
        now = datetime.now(UTC)
        if found.status == "asked" and time_left(now, found.lapses_at) <= LAPSE_SOON:
            return left_badge(found.lapses_at, now, found.round.table.zone)
        return moment(found.lapses_at, found.round.table.zone)

    @column(gettext_lazy("hold asked"), is_number=True)
    def asked(self, found: VideoHold) -> SafeString:
        return moment(found.asked_at, found.round.table.zone)

    @column(gettext_lazy("recorder answered"), is_number=True)
    def answered(self, found: VideoHold) -> SafeString:
        return moment(found.answered_at, found.round.table.zone)

    def get_urls(self) -> list[URLPattern]:
        verb = self.admin_site.admin_view(self.verb)
        return [
            *(path(f"<int:pk>/{name}/", verb, {"verb": name}, f"audit_videohold_{name}") for name in SAID),
            *super().get_urls(),
        ]

    def verb(self, request: HttpRequest, pk: int, verb: str) -> HttpResponse:
        """Ask for a release, decide about one, or take note of an alarm."""
        found = self.get_queryset(request).filter(pk=pk).first()
        if found is None:
            raise Http404(f"hold {pk}")
        if not self.has_view_permission(request, found):
            raise PermissionDenied
        if request.method in ("GET", "HEAD"):  # reloaded after a refusal
            return HttpResponseRedirect(reverse("admin:audit_videohold_change", args=[pk]))
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            self._do(request, found, verb)
        except REFUSING as error:
            refusal = refusal_of(error)
            context = self._context(request, found, refusal, request.POST.get("reason", ""))
            return draw(self, request, self.record_template, context, refusal.status)
        except NotAllowed as error:
            raise PermissionDenied from error
        messages.success(request, SAID[verb])
        return HttpResponseRedirect(reverse("admin:audit_videohold_change", args=[pk]))

    def _do(self, request: HttpRequest, found: VideoHold, verb: str) -> None:
        who: dict[str, Any] = {
            "actor": Actor.of_user(request.user),
            "user": request.user,
            "at": datetime.now(UTC),
            "reason": request.POST.get("reason", ""),
        }
        consent = found.consents.order_by("-pk").first()
        consent_id = consent.pk if consent else 0
        done: dict[str, Callable[[], Any]] = {
            "release": lambda: ask_to_release(hold_id=found.pk, **who),
            "consent": lambda: give_consent(consent_id=consent_id, **who),
            "dissent": lambda: refuse_consent(consent_id=consent_id, **who),
            "withdraw": lambda: withdraw_consent(consent_id=consent_id, **who),
            "note": lambda: note_alarm(hold_id=found.pk, **who),
        }
        done[verb]()

    def page_context(self, request: HttpRequest, found: VideoHold) -> dict[str, Any]:
        return self._context(request, found, None, "")

    def _context(
        self, request: HttpRequest, found: VideoHold, refusal: Refusal | None, reason: str
    ) -> dict[str, Any]:
        consent = (
            found.consents.select_related("requested_by_person", "decided_by_person").order_by("-pk").first()
        )
        is_open = consent is not None and consent.status == "requested"
        return {
            "hold": found,
            "title": _("Video of round %(number)s") % {"number": found.round.number},
            "crumbs": [
                Crumb(_("Video"), reverse("admin:audit_videohold_changelist")),
                Crumb(found.round.public_id),
            ],
            "refusal": refusal,
            "reason": reason,
            "noted_by": (found.noted_by.get_full_name() or found.noted_by.get_username())
            if found.noted_by
            else "",
            "round_link": link("round", found.round_id, found.round.public_id, is_id=True),
            "causes": list(found.causes.select_related("incident", "ruling", "complaint").order_by("pk")),
            "consent": consent,
            "may_ask": found.status == "held" and not is_open and request.user.has_perm(REQUEST),
            "may_consent": is_open and request.user.has_perm(GIVE),
            "may_note": found.is_alarm and request.user.has_perm(NOTE),
            "may_withdraw": may_withdraw(request.user, consent),
            "withdraw_url": reverse("admin:audit_videohold_withdraw", args=[found.pk]),
            "zone": found.round.table.zone,
            **video_context(request, found.round),
            "holds": [found],
            "may_see_holds": False,
        }
