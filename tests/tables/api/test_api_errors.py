"""Every error of the API has one form: RFC 9457 problem details, whoever raised it."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path
from rest_framework import exceptions, serializers
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from casino import errors
from tables.api.authentication import KeyAuthentication
from tables.feed.reader import UnknownTable
from tables.models import IllegalTransition, Round
from tables.rules.round_id import BadRoundId, BadRoundIdCode
from tables.services.actors import Actor, NotAllowed
from tables.services.setup import BadSetup

SOMEBODY = Actor("user", "7", "Somebody")


def nested_error() -> serializers.ValidationError:
    return serializers.ValidationError(
        {"limits": {"max": [serializers.ErrorDetail("Too high.", "max_value")]}, "non_field_errors": ["No."]}
    )


RAISED: dict[str, tuple[Exception, int, str, str]] = {
    "malformed JSON": (exceptions.ParseError("JSON parse error"), 400, "bad-input", "JSON parse error"),
    "validation": (nested_error(), 400, "bad-input", "limits.max: Too high.; No."),
    "bad set-up": (BadSetup("zone", "table/zone", "no zone"), 400, "bad-input", "zone: no zone (table/zone)"),
    "bad round ID": (BadRoundId(BadRoundIdCode.MALFORMED, "no ID"), 400, "bad-round-id", "no ID"),
    "not authenticated": (exceptions.NotAuthenticated(), 401, "not-authenticated", ""),
    "authentication failed": (exceptions.AuthenticationFailed("no"), 401, "not-authenticated", "no"),
    "no right, REST framework's": (exceptions.PermissionDenied("no"), 403, "not-allowed", "no"),
    "no right, Django's": (PermissionDenied(), 403, "not-allowed", "You may not do this."),
    "no right, a service's": (
        NotAllowed(SOMEBODY, "tables.key_play"),
        403,
        "not-allowed",
        "Somebody lacks the permission tables.key_play",
    ),
    "unknown, REST framework's": (exceptions.NotFound("none"), 404, "not-found", "none"),
    "unknown, Django's": (Http404("secret"), 404, "not-found", "There is nothing here."),
    "unknown table": (UnknownTable("B99"), 404, "not-found", "no table has the code 'B99'"),
    "method": (exceptions.MethodNotAllowed("PUT"), 405, "method-not-allowed", 'Method "PUT" not allowed.'),
    "accept": (exceptions.NotAcceptable(), 406, "not-acceptable", ""),
    "illegal transition": (
        IllegalTransition("the round", "settled", "betting"),
        409,
        "illegal-transition",
        "the round is settled; it cannot become betting",
    ),
    "media type": (
        exceptions.UnsupportedMediaType("text/csv"),
        415,
        "unsupported-media-type",
        'Unsupported media type "text/csv" in request.',
    ),
    "throttled": (exceptions.Throttled(7), 429, "too-many-requests", ""),
    "no database": (OperationalError("gone: password=x"), 503, "unavailable", ""),
}


def answer_of(error: Exception) -> Any:
    class Raising(APIView):
        authentication_classes = [KeyAuthentication]
        permission_classes = []

        def get(self, request: Any) -> None:
            raise error

    response = Raising.as_view()(APIRequestFactory().get("/api/v1/x"))
    response.render()
    return response


@pytest.mark.parametrize(("error", "status", "code", "detail"), RAISED.values(), ids=RAISED)
def test_every_error_becomes_a_problem(error: Exception, status: int, code: str, detail: str) -> None:
    response = answer_of(error)
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    body = json.loads(response.content)
    assert body["type"] == f"urn:bluecard:problem:{code}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"] == detail if detail else body["detail"]
    assert "password" not in response.content.decode()
    assert "secret" not in response.content.decode()


def test_nested_errors_name_the_field_and_the_rule() -> None:
    assert json.loads(answer_of(nested_error()).content)["errors"] == [
        {"field": "limits.max", "rule": "max_value", "message": "Too high."},
        {"field": "", "rule": "invalid", "message": "No."},
    ]


def test_headers_of_the_standard_are_kept() -> None:
    assert answer_of(exceptions.Throttled(7)).headers["Retry-After"] == "7"
    assert answer_of(OperationalError("gone")).headers["Retry-After"] == "5"


def test_a_fault_of_ours_is_not_dressed_up() -> None:
    with pytest.raises(ZeroDivisionError):
        answer_of(ZeroDivisionError())


# --- Outside the views ------------------------------------------------------------------------------


def raise_fault(request: HttpRequest) -> None:
    raise ZeroDivisionError("secret")


def raise_suspicion(request: HttpRequest) -> None:
    raise SuspiciousOperation("secret")


def raise_denial(request: HttpRequest) -> None:
    raise PermissionDenied("secret")


class Faults:
    """An URL configuration whose pages go wrong, with the project's handlers."""

    urlpatterns = [
        path("api/fault", raise_fault),
        path("api/suspicious", raise_suspicion),
        path("api/denied", raise_denial),
        path("page/fault", raise_fault),
        path("", include("casino.urls")),
    ]
    handler400, handler403 = errors.bad_request, errors.permission_denied
    handler404, handler500 = errors.page_not_found, errors.server_error


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/api/fault", 500, "fault"),
        ("/api/suspicious", 400, "bad-input"),
        ("/api/denied", 403, "not-allowed"),
        ("/api/nowhere", 404, "not-found"),
        ("/api/", 404, "not-found"),
        ("/api/v1/rounds/", 404, "not-found"),
        ("/api/v2/rounds", 404, "not-found"),
    ],
)
def test_errors_outside_the_views_are_problems_too(address: str, status: int, code: str) -> None:
    with override_settings(ROOT_URLCONF=Faults):
        answer = Client(raise_request_exception=False).get(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == f"urn:bluecard:problem:{code}"
    assert "secret" not in answer.content.decode()


def test_pages_keep_their_own_errors() -> None:
    with override_settings(ROOT_URLCONF=Faults):
        answer = Client(raise_request_exception=False).get("/page/fault")
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "text/html; charset=utf-8")


def test_a_host_that_is_not_ours_is_a_problem() -> None:
    answer = Client().get("/api/v1/tables", headers={"Host": "evil.example"})
    assert answer.status_code == 400


def test_what_is_only_read_refuses_every_other_method(reader: Client) -> None:
    for method in ("post", "put", "patch", "delete", "trace"):
        answer = getattr(reader, method)("/api/v1/rounds")
        assert answer.status_code == 405, method
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_an_answer_that_nobody_can_read_is_refused(reader: Client) -> None:
    answer = reader.get("/api/v1/rounds", headers={"Accept": "text/csv"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (406, "application/problem+json")


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
def test_nowhere_is_nowhere_for_every_method(method: str) -> None:
    answer = getattr(Client(), method)("/api/v1/nowhere")
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("There is nothing at /api/v1/nowhere")


def test_the_request_id_comes_back(reader: Client) -> None:
    answer = reader.get("/api/v1/tables", headers={"X-Request-ID": "r-17"})
    assert answer.headers["X-Request-ID"] == "r-17"
    made = reader.get("/api/v1/tables", headers={"X-Request-ID": "two words"}).headers["X-Request-ID"]
    assert len(made) == 32
    assert "no-store" in answer.headers["Cache-Control"]


HOSTILE: dict[str, Callable[[str], str]] = {
    "NUL": lambda _: "%00",
    "NUL inside": lambda known: known[:-1] + "%00",
    "bad UTF-8": lambda _: "%FF%FE",
    "half a surrogate": lambda _: "%ED%A0%80",
    "Thai": lambda _: "%E0%B8%81",
    "Thai digits": lambda _: "%E0%B9%91%E0%B9%92",
    "400 digits": lambda _: "9" * 400,
    "5,000 digits": lambda _: "9" * 5_000,
    "2^63": lambda _: str(2**63),
    "negative": lambda _: "-1",
    "very long": lambda _: "x" * 60_000,
    "quotes": lambda _: "'%22%3B--",
    "a percent sign": lambda _: "%25s%25(",
    "empty": lambda _: "",
}


def test_no_path_and_no_parameter_is_a_fault_of_ours(rounds: list[Round], reader: Client) -> None:
    known = {
        "/api/v1/tables/{}/feed": "B01",
        "/api/v1/shoes/{}": "B01-20261129-01",
        "/api/v1/rounds/{}": rounds[0].public_id,
        "/api/v1/rounds/{}/bets": rounds[0].public_id,
        "/api/v1/settlements/{}": "1",
        "/api/v1/settlements/{}/lines": "1",
        "/api/v1/bets/{}": "b1",
        "/api/v1/rounds?table={}": "B01",
        "/api/v1/rounds?shoe={}": "B01-20261129-01",
        "/api/v1/rounds?status={}": "settled",
        "/api/v1/rounds?from={}": "2026-11-29",
        "/api/v1/rounds?to={}": "2026-11-29",
        "/api/v1/rounds?limit={}": "5",
        "/api/v1/rounds?cursor={}": "W10",
        "/api/v1/rounds?{}=1": "limit",
        "/api/v1/wallet/transactions?after={}": "0",
        "/api/v1/lookup?q={}": "b1",
    }
    for (pattern, good), (kind, hostile) in product(known.items(), HOSTILE.items()):
        answer = reader.get(pattern.format(hostile(good)))
        assert answer.status_code in {200, 400, 404}, (pattern, kind, answer.content)
        if answer.status_code != 200:
            assert answer.headers["Content-Type"] == "application/problem+json", (pattern, kind)


def test_a_table_that_is_not_there_is_named(reader: Client) -> None:
    answer = reader.get("/api/v1/tables/B99/feed")
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no table 'B99'.")


def test_the_handlers_leave_other_pages_to_django() -> None:
    request = RequestFactory().get("/nowhere")
    assert errors.bad_request(request, SuspiciousOperation()).headers["Content-Type"].startswith("text/html")
