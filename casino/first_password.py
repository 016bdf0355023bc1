"""A password that somebody else made: it opens for some days, and first of all it has to be changed."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from casino.models import AccountState

MUST_CHANGE: Final = "bluecard_must_change_password"
#: What is open to somebody whose password another made.
OPEN_BEFORE: Final = frozenset({"admin:login", "admin:logout", "admin:password_change", "admin:jsi18n"})


def first_password_refusal(user: User) -> str:
    """Say why a password that somebody else made opens no more; empty if it does, or is the person's own."""
    lapsed = AccountState.objects.filter(account=user, first_password_until__lt=timezone.now())
    return _("This password was for some days only. Ask an administrator for another.") if lapsed else ""


class FirstPasswordMiddleware:
    """Leads who signed in with a password made by another to where it is changed, and nowhere else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        """Remember what comes after."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let every request through whose place is not decided by a person's session."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_args: Any) -> HttpResponse | None:
        """Ask the session only: it remembers from the sign-in, and a new password ends every other one."""
        place = request.resolver_match.view_name if request.resolver_match else ""
        is_api = request.path.startswith("/api/")
        if place in OPEN_BEFORE or not (is_api or place.startswith("admin:")):
            return None
        if not request.session.get(MUST_CHANGE) or not request.user.is_authenticated:
            return None
        words = _("Your password was made by somebody else. Choose one that only you know.")
        if is_api:
            problem = {
                "type": "about:blank",
                "title": "A password of one's own is needed",
                "status": 403,
                "detail": words,
            }
            return JsonResponse(problem, status=403, content_type="application/problem+json")
        messages.warning(request, words)
        return HttpResponseRedirect(reverse("admin:password_change"))
