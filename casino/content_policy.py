"""What a page may load and run: our own files, nothing inline, nothing from elsewhere."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

PAGES = "/admin/"

#: Alpine, which Unfold's widgets are written with, evaluates its attributes: hence 'unsafe-eval'.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


class ContentPolicyMiddleware:
    """Send the policy with every page of the back office."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path_info.startswith(PAGES):
            response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
