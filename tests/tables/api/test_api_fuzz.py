"""Whatever is asked, in the shapes of the OpenAPI document and out of them, no answer is a fault of ours.

Nor is one of a status, a media type or a shape that the document does not know.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tables.models import Round
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.tables.playing import NOON

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ASKED = 15  # times each operation


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Leave the test's connection open between requests, as Django's own client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def operations(method: str) -> Iterator[Any]:
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        if found.ok().method.upper() == method:
            yield found.ok()


def ask(operation: Any, mode: GenerationMode, headers: dict[str, str]) -> None:
    """Ask an operation in many ways."""

    @settings(
        max_examples=ASKED,
        phases=[Phase.explicit, Phase.generate],
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS)

    asked()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_question_is_answered_with_a_fault(rounds: list[Round], mode: GenerationMode) -> None:
    scopes = ["play:read", "wallet:read"]
    _, key = make_api_key(label="x", table=None, scopes=scopes, actor=SYSTEM, at=NOON)
    asked = 0
    for operation in operations("GET"):
        if mode is GenerationMode.NEGATIVE and not (operation.query or operation.path_parameters):
            continue  # nothing to ask wrongly
        ask(operation, mode, {"Authorization": f"Bearer {key}"})
        asked += 1
    assert asked >= 13


def test_no_event_is_answered_with_a_fault(rounds: list[Round]) -> None:
    _, key = make_api_key(label="x", table=rounds[0].table, scopes=["feed:write"], actor=SYSTEM, at=NOON)
    [operation] = [found for found in operations("POST") if found.path.endswith("/events")]
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        ask(operation, mode, {"Authorization": f"Bearer {key}"})
