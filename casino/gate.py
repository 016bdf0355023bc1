"""What has to be done before anything else: until then every page leads there, and the API says so."""

from collections.abc import Callable
from typing import ClassVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.functional import Promise


class Gate:
    """Middleware that keeps some accounts from all but a few places; a subclass says whom, and why."""

    open_to: ClassVar[frozenset[str]]
    leads_to: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[Promise]

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        """Remember what comes after."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let every request through whose place is not decided by a person's session."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_args: object) -> HttpResponse | None:
        """Send whom it keeps out to where that ends."""
        place = request.resolver_match.view_name if request.resolver_match else ""
        is_api = request.path.startswith("/api/")
        if place in self.open_to or not (is_api or place.startswith("admin:")):
            return None
        if not self.keeps_out(request):
            return None
        words = str(self.words)
        if is_api:
            problem = {"type": "about:blank", "title": self.title, "status": 403, "detail": words}
            return JsonResponse(problem, status=403, content_type="application/problem+json")
        messages.warning(request, words)
        return HttpResponseRedirect(reverse(self.leads_to))

    def keeps_out(self, request: HttpRequest) -> bool:
        """Say whether whoever asks has it still to do."""
        raise NotImplementedError
