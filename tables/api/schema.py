"""What the OpenAPI document says beyond what the views themselves show."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from tables.api.problems import MEDIA_TYPE, TYPE_PREFIX


class FieldErrorBody(serializers.Serializer):
    field = serializers.CharField(help_text="Which field; empty when the input as a whole is meant.")
    rule = serializers.CharField(help_text="The rule it breaks, as a word.")
    message = serializers.CharField(help_text="The same for people.")


class ProblemBody(serializers.Serializer):
    """An error as RFC 9457 has it. Some carry more members, said where they occur."""

    type = serializers.CharField(help_text=f"What kind of problem: `{TYPE_PREFIX}…`.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What is wrong this time.")
    errors = FieldErrorBody(many=True)  # type: ignore[assignment]


#: Code, title, detail, fields, further members.
Example = tuple[str, str, str, list[dict[str, str]], dict[str, Any]]

#: An example of each problem.
_EXAMPLES: dict[int, Example] = {
    400: (
        "bad-input",
        "Bad input",
        "limit: Ensure this value is less than or equal to 500.",
        [
            {
                "field": "limit",
                "rule": "max_value",
                "message": "Ensure this value is less than or equal to 500.",
            }
        ],
        {},
    ),
    401: ("not-authenticated", "Not authenticated", "Authorization: there is no such key.", [], {}),
    403: (
        "missing-scope",
        "Not allowed",
        "This key lacks the scope play:read; it has feed:write.",
        [],
        {"needed_scopes": ["play:read"]},
    ),
    404: (
        "not-found",
        "Not found",
        "The ID B03-20261129-02-041-K is well-formed, but there is no such round.",
        [],
        {},
    ),
    409: ("gap", "A sequence number is missing", "42 was expected, 44 came.", [], {"expected_seq": 42}),
    411: (
        "length-required",
        "Length required",
        "Say how long the body is, in Content-Length.",
        [],
        {},
    ),
    413: (
        "too-large",
        "Too large",
        "A request may hold 67108864 bytes (64 MB). Nothing of it was recorded.",
        [],
        {"limit_bytes": 67108864},
    ),
    415: (
        "unsupported-media-type",
        "Unsupported media type",
        "Send application/x-ndjson or application/json.",
        [],
        {"accepted": ["application/x-ndjson", "application/json"]},
    ),
}


#: The 400 of a body of events, in place of that of a parameter.
BAD_BODY: Example = (
    "unreadable",
    "Nothing could be read",
    "body: begins with a byte-order mark; send plain UTF-8 (feed/format)",
    [
        {
            "field": "body",
            "rule": "feed/format",
            "message": "begins with a byte-order mark; send plain UTF-8",
        }
    ],
    {},
)


def problems(
    *statuses: int, bad_input: Example = _EXAMPLES[400], conflict: Example = _EXAMPLES[409]
) -> dict[Any, Any]:
    """Return the responses of an operation for these errors, each with an example."""
    shown = _EXAMPLES | {400: bad_input, 409: conflict}
    return {(status, MEDIA_TYPE): _response(status, shown[status]) for status in statuses}


def _response(status: int, example: Example) -> OpenApiResponse:
    code, title, detail, errors, extra = example
    body = {"type": TYPE_PREFIX + code, "title": title, "status": status, "detail": detail, "errors": errors}
    shown = OpenApiExample(code, value=body | extra, media_type=MEDIA_TYPE, status_codes=[str(status)])
    return OpenApiResponse(ProblemBody, description=title, examples=[shown])


def _path(name: str, said: str, example: str | int, kind: type = str) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        kind,
        OpenApiParameter.PATH,
        description=said,
        examples=[OpenApiExample("Example", value=example)],
    )


CODE = _path("code", "The table's code.", "B03")
SHOE_ID = _path("shoe_id", "The shoe's ID.", "B03-20261129-02")
ROUND_ID = _path("round_id", "The round's ID.", "B03-20261129-02-041-K")
BET_ID = _path("platform_bet_id", "The platform's ID of the bet.", "bet-5550001")
SETTLEMENT_ID = _path("settlement_id", "The settlement's number.", 9071, int)


def page_of(body: type[serializers.Serializer]) -> serializers.Serializer:
    """Return the shape of one page of a list."""
    return inline_serializer(
        f"{body.__name__.removesuffix('Body')}Page",
        {
            "items": body(many=True),
            "next": serializers.CharField(
                allow_null=True, help_text="The address of the next page; null at the end."
            ),
        },
    )


class KeyScheme(OpenApiAuthenticationExtension):
    """How the document says that a key signs a request."""

    target_class = "tables.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "bc_<prefix>_<secret>"}


class SessionScheme(OpenApiAuthenticationExtension):
    """How the document says that a person signed in to the admin may read too."""

    target_class = "tables.api.authentication.StaffSession"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the scheme."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
