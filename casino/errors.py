"""The one place where an error becomes HTTP: RFC 9457 problem details for everything under /api/.

Bad input is 400, no right 403, unknown 404, an illegal transition or a conflict 409. What is not listed here
is a fault of ours: it is logged, and answered as a 500 that says nothing about our insides.
"""

import logging
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from audit.queries.persons import NoPerson
from audit.rules.attachments import BadAttachment
from audit.services.asking import BadRuling
from audit.services.complaint_record import BadComplaint, CannotChange
from audit.services.incidents import BadReport, OtherReport
from audit.services.rulings import CannotDecide
from tables.api.problems import MEDIA_TYPE, FieldError, Problem, ProblemDetails
from tables.feed.reader import UnknownTable
from tables.models import IllegalTransition
from tables.rules.round_id import BadRoundId
from tables.services.actors import NotAllowed
from tables.services.play import PlayRefused
from tables.services.setup import BadSetup

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
WHOLE = ""  # the field of an error that is about the whole input

#: Domain errors whose text is meant for whoever asked.
DOMAIN_ERRORS: tuple[tuple[type[Exception], int, str, str], ...] = (
    (NotAllowed, 403, "not-allowed", "Not allowed"),
    (NoPerson, 403, "no-person", "Not allowed"),
    (CannotDecide, 409, "cannot-decide", "Not decided"),
    (BadRuling, 400, "bad-input", "Bad input"),
    (BadReport, 400, "bad-input", "Bad input"),
    (OtherReport, 409, "conflict", "Conflict"),
    (BadComplaint, 400, "bad-input", "Bad input"),
    (BadAttachment, 400, "bad-input", "Bad input"),
    (CannotChange, 409, "changed", "Not done"),
    (IllegalTransition, 409, "illegal-transition", "Not possible in this state"),
    (BadRoundId, 400, "bad-round-id", "Not a round ID"),
    (BadSetup, 400, "bad-input", "Bad input"),
    (PlayRefused, 409, "not-possible", "Not possible now"),
    (UnknownTable, 404, "not-found", "Not found"),
)

#: Those of them that name a field and a rule.
FIELD_ERRORS = (BadSetup, BadRuling, BadReport, BadComplaint, BadAttachment, PlayRefused)

#: What REST framework raises, by status: the problem's code and title.
HTTP_PROBLEMS: dict[int, tuple[str, str]] = {
    400: ("bad-input", "Bad input"),
    401: ("not-authenticated", "Not authenticated"),
    403: ("not-allowed", "Not allowed"),
    404: ("not-found", "Not found"),
    405: ("method-not-allowed", "Method not allowed"),
    406: ("not-acceptable", "Not acceptable"),
    409: ("conflict", "Conflict"),
    411: ("length-required", "Length required"),
    413: ("too-large", "Too large"),
    415: ("unsupported-media-type", "Unsupported media type"),
    429: ("too-many-requests", "Too many requests"),
    500: ("fault", "Our fault"),
    503: ("unavailable", "Not available now"),
}


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an error raised in a view of the API; None leaves a fault of ours to Django, which logs it."""
    details = _details_of(error)
    if details is None:
        return None
    if isinstance(error, OperationalError | InterfaceError):
        logger.error("the database does not answer", exc_info=error)
    headers = {"Retry-After": "5"} if details.status == 503 else {}
    standard = exception_handler(error, context)  # for its headers, and its rollback
    if standard is not None:
        headers |= dict(standard.items())
    return Response(details.as_body(), status=details.status, headers=headers, content_type=MEDIA_TYPE)


def _details_of(error: Exception) -> ProblemDetails | None:
    match error:
        case Problem():
            return error.details
        case Http404():
            return _http_problem(404, "There is nothing here.")
        case PermissionDenied():
            return _http_problem(403, "You may not do this.")
        case exceptions.ValidationError():
            errors = list(_field_errors(error.detail))
            return _http_problem(400, "; ".join(_in_words(one) for one in errors), errors)
        case exceptions.APIException():
            return _http_problem(error.status_code, str(error.detail))
        case OperationalError() | InterfaceError():
            return _http_problem(
                503, "The database does not answer. Nothing was done; send the request again."
            )
    for kind, status, code, title in DOMAIN_ERRORS:
        if isinstance(error, kind):
            return ProblemDetails(status, code, title, str(error), _fields_of(error), _extra_of(error))
    return None


def _http_problem(status: int, detail: str, errors: list[FieldError] | None = None) -> ProblemDetails:
    code, title = HTTP_PROBLEMS.get(status, (f"http-{status}", "Refused"))
    return ProblemDetails(status, code, title, detail, errors or [])


def _fields_of(error: Exception) -> list[FieldError]:
    if isinstance(error, BadRoundId):
        return [FieldError("round_id", error.code.value, error.message)]
    if isinstance(error, FIELD_ERRORS):
        return [FieldError(error.field, error.rule, error.message)]
    if isinstance(error, CannotDecide | CannotChange):
        return [FieldError(WHOLE, error.rule, error.message)]
    return []


def _extra_of(error: Exception) -> dict[str, Any]:
    return {"did_you_mean": error.did_you_mean} if isinstance(error, BadRoundId) else {}


def _in_words(error: FieldError) -> str:
    return f"{error.field}: {error.message}" if error.field else error.message


def _field_errors(detail: Any, path: str = WHOLE) -> Iterator[FieldError]:
    """Flatten what serializers report, nested as the input is, into one error per field and rule."""
    if isinstance(detail, dict):
        for name, below in detail.items():
            here = path if name == "non_field_errors" else f"{path}{_step(name)}".removeprefix(".")
            yield from _field_errors(below, here)
    elif isinstance(detail, list | tuple):
        for below in detail:
            yield from _field_errors(below, path)
    else:
        yield FieldError(path, str(getattr(detail, "code", "invalid")), str(detail))


def _step(name: str | int) -> str:
    """Write a step into what was sent: a field by its name, an element of a list by its place."""
    return f"[{name}]" if isinstance(name, int) else f".{name}"


# --- Errors met outside the views of the API ------------------------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer a request that Django itself finds suspicious."""
    if _is_of_api(request):
        return _plain_problem(400, "The request is malformed.")
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer a request for something the sender may not do."""
    if _is_of_api(request):
        return _plain_problem(403, "You may not do this.")
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer a path that leads nowhere."""
    if _is_of_api(request):
        return _plain_problem(404, "There is nothing here.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer a fault of ours, after Django logged it."""
    if _is_of_api(request):
        return _plain_problem(500, "Something went wrong on our side. It has been logged.")
    return defaults.server_error(request)


def _is_of_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(API_PREFIX)


def _plain_problem(status: int, detail: str) -> HttpResponse:
    return JsonResponse(_http_problem(status, detail).as_body(), status=status, content_type=MEDIA_TYPE)
