"""What the API says about itself: the JSON Schema of an event, the OpenAPI document, and a page of it."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from tables.api.base import ApiView
from tables.api.schema import problems
from tables.feed.events import event_schema

#: The groups of the page, in order; one that is not named here comes before the last.
TAGS = (
    "tables",
    "rounds",
    "bets",
    "settlements",
    "shoes",
    "incidents",
    "rulings",
    "players",
    "wallet",
    "lookup",
)
LAST_TAG = "documents"
METHODS = ("get", "post", "put", "patch", "delete")


class OpenView(ApiView):
    """A view for everybody: it shows nothing that was recorded."""

    authentication_classes = []
    permission_classes = []


class FeedEventSchema(OpenView):
    @extend_schema(
        operation_id="read_event_schema",
        summary="Read the JSON Schema of a feed event",
        tags=["documents"],
        responses={200: OpenApiTypes.OBJECT, **problems(404)},
        auth=[],
    )
    def get(self, request: Request) -> HttpResponse:
        """JSON Schema (2020-12) of every type of event a table may send."""
        return HttpResponse(_event_schema_text(), content_type="application/json")


class OpenApiDocument(OpenView):
    @extend_schema(
        operation_id="read_openapi",
        summary="Read the OpenAPI document",
        tags=["documents"],
        responses={200: OpenApiTypes.OBJECT},
        auth=[],
    )
    def get(self, request: Request) -> HttpResponse:
        """This document."""
        return HttpResponse(_openapi_text(), content_type="application/json")


def reference(request: HttpRequest) -> HttpResponse:
    """Show the OpenAPI document as a page that needs nothing from elsewhere."""
    document = openapi_document()
    info = document["info"] | {"description": _prose(document["info"]["description"])}
    return render(request, "api/reference.html", {"info": info, "groups": list(_groups(document))})


@lru_cache(maxsize=1)
def openapi_document() -> dict[str, Any]:
    """Make the OpenAPI document, once in the life of a process."""
    with translation.override("en"):
        document = SchemaGenerator().get_schema(request=None, public=True)
    return json.loads(json.dumps(document, default=str))


@lru_cache(maxsize=1)
def _openapi_text() -> bytes:
    return json.dumps(openapi_document(), ensure_ascii=False).encode()


@lru_cache(maxsize=1)
def _event_schema_text() -> bytes:
    return json.dumps(event_schema(), ensure_ascii=False).encode()


def _groups(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Sort the operations by their tags, in the order of the document."""
    by_tag: dict[str, list[dict[str, Any]]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                shown = _shown(document, method, path, methods[method])
                by_tag.setdefault(shown["tag"], []).append(shown)
    order = {tag: place for place, tag in enumerate(TAGS)} | {LAST_TAG: len(TAGS) + 1}
    for tag in sorted(by_tag, key=lambda tag: (order.get(tag, len(TAGS)), tag)):
        yield {"tag": tag, "operations": by_tag[tag]}


def _shown(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    request = operation.get("requestBody", {}).get("content", {})
    return {
        "id": operation["operationId"],
        "tag": operation["tags"][0],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": _prose(operation.get("description", "")),
        "parameters": [
            parameter | {"description": _prose(parameter["description"])}
            for parameter in operation.get("parameters", [])
        ],
        "bodies": [_body(document, media_type, content) for media_type, content in request.items()],
        "responses": [
            {
                "status": status,
                "description": response.get("description", ""),
                "bodies": [
                    _body(document, media_type, content)
                    for media_type, content in response.get("content", {}).items()
                ],
            }
            for status, response in operation["responses"].items()
        ],
    }


def _body(document: dict[str, Any], media_type: str, content: dict[str, Any]) -> dict[str, Any]:
    """Shape one body for the page: its fields one level deep, and its examples as text."""
    examples = [
        {"name": name, "text": _as_text(example["value"])}
        for name, example in content.get("examples", {}).items()
    ]
    return {
        "media_type": media_type,
        "fields": list(_fields(document, content["schema"])),
        "examples": examples,
    }


def _prose(text: str) -> SafeString:
    """Set what stands between backticks as code, and all else as it is."""
    parts = text.split("`")
    marks = ["<code>{}</code>" if number % 2 else "{}" for number in range(len(parts))]
    return format_html("".join(marks), *parts)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, str]]:
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        schema = _resolved(document, schema["items"])
    for name, below in schema.get("properties", {}).items():
        yield {"name": name, "kind": _kind(document, below), "description": _description(document, below)}
        listed = _resolved(document, below.get("items", {}))
        for inner, innermost in listed.get("properties", {}).items():
            yield {
                "name": f"{name}[].{inner}",
                "kind": _kind(document, innermost),
                "description": _description(document, innermost),
            }


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference to the component it names."""
    parts = schema.get("allOf") or schema.get("oneOf") or [schema]
    reference_ = parts[0].get("$ref", "")
    if not reference_:
        return schema
    return document["components"]["schemas"][reference_.rsplit("/", 1)[-1]]


def _kind(document: dict[str, Any], schema: dict[str, Any]) -> str:
    found = _resolved(document, schema)
    kind = found.get("format") or found.get("type") or "any"
    return f"{kind} or null" if schema.get("nullable") else str(kind)


def _description(document: dict[str, Any], schema: dict[str, Any]) -> str:
    found = _resolved(document, schema)
    said = schema.get("description") or ("" if found.get("properties") else found.get("description", ""))
    options = ", ".join(str(one) for one in found.get("enum", ()))
    return _prose(" ".join(filter(None, [str(said), f"One of {options}." if options else ""])))
