"""Pages of decisions in the frame that all pages have; no cache keeps them."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers


def draw(
    model_admin: Any, request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Draw a page in our frame."""
    frame = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts}
    response = TemplateResponse(request, template, {**frame, **context}, status=status)
    add_never_cache_headers(response)
    return response


def require(request: HttpRequest, permission: str) -> None:
    """Raise unless whoever is signed in holds a permission.

    :raises PermissionDenied: if not.
    """
    if not request.user.has_perm(permission):
        raise PermissionDenied
